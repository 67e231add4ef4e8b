"""Comparing prompts, and telling people about them."""

from __future__ import annotations

import re
from typing import NamedTuple

from chatjinja.chat.marks import common_length

_LONGEST = 160
_KEY = re.compile(r"""(['"])(?:text|thinking)\1 ?: ?['"]$""")


def is_data(before: str) -> bool:
    """Whether what follows is printed as the value of a key: a part of a list that is shown as it is."""
    return _KEY.search(before[-16:]) is not None


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text in one line that is not too long."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def quoted(text: str, longest: int = 60) -> str:
    """A text in quotes, its line breaks as escapes; if it is too long, without its middle."""
    if len(text) > longest:
        text = f"{text[: longest // 2]}…{text[-(longest // 2) :]}"
    return repr(text)


class Difference(NamedTuple):
    """What is left of two texts without their common beginning and end."""

    start: int
    left: str
    right: str


def difference(a: str, b: str) -> Difference:
    """Where two texts differ."""
    start = common_length(a, b)
    size = common_length(a[start:][::-1], b[start:][::-1])
    left, right = a[start : len(a) - size], b[start : len(b) - size]
    if bool(left) is not bool(right):
        # What is inserted can also begin earlier, if the same text stands before it: best where a mark begins.
        text = left or right
        for back in range(common_length(text[::-1], a[max(0, start - len(text)) : start][::-1]) + 1):
            moved = text[len(text) - back :] + text[: len(text) - back]
            if moved[0] in "<[":
                return Difference(start - back, moved if left else "", moved if right else "")
    return Difference(start, left, right)


_OPEN_MARK = re.compile(r"[<\[][^<>\[\]\s]{0,40}\Z")


def mark_start(text: str, index: int) -> int:
    """`index`, or if it is within a mark such as ``<think>``, where that begins."""
    mark = _OPEN_MARK.search(text, max(0, index - 41), index)
    return index if mark is None else mark.start()


_FIRST = re.compile(r"(?:[<\[][^<>\[\]\s]{0,40}|[\w-]{1,40})\Z")
_LAST = re.compile(r"[\w-]{0,40}[>\]]?")


def told_change(a: str, b: str) -> str:
    """What makes `b` another text than `a`, in words, with the marks and words that are cut."""
    start, left, right = difference(a, b)
    before = _FIRST.search(a, max(0, start - 41), start)
    begin = start if before is None else before.start()
    after = _LAST.match(a, start + len(left))
    more = 0 if after is None else after.end() - after.start()
    if begin < start or left or not right.endswith((">", "]")):
        left, right = (text[begin : start + len(part) + more] for text, part in ((a, left), (b, right)))
    if not left:
        return f"{quoted(right)} appears"
    return f"{quoted(right)} instead of {quoted(left)}" if right else f"{quoted(left)} disappears"


def rest(text: str, other: str) -> str:
    """What is left of a text without what another begins with, too; no mark is cut."""
    return text[mark_start(text, common_length(text, other)) :]
