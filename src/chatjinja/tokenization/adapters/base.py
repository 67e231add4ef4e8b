"""What the adapters have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from chatjinja.tokenization.added import Added, Lexicon, Occurrence, is_plain
from chatjinja.tokenization.origins import Offset, Origins

UNKNOWN = "\U0010fffd \U00012031"
"""Characters that no vocabulary has; some tokenizers drop the first one, which has no meaning to Unicode either."""


class Encoded(NamedTuple):
    """Ids, and how to get at their offsets, which not everybody asks for."""

    ids: list[int]
    offsets: Callable[[], Sequence[Offset]]


class Adapter(Protocol):
    """What was prepared for a tokenizer. It may be used from several threads at once.

    It keeps no reference to the tokenizer itself, so that a cache of adapters keeps none alive.
    """

    def encode(self, tokenizer: Any, origins: Origins) -> Encoded:
        """The ids of a prompt. No control token is among them that the template did not write."""
        ...

    def bos_id(self) -> int | None:
        """The id that the tokenizer itself puts before a text; None if it does not tell."""
        ...

    def added_id(self, text: str) -> int | None:
        """The id of an added token."""
        ...


def freed(tokens: Iterable[Added], allow: Collection[str], special: Collection[int]) -> list[Added]:
    """The tokens, with those free that input may write.

    These are the ones in `allow`, and those that are not `special` and nothing but blanks and line ends, or one
    character: they belong to the vocabulary of ordinary text and only happen to be stored with the markers.
    Raises ValueError if `allow` names what is no added token.
    """
    known = [
        token._replace(free=token.text in allow or (token.id not in special and is_plain(token.text)))
        for token in tokens
        if token.text
    ]
    unknown = set(allow).difference(token.text for token in known)
    if unknown:
        names = ", ".join(sorted(map(repr, unknown)))
        raise ValueError(f"`allow` names what is no added token of this tokenizer: {names}")
    return known


def forbidden_ids(controls: Iterable[Added], unknown: Sequence[int]) -> frozenset[int]:
    """The ids that must not come out of input; `unknown` is what the tokenizer makes of `UNKNOWN`.

    An unknown token says only that a text is unknown, so it is not forbidden.
    """
    return frozenset(token.id for token in controls).difference(unknown)


def regions(origins: Origins, free: bool) -> Sequence[tuple[int, int]]:
    """Where to look for tokens: only in what is trusted, unless some of them are free."""
    return [(0, len(origins.text))] if free else origins.trusted.runs


def leftmost_longest(lexicon: Lexicon, origins: Origins) -> list[Occurrence]:
    """The accepted tokens, for tokenizers that look for all of them at once."""
    free = any(token.free for token in lexicon.tokens.values())
    return lexicon.find(origins.text, regions(origins, free), origins.trusted)


def stay_apart(free: Iterable[Added], controls: Sequence[Added]) -> bool:
    """Whether no free token can touch a control token or change what becomes of one."""
    if any(token.lstrip or token.rstrip or token.single_word for token in free):
        return False
    if any(token.single_word for token in controls):
        return False
    characters = {char for token in free for char in token.text}
    return all(characters.isdisjoint(token.text) for token in controls)
