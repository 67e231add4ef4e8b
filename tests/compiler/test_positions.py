"""Where errors are reported: line, byte column, node, and the characters that the span covers."""

from __future__ import annotations

import gc
import linecache
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from chatjinja import Environment, OperationError, Template, TemplateError
from chatjinja.runtime.state import Runtime

ROOT = Path(__file__).resolve().parents[2]
CONTEXT: dict[str, Any] = {"a": 1, "s": "x", "l": [1], "d": {"x": {"y": 1}}}
# Template, node, line, column, what the span covers. What fails stands behind text of several lines and bytes.
PLACES = [
    ("{{ 1 + nope }}", "BinaryExpression", 1, 6, "1 + nope"),
    ("é{{ 1 + nope }}", "BinaryExpression", 1, 8, "1 + nope"),
    ("😀é\nü {{ 'é' - 1 }}", "BinaryExpression", 2, 12, "'é' - 1"),
    ("{{ 1 +\n  nope }}", "BinaryExpression", 1, 6, "1 +\n  nope"),
    ("{{ 1\n  + nope }}", "BinaryExpression", 2, 3, "1\n  + nope"),
    ("{{ (1 + 2) * (3 - nope) }}", "BinaryExpression", 1, 17, "3 - nope"),
    ("{{ 'é' ~ (1 - nope) ~ 'x' }}", "BinaryExpression", 1, 14, "1 - nope"),
    ("{{ 1 - 1 - nope }}", "BinaryExpression", 1, 10, "1 - 1 - nope"),
    ("{{ -s }}", "UnaryExpression", 1, 4, "-s"),
    ("{{ s|abs }}", "FilterExpression", 1, 5, "s|abs"),
    ("{{ s|upper|abs|lower }}", "FilterExpression", 1, 11, "s|upper|abs"),
    ("{{ s is odd }}", "TestExpression", 1, 6, "s is odd"),
    ("{{ s is not odd }}", "TestExpression", 1, 6, "s is not odd"),
    ("{{ a.b.c() }}", "CallExpression", 1, 9, "a.b.c()"),
    ("{{ a[0].b }}", "MemberExpression", 1, 5, "a[0]"),
    ("{{ d.x.y[0] }}", "MemberExpression", 1, 5, "d.x.y[0]"),
    ("{{ d.x\n .y[0] }}", "MemberExpression", 1, 5, "d.x\n .y[0]"),
    ("{{ d.get('x').y[0] }}", "MemberExpression", 1, 14, "d.get('x').y[0]"),
    ("{{ range.x() }}", "MemberExpression", 1, 9, "range.x"),
    ("{{ range\n.x() }}", "MemberExpression", 2, 1, "range\n.x"),
    ("{{ s.startswith(1) }}", "CallExpression", 1, 16, "s.startswith(1)"),
    ("{{ nope(1,\n 2) }}", "CallExpression", 1, 8, "nope(1,\n 2)"),
    ("{{ l[1:2:0] }}", "MemberExpression", 1, 5, "l[1:2:0]"),
    ("{{ {l: 1} }}", "ObjectLiteral", 1, 4, "{l: 1}"),
    ("{{ 1 if range else 2 }}", "Ternary", 1, 15, "1 if range else 2"),
    ("{{ 1 if range }}", "SelectExpression", 1, 6, "1 if range"),
    ("{{ (1 + nope) if a }}", "SelectExpression", 1, 15, "(1 + nope) if a"),
    ("{{ range and 1 }}", "BinaryExpression", 1, 10, "range and 1"),
    ("{{ not range }}", "UnaryExpression", 1, 4, "not range"),
    ("{{ s(b=1)|abs }}", "CallExpression", 1, 5, "s(b=1)"),
    ("{{ range(1=2) }}", "KeywordArgumentExpression", 1, 11, "1=2"),
    ("{{ range(*l) }}", "SpreadExpression", 1, 10, "*l"),
    ("{% set x.y = 1 %}", "Set", 1, 4, "{% set x.y = 1 %}"),
    ("x\n{% set a, b = l %}", "Set", 2, 4, "{% set a, b = l %}"),
    ("{% for x in a %}y{% endfor %}", "For", 1, 4, "{% for x in a %}y{% endfor %}"),
    ("{% for x, y in l %}z{% endfor %}", "For", 1, 4, "{% for x, y in l %}z{% endfor %}"),
    ("{% if range %}y{% endif %}", "If", 1, 4, "{% if range %}y{% endif %}"),
    ("{% if no %}x{% elif range %}y{% endif %}", "If", 1, 13, "{% elif range %}y"),
    ("{% filter abs %}x{% endfilter %}", "FilterStatement", 1, 4, "{% filter abs %}x{% endfilter %}"),
    ("{% call a() %}x{% endcall %}", "CallStatement", 1, 4, "{% call a() %}x{% endcall %}"),
    ("{% macro 1() %}x{% endmacro %}", "Macro", 1, 4, "{% macro 1() %}x{% endmacro %}"),
    ("{% macro m(x) %}\né{{ x - 1 }}{% endmacro %}\n\n{{ m('q') }}", "BinaryExpression", 2, 8, "x - 1"),
    ("{% macro m(x=s - 1) %}{% endmacro %}\n{{ m() }}", "BinaryExpression", 1, 16, "s - 1"),
    ("{% macro m(x) %}{% endmacro %}\n{{ m() }}", "CallExpression", 2, 5, "m()"),
    (
        "{% macro m() %}{{ caller() }}{% endmacro %}\n{% call m() %}{{ s - 1 }}{% endcall %}",
        "BinaryExpression",
        2,
        20,
        "s - 1",
    ),
    ("{% for x in l %}{% for y in l %}\n{{ x - s }}{% endfor %}{% endfor %}", "BinaryExpression", 2, 6, "x - s"),
    ("{{ " + "'a' ~ " * 40 + "(s - 1) }}", "BinaryExpression", 1, 247, "s - 1"),
    ("{{ " + "l + " * 40 + "s - 1 }}", "BinaryExpression", 1, 166, None),
    ("{{ s" + "|upper" * 40 + "|abs }}", "FilterExpression", 1, 245, None),
]


