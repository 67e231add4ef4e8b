"""For tokenizers that encode plain text by itself: the accepted tokens, and between them one call for each stretch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import NamedTuple

from chatjinja.tokenization.adapters.base import Encoded
from chatjinja.tokenization.added import Lexicon, Occurrence, Runs
from chatjinja.tokenization.errors import TokenizerError
from chatjinja.tokenization.origins import Offset


class Segment(NamedTuple):
    """A stretch of the text that was encoded by itself."""

    start: int
    end: int
    ids: Sequence[int]


class Ordinary(NamedTuple):
    """How a tokenizer encodes ordinary text.

    Attributes:
        encode: the ids of a text. The second argument is True for the rest of a text that was cut: no blank goes
            before it.
        forbidden: ids that must not come out.
        lexicon: texts that could make them.
        token_bytes: what an id stands for, or None if nobody knows.
    """

    encode: Callable[[str, bool], Sequence[int]]
    forbidden: frozenset[int]
    lexicon: Lexicon
    token_bytes: Callable[[int], bytes] | None


def encode_stretches(
    text: str, found: Sequence[Occurrence], taken: Sequence[tuple[int, int]], ordinary: Ordinary
) -> Encoded:
    """The ids of a text in which `found` are the accepted tokens, and `taken` is what they swallow.

    Raises TokenizerError if a text can only be encoded with a forbidden id.
    """
    segments = [Segment(start, end, (token.id,)) for start, end, token in found]
    for start, end in Runs([(0, len(text))] if text else []).without(taken):
        segments += _encode_stretch(text, start, end, ordinary)
    segments.sort(key=lambda segment: segment.start)
    tokens = {start for start, _, _ in found}
    ids = [id_ for segment in segments for id_ in segment.ids]
    return Encoded(ids, partial(_offsets, text, segments, tokens, ordinary.token_bytes))


def _encode_stretch(text: str, start: int, end: int, ordinary: Ordinary) -> list[Segment]:
    ids = ordinary.encode(text[start:end], False)
    if ordinary.forbidden.isdisjoint(ids):
        return [Segment(start, end, ids)]
    cuts = {at + 1 for at, length in _spelt(text, start, end, ordinary.lexicon) if length > 1}
    edges = sorted({start, end} | cuts)
    return [
        segment for first, last in pairwise(edges) for segment in _halve(text, first, last, first > start, ordinary)
    ]


def _spelt(text: str, start: int, end: int, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """Place and length of every spelt token, overlapping ones too."""
    for at in lexicon.places(text, start, end):
        for token in lexicon.spelt_at(text, at, end):
            yield at, len(token.text)


def _halve(text: str, start: int, end: int, is_rest: bool, ordinary: Ordinary) -> Iterator[Segment]:
    """Segments without a forbidden id: smaller and smaller ones where the tokenizer still finds a token."""
    ids = ordinary.encode(text[start:end], is_rest)
    made = [id_ for id_ in ids if id_ in ordinary.forbidden]
    if not made:
        yield Segment(start, end, ids)
    elif end - start > 1:
        middle = (start + end) // 2
        yield from _halve(text, start, middle, is_rest, ordinary)
        yield from _halve(text, middle, end, True, ordinary)
    elif any(token.id in made for token in ordinary.lexicon.spelt_at(text, start, end)):
        raise TokenizerError(f"input holds {text[start]!r}, for which this tokenizer has only a control token")
    else:
        # It is not spelt like a token, so this is how the tokenizer says that it does not know the character.
        yield Segment(start, end, ids)


def _offsets(
    text: str, segments: Iterable[Segment], tokens: Collection[int], token_bytes: Callable[[int], bytes] | None
) -> list[Offset]:
    offsets: list[Offset] = []
    for start, end, ids in segments:
        known = None
        if token_bytes is not None and start not in tokens:
            known = offsets_by_bytes(text[start:end], start, [token_bytes(id_) for id_ in ids])
        offsets += [(start, end)] * len(ids) if known is None else known
    return offsets


def offsets_by_bytes(text: str, start: int, pieces: Sequence[bytes]) -> list[Offset] | None:
    """Offsets of tokens that make up a text, which begins at `start` of the prompt; None if they do not make it up.

    A blank put before it belongs to no character.
    """
    data = text.encode()
    joined = b"".join(pieces)
    if joined not in (data, b" " + data):
        return None
    blank = len(joined) - len(data)
    # To which character, counted from 1, each byte belongs.
    owners = list(accumulate(data.translate(_STARTS_CHARACTER)))
    offsets = []
    at = -blank
    for piece in pieces:
        end = at + len(piece)
        first = owners[at] - 1 if 0 <= at < len(owners) else len(text) * (at > 0)
        last = owners[end - 1] if end > max(at, 0) else first
        offsets.append((start + first, start + last))
        at = end
    return offsets


_STARTS_CHARACTER = bytes(byte & 0xC0 != 0x80 for byte in range(256))
