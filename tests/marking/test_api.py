"""`render_marked`, its options, and what it gives back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import chatjinja
from chatjinja import DEFAULT_TRUST, ContextError, Environment, LimitError, Limits, Prompt, TemplateError, TrustPolicy
from chatjinja.environment.template import LlamaTemplate
from tests.marking.support import CLOCK, ENVIRONMENT, marks

HELLO = ENVIRONMENT.from_string("Hello {{ name }}!")


def test_sound_is_the_default() -> None:
    prompt = HELLO.render_marked({"name": "Ada"})
    assert isinstance(prompt, Prompt)
    assert prompt.text == "Hello Ada!"
    assert prompt.parts == (("Hello ", False, None, None), ("Ada", True, None, None), ("!", False, None, None))
    assert prompt.parts[1].text == "Ada"


def test_nothing_to_print() -> None:
    template = ENVIRONMENT.from_string("{{ none }}")
    for marking in ("sound", "reference"):
        prompt = template.render_marked(marking=marking)  # type: ignore[arg-type]
        assert (prompt.text, prompt.parts) == ("", ())
    assert template.render_marked({}, provenance=True).parts == ()


def test_empty_pieces_stay_in_the_reference_only() -> None:
    template = ENVIRONMENT.from_string("a{{ x }}b{{ '' }}")
    assert template.render_marked({"x": ""}).parts == (("ab", False, None, None),)
    parts = template.render_marked({"x": ""}, marking="reference").parts
    assert [(p.is_input, p.text) for p in parts] == [(False, "a"), (True, ""), (False, "b")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"marking": "none"}, "unknown marking 'none'; known: sound, reference"),
        ({"marking": "reference", "trust": DEFAULT_TRUST}, "trust is for sound marking"),
        ({"marking": "reference", "provenance": True}, "provenance is for sound marking"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HELLO.render_marked({}, **options)


def test_a_dialect_whose_engine_does_not_mark() -> None:
    dialect = dataclasses.replace(HELLO.dialect, name="other", reference_marking=False)
    template = LlamaTemplate(HELLO.source, HELLO.tree, dialect, Limits(), HELLO._clock)
    with pytest.raises(ValueError, match="'other' does not mark input"):
        template.render_marked({}, marking="reference")
    assert marks(template.render_marked({"name": "Ada"}).parts) == "Hello ⟨Ada⟩!"


def test_clock() -> None:
    template = ENVIRONMENT.from_string("{{ strftime_now('%Y') }}")
    assert template.render_marked({}, now=0).text in ("1970", "1969")
    assert template.render_marked({}).text == template.render({})
    assert marks(ENVIRONMENT.from_string("{{ strftime_now(f) }}").render_marked({"f": "%Y"}, now=CLOCK).parts)[0] == "⟨"


def test_context_may_be_any_mapping() -> None:
    assert HELLO.render_marked(None).text == "Hello !"
    with pytest.raises(ContextError):
        HELLO.render_marked([])  # type: ignore[arg-type]


@pytest.mark.parametrize("marking", ["sound", "reference"])
@pytest.mark.parametrize(
    "source",
    [
        "{{ x.y() }}",
        "a\n{{ 1 + none }}",
        "{% break %}",
        "{{ raise_exception('no') }}",
        "{% if range %}x{% endif %}",
        "{{ (range if x else 1) ~ 'a' }}{{ [] * 2 }}",
        "{{ [x.append(1)] + 2 }}",
    ],
)
def test_errors_are_those_of_render(source: str, marking: Any) -> None:
    template = ENVIRONMENT.from_string(source)
    context = {"x": [1]}
    with pytest.raises(TemplateError) as plain:
        template.render(context)
    with pytest.raises(TemplateError) as marked:
        template.render_marked(context, marking=marking)
    assert str(marked.value) == str(plain.value)
    if marking == "sound":
        with pytest.raises(TemplateError) as traced:
            template.render_marked(context, provenance=True)
        assert str(traced.value) == str(plain.value)


@pytest.mark.parametrize("marking", ["sound", "reference"])
def test_limits_hold(marking: Any) -> None:
    env = Environment(limits=Limits(output=30, value=100_000))
    with pytest.raises(LimitError, match="output"):
        env.from_string("{{ x }}{{ x }}").render_marked({"x": "a" * 20}, marking=marking)
    with pytest.raises(LimitError, match="output"):
        env.from_string("{{ x ~ x }}").render_marked({"x": "a" * 20_000}, marking=marking)
    with pytest.raises(LimitError, match="a string is longer"):
        env.from_string("{% set y = x ~ x %}{{ y }}").render_marked({"x": "a" * 60_000}, marking=marking)
    with pytest.raises(LimitError, match="output"):
        env.from_string("{% for i in range(50) %}ab{% endfor %}").render_marked({}, provenance=marking == "sound")
    with pytest.raises(LimitError, match="macro calls are nested deeper"):
        env.from_string("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}").render_marked({}, marking=marking)


def test_changing_the_context_works_on_a_copy() -> None:
    template = ENVIRONMENT.from_string("{{ l.append(x) }}{{ l|join }}{% set d.k = 'v' %}{{ d.k }}")
    context = {"l": ["a"], "x": "b", "d": {}}
    assert marks(template.render_marked(context).parts) == "⟨ab⟩⟨ab⟩v".replace("⟩⟨", "")
    assert context == {"l": ["a"], "x": "b", "d": {}}


@pytest.mark.parametrize("marking", ["sound", "reference"])
def test_lone_surrogates_are_refused_with_their_place(marking: Any) -> None:
    with pytest.raises(ContextError) as caught:
        HELLO.render_marked({"name": "\ud800"}, marking=marking)
    assert caught.value.pointer == "/name"


def test_bytes_that_are_no_utf8_round_trip() -> None:
    prompt = HELLO.render_marked({"name": "\udcff"})
    assert prompt.to_bytes() == b"Hello \xff!"
    assert marks(prompt.parts) == "Hello ⟨\udcff⟩!"


def test_a_character_split_between_parts() -> None:
    prompt = ENVIRONMENT.from_string("{{ 'é'[0] }}{{ x }}").render_marked({"x": "\udca9"})
    assert prompt.text == "é"
    assert [(p.text, p.is_input) for p in prompt.parts] == [("\udcc3", False), ("\udca9", True)]
    assert prompt.spans() == [(0, 1)]


def test_deep_stacks_do_not_matter() -> None:
    def deep(levels: int) -> str:
        return deep(levels - 1) if levels else HELLO.render_marked({"name": "x"}, provenance=True).text

    assert deep(900) == "Hello x!"


def test_exports() -> None:
    assert {"Part", "Prompt", "TrustPolicy", "DEFAULT_TRUST"} <= set(chatjinja.__all__)
    assert TrustPolicy({}).paths == {}


@pytest.mark.parametrize("options", [{}, {"marking": "reference"}, {"provenance": True}])
def test_lists_print_in_another_way_than_they_concatenate(options: dict[str, Any]) -> None:
    """The first render notices it, and is done once more with code that checks."""
    template = Environment().from_string("{{ 'a' + x }}")
    for _ in range(2):
        prompt = template.render_marked({"x": ["b"]}, **options)
        assert "".join([part.text for part in prompt.parts]) == prompt.text == "a['b']"
