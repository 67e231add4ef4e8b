"""Encodings of ``tiktoken``."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

from chatjinja.tokenization.adapters.base import Encoded, freed, leftmost_longest
from chatjinja.tokenization.adapters.stretchwise import Ordinary, encode_stretches, offsets_by_bytes
from chatjinja.tokenization.added import Added, Lexicon, extents
from chatjinja.tokenization.origins import Offset, Origins


class TiktokenAdapter:
    """Encodes the text between special tokens as ordinary text, which never yields a special token's id.

    A text in which no input spells a special token is encoded in one call, which is faster.
    """

    def __init__(self, encoding: Any, allow: Collection[str]) -> None:
        # Private, but there since the first version, and the public `special_tokens_set` has no ids.
        special_tokens: dict[str, int] = encoding._special_tokens
        tokens = freed((Added(text, id_) for text, id_ in special_tokens.items()), allow, special_tokens.values())
        self._lexicon = Lexicon(tokens)
        self._token_bytes: dict[int, bytes] = {}
        # Of two tokens that begin alike, tiktoken takes one at random.
        ordered = sorted(special_tokens)
        self._is_clear = not any(after.startswith(before) for before, after in pairwise(ordered))
        self._special = re.compile("|".join(map(re.escape, ordered)) or "(?!)")

    def encode(self, tokenizer: Any, origins: Origins) -> Encoded:
        """The ids of a prompt."""
        if self._is_clear and self._is_innocent(origins):
            return self._encode_whole(tokenizer, origins.text)

        def encode(text: str, is_rest: bool) -> Sequence[int]:
            ids: Sequence[int] = tokenizer.encode_ordinary(text)
            return ids

        found = leftmost_longest(self._lexicon, origins)
        ordinary = Ordinary(encode, frozenset(), self._lexicon, tokenizer.decode_single_token_bytes)
        return encode_stretches(origins.text, found, extents(origins.text, found), ordinary)

    def _is_innocent(self, origins: Origins) -> bool:
        """Whether the template wrote all that spells a special token."""
        end = origins.trusted.end
        return all(match.end() <= end(match.start()) for match in self._special.finditer(origins.text))

    def _encode_whole(self, tokenizer: Any, text: str) -> Encoded:
        ids: list[int] = tokenizer.encode(text, allowed_special="all")

        def offsets() -> Sequence[Offset]:
            known = self._token_bytes
            known.update((id_, tokenizer.decode_single_token_bytes(id_)) for id_ in set(ids).difference(known))
            found = offsets_by_bytes(text, 0, [known[id_] for id_ in ids])
            assert found is not None
            return found

        return Encoded(ids, offsets)

    def bos_id(self) -> int | None:
        """None: an encoding does not tell."""
        return None

    def added_id(self, text: str) -> int | None:
        """The id of a special token."""
        token = self._lexicon.tokens.get(text)
        return None if token is None else token.id
