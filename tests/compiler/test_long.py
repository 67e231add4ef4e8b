"""Long chains and deep nesting, in both forms."""

from __future__ import annotations

from typing import Any

import pytest

from chatjinja import Environment
from tests.properties.outcomes import exact, fast

CONTEXT: dict[str, Any] = {"n": 1, "s": "x", "l": [1], "o": {}}
CONTEXT["o"]["v"] = "v"
MANY = 2_000
VERY_MANY = 10_000
LONG = {
    "+ of numbers": ("{{ n" + " + n" * VERY_MANY + " }}", str(VERY_MANY + 1)),
    "+ of numbers with a literal": ("{{ 1" + " + n" * MANY + " }}", str(MANY + 1)),
    "+ of strings": ("{{ s" + " + s" * MANY + " }}", "x" * (MANY + 1)),
    "~ with literals": ("{{ 'a'" + " ~ s ~ 'b'" * MANY + " }}", "a" + "xb" * MANY),
    "~ set": ("{% set q = 'a'" + " ~ s" * MANY + " %}{{ q|length }}", str(MANY + 1)),
    "-": ("{{ n" + " - n" * MANY + " }}", str(1 - MANY)),
    "*": ("{{ n" + " * n" * MANY + " }}", "1"),
    "and": ("{{ n" + " and s" * MANY + " }}", "x"),
    "or": ("{{ 0" + " or 0" * MANY + " or s }}", "x"),
    "or in if": ("{% if 0" + " or 0" * MANY + " or s %}y{% endif %}", "y"),
    "==": ("{{ 0" + " == 0" * MANY + " }}", "False"),
    "filters": ("{{ s" + "|upper" * MANY + " }}", "X"),
    "filters with arguments": ("{{ s" + "|default('a')" * MANY + " }}", "x"),
    "attributes": ("{{ nope" + ".a" * MANY + " is defined }}", "False"),
    "items": ("{{ l" + "[0]" * 1 + "|string }}{{ nope" + "[0]" * MANY + " is defined }}", "1False"),
    "methods": ("{{ s" + ".upper()" * MANY + " }}", "X"),
    "conditions": ("{{ " + "1 if 0 else " * MANY + "s }}", "x"),
    "conditions, first": ("{{ s if 1 else " + "1 if 0 else " * MANY + "2 }}", "x"),
    "elif": ("{% if 0 %}" + "{% elif 0 %}n" * VERY_MANY + "{% elif 1 %}y{% else %}n{% endif %}", "y"),
    "elif, first": ("{% if 1 %}y" + "{% elif 0 %}n" * MANY + "{% endif %}", "y"),
    "elif, else": ("{% if 0 %}y" + "{% elif 0 %}n" * MANY + "{% else %}e{% endif %}", "e"),
    "not": ("{{ " + "not " * 150 + "1 }}", "True"),
    "parentheses": ("{{ " + "(" * 190 + "s" + ")" * 190 + " }}", "x"),
    "lists": ("{{ " + "[" * 190 + "s" + "]" * 190 + " }}", "x"),
    "list of many": ("{{ [" + "1," * MANY + "]|length }}", str(MANY)),
    "object of many": ("{{ {" + "".join(f"'k{i}': 1," for i in range(MANY)) + "}|length }}", str(MANY)),
    "object of many computed": (
        "{{ {" + "".join(f"s ~ {i}|string: 1," for i in range(MANY)) + "}|length }}",
        str(MANY),
    ),
    "arguments": ("{{ namespace(" + "".join(f"k{i}=1," for i in range(300)) + ")|length }}", "300"),
    "if": ("{% if n %}" * 190 + "x" + "{% endif %}" * 190, "x"),
    "for": ("{% for i in l %}" * 60 + "x{{ i }}{{ loop.index }}" + "{% endfor %}" * 60, "x11"),
    "for with set": ("{% for i in l %}{% set s = s ~ i %}" * 60 + "{{ s|length }}" + "{% endfor %}" * 60, "61"),
    "for with else": ("{% for i in l %}" * 40 + "{% continue %}" + "{% else %}e{% endfor %}" * 40, "e"),
    "for with a macro's break": (
        "{% macro b() %}{% break %}{% endmacro %}" + "{% for i in l %}" * 30 + "x{{ b() }}" + "y{% endfor %}" * 30,
        "x" + "y" * 29,
    ),
    "for and if": ("{% for i in l %}{% if n %}" * 60 + "x" + "{% endif %}{% endfor %}" * 60, "x"),
    "set blocks": ("{% set q %}" * 100 + "x" + "{% endset %}{{ q }}" * 100, "x"),
    "filter blocks": ("{% filter upper %}" * 100 + "x" + "{% endfilter %}" * 100, "X"),
    "macros": ("".join(f"{{% macro m{i}() %}}" for i in range(60)) + "x" + "{% endmacro %}" * 60 + "{{ m0() }}", ""),
    "statements": ("{% set q = n %}{{ q }}" * MANY, "1" * MANY),
    "many macros": ("".join(f"{{% macro m{i}() %}}{i}{{% endmacro %}}" for i in range(500)) + "{{ m499() }}", "499"),
    "outputs": ("{{ s }}t" * MANY, "xt" * MANY),
}


@pytest.mark.parametrize("name", LONG)
def test_long_templates(name: str) -> None:
    source, text = LONG[name]
    template = Environment(cache_size=0).from_string(source)
    assert fast(template, CONTEXT).text == text
    assert exact(template, CONTEXT).text == text


@pytest.mark.parametrize("name", ["+ of numbers", "filters", "attributes", "methods", "conditions", "elif", "*"])
def test_failures_at_the_end_of_a_chain_have_their_place(name: str) -> None:
    source = LONG[name][0]
    source = source.replace("s }}", "(1 + nope) }}") if name == "conditions" else source
    source = (
        source.replace("elif 1", "elif 1 + nope")
        .replace("|upper }}", "|upper|nope }}")
        .replace(".upper() }}", ".no() }}")
    )
    source = source.replace(" is defined }}", " + 1 }}").replace("+ n }}", "+ n - s }}").replace("* n }}", "* n - s }}")
    template = Environment(cache_size=0).from_string(source)
    found = fast(template, CONTEXT)
    assert found.place is not None
    assert found.place[2] is not None
    assert found.place[2] > len(source) - 60
    assert exact(template, CONTEXT) == found
