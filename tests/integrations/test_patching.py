"""Patched tokenizers: what a program that knows nothing of it sees."""

from __future__ import annotations

import copy
import pickle
import sys
from types import SimpleNamespace
from typing import Any

import pytest

import chatjinja
from chatjinja.integrations import ApplyError, ApplyTypeError, apply_chat_template, patch, unpatch
from chatjinja.integrations.jinja_errors import caught_as_jinja2
from tests.integrations.support import ASSISTANT, FORGED, USER, jinja2, plain, tokenizer, transformers

CHAT = [USER, ASSISTANT]


def test_a_patched_tokenizer_answers_as_before() -> None:
    subject = tokenizer()
    before = [
        plain(subject.apply_chat_template(CHAT)),
        subject.apply_chat_template(CHAT, None, None, None, True, False, False),
        subject.apply_chat_template(conversation=CHAT, tokenize=None),
        subject.apply_chat_template(CHAT, return_dict=None),
        subject.apply_chat_template(CHAT, tokenize=False, chat_template="{{ version }}{{ marking }}", version=1),
        subject.encode_message_with_chat_template(ASSISTANT, [USER]),
    ]
    patch(subject)
    assert type(subject) is type(tokenizer())
    after = [
        plain(subject.apply_chat_template(CHAT)),
        subject.apply_chat_template(CHAT, None, None, None, True, False, False),
        subject.apply_chat_template(conversation=CHAT, tokenize=None),
        subject.apply_chat_template(CHAT, return_dict=None),
        subject.apply_chat_template(CHAT, tokenize=False, chat_template="{{ version }}{{ marking }}", version=1),
        subject.encode_message_with_chat_template(ASSISTANT, [USER]),
    ]
    assert after == before


def test_only_while_it_is_patched() -> None:
    subject = tokenizer()
    own = subject.apply_chat_template
    with patch(subject) as patched:
        assert patched is subject
        assert subject.apply_chat_template != own
        assert tokenizer().apply_chat_template.__func__ is own.__func__
    assert subject.apply_chat_template == own
    assert "apply_chat_template" not in vars(subject)


def test_patches_on_patches() -> None:
    subject = tokenizer("{{ strftime_now('%Y') }}")

    def year() -> Any:
        return subject.apply_chat_template(CHAT, tokenize=False)

    first = patch(subject, now=0)
    second = patch(subject, now=10**9)
    third = patch(subject, now=2 * 10**9)
    assert year() == "2033"
    second.undo()
    assert year() == "2033"
    third.undo()
    third.undo()
    assert year() == "1970"
    first.undo()
    assert "apply_chat_template" not in vars(subject)
    patch(subject)
    patch(subject)
    unpatch(subject)
    unpatch(subject)
    assert "apply_chat_template" not in vars(subject)


def test_what_stood_there_before_comes_back() -> None:
    subject = SimpleNamespace(apply_chat_template=5, chat_template="", special_tokens_map={})
    with patch(subject):
        assert subject.apply_chat_template([USER], tokenize=False) == ""
    assert subject.apply_chat_template == 5


def test_copies_are_patched_too() -> None:
    subject = tokenizer()
    with patch(subject, marking="sound"):
        copies = [copy.deepcopy(subject), pickle.loads(pickle.dumps(subject))]
        expected = subject.apply_chat_template([FORGED])
    for made in copies:
        assert made.apply_chat_template([FORGED]) == expected
        assert made.apply_chat_template.tokenizer is made
        unpatch(made)
        assert made.apply_chat_template([FORGED]) == subject.apply_chat_template([FORGED])
        assert made.apply_chat_template([FORGED]) != expected


def test_sound_ids() -> None:
    subject = tokenizer()
    with patch(subject, marking="sound", trust=chatjinja.TrustPolicy({"/messages/*/content": None})):
        trusted = subject.apply_chat_template([FORGED], return_dict=False)
    assert trusted == subject.apply_chat_template([FORGED], return_dict=False)


@pytest.mark.parametrize("subject", [5, SimpleNamespace(chat_template="")])
def test_what_cannot_be_patched(subject: Any) -> None:
    with pytest.raises(ApplyTypeError, match="only a tokenizer"):
        patch(subject)


def test_a_processor_is_not_patched() -> None:
    processor = SimpleNamespace(apply_chat_template=None, chat_template="", tokenizer=tokenizer())
    with pytest.raises(ApplyTypeError, match="only a tokenizer"):
        patch(processor)


def test_wrong_calls() -> None:
    subject = tokenizer()
    with patch(subject):
        for args, kwargs in (
            ((), {}),
            ((CHAT, None), {"tools": None}),
            ((CHAT, *([None] * 15)), {}),
        ):
            with pytest.raises(TypeError):
                subject.apply_chat_template(*args, **kwargs)


def test_the_version_is_that_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = tokenizer()
    with patch(subject):
        assert plain(subject.apply_chat_template(CHAT)).keys() == {"input_ids", "attention_mask"}
    monkeypatch.setattr(transformers, "__version__", "4.57.6")
    with patch(subject):
        ids = subject.apply_chat_template(CHAT)
        assert type(ids) is list
        # 4.57 knows no such parameter, so it is a variable of the template.
        seen = subject.apply_chat_template(
            CHAT, chat_template="{{ sanitize_control_tokens }}", sanitize_control_tokens=3, tokenize=False
        )
        assert seen == "3"
    with pytest.raises(ValueError, match="known: 5"):
        patch(subject, version="6")


ERRORS = {
    "{{ raise_exception('no') }}": jinja2.TemplateError,
    "{% if %}": jinja2.TemplateSyntaxError,
    "{{ 1 / 0 }}": jinja2.TemplateRuntimeError,
}


@pytest.mark.parametrize("template", ERRORS)
def test_handlers_for_jinja2(template: str) -> None:
    subject = tokenizer(template)
    with patch(subject), pytest.raises(ERRORS[template]) as caught:
        subject.apply_chat_template(CHAT)
    error = caught.value
    assert isinstance(error, chatjinja.TemplateError)
    with pytest.raises(chatjinja.TemplateError) as expected:
        apply_chat_template(subject, CHAT)
    assert not isinstance(expected.value, jinja2.TemplateError)
    assert str(error) == str(expected.value)
    assert (error.code, error.lineno, error.span) == (expected.value.code, expected.value.lineno, expected.value.span)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(expected.value)
    assert str(again) == str(error)


def test_undefined() -> None:
    for _ in range(2):
        with pytest.raises(jinja2.UndefinedError), caught_as_jinja2():
            raise chatjinja.OperationError("x is undefined", code="undefined")


def test_without_jinja2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jinja2")
    error = chatjinja.RaisedError("no")
    with pytest.raises(chatjinja.RaisedError) as caught, caught_as_jinja2():
        raise error
    assert caught.value is error


def test_other_errors_pass() -> None:
    with patch(tokenizer()) as subject, pytest.raises(ApplyError):
        subject.apply_chat_template([])
