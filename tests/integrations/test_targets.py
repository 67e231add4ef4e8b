"""What can be given as a template or tokenizer, and which template is taken."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from chatjinja import ChatTemplate, Environment
from chatjinja.integrations import ApplyError, ApplyTypeError, apply_chat_template
from tests.integrations.functions import multiply
from tests.integrations.support import CHATML, USER, backend, ours, theirs, tokenizer, transformers

NAMED = {"default": "default", "tool_use": "tools", "rag": "rag"}
HELLO = "{{ bos_token }}{{ messages[0].content }}"


@pytest.mark.parametrize("templates", [NAMED, {"rag": "rag"}, {"tool_use": "tools"}, CHATML, None])
@pytest.mark.parametrize("wanted", [None, "rag", "default", "missing", "{{ 1 }}"])
@pytest.mark.parametrize("tools", [None, [], [multiply]])
def test_named_templates(templates: Any, wanted: str | None, tools: Any) -> None:
    subject = tokenizer(templates)
    arguments = {"chat_template": wanted, "tools": tools, "tokenize": False}
    assert ours(subject, [USER], **arguments) == theirs(subject, [USER], **arguments)


def test_templates() -> None:
    chat = [{"role": "user", "content": "Hi"}]
    compiled = Environment().from_string(HELLO)
    assert apply_chat_template(HELLO, chat) == "Hi"
    assert apply_chat_template(HELLO, chat, bos_token="[") == "[Hi"
    assert apply_chat_template(compiled, chat, bos_token="[") == "[Hi"
    assert apply_chat_template(CHATML, chat, chat_template=compiled) == "Hi"
    assert apply_chat_template(ChatTemplate.from_string(HELLO, bos_token="<s>"), chat) == "<s>Hi"
    assert apply_chat_template(ChatTemplate.from_string(""), chat) == apply_chat_template(CHATML, chat)
    for template in (HELLO, compiled, ChatTemplate.from_string(HELLO, bos_token="[")):
        subject = tokenizer()
        assert apply_chat_template(template, chat, tokenizer=subject, tokenize=False) == "<s>Hi"
        ids = apply_chat_template(template, chat, tokenizer=subject, return_dict=False)
        assert ids == subject.encode("<s>Hi", add_special_tokens=False)
        with pytest.raises(ApplyError, match="there is no tokenizer"):
            apply_chat_template(template, chat, tokenize=True)


def test_chat_templates_have_names_too() -> None:
    subject = tokenizer(NAMED)
    chosen = ChatTemplate.from_tokenizer(subject)
    for arguments in ({}, {"tools": []}, {"chat_template": "rag"}):
        expected = theirs(subject, [USER], tokenize=False, **arguments)
        assert apply_chat_template(chosen, [USER], **arguments) == expected


def test_processors() -> None:
    processor = SimpleNamespace(chat_template=HELLO, tokenizer=tokenizer())
    assert apply_chat_template(processor, [{"role": "user", "content": "Hi"}]) == "<s>Hi"
    processor.chat_template = NAMED
    assert apply_chat_template(processor, [USER], tools=[multiply]) == "default"
    with pytest.raises(ApplyError, match="a processor the text"):
        apply_chat_template(processor, [USER], tokenize=True)


def test_slow_tokenizers(tmp_path: Any) -> None:
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("\n".join(["[UNK]", "[PAD]", "hello", "he"]), encoding="utf-8")
    slow = transformers.BertTokenizerLegacy(str(vocabulary), chat_template="{{ messages[0].content }}")
    assert not slow.is_fast
    for arguments in ({}, {"tokenize": False}, {"return_assistant_tokens_mask": True}):
        assert ours(slow, [USER], **arguments) == theirs(slow, [USER], **arguments)


@pytest.mark.parametrize("target", [5, None, object()])
def test_what_is_no_target(target: Any) -> None:
    with pytest.raises(ApplyTypeError, match="expected a template, a tokenizer or a processor"):
        apply_chat_template(target, [USER])


def test_what_is_no_template() -> None:
    for arguments in ({"chat_template": 5}, {"chat_template": b"x"}):
        with pytest.raises(ApplyTypeError, match="a text or a Template"):
            apply_chat_template(tokenizer(), [USER], **arguments)
    with pytest.raises(ApplyTypeError, match="a text or a Template"):
        apply_chat_template(tokenizer({"default": 5}), [USER])


def test_what_is_no_tokenizer() -> None:
    with pytest.raises(ApplyTypeError, match=r"not Tokenizer; `chatjinja\.tokenize` takes others"):
        apply_chat_template(CHATML, [USER], tokenizer=backend())


def test_one_tokenizer_is_enough() -> None:
    with pytest.raises(ApplyTypeError, match="has its own"):
        apply_chat_template(tokenizer(), [USER], tokenizer=tokenizer())
