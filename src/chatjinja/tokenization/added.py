"""Added tokens, and where a text may spell them.

An added token is what a tokenizer looks for in the text before its model sees it: control tokens, but also markers
that are not flagged special, such as ``<think>``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from typing import NamedTuple
from unicodedata import category

WHITE_SPACE = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000").union(
    map(chr, range(0x2000, 0x200B))
)
"""Unicode's White_Space, which is what ``lstrip`` and ``rstrip`` mean; `str.isspace` has four more."""
ASCII_SPACE = frozenset(" \t\n\v\f\r")
_FEW = 64
_BLANKS = frozenset(" \t\n\v\f\r▁")
_WORD_CATEGORIES = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"))

_MORE_WORD = (("\u200c", "\u200d"), ("Ⓐ", "ⓩ"), ("🄰", "🅉"), ("🅐", "🅩"), ("🅰", "🆉"))
"""Joiners, and the symbols that count as letters."""


class Added(NamedTuple):
    """An added token.

    Attributes:
        text: how it is spelt.
        id: the id it gets.
        free: input may write it too.
        lstrip, rstrip: it swallows the white space on that side.
        single_word: it is none beside a letter or digit.
        normalized: it is looked for in the normalised text, and only between the tokens that are not.
    """

    text: str
    id: int
    free: bool = False
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False


class Occurrence(NamedTuple):
    """An accepted token: ``text[start:end]``."""

    start: int
    end: int
    token: Added


