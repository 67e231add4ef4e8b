"""Our parser beside Jinja2's: the same trees, and the same sources refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from chatjinja import TemplateSyntaxError
from tests.syntax.jinja.differences import difference, our_tree, their_refusal
from tests.syntax.jinja.random_sources import RANDOM_SOURCES
from tests.syntax.jinja.sources import BAD, GOOD


@pytest.mark.parametrize("source", GOOD)
def test_templates(source: str) -> None:
    assert not isinstance(our_tree(source), TemplateSyntaxError)
    assert difference(source) is None


@pytest.mark.parametrize("source", BAD)
def test_refused(source: str) -> None:
    found = our_tree(source)
    assert isinstance(found, TemplateSyntaxError)
    assert found.span is not None
    assert 0 <= found.span.start <= found.span.end <= len(source)
    assert their_refusal(source) is not None


@given(RANDOM_SOURCES)
@settings(max_examples=400, deadline=None)
def test_any_source(source: str) -> None:
    assert difference(source) is None
