"""Every mixture of flags of added tokens, against the library itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import assume, given
from hypothesis import strategies as st
from tokenizers import AddedToken, Encoding, Tokenizer, normalizers

from chatjinja.marking import Prompt
from chatjinja.tokenization import tokenize
from tests.tokenization import small
from tests.tokenization.laws import forged, forged_without_marking
from tests.tokenization.prompts import all_trusted, prompts, texts

CONTENTS = (
    "<s>",
    "<s>x",
    "s>a",
    "tool",
    "toolbox",
    "[A]",
    " <b>",
    "<b> ",
    "<s><s>",
    "é!",
    "ax",
    "\n\n",
    "<ﬁ>",
    "\n<c>",
)
NORMALIZERS = {
    "none": None,
    "nothing": normalizers.Sequence([]),
    "lower-case": normalizers.Lowercase(),
    "NFKC": normalizers.NFKC(),
    "NFC": normalizers.NFC(),
    "BERT": normalizers.BertNormalizer(),
    "prepend": normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
    "strip": normalizers.Strip(),
}


def added_tokens() -> st.SearchStrategy[list[AddedToken]]:
    flag = st.booleans()
    token = st.builds(
        AddedToken,
        st.sampled_from(CONTENTS),
        lstrip=flag,
        rstrip=flag,
        single_word=flag,
        normalized=flag,
        special=flag,
    )
    return st.lists(token, max_size=6, unique_by=lambda token: token.content)


def tokenizers() -> st.SearchStrategy[Tokenizer]:
    makers: list[Callable[[Sequence[AddedToken]], Tokenizer]] = [
        small.blank_prefix,
        lambda tokens: small.metaspace("first", tokens),
        lambda tokens: small.metaspace("always", tokens),
        lambda tokens: small.metaspace("never", tokens, pieces=["<s>", "tool"]),
        small.word_piece,
    ]
    for normalizer in NORMALIZERS.values():
        makers.append(lambda tokens, n=normalizer: small.byte_level(tokens, normalizer=n))  # type: ignore[misc]
        makers.append(lambda tokens, n=normalizer: small.byte_level(tokens, normalizer=n, pieces=["<s>", "[A]"]))  # type: ignore[misc]
    made = st.builds(lambda make, tokens: make(tokens), st.sampled_from(makers), added_tokens())
    return made.filter(lambda tokenizer: not has_empty_token(tokenizer))


def has_empty_token(tokenizer: Tokenizer) -> bool:
    """Whether nothing remains of a token in the normalised text. The library then finds it anywhere, or panics."""
    return tokenizer.normalizer is not None and any(
        token.normalized and not tokenizer.normalizer.normalize_str(token.content)
        for token in tokenizer.get_added_tokens_decoder().values()
    )


def own(tokenizer: Tokenizer, text: str) -> Encoding:
    """What the tokenizer itself makes of a text; the library panics where the tokens around a blank overlap."""
    try:
        return tokenizer.encode(text, add_special_tokens=False)
    except BaseException as error:
        assume(type(error).__name__ != "PanicException")
        raise


@given(tokenizers(), texts(CONTENTS))
def test_text_of_the_template_is_encoded_as_the_tokenizer_does(tokenizer: Tokenizer, text: str) -> None:
    expected = own(tokenizer, text)
    assert tokenize(all_trusted(text), tokenizer).ids == expected.ids


@given(tokenizers(), prompts(CONTENTS))
def test_no_control_token_comes_from_input(tokenizer: Tokenizer, prompt: Prompt) -> None:
    result = tokenize(prompt, tokenizer)
    assert not forged(tokenizer, result)
    assert len(result.offsets) == len(result.ids)


@given(tokenizers(), prompts(CONTENTS))
def test_a_prompt_without_forged_tokens_is_encoded_as_the_tokenizer_does(tokenizer: Tokenizer, prompt: Prompt) -> None:
    encoding = own(tokenizer, prompt.text)
    assume(not forged_without_marking(tokenizer, encoding, prompt))
    assert tokenize(prompt, tokenizer).ids == encoding.ids
