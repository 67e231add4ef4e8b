"""One self-contained HTML file: what differs and why, and the texts side by side."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from chatjinja.analysis.output.summary import cause_line, headline, rewrite_line, shortened
from chatjinja.analysis.report import Difference, Finding, Report, Result
from chatjinja.analysis.texts import common_prefix, to_bytes, visible

_CONTEXT = 400
"""How many characters before and behind the differing stretch are shown."""
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --same: inherit; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.1rem; margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
table { border-collapse: collapse; } td, th { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; }
code, pre { font: 13px/1.5 ui-monospace, Consolas, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.sides > div { border: 1px solid var(--line); padding: .6rem; min-width: 0; }
.sides h3 { font-size: .9rem; margin: 0 0 .4rem; }
.left { background: #f9d0cf; color: #5f1412; } .right { background: #c9ecd0; color: #0f4a1f; }
.blank { opacity: .45; } .none { font-style: italic; opacity: .7; }
.cause { border-left: 4px solid #d08700; padding-left: .8rem; margin: .6rem 0; }
.equal { color: #2a7d3c; } .differs { color: #b3261e; }
@media (max-width: 50rem) { .sides { grid-template-columns: 1fr; } }
"""


def to_html(report: Report, name: str) -> str:
    """The report as the text of an HTML file; `name` is that of the template."""
    title = f"{escape(name)}: {_verdict(report)}"
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
            *_overview(report),
            *_causes(report),
            *(part for difference in report.differences for part in _difference(difference, report)),
            "</body>\n</html>\n",
        )
    )


def _verdict(report: Report) -> str:
    count = len(report.differences)
    return "no difference" if not count else f"{count} difference{'s' if count > 1 else ''}"


def _overview(report: Report) -> Iterator[str]:
    sides = list(dict.fromkeys(result.side for result in report.results))
    differs = {(item.conversation, item.right): number for number, item in enumerate(report.differences)}
    yield "<table>\n<tr><th>conversation</th>"
    yield "".join(
        f"<th>{escape(str(side))}<br><small>{escape(report.versions[side.engine])}</small></th>" for side in sides
    )
    yield "</tr>\n"
    by_place = {(result.conversation, result.side): result for result in report.results}
    for conversation in report.conversations:
        yield f"<tr><td>{escape(conversation)}</td>"
        for side in sides:
            number = differs.get((conversation, side))
            word = "raises" if by_place[conversation, side].outcome.failure is not None else "text"
            if number is None:
                yield f'<td class="equal">{word}</td>'
            else:
                yield f'<td><a class="differs" href="#difference-{number}">{word}, differs</a></td>'
        yield "</tr>\n"
    yield "</table>\n"


def _causes(report: Report) -> Iterator[str]:
    found = {(finding.cause, finding.lineno): finding for item in report.differences for finding in item.findings}
    for finding in found.values():
        yield _cause(f"<strong>{escape(cause_line(finding))}</strong>", finding)


def _cause(head: str, finding: Finding) -> str:
    return f'<div class="cause">{head}<br><code>{escape(rewrite_line(finding))}</code></div>\n'


def _difference(difference: Difference, report: Report) -> Iterator[str]:
    number = report.differences.index(difference)
    yield f'<h2 id="difference-{number}">{escape(difference.conversation)}: {escape(headline(difference))}</h2>\n'
    if difference.lineno is not None:
        yield f"<p>line {difference.lineno}: <code>{escape(shortened(difference.expression or ''))}</code>"
        yield f", value <code>{escape(difference.source)}</code></p>\n" if difference.source else "</p>\n"
    for finding in difference.findings:
        yield _cause(escape(cause_line(finding)), finding)
    if not difference.findings:
        yield '<p class="none">no known cause</p>\n'
    results = [
        next(r for r in report.results if r.conversation == difference.conversation and r.side == side)
        for side in (difference.left, difference.right)
    ]
    yield '<div class="sides">\n'
    yield from (_side(result, results, colour) for result, colour in zip(results, ("left", "right"), strict=True))
    yield "</div>\n"


def _side(result: Result, both: list[Result], colour: str) -> str:
    head = f"<div><h3>{escape(str(result.side))}</h3>"
    failure = result.outcome.failure
    if failure is not None:
        return f'{head}<pre class="{colour}">{escape(failure.message)}</pre></div>\n'
    return f"{head}<pre>{_coloured(result, both, colour)}</pre></div>\n"


def _coloured(result: Result, both: list[Result], colour: str) -> str:
    own = to_bytes(result.outcome.text or "")
    texts = [to_bytes(item.outcome.text) for item in both if item.outcome.text is not None]
    if len(texts) < 2:
        return _shown(own[: 4 * _CONTEXT])
    start = common_prefix(*texts)
    ends = [len(text) - start for text in texts]
    same_end = min(common_prefix(texts[0][::-1], texts[1][::-1]), *ends)
    stop = len(own) - same_end
    first = max(0, start - _CONTEXT)
    return "".join(
        (
            "…" if first else "",
            _shown(own[first:start]),
            f'<mark class="{colour}">{_shown(own[start:stop]) or "(nothing)"}</mark>',
            _shown(own[stop : stop + _CONTEXT]),
            "…" if stop + _CONTEXT < len(own) else "",
        )
    )


def _shown(data: bytes) -> str:
    """Bytes as HTML in which blanks can be seen; a line end also breaks the line."""
    shown = []
    for char in data.decode("utf-8", "surrogateescape"):
        text = visible(char)
        if text == char:
            shown.append(escape(char))
        else:
            shown.append(f'<span class="blank">{escape(text)}</span>' + ("\n" if char == "\n" else ""))
    return "".join(shown)
