"""Trees back to source."""

from __future__ import annotations

import pytest

from chatjinja.syntax import nodes
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.unparse import unparse
from chatjinja.syntax.visitor import same_tree
from tests.syntax.shapes import JINJA2, LLAMA_CPP, shape, tree

BOTH_ODD = SyntaxConfig(raw_blocks=True)


def round_trip(source: str, config: SyntaxConfig) -> str:
    """The source that is written for this one's tree; it must stand for the same tree."""
    template = tree(source, config)
    written = unparse(template, config)
    again = tree(written, config)
    assert same_tree(template, again), (written, shape(template), shape(again))
    assert unparse(again, config) == written
    return written


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("(((a)))", "a"),
        ("a+b*(c-d)", "a + b * (c - d)"),
        ("(a+b)+(c+d)", "a + b + (c + d)"),
        ("(a or b)and not(c and d)", "(a or b) and not (c and d)"),
        ("(not a)in b", "(not a) in b"),
        ("a not   in(b in c)", "a not in (b in c)"),
        ("(a if b else c) if d else(e if f)", "(a if b else c) if d else e if f"),
        ("a if (b if c) else d", "a if (b if c) else d"),
        ("[1 2,]", "[1, 2]"),
        ("{1:{2:{}} 3:4}", "{1: {2: {}}, 3: 4}"),
        ("{ {}: 1}", "{ {}: 1}"),
        ("((a,(b,c)))", "(a, (b, c))"),
        ("f( a b=1, *c )", "f(a, b=1, *c)"),
        ("a . b [ 0 ] ( ) . c", "a.b[0]().c"),
        ("(a+b).c", "(a + b).c"),
        ("(1).0 .0.a", "1 .0 .0 .a"),
        ("a.0 .1", "a.0 .1"),
        ("a.0.1", "a.0.1"),
        ("a.(b.c).(d)", "a.(b.c).d"),
        ("a.-1", "a.-1"),
        ("a[] ", "a[]"),
        ("a[1 2]", "a[1]"),
        ("a[:]", "a[:]"),
        ("a[1:]", "a[1:]"),
        ("a[:-1]", "a[:-1]"),
        ("a[::2]", "a[::2]"),
        ("a[1:2:3]", "a[1:2:3]"),
        # signs
        ("-1", "-1"),
        ("- 1", "- 1"),
        ("- 0.5", "- 0.5"),
        ("--1", "--1"),
        ("- -1", "--1"),
        ("-a", "-a"),
        ("1 - -1", "1 - -1"),
        ("a in(-1)", "a in (-1)"),
        ("a and(-b)", "a and (-b)"),
        ("a if b else(-1)", "a if b else (-1)"),
        ("(-(a|f))", "-(a|f)"),
        ("(-a)|f", "-a|f"),
        ("[-1, -a, +b]", "[-1, -a, +b]"),
        ("({}) + 1", "({}) + 1"),
        ("{} ~ 1", "{} ~ 1"),
        ("(a*{}) - 1", "a * ({}) - 1"),
        ("a is({}) - 1", "a is ({}) - 1"),
        # numbers and strings
        ("(-0.0)", "-0.0"),
        ("1" + "0" * 30 + ".0", "1" + "0" * 30 + ".0"),
        ("0.0000001", "0.0000001"),
        ("'a' \"b\"", "'ab'"),
        (r"'\n\t\r\b\f\v\\'", r"'\n\t\r\b\f\v\\'"),
        ("'\n\0é'", "'\\n\0é'"),
        (r"'it\'s'", '"it\'s"'),
        (r"'\'\"'", r"""'\'"'"""),
        # filters and tests
        ("a | f ( 1 ) | g", "a|f(1)|g"),
        ("(a is f)|g", "(a is f)|g"),
        ("a|(f.g)", "a|(f.g)"),
        ("a|(f.g)(1).h", "a|(f.g)(1).h"),
        ("a|(f|g)", "a|(f|g)"),
        ("a|(f(1))", "a|f(1)"),
        ("a is not  f", "a is not f"),
        ("a is f 1", "a is f(1)"),
        ("a is f if", "a is f(if)"),
        ("a is f() is g", "a is f() is g"),
        ("(a is f)is g", "(a is f) is g"),
        ("(a is f)in b", "(a is f) in b"),
        ("(a + (b is f))in c", "a + (b is f) in c"),
        ("(a is f) == b", "a is f == b"),
        ("(a is f) if b", "(a is f) if b"),
        ("(not a is f) if b", "not (a is f) if b"),
        ("a is f and b", "a is f and b"),
        # a variable named not
        ("a == not", "a == not"),
        ("a is f not", "a is f not"),
        ("a is f not.b", "a is f not.b"),
        ("a is not not", "a is not not"),
        ("(a == not is f)in b", "(a == not is f) in b"),
        ("(a == not * b is f)in c", "(a == not * b is f) in c"),
    ],
)
def test_expressions(source: str, expected: str) -> None:
    assert round_trip("{{ " + source + " }}", LLAMA_CPP) == "{{ " + expected + " }}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a//b**c", "a // b ** c"),
        ("(a ** b) ** c", "a ** b ** c"),
        ("a ** (b ** c)", "a ** (b ** c)"),
        ("(-1) ** 2", "-1 ** 2"),
        ("-(1 ** -2)", "-(1 ** -2)"),
        ("(-a) ** b", "-a ** b"),
        ("a is f (not_ ** b)", "a is f(not_ ** b)"),
        ("a is f not ** b", "a is f not ** b"),
    ],
)
def test_more_operators(source: str, expected: str) -> None:
    assert round_trip("{{ " + source + " }}", JINJA2) == "{{ " + expected + " }}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{%-set a,b=1,2-%}", "{% set a, b = 1, 2 %}"),
        ("{% set (a,b) = (1,(2,3)) %}", "{% set a, b = 1, (2, 3) %}"),
        ("{%set a%}b{%endset%}", "{% set a %}b{% endset %}"),
        (
            "{%if a%}b{%elif(-c)%}{%elif d%}e{%else%}f{%endif%}",
            "{% if a %}b{% elif (-c) %}{% elif d %}e{% else %}f{% endif %}",
        ),
        ("{%if a%}{%else%}{%endif%}", "{% if a %}{% endif %}"),
        ("{%for a in b if c%}d{%else%}e{%endfor%}", "{% for a in b if c %}d{% else %}e{% endfor %}"),
        ("{%for (a,(b,(c.d)))in(-1)%}{%endfor%}", "{% for a, (b, c.d) in (-1) %}{% endfor %}"),
        ("{%for (a.b) in c%}{%endfor%}", "{% for (a.b) in c %}{% endfor %}"),
        ("{%macro m(a b=1)%}c{%endmacro%}", "{% macro m(a, b=1) %}c{% endmacro %}"),
        ("{%macro (m.n)()%}{%endmacro%}", "{% macro (m.n)() %}{% endmacro %}"),
        ("{%call m(a)%}b{%endcall%}", "{% call m(a) %}b{% endcall %}"),
        ("{%call(a) m()%}{%endcall%}", "{% call(a) m() %}{% endcall %}"),
        ("{%filter f%}a{%endfilter%}", "{% filter f %}a{% endfilter %}"),
        ("{%filter f(1).g%}{%endfilter%}", "{% filter f(1).g %}{% endfilter %}"),
        ("{%filter (f.g(1))%}{%endfilter%}", "{% filter (f.g(1)) %}{% endfilter %}"),
        ("{%filter ((f.g)(1))%}{%endfilter%}", "{% filter (f.g(1)) %}{% endfilter %}"),
        ("{%filter ('f'(1))%}{%endfilter%}", "{% filter ('f'(1)) %}{% endfilter %}"),
        ("{%break%}{%continue%}", "{% break %}{% continue %}"),
        ("{%generation%}a{%endgeneration%}", "{% generation %}a{% endgeneration %}"),
        ("{% generation 'a' {{ b }}", "{% generation %}{{ b }}"),
    ],
)
def test_statements(source: str, expected: str) -> None:
    assert round_trip(source, LLAMA_CPP) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", ""),
        ("a\n\n", "a\n\n"),
        ("a\r", "a\n\n"),
        ("{% break %}\n\na", "{% break %}\n\na"),
        ("{% break %}\n\n{% break %}", "{% break %}\n\n{% break %}"),
        ("{# a #}\n\nb", "{# a #}\n\nb"),
        ("{{ a }}\nb", "{{ a }}\nb"),
        ("a\n  {{ b }}", "a\n  {{ b }}"),
        ("ab  {% break %}", "ab  {% break %}"),
        ("{{ a }}  {% break %}", "{{ a }}  {% break %}"),
        ("ab\n  {%- break -%} \n c", "ab{% break %}c"),
        ("{#--#}", "{#--#}"),
        ("{#}#}{###}", "{#}#}{###}"),
        # a brace before a tag
        ("a{ {{- b }}", "a{\n{{- b }}"),
        ("a{ {%- break %}", "a{\n{%- break %}"),
        ("a{ {#- b #}", "a{\n{#- b #}"),
        # the first character
        ("\n\n{% break %}", "\n\n{% break %}"),
        ("x\n{%- break %}", "x\n{%- break %}"),
        ("x\n{#- a #}", "x\n{#- a #}"),
        ("\v\n{%- break %}", "\v\n{%- break %}"),
        ("\udcff\n{%- break %}", "\udcff\n{%- break %}"),
        ("é{% break %}", "é{% break %}"),
        ("x{{ a }}", "x{{ a }}"),
        ("{{ a }}x{% break %}", "{{ a }}x{% break %}"),
    ],
)
def test_text(source: str, expected: str) -> None:
    assert round_trip(source, LLAMA_CPP) == expected


