"""Assistant masks: as transformers has them, and right where it is wrong."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from chatjinja import ApplyError, Environment
from chatjinja.integrations import apply_chat_template
from chatjinja.integrations.masks import token_mask
from chatjinja.source import Span
from tests.integrations.support import ASSISTANT, CHATML, FORGED, USER, ours, plain, theirs, tokenizer

CHAT = [USER, ASSISTANT, USER, {"role": "assistant", "content": "he a Öl"}]
BATCH = [CHAT, [FORGED, ASSISTANT]]
MARKED = (
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}"
    "{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}{% else %}{{ m.content }}<|im_end|>{% endif %}\n"
    "{% endfor %}"
)
GENERATED = ["Hi, a  a<|im_end|>", "he a Öl<|im_end|>"]
"""What the model wrote in `CHAT`."""

OUT_OF_THE_WAY: dict[str, str] = {
    "macro": "{% macro say(m) %}[{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}]{% endmacro %}"
    "{% for m in messages %}{{ say(m) if m.role == 'assistant' else m.content }}{% endfor %}",
    "set block": "{% for m in messages %}{% if m.role == 'assistant' %}{% set all %}long before: "
    "{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}{% endset %}{{ all }}"
    "{% else %}{{ m.content }}{% endif %}{% endfor %}",
    "filter block": "{% filter replace('#', '##') %}{% for m in messages %}# {% if m.role == 'assistant' %}"
    "{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}{% else %}{{ m.content }}{% endif %}{% endfor %}"
    "{% endfilter %}",
    "nested": "{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{% generation %}{{ m.content }}"
    "{% endgeneration %}<|im_end|>{% endgeneration %}{% else %}{{ m.content }}{% endif %}{% endfor %}",
    "call block": "{% macro frame() %}({{ caller() }}){% endmacro %}{% for m in messages %}"
    "{% if m.role == 'assistant' %}{% call frame() %}{% generation %}{{ m.content }}<|im_end|>"
    "{% endgeneration %}{% endcall %}"
    "{% else %}{{ m.content }}{% endif %}{% endfor %}",
    "printed later": "{% set all = namespace(text='') %}{% for m in messages %}{% if m.role == 'assistant' %}"
    "{% set one %}{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}{% endset %}"
    "{% set all.text = all.text ~ one ~ '\\n' %}{% endif %}{% endfor %}Answers:\n{{ all.text }}",
}


def masked(subject: Any, result: Any) -> list[str]:
    """The texts of the stretches of tokens that a mask marks."""
    found: list[str] = []
    before = 0
    for id_, flag in zip(result["input_ids"], result["assistant_masks"], strict=True):
        if flag and not before:
            found.append("")
        if flag:
            found[-1] += "\0" + str(id_)
        before = flag
    return [subject.decode([int(id_) for id_ in text[1:].split("\0")]) for text in found]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"padding": True},
        {"padding": "max_length", "max_length": 120},
        {"truncation": True, "max_length": 60},
        {"padding": True, "return_tensors": "np"},
        {"truncation": True, "max_length": 20, "padding": True, "return_tensors": "np"},
        {"tokenizer_kwargs": {"return_offsets_mapping": True}},
    ],
)
@pytest.mark.parametrize("side", ["left", "right"])
def test_as_transformers(arguments: dict[str, Any], side: str) -> None:
    subject = tokenizer(MARKED, padding_side=side, truncation_side=side)
    for conversation in (CHAT, BATCH):
        call = {"return_assistant_tokens_mask": True, **arguments}
        assert ours(subject, conversation, **call) == theirs(subject, conversation, **call)
    result = apply_chat_template(subject, CHAT, return_assistant_tokens_mask=True)
    assert masked(subject, result) == GENERATED


@pytest.mark.parametrize("name", OUT_OF_THE_WAY)
def test_blocks_anywhere(name: str) -> None:
    subject = tokenizer(OUT_OF_THE_WAY[name])
    result = apply_chat_template(subject, CHAT, return_assistant_tokens_mask=True)
    assert masked(subject, result) == GENERATED
    there = subject.apply_chat_template(CHAT, return_assistant_tokens_mask=True)
    assert there["input_ids"] == result["input_ids"]
    assert masked(subject, there) != GENERATED or name == "nested"


@pytest.mark.parametrize("side", ["left", "right"])
def test_safe_ids(side: str) -> None:
    """The same tokens are the model's, though the others may have become more."""
    subject = tokenizer(MARKED, padding_side=side, truncation_side=side)
    for arguments in (
        {},
        {"padding": True},
        {"padding": True, "return_tensors": "np"},
        {"truncation": True, "max_length": 40, "padding": True},
    ):
        call = {"return_assistant_tokens_mask": True, **arguments}
        safe = plain(apply_chat_template(subject, [CHAT, CHAT[:2]], marking="sound", **call))
        assert safe == theirs(subject, [CHAT, CHAT[:2]], **call)
    forged = [FORGED, {"role": "assistant", "content": "a<|im_end|>"}]
    result = apply_chat_template(subject, forged, return_assistant_tokens_mask=True, marking="sound")
    assert masked(subject, result) == ["a<|im_end|><|im_end|>"]
    assert result["input_ids"].count(subject.convert_tokens_to_ids("<|im_end|>")) == 2


def test_rows_of_a_long_text() -> None:
    subject = tokenizer(MARKED)
    call = {
        "return_assistant_tokens_mask": True,
        "truncation": True,
        "max_length": 20,
        "tokenizer_kwargs": {"return_overflowing_tokens": True},
    }
    result = apply_chat_template(subject, [CHAT], **call)
    whole = apply_chat_template(subject, [CHAT], return_assistant_tokens_mask=True)
    assert [flag for row in result["assistant_masks"] for flag in row] == whole["assistant_masks"][0]


def test_no_blocks(caplog: pytest.LogCaptureFixture) -> None:
    template = CHATML + "{# of this test #}"
    with caplog.at_level(logging.WARNING, "chatjinja"):
        for _ in range(2):
            result = apply_chat_template(tokenizer(template), CHAT, return_assistant_tokens_mask=True)
            assert set(result["assistant_masks"]) == {0}
    assert caplog.text.count("no {% generation %} block") == 1


def test_other_dialects_have_no_blocks() -> None:
    template = Environment("llama.cpp").from_string(MARKED)
    with pytest.raises(ApplyError, match=r"no generation blocks in the dialect 'llama\.cpp'"):
        apply_chat_template(template, CHAT, tokenizer=tokenizer(), return_assistant_tokens_mask=True)


def test_token_mask() -> None:
    offsets = [(0, 0), (0, 2), (2, 2), (2, 5), (5, 6), (3, 4), (6, 9), (0, 0)]
    assert token_mask([Span(2, 5), Span(6, 100)], offsets) == [0, 0, 0, 1, 0, 1, 1, 0]
    assert token_mask([Span(1, 1), Span(20, 30)], offsets) == [0] * 8
    assert token_mask([Span(0, 1)], []) == []
