"""Statements, errors, limits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chatjinja.errors import LimitError, TemplateSyntaxError
from chatjinja.syntax import nodes
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.parser import parse
from chatjinja.syntax.visitor import walk
from tests.syntax.shapes import LLAMA_CPP, shape, tree


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", "[]"),
        ("aa{# b #}{{ c }}", "[(TemplateData aa) (Comment  b ) (Output c)]"),
        ("{% if a %}b{% endif %}", "[(If a [(TemplateData b)] [] [])]"),
        (
            "{% if a %}{% elif b %}c{% elif d %}{% else %}e{% endif %}",
            "[(If a [] [(Elif b [(TemplateData c)]) (Elif d [])] [(TemplateData e)])]",
        ),
        ("{% for a in b %}c{% endfor %}", "[(For a b [(TemplateData c)] [])]"),
        (
            "{% for a, (b, c) in d if e %}{% else %}f{% endfor %}",
            "[(For (Tuple [a (Tuple [b c])]) (CondExpr e d _) [] [(TemplateData f)])]",
        ),
        ("{% set a = b %}", "[(Assign a b)]"),
        ("{% set a, b.c = 1, 2 %}", "[(Assign (Tuple [a (Getattr b c)]) (Tuple [1 2]))]"),
        ("{% set a.b %}c{% endset %}", "[(AssignBlock (Getattr a b) [(TemplateData c)])]"),
        ("{% macro m(a, b=1) %}c{% endmacro %}", "[(Macro m [a (Keyword b 1)] [(TemplateData c)])]"),
        ("{% macro 'm'() %}{% endmacro %}", "[(Macro 'm' [] [])]"),
        ("{% call m(a) %}b{% endcall %}", "[(CallBlock (Call m [a]) [] [(TemplateData b)])]"),
        ("{% call(x) (m)() %}{% endcall %}", "[(CallBlock (Call m []) [x] [])]"),
        ("{% filter f %}a{% endfilter %}", "[(FilterBlock f [(TemplateData a)])]"),
        ("{% filter f(a).b %}{% endfilter %}", "[(FilterBlock (Getattr (Call f [a]) b) [])]"),
        ("{% filter (f.g) %}{% endfilter %}", "[(FilterBlock (Getattr f g) [])]"),
        ("{% break %}{% continue %}", "[(Break) (Continue)]"),
        ("{% generation %}a{% endgeneration %}", "[(Generation True) (TemplateData a) (Generation False)]"),
        ("{% generation x {{ a }}", "[(Generation True) (Output a)]"),
        ("{% generation", "[(Generation True)]"),
        ("{% if a %}{% if b %}{% endif %}{% endif %}", "[(If a [(If b [] [] [])] [] [])]"),
    ],
)
def test_statements(source: str, expected: str) -> None:
    assert shape(tree(source)) == f"(Template {expected})"


@pytest.mark.parametrize(
    ("source", "kind", "extent", "at"),
    [
        ("\n  é {%- if a -%} b {%- endif -%} c", nodes.If, "{%- if a -%} b {%- endif -%}", "if a"),
        ("{% if a %}{% elif b %}c{% endif %}", nodes.Elif, "{% elif b %}c", "{% elif"),
        ("{% if a %}{% elif b %}{% else %}{% endif %}", nodes.Elif, "{% elif b %}", "{% elif"),
        ("{% for a in b %}{% endfor %}", nodes.For, "{% for a in b %}{% endfor %}", "for a"),
        ("{% for a, b in c %}{% endfor %}", nodes.Tuple, "a, b", "a, b"),
        ("{% set a = 1 %}", nodes.Assign, "{% set a = 1 %}", "set a"),
        ("{% set a %}{% endset %}", nodes.AssignBlock, "{% set a %}{% endset %}", "set a"),
        ("{% macro m() %}{% endmacro %}", nodes.Macro, "{% macro m() %}{% endmacro %}", "macro"),
        ("{% call(a) m() %}{% endcall %}", nodes.CallBlock, "{% call(a) m() %}{% endcall %}", "call("),
        ("{% call(a) m() %}{% endcall %}", nodes.Call, "m()", "call("),
        ("{% filter f %}{% endfilter %}", nodes.FilterBlock, "{% filter f %}{% endfilter %}", "filter"),
        ("{% break %}", nodes.Break, "{% break %}", "break"),
        ("{% generation %}", nodes.Generation, "{% generation %}", "generation"),
        ("a{{- b }}", nodes.Output, "{{- b }}", "{{-"),
        ("a{# b #}", nodes.Comment, "{# b #}", "{#"),
        ("{% break -%} \n a \n {%- break %}", nodes.TemplateData, "a", " \n a"),
    ],
)
def test_places(source: str, kind: type[nodes.Node], extent: str, at: str) -> None:
    template, normalised = parse(source, LLAMA_CPP, "a name")
    node = next(node for node in walk(template) if type(node) is kind)
    text = normalised.text
    assert text[node.start : node.end] == extent
    assert text.startswith(at, node.at)
    assert (template.start, template.end, normalised.name) == (0, len(text), "a name")


@pytest.mark.parametrize(
    ("kind", "reference"),
    [
        ("1", "IntegerLiteral"),
        ("1.0", "FloatLiteral"),
        ("'a'", "StringLiteral"),
        ("a if b", "SelectExpression"),
        ("a if b else c", "Ternary"),
    ],
)
def test_reference_names_that_depend_on_the_node(kind: str, reference: str) -> None:
    (output,) = tree("{{ " + kind + " }}").body
    assert isinstance(output, nodes.Output)
    assert output.node.reference == reference


@pytest.mark.parametrize(
    ("source", "phase", "message", "code", "span"),
    [
        ("{{ a b }}", "parse", "Parser Error: Expected }} (Got b)", "parse-expected-token", (5, 6)),
        ("{{ a", "parse", "Parser Error: Expected }} (Got )", "parse-expected-token", (4, 4)),
        ("{{ (a -}}", "parse", "Parser Error: Expected ) (Got -}})", "parse-expected-token", (6, 9)),
        ("{{ (a, b }}", "parse", "Parser Error: Expected ) (Got }})", "parse-expected-token", (9, 11)),
        ("{{ a{# b #}", "parse", "Parser Error: Expected }} (Got  b )", "parse-expected-token", (4, 11)),
        ("{{ a or", "parse", "Parser Error: Unexpected EOF", "parse-unexpected-end", (7, 7)),
        ("{{ [1", "parse", "Parser Error: Unexpected EOF", "parse-unexpected-end", (5, 5)),
        ("{{ f(", "parse", "Parser Error: Unexpected EOF", "parse-unexpected-end", (5, 5)),
        ("{{ a[1:", "parse", "Parser Error: Unexpected EOF", "parse-unexpected-end", (7, 7)),
        ("{{ {1}", "parse", "Parser Error: Expected : (Got })", "parse-expected-token", (5, 6)),
        ("{{ a else b }}", "parse", "Parser Error: Expected }} (Got else)", "parse-expected-token", (5, 9)),
        ("{{ a if b if c }}", "parse", "Parser Error: Expected }} (Got if)", "parse-expected-token", (10, 12)),
        ("{{ a or b else c }}", "parse", "Parser Error: Expected }} (Got else)", "parse-expected-token", (10, 14)),
        ("{{ a not b }}", "parse", "Parser Error: Expected }} (Got not)", "parse-expected-token", (5, 8)),
        ("{{ a|f.b }}", "parse", "Parser Error: Expected }} (Got .)", "parse-expected-token", (6, 7)),
        ("{{ a is b|c }}", "parse", "Parser Error: Expected }} (Got |)", "parse-expected-token", (9, 10)),
        ("{{ a is b is true }}", "parse", "Parser Error: Expected }} (Got true)", "parse-expected-token", (13, 17)),
        ("{{ a == not b }}", "parse", "Parser Error: Expected }} (Got b)", "parse-expected-token", (12, 13)),
        ("{{ () }}", None, "Unexpected token: ) of type 7", "parse-unexpected-token", (4, 5)),
        ("{{ not -1 }}", None, "Unexpected token: - of type 21", "parse-unexpected-token", (7, 8)),
        ("{{ (a,) }}", None, "Unexpected token: ) of type 7", "parse-unexpected-token", (6, 7)),
        ("{{ - }}", None, "Unexpected token: }} of type 11", "parse-unexpected-token", (5, 7)),
        ("{{ 9223372036854775808 }}", None, "stoll", "number-out-of-range", (3, 22)),
        ("{{ (-9223372036854775809) }}", None, "stoll", "number-out-of-range", (4, 24)),
        ("{{ " + "9" * 5000 + " }}", None, "stoll", "number-out-of-range", (3, 5003)),
        ("{{ " + "9" * 400 + ".0 }}", None, "stod", "number-out-of-range", (3, 405)),
        ("{{ 0." + "0" * 400 + "1 }}", None, "stod", "number-out-of-range", (3, 406)),
        ("{% %}", None, "Unknown statement", "parse-unknown-statement", (3, 5)),
        ("{%", None, "Unknown statement", "parse-unknown-statement", (2, 2)),
        ("{%+ if a %}", None, "Unknown statement", "parse-unknown-statement", (2, 3)),
        ("{% raw %}", None, "Unknown statement: raw", "parse-unknown-statement", (3, 6)),
        ("{% if a %}{% else %}{% elif b %}", None, "Unknown statement: elif", "parse-unknown-statement", (23, 27)),
        ("{% if a %}{% endfor %}", None, "Unknown statement: endfor", "parse-unknown-statement", (13, 19)),
        ("a{% if a %}b", None, "Unexpected token type", "parse-unclosed-block", (1, 11)),
        ("{% if a %}{% elif b %}{% else %}", None, "Unexpected token type", "parse-unclosed-block", (0, 10)),
        ("{% if a %}{% for b in c %}{% endfor %}", None, "Unexpected token type", "parse-unclosed-block", (0, 10)),
        ("{% if a %}{% generation", None, "Unexpected token type", "parse-unclosed-block", (0, 10)),
        ("{% generation x y %}", None, "Unexpected token type", "parse-unexpected-token", (16, 17)),
        ("{% for a.b in c %}", None, "Expected 'in'", "parse-expected-in", (8, 9)),
        ("{% for a", None, "Expected 'in'", "parse-expected-in", (8, 8)),
        ("{% call 'm'() %}", None, "Expected identifier", "parse-expected-name", (8, 11)),
        ("{% call m %}", "parse", "Parser Error: Expected ( (Got %})", "parse-expected-token", (10, 12)),
        ("{% macro m %}", "parse", "Parser Error: Expected ( (Got %})", "parse-expected-token", (11, 13)),
        ("{% filter f|g %}", "parse", "Parser Error: Expected %} (Got |)", "parse-expected-token", (11, 12)),
        ("{% filter 'f'() %}", "parse", "Parser Error: Expected %} (Got ()", "parse-expected-token", (13, 14)),
        ("{% for a in b loop %}", "parse", "Parser Error: Expected %} (Got loop)", "parse-expected-token", (14, 18)),
        ("{% if a %}{% endif a %}", "parse", "Parser Error: Expected %} (Got a)", "parse-expected-token", (19, 20)),
        ("{% set a", "parse", "Parser Error: Expected %} (Got )", "parse-expected-token", (8, 8)),
        ("{% break a %}", "parse", "Parser Error: Expected %} (Got a)", "parse-expected-token", (9, 10)),
        ("{% continue }}", "parse", "Parser Error: Expected %} (Got }})", "parse-expected-token", (12, 14)),
    ],
)  # fmt: skip
def test_errors(source: str, phase: str | None, message: str, code: str, span: tuple[int, int]) -> None:
    with pytest.raises(TemplateSyntaxError) as caught:
        tree(source)
    error = caught.value
    assert (error.phase, error.message, error.code, error.span) == (phase, message, code, span)


def test_the_whole_source_is_read_before_parsing() -> None:
    with pytest.raises(TemplateSyntaxError, match="unexpected character"):
        tree("{% nosuch %}{{ $ }}")


def nested(opening: str, inner: str, closing: str) -> Callable[[int], str]:
    return lambda depth: opening * depth + inner + closing * depth


def printed(opening: str, closing: str, inner: str = "x") -> Callable[[int], str]:
    return lambda depth: "{{ " + opening * depth + inner + closing * depth + " }}"


NESTED = {
    "parentheses": printed("(", ")"),
    "list": printed("[", "]"),
    "dict": printed("{1:", "} "),
    "tuple": printed("(a, ", ")"),
    "operand": printed("a or b + c * (", ")"),
    "arguments": printed("f(", ")"),
    "keyword": printed("f(a=", ")"),
    "spread": printed("f(*", ")"),
    "filter": printed("a|f(", ")"),
    "test": printed("a is f(", ")"),
    "subscript": printed("a[", "]"),
    "slice": printed("a[::", "]"),
    "attribute": printed("a.(", ")"),
    "condition": printed("a if (", ")"),
    "else": printed("a if b else (", ")"),
    "minus": printed("- ", ""),
    "not": printed("not ", ""),
    "if": nested("{% if a %}", "", "{% endif %}"),
    "elif": nested("{% if a %}{% elif b %}", "", "{% endif %}"),
    "else block": nested("{% if a %}{% else %}", "", "{% endif %}"),
    "for": nested("{% for a in b %}", "", "{% endfor %}"),
    "for else": nested("{% for a in b %}{% else %}", "", "{% endfor %}"),
    "set": nested("{% set a %}", "", "{% endset %}"),
    "macro": nested("{% macro a() %}", "", "{% endmacro %}"),
    "call": nested("{% call a() %}", "", "{% endcall %}"),
    "filter block": nested("{% filter a %}", "", "{% endfilter %}"),
}


def at_stack_depth(depth: int, function: Callable[[], object]) -> object:
    return function() if depth == 0 else at_stack_depth(depth - 1, function)


@pytest.mark.parametrize("source", NESTED.values(), ids=NESTED)
def test_nesting(source: Callable[[int], str]) -> None:
    at_stack_depth(150, lambda: tree(source(200)))
    with pytest.raises(LimitError) as caught:
        tree(source(201))
    error = caught.value
    assert (error.limit, error.code) == ("nesting", "limit-nesting")
    assert error.span is not None
    with pytest.raises(LimitError):
        tree(source(20_000))


def test_nesting_of_bare_arguments() -> None:
    source = printed("a is f [", "]")  # two levels, as the argument is one
    at_stack_depth(150, lambda: tree(source(100)))
    with pytest.raises(LimitError):
        tree(source(101))


def test_power_chains_do_not_nest() -> None:
    tree("{{ " + "a ** " * 10_000 + "a }}", SyntaxConfig(power=True, max_nesting=20))


def test_nesting_counts_bodies_and_expressions_together() -> None:
    config = SyntaxConfig(max_nesting=2)
    tree("{% if (a) %}{{ (a) }}{% endif %}{{ ((a)) }}", config)
    with pytest.raises(LimitError) as caught:
        tree("{% if a %}{{ ((a)) }}{% endif %}", config)
    assert caught.value.span == (14, 15)


@pytest.mark.parametrize(
    "source",
    [
        "{% if a %}" + "{% elif b %}c" * 10_000 + "{% endif %}",
        "{{ a }}b{# c #}" * 10_000,
        "{% set " + "a, " * 10_000 + "b = 1 %}",
    ],
    ids=["elif", "body", "set"],
)
def test_anything_flat_may_be_long(source: str) -> None:
    tree(source)
