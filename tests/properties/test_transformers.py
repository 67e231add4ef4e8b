"""Random templates come out of the ``transformers`` dialect as out of Jinja2."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.corpora import Case
from tests.conformance.jinja2_checker import Jinja2Checker
from tests.properties.jinja_grammar import CONTEXT, JinjaGrammar


@cache
def checker() -> Jinja2Checker:
    return Jinja2Checker(guarded=True)


@st.composite
def templates(draw: st.DrawFn) -> str:
    return JinjaGrammar(lambda count: draw(st.integers(0, count - 1))).template()


@given(templates())
@settings(max_examples=200, deadline=None)
def test_random_templates(source: str) -> None:
    expected = checker().expected(source, CONTEXT)
    failure = checker().compare(Case("random", "random", source, "", None, None), expected, CONTEXT)
    assert failure is None, str(failure)
