"""Marks around reasoning, by comparing renders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from chatjinja import ChatTemplate
from chatjinja.chat.marks import Marks, difference, find_marks, generation_prompt, segments
from chatjinja.errors import RaisedError


def marks(source: str) -> Marks:
    chat = ChatTemplate.from_string(source)
    return chat._default.marks


def found(source: str) -> tuple[str, str, bool]:
    result = marks(source)
    return result.start, result.end, result.thinks


BODY = "{% for m in messages %}{{ m.role }}:REASON{{ m.content }}|{% endfor %}"


def with_reasoning(before: str, after: str, *, calls: bool = False) -> str:
    """Shows reasoning; with `calls` only beside a tool call."""
    shown = before + "{{ m.reasoning_content }}" + after
    if calls:
        return BODY.replace(
            "REASON", "{% if m.tool_calls %}{% if m.reasoning_content %}" + shown + "{% endif %}CALL{% endif %}"
        )
    return BODY.replace("REASON", "{% if m.reasoning_content %}" + shown + "{% endif %}")


PROMPT = "{% if add_generation_prompt %}<bot>{% if enable_thinking %}ON{% else %}OFF{% endif %}{% endif %}"


def prompt(on: str, off: str) -> str:
    return BODY.replace("REASON", "") + PROMPT.replace("ON", on).replace("OFF", off)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x", ("", "", False)),
        ("{{ raise_exception('x') }}", ("", "", False)),
        (with_reasoning("<t>\n", "\n</t> "), ("<t>\n", "\n</t> ", True)),
        (with_reasoning("[a]", "[b]"), ("[a]", "[b]", True)),
        (with_reasoning("think: ", " <end>"), ("", "<end>", True)),
        (with_reasoning("think: ", "."), ("", "", False)),
        (prompt("", ""), ("", "", False)),
        (prompt("{{ '\\n' }}<think>", ""), ("\n<think>", "", True)),
        (prompt("<think>{{ '\\n' }}", ""), ("", "", False)),
        (prompt("  ", ""), ("", "", False)),
        (prompt("", "</think>"), ("<bot>", "</think>", True)),
        (prompt("", " x </think>"), ("", " x </think>", True)),
        (prompt("", "  "), ("", "", False)),
        (prompt("a", "b"), ("", "", False)),
        (
            "{% if enable_thinking %}think{% else %}no{% endif %}"
            + "=" * 70
            + PROMPT.replace("ON", "").replace("OFF", "<a></a>"),
            ("<a>", "</a>", True),
        ),
        (
            "{% if enable_thinking %}think{% else %}no{% endif %}"
            + "=" * 70
            + PROMPT.replace("ON", "").replace("OFF", "<a>x"),
            ("", "", False),
        ),
        (
            with_reasoning("<r>", " </r>", calls=True),
            ("<r>", "</r>", True),
        ),
        (
            with_reasoning("r ", " </r>", calls=True),
            ("", "</r>", True),
        ),
        (with_reasoning("r ", " r", calls=True), ("", "", True)),
        ("{# content.split('</think>') #}x", ("<think>", "</think>", True)),
        ("{# content.split('</think>') reasoning_content #}x", ("", "", False)),
        (
            "{# Write your thoughts between <think></think> and write your response between <response></response> #}x",
            ("<think>", "</think>", True),
        ),
        ("{# <SPECIAL_10> <SPECIAL_11> <SPECIAL_12> <TOOL_RESPONSE> #}x", ("<think>\n", "</think>", True)),
        ("{# laguna_glm_thinking #}" + with_reasoning("<t>\n", "\n</t> "), ("<t>", "</t>", True)),
    ],
)
def test_marks(source: str, expected: tuple[str, str, bool]) -> None:
    assert found(source) == expected


def test_lists_for_templates_that_want_them() -> None:
    reason = "{{ m.reasoning_content and '<t>' + m.reasoning_content + '</t>' }}"
    source = "{% for m in messages %}" + reason + "{% for p in m.content or [] %}{{ p.text }}{% endfor %}{% endfor %}"
    assert found(source)[:2] == ("<t>", "</t>")


def test_a_render_that_raises_is_skipped() -> None:
    def render(messages: list[dict[str, Any]], variables: Mapping[str, Any]) -> str:
        raise RaisedError("no")

    assert find_marks(render, "", True) == Marks("", "", False, "no render shows reasoning")


def test_why() -> None:
    assert marks(with_reasoning("<t>", "</t>")).why == "a render of reasoning shows it"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("a", ["a"]),
        ("a<b>c[d]", ["a", "<b>", "c", "[d]"]),
        ("<b", ["<b"]),
        ("<a>]b", ["<a>", "]b"]),
        ("a[<b>", ["a", "[<b>"]),
    ],
)
def test_segments(text: str, parts: list[str]) -> None:
    assert [item.text for item in segments(text)] == parts


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "", ("", "")),
        ("", "a", ("", "a")),
        ("a", "", ("a", "")),
        ("abc", "abd", ("c", "d")),
        ("<a>x<b>", "<a>y<b>", ("x", "y")),
        ("<a>x<b>", "<a>x<c>y<b>", ("", "<c>y")),
        ("<a><b>", "<a><c><b>", ("", "<c>")),
        ("<a>", "<a>", ("", "")),
        ("<a>", "<b>", ("<a>", "<b>")),
        ("<a>", "<a><b>", ("", "<b>")),
        ("<b>", "<a><b>", ("", "<a>")),
        ("<a><b>", "<a>", ("<b>", "")),
        ("<a><b>", "<b>", ("<a>", "")),
        ("x<a>", "y", ("x<a>", "y")),
        ("x", "y<a>z", ("x", "y<a>z")),
        ("<a>1<b>", "<a>1<b>2<b>", ("", "2<b>")),
        ("q<a>", "q<a>q<a>", ("", "q<a>")),
        ("<a><b><c>", "<a><c>", ("<b>", "")),
    ],
)
def test_difference(left: str, right: str, expected: tuple[str, str]) -> None:
    assert difference(left, right) == expected


@pytest.mark.parametrize(
    ("without", "wanted", "added"),
    [
        ("ab", "abc", "c"),
        ("abd", "abc", "c"),
        ("ab", "a", ""),
        ("xy", "ab", "ab"),
        ("é", "èx", "\udca8x"),
        ("é1", "é2", "2"),
        ("longer text A and more", "longer text B", "B"),
    ],
)
def test_generation_prompt(without: str, wanted: str, added: str) -> None:
    assert generation_prompt(without, wanted) == added
