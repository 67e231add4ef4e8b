"""llama.cpp itself, where ``llama-cpp-python`` is installed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatjinja.tokenization import tokenize
from tests.tokenization import real
from tests.tokenization.fetch import fetched
from tests.tokenization.prompts import all_trusted, prompt, texts

llama_cpp = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed; it has to be built")
VOCABULARIES = ("llama-spm", "llama-bpe", "qwen2", "phi-3", "bert-bge", "deepseek-llm")


LOADED: dict[str, Any] = {}


@pytest.fixture(autouse=True, scope="module")
def unload() -> Iterator[None]:
    """The library complains about models that Python's end closes."""
    yield
    for llama in LOADED.values():
        llama.close()
    LOADED.clear()


def vocabulary(name: str) -> Any:
    if name not in LOADED:
        LOADED[name] = llama_cpp.Llama(str(fetched(name)), vocab_only=True, verbose=False)
    return LOADED[name]


@cache
def controls(name: str) -> dict[int, str]:
    """Control and user-defined tokens that are more than a character."""
    llama = vocabulary(name)
    vocab = llama._model.vocab
    parsed = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED
    named = {
        id_: llama_cpp.llama_vocab_get_text(vocab, id_).decode()
        for id_ in range(llama.n_vocab())
        if llama_cpp.llama_vocab_get_attr(vocab, id_) & parsed
    }
    return {id_: text for id_, text in named.items() if len(text) > 1 and text.strip() and text != "[UNK]"}


@pytest.mark.parametrize("name", VOCABULARIES)
@settings(max_examples=50)
@given(data=st.data())
def test_laws(name: str, data: st.DataObject) -> None:
    llama = vocabulary(name)
    words = list(controls(name).values())[:8]
    made = prompt(*data.draw(st.lists(texts(words), max_size=6)))
    result = tokenize(made, llama)
    assert not [id_ for id_, mark in zip(result.ids, result.is_input, strict=True) if mark and id_ in controls(name)]
    expected = llama.tokenize(made.text.encode("utf-8", "replace"), add_bos=False, special=True)
    assert tokenize(all_trusted(made.text), llama).ids == expected


@pytest.mark.parametrize("name", VOCABULARIES)
def test_conversations(name: str) -> None:
    llama = vocabulary(name)
    start, end, *_ = controls(name).values()
    for context in real.chat_contexts().values():
        parts = [part for message in context["messages"] for part in (start, str(message.get("content")), end)]
        made = prompt(*(f"{part} " if number % 3 == 2 else part for number, part in enumerate(parts)))
        expected = llama.tokenize(made.text.encode(), add_bos=False, special=True)
        if not any(text in part for part in parts[1::3] for text in controls(name).values()):
            assert tokenize(prompt(*_turns(parts)), llama).ids == llama.tokenize(
                "".join(parts).encode(), add_bos=False, special=True
            )
        assert tokenize(all_trusted(made.text), llama).ids == expected


def _turns(parts: list[str]) -> list[str]:
    """Template and input in turns, from (start, content, end) triples."""
    turns = [""]
    for start, content, end in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        turns[-1] += start
        turns += [content, end]
    return turns


def test_bos() -> None:
    assert tokenize(all_trusted("a"), vocabulary("llama-spm"), add_bos=True).ids[0] == 1
