"""Where two texts part, and how that is shown."""

from __future__ import annotations

import re
from typing import NamedTuple

WIDTH = 40
"""How many characters an excerpt shows on each side of a difference."""
_SHOWN = {" ": "·", "\n": "↵", "\t": "⇥", "\r": "␍"}


def to_bytes(text: str) -> bytes:
    """UTF-8; the surrogate escapes of a cut character become the bytes they stand for."""
    return text.encode("utf-8", "surrogateescape")


def common_prefix(left: bytes, right: bytes) -> int:
    """How many bytes at the start are the same."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def visible(text: str) -> str:
    """Blanks, line ends, control characters and invisible ones as something that can be seen."""
    return "".join(_visible_character(char) for char in text)


def _visible_character(char: str) -> str:
    shown = _SHOWN.get(char)
    if shown is not None:
        return shown
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char if char.isprintable() else char.encode("unicode_escape").decode()


class Excerpt(NamedTuple):
    """The surroundings of the first difference in one text.

    Attributes:
        before: what stands before it, the same in both texts.
        here: what stands there.
        bytes: the differing character in hexadecimal, ``""`` at the end of the text.
    """

    before: str
    here: str
    bytes: str


def excerpt(data: bytes, offset: int) -> Excerpt:
    """The surroundings of the byte at `offset`, never cut inside a character."""
    start = offset
    while start > 0 and start < len(data) and data[start] & 0xC0 == 0x80:
        start -= 1
    before = data[:start].decode("utf-8", "surrogateescape")[-WIDTH:]
    here = data[start : start + 4 * WIDTH].decode("utf-8", "surrogateescape")[:WIDTH]
    return Excerpt(before, here, to_bytes(here[:1]).hex(" "))


_NUMBER_BEFORE = re.compile(r"[-+0-9.eE]*\Z")
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|-?inf|-?nan", re.IGNORECASE)


def number_at(before: str, here: str) -> str | None:
    """The number that reaches over, or touches, the place between `before` and `here`."""
    start = _NUMBER_BEFORE.search(before)
    assert start is not None
    match = _NUMBER.match(start.group() + here)
    return match.group() if match is not None else None
