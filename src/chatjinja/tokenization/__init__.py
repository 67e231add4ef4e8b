"""Token ids of marked prompts, in which only the template can write control tokens."""

from __future__ import annotations

from chatjinja.tokenization.errors import TokenizerError
from chatjinja.tokenization.prepare import forget
from chatjinja.tokenization.result import TokenizedPrompt
from chatjinja.tokenization.safe import tokenize

__all__ = ["TokenizedPrompt", "TokenizerError", "forget", "tokenize"]
