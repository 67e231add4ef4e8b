"""`test_hostile` for the dialect `transformers`, whose values, operators and sorting are Python's own."""

from __future__ import annotations

import pytest

from chatjinja import Environment, LimitError, Limits
from tests.environment.sandbox import outcome
from tests.environment.test_hostile import doubling_macros, repeated

NESTED = repeated("{% set q.x = (q.x, q.x) %}{% set q.y = (q.y, q.y) %}", "(1, 2), y=(1, 2)")
"""``q.x`` and ``q.y``: equal tuples, small in memory, that hold 2 ** 101 numbers."""
ENDLESS = {
    "equality": "{{ q.x == q.y }}",
    "inequality": "{{ q.x != q.y }}",
    "order": "{{ q.x < q.y }}",
    "chained comparison": "{{ 1 == 1 == (q.x == q.y) }}{{ q.x <= q.y <= q.x }}",
    "test": "{{ q.x is eq(q.y) }}",
    "test in": "{{ q.x is in([q.y]) }}",
    "membership": "{{ q.x in [q.y] }}",
    "membership of keys": "{{ q.x in {} }}",
    "key": "{{ {q.x: 1} }}",
    "item": "{{ {}[q.x] }}",
    "method get": "{{ {}.get(q.x) }}",
    "method index": "{{ [q.x].index(q.y) }}",
    "method count": "{{ [q.x].count(q.y) }}",
    "sort": "{{ [q.x, q.y]|sort }}",
    "min": "{{ [q.x, q.y]|min }}",
    "unique": "{{ [q.x, q.y]|unique|list }}",
    "groupby": "{{ [{'a': q.x}, {'a': q.y}]|groupby('a')|length }}",
    "dictsort": "{{ {'a': q.x, 'b': q.y}|dictsort(by='value')|length }}",
    "name of a filter": "{{ [1]|map(q.x)|list }}",
    "name of a test": "{{ [1]|select(q.x)|list }}",
    "loop.changed": "{% for i in [q.x, q.y] %}{{ loop.changed(i) }}{% endfor %}",
    "text": "{{ q.x|upper }}",
    "format": "{{ '%s' % [q.x] }}",
    "JSON": "{{ q.x|tojson }}",
    "JSON with indent": "{{ q.x|tojson(indent=1) }}",
    "pprint": "{{ q.x|pprint }}",
    "message": "{{ raise_exception(q.x) }}",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_values_nested_in_themselves(name: str) -> None:
    environment = Environment("transformers", cache_size=0, limits=Limits(steps=100_000, items=10_000))
    template = environment.from_string(NESTED + ENDLESS[name])
    for render in (template.render, template.render_marked):
        with pytest.raises(LimitError):
            render({})


BIG = "{% set s = 'x' * 60000000 %}"
OFTEN = "{% for i in range(1000) %}{% for j in range(1000) %}{% set t = "
END = " %}{% endfor %}{% endfor %}"
HOSTILE = {
    "doubled string": (repeated("{% set q.x = q.x + q.x %}", "'ab'"), "limit-value"),
    "doubled string with ~": (repeated("{% set q.x = q.x ~ '-' ~ q.x %}", "'ab'"), "limit-value"),
    "doubled tuple": (repeated("{% set q.x = q.x + q.x %}", "(1,)"), "limit-items"),
    "repeated bytes": ("{{ ('a'.encode()) * 1000000000000 }}", "limit-value"),
    "power": ("{{ 2 ** 100000000 }}", "limit-value"),
    "divided often": (
        "{% set x = 7 ** 40000 %}{% set z = 3 ** 20000 %}" + OFTEN + "x // z" + END,
        "limit-steps",
    ),
    "range": ("{{ range(1000000000000) }}", "argument-value"),
    "recursion of loops": ("{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}", "limit-recursion"),
    "loops that double": (
        "{% set l = [1, 2] %}{% for i in l recursive %}{% if loop.depth < 60 %}{{ loop(l) }}{% endif %}{% endfor %}",
        "limit-steps",
    ),
    "recursion of blocks": ("{% block a %}{{ self.a() }}{% endblock %}", "limit-recursion"),
    "macros that double": (doubling_macros("{{{{ m{0}() }}}}{{{{ m{0}() }}}}"), "limit-steps"),
    "ten loops": ("{% for i in range(1000) %}" * 10 + "x" + "{% endfor %}" * 10, "limit-steps"),
    "parentheses": ("{{ " + "(" * 100_000 + "1" + ")" * 100_000 + " }}", "limit-nesting"),
    "braces": ("{" * 2_000_000, "limit-nesting"),
    "much text": ("x" * 10_000_000, "text 10000000"),
    "split": (BIG + "{{ s.split('x')|length }}", "limit-items"),
    "lines": ("{% set s = '\\n' * 60000000 %}{{ s.splitlines()|length }}", "limit-"),
    "list of characters": (BIG + "{{ s|list|length }}", "limit-items"),
    "upper, often": (BIG + OFTEN + "s|upper" + END, "limit-"),
    "slice, often": (BIG + OFTEN + "s[1:]" + END, "limit-"),
    "search, often": (BIG + OFTEN + "'y' in s" + END, "limit-"),
    "encode, often": (BIG + OFTEN + "s.encode()" + END, "limit-"),
    "JSON, often": (BIG + OFTEN + "s|tojson" + END, "limit-"),
    "title, often": ("{% set s = 'x ' * 2000 %}" + OFTEN + "s|title" + END, "limit-steps"),
    "minimum, often": ("{% set s = 'x ' * 2000 %}" + OFTEN + "s|min" + END, "limit-steps"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_templates_end(name: str) -> None:
    source, expected = HOSTILE[name]
    assert outcome(source, dialect="transformers").startswith(expected)


COUNTED = [
    *("s|upper", "s|title", "s|wordcount", "s|int", "s|tojson", "s|urlize", "s|striptags", "s|urlencode", "s|join"),
    *("s|min", "s|list", "s.upper()", "s.title()", "s.split()", "s.rsplit('x', 1)", "s.splitlines()", "s.encode()"),
    *("s.encode().splitlines()", "s.find('y')", "s[1:]", "s[::-1]", "'y' in s", "s in s", "l[1:]", "'y' in l", "l|sum"),
    *("l == l[:]", "l|tojson", "l|join(',')", "[l] in [[1], l[:]]", "7 ** 900 * 7 ** 90", "7 ** 3000 // 3 ** 1500"),
]
"""What takes longer than a pass of a loop."""


@pytest.mark.parametrize("expression", COUNTED)
def test_long_work_is_counted(expression: str) -> None:
    environment = Environment("transformers", cache_size=0, limits=Limits(steps=12_000))
    template = environment.from_string("{% for i in range(10000) %}{% set t = " + expression + " %}{% endfor %}")
    with pytest.raises(LimitError) as caught:
        template.render({"s": "x " * 10_000, "l": [0] * 20_000})
    assert caught.value.limit == "steps"
