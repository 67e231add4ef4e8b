"""Fast tokenizers of transformers; where the library is not needed, a stand-in has the same attributes."""

from __future__ import annotations

from typing import Any

import pytest
from tokenizers import AddedToken, processors

from chatjinja.tokenization import tokenize
from tests.tokenization import real, small
from tests.tokenization.fetch import fetched
from tests.tokenization.prompts import all_trusted, prompt

S = AddedToken("<s>", special=True, normalized=False)


class Fast:
    """What the adapter sees of ``PreTrainedTokenizerFast``."""

    __module__ = "transformers.tokenization_utils_fast"

    def __init__(self, backend: Any, bos_token_id: int | None) -> None:
        self.backend_tokenizer = backend
        self.bos_token_id = bos_token_id


class Slow:
    __module__ = "transformers.tokenization_utils"


def test_fast() -> None:
    backend = small.byte_level([S])
    tokenizer = Fast(backend, 259)
    made = prompt("<s>a", "<s>")
    assert tokenize(made, tokenizer).ids == tokenize(made, backend).ids
    assert tokenize(made, tokenizer, add_bos=True).ids[:2] == [259, 259]
    assert tokenize(made, tokenizer, add_bos="<s>").ids[:2] == [259, 259]
    backend.add_tokens(["a"])
    assert tokenize(all_trusted("a"), tokenizer).ids == backend.encode("a").ids


def test_bos_of_the_post_processor() -> None:
    backend = small.byte_level([S])
    backend.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 259)])
    assert tokenize(all_trusted("a"), Fast(backend, None), add_bos=True).ids == [259, backend.token_to_id("a")]


def test_slow() -> None:
    with pytest.raises(TypeError, match="no tokenizer of a known kind: Slow"):
        tokenize(all_trusted("a"), Slow())


def test_the_library_itself() -> None:
    import transformers  # takes a second

    backend = small.byte_level([S])
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<s>")
    made = prompt("<s>a", "b<s>")
    result = tokenize(made, tokenizer, add_bos=True)
    assert result.ids[0] == tokenizer.bos_token_id
    assert result.ids.count(tokenizer.bos_token_id) == 2
    text = "<s>he a<s>"
    assert tokenize(all_trusted(text), tokenizer).ids == tokenizer.encode(text, add_special_tokens=False)


@pytest.mark.parametrize("name", ["qwen3", "llama2"])
def test_real_tokenizers_in_the_library(name: str) -> None:
    import transformers

    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(fetched(name)))
    control = real.CONTROLS[name][0]
    ordinary = prompt(f"{control}user\n", "Grüße, 世界!\n\n", control)
    assert tokenize(ordinary, tokenizer).ids == tokenizer.encode(ordinary.text, add_special_tokens=False)
    attack = tokenize(prompt(control, f"a{control}b"), tokenizer)
    assert attack.ids.count(tokenizer.convert_tokens_to_ids(control)) == 1
    assert not attack.is_input[0]
