"""Tokenizers of Hugging Face that need care."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tokenizers import AddedToken, NormalizedString, Regex, Tokenizer, decoders, models, normalizers, processors

from chatjinja.tokenization import TokenizerError, forget, tokenize
from tests.tokenization import small
from tests.tokenization.laws import forged
from tests.tokenization.prompts import all_trusted, prompt

S = AddedToken("<s>", special=True, normalized=False)


def texts_of(tokenizer: Any, ids: list[int]) -> list[str]:
    return [tokenizer.id_to_token(id_) for id_ in ids]


# --- how pieces of the vocabulary are spelt that are control tokens ---------------------------------------


@pytest.mark.parametrize(
    "tokenizer",
    [
        small.byte_level([S], pieces=["<s>"]),
        small.metaspace("first", [S], pieces=["<s>"]),
        small.metaspace("always", [S], pieces=["<s>"]),
        small.metaspace("never", [S], pieces=["<s>"]),
    ],
)
def test_a_control_token_that_the_model_knows_as_a_piece(tokenizer: Any) -> None:
    tokenizer.add_special_tokens([S])
    control = tokenizer.token_to_id("<s>")
    for made in (prompt("", "a<s>a"), prompt("", "<s>"), prompt("<", "s>"), prompt("a<s", ">")):
        result = tokenize(made, tokenizer)
        assert control not in result.ids
        assert tokenizer.decode(result.ids).lstrip() == made.text
        assert len(result.offsets) == len(result.ids)
        assert result.offsets[-1][1] == len(made.text)
    assert control in tokenize(prompt("<s>", "a"), tokenizer).ids


def test_offsets_of_a_piece_that_is_not_spelt_as_in_the_text() -> None:
    tokenizer = small.byte_level([AddedToken("Ã©!", special=True)], pieces=["Ã©!"])
    result = tokenize(prompt("", "é!"), tokenizer)
    assert texts_of(tokenizer, result.ids) == ["Ã", "©", "!"]
    assert result.offsets == [(0, 2)] * 3


def test_the_shortest_other_spelling() -> None:
    tokenizer = small.metaspace("never", pieces=["<tok>", "tok>", "<to"])
    tokenizer.add_special_tokens(["<tok>"])
    result = tokenize(prompt("", "<tok>"), tokenizer)
    assert texts_of(tokenizer, result.ids) == ["<", "tok>"]
    assert result.offsets == [(0, 1), (1, 5)]
    assert tokenize(prompt("", "<tok>" * 2), tokenizer).ids == result.ids * 2
    tokenizer = small.metaspace("never", pieces=["<tok>", "tok>", "<", "<tok", ">"])
    tokenizer.add_special_tokens(["<tok>"])
    assert texts_of(tokenizer, tokenize(prompt("", "<tok>"), tokenizer).ids) == ["<", "tok>"]
    tokenizer.add_special_tokens(["tok>"])
    forget(tokenizer)
    assert texts_of(tokenizer, tokenize(prompt("", "<tok>"), tokenizer).ids) == ["<tok", ">"]


def test_a_character_that_is_a_control_token() -> None:
    tokenizer = small.metaspace("never", pieces=["§"])
    tokenizer.add_special_tokens(["§"])
    with pytest.raises(TokenizerError, match="input holds '§', for which this tokenizer has only a control token"):
        tokenize(prompt("", "a§"), tokenizer)
    assert tokenize(all_trusted("a§"), tokenizer).ids[-1] == tokenizer.token_to_id("§")


def test_a_character_that_is_a_control_token_is_spelt_in_bytes() -> None:
    pieces = [f"<0x{byte:02X}>" for byte in range(256)]
    vocab = [("<unk>", 0.0), ("a", -1.0), ("§", -1.0), *((piece, -9.0) for piece in pieces)]
    tokenizer = Tokenizer(models.Unigram(vocab, unk_id=0, byte_fallback=True))
    tokenizer.add_special_tokens(["§"])
    result = tokenize(prompt("", "a§"), tokenizer)
    assert texts_of(tokenizer, result.ids) == ["a", "<0xC2>", "<0xA7>"]
    assert result.offsets == [(0, 1), (1, 2), (1, 2)]


def test_words_that_are_control_tokens() -> None:
    tokenizer = small.words(["tool", S], pieces=["tool", "<s>", "[UNK]x"])
    result = tokenize(prompt("", "a tool <s>"), tokenizer)
    assert not forged(tokenizer, result)
    assert tokenizer.token_to_id("tool") in tokenize(prompt("tool", "a"), tokenizer).ids


def test_models_without_an_unknown_token() -> None:
    tokenizer = Tokenizer(models.Unigram([("a", -1.0), ("<s>", -1.0), *((char, -2.0) for char in "<s>")], unk_id=None))
    tokenizer.add_special_tokens(["<s>"])
    assert texts_of(tokenizer, tokenize(prompt("", "a<s>"), tokenizer).ids) == ["a", "<", "s", ">"]


def test_the_unknown_token_is_no_control_token() -> None:
    tokenizer = small.metaspace("never")
    tokenizer.add_special_tokens(["<unk>"])
    assert tokenize(prompt("", "☃"), tokenizer).ids == tokenizer.encode("☃").ids == [0]
    tokenizer = small.word_piece([AddedToken("[UNK]", special=True)])
    assert tokenize(prompt("", "☃ a"), tokenizer).ids == tokenizer.encode("☃ a").ids


# --- tokens that are plain text -----------------------------------------------------------------------


def test_blanks_and_single_characters_are_free() -> None:
    tokens = [AddedToken(text, normalized=False) for text in ("\n\n", "  ", "☃")]
    tokenizer = small.byte_level([*tokens, S])
    for made in (prompt("<s>a\n", "\nb  \n☃", "  \n\n<s>"), prompt("", "\n\n<s>")):
        result = tokenize(made, tokenizer)
        assert not forged(tokenizer, result)
        assert tokenizer.decode(result.ids, skip_special_tokens=False) == made.text
    made = prompt("<s>a\n", "\nb  \n☃", "  \n\n<s>")
    assert tokenize(made, tokenizer).ids == tokenizer.encode(made.text).ids
    special = small.byte_level([AddedToken("\n\n", special=True, normalized=False)])
    assert not forged(special, tokenize(prompt("", "a\n\n"), special))


def test_a_blank_that_overlaps_a_control_token() -> None:
    tokens = [AddedToken("\n\n", normalized=False), AddedToken("\n<s>", normalized=False)]
    tokenizer = small.byte_level(tokens)
    for text in ("\n\n<s>", "\n\n\n<s>"):
        assert tokenize(all_trusted(text), tokenizer).ids == tokenizer.encode(text).ids


# --- flags -----------------------------------------------------------------------------------------------


def test_a_refused_token_uncovers_a_shorter_one() -> None:
    tokenizer = small.byte_level([AddedToken(text, normalized=False) for text in ("<s>", "<s>x")])
    result = tokenize(prompt("<s>", "x"), tokenizer)
    assert texts_of(tokenizer, result.ids) == ["<s>", "x"]
    assert result.is_input == [False, True]


def test_swallowed_blanks_may_be_input() -> None:
    tokenizer = small.byte_level([AddedToken("<s>", lstrip=True, rstrip=True, normalized=False)])
    result = tokenize(prompt("<s>", "  a ", "<s>"), tokenizer)
    assert texts_of(tokenizer, result.ids) == ["<s>", "a", "<s>"]
    assert result.offsets == [(0, 3), (5, 6), (7, 10)]
    assert result.is_input == [False, True, False]


def test_a_single_word_looks_at_input() -> None:
    tokenizer = small.byte_level([AddedToken("tool", single_word=True, normalized=False)])
    assert tokenizer.token_to_id("tool") not in tokenize(prompt("tool", "box"), tokenizer).ids
    assert tokenizer.token_to_id("tool") in tokenize(prompt("tool", " box"), tokenizer).ids


@pytest.mark.parametrize("text", ["<TOK>", "＜ＴＯＫ＞", "＜tok＞", "<tok>"])
def test_text_that_normalizes_to_a_token(text: str) -> None:
    normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer = small.byte_level([AddedToken("<tok>", normalized=True)], normalizer=normalizer)
    control = tokenizer.token_to_id("<tok>")
    trusted = tokenize(all_trusted(f"a {text}b"), tokenizer)
    assert trusted.ids == tokenizer.encode(f"a {text}b").ids
    assert control in trusted.ids
    assert trusted.offsets[trusted.ids.index(control)] == (2, 2 + len(text))
    for made in (prompt("", text), prompt(text[:2], text[2:]), prompt("", text[:2], text[2:])):
        assert control not in tokenize(made, tokenizer).ids


def test_text_of_another_length_that_normalizes_to_a_token() -> None:
    tokenizer = small.byte_level([AddedToken("<ffi>", normalized=True)], normalizer=normalizers.NFKC())
    result = tokenize(prompt("a", "b", "<ﬃ>", "c"), tokenizer)
    assert texts_of(tokenizer, result.ids) == ["a", "b", "<ffi>", "c"]
    assert result.offsets == [(0, 1), (1, 2), (2, 5), (5, 6)]


def test_a_normalized_token_after_a_prefix_blank() -> None:
    tokenizer = small.blank_prefix([AddedToken("<t>", normalized=True)])
    for text in ("<t>a", "a <t>a", "a<t>"):
        assert tokenize(all_trusted(text), tokenizer).ids == tokenizer.encode(text).ids
    # The blank before the token is not a part of it, so it may be input.
    result = tokenize(prompt("", "a ", "<t>"), tokenizer)
    assert result.ids[-1] == tokenizer.encode(" <t>").ids[-1]
    assert result.offsets[-1] == (2, 5)
    assert not forged(tokenizer, result)


def test_normalized_tokens_that_overlap() -> None:
    words = ("<t>", "<t>x", "t><")
    tokens = [AddedToken(text, normalized=True) for text in words]
    tokens += [AddedToken("tool", single_word=True, normalized=True)]
    tokenizer = small.byte_level(tokens, normalizer=normalizers.Lowercase())
    for text in ("<T><T>X", "TOOL Toolbox tool", "<t><t><"):
        assert tokenize(all_trusted(text), tokenizer).ids == tokenizer.encode(text).ids
    result = tokenize(prompt("<T>", "X<T", "><T>"), tokenizer)
    assert not forged(tokenizer, result)
    assert result.ids.count(tokenizer.token_to_id("<t>")) == 2


def test_many_tokens() -> None:
    words = [f"<{number}>" for number in range(100)]
    tokenizer = small.byte_level([AddedToken(text, normalized=False) for text in ("[A]", "§", *words)])
    text = "[A]<7><77>§<777>[B]"
    assert tokenize(all_trusted(text), tokenizer).ids == tokenizer.encode(text).ids
    assert not forged(tokenizer, tokenize(prompt("<7", "><77><", "8>"), tokenizer))


def test_a_normalizer_written_in_python() -> None:
    class Upper:
        def normalize(self, text: NormalizedString) -> None:
            text.uppercase()

    normalizer = normalizers.Normalizer.custom(Upper())
    tokenizer = small.byte_level([AddedToken("<T>", normalized=True)], normalizer=normalizer)
    assert tokenizer.token_to_id("<T>") in tokenize(all_trusted("a<t>"), tokenizer).ids
    assert tokenizer.token_to_id("<T>") not in tokenize(prompt("", "a<t>"), tokenizer).ids


def test_a_normalizer_that_keeps_nothing() -> None:
    tokenizer = small.byte_level(
        [AddedToken("<s>", normalized=True)], normalizer=normalizers.Replace(Regex("[^<s>]"), "")
    )
    with pytest.raises(TokenizerError, match="no characters are left to mark control tokens with"):
        tokenize(all_trusted("a<s>"), tokenizer)


def test_a_normalizer_that_depends_on_what_stands_there() -> None:
    normalizer = normalizers.Replace(Regex("b[^<].."), "b")
    tokenizer = small.byte_level([AddedToken("<s>", normalized=True)], normalizer=normalizer)
    assert tokenize(all_trusted("a<s>"), tokenizer).ids == tokenizer.encode("a<s>").ids
    with pytest.raises(TokenizerError, match="does not leave control tokens where they are"):
        tokenize(all_trusted("b<s>"), tokenizer)


# --- the copy ------------------------------------------------------------------------------------------


def test_a_text_with_the_letters_of_placeholders() -> None:
    tokenizer = small.byte_level([S])
    text = "".join(map(chr, range(1, 32)))
    made = prompt("<s>", text, "<s>")
    result = tokenize(made, tokenizer)
    assert result.ids == tokenizer.encode(made.text).ids
    assert tokenizer.decode(result.ids, skip_special_tokens=False) == made.text


def test_a_text_of_all_characters() -> None:
    tokenizer = small.byte_level([S])
    text = "".join(map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))))
    with pytest.raises(TokenizerError, match="no characters are left to mark control tokens with"):
        tokenize(prompt("<s>", text), tokenizer)


def test_a_vocabulary_with_gaps() -> None:
    """New tokens would get the ids of pieces."""
    tokenizer = Tokenizer(models.BPE({"<s>": 0, "<tt>": 1, "a": 2, "b": 5, "c": 6, "<": 7}, []))
    tokenizer.add_special_tokens(["<s>", "<tt>"])
    result = tokenize(prompt("<tt>", "abc<s>", "<s>"), tokenizer)
    assert result.ids == [1, 2, 5, 6, 7, 0]
    assert result.offsets == [(0, 4), (4, 5), (5, 6), (6, 7), (7, 8), (10, 13)]


def test_padding_and_truncation_are_ignored() -> None:
    tokenizer = small.byte_level([S])
    tokenizer.enable_truncation(1)
    tokenizer.enable_padding(length=9)
    assert len(tokenize(prompt("<s>", "abc"), tokenizer).ids) == 4


def test_encode_special_tokens_is_ignored() -> None:
    tokenizer = small.byte_level([S])
    tokenizer.encode_special_tokens = True
    assert tokenize(all_trusted("<s>"), tokenizer).ids == [tokenizer.token_to_id("<s>")]


@pytest.mark.parametrize(
    ("template", "bos"), [("<s> $A", "<s>"), ("<s> $A <t>", "<s>"), ("$A <t>", None), ("$A", None)]
)
def test_bos_of_the_post_processor(template: str, bos: str | None) -> None:
    tokenizer = small.byte_level([S, AddedToken("<t>", special=True)])
    special = [(text, tokenizer.token_to_id(text)) for text in ("<s>", "<t>")]
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=special)
    if bos is None:
        with pytest.raises(ValueError, match="BOS"):
            tokenize(all_trusted("a"), tokenizer, add_bos=True)
    else:
        assert tokenize(all_trusted("a"), tokenizer, add_bos=True).ids == [tokenizer.token_to_id(bos), 64]


def test_several_threads() -> None:
    tokenizer = small.byte_level([S, AddedToken("<T>", normalized=True)], normalizer=normalizers.Lowercase())
    made = prompt("<s>", "abc<s>\x01\x02", "<t>" * 50)
    expected = tokenize(made, tokenizer).ids
    with ThreadPoolExecutor(8) as pool:
        assert all(result.ids == expected for result in pool.map(lambda _: tokenize(made, tokenizer), range(200)))


def test_decoder_is_not_needed() -> None:
    tokenizer = small.byte_level([S])
    tokenizer.decoder = decoders.Fuse()
    assert tokenize(prompt("<s>", "a"), tokenizer).ids == [tokenizer.token_to_id("<s>"), tokenizer.token_to_id("a")]
