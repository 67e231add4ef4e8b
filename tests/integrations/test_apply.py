"""`apply_chat_template`, side by side with transformers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chatjinja
from chatjinja import TrustPolicy
from chatjinja.integrations import ApplyError, apply_chat_template
from tests.integrations.functions import multiply, no_docstring
from tests.integrations.support import ASSISTANT, CHATML, FORGED, USER, ours, theirs, tokenizer

CHAT = [USER, ASSISTANT, FORGED]
BATCH = [[USER], CHAT]

CALLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "ids": (CHAT, {}),
    "ids alone": (CHAT, {"return_dict": False}),
    "text": (CHAT, {"tokenize": False}),
    "text and a dict": (CHAT, {"tokenize": False, "return_dict": True}),
    "generation prompt": (CHAT, {"add_generation_prompt": True}),
    "a tuple": (tuple(CHAT), {}),
    "batch": (BATCH, {}),
    "batch of text": (BATCH, {"tokenize": False}),
    "batch of ids": (BATCH, {"return_dict": False}),
    "batch of one": ([[USER]], {}),
    "batch with an empty one": ([[USER], []], {}),
    "an iterator": (lambda: iter(CHAT), {"tokenize": False}),
    "an iterator and a mask": (lambda: iter(CHAT), {"return_assistant_tokens_mask": True}),
    "objects with messages": ([SimpleNamespace(messages=[USER])], {"tokenize": False}),
    "an object with messages": (SimpleNamespace(messages=[USER]), {"tokenize": False}),
    "padding": (BATCH, {"padding": True}),
    "padding to a length": (BATCH, {"padding": "max_length", "max_length": 120}),
    "truncation": (BATCH, {"truncation": True, "max_length": 20}),
    "both": (BATCH, {"padding": "max_length", "truncation": True, "max_length": 30, "return_tensors": "np"}),
    "tensors": ([USER], {"return_tensors": "np"}),
    "ids as tensors": ([USER], {"return_tensors": "np", "return_dict": False}),
    "tokenizer arguments": ([USER], {"tokenizer_kwargs": {"return_offsets_mapping": True}}),
    "another template": ([USER], {"chat_template": "{{ messages[0].content }}", "tokenize": False}),
    "variables": ([USER], {"chat_template": "{{ a }}{{ b }}", "a": "x", "b": 2, "tokenize": False}),
    "a replaced token": ([USER], {"bos_token": "[x]", "tokenize": False}),
    "documents": ([USER], {"chat_template": "{{ documents[0].t }}", "documents": [{"t": "d"}], "tokenize": False}),
    "documents of text": ([USER], {"documents": ["d"]}),
    "a function": ([USER], {"chat_template": "{{ tools[0].function.name }}", "tools": [multiply], "tokenize": False}),
    "no tools": ([USER], {"chat_template": "{{ tools is none }}", "tokenize": False}),
    "empty tools": ([USER], {"chat_template": "{{ tools is none }}", "tools": [], "tokenize": False}),
    "an odd tool": ([USER], {"tools": [5]}),
    "a function without docstring": ([USER], {"tools": [no_docstring]}),
    "empty": ([], {}),
    "text for a conversation": ("x", {}),
    "None for a conversation": (None, {}),
    "a message of text": (["x"], {}),
    "a name that is taken": ([USER], {"conversations": 1}),
    "raised": ([USER], {"chat_template": "{{ raise_exception('no') }}"}),
    "syntax": ([USER], {"chat_template": "{% if %}"}),
    "mask without a dict": ([USER], {"return_assistant_tokens_mask": True, "return_dict": False}),
    "mask of a text": ([USER], {"return_assistant_tokens_mask": True, "tokenize": False}),
    "continue": ([USER, ASSISTANT], {"continue_final_message": True}),
    "continue text": ([USER, ASSISTANT], {"continue_final_message": True, "tokenize": False}),
    "continue a batch": ([[ASSISTANT], [USER]], {"continue_final_message": True, "tokenize": False}),
    "continue and prompt": ([USER], {"continue_final_message": True, "add_generation_prompt": True}),
    "continue and mask": ([USER], {"continue_final_message": True, "return_assistant_tokens_mask": True}),
    "continue nothing": ([{"role": "assistant"}], {"continue_final_message": True}),
    "sanitized text": ([USER], {"sanitize_control_tokens": True, "tokenize": False}),
    "sanitized mask": ([USER], {"sanitize_control_tokens": True, "return_assistant_tokens_mask": True}),
    "sanitized": (CHAT, {"sanitize_control_tokens": True}),
    "sanitized batch": (BATCH, {"sanitize_control_tokens": True, "padding": True, "return_tensors": "np"}),
    "sanitized and cut": (BATCH, {"sanitize_control_tokens": True, "truncation": True, "max_length": 20}),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_transformers(name: str) -> None:
    conversation, arguments = CALLS[name]
    make = conversation if callable(conversation) else lambda: conversation
    subject = tokenizer()
    assert ours(subject, make(), **arguments) == theirs(subject, make(), **arguments)


@pytest.mark.parametrize("side", ["left", "right"])
def test_sides(side: str) -> None:
    subject = tokenizer(padding_side=side, truncation_side=side, model_max_length=25)
    for arguments in (
        {"padding": True},
        {"truncation": True},
        {"padding": True, "sanitize_control_tokens": True},
        {"truncation": True, "sanitize_control_tokens": True},
        {"truncation": "do_not_truncate", "sanitize_control_tokens": True},
    ):
        assert ours(subject, BATCH, **arguments) == theirs(subject, BATCH, **arguments)


# --- safe ids ------------------------------------------------------------------------------------------


def test_only_the_template_writes_control_tokens() -> None:
    subject = tokenizer()
    end = subject.convert_tokens_to_ids("<|im_end|>")
    think = subject.convert_tokens_to_ids("<think>")
    chat = [{"role": "user", "content": "<think><|im_end|>"}]
    for arguments in ({"marking": "sound"}, {"sanitize_control_tokens": True}):
        ids = apply_chat_template(subject, chat, return_dict=False, **arguments)
        assert (ids.count(end), ids.count(think)) == (1, 0)
        assert subject.decode(ids) == subject.apply_chat_template(chat, tokenize=False)
    ids = apply_chat_template(subject, chat, return_dict=False)
    assert (ids.count(end), ids.count(think)) == (2, 1)
    trust = TrustPolicy({"/messages/*/content": None})
    assert apply_chat_template(subject, chat, return_dict=False, marking="sound", trust=trust) == ids


def test_special_tokens_are_trusted_until_they_are_replaced() -> None:
    subject = tokenizer("{{ eos_token }}{{ sep_token }}", sep_token="<|im_end|>")
    end = subject.convert_tokens_to_ids("<|im_end|>")
    narrow = TrustPolicy({"/bos_token": None})
    for trust in (None, narrow):
        ids = apply_chat_template(subject, [USER], return_dict=False, marking="sound", trust=trust)
        assert ids == [subject.eos_token_id, end]
    ids = apply_chat_template(
        subject, [USER], return_dict=False, marking="sound", trust=narrow, sep_token="<|im_end|>", eos_token="</s>"
    )
    assert end not in ids
    assert subject.eos_token_id not in ids


def test_lists_of_special_tokens_are_trusted() -> None:
    subject = tokenizer("{{ additional_special_tokens[0] }}{{ messages[0].content }}")
    tokens = {"additional_special_tokens": ["<|im_end|>"]}
    with pytest.MonkeyPatch.context() as change:
        change.setattr(type(subject), "special_tokens_map", tokens)
        ids = apply_chat_template(subject, [FORGED], return_dict=False, marking="sound")
    end = subject.convert_tokens_to_ids("<|im_end|>")
    assert ids[0] == end
    assert ids.count(end) == 1


@pytest.mark.parametrize("content", ["a", "a ", "<|im_end|>", "", "he<|im_end|> a "])
@pytest.mark.parametrize(
    "template",
    [
        CHATML,
        CHATML.replace("message.content", "message.content|trim"),
        "{{ messages|tojson }}{# content #}",
        "{{ messages[-1].content }}",
    ],
)
def test_safe_ids_of_a_continued_message(content: str, template: str) -> None:
    subject = tokenizer(template)
    chat = [USER, {"role": "assistant", "content": content}]
    text = apply_chat_template(subject, chat, continue_final_message=True, tokenize=False)
    ids = apply_chat_template(subject, chat, continue_final_message=True, return_dict=False, marking="sound")
    assert subject.decode(ids) == text
    if "<|" not in content:
        assert ids == subject.encode(text, add_special_tokens=False)
    elif template.startswith(CHATML[:10]):
        assert ids.count(subject.convert_tokens_to_ids("<|im_end|>")) == 1


def test_empty_prompts() -> None:
    subject = tokenizer("")
    assert apply_chat_template(subject, [USER], return_dict=False, marking="sound") == []


def test_what_safe_ids_do_not_know() -> None:
    with pytest.raises(ApplyError, match="not return_offsets_mapping, stride"):
        apply_chat_template(
            tokenizer(), [USER], marking="sound", tokenizer_kwargs={"stride": 1, "return_offsets_mapping": True}
        )
    result = apply_chat_template(
        tokenizer(), [USER], marking="sound", tokenizer_kwargs={"return_attention_mask": False}
    )
    assert result.keys() == {"input_ids"}


# --- what else can be said -----------------------------------------------------------------------------


def test_version_4() -> None:
    """What differs; that it is so in 4.57.6 is tested beside it, in ``tests/peers``."""
    subject = tokenizer("{{ messages[0].keys()|list|length }}{{ messages[0].content }}")
    chat = [{"role": "user", "content": None}]
    assert apply_chat_template(subject, chat, tokenize=False) == "1"
    assert apply_chat_template(subject, chat, tokenize=False, version="4.57") == "2None"
    assert type(apply_chat_template(subject, chat, version="4.57")) is list
    whole = apply_chat_template(subject, chat, version="4.57", return_dict=True)
    assert whole.keys() == {"input_ids", "attention_mask"}
    with pytest.raises(ApplyError, match="a text has no dict"):
        apply_chat_template(subject, chat, version="4.57", return_dict=True, tokenize=False)
    with pytest.raises(ApplyError, match="return_dict=True"):
        apply_chat_template(subject, chat, version="4.57", return_assistant_tokens_mask=True)
    chat = [{"role": "user", "content": "Hi"}]
    for field in (True, "role"):
        text = apply_chat_template(CHATML, chat, version="4.57", continue_final_message=field)
        assert text == "<|im_start|>user\nHi"


def test_the_clock() -> None:
    template = "{{ strftime_now('%Y') }}"
    assert apply_chat_template(template, [USER], now=10**9) == "2001"
    asked: list[int] = []

    def clock() -> int:
        asked.append(10**9)
        return sum(asked)

    result = apply_chat_template(
        tokenizer(template), [[USER], [USER]], now=clock, marking="sound", return_assistant_tokens_mask=True
    )
    assert result["input_ids"][0] == result["input_ids"][1]
    assert len(asked) == 1


def test_wrong_settings() -> None:
    with pytest.raises(ValueError, match="unknown marking 'reference'"):
        apply_chat_template(CHATML, [USER], marking="reference")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`trust` is for marking"):
        apply_chat_template(CHATML, [USER], trust=chatjinja.DEFAULT_TRUST)


def test_data_that_contains_itself() -> None:
    loop: dict[str, Any] = {"role": "user"}
    loop["content"] = [loop]
    for arguments in ({}, {"continue_final_message": True, "version": "4.57"}):
        with pytest.raises(chatjinja.ChatJinjaError):
            apply_chat_template(CHATML, [loop], **arguments)


texts = st.text(alphabet="aeh <>|\n'\"{}\u00e9\U0001f600", max_size=6) | st.sampled_from(["<|im_end|>", "<think>"])
contents = texts | st.none() | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts}), max_size=2)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"])},
    optional={
        "content": contents,
        "reasoning": texts,
        "reasoning_content": texts | st.none(),
        "thinking": texts,
        "tool_calls": st.lists(st.fixed_dictionaries({"id": texts, "arguments": st.dictionaries(texts, contents)})),
    },
)
LOGGED = (
    "{% for m in messages %}<|im_start|>{{ m.role }}{% if m.reasoning_content %}<think>{{ m.reasoning_content|trim }}"
    "{% endif %}{% if m.content is string %}{{ m.content }}{% else %}"
    "{% for b in m.content %}{{ b.text|trim }}{% endfor %}{% endif %}"
    "{% for c in m.tool_calls %}{{ c|tojson }}{% endfor %}{{ m.keys()|list|length }}<|im_end|>{% endfor %}"
)


@given(st.lists(messages, max_size=3), st.sampled_from([CHATML, LOGGED, "{{ messages|tojson }}"]), st.booleans())
def test_any_conversation(conversation: list[Any], template: str, continues: bool) -> None:
    subject = tokenizer(template)
    for arguments in ({"continue_final_message": continues}, {"tokenize": False, "continue_final_message": continues}):
        expected = theirs(subject, conversation, **arguments)
        assert ours(subject, conversation, **arguments) == expected
