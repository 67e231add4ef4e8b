"""Texts that stand for accepted tokens.

Hugging Face's tokenizers have no call that encodes a text whose control tokens are already known. So a copy of the
tokenizer, which knows none of the control tokens, gets placeholders instead: a placeholder is as long as the token it
stands for and has the same flags, and the text holds none. The copy then treats everything around a token as the
original does: prefix blanks, swallowed blanks, what is normalised together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from chatjinja.tokenization.added import Added, Occurrence
from chatjinja.tokenization.errors import TokenizerError

_TRIED = 10_000
"""So many characters a normaliser may refuse before it is clear that it keeps none."""


class Flags(NamedTuple):
    """Flags that a token and its placeholder share. Whether it is a word by itself is already known."""

    lstrip: bool
    rstrip: bool
    normalized: bool


class Shape(NamedTuple):
    """What tokens that share a placeholder have in common."""

    flags: Flags
    length: int


def flags_of(token: Added) -> Flags:
    """The flags that matter for what stands around a token."""
    return Flags(token.lstrip, token.rstrip, token.normalized)


class Letters:
    """Characters to make placeholders of: one head for each kind of token, then as many tails as it takes.

    So no placeholder is the start of two others, and none is found inside another.
    """

    def __init__(self, kinds: Sequence[Flags], characters: Sequence[str]) -> None:
        self.spare, self._tail, *heads = characters
        self._heads = dict(zip(kinds, heads, strict=True))
        self._all = characters

    def write(self, shape: Shape) -> str:
        """The placeholder of that shape."""
        return self._heads[shape.flags] + self._tail * (shape.length - 1)

    def are_new_to(self, text: str) -> bool:
        """Whether `text` has none of them."""
        return not any(letter in text for letter in self._all)


def choose_letters(kinds: Sequence[Flags], keeps: Callable[[str], bool], text: str) -> Letters:
    """Letters that are not in `text` and that the normaliser keeps. Raises TokenizerError if there are too few."""
    used = set(text)
    unused = (char for char in _candidates() if char not in used)
    usable = filter(keeps, islice(unused, _TRIED))
    characters = list(islice(usable, len(kinds) + 2))
    if len(characters) < len(kinds) + 2:
        raise TokenizerError("no characters are left to mark control tokens with: text or normalizer take them all")
    return Letters(kinds, characters)


def substitute(text: str, found: Sequence[Occurrence], letters: Letters) -> str:
    """The text with a placeholder for each token; every other character keeps its place."""
    pieces: list[str] = []
    at = 0
    for start, end, token in found:
        pieces += (text[at:start], letters.write(Shape(flags_of(token), end - start)))
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _candidates() -> Iterator[str]:
    """All characters, those first that texts hardly use and that cost least to store."""
    return map(chr, chain(*_CANDIDATES))


_CANDIDATES: tuple[Iterable[int], ...] = (
    range(1, 9),
    range(14, 32),
    range(0xE000, 0xF900),
    # Letters without case: plain text to every normaliser, even to those that drop the ones above.
    range(0x12000, 0x12300),
    range(0xF0000, 0x110000),
    range(33, 0xD800),
    range(0xF900, 0xF0000),
)
