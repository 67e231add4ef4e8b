"""Models of ``llama_cpp.Llama``, of which only the vocabulary is needed (``vocab_only=True``)."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import llama_cpp

from chatjinja.tokenization.adapters.base import UNKNOWN, Encoded, forbidden_ids, freed, regions, stay_apart
from chatjinja.tokenization.adapters.stretchwise import Ordinary, encode_stretches
from chatjinja.tokenization.added import ASCII_SPACE, Added, Lexicon, extents
from chatjinja.tokenization.origins import Origins

_UNKNOWN = llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN
_CONTROL = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL
_PARSED = _UNKNOWN | _CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED
_ANCHOR = "\x01"
"""A byte that merges with nothing; after it llama.cpp puts no blank before a text."""


class LlamaCppAdapter:
    """Encodes the text between special tokens with ``special=False``, and watches for user-defined tokens.

    Those llama.cpp parses all the same.
    """

    def __init__(self, llama: Any, allow: Collection[str]) -> None:
        vocab = llama._model.vocab
        self._size = llama.n_vocab()
        bos = llama_cpp.llama_vocab_bos(vocab)
        self._bos_id = None if bos < 0 else bos
        attributes = {id_: llama_cpp.llama_vocab_get_attr(vocab, id_) for id_ in range(self._size)}
        known = {id_: attribute for id_, attribute in attributes.items() if attribute & _PARSED}
        special = [id_ for id_, attribute in known.items() if attribute & (_UNKNOWN | _CONTROL)]
        tokens = freed(_read_tokens(vocab, known), allow, special)
        self._ids = {token.text: token.id for token in tokens}
        controls = [token for token in tokens if not token.free]
        free = [token for token in tokens if token.free]
        # Free tokens that llama.cpp finds by itself need not be looked for where they cannot touch a control token.
        found_anyway = stay_apart(free, controls) and not any(known[token.id] & (_UNKNOWN | _CONTROL) for token in free)
        self._everywhere = not found_anyway
        self._lexicon = Lexicon(controls if found_anyway else tokens)
        self._controls = Lexicon(controls)
        self._forbidden = forbidden_ids(controls, llama.tokenize(UNKNOWN.encode(), add_bos=False))
        self._anchor = llama.tokenize(_ANCHOR.encode(), add_bos=False)

    def encode(self, tokenizer: Any, origins: Origins) -> Encoded:
        """The ids of a prompt."""
        text = origins.text
        found = self._lexicon.find_longest(text, regions(origins, self._everywhere), origins.trusted, ASCII_SPACE)

        def encode(stretch: str, is_rest: bool) -> Sequence[int]:
            if is_rest:
                ids: list[int] = tokenizer.tokenize((_ANCHOR + stretch).encode(), add_bos=False)
                size = len(self._anchor)
                if ids[:size] == self._anchor:
                    return ids[size:]
            plain: list[int] = tokenizer.tokenize(stretch.encode(), add_bos=False)
            return plain

        def token_bytes(id_: int) -> bytes:
            return _token_bytes(tokenizer._model.vocab, id_)

        ordinary = Ordinary(encode, self._forbidden, self._controls, token_bytes)
        return encode_stretches(text, found, extents(text, found, ASCII_SPACE), ordinary)

    def bos_id(self) -> int | None:
        """The BOS that the model file names."""
        return self._bos_id

    def added_id(self, text: str) -> int | None:
        """The id of a control or user-defined token."""
        return self._ids.get(text)


def _read_tokens(vocab: Any, attributes: dict[int, int]) -> Iterator[Added]:
    for id_, attribute in attributes.items():
        yield Added(
            llama_cpp.llama_vocab_get_text(vocab, id_).decode("utf-8", "replace"),
            id_,
            lstrip=bool(attribute & llama_cpp.LLAMA_TOKEN_ATTR_LSTRIP),
            rstrip=bool(attribute & llama_cpp.LLAMA_TOKEN_ATTR_RSTRIP),
        )


def _token_bytes(vocab: Any, id_: int) -> bytes:
    buffer = ctypes.create_string_buffer(64)
    size = llama_cpp.llama_token_to_piece(vocab, id_, buffer, len(buffer), 0, True)
    if size < 0:
        buffer = ctypes.create_string_buffer(-size)
        size = llama_cpp.llama_token_to_piece(vocab, id_, buffer, len(buffer), 0, True)
    return buffer.raw[:size]