def test_first_character_without_the_quirk() -> None:
    assert round_trip("x{% break %}", JINJA2) == "x{% break %}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{% raw %}a{% endraw %}", "a"),
        ("{% raw %}{{ a }}{% endraw %}", "{% raw %}{{ a }}{% endraw %}"),
        (
            "ab{% raw %}\n\nb{%- endraw %}\nc\n  {{ d }}",
            "{% raw %}ab{% endraw %}{% raw %}\n\nb{% endraw %}c\n  {{ d }}",
        ),
        ("{#-#}{% raw %}\n\n{% endraw %}", "{#-#}{% raw %}\n\n{% endraw %}"),
        ("{% raw %}a {% endraw %}{#- a #}", "{% raw %}a {% endraw %}{#- a #}"),
        ("{% raw %}{{{% endraw %}a{% raw %}{ {%- endraw %}", "{% raw %}{{\n{%- endraw %}{% raw %}a{% endraw %}{"),
        ("{% raw %}a{% endraw %}{{ b }}", "a{{ b }}"),
    ],
)
def test_raw_blocks(source: str, expected: str) -> None:
    assert round_trip(source, BOTH_ODD) == expected


def test_text_that_cannot_be_expressed_is_written_as_it_is() -> None:
    assert unparse(nodes.Template([nodes.TemplateData("a{{ b")]), LLAMA_CPP) == "a{{ b"


@pytest.mark.parametrize(
    "source",
    [
        "{{ " + " + ".join(["a"] * 10_000) + " }}",
        "{{ a" + ".b[0]()" * 10_000 + " }}",
        "{{ a" + " is f(1)" * 10_000 + " }}",
        "{{ a" + "|f" * 10_000 + " }}",
        "{{ a" + " if b else c" * 10_000 + " }}",
        "{% if a %}" + "{% elif b %}c" * 10_000 + "{% endif %}",
        "{{ " + "(a + " * 200 + "-1" + ")" * 200 + " }}",
        "{{ " + "[" * 200 + "-1" + "]" * 200 + " }}",
        "{{ " + "(a is f) in (" * 199 + "b is f" + ")" * 199 + " }}",
        "{% if a %}" * 200 + "b" + "{% endif %}" * 200,
    ],
    ids=lambda source: source[:20],
)
def test_long_and_deep_trees(source: str) -> None:
    round_trip(source, LLAMA_CPP)
