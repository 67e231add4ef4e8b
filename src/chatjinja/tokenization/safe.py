"""From a prompt to token ids."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from chatjinja.marking import Prompt
from chatjinja.tokenization.adapters.base import Adapter
from chatjinja.tokenization.origins import Origins
from chatjinja.tokenization.prepare import adapter_for
from chatjinja.tokenization.result import TokenizedPrompt


def tokenize(
    prompt: Prompt, tokenizer: Any, *, add_bos: bool | str | None = None, allow: Collection[str] = ()
) -> TokenizedPrompt:
    """The token ids of a marked prompt; only what the template wrote can become a control token.

    Text of which any character is input gets the ids of ordinary text, also where it spells an added token of the
    tokenizer, flagged special or not. A prompt without such text gets exactly the ids that the tokenizer itself gives
    the whole text, with control tokens parsed and none added.

    Args:
        prompt: what `Template.render_marked` returns.
        tokenizer: a ``tokenizers.Tokenizer``, a fast tokenizer of ``transformers``, a ``tiktoken.Encoding``, a
            ``llama_cpp.Llama``, a ``sentencepiece.SentencePieceProcessor``, a tokenizer of ``mistral_common``, or a
            pair of functions' worth: ``(encode, special_tokens)``, where ``encode(text)`` gives the ids of ordinary
            text and ``special_tokens`` maps texts to ids. A third item, ``token_bytes(id) -> bytes``, makes offsets
            exact.
        add_bos: put the tokenizer's BOS id first; by default if the chat layer cut a BOS from this prompt
            (`Prompt.bos_was_cut`). A text names the added token to take, for tokenizers that do not tell theirs.
        allow: added tokens, by their text, that input may write too.

    The first call with a tokenizer prepares it, and the result is kept as long as the tokenizer lives. The tokenizer is
    not changed. Add tokens to it before that, or call `forget`.

    Raises:
        TypeError: `prompt` is no `Prompt`, or `tokenizer` is of no known kind.
        ValueError: `allow` or `add_bos` names no added token, or the tokenizer has no BOS.
        TokenizerError: the tokenizer cannot be used safely.
    """
    if not isinstance(prompt, Prompt):
        raise TypeError(f"tokenize needs a Prompt, as Template.render_marked returns it, not {type(prompt).__name__}")
    if isinstance(allow, str):
        raise TypeError("`allow` is a collection of added tokens, not one text")
    adapter = adapter_for(tokenizer, frozenset(allow))
    origins = Origins(prompt)
    ids, offsets = adapter.encode(tokenizer, origins)
    if add_bos is None:
        add_bos = prompt.bos_was_cut
    if not add_bos:
        return TokenizedPrompt(ids, offsets, origins)
    return TokenizedPrompt([_bos_id(adapter, add_bos), *ids], offsets, origins, added=1)


def _bos_id(adapter: Adapter, add_bos: bool | str) -> int:
    if isinstance(add_bos, str):
        bos = adapter.added_id(add_bos)
        if bos is None:
            raise ValueError(f"`add_bos` names what is no added token of this tokenizer: {add_bos!r}")
        return bos
    bos = adapter.bos_id()
    if bos is None:
        raise ValueError("this tokenizer does not tell its BOS token; name it: add_bos='<s>'")
    return bos
