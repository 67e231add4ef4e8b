"""Random chat requests: this package and a real llama.cpp server say the same, for a template of every family."""

from __future__ import annotations

import importlib.util
import json
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from chatjinja import ChatTemplate, RequestError, TemplateError
from chatjinja.analysis.engines.llama_server_process import LlamaServer
from chatjinja.chat import FAMILIES
from tests.peers.chat_requests import requests

MISSING = [name for name in ("xllamacpp", "gguf", "numpy") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(
    bool(MISSING) and os.environ.get("CI") != "true", reason=f"not installed: {', '.join(MISSING)}"
)

DUMP = """\
{{- bos_token -}}
{%- if tools %}{{ tools|tojson }}{{ '\\n' }}{% endif -%}
{%- for message in messages %}<|{{ message.role }}|>{{ message|tojson }}<|return|>{{ '<turn|>\\n' }}{% endfor -%}
{{- [enable_thinking, reasoning_effort, reasoning_strength, preserve_thinking, clear_thinking]|tojson -}}
{{- [response_format, custom, date_string, datetime]|tojson }}{{ '<turn|>\\n' -}}
{%- if add_generation_prompt %}<|assistant|>{% if not enable_thinking %}<think></think>{% endif %}{% endif -%}
"""
"""Shows everything that a template can see. Content is text, arguments are objects."""
PARTS = """\
{%- for message in messages -%}
[{{ message.role }}]
{%- if message.content is string %}{{ message.content }}
{%- else %}{% for part in message.content %}<{{ part.type }}>{{ part.text }}{{ part.thinking }}{% endfor %}{% endif -%}
{%- if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif -%}
{%- for call in message.tool_calls or [] %}({{ call.function.name }}:{{ call.function.arguments }}){% endfor -%}
{%- endfor -%}
{%- if add_generation_prompt %}[assistant]{% endif -%}
"""
"""Takes text and parts, and knows reasoning. Arguments are text."""
LIST_ONLY = """\
{%- for message in messages if message.role != 'system' -%}
{%- if message.role == 'critic' %}{{ raise_exception('No critics.') }}{% endif -%}
{{ message.role }}{% for part in message.content %}{{ part.text }}{{ '\\n' }}{% endfor %}{{ eos_token }}
{%- endfor -%}
{%- if add_generation_prompt %}assistant{% if enable_thinking %}<think>{% endif %}{% endif -%}
"""
"""Takes parts only, ignores system messages, raises, and shows where thinking starts."""
MARKS = {family.name: f"{{# {' '.join(family.marks)} #}}" for family in FAMILIES}
TEMPLATES = {
    "generic, everything": DUMP,
    "generic, parts": PARTS,
    "generic, lists only": LIST_ONLY,
    **{name: marks + DUMP for name, marks in MARKS.items()},
    "StepFun": "{# You have access to the following functions in JSONSchema format #}" + PARTS,
    "Gemma 4, official": "{#- OpenAI Chat Completions: '<|tool_call>call:' #}" + DUMP,
    "Qwen3-Coder, thinking": MARKS["Qwen3-Coder"] + "{# <think> #}" + PARTS,
    "Ministral 3, parts": MARKS["Ministral 3"] + PARTS,
    "DeepSeek 4, parts": MARKS["DeepSeek 4"] + PARTS,
}
PARSER = "[json.exception.parse_error.101]"
OUT_OF_SCOPE = ("The model produced output that does not match", "JSON schema error at ")
"""Refusals that stem from preparing to parse what the model will say."""


@pytest.fixture(scope="module", autouse=True)
def utc() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def ours(chat: ChatTemplate, body: Any) -> tuple[int, str]:
    try:
        return 200, chat.apply_request(json.dumps(body)).text
    except (RequestError, TemplateError) as error:
        return error.status or 0, (error.reference_message or "").partition(PARSER)[0]


def theirs(server: LlamaServer, body: Any) -> tuple[int, str]:
    status, answer = server.ask(body)
    if status == 200:
        return status, answer["prompt"]
    return status, answer["error"]["message"].partition(PARSER)[0]


@pytest.mark.parametrize("name", TEMPLATES)
def test_same_answers(name: str) -> None:
    chat = ChatTemplate.from_string(TEMPLATES[name], bos_token="<s>", eos_token="</s>", add_bos=True)
    with LlamaServer({"default": TEMPLATES[name]}) as server:
        assert chat.capabilities.as_dict() == server.capabilities

        @settings(max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(requests())
        def compare(body: Any) -> None:
            expected = theirs(server, body)
            if not any(text in expected[1] for text in OUT_OF_SCOPE) or expected[0] == 200:
                assert ours(chat, body) == expected

        compare()


def test_template_for_tools() -> None:
    sources = {"default": "D{{ messages[0].content }}", "tool_use": "T{{ messages[0].content }}{{ tools|length }}"}
    with LlamaServer(sources, add_bos=False) as server:
        chat = ChatTemplate.from_string(sources["default"])
        tools = ChatTemplate.from_string(sources["tool_use"])
        body = {"messages": [{"role": "user", "content": "x"}]}
        with_tools = {**body, "tools": [{"type": "function", "function": {"name": "f"}}]}
        assert ours(chat, body) == theirs(server, body) == (200, "Dx")
        assert ours(tools, with_tools) == theirs(server, with_tools) == (200, "Tx1")
