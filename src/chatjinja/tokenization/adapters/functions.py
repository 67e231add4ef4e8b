"""Any tokenizer, as functions: ``(encode, special_tokens)`` or ``(encode, special_tokens, token_bytes)``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from chatjinja.tokenization.adapters.base import UNKNOWN, Encoded, forbidden_ids, freed, leftmost_longest
from chatjinja.tokenization.adapters.stretchwise import Ordinary, encode_stretches
from chatjinja.tokenization.added import Added, Lexicon, extents
from chatjinja.tokenization.origins import Origins

_FORMS = "a tokenizer given as a tuple is (encode, special_tokens) or (encode, special_tokens, token_bytes)"


class FunctionsAdapter:
    """Encodes the text between special tokens with the function, and checks that it makes none of their ids."""

    def __init__(self, tokenizer: tuple[Any, ...], allow: Collection[str]) -> None:
        encode, special_tokens, token_bytes = _checked(tokenizer)
        tokens = freed((Added(text, id_) for text, id_ in special_tokens.items()), allow, special_tokens.values())
        self._lexicon = Lexicon(tokens)
        controls = [token for token in tokens if not token.free]
        self._ordinary = Ordinary(
            lambda text, is_rest: encode(text),
            forbidden_ids(controls, encode(UNKNOWN)),
            Lexicon(controls),
            token_bytes,
        )

    def encode(self, tokenizer: Any, origins: Origins) -> Encoded:
        """The ids of a prompt."""
        found = leftmost_longest(self._lexicon, origins)
        return encode_stretches(origins.text, found, extents(origins.text, found), self._ordinary)

    def bos_id(self) -> int | None:
        """None: functions do not tell."""
        return None

    def added_id(self, text: str) -> int | None:
        """The id of a special token."""
        token = self._lexicon.tokens.get(text)
        return None if token is None else token.id


def _checked(
    tokenizer: tuple[Any, ...],
) -> tuple[Callable[[str], Sequence[int]], Mapping[str, int], Callable[[int], bytes] | None]:
    if len(tokenizer) not in (2, 3):
        raise TypeError(_FORMS)
    encode, special_tokens, *rest = tokenizer
    if not isinstance(special_tokens, Mapping) or not all(map(callable, (encode, *rest))):
        raise TypeError(_FORMS)
    return encode, special_tokens, rest[0] if rest else None
