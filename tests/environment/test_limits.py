"""Each limit, small: what just fits and what does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chatjinja import Environment, LimitError, Limits, Template
from tests.properties.outcomes import exact, fast

RECURSIVE = "{% macro m(k) %}{% if k > 1 %}{{ m(k - 1) }}{% endif %}x{% endmacro %}{{ m(n) }}"
CALLERS = "{% macro m(k) %}{{ caller() if k <= 1 else m(k - 1) }}{% endmacro %}{% call m(n - 1) %}x{% endcall %}"
LIMITED = [
    ("steps", 5, "{% for x in range(n) %}{{ x }}{% endfor %}"),
    ("steps", 6, "{% for x in range(n - 4) %}{% for y in [1, 2] %}{% endfor %}{% endfor %}"),
    ("steps", 5, "{% macro m() %}{% endmacro %}{% for x in range(n - 2) %}{% endfor %}{{ m() }}{{ m() }}"),
    ("recursion", 4, RECURSIVE),
    ("recursion", 5, CALLERS),
    ("recursion", 4, "{% set f = [0] %}" + RECURSIVE.replace("m(k - 1)", "[m][0](k - 1)")),
    ("items", 4, "{{ range(n) }}"),
    ("items", 4, "{{ words[:2] + words[:n - 2] }}"),
    ("items", 4, "{{ ('a' * (n - 1)).split('a') }}"),
    ("items", 4, "{% set l = [] %}{% for x in words[:n] %}{% set _ = l.append(x) %}{% endfor %}"),
    ("value", 4, "{{ ('x' * n)|length }}"),
    ("value", 20000, "{{ ('x' * (n - 1) ~ 'y')|length }}"),
    ("value", 20000, "{% set x %}{% for i in range(n) %}x{% endfor %}{% endset %}{{ x|length }}"),
    ("value", 20000, "{% macro m() %}{% for i in range(n) %}x{% endfor %}{% endmacro %}{{ m()|length }}"),
    ("value", 20000, "{{ (['x' * (n - 4)]|tojson)|length }}"),
    ("output", 30, "{{ 'x' * 20 }}{{ 'x' * (n - 20) }}"),
    ("output", 30, "{% for i in range(n) %}x{% endfor %}"),
    (
        "output",
        30,
        "{{ words * 0 if no }}{% set l = [] %}{% for i in range(n) %}x{% endfor %}{% set _ = l.append(1) %}",
    ),
    ("data_depth", 5, "{{ deep|tojson }}"),
    ("data_depth", 5, "{{ deep|string }}"),
    ("data_depth", 5, "{{ deep }}"),
]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(("limit", "size", "source"), LIMITED)
@pytest.mark.parametrize("way", [fast, exact])
def test_what_fits_renders_and_one_more_does_not(way: Callable[..., Any], limit: str, size: int, source: str) -> None:
    template = Environment(limits=Limits(**{limit: size})).from_string(source)

    def context(n: int) -> dict[str, Any]:
        return {"words": list("abcdefg"), "n": n, "deep": nested(min(n, 10))}

    assert way(template, context(size)).message is None
    over = way(template, context(size + 1))
    assert over.kind == "LimitError"
    assert f"{size}" in (over.message or "")


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        ("source", "limit-source"),
        ("nesting", "limit-nesting"),
        ("recursion", "limit-recursion"),
        ("data_depth", "limit-data-depth"),
    ],
)
def test_the_error_names_the_limit(limit: str, code: str) -> None:
    source = "{% macro m(x) %}{{ m([x]) }}{% endmacro %}{{ [[[[[[(1)]]]]]]|tojson }}{{ m(1) }}"
    with pytest.raises(LimitError) as caught:
        Environment(limits=Limits(**{limit: 5})).from_string(source).render()
    assert caught.value.limit == limit
    assert caught.value.code == code
    assert caught.value.message.startswith("limit reached: ")


def test_the_source_may_be_as_long_as_the_limit() -> None:
    environment = Environment(limits=Limits(source=10))
    assert environment.from_string("0123456789").render() == "0123456789"
    with pytest.raises(LimitError):
        environment.from_string("0123456789a")


def deeper(frames: int, action: Callable[[], Any]) -> Any:
    return action() if frames == 0 else deeper(frames - 1, action)


@pytest.mark.parametrize(
    "source",
    [
        RECURSIVE,
        "{{ n }}",
        "{% for x in [1] %}" * 60 + "x" + "{% endfor %}" * 60,
        "{% if 1 %}" * 190 + "x" + "{% endif %}" * 190,
        "{{ " + "(" * 190 + "n" + ")" * 190 + " }}",
        "{{ " + "[" * 150 + "n" + "]" * 150 + " }}",
        "{{ " + "[" * 150 + "n" + "]" * 150 + "|tojson }}",
        "{% macro m() %}{{ deep[5] }}{{ caller() }}{% endmacro %}{% call m() %}{{ deep[5]|string }}{% endcall %}",
    ],
)
def test_rendering_works_from_a_deep_stack(source: str) -> None:
    context = {"n": 190, "deep": [nested(depth) for depth in range(8)]}

    def render() -> str:
        template: Template = Environment().from_string(source)
        return template.render(context)

    assert deeper(900, render) == render()


def test_errors_from_a_deep_stack_are_the_same() -> None:
    for source in (RECURSIVE, "{{ " + "(" * 300, "{% for x in [1] %}" * 60 + "{{ 1 + nope }}" + "{% endfor %}" * 60):

        def failing(source: str = source) -> tuple[Any, ...]:
            with pytest.raises(Exception, match=r".") as caught:
                Environment().from_string(source).render({"n": 1000})
            error: Any = caught.value
            return type(error), error.message, error.node, error.lineno, error.colno, error.span

        assert deeper(850, failing) == failing()
