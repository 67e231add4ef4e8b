"""What can go wrong with a tokenizer."""

from __future__ import annotations

from chatjinja.errors import ChatJinjaError


class TokenizerError(ChatJinjaError):
    """A tokenizer cannot be used, or cannot be kept from making a control token of input. The text says which."""
