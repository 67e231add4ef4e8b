"""What the variables of a template do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chatjinja.chat import Evidence
from chatjinja.chat.probes.prober import TOOLS
from chatjinja.chat.probes.records import Variable
from chatjinja.chat.probes.variables import WORD
from tests.chat.probes.support import BOTH_FORMS, CHATML, THINKING, lines, probe
from tests.chat.probes.support import TOOLS as TOOL_TEMPLATE

DOCUMENT = {"title": "zqtitlezq", "text": "zqtextzq", "content": "zqtextzq", "doc_id": 1}


def effects(variable: Variable) -> dict[str, str]:
    return {str(effect.value): effect.changes.answer for effect in variable.effects}


def test_the_usual_ones_are_not_listed() -> None:
    assert probe(TOOL_TEMPLATE + CHATML + "{{ bos_token }}{{ eos_token }}").variables == {}


def test_a_switch() -> None:
    found = probe(THINKING).variables["enable_thinking"]
    assert found.lines == (17,)
    assert found.uses == ("asked whether it is defined", "asked whether it is false")
    assert found.is_guarded
    assert found.required == Evidence("no", "a question is rendered without it")
    assert effects(found) == {"True": "no", "False": "yes"}
    assert found.effects[1].changes.why == r"with a question: '<think>\n\n</think>\n\n' appears"
    assert found.unset_is_like == (True,)


def test_a_switch_for_the_history() -> None:
    found = probe(THINKING).variables["preserve_thinking"]
    assert not found.is_guarded
    assert found.effects[0].changes.why.startswith("with reasoning in the history: ")
    assert found.unset_is_like == (False,)


def test_constants_that_it_is_compared_with() -> None:
    source = lines(
        "{% if reasoning_effort is not defined %}{% set reasoning_effort = 'medium' %}{% endif %}",
        "{% if reasoning_effort not in ['low', 'medium'] %}{{ raise_exception('low or medium') }}{% endif %}",
        "{{ 'Effort: ' ~ reasoning_effort }}",
    )
    found = probe(source + CHATML).variables["reasoning_effort"]
    assert found.defaults == ("'medium'",)
    assert found.unset_is_like == ("medium",)
    assert effects(found) == {"low": "yes", "medium": "no", "zqvaluezq": "probe failed"}
    assert found.effects[2].changes.why == 'with a question: refused: "low or medium"'


@pytest.mark.parametrize(
    ("source", "name", "value"),
    [
        ("{% for d in documents %}{{ d.heading }}{% endfor %}", "documents", [{"heading": WORD}]),
        ("{% for d in documents %}{{ d }}{% endfor %}", "documents", [DOCUMENT]),
        ("{% if tool_functions %}{{ tool_functions|length }}{% endif %}", "tool_functions", TOOLS),
        ("{% if 'python' in builtin_tools %}x{% endif %}", "builtin_tools", ["python"]),
        ("{% for t in builtin_tools %}{{ t == 'python' }}{% endfor %}", "builtin_tools", ["python"]),
        ("{% for x in names %}{{ x }}{% endfor %}", "names", [WORD]),
        ("{% for x in names %}{{ x }}{% endfor %}", "names", {WORD: WORD}),
        ("{{ format.type == 'json' }}{{ format['schema'] }}", "format", {"type": "json", "schema": WORD}),
        ("{% if 'risk' in config %}{{ config.risk }}{% endif %}", "config", {"risk": WORD}),
        ("{{ thinking_budget|default(-1) + 1 }}", "thinking_budget", -1),
        ("{{ thinking_budget|default(-1) + 1 }}", "thinking_budget", 1000),
        ("{{ budget < 512 }}", "budget", 511),
        ("{{ budget < 512 }}", "budget", 513),
        ("{{ system_prompt }}", "system_prompt", WORD),
        ("{{ identity|default('I am') }}", "identity", "I am"),
        ('{{ identity|default("I am") }}', "identity", WORD),
        ('{{ identity|default("it\\"s") }}', "identity", WORD),
        ("{{ flag|default(True) }}", "flag", False),
        ("{{ flag|default(None) }}", "flag", WORD),
        ("{{ flag is defined }}", "flag", True),
        ("{{ n == 1 }}{% if n %}{% endif %}", "n", 1),
        ("{{ n == 1 }}{% if n %}{% endif %}", "n", True),
    ],
)
def test_values_that_are_tried(source: str, name: str, value: Any) -> None:
    tried = [json.dumps(effect.value) for effect in probe(source + CHATML).variables[name].effects]
    assert json.dumps(value) in tried
    assert len(set(tried)) == len(tried)


def test_not_every_value_is_tried() -> None:
    many = ", ".join(f"'{letter}'" for letter in "abcdefghijkl")
    found = probe("{{ x in [" + many + "] }}" + CHATML).variables["x"]
    assert [effect.value for effect in found.effects] == list("abcdefgh")


def test_names_that_mean_something_to_the_probes() -> None:
    source = "{{ prompt }}{{ now }}{{ variables }}{{ self }}" + CHATML
    found = probe(source).variables
    assert list(found) == ["prompt", "now", "variables", "self"]
    assert all(effects(variable) == {WORD: "yes"} for variable in found.values())


def test_with_thinking_switched_on() -> None:
    source = lines(
        "{% for m in messages %}{{ m.content }}",
        "{% if enable_thinking and not drop_thinking %}{{ m.reasoning_content }}{% endif %}{% endfor %}",
    )
    found = probe(source).variables
    assert found["drop_thinking"].effects[0].changes.why.startswith("with thinking switched on: ")
    assert found["enable_thinking"].effects[0].changes.why.startswith("with a call and its result: ")


def test_media_and_answers() -> None:
    ids = BOTH_FORMS.replace("{{- '<img>' }}", "{{- 'Picture: ' if add_vision_id }}{{- '<img>' }}")
    assert ids != BOTH_FORMS
    assert probe(ids).variables["add_vision_id"].effects[0].changes.why.startswith("with an image and a video: ")
    last = CHATML.replace("<|im_end|>", "{{ '' if continue_last and loop.last else '<|im_end|>' }}")
    assert probe(last + "{{ ' ' if continue_last and add_generation_prompt }}").variables["continue_last"]


def test_a_required_variable() -> None:
    source = "{{ language or raise_exception('which?') }}" + CHATML
    found = probe(source).variables["language"]
    assert found.required.answer == "yes"
    assert found.required == Evidence("yes", 'without it: refused: "which?"', 1)
    failing = probe("{{ x }}{{ raise_exception('never') }}").variables["x"]
    assert failing.required == Evidence("probe failed", 'whatever its value: refused: "never"', 1)
    assert failing.effects[0].changes == Evidence("no", "the same text in every probe")


def test_a_value_of_the_wrong_kind() -> None:
    source = "{% if prefix %}{{ '>' ~ prefix }}{{ prefix.strip() }}{% endif %}" + CHATML
    found = effects(probe(source).variables["prefix"])
    assert found == {"zqvaluezq": "yes", "True": "probe failed", "False": "no"}


def test_a_value_that_fails_in_one_conversation_only() -> None:
    source = "{% if x and tools %}{{ x.strip() }}{% elif x and not add_generation_prompt %}{{ x }}{% endif %}" + CHATML
    assert effects(probe(source).variables["x"])["True"] == "yes"
