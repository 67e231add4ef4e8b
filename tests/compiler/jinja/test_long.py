"""Long chains and deep nesting, in the text form and the sound form."""

from __future__ import annotations

from typing import Any

import pytest

from chatjinja import Environment, LimitError, Limits, TemplateSyntaxError

CONTEXT: dict[str, Any] = {"n": 1, "s": "x", "e": "", "l": [1]}
MANY = 2_000
VERY_MANY = 10_000
LONG = {
    "+ of numbers": ("{{ n" + " + n" * VERY_MANY + " }}", str(VERY_MANY + 1)),
    "+ of strings": ("{{ s" + " + 'a'" * MANY + " }}", "x" + "a" * MANY),
    "+ set": ("{% set q = s" + " + 'a'" * MANY + " %}{{ q|length }}", str(MANY + 1)),
    "-": ("{{ n" + " - n" * MANY + " }}", str(1 - MANY)),
    "~": ("{% set q = s" + " ~ s" * MANY + " %}{{ q|length }}", str(MANY + 1)),
    "and": ("{{ n" + " and s" * MANY + " }}", "x"),
    "or": ("{% if e" + " or e" * MANY + " or s %}y{% endif %}", "y"),
    "<": ("{{ 0" + "".join(f" < {i}" for i in range(1, MANY)) + " }}", "True"),
    "filters": ("{{ s" + "|upper" * MANY + " }}", "X"),
    "filters with arguments": ("{{ s" + "|default('a')" * MANY + " }}", "x"),
    "attributes": ("{{ n" + ".real" * MANY + " }}", "1"),
    "methods": ("{{ s" + ".upper()" * MANY + " }}", "X"),
    "items": ("{{ s" + "[0]" * MANY + " }}", "x"),
    "conditions": ("{{ " + "1 if e else " * MANY + "s }}", "x"),
    "conditions without else": ("{{ " + "1 if e else " * MANY + "s if e }}", ""),
    "conditions of strings": ("{{ " + "s + 'a' if e else " * MANY + "s + 'b' }}", "xb"),
    "elif": ("{% if e %}" + "{% elif e %}n" * MANY + "{% elif n %}y{% set q = 1 %}{% else %}n{% endif %}{{ q }}", "y1"),
    "elif, else": ("{% if e %}" + "{% elif e %}n" * MANY + "{% else %}y{% endif %}", "y"),
    "elif, neither": ("{% if e %}" + "{% elif e %}n" * MANY + "{% endif %}y", "y"),
    "list": ("{{ [" + "n," * MANY + "]|length }}", str(MANY)),
    "statements": ("{% set q = n %}{{ q }}" * MANY, "1" * MANY),
    "if": ("{% if n %}" * 150 + "x" + "{% endif %}" * 150, "x"),
    "for": ("{% for i in l %}" * 20 + "{{ loop.index }}" + "{% endfor %}" * 20, "1"),
    "set blocks": ("{% set q %}" * 60 + "x" + "{% endset %}{{ q }}" * 60, "x"),
    "brackets": ("{{ " + "[" * 150 + "n" + "]" * 150 + " }}", "[" * 150 + "1" + "]" * 150),
    "macros": ("{% macro f() %}" * 40 + "x" + "{% endmacro %}{{ f() }}" * 40, "x"),
}


@pytest.mark.parametrize("name", LONG)
def test_long(name: str) -> None:
    source, text = LONG[name]
    template = Environment("transformers", cache_size=0).from_string(source)
    assert template.render(CONTEXT) == text
    assert template.render_marked(CONTEXT).text == text


def test_more_loops_than_python_takes_are_refused_as_in_jinja2() -> None:
    source = "a\n" + "{% for i in l %}" * 21 + "x" + "{% endfor %}" * 21
    with pytest.raises(TemplateSyntaxError, match="too many statically nested blocks"):
        Environment("transformers").from_string(source).render(CONTEXT)


@pytest.mark.parametrize("depth", [210, 1500])
def test_bodies_nested_too_deeply(depth: int) -> None:
    source = "{% if n %}" * depth + "x" + "{% endif %}" * depth
    with pytest.raises(LimitError) as caught:
        Environment("transformers", limits=Limits(nesting=2000)).from_string(source).render(CONTEXT)
    assert caught.value.limit == "nesting"
