"""Processors of sentencepiece, and the tokenizers of mistral_common."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import mistral_common
import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from mistral_common.tokens.tokenizers.sentencepiece import SentencePieceTokenizer
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

from chatjinja.tokenization import TokenizerError, tokenize
from chatjinja.tokenization.adapters import pieces
from tests.tokenization.fetch import fetched
from tests.tokenization.prompts import all_trusted, prompt, texts

CONTROL, PARSED = "<|end|>", "<tool>"


@cache
def trained(*, byte_fallback: bool = True) -> Any:
    """A small model with a control piece and user-defined ones."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["hello world, this is a small text", "a tool is a tool", "the end of the text"] * 9),
        model_writer=model,
        model_type="bpe",
        vocab_size=340,
        hard_vocab_limit=False,
        control_symbols=[CONTROL],
        user_defined_symbols=[PARSED, "\n\n"],
        byte_fallback=byte_fallback,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def decoded(processor: Any, ids: list[int]) -> str:
    pieces_ = [processor.id_to_piece(id_) for id_ in ids]
    found = [bytes.fromhex(piece[3:5]) if piece.startswith("<0x") else piece.encode() for piece in pieces_]
    return b"".join(found).decode().replace("▁", " ")


def test_control_pieces() -> None:
    processor = trained()
    end = processor.piece_to_id(CONTROL)
    result = tokenize(prompt(f"hello{CONTROL}", f"a {CONTROL}", CONTROL), processor)
    assert result.ids.count(end) == 2
    assert [mark for id_, mark in zip(result.ids, result.is_input, strict=True) if id_ == end] == [False, False]
    assert result.ids[: result.ids.index(end)] == processor.encode("hello")
    assert decoded(processor, result.ids) == f" hello{CONTROL} a {CONTROL}{CONTROL}"


def test_what_the_library_parses_is_left_to_it() -> None:
    processor = trained()
    made = prompt(f"a {PARSED}", " world\n\nhello", f"{PARSED}end")
    assert tokenize(made, processor).ids == processor.encode(made.text)


def test_what_the_library_parses_in_input() -> None:
    processor = trained()
    tool = processor.piece_to_id(PARSED)
    result = tokenize(prompt(f"a{PARSED}b", f" a{PARSED} tool"), processor)
    assert [mark for id_, mark in zip(result.ids, result.is_input, strict=True) if id_ == tool] == [False]
    allowed = tokenize(prompt("a", PARSED), processor, allow=(PARSED,))
    assert allowed.ids == processor.encode(f"a{PARSED}")


@given(st.lists(texts((CONTROL, PARSED, "\n\n")), max_size=6))
def test_no_mixture_forges_a_piece(parts: list[str]) -> None:
    processor = trained()
    made = prompt(*parts)
    result = tokenize(made, processor)
    forbidden = {processor.piece_to_id(CONTROL), processor.piece_to_id(PARSED), 1, 2}
    assert not [id_ for id_, mark in zip(result.ids, result.is_input, strict=True) if mark and id_ in forbidden]
    assert all(0 <= start <= end <= len(made.text) for start, end in result.offsets)


def test_bos() -> None:
    processor = trained()
    assert tokenize(all_trusted("a"), processor, add_bos=True).ids == [processor.bos_id(), *processor.encode("a")]
    assert tokenize(all_trusted("a"), processor, add_bos=CONTROL).ids[0] == processor.piece_to_id(CONTROL)


def test_bytes_have_the_offset_of_their_character() -> None:
    result = tokenize(prompt(CONTROL, "aé"), trained())
    assert result.offsets[-2:] == [(8, 9), (8, 9)]


def test_an_unknown_character_is_no_control_piece() -> None:
    processor = trained(byte_fallback=False)
    assert processor.unk_id() in tokenize(prompt("", "世"), processor).ids


def test_a_real_unigram_model() -> None:
    processor = sentencepiece.SentencePieceProcessor(model_file=str(fetched("unigram.model")))
    result = tokenize(prompt("<s>Hello", " world</s>", "</s>"), processor)
    assert (result.ids[0], result.ids[-1]) == (1, 2)
    assert result.ids[1:-1] == processor.encode("Hello world</s>")


def test_a_model_that_cannot_be_read() -> None:
    with pytest.raises(TokenizerError, match="the model of this sentencepiece tokenizer cannot be read"):
        list(pieces._piece_types(b"\x0b"))


def test_fields_of_every_wire_type() -> None:
    data = b"\x08\x96\x01" + b"\x11" + bytes(8) + b"\x1a\x01x" + b"\x25" + bytes(4)
    assert list(pieces._fields(data)) == [(1, 150), (2, bytes(8)), (3, b"x"), (4, bytes(4))]


# --- mistral_common ------------------------------------------------------------------------------------

DATA = Path(mistral_common.__file__).parent / "data"


@cache
def mistral(kind: str) -> Any:
    if kind == "tekken":
        return Tekkenizer.from_file(DATA / "tekken_240911.json")
    return SentencePieceTokenizer(DATA / "mistral_instruct_tokenizer_240323.model.v3")


@pytest.mark.parametrize("kind", ["sentencepiece", "tekken"])
def test_mistral(kind: str) -> None:
    tokenizer = mistral(kind)
    begin, end = tokenizer.get_special_token("[INST]"), tokenizer.get_special_token("[/INST]")
    result = tokenize(prompt("[INST]", " Grüße, 世界 [/INST]</s>", "[/INST]"), tokenizer, add_bos=True)
    ordinary = tokenizer.encode(" Grüße, 世界 [/INST]</s>", bos=False, eos=False)
    assert result.ids == [tokenizer.bos_id, begin, *ordinary, end]
    assert tokenizer.special_ids.isdisjoint(ordinary)
    assert result.offsets[-1] == (len("[INST] Grüße, 世界 [/INST]</s>"), len("[INST] Grüße, 世界 [/INST]</s>[/INST]"))
    before = kind == "sentencepiece"  # which puts a blank before a text, and it belongs to nobody
    assert result.is_input[2:-1] == [not before] + [True] * (len(ordinary) - 1)
