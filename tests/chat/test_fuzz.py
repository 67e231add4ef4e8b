"""Requests with anything anywhere: a prompt or a typed error, and the same one in every way to ask."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from chatjinja import ChatJinjaError, ChatTemplate, ContextError, RequestError, TrustPolicy
from chatjinja.chat import FAMILIES
from tests.chat.canaries import Canaries, leaks

BODY = (
    "{{ bos_token }}{% if tools %}{{ tools|tojson }}{% endif %}{% for m in messages %}[{{ m.role }}]{{ m.content }}"
    "{{ m.reasoning_content }}{% for c in m.tool_calls or [] %}{{ c|tojson }}{% endfor %}{% endfor %}"
    "{{ x|tojson if x }}{% if add_generation_prompt %}[assistant]{% endif %}"
)
PARTS = BODY.replace("{{ m.content }}", "{% for p in m.content %}{{ p.text|trim }}{% endfor %}")
CHATS = [
    ChatTemplate.from_string(source, bos_token="<s>", add_bos=True)
    for source in (
        BODY,
        PARTS,
        *(f"{{# {' '.join(family.marks)} #}}{BODY}" for family in FAMILIES),
    )
]
KEYS = ("role", "content", "type", "text", "function", "name", "arguments", "id", "tool_calls", "a/b~", "parameters")
FIELDS = (
    *("tools", "json_schema", "response_format", "grammar", "reasoning_effort", "chat_template_kwargs", "logprobs"),
    *("continue_final_message", "add_generation_prompt", "tool_choice", "reasoning_format", "top_logprobs", "messages"),
)
SCALARS = (None, True, False, 0, -1, 2**70, 1.5, float("nan"), "", "text", "\ud800", "\udcff", "user", "function")
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"marking": "sound"},
    {"marking": "reference"},
    {"marking": "sound", "provenance": True},
    {"marking": "sound", "trust": TrustPolicy({"/messages/*/content": None, "/tools/*/function/name": None})},
)


def anything(random: Random, depth: int = 0) -> Any:
    kind = random.randrange(6 if depth < 3 else 4)
    if kind == 4:
        return [anything(random, depth + 1) for _ in range(random.randrange(3))]
    if kind == 5:
        return {random.choice(KEYS): anything(random, depth + 1) for _ in range(random.randrange(4))}
    return random.choice(SCALARS)


def changed(random: Random, value: Any, chance: float) -> Any:
    """A copy with something else, or nothing, here and there."""
    if random.random() < chance:
        return anything(random)
    if isinstance(value, dict):
        made = {key: changed(random, item, chance) for key, item in value.items() if random.random() > chance / 2}
        if random.random() < chance:
            made[random.choice(KEYS)] = anything(random)
        return made
    return [changed(random, item, chance) for item in value] if isinstance(value, list) else value


def checked(error: ChatJinjaError) -> str:
    if isinstance(error, RequestError):
        assert error.status in (400, 500)
        assert error.reference_message
    assert str(error)
    return str(error)


def outcome(chat: ChatTemplate, body: Any, way: dict[str, Any]) -> tuple[str, str]:
    try:
        prompt = chat.apply_request(body, now=0, **way)
    except ContextError:
        return "", ""  # with provenance all of the context is looked at, not only what is printed
    except ChatJinjaError as error:
        return type(error).__name__, checked(error)
    assert b"".join([part.text.encode("utf-8", "surrogateescape") for part in prompt.parts]) == prompt.to_bytes()
    assert prompt.steps
    if way.get("marking") == "sound" and "trust" not in way:
        assert not leaks(prompt.parts)
    return "prompt", prompt.text


@pytest.mark.parametrize("seed", range(40))
def test_anything(seed: int) -> None:
    random = Random(seed)
    for number in range(12):
        chat = CHATS[(seed + number) % len(CHATS)]
        body = changed(random, Canaries(random.randrange(10**6)).request(), random.choice((0.0, 0.005, 0.02, 0.1)))
        if isinstance(body, dict) and random.random() < 0.3:
            body[random.choice(FIELDS)] = anything(random)
        found = {outcome(chat, body, way) for way in WAYS} - {("", "")}
        assert len(found) <= 1, found


@pytest.mark.parametrize("body", [None, 3, [], "", "null", b"", {}, {"messages": {}}, json.dumps({"messages": [3]})])
def test_what_is_no_request(body: Any) -> None:
    with pytest.raises(RequestError):
        CHATS[0].apply_request(body)
