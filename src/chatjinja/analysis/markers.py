"""Which expression printed what, in engines that cannot say: invisible marks around all that is printed.

Marks can change what a template does with its own text (compare it, cut it), so they count only if the text without
them is the same as before.
"""

from __future__ import annotations

import re
from functools import lru_cache

from chatjinja.analysis.parsed import Edit, Parsed, edited
from chatjinja.source import Span
from chatjinja.syntax import nodes

_OPEN, _CLOSE, _END = "\ue0d0", "\ue0d1", "\ue0d2"
_MARK = re.compile(f"[{_OPEN}{_CLOSE}]([0-9]+){_END}")


@lru_cache(maxsize=8)
def with_marks(parsed: Parsed) -> str | None:
    """The source with marks around every printed expression; None if the source has such characters itself."""
    text = parsed.source.text
    if any(mark in text for mark in (_OPEN, _CLOSE, _END)):
        return None
    edits: list[Edit] = []
    for number, output in enumerate(parsed.of(nodes.Output)):
        dashes = "-" if text[output.start + 2] == "-" else "", "-" if text[output.end - 3] == "-" else ""
        opening = f"{{{{{dashes[0]} '{_OPEN}{number}{_END}' }}}}{{{{ "
        closing = f" }}}}{{{{ '{_CLOSE}{number}{_END}' {dashes[1]}}}}}"
        edits.append(Edit(output.start, output.start + 2 + len(dashes[0]), opening))
        edits.append(Edit(output.end - 2 - len(dashes[1]), output.end, closing))
    return edited(text, edits)


def without_marks(text: str) -> str:
    """A text as it would be without marks."""
    return _MARK.sub("", text)


def printed_by(parsed: Parsed, marked: str, offset: int) -> Span | None:
    """What printed the byte at `offset` of the text without marks; None for text of the template itself."""
    outputs = parsed.of(nodes.Output)
    inside: list[int] = []
    at = end = 0
    for match in _MARK.finditer(marked):
        at += len(marked[end : match.start()].encode("utf-8", "surrogateescape"))
        if at > offset:
            break
        end = match.end()
        if match.group().startswith(_OPEN):
            inside.append(int(match[1]))
        elif inside:
            inside.pop()
    return Span(outputs[inside[-1]].start, outputs[inside[-1]].end) if inside else None


_OBSERVED = re.compile(f"{_OPEN}(.*?){_CLOSE}", re.DOTALL)
_STATEMENTS = (nodes.Output, nodes.If, nodes.For, nodes.Assign, nodes.AssignBlock, nodes.CallBlock, nodes.FilterBlock)


def observing(parsed: Parsed, span: Span) -> str | None:
    """The source that also prints an expression, before the statement that it stands in; None if there is none."""
    around = [
        node for kind in _STATEMENTS for node in parsed.of(kind) if node.start <= span.start and span.end <= node.end
    ]
    if not around:
        return None
    statement = min(around, key=lambda node: node.end - node.start)
    text = parsed.source.text
    shown = f"{{{{ '{_OPEN}' }}}}{{{{ {text[span.start : span.end]} }}}}{{{{ '{_CLOSE}' }}}}"
    return edited(text, [Edit(statement.start, statement.start, shown)])


def observed(text: str | None) -> list[str]:
    """What such a source printed of the expression, each time that it came there."""
    return _OBSERVED.findall(text or "")
