"""What holds for any template and any context."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chatjinja import Environment, LimitError, Template, TemplateError
from chatjinja.syntax.unparse import unparse
from tests.properties import differences
from tests.properties.contexts import CONTEXTS, plain
from tests.properties.grammar import Grammar
from tests.properties.outcomes import environment, fast, is_limit

ENVIRONMENT = environment()
PIECES = [
    "{{",
    "}}",
    "{%",
    "%}",
    "{#",
    "#}",
    "-",
    "if",
    "for",
    "set",
    "endif",
    "endfor",
    "else",
    "x",
    "in",
    "=",
    "|",
    "'",
]
PIECES += [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    "1",
    " ",
    "\n",
    "é",
    "\x00",
    "\udcff",
    "\\",
    "is",
    "not",
    "macro",
    "+",
]
SOURCES = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3))).map("".join)


@st.composite
def templates(draw: st.DrawFn) -> str:
    return Grammar(lambda count: draw(st.integers(0, count - 1)), depth=3).template()


def compiled(source: str) -> Template | None:
    try:
        return ENVIRONMENT.from_string(source)
    except TemplateError:
        return None


@given(templates(), st.sampled_from(CONTEXTS))
def test_all_ways_agree_and_leave_the_context_alone(source: str, make: Any) -> None:
    assert differences.of(source, make()) is None


@given(templates())
def test_a_second_render_gives_the_same(source: str) -> None:
    template = compiled(source)
    if template is not None:
        assert fast(template, plain()) == fast(template, plain())


@given(templates())
def test_unparsed_templates_render_the_same(source: str) -> None:
    template = compiled(source)
    if template is None:
        return
    again = ENVIRONMENT.from_string(unparse(template.tree, template.dialect.syntax))
    before, after = fast(template, plain()), fast(again, plain())
    assert is_limit(before) or (before.text, before.message) == (after.text, after.message)


@given(templates(), st.sampled_from(CONTEXTS))
def test_errors_stand_in_the_source(source: str, make: Any) -> None:
    check_place(ENVIRONMENT, source, make())


@given(SOURCES)
def test_any_text_renders_or_is_refused(source: str) -> None:
    check_place(Environment(), source, copy.deepcopy(plain()))


def check_place(env: Environment, source: str, context: dict[str, Any]) -> None:
    """Render; an error must name a place of the normalised source, and show it."""
    error = error_of(env, source, context)
    if error is None or isinstance(error, LimitError):
        return  # a limit on the whole output stands nowhere
    assert error.lineno is not None
    assert error.span is not None
    assert error.colno is not None
    assert 0 <= error.span.start <= error.span.end <= len(source)
    assert 1 <= error.lineno <= source.count("\n") + source.count("\r") + 1
    assert 1 <= error.colno <= 4 * len(source) + 1
    assert error.message in str(error)
    assert str(error).startswith(f"<template>:{error.lineno}:{error.colno}: ")


def error_of(env: Environment, source: str, context: dict[str, Any]) -> TemplateError | None:
    """What rendering raises."""
    try:
        env.from_string(source).render(context)
    except TemplateError as error:
        return error
    return None
