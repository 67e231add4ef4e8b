"""`compare` as a caller sees it."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from typing import Any

import pytest

import chatjinja
from chatjinja.analysis import (
    ENGINES,
    Conversation,
    EngineError,
    built_in_conversations,
    compare,
    parse_conversations,
)
from chatjinja.analysis.conversations import as_conversations
from chatjinja.analysis.variables import Habits, as_transformers

MESSAGES = [{"role": "user", "content": "Grüezi"}]
LLAMA_AND_TRANSFORMERS = ("llama.cpp", "transformers")


def one(template: str, context: dict[str, Any] | None = None, **options: Any) -> chatjinja.Difference:
    """The only difference on one conversation."""
    report = compare(template, [{"messages": MESSAGES, **(context or {})}], **options)
    assert len(report.differences) == 1
    return report.differences[0]


def test_text() -> None:
    difference = one("<s>{{ messages[0].content }}\n{{ x }}!", {"x": None})
    assert difference.kind == "text"
    assert difference.offset == len("<s>Grüezi\n".encode())
    assert difference.left_excerpt is not None
    assert difference.right_excerpt is not None
    assert (difference.left_excerpt.before, difference.left_excerpt.here) == ("<s>Grüezi\n", "!")
    assert (difference.right_excerpt.here, difference.right_excerpt.bytes) == ("None!", "4e")
    assert (difference.lineno, difference.expression) == (2, "{{ x }}")
    (finding,) = difference.findings
    assert (finding.cause, finding.lineno, finding.expression) == ("none-printed", 2, "x")
    assert finding.rewrite == "(x if x is not none else '')"
    assert finding.verified
    assert json.loads(json.dumps(difference.to_dict()))["left"]["before"] == "<s>Grüezi↵"


def test_value_is_named() -> None:
    difference = one("{{ messages[0].content|upper }}")
    assert difference.source == "/messages/0/content"
    assert difference.findings[0].cause == "case-beyond-ascii"
    assert difference.findings[0].rewrite is None


def test_one_raises() -> None:
    difference = one("a\n{{ x.y.z }}", {"x": {}})
    assert (difference.kind, difference.offset) == ("raises", None)
    assert difference.left_failure is None
    assert difference.right_failure == "'dict object' has no attribute 'y'"
    assert (difference.lineno, difference.findings[0].cause) == (2, "access-of-undefined")
    assert difference.findings[0].rewrite == "(x.y or {}).z"


def test_messages_of_raise_exception() -> None:
    template = "{{ raise_exception('No ' ~ x) }}"
    difference = one(template, {"x": None})
    assert (difference.kind, difference.offset) == ("message", 3)
    assert (difference.left_failure, difference.right_failure) == ("No ", "No None")
    assert difference.findings[0].cause == "none-in-text"
    assert compare(template, [{"messages": MESSAGES, "x": "x"}]).agrees


def test_both_fail_is_no_difference() -> None:
    assert compare("{{ x + 1 }}", [MESSAGES]).agrees
    assert compare("{% if %}", [MESSAGES]).agrees


def test_unknown_cause() -> None:
    difference = one(
        "{{ x }}{{ 1 is sameas(1) }}{{ {}|string|length }}{{ [x]|map(attribute='')|list|length }}{{ x is callable }}"
        "{{ strftime_now }}",
        {"x": 1},
    )
    assert difference.findings == ()


def test_several_causes_and_a_portable_template() -> None:
    template = "{{ x }}{% for n in names|sort %}{{ n }}{% endfor %}{{ y ~ x }}"
    context = {"x": None, "y": "y", "names": ["b", "A"]}
    report = compare(template, [{"messages": MESSAGES, **context}])
    causes = [finding.cause for finding in report.differences[0].findings]
    assert causes == ["none-printed", "none-in-text"]
    assert report.portable is not None
    assert compare(report.portable, [{"messages": MESSAGES, **context}]).agrees


def test_no_portable_template() -> None:
    assert compare("{{ x|tojson }}", [{"messages": MESSAGES, "x": 1.0}]).portable is None
    assert compare("{{ x }}", [{"messages": MESSAGES, "x": 1}]).portable is None


def test_causes_are_remembered() -> None:
    names = ["one", "two", "three"]
    report = compare("{{ messages[0].content }}{{ x }}", {name: {"messages": MESSAGES, "x": None} for name in names})
    assert [difference.conversation for difference in report.differences] == names
    assert {difference.findings[0].cause for difference in report.differences} == {"none-printed"}


def test_unverified_causes_are_remembered() -> None:
    report = compare("{{ 'a b'|wordcount }}", dict.fromkeys(("one", "two"), MESSAGES))
    assert [difference.findings[0].verified for difference in report.differences] == [False, False]
    assert report.differences[0].findings[0].title == "the filter `wordcount`"


def test_two_templates() -> None:
    report = compare("{{ messages[0].content }}!", [MESSAGES], ("llama.cpp",), other="{{ messages[0].content }}?")
    (difference,) = report.differences
    assert (str(difference.left), str(difference.right)) == ("llama.cpp, first template", "llama.cpp, second template")
    assert (difference.offset, difference.findings) == (7, ())
    assert report.portable is None


def test_the_place_is_in_the_template_that_fails() -> None:
    good, bad = "a\nb\nc", "\n\n\n\n{{ x.f() }}"
    for templates in ((good, bad), (bad, good)):
        difference = compare(templates[0], [MESSAGES], ("llama.cpp",), other=templates[1]).differences[0]
        assert (difference.lineno, difference.expression) == (5, "x.f()")


def test_report_is_frozen_data() -> None:
    report = chatjinja.compare("{{ x }}", [{"messages": MESSAGES, "x": None}])
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.portable = ""  # type: ignore[misc]
    data = json.loads(json.dumps(report.to_dict()))
    assert (data["agrees"], list(data["engines"]), data["conversations"]) == (False, [*LLAMA_AND_TRANSFORMERS], ["#1"])
    assert data["differences"][0]["causes"][0]["cause"] == "none-printed"


def test_engines() -> None:
    with pytest.raises(EngineError, match=r"unknown engine 'x'; known: llama\.cpp"):
        compare("", engines=("llama.cpp", "x"))
    with pytest.raises(ValueError, match="at least one engine"):
        compare("", engines=())
    with pytest.raises(ValueError, match="two templates"):
        compare("", engines=("llama.cpp",))
    assert all(engine.version() for name, engine in ENGINES.items() if engine.missing() is None)


def test_clock() -> None:
    moment = datetime(2026, 1, 1, 9, 30, tzinfo=UTC)
    report = compare("{{ strftime_now('%H:%M') }}", [MESSAGES], now=moment)
    assert {result.outcome.text for result in report.results} == {"09:30"}


# --- conversations ---------------------------------------------------------------------------------------


def test_built_in_conversations() -> None:
    found = built_in_conversations()
    assert len(found) == 14
    found[0].context["messages"].clear()
    assert built_in_conversations()[0].context["messages"]
    text = json.dumps([item.context for item in found], ensure_ascii=False)
    for needed in ("tool_calls", "reasoning_content", "東京", "image_url", "enable_thinking", "null", "false"):
        assert needed in text


def test_names_and_defaults() -> None:
    (first,) = as_conversations([MESSAGES])
    assert first == (
        "#1",
        {"bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": True, "messages": MESSAGES},
    )
    request = {"messages": MESSAGES, "add_generation_prompt": False, "chat_template_kwargs": {"x": 1}}
    (named,) = as_conversations({"n": request})
    assert named.name == "n"
    assert (named.context["x"], named.context["add_generation_prompt"]) == (1, False)
    assert "chat_template_kwargs" not in named.context
    assert as_conversations([first]) == [first]
    assert as_conversations([{"messages": MESSAGES, "chat_template_kwargs": None}])[0].context["messages"] == MESSAGES


@pytest.mark.parametrize("wrong", [[[]], ["text"], [{"tools": []}], [[{"content": "x"}]], [{"messages": "x"}]])
def test_what_is_no_conversation(wrong: Any) -> None:
    with pytest.raises(ValueError, match="#1 is neither a list of messages"):
        as_conversations(wrong)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (json.dumps(MESSAGES), ["#1"]),
        (json.dumps({"messages": MESSAGES}), ["#1"]),
        (json.dumps([MESSAGES, {"messages": MESSAGES}]), ["#1", "#2"]),
        (json.dumps({"a": MESSAGES, "b": {"messages": MESSAGES}}), ["a", "b"]),
        (f"{json.dumps(MESSAGES)}\n\n{json.dumps({'messages': MESSAGES})}\n", ["line 1", "line 3"]),
    ],
)
def test_files(text: str, names: list[str]) -> None:
    found = parse_conversations(text)
    assert [item.name for item in found] == names
    assert all(isinstance(item, Conversation) and item.context["messages"] == MESSAGES for item in found)


@pytest.mark.parametrize("text", ["", "{", '"text"', "1", f"{json.dumps(MESSAGES)}\n{{", '[{"a": 1}]'])
def test_files_with_something_else(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_conversations(text)


# --- variables -------------------------------------------------------------------------------------------


def test_variables_of_transformers() -> None:
    context = {"messages": [{"role": "assistant", "content": None, "reasoning": "r"}, "odd"]}
    assert as_transformers(context) == {
        "tools": None,
        "documents": None,
        "add_generation_prompt": False,
        "messages": [{"role": "assistant", "thinking": "r", "reasoning": "r", "reasoning_content": "r"}, "odd"],
    }
    assert as_transformers(context, Habits(False, False, False)) == context
    assert as_transformers({"messages": None})["messages"] is None
    assert as_transformers({"messages": [{"content": "x"}]})["messages"] == [{"content": "x"}]


def test_habits_are_causes() -> None:
    hidden = one("{{ messages[0]|length }}", {"messages": [{"role": "assistant", "content": None}]})
    assert hidden.findings[0].cause == "none-keys-dropped"
    assert hidden.findings[0].rewrite is None
    assert compare("{{ tools is defined }}", [MESSAGES], raw=True).agrees
    assert one("{{ tools is defined }}").findings[0].rewrite == "(tools is defined and tools is not none)"


def test_conversations_of_another_type() -> None:
    wrong: Any = 5
    with pytest.raises(ValueError, match="expected a list or a mapping, got int"):
        as_conversations(wrong)
