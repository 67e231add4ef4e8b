"""The real templates with the recorded conversations: this package and transformers say the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from chatjinja import ChatJinjaError, TemplateError
from chatjinja.integrations import apply_chat_template, tool_schema
from chatjinja.integrations.versions import VERSIONS
from tests.conformance.corpora import context_json, shared_folder, template_source
from tests.integrations import functions, support
from tests.integrations.support import backend, plain, transformers
from tests.peers import transformers_4, transformers_calls
from tests.peers.transformers_calls import CLOCK, Calls
from tests.tokenization.real import hugging_face

SHARED = shared_folder()
TEMPLATES = sorted(path.name for path in (SHARED / "templates").glob("*.jinja")) if SHARED else []
CONTEXTS = sorted(path.stem for path in (SHARED / "contexts").glob("*.json")) if SHARED else []
NOW = CLOCK.replace(tzinfo=UTC)
Call = tuple[str, Any, dict[str, Any]]


@pytest.fixture(scope="module")
def caller() -> Iterator[transformers_calls.Caller]:
    utils = transformers.utils.chat_template_utils
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "datetime", transformers_calls.Clock)
        yield transformers_calls.Caller(backend().to_str())


@cache
def call_of(template: str, context: str) -> Call:
    """A recorded conversation as a call."""
    arguments = json.loads(context_json(context))
    conversation = arguments.pop("messages")
    return template_source(template), conversation, arguments


def ours(subject: Any, call: Call, version: str = "5") -> Any:
    """What chatjinja gives: a result, or an error of its own."""
    template, conversation, arguments = call
    subject.chat_template = template
    try:
        return plain(apply_chat_template(subject, conversation, **arguments, version=version, now=NOW))
    except ChatJinjaError as error:
        return error


def agree(mine: Any, theirs: tuple[str, Any]) -> bool:
    """Whether the results are equal, or both refuse, and for the same kind of reason."""
    kind, value = theirs
    if kind == "result":
        return bool(mine == value)
    if isinstance(mine, TemplateError):
        return True  # what fails inside a template may be any exception there
    return isinstance(mine, ValueError) if "ValueError" in value else isinstance(mine, TypeError)


@pytest.mark.parametrize("template", TEMPLATES)
def test_text_and_ids(caller: transformers_calls.Caller, template: str) -> None:
    wrong = []
    for index, context in enumerate(CONTEXTS):
        source, conversation, arguments = call_of(template, context)
        # Ids follow from the text, so every third conversation is enough.
        call = source, conversation, {**arguments, "tokenize": index % 3 == 0}
        theirs = caller.call(call)
        if not agree(ours(caller.tokenizer, call), (theirs[0], plain(theirs[1]))):
            wrong.append(context)
    assert not wrong


@pytest.mark.parametrize("template", TEMPLATES)
def test_final_messages_are_continued(caller: transformers_calls.Caller, template: str) -> None:
    wrong = []
    for context in CONTEXTS:
        source, conversation, arguments = call_of(template, context)
        last = max((i for i, message in enumerate(conversation) if message["role"] == "assistant"), default=-1)
        arguments = {**arguments, "add_generation_prompt": False, "tokenize": False}
        conversation = conversation[: last + 1] or conversation
        for field in ("content", "reasoning_content"):
            if field not in conversation[-1]:
                continue
            call = source, conversation, {**arguments, "continue_final_message": field}
            if not agree(ours(caller.tokenizer, call), caller.call(call)):
                wrong.append((context, field))
    assert not wrong


GENERATION = [name for name in TEMPLATES if "endgeneration" in template_source(name)]


@pytest.mark.parametrize("template", GENERATION)
def test_masks(caller: transformers_calls.Caller, template: str) -> None:
    wrong = []
    for context in CONTEXTS:
        source, conversation, arguments = call_of(template, context)
        call = source, conversation, {**arguments, "return_assistant_tokens_mask": True}
        theirs = caller.call(call)
        if not agree(ours(caller.tokenizer, call), (theirs[0], plain(theirs[1]))):
            wrong.append(context)
    assert not wrong


REAL = {
    "qwen3": ("Qwen-Qwen3-0.6B.jinja", {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}),
    "llama3.1": (
        "NousResearch-Meta-Llama-3.1-8B-Instruct.jinja",
        {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"},
    ),
}
"""Real tokenizers, with their template and special tokens."""
FORGING = "13-injection"


@pytest.mark.skipif(not TEMPLATES, reason="the real templates are not there")
@pytest.mark.parametrize("name", REAL)
def test_real_tokenizers(name: str) -> None:
    template, tokens = REAL[name]
    subject = transformers.PreTrainedTokenizerFast(tokenizer_object=hugging_face(name), **tokens)
    subject.chat_template = template_source(template)
    controls = {id_ for id_, token in subject.added_tokens_decoder.items() if not token.content.isspace()}
    compared = 0
    for context in CONTEXTS:
        _, conversation, arguments = call_of(template, context)
        variables = {key: value for key, value in arguments.items() if not key.endswith("_token")}
        given = {"return_dict": False, **variables}
        expected = support.theirs(subject, conversation, **given)
        assert support.ours(subject, conversation, **given) == expected, context
        if expected == "template":  # not every template takes every conversation
            continue
        compared += 1
        safe = apply_chat_template(subject, conversation, marking="sound", **given)
        assert subject.decode(safe) == subject.decode(expected)
        if context == FORGING:
            assert sum(id_ in controls for id_ in safe) < sum(id_ in controls for id_ in expected)
        else:
            assert safe == expected, context
    assert compared > len(CONTEXTS) // 2


# --- 4.57 ----------------------------------------------------------------------------------------------


CALLS_WHAT_DICT_HAS_NOT = "dict.from_keys("
"""Works in 4.57 only, where it happens to be `dict` itself; docs/transformers.md says so."""


def test_version_4() -> None:
    """One process of another Python, so one test: some conversations with each template, and all functions."""
    calls: list[Call] = []
    for number, template in enumerate(TEMPLATES):
        for step in range(3):
            source, conversation, arguments = call_of(template, CONTEXTS[(number + 5 * step) % len(CONTEXTS)])
            if CALLS_WHAT_DICT_HAS_NOT in source:
                continue
            calls.append((source, conversation, {**arguments, "tokenize": step == 0}))
            plain_arguments = {**arguments, "add_generation_prompt": False, "tokenize": False}
            calls.append((source, conversation, {**plain_arguments, "continue_final_message": True}))
    request: Calls = {"tokenizer": backend().to_str(), "calls": calls, "functions": str(Path(functions.__file__))}
    outcomes = transformers_4.run(request)
    subject = transformers_calls.Caller(request["tokenizer"]).tokenizer
    wrong = [
        (call[0][:80], call[2])
        for call, theirs in zip(calls, outcomes["calls"], strict=True)
        if not agree(ours(subject, call, "4.57"), theirs)
    ]
    assert not wrong
    for name, expected in outcomes["schemas"].items():
        assert (name, schema_text(functions.FUNCTIONS[name])) == (name, expected)


def schema_text(function: Any) -> str | None:
    try:
        return json.dumps(tool_schema(function, VERSIONS["4.57"]))
    except ChatJinjaError:
        return None
