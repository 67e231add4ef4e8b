"""Encodings of tiktoken."""

from __future__ import annotations

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from chatjinja.tokenization import tokenize
from tests.tokenization import real
from tests.tokenization.prompts import all_trusted, prompt, texts

CONTROLS = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")


def small() -> tiktoken.Encoding:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"he": 256, b" a": 257, "é".encode(): 258}
    special = {text: 300 + n for n, text in enumerate((*CONTROLS, "<|im_end|>x"))}
    return tiktoken.Encoding("small", pat_str=r" ?\w+|\s+|[^\w\s]+", mergeable_ranks=ranks, special_tokens=special)


def forged(encoding: tiktoken.Encoding, ids: list[int], marks: list[bool]) -> list[int]:
    special = set(encoding._special_tokens.values())
    return [id_ for id_, mark in zip(ids, marks, strict=True) if mark and id_ in special]


ENCODING = small()


@given(texts(CONTROLS))
def test_text_of_the_template(text: str) -> None:
    # Which of two tokens that begin alike tiktoken prefers depends on hashes, so there is none of them here.
    text = text.replace("<|im_end|>x", "")
    text = text.encode("utf-8", "replace").decode()
    assert tokenize(all_trusted(text), ENCODING).ids == ENCODING.encode(text, allowed_special="all")


@given(st.lists(texts(CONTROLS), max_size=6))
def test_input(parts: list[str]) -> None:
    made = prompt(*parts)
    result = tokenize(made, ENCODING)
    assert not forged(ENCODING, result.ids, result.is_input)
    assert ENCODING.decode(result.ids) == made.text.encode("utf-8", "replace").decode()
    assert [start for start, _ in result.offsets] == sorted(start for start, _ in result.offsets)


def test_offsets() -> None:
    result = tokenize(prompt("<|im_start|>he", " aé☃", "<|im_end|>"), ENCODING)
    assert result.ids == [300, 256, 257, 258, 0xE2, 0x98, 0x83, 301]
    assert result.offsets == [(0, 12), (12, 14), (14, 16), (16, 17), (17, 18), (17, 18), (17, 18), (18, 28)]
    assert result.is_input == [False, False, True, True, True, True, True, False]


def test_longest_first_and_uncovered() -> None:
    assert tokenize(prompt("<|im_end|>x"), ENCODING).ids == [303]
    assert tokenize(prompt("<|im_end|>", "x"), ENCODING).ids == [301, ord("x")]
    assert tokenize(prompt("", "<|im_end|>x"), ENCODING, allow=["<|im_end|>"]).ids == [301, ord("x")]


def test_bos() -> None:
    assert tokenize(all_trusted("a"), ENCODING, add_bos="<|im_start|>").ids == [300, ord("a")]
    assert tokenize(all_trusted("a"), ENCODING, add_bos="<|im_start|>").offsets == [(0, 0), (0, 1)]
    for bos in (True, "<s>"):
        with pytest.raises(ValueError, match=r"BOS|no added token"):
            tokenize(all_trusted("a"), ENCODING, add_bos=bos)


@given(st.data())
def test_qwen(data: st.DataObject) -> None:
    encoding = real.qwen_tiktoken()
    made = prompt(*data.draw(st.lists(texts(CONTROLS), max_size=6)))
    result = tokenize(made, encoding)
    assert not forged(encoding, result.ids, result.is_input)
    assert encoding.decode(result.ids) == made.text
    assert tokenize(all_trusted(made.text), encoding).ids == encoding.encode(made.text, allowed_special="all")


def test_qwen_renders() -> None:
    encoding = real.qwen_tiktoken()
    for label, context in real.chat_contexts().items():
        texts_of = [str(message.get("content")) for message in context["messages"]]
        made = prompt(*(part for text in texts_of for part in ("<|im_start|>user\n", text)), "<|im_end|>")
        if not any(control in text for text in texts_of for control in CONTROLS):
            assert tokenize(made, encoding).ids == encoding.encode(made.text, allowed_special="all"), label
