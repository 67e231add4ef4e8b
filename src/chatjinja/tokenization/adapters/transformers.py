"""Fast tokenizers of ``transformers``: a Hugging Face tokenizer with more knowledge of its BOS."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from chatjinja.tokenization.adapters.base import Encoded
from chatjinja.tokenization.adapters.huggingface import HuggingFaceAdapter
from chatjinja.tokenization.origins import Origins


class TransformersAdapter:
    """Passes everything on to the tokenizer inside."""

    def __init__(self, tokenizer: Any, allow: Collection[str]) -> None:
        self._inner = HuggingFaceAdapter(tokenizer.backend_tokenizer, allow)
        self._bos_id: int | None = tokenizer.bos_token_id

    def encode(self, tokenizer: Any, origins: Origins) -> Encoded:
        """The ids of a prompt."""
        return self._inner.encode(tokenizer.backend_tokenizer, origins)

    def bos_id(self) -> int | None:
        """``bos_token_id``, or what the post-processor puts first (BERT's [CLS])."""
        return self._inner.bos_id() if self._bos_id is None else self._bos_id

    def added_id(self, text: str) -> int | None:
        """The id of an added token."""
        return self._inner.added_id(text)
