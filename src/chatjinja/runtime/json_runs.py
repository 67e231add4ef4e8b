"""Who wrote the characters of JSON text that encodes data of the context."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from chatjinja.runtime.marked import Copied, Run, Runs

_INPUT = re.compile(r'"((?:[^"\\]|\\.)*)"|(-?(?:[0-9][0-9.e+-]*|inf|nan|Infinity|NaN))', re.DOTALL)
"""What of the JSON of context data was copied: bodies of strings, keys, numbers."""


class JsonRuns:
    """The runs of the JSON of data that is all input, made when asked for.

    Attributes:
        text: the JSON, with the usual separators.
        value: what it encodes, a value of a snapshot of the context; None without provenance.
    """

    __slots__ = ("text", "value")

    def __init__(self, text: str, value: Any = None) -> None:
        self.text = text
        self.value = value

    def __call__(self) -> Runs:
        if self.value is None:
            return plain_json_runs(self.text)
        return tuple(
            [(text, False if below is None else Copied(self.value, below)) for text, below in places_in_json(self.text)]
        )


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


# --- places --------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r'"(?P<string>(?:[^"\\]|\\.)*)"(?P<key>[ \n\t]*:)?|(?P<number>-?(?:[0-9][0-9.e+-]*|inf|nan|Infinity|NaN))'
    r"|(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)",
    re.DOTALL,
)


class _Level:
    """A container that is being read: its pointer, and the index of the item at hand if it is an array."""

    __slots__ = ("index", "pointer")

    def __init__(self, pointer: str, is_array: bool) -> None:
        self.pointer = pointer
        self.index = 0 if is_array else -1

    def next_item(self) -> str:
        """Pointer of the next item of an array; of an object, its own (a key will follow)."""
        if self.index < 0:
            return self.pointer
        self.index += 1
        return f"{self.pointer}/{self.index - 1}"


@lru_cache(maxsize=256)
def places_in_json(text: str) -> tuple[tuple[str, str | None], ...]:
    """Stretches of JSON text, and the JSON Pointer of what each was copied from: within the encoded value, with
    ``#`` behind it for a key; None for what JSON itself adds."""
    out: list[tuple[str, str | None]] = []
    levels: list[_Level] = []
    at = 0
    pointer = ""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "open":
            levels.append(_Level(pointer, match[0] == "["))
            pointer = levels[-1].next_item()
            continue
        if kind == "close":
            levels.pop()
            continue
        if kind == "comma":
            pointer = levels[-1].next_item()
            continue
        place = pointer
        if kind == "key":
            pointer = f"{levels[-1].pointer}/{_reference_token(match['string'])}"
            place = pointer + "#"
        start, end = match.span("number" if kind == "number" else "string")
        if start < end:
            out.append((text[at:start], None))
            out.append((text[start:end], place))
            at = end
    out.append((text[at:], None))
    return tuple([(stretch, place) for stretch, place in out if stretch])


def _reference_token(body: str) -> str:
    """A key as it stands in JSON, as one reference token of a JSON Pointer."""
    key = str(json.loads(f'"{body}"', strict=False)) if "\\" in body else body
    return key.replace("~", "~0").replace("/", "~1")
