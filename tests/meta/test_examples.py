"""The example template works, and Jinja2 agrees about what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import chatjinja
from benchmarks.conversations import context
from benchmarks.peers import compile_jinja2

SOURCE = (Path(__file__).resolve().parents[2] / "examples" / "chat.jinja").read_text(encoding="utf-8")

CONTEXTS: dict[str, dict[str, Any]] = {
    "no messages": {"messages": []},
    "plain": context(3),
    "tools": context(4, with_tools=True),
    "arguments as text": context(4, with_tools=True, arguments_as_text=True),
    "no system message": {"messages": [{"role": "user", "content": "Hi"}], "add_generation_prompt": True},
    "documents": {**context(1), "documents": [{"title": "A", "text": "b"}, {"title": "C", "text": "d"}]},
    "reasoning": {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What is it?"}, {"type": "image"}]},
            {"role": "assistant", "content": "A cat.", "reasoning_content": " Fur and ears. "},
        ],
        "enable_thinking": True,
        "add_generation_prompt": True,
    },
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_jinja2_agrees(name: str) -> None:
    values = CONTEXTS[name]
    assert chatjinja.render(SOURCE, values) == compile_jinja2(SOURCE)(values)


def test_calls_results_and_reasoning_are_shown() -> None:
    text = chatjinja.render(SOURCE, CONTEXTS["tools"])
    assert text.count("<|call|>{") == 3  # two calls and the instructions
    assert text.count("<|result|>") == 2
    assert "<|think|>\nFur and ears.\n<|/think|>" in chatjinja.render(SOURCE, CONTEXTS["reasoning"])


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([{"role": "critic", "content": ""}], "unknown role: critic"),
        ([{"role": "user", "content": ""}, {"role": "system", "content": ""}], "the system message must come first"),
        ([{"role": "user", "content": [{"type": "smell"}]}], "content part 1 has an unknown type"),
    ],
)
def test_refusals(messages: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(chatjinja.RaisedError) as caught:
        chatjinja.render(SOURCE, {"messages": messages})
    assert caught.value.message == f"Jinja Exception: {message}"
