"""Libraries that encode ordinary text and know their control pieces: ``sentencepiece`` and ``mistral_common``."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from chatjinja.tokenization.adapters.base import UNKNOWN, Encoded, forbidden_ids, freed, leftmost_longest
from chatjinja.tokenization.adapters.stretchwise import Ordinary, encode_stretches
from chatjinja.tokenization.added import Added, Lexicon, extents
from chatjinja.tokenization.errors import TokenizerError
from chatjinja.tokenization.origins import Origins


class PiecesAdapter(ABC):
    """Encodes the text between control pieces by itself, as both libraries' own chat formats do.

    Pieces that the library parses in any text are left to it, unless input spells one.
    """

    def __init__(self, tokenizer: Any, allow: Collection[str]) -> None:
        controls, parsed = self.control_ids(tokenizer), self.parsed_ids(tokenizer)
        known = [Added(tokenizer.id_to_piece(id_), id_) for id_ in (*controls, *parsed)]
        tokens = freed(known, allow, controls)
        self._lexicon = Lexicon(tokens)
        self._placed = Lexicon(token for token in tokens if token.id not in parsed)
        self._kept_out = Lexicon(token for token in tokens if not token.free)
        self._parsed = Lexicon(token for token in tokens if token.id in parsed and not token.free)
        unknown = self.encode_ordinary(tokenizer, UNKNOWN)
        self._forbidden = forbidden_ids(self._kept_out.tokens.values(), unknown)
        bos = self.model_bos(tokenizer)
        self._bos_id = None if bos < 0 else bos

    @abstractmethod
    def control_ids(self, tokenizer: Any) -> Collection[int]:
        """Ids of what a text can never spell."""

    @abstractmethod
    def parsed_ids(self, tokenizer: Any) -> Collection[int]:
        """Ids of what a text spells wherever it stands."""

    @abstractmethod
    def model_bos(self, tokenizer: Any) -> int:
        """The id of the BOS; negative if there is none."""

    @abstractmethod
    def encode_ordinary(self, tokenizer: Any, text: str) -> Sequence[int]:
        """The ids of a text without control pieces."""

    @abstractmethod
    def token_bytes(self, tokenizer: Any, id_: int) -> bytes:
        """What an id stands for."""

    def encode(self, tokenizer: Any, origins: Origins) -> Encoded:
        """The ids of a prompt."""
        text = origins.text
        is_innocent = self._is_innocent(origins)
        found = leftmost_longest(self._placed if is_innocent else self._lexicon, origins)
        ordinary = Ordinary(
            lambda stretch, is_rest: self.encode_ordinary(tokenizer, stretch),
            frozenset() if is_innocent else self._forbidden,
            self._kept_out,
            lambda id_: self.token_bytes(tokenizer, id_),
        )
        return encode_stretches(text, found, extents(text, found), ordinary)

    def _is_innocent(self, origins: Origins) -> bool:
        """Whether the template wrote all that spells a piece which the library parses."""
        text, end = origins.text, origins.trusted.end
        return all(
            at + len(token.text) <= end(at)
            for at in self._parsed.places(text, 0, len(text))
            for token in self._parsed.spelt_at(text, at, len(text))
        )

    def bos_id(self) -> int | None:
        """The BOS that the model names."""
        return self._bos_id

    def added_id(self, text: str) -> int | None:
        """The id of a control or user-defined piece."""
        token = self._lexicon.tokens.get(text)
        return None if token is None else token.id


_BLANK = "▁"


def _piece_bytes(piece: str) -> bytes:
    return piece.replace(_BLANK, " ").encode()


class SentencePieceAdapter(PiecesAdapter):
    """Processors of ``sentencepiece``. They parse user-defined pieces in any text."""

    def control_ids(self, tokenizer: Any) -> Collection[int]:
        """Control pieces and the unknown one."""
        ids = range(tokenizer.get_piece_size())
        return {id_ for id_ in ids if tokenizer.is_control(id_) or tokenizer.is_unknown(id_)}

    def parsed_ids(self, tokenizer: Any) -> Collection[int]:
        """User-defined pieces. No function of the library tells them, but its model does."""
        kinds = _piece_types(tokenizer.serialized_model_proto())
        return {id_ for id_, kind in enumerate(kinds) if kind == _USER_DEFINED}

    def model_bos(self, tokenizer: Any) -> int:
        """What the model says."""
        bos: int = tokenizer.bos_id()
        return bos

    def encode_ordinary(self, tokenizer: Any, text: str) -> Sequence[int]:
        """One call."""
        ids: list[int] = tokenizer.encode(text)
        return ids

    def token_bytes(self, tokenizer: Any, id_: int) -> bytes:
        """The piece, or the byte."""
        piece: str = tokenizer.id_to_piece(id_)
        return bytes([int(piece[3:5], 16)]) if tokenizer.is_byte(id_) else _piece_bytes(piece)


class MistralAdapter(PiecesAdapter):
    """Tokenizers of ``mistral_common``, the ones of sentencepiece and Tekken."""

    def control_ids(self, tokenizer: Any) -> Collection[int]:
        """All special tokens."""
        ids: set[int] = tokenizer.special_ids
        return ids

    def parsed_ids(self, tokenizer: Any) -> Collection[int]:
        """None: the library never parses its tokens."""
        return ()

    def model_bos(self, tokenizer: Any) -> int:
        """What the model says."""
        bos: int = tokenizer.bos_id
        return bos

    def encode_ordinary(self, tokenizer: Any, text: str) -> Sequence[int]:
        """One call."""
        ids: list[int] = tokenizer.encode(text, bos=False, eos=False)
        return ids

    def token_bytes(self, tokenizer: Any, id_: int) -> bytes:
        """Tekken's bytes, or the piece of sentencepiece."""
        if hasattr(tokenizer, "id_to_byte_piece"):
            known: bytes = tokenizer.id_to_byte_piece(id_)
            return known
        piece: str = tokenizer.id_to_piece(id_)
        return bytes([int(piece[3:5], 16)]) if _BYTE.fullmatch(piece) else _piece_bytes(piece)


_BYTE = re.compile("<0x[0-9A-F]{2}>")

# --- the types of sentencepiece's pieces -----------------------------------------------------------------

_USER_DEFINED = 4
_PIECES, _TYPE = 1, 3


def _piece_types(model: bytes) -> Iterator[int]:
    """The type of each piece of a serialized ``ModelProto``."""
    for number, value in _fields(model):
        if number == _PIECES and isinstance(value, bytes):
            yield next((kind for field, kind in _fields(value) if field == _TYPE and isinstance(kind, int)), 1)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Numbers and values of the fields of a message in protobuf's wire format."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        wire = tag & 7
        value: int | bytes
        if wire == 0:
            value, at = _varint(data, at)
        elif wire in _FIXED:
            value, at = data[at : at + _FIXED[wire]], at + _FIXED[wire]
        elif wire == 2:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            raise TokenizerError("the model of this sentencepiece tokenizer cannot be read")
        yield tag >> 3, value


_FIXED = {1: 8, 5: 4}


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
