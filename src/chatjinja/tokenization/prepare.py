"""Which adapter a tokenizer needs, and the adapters made so far."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from chatjinja.tokenization.adapters.base import Adapter


class _Prepared(NamedTuple):
    """Adapters by what their callers allow, for a vocabulary of one size."""

    size: int | None
    adapters: dict[frozenset[str], Adapter]


_KEPT = 8
_lock = Lock()
_weak: WeakKeyDictionary[Any, _Prepared] = WeakKeyDictionary()
_strong: dict[int, tuple[Any, _Prepared]] = {}
"""For what has no weak references (``tokenizers`` before 0.23): the last few, which are kept alive."""


def adapter_for(tokenizer: Any, allow: frozenset[str]) -> Adapter:
    """The adapter for a tokenizer, made when it is first needed and kept as long as the tokenizer lives.

    It is made anew when the tokenizer has got more added tokens. Raises TypeError for what is no known kind of
    tokenizer.
    """
    make = _maker(tokenizer)
    if type(tokenizer) is tuple:
        return make(tokenizer, allow)
    size = _vocabulary_size(tokenizer)
    with _lock:
        prepared = _get(tokenizer)
        if prepared is None or prepared.size != size:
            prepared = _Prepared(size, {})
            _put(tokenizer, prepared)
    adapter = prepared.adapters.get(allow)
    if adapter is None:
        adapter = prepared.adapters[allow] = make(tokenizer, allow)
    return adapter


def forget(tokenizer: Any) -> None:
    """Drop what is prepared for a tokenizer, after a change to its added tokens, normalizer or model."""
    with _lock:
        _strong.pop(id(tokenizer), None)
        with suppress(TypeError):
            _weak.pop(tokenizer, None)


def _get(tokenizer: Any) -> _Prepared | None:
    entry = _strong.get(id(tokenizer))
    if entry is not None:
        return entry[1]
    try:
        return _weak.get(tokenizer)
    except TypeError:
        return None


def _put(tokenizer: Any, prepared: _Prepared) -> None:
    try:
        _weak[tokenizer] = prepared
    except TypeError:
        _strong.pop(id(tokenizer), None)
        _strong[id(tokenizer)] = (tokenizer, prepared)
        if len(_strong) > _KEPT:
            del _strong[next(iter(_strong))]


def _vocabulary_size(tokenizer: Any) -> int | None:
    """With added tokens; None for kinds that cannot get any."""
    measure = getattr(getattr(tokenizer, "backend_tokenizer", tokenizer), "get_vocab_size", None)
    return None if measure is None else measure(True)


def _maker(tokenizer: Any) -> Callable[[Any, frozenset[str]], Adapter]:
    """What makes its adapter. Told by names of types, so that nothing is imported that the caller has not."""
    libraries = {base.__module__.partition(".")[0] for base in type(tokenizer).__mro__}
    if type(tokenizer) is tuple:
        from chatjinja.tokenization.adapters.functions import FunctionsAdapter

        return FunctionsAdapter
    if "tokenizers" in libraries and hasattr(tokenizer, "get_added_tokens_decoder"):
        from chatjinja.tokenization.adapters.huggingface import HuggingFaceAdapter

        return HuggingFaceAdapter
    if "transformers" in libraries and hasattr(tokenizer, "backend_tokenizer"):
        from chatjinja.tokenization.adapters.transformers import TransformersAdapter

        return TransformersAdapter
    if "tiktoken" in libraries and hasattr(tokenizer, "encode_ordinary"):
        from chatjinja.tokenization.adapters.tiktoken import TiktokenAdapter

        return TiktokenAdapter
    if "llama_cpp" in libraries and hasattr(tokenizer, "tokenize"):
        from chatjinja.tokenization.adapters.llama_cpp import LlamaCppAdapter

        return LlamaCppAdapter
    if "sentencepiece" in libraries and hasattr(tokenizer, "serialized_model_proto"):
        from chatjinja.tokenization.adapters.pieces import SentencePieceAdapter

        return SentencePieceAdapter
    if "mistral_common" in libraries and hasattr(tokenizer, "special_ids"):
        from chatjinja.tokenization.adapters.pieces import MistralAdapter

        return MistralAdapter
    raise TypeError(_UNKNOWN_KIND.format(type(tokenizer).__qualname__))


_UNKNOWN_KIND = (
    "no tokenizer of a known kind: {}. Known are tokenizers.Tokenizer, fast tokenizers of transformers, "
    "tiktoken.Encoding, llama_cpp.Llama, sentencepiece.SentencePieceProcessor, the tokenizers of mistral_common, and a "
    "tuple (encode, special_tokens)"
)
