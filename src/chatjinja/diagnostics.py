"""Errors as text with an excerpt and a caret, or as plain data. No colour."""

from __future__ import annotations

from typing import Any
from unicodedata import east_asian_width

from chatjinja.errors import TemplateError
from chatjinja.source import Source

_WIDTH = 100
"""Longest excerpt, in characters: templates have lines of 500."""


def render_error(error: TemplateError, source: Source) -> str:
    """``name:line:column: message`` and, where the place is known, the line with a mark below.

    The mark is ``^`` at the reported place and ``~`` under the rest of the failing expression.
    """
    name = error.template_name or source.name
    if error.lineno is None:
        return f"{name}: {error.message}"
    if error.colno is None:
        return f"{name}:{error.lineno}: {error.message}"
    head = f"{name}:{error.lineno}:{error.colno}: {error.message}"
    line = source.line(error.lineno)
    line_start = source.line_starts[error.lineno - 1]
    at = source.offset(error.lineno, error.colno - 1) - line_start
    start, end = at, at + 1
    if error.span is not None:
        start = min(at, max(0, error.span.start - line_start))
        end = max(at + 1, min(error.span.end - line_start, len(line)))
    excerpt, start, at, end = _crop(line, start, at, end)
    mark = _blank(excerpt[:start]) + "~" * _width(excerpt[start:at]) + "^" + "~" * _width(excerpt[at + 1 : end])
    gutter = str(error.lineno)
    return f"{head}\n  {gutter} | {excerpt}\n  {' ' * len(gutter)} | {mark}"


def _crop(line: str, start: int, at: int, end: int) -> tuple[str, int, int, int]:
    """A part of `line` around `at`, and where the three places are in it."""
    line = "".join(char if char.isprintable() else " " for char in line)
    if len(line) <= _WIDTH:
        return line, start, at, end
    first = max(0, min(at - _WIDTH // 2, len(line) - _WIDTH))
    last = first + _WIDTH
    before = "…" if first > 0 else ""
    after = "…" if last < len(line) else ""
    shift = len(before) - first
    places = max(start, first) + shift, at + shift, min(end, last) + shift
    return before + line[first:last] + after, *places


def _width(text: str) -> int:
    """Columns that `text` takes on a terminal."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def _blank(text: str) -> str:
    return " " * _width(text)


def error_data(error: TemplateError) -> dict[str, Any]:
    """The error as JSON-like data."""
    return {
        "type": type(error).__name__,
        "code": error.code,
        "message": error.message,
        "phase": error.phase,
        "node": error.node,
        "line": error.lineno,
        "column": error.colno,
        "span": list(error.span) if error.span is not None else None,
        "template": error.template_name,
    }
