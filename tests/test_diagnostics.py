"""Errors as text and as data."""

from __future__ import annotations

import pytest

import chatjinja
from chatjinja import TemplateError
from chatjinja.diagnostics import error_data, render_error
from chatjinja.source import Source, Span


def text_of(source: str) -> str:
    with pytest.raises(TemplateError) as info:
        chatjinja.Environment().from_string(source, name="t").render()
    return str(info.value)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("{{ 1 + nope }}", ["  1 | {{ 1 + nope }}", "    |    ~~^~~~~~"]),
        ("{{ nope() }}", ["  1 | {{ nope() }}", "    |    ~~~~^~"]),
        ("é {{ 1 + nope }}", ["  1 | é {{ 1 + nope }}", "    |      ~~^~~~~~"]),
        ("你 {{ 1 + nope }}", ["  1 | 你 {{ 1 + nope }}", "    |       ~~^~~~~~"]),
        ("a\n\n\n\n\n\n\n\n\n{{ 1 + nope }}", ["  10 | {{ 1 + nope }}", "     |    ~~^~~~~~"]),
        ("{{ 1 +\n nope }}", ["  1 | {{ 1 +", "    |    ~~^"]),
        ("{{ 1\n + nope }}", ["  2 |  + nope }}", "    | ~^~~~~~"]),
        ("\t\x00{{ 1 + nope }}", ["  1 |   {{ 1 + nope }}", "    |      ~~^~~~~~"]),
        ("{{ 'a", ["  1 | {{ 'a", "    |    "]),
        ("{% if 1 %}", ["  1 | {% if 1 %}", "    | "]),
    ],
)
def test_excerpt_and_mark(source: str, lines: list[str]) -> None:
    head, excerpt, mark = text_of(source).split("\n")
    assert head.startswith("t:")
    assert excerpt == lines[0]
    assert mark.startswith(lines[1])
    assert mark.count("^") == 1


@pytest.mark.parametrize(("before", "after"), [(0, 500), (500, 0), (300, 300), (51, 60), (0, 87)])
def test_long_lines_are_cropped_around_the_place(before: int, after: int) -> None:
    _, excerpt, mark = text_of("b" * before + "{{ 1 + nope }}" + "a" * after).split("\n")
    assert len(excerpt) <= len("  1 | ") + 102
    assert excerpt[mark.index("^")] == "+"
    assert ("…b" in excerpt) == (before > 50)
    assert excerpt.endswith("a…") == (after >= 60)


def test_a_long_failing_expression_is_cropped_too() -> None:
    _, excerpt, mark = text_of("{{ " + "'x' ~ " * 100 + "'x' - 1 }}").split("\n")
    assert excerpt[mark.index("^")] == "-"
    assert len(mark) <= len(excerpt)


def test_without_a_place_there_is_only_the_message() -> None:
    error = TemplateError("what")
    assert render_error(error, Source("abc", "n")) == "n: what"
    error.lineno = 1
    assert render_error(error, Source("abc", "n")) == "n:1: what"
    error.colno, error.template_name = 2, "other"
    assert render_error(error, Source("abc", "n")) == "other:1:2: what\n  1 | abc\n    |  ^"
    error.span = Span(0, 3)
    assert render_error(error, Source("abc", "n")) == "other:1:2: what\n  1 | abc\n    | ~^~"


def test_data() -> None:
    with pytest.raises(TemplateError) as info:
        chatjinja.Environment().from_string("é{{ 1 + nope }}", name="t").render()
    assert error_data(info.value) == {
        "type": "OperationError",
        "code": "undefined-operand",
        "message": "Cannot perform operation + on undefined values",
        "phase": "run",
        "node": "BinaryExpression",
        "line": 1,
        "column": 8,
        "span": [4, 12],
        "template": "t",
    }
    assert error_data(TemplateError("m"))["span"] is None
