"""Who wrote the characters of JSON text that encodes data of the context."""

from __future__ import annotations

import re
from functools import lru_cache

from chatjinja.runtime.marked import Run, Runs

_INPUT = re.compile(r'"((?:[^"\\]|\\.)*)"|(-?(?:[0-9][0-9.e+-]*|inf|nan))', re.DOTALL)
"""What of the JSON of context data was copied: bodies of strings, keys, numbers."""


class JsonRuns:
    """The runs of the JSON of data that is all input, made when asked for."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self) -> Runs:
        return plain_json_runs(self.text)


@lru_cache(maxsize=256)
def plain_json_runs(text: str) -> Runs:
    """Runs of the JSON of data that is all input; between its items are only blanks, commas and colons."""
    out: list[Run] = []
    at = 0
    for match in _INPUT.finditer(text):
        start, end = match.span(match.lastindex or 0)
        if start < end:
            out.append((text[at:start], False))
            out.append((text[start:end], True))
            at = end
    out.append((text[at:], False))
    return tuple(out)
