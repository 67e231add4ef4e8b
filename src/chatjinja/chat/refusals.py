"""How a llama.cpp server words the refusal of a request whose template fails."""

from __future__ import annotations

from chatjinja.errors import TemplateError
from chatjinja.source import Source

_AROUND = 40
"""Bytes of the source shown on either side."""
GENERIC_PREFIX = "Unable to generate parser for this template. Automatic parser generation failed: "


def refused(error: TemplateError, source: Source, is_generic: bool) -> TemplateError:
    """`error` with `status` and `reference_message` filled in."""
    message = reference_message(error, source)
    error.status = 400 if is_generic else 500
    error.reference_message = GENERIC_PREFIX + message if is_generic else message
    return error


def reference_message(error: TemplateError, source: Source) -> str:
    """The reference engine's message, with its excerpt of the source where it gives one."""
    if error.node is None or error.lineno is None or error.colno is None:
        return error.message
    text = source.text.encode("utf-8", "surrogateescape")
    line_start = len(source.text[: source.line_starts[error.lineno - 1]].encode("utf-8", "surrogateescape"))
    at = line_start + error.colno - 1
    start = max(0, at - _AROUND)
    excerpt = text[start : at + _AROUND].decode("utf-8", "replace").replace("\n", "↵")
    caret = " " * (at - start + 3) + "^"
    return (
        f"\n------------\nWhile executing {error.node} at line {error.lineno}, column {error.colno} in source:\n"
        f"...{excerpt}...\n{caret}\nError: {error.message}"
    )
