"""Final messages that are continued, side by side with transformers."""

from __future__ import annotations

from collections import UserDict
from typing import Any

import pytest

from chatjinja.integrations import ApplyError, ApplyTypeError, apply_chat_template
from tests.integrations.support import CHATML, USER, ours, theirs, tokenizer

TAG = "CONTINUE_FINAL_MESSAGE_TAG "
TRIMMED = CHATML.replace("message.content", "message.content|trim")
LLAMA_2 = (
    "{% for m in messages %}{{ '[INST] ' + m.content|trim + ' [/INST]' if m.role == 'user' else ' ' + m.content|trim "
    "+ ' ' + eos_token }}{% endfor %}"
)
BLOCKS = (
    "{% for m in messages %}<{{ m.role }}>{% if m.content is string %}{{ m.content }}{% else %}"
    "{% for b in m.content %}{{ b.text if b.type == 'text' else '<image>' }}{% endfor %}{% endif %}<end>{% endfor %}"
)
REASONING = (
    "{% for m in messages %}<{{ m.role }}>{% if m.reasoning_content %}<think>{{ m.reasoning_content|trim }}</think>"
    "{% endif %}{{ m.content }}<end>{% endfor %}"
)
THINKING = REASONING.replace("reasoning_content", "thinking")
LOWER = CHATML.replace("message.content", "message.content|lower")
UPPER = CHATML.replace("message.content", "message.content|upper")
AFTER_THINKING = CHATML.replace("message.content", "message.content.split('</think>')[-1]")
TWICE = CHATML + "{{ messages[-1].content }} again"
JSON = "{{ messages|tojson }}"
DROPPED = "{% for m in messages[:-1] %}{{ m.content }}{% endfor %}"
TEMPLATES: dict[str, str] = {
    name: value for name, value in globals().items() if name.isupper() and name not in ("TAG", "USER", "ASSISTANT")
}

CONTINUE_4: dict[str, Any] = {"continue_final_message": True, "version": "4.57"}

CONTENTS: list[Any] = [
    *("Hi", "Hi ", " Hi", "Hi\n\n", "", " ", "\n", "HI", "<think>a</think>b", "é\u2003", '"q"'),
    [{"type": "text", "text": "a "}, {"type": "image"}],
    [{"type": "text", "text": "a"}, {"type": "text", "text": "b "}],
    [{"type": "image"}],
    [],
    (),
    ({"type": "text", "text": "a"},),
    None,
    5,
    {"text": "a"},
    ["text"],
    ["x", ["y"]],
    [["text"]],
    [5],
    [{"type": "text", "text": None}],
    [{"type": "text", "text": 5}],
]


@pytest.mark.parametrize("name", TEMPLATES)
def test_as_transformers(name: str) -> None:
    subject = tokenizer(TEMPLATES[name])
    for content in CONTENTS:
        for extra in ({}, {"reasoning": "So it is "}, {"thinking": "x", "reasoning_content": "y"}):
            for field in (True, "content", "reasoning_content", "thinking", "reasoning", "role", "missing"):
                chat = [USER, {"role": "assistant", "content": content, **extra}]
                arguments = {"continue_final_message": field, "tokenize": False}
                expected = theirs(subject, chat, **arguments)
                assert ours(subject, chat, **arguments) == expected, (content, extra, field)


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        ([], ApplyError),
        ([{"role": "user"}], ApplyError),
        ([{"role": "user", "content": None}], ApplyError),
        ([{"role": "user", "content": 5}], ApplyTypeError),
        (["text"], ApplyTypeError),
    ],
)
def test_version_4_refuses(messages: list[Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        apply_chat_template(CHATML, messages or [messages, [USER]], **CONTINUE_4)


def test_version_4_does_not_ask_what_a_template_reads() -> None:
    mapping = UserDict(role="user", content=({"type": "text", "text": "a "},))
    for message in (dict(mapping), mapping):
        text = apply_chat_template("{{ messages[-1]['content'][0].text }}.", [USER, message], **CONTINUE_4)
        assert text == "a "
    assert mapping["content"] == ({"type": "text", "text": "a "},)


def test_the_text_of_the_tag_elsewhere() -> None:
    """There, transformers cuts in the wrong place, because it looks for the text."""
    chat = [USER, {"role": "assistant", "content": "Hi "}]
    for template in (CHATML, TRIMMED, "{{ messages[-1].content }}<end>"):
        expected = apply_chat_template(template, chat, continue_final_message=True)
        after = template + "{{ documents[0].text }}"
        documents = [{"text": TAG}]
        assert apply_chat_template(after, chat, documents=documents, continue_final_message=True) == expected
        there = tokenizer(after).apply_chat_template(
            chat, documents=documents, continue_final_message=True, tokenize=False
        )
        assert there != expected


def test_the_text_of_the_tag_in_the_message() -> None:
    for content in (f"a {TAG}", f"{TAG}b"):
        chat = [USER, {"role": "assistant", "content": content}]
        text = apply_chat_template(CHATML, chat, continue_final_message=True)
        assert text.endswith(f"assistant\n{content}")
    text = apply_chat_template(CHATML, chat, continue_final_message="role")
    assert text.endswith("<|im_start|>assistant")


def test_nothing_of_the_caller_is_changed() -> None:
    chat = [USER, {"role": "assistant", "content": [{"type": "text", "text": "a"}], "reasoning": "b"}]
    before = repr(chat)
    for field in (True, "reasoning"):
        for version in ("5", "4.57"):
            apply_chat_template(REASONING + "{# content #}", chat, continue_final_message=field, version=version)
    assert repr(chat) == before


def test_messages_say_what_is_wrong() -> None:
    with pytest.raises(ApplyError, match="no 'content' to continue"):
        apply_chat_template(CHATML, [{"role": "assistant"}], continue_final_message=True)
    with pytest.raises(ApplyError, match="does not read 'thinking'"):
        apply_chat_template("{{ 1 }}", [{"thinking": "a"}], continue_final_message="thinking")
    with pytest.raises(ApplyError, match="does not print it as it is: 'Hi'"):
        apply_chat_template("{{ messages[0].content|lower }}.", [{"content": "Hi"}], continue_final_message=True)
