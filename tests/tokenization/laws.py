"""The laws, as questions to a result."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from chatjinja.marking import Prompt
from chatjinja.tokenization import TokenizedPrompt
from chatjinja.tokenization.origins import Origins

UNKNOWN = ("<unk>", "[UNK]")


@lru_cache(maxsize=16)
def control_tokens(tokenizer: Any) -> dict[int, str]:
    """Tokens of a Hugging Face tokenizer that only templates may write.

    Not blanks and single characters, and not the token for what the model does not know.
    """
    return {
        id_: token.content
        for id_, token in tokenizer.get_added_tokens_decoder().items()
        if (token.special or (len(token.content) > 1 and token.content.strip(" \t\n▁")))
        and token.content not in UNKNOWN
    }


def forged(tokenizer: Any, result: TokenizedPrompt) -> list[str]:
    """The control tokens that come from input."""
    controls = control_tokens(tokenizer)
    return [controls[id_] for id_, mark in zip(result.ids, result.is_input, strict=True) if mark and id_ in controls]


def forged_without_marking(tokenizer: Any, encoding: Any, prompt: Prompt) -> list[str]:
    """The control tokens that come from input when the tokenizer gets the bare text."""
    return forged(tokenizer, TokenizedPrompt(encoding.ids, lambda: encoding.offsets, Origins(prompt)))