class Runs:
    """Stretches of a text, in order, that do not touch."""

    def __init__(self, runs: Sequence[tuple[int, int]]) -> None:
        self.runs = runs
        self._starts = [start for start, _ in runs]

    def end(self, at: int) -> int:
        """End of the run that holds the character at `at`; `at` if none does."""
        index = bisect_right(self._starts, at) - 1
        return max(at, self.runs[index][1]) if index >= 0 else at

    def without(self, gaps: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """What remains of the runs without `gaps`, which are in order and do not overlap."""
        remaining = []
        pending = iter(gaps)
        gap = next(pending, None)
        for start, end in self.runs:
            at = start
            while gap is not None and gap[0] < end:
                if gap[0] > at:
                    remaining.append((at, gap[0]))
                at = max(at, gap[1])
                if gap[1] > end:
                    break
                gap = next(pending, None)
            if at < end:
                remaining.append((at, end))
        return remaining


class Lexicon:
    """Added tokens, to be found in texts."""

    def __init__(self, tokens: Iterable[Added]) -> None:
        self.tokens = {token.text: token for token in tokens}
        lengths: dict[str, set[int]] = {}
        for text in self.tokens:
            lengths.setdefault(text[0], set()).add(len(text))
        self._lengths = {first: sorted(known, reverse=True) for first, known in lengths.items()}
        self._beginning = re.compile(_beginnings(self.tokens))

    def spelt_at(self, text: str, at: int, end: int) -> Iterator[Added]:
        """The tokens that ``text[at:end]`` starts with, the longest first."""
        for length in self._lengths.get(text[at], ()):
            if at + length <= end:
                token = self.tokens.get(text[at : at + length])
                if token is not None:
                    yield token

    def places(self, text: str, start: int, end: int) -> Iterator[int]:
        """Where a token may start in ``text[start:end]``, in order; not all of these places have one."""
        while match := self._beginning.search(text, start, end):
            yield match.start()
            start = match.start() + 1

    def find(
        self, text: str, regions: Iterable[tuple[int, int]], trusted: Runs, edges: Container[int] = ()
    ) -> list[Occurrence]:
        """The tokens in `regions`: from left to right, the longest first, as tokenizers do it.

        A token counts only if it is free or `trusted` holds it whole; one that does not count hides no other.
        `edges` are places at which a word ends, whatever stands there.
        """
        found: list[Occurrence] = []
        swallowed = Swallowed(text, edges)
        search = self._beginning.search
        for start, end in regions:
            while match := search(text, start, end):
                at = match.start()
                start = at + 1
                limit = trusted.end(at)
                for token in self.spelt_at(text, at, end):
                    stop = at + len(token.text)
                    if stop > limit and not token.free:
                        continue
                    start = stop
                    occurrence = Occurrence(at, stop, token)
                    alone = not token.single_word or stands_alone(text, at, stop, edges)
                    if alone and swallowed.leaves(occurrence):
                        found.append(occurrence)
                    break
        return found

    def find_longest(
        self, text: str, regions: Iterable[tuple[int, int]], trusted: Runs, blanks: Container[str] = WHITE_SPACE
    ) -> list[Occurrence]:
        """The tokens in `regions`: the longest ones of the whole text first, as llama.cpp does it. See `find`."""
        candidates = [
            (-len(token.text.encode()), token.id, at, token)
            for start, end in regions
            for at in self.places(text, start, end)
            for token in self.spelt_at(text, at, end)
            if token.free or at + len(token.text) <= trusted.end(at)
        ]
        candidates.sort()
        taken = bytearray(len(text) + 1)
        found: list[Occurrence] = []
        for _, _, at, token in candidates:
            stop = at + len(token.text)
            if 1 in taken[at:stop]:
                continue
            occurrence = Occurrence(at, stop, token)
            start, end = extent(text, occurrence, blanks)
            taken[start:end] = b"\1" * (end - start)
            found.append(occurrence)
        return sorted(found)


def extent(
    text: str, occurrence: Occurrence, blanks: Container[str] = WHITE_SPACE, edges: Container[int] = ()
) -> tuple[int, int]:
    """What a token takes from the text, with the white space that it swallows, which ends at `edges`."""
    start, end, token = occurrence
    if token.lstrip:
        while start > 0 and start not in edges and text[start - 1] in blanks:
            start -= 1
    if token.rstrip:
        while end < len(text) and end not in edges and text[end] in blanks:
            end += 1
    return start, end


class Swallowed:
    """How far a text is swallowed, from token to token."""

    def __init__(self, text: str, edges: Container[int] = ()) -> None:
        self._text = text
        self._edges = edges
        self._end = 0

    def leaves(self, occurrence: Occurrence) -> bool:
        """Whether the next token exists. Of a blank that the one before swallowed, ``lstrip`` leaves nothing."""
        token = occurrence.token
        if not token.lstrip and not token.rstrip:
            return True
        end = extent(self._text, occurrence, edges=self._edges)[1]
        left = not token.lstrip or end > self._end
        self._end = max(self._end, end)
        return left


def extents(text: str, found: Iterable[Occurrence], blanks: Container[str] = WHITE_SPACE) -> list[tuple[int, int]]:
    """What all the tokens take from the text, in order; a blank that two of them swallow goes to the first."""
    taken: list[tuple[int, int]] = []
    floor = 0
    for occurrence in found:
        start, end = extent(text, occurrence, blanks)
        taken.append((max(start, floor), max(end, floor)))
        floor = taken[-1][1]
    return taken


def _beginnings(texts: Collection[str]) -> str:
    """A pattern for where one of the texts may start: exact if they are few, else their first two characters."""
    if len(texts) <= _FEW:
        return "|".join(map(re.escape, texts)) or "(?!)"
    second: dict[str, set[str]] = {}
    for text in texts:
        second.setdefault(text[0], set()).add(text[1:2])
    return "|".join(
        re.escape(first) + ("" if "" in known else f"[{re.escape(''.join(sorted(known)))}]")
        for first, known in second.items()
    )


def is_plain(text: str) -> bool:
    """Whether a token is one character, or nothing but blanks and line ends."""
    return len(text) == 1 or _BLANKS.issuperset(text)


def stands_alone(text: str, start: int, end: int, edges: Container[int] = ()) -> bool:
    """Whether no letter or digit stands beside ``text[start:end]``."""
    before = start == 0 or start in edges or not _is_word(text[start - 1])
    return before and (end == len(text) or end in edges or not _is_word(text[end]))


def _is_word(char: str) -> bool:
    """``\\w`` as Unicode defines it; Python's own has no combining marks."""
    return category(char) in _WORD_CATEGORIES or any(first <= char <= last for first, last in _MORE_WORD)
