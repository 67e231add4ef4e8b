"""The adapter for llama.cpp, with a stand-in for the library, which takes minutes to build."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatjinja.tokenization import tokenize
from tests.tokenization.prompts import all_trusted, prompt, texts

ADAPTER = "chatjinja.tokenization.adapters.llama_cpp"
UNKNOWN, NORMAL, CONTROL, USER_DEFINED, LSTRIP, RSTRIP = 1, 4, 8, 16, 128, 256
BYTES = [bytes([byte]).decode("latin-1") for byte in range(256)]
SPECIAL = {
    "<unk>": UNKNOWN,
    "<s>": CONTROL,
    "<|end|>": CONTROL | LSTRIP | RSTRIP,
    "<think>": USER_DEFINED,
    "\n\n": USER_DEFINED,
    "<s><s><s>": CONTROL,
}
NAMES = [*BYTES, *SPECIAL]
ATTRIBUTES = [*[NORMAL] * 256, *SPECIAL.values()]
IDS = {text: 256 + index for index, text in enumerate(SPECIAL)}


def _to_piece(vocab: Any, id_: int, buffer: Any, size: int, lstrip: int, special: bool) -> int:
    piece = bytes([id_]) if id_ < 256 else NAMES[id_].encode() * vocab.repeat
    if len(piece) > size:
        return -len(piece)
    buffer[: len(piece)] = piece
    return len(piece)


class Llama:
    """A vocabulary of bytes and special tokens, with a blank before each text if `blank`."""

    __module__ = "llama_cpp.llama"

    def __init__(self, blank: bool = False, bos: int = 257, repeat: int = 1) -> None:
        self._model = SimpleNamespace(vocab=SimpleNamespace(bos=bos, repeat=repeat))
        self._blank = blank

    def n_vocab(self) -> int:
        return len(NAMES)

    def tokenize(self, data: bytes, add_bos: bool = True, special: bool = False) -> list[int]:
        parsed = CONTROL | UNKNOWN | USER_DEFINED if special else USER_DEFINED
        fragments: list[bytes | int] = [data]
        for name in sorted(SPECIAL, key=len, reverse=True):
            if SPECIAL[name] & parsed:
                fragments = [piece for old in fragments for piece in _split(old, name)]
        ids = [self._model.vocab.bos] if add_bos else []
        after_special = True
        for fragment in fragments:
            if isinstance(fragment, bytes):
                ids += [32] * (after_special and self._blank) + list(fragment)
            else:
                ids.append(fragment)
            after_special = not isinstance(fragment, bytes)
        return ids


def _split(fragment: bytes | int, name: str) -> Iterator[bytes | int]:
    if isinstance(fragment, int):
        yield fragment
        return
    pieces = fragment.split(name.encode())
    for number, piece in enumerate(pieces):
        if number < len(pieces) - 1 and SPECIAL[name] & LSTRIP:
            piece = piece.rstrip(b" \n\t\r\v\f")
        if number > 0:
            yield IDS[name]
            if SPECIAL[name] & RSTRIP:
                piece = piece.lstrip(b" \n\t\r\v\f")
        if piece:
            yield piece


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the stand-in where the adapter imports the library."""
    module = ModuleType("llama_cpp")
    for name in ("UNKNOWN", "CONTROL", "USER_DEFINED", "LSTRIP", "RSTRIP"):
        setattr(module, f"LLAMA_TOKEN_ATTR_{name}", globals()[name])
    vars(module).update(
        llama_vocab_bos=lambda vocab: vocab.bos,
        llama_vocab_get_attr=lambda vocab, id_: ATTRIBUTES[id_],
        llama_vocab_get_text=lambda vocab, id_: NAMES[id_].encode(),
        llama_token_to_piece=_to_piece,
    )
    monkeypatch.setitem(sys.modules, "llama_cpp", module)
    before = sys.modules.pop(ADAPTER, None)
    yield
    sys.modules.pop(ADAPTER, None)
    if before is not None:
        sys.modules[ADAPTER] = before


def forged(ids: list[int], marks: list[bool]) -> list[str]:
    controls = set(IDS.values()) - {IDS["\n\n"], IDS["<unk>"]}
    return [NAMES[id_] for id_, mark in zip(ids, marks, strict=True) if mark and id_ in controls]


def own(llama: Llama, text: str) -> list[int]:
    return llama.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=True)


CONTROLS = tuple(SPECIAL)


@given(texts(CONTROLS), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_text_of_the_template(text: str, blank: bool) -> None:
    llama = Llama(blank)
    assert tokenize(all_trusted(text), llama).ids == own(llama, text)


@given(st.lists(texts(CONTROLS), max_size=6), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_input(parts: list[str], blank: bool) -> None:
    result = tokenize(prompt(*parts), Llama(blank))
    assert not forged(result.ids, result.is_input)
    assert len(result.offsets) == len(result.ids)


def test_a_user_defined_token_in_input_is_cut_without_a_blank() -> None:
    result = tokenize(prompt("<s>", "a<think>b", "<think>"), Llama(blank=True))
    assert result.ids == [257, *b" a<think>b", IDS["<think>"]]
    assert result.offsets[:3] == [(0, 3), (3, 3), (3, 4)]
    assert result.offsets[-2:] == [(11, 12), (12, 19)]


def test_a_vocabulary_in_which_the_anchor_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a cut piece gets its blank, but is safe all the same."""
    llama = Llama(blank=True)
    plain = llama.tokenize

    def merging(data: bytes, add_bos: bool = True, special: bool = False) -> list[int]:
        return [7, *plain(data[2:], add_bos)] if data[:1] == b"\x01" and data[1:] else plain(data, add_bos, special)

    monkeypatch.setattr(llama, "tokenize", merging)
    result = tokenize(prompt("<s>", "<think>"), llama)
    assert not forged(result.ids, result.is_input)


def test_longest_of_the_whole_text_first() -> None:
    llama = Llama()
    assert tokenize(all_trusted("<s><s><s><s>"), llama).ids == own(llama, "<s><s><s><s>")
    assert tokenize(prompt("<s><s>", "<s>"), llama).ids == [257, 257, *b"<s>"]


def test_allow() -> None:
    llama = Llama()
    made = prompt("", "a<s>\n\n<think>")
    assert tokenize(made, llama, allow=("<s>",)).ids == [ord("a"), 257, IDS["\n\n"], *b"<think>"]
    assert tokenize(made, llama, allow=("<think>",)).ids == [*b"a<s>", IDS["\n\n"], IDS["<think>"]]


def test_bos() -> None:
    assert tokenize(all_trusted("a"), Llama(), add_bos=True).ids == [257, 97]
    assert tokenize(all_trusted("a"), Llama(), add_bos="<|end|>").ids == [258, 97]
    with pytest.raises(ValueError, match="BOS"):
        tokenize(all_trusted("a"), Llama(bos=-1), add_bos=True)


def test_a_long_piece() -> None:
    llama = Llama(repeat=40)
    result = tokenize(prompt("", "a\n\n"), llama)
    assert result.ids == [97, IDS["\n\n"]]
    assert result.offsets == [(0, 3)] * 2
