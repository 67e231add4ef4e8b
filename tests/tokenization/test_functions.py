"""Tokenizers given as functions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatjinja.tokenization import TokenizerError, tokenize
from tests.tokenization.prompts import all_trusted, prompt, texts

SPECIAL = {"<s>": 300, "<tool>": 301}


def as_bytes(text: str) -> list[int]:
    return list(text.encode())


def one_byte(id_: int) -> bytes:
    return bytes([id_])


@given(st.lists(texts(tuple(SPECIAL)), max_size=6))
def test_bytes(parts: list[str]) -> None:
    made = prompt(*parts)
    result = tokenize(made, (as_bytes, SPECIAL, one_byte))
    assert not [id_ for id_, mark in zip(result.ids, result.is_input, strict=True) if mark and id_ >= 300]
    names = {id_: text.encode() for text, id_ in SPECIAL.items()}
    assert b"".join(names.get(id_) or bytes([id_]) for id_ in result.ids) == made.text.encode("utf-8", "replace")
    assert all(made.text[start:end] for start, end in result.offsets)


def test_offsets_without_token_bytes_are_those_of_the_stretch() -> None:
    result = tokenize(prompt("<s>a", "bé", "<s>"), (as_bytes, SPECIAL))
    assert result.ids == [300, 97, 98, 0xC3, 0xA9, 300]
    assert result.offsets == [(0, 3), *[(3, 6)] * 4, (6, 9)]
    assert result.is_input == [False, True, True, True, True, False]


def test_offsets_after_a_prefix_blank() -> None:
    result = tokenize(prompt("<s>", "ab"), (lambda text: as_bytes(" " + text), SPECIAL, one_byte))
    assert result.ids == [300, 32, 97, 98]
    assert result.offsets == [(0, 3), (3, 3), (3, 4), (4, 5)]


def test_offsets_of_a_text_that_gets_lost() -> None:
    result = tokenize(prompt("<s>", "AB"), (lambda text: as_bytes(text.lower()), SPECIAL, one_byte))
    assert result.offsets == [(0, 3), (3, 5), (3, 5)]


def test_tokens_without_bytes() -> None:
    result = tokenize(
        all_trusted("ab"), (lambda text: [400, *as_bytes(text)], {}, lambda id_: bytes([id_])[:1] if id_ < 256 else b"")
    )
    assert result.offsets == [(0, 0), (0, 1), (1, 2)]


def careless(text: str) -> list[int]:
    """Parses special tokens wherever they stand, whatever case they have."""
    ids: list[int] = []
    while text:
        found = next((name for name in SPECIAL if text.lower().startswith(name)), None)
        ids.append(ord(text[0]) if found is None else SPECIAL[found])
        text = text[1 if found is None else len(found) :]
    return ids


@pytest.mark.parametrize(
    "text", ["<s>", "a<s>b", "<s><s>", "<tool><s>", "<<s>>", "<S>", "abc<TOOL>def<s>", "x" * 20 + "<Tool>"]
)
def test_a_function_that_parses_special_tokens(text: str) -> None:
    result = tokenize(prompt("", text), (careless, SPECIAL))
    assert "".join(map(chr, result.ids)) == text
    assert tokenize(prompt("<s>a", text), (careless, SPECIAL)).ids == [300, 97, *map(ord, text)]


def test_a_character_that_is_a_special_token() -> None:
    with pytest.raises(TokenizerError, match="input holds '§', for which this tokenizer has only a control token"):
        tokenize(prompt("", "a§"), (lambda text: [300 if char == "§" else ord(char) for char in text], {"§": 300}))


def test_the_unknown_token_is_no_control_token() -> None:
    def encode(text: str) -> list[int]:
        return [ord(char) if char.isascii() else 0 for char in text]

    assert tokenize(prompt("", "aé"), (encode, {"<unk>": 0})).ids == [97, 0]


def test_a_character_that_only_sometimes_is_unknown() -> None:
    """Not the characters by which the adapter learns what is unknown."""

    def encode(text: str) -> list[int]:
        return [0 if char == "é" else ord(char) for char in text]

    assert tokenize(prompt("", "aéb"), (encode, {"<unk>": 0})).ids == [97, 0, 98]


def test_bos() -> None:
    assert tokenize(all_trusted("a"), (as_bytes, SPECIAL), add_bos="<s>").ids == [300, 97]
    for bos in (True, "<x>"):
        with pytest.raises(ValueError, match=r"BOS|no added token"):
            tokenize(all_trusted("a"), (as_bytes, SPECIAL), add_bos=bos)


@pytest.mark.parametrize(
    "form", [(), (as_bytes,), (as_bytes, ["<s>"]), (1, {}), (as_bytes, {}, 5), (as_bytes, {}, one_byte, 1)]
)
def test_other_tuples(form: Any) -> None:
    with pytest.raises(TypeError, match=r"a tokenizer given as a tuple is \(encode, special_tokens\) or"):
        tokenize(all_trusted("a"), form)
