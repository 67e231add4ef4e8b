"""Other ids for ordinary text that a model would turn into the id of a control token.

Many vocabularies hold the control tokens among the ordinary pieces. Most models cannot put them together, because no
merge leads there; some can: Unigram, WordLevel, BPE with ``ignore_merges``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from chatjinja.tokenization.adapters.base import UNKNOWN, Encoded
from chatjinja.tokenization.added import Added
from chatjinja.tokenization.errors import TokenizerError
from chatjinja.tokenization.origins import Offset, Origins


class Spelling(NamedTuple):
    """The ids of two parts of a piece, and how many characters these have."""

    first: list[int]
    second: list[int]
    first_length: int
    second_length: int


class Respeller:
    """Finds the ids of control tokens that come from ordinary text of the input, and spells them with other pieces.

    The model's own unknown token is left alone: it says only that a text is unknown.
    """

    def __init__(self, model: Any, controls: Iterable[Added]) -> None:
        self._model = model
        self._risky = {token.id for token in controls if model.id_to_token(token.id) is not None}
        self._risky -= _unknown_ids(model)
        self._known: dict[str, Spelling] = {}

    def replacements(self, encoding: Any, origins: Origins) -> Mapping[int, Spelling]:
        """Other spellings by place in `encoding`. Raises TokenizerError if there is none for one of them."""
        ids = encoding.ids
        if self._risky.isdisjoint(ids):
            return {}
        places = [place for place, id_ in enumerate(ids) if id_ in self._risky]
        offsets = encoding.offsets
        marks = origins.is_input([offsets[place] for place in places])
        tokens = encoding.tokens
        return {place: self._spell(tokens[place]) for place, mark in zip(places, marks, strict=True) if mark}

    def _spell(self, piece: str) -> Spelling:
        known = self._known.get(piece)
        if known is None:
            known = self._known[piece] = self._new_spelling(piece)
        return known

    def _new_spelling(self, piece: str) -> Spelling:
        best: Spelling | None = None
        for length in range(1, len(piece)):
            first, second = self._ids(piece[:length]), self._ids(piece[length:])
            if self._risky.isdisjoint(first) and self._risky.isdisjoint(second):
                spelling = Spelling(first, second, length, len(piece) - length)
                if best is None or len(first) + len(second) < len(best.first) + len(best.second):
                    best = spelling
        if best is None:
            best = self._in_bytes(piece)
        if best is None:
            raise TokenizerError(f"input holds {piece!r}, for which this tokenizer has only a control token")
        return best

    def _ids(self, text: str) -> list[int]:
        return [token.id for token in self._model.tokenize(text)]

    def _in_bytes(self, piece: str) -> Spelling | None:
        ids = [self._model.token_to_id(f"<0x{byte:02X}>") for byte in piece.encode()]
        return None if None in ids else Spelling(ids, [], len(piece), 0)


def _unknown_ids(model: Any) -> set[int]:
    if hasattr(model, "unk_token"):
        return {model.token_to_id(model.unk_token)} if model.unk_token else set()
    try:
        return {token.id for token in model.tokenize(UNKNOWN)}
    except Exception:  # the library raises no narrower type; it means that there is no unknown token
        return set()


def apply(encoded: Encoded, spellings: Mapping[int, Spelling]) -> Encoded:
    """The ids with other spellings put in."""
    if not spellings:
        return encoded
    ids: list[int] = []
    for place, id_ in enumerate(encoded.ids):
        spelling = spellings.get(place)
        if spelling is None:
            ids.append(id_)
        else:
            ids += spelling.first + spelling.second

    def offsets() -> Sequence[Offset]:
        known: list[Offset] = []
        for place, (start, end) in enumerate(encoded.offsets()):
            spelling = spellings.get(place)
            if spelling is None:
                known.append((start, end))
            else:
                known += _halves(start, end, spelling)
        return known

    return Encoded(ids, offsets)


def _halves(start: int, end: int, spelling: Spelling) -> list[Offset]:
    """Offsets of a spelling. Of a piece that is not spelt as in the text, each id has the whole range."""
    exact = end - start == spelling.first_length + spelling.second_length
    middle = start + spelling.first_length
    first, second = ((start, middle), (middle, end)) if exact else ((start, end), (start, end))
    return [first] * len(spelling.first) + [second] * len(spelling.second)