def failing(template: Template, way: str) -> TemplateError:
    render: Any = {"fast": template.render, "exact": lambda ctx: template._render_exact(ctx, template._clock)}[way]
    with pytest.raises(TemplateError) as info:
        render(CONTEXT)
    return info.value


@pytest.mark.parametrize("way", ["fast", "exact"])
@pytest.mark.parametrize(("source", "node", "line", "column", "covered"), PLACES)
def test_places(source: str, node: str, line: int, column: int, covered: str | None, way: str) -> None:
    error = failing(Environment().from_string(source), way)
    assert (error.node, error.lineno, error.colno) == (node, line, column)
    assert error.span is not None
    assert covered is None or source[error.span.start : error.span.end] == covered


SCRIPT = """
import chatjinja
for source in ("a\\n\\n{{ 1 + nope }}", "{% macro m() %}\\n{{ s - 1 }}{% endmacro %}{{ m() }}"):
    try:
        chatjinja.render(source, {"s": "x"})
    except chatjinja.TemplateError as error:
        print(error.lineno, error.colno, error.node, error.span, str(error).splitlines()[0])
"""


def test_without_column_information_the_line_is_right() -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    command = [sys.executable, "-X", "no_debug_ranges", "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env={"PYTHONPATH": path})
    assert done.stdout.splitlines() == [
        "3 None None None <template>:3: Cannot perform operation + on undefined values",
        '2 None None None <template>:2: Unknown operator "-" between String and Integer',
    ]


def test_plain_tracebacks_show_the_template() -> None:
    template = Environment().from_string("text\n  {{ 1 + nope }} here", name="chat.jinja")
    form = template.form(exact=False)
    runtime = Runtime(template.dialect.tables, template.limits, {}, template._clock)
    with pytest.raises(OperationError) as info:
        form.root(runtime, {}, [])
    shown = "".join(traceback.format_exception(info.value))
    assert "chat.jinja" in shown
    assert "{{ 1 + nope }} here" in shown


def test_the_traceback_source_goes_with_the_template() -> None:
    def names() -> set[str]:
        return {name for name in linecache.cache if name.startswith("<chatjinja gone")}

    template = Environment(cache_size=0).from_string("x\udcff{{ 1 }}", name="gone")
    assert template.render() == "x\udcff1"
    assert names()
    assert all(linecache.getline(name, 1) for name in names())
    del template
    gc.collect()
    assert not names()
