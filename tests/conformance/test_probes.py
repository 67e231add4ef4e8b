"""What is found out about every real template, beside what a llama.cpp server reports about it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, get_args

import pytest

from chatjinja import ChatTemplate, TemplateSyntaxError
from chatjinja.chat import Capabilities
from chatjinja.chat.probes.records import Answer
from tests.conformance.corpora import require_shared_folder, shared_folder

FEWEST = 785
"""One of the 786 is no template of this dialect."""
LEAST_AGREEMENT = 0.97
"""The server asks in one way, in one conversation: whether a value is used. So it errs where templates want
another, or where a value is used and yet left out."""

pytestmark = [
    pytest.mark.skipif(
        shared_folder() is None and os.environ.get("CI") != "true",
        reason="templates not found: set CHATJINJA_SHARED or place them in ../shared",
    ),
    pytest.mark.xdist_group("probes"),  # all in one worker, so that the templates are probed once
]


@cache
def found() -> dict[str, Capabilities]:
    probed = {}
    for path in sorted((require_shared_folder() / "templates").glob("*.jinja")):
        try:
            chat = ChatTemplate.from_file(path)
        except TemplateSyntaxError:
            continue
        probed[path.stem] = chat.capabilities
    return probed


def evidence(value: Any) -> Iterator[dict[str, Any]]:
    """Every piece of evidence in `Capabilities.to_dict`."""
    if isinstance(value, dict):
        if "answer" in value:
            yield value
        for item in value.values():
            yield from evidence(item)
    elif isinstance(value, list):
        for item in value:
            yield from evidence(item)


def test_nothing_raises() -> None:
    assert len(found()) >= FEWEST


def test_no_template_has_the_words_of_probes() -> None:
    folder = require_shared_folder() / "templates"
    having = [path.name for path in folder.glob("*.jinja") if re.search("zq[a-z]+(zq|id1)", path.read_text("utf-8"))]
    assert not having


def test_every_answer_has_its_reason() -> None:
    for name, capabilities in found().items():
        answers = list(evidence(capabilities.to_dict()))
        assert len(answers) > 60, name
        assert all(answer["answer"] in get_args(Answer) and answer["why"] for answer in answers), name


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("supports_system_role", lambda caps: caps.roles["system"].accepted.answer),
        ("supports_string_content", lambda caps: caps.roles["user"].content.string.answer),
        ("supports_typed_content", lambda caps: caps.roles["user"].content.parts.answer),
        ("supports_tools", lambda caps: caps.tools.declared.answer),
        ("supports_tool_calls", lambda caps: caps.tools.called.answer),
        ("supports_parallel_tool_calls", lambda caps: caps.tools.parallel.answer),
        ("supports_object_arguments", lambda caps: caps.arguments.mapping.answer),
    ],
)
def test_agreement_with_the_server(name: str, answer: Callable[[Capabilities], str]) -> None:
    differing = [key for key, caps in found().items() if getattr(caps, name) is not (answer(caps) == "yes")]
    assert 1 - len(differing) / len(found()) >= LEAST_AGREEMENT, differing


@pytest.mark.parametrize(
    ("template", "facts"),
    [
        ("Qwen-Qwen2.5-7B-Instruct", {"shape": "string", "arguments": "mapping", "prompt": "<|im_start|>assistant\n"}),
        (
            "Qwen-Qwen3.5-0.8B",
            {"shape": "both", "arguments": "mapping", "rules": {"system-first", "one-system", "user-required"}},
        ),
        ("meta-llama-Llama-3.1-8B-Instruct", {"shape": "string", "arguments": "mapping", "clock": "yes"}),
        ("mistralai-Mistral-7B-Instruct-v0.3", {"kind": "always", "prompt": "[/INST]", "bos": 1, "eos": 2}),
        ("HuggingFaceTB-SmolVLM-256M-Instruct", {"shape": "list", "image": "<image>", "prompt": "Assistant:"}),
        ("Qwen-Qwen2.5-VL-7B-Instruct", {"shape": "both", "image": "<|vision_start|><|image_pad|><|vision_end|>"}),
        ("google-gemma-4-E4B-it", {"image": "<|image|>", "arguments": "mapping", "prompt": "<|turn>model\n"}),
        ("google-gemma-2-2b-it", {"roles": {"user", "assistant", "tool"}, "prompt": "<start_of_turn>model\n"}),
        ("openai-gpt-oss-120b", {"rules": {"system-first", "one-system", "result-after-call"}, "clock": "yes"}),
        ("moonshotai-Kimi-K2-Thinking", {"arguments": "both", "shape": "both"}),
        ("meetkai-functionary-medium-v3.2", {"arguments": "string", "shape": "string"}),
        ("upstage-Solar-Open-100B", {"kind": "always", "prompt": "<|end|><|begin|>assistant", "clock": "yes"}),
        ("Azure99-blossom-v5.1-9b", {"roles": {"user", "assistant"}}),
        ("LGAI-EXAONE-EXAONE-4.0-32B", {"roles": {"user", "assistant", "tool"}}),
    ],
)
def test_facts_checked_by_hand(template: str, facts: dict[str, Any]) -> None:
    caps = found()[template]
    known = {
        "shape": caps.roles["user"].content.shape,
        "arguments": caps.arguments.shape,
        "kind": caps.generation_prompt.kind,
        "prompt": caps.generation_prompt.text,
        "roles": {name for name, role in caps.roles.items() if role.accepted.answer == "yes"},
        "rules": {name for name, rule in caps.rules.items() if rule.answer == "yes"},
        "image": caps.media["image"].text,
        "clock": caps.clock.used.answer,
        "bos": caps.tokens["bos_token"].count,
        "eos": caps.tokens["eos_token"].count,
    }
    assert {name: known[name] for name in facts} == facts
