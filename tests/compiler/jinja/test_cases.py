"""Every kind of template gives what Jinja2 gives, in each of the four forms."""

from __future__ import annotations

import pytest

from chatjinja import Environment, TemplateError
from chatjinja.environment.jinja_template import JinjaTemplate
from tests.compiler.jinja.cases import CONTEXT, TOPICS, expected

CASES = [
    pytest.param(source, id=f"{topic} {number}")
    for topic, sources in TOPICS.items()
    for number, source in enumerate(sources)
]


def compiled(source: str, *, eager: bool) -> JinjaTemplate:
    template = Environment("transformers", now=0, cache_size=0).from_string(source)
    assert isinstance(template, JinjaTemplate)
    template._eager = eager
    return template


def text(source: str, *, eager: bool) -> str | None:
    """The text; None for an error."""
    try:
        return compiled(source, eager=eager).render(CONTEXT)
    except TemplateError:
        return None


def marked_text(source: str, *, eager: bool, provenance: bool = False) -> str | None:
    """The text of the sound form, or of the one with provenance; None for an error."""
    try:
        prompt = compiled(source, eager=eager).render_marked(CONTEXT, provenance=provenance)
    except TemplateError:
        return None
    assert "".join(part.text for part in prompt.parts) == prompt.text
    return prompt.text


@pytest.mark.parametrize("source", CASES)
def test_text(source: str) -> None:
    assert text(source, eager=False) == expected(source)
    assert text(source, eager=True) == expected(source)


@pytest.mark.parametrize("source", CASES)
def test_marked_text(source: str) -> None:
    assert marked_text(source, eager=False) == expected(source)
    assert marked_text(source, eager=True) == expected(source)


@pytest.mark.parametrize("source", CASES)
def test_text_with_provenance(source: str) -> None:
    assert marked_text(source, eager=False, provenance=True) == expected(source)
    assert marked_text(source, eager=True, provenance=True) == expected(source)
