"""Places, messages and limits; what trees look like is compared with Jinja2's in `test_differences`."""

from __future__ import annotations

import pytest

from chatjinja.errors import LimitError, TemplateSyntaxError
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.jinja import nodes
from chatjinja.syntax.jinja.names import undeclared
from chatjinja.syntax.jinja.parser import parse
from chatjinja.syntax.visitor import iter_child_nodes, walk
from tests.peers.jinja2_peer import environment
from tests.syntax.jinja.sources import GOOD

CONFIG = SyntaxConfig()


def tree_of(source: str) -> nodes.Template:
    return parse(source, CONFIG)[0]


def first(source: str, kind: type[nodes.Node]) -> nodes.Node:
    return next(node for node in walk(tree_of(source)) if type(node) is kind)


@pytest.mark.parametrize(
    ("source", "kind", "extent", "at"),
    [
        ("{{ (a) + b }}", nodes.BinExpr, "(a) + b", "+ b"),
        ("{{ a not in b }}", nodes.Compare, "a not in b", "not"),
        ("{{ a < b < c }}", nodes.Compare, "a < b < c", "< b"),
        ("{{ a ~ b ~ c }}", nodes.Concat, "a ~ b ~ c", "~ b"),
        ("{{ not a }}", nodes.UnaryExpr, "not a", "not"),
        ("{{ -a|abs }}", nodes.UnaryExpr, "-a", "-"),
        ("{{ -a|abs }}", nodes.Filter, "-a|abs", "|"),
        ("{{ a is not eq 1 }}", nodes.Test, "a is not eq 1", "is"),
        ("{{ a is not eq 1 }}", nodes.Call, "eq 1", "1"),
        ("{{ a is eq(1) }}", nodes.Call, "eq(1)", "("),
        ("{{ a if b else c }}", nodes.CondExpr, "a if b else c", "else"),
        ("{{ a if b }}", nodes.CondExpr, "a if b", "if"),
        ("{{ a . b }}", nodes.Getattr, "a . b", "."),
        ("{{ a [b] }}", nodes.Getitem, "a [b]", "["),
        ("{{ a[1:] }}", nodes.Slice, "1:", "1"),
        ("{{ f (x, *y) }}", nodes.Call, "f (x, *y)", "("),
        ("{{ f(x=1) }}", nodes.Keyword, "x=1", "="),
        ("{{ f(** x) }}", nodes.SpreadDict, "** x", "**"),
        ("{{ 'a' 'b' }}", nodes.Const, "'a' 'b'", "'a'"),
        ("{{ ( a, b ) }}", nodes.Tuple, "( a, b )", "( a"),
        ("{{ a, b }}", nodes.Tuple, "a, b", "a"),
        ("{{ a[ ] }}", nodes.Tuple, " ", " ]"),
        ("{{ a|x.y }}", nodes.Filter, "a|x.y", "|"),
        ("{% set a.b = 1 %}", nodes.NSRef, "a.b", "a.b"),
        ("a{%- set b = 1 -%} c", nodes.Assign, "{%- set b = 1 -%}", "set"),
        ("{% if a %}b{% elif c %}d{% endif %}", nodes.If, "{% if a %}b{% elif c %}d{% endif %}", "if a"),
        ("{% if a %}b{% elif c %}d{% endif %}", nodes.Elif, "{% elif c %}d", "{% elif"),
        ("{% filter abs | min %}x{% endfilter %}", nodes.Filter, "filter abs | min", "| min"),
        ("{% filter abs %}x{% endfilter %}", nodes.BlockText, "", "filter"),
        ("{% set a | abs %}x{% endset %}", nodes.Filter, "| abs", "| abs"),
        ("{% print a, b + c %}", nodes.Output, "a", "a"),
        ("{{ a }}", nodes.Output, "{{ a }}", "{{"),
        (" {#- a #}", nodes.Comment, "{#- a #}", "{#"),
        ("a  {%- if b %}{% endif %}", nodes.TemplateData, "a", "a"),
        ("{% block a %}{% endblock a %}", nodes.Block, "{% block a %}{% endblock a %}", "block"),
    ],
)
def test_places(source: str, kind: type[nodes.Node], extent: str, at: str) -> None:
    node = first(source, kind)
    assert source[node.start : node.end] == extent or node.start == node.end
    assert source.startswith(at, node.at)


@pytest.mark.parametrize("source", GOOD)
def test_children_lie_in_their_parents(source: str) -> None:
    for node in walk(tree_of(source)):
        assert 0 <= node.start <= node.end <= len(source)
        for child in iter_child_nodes(node):
            assert node.start <= child.start <= child.end <= node.end or isinstance(node, nodes.Output), (node, child)


@pytest.mark.parametrize(
    ("source", "code", "message", "blamed"),
    [
        ("{% raw %}a", "lex-unclosed-raw", "Missing end of raw directive", "{% raw %}"),
        ("a{#- b", "lex-unclosed-comment", "Missing end of comment tag", "{#-"),
        ("{{ a ! }}", "lex-unexpected-character", "unexpected char '!' at 5", "!"),
        ("{{ 'a }}", "lex-unexpected-character", 'unexpected char "\'" at 3', "'"),
        ("{{ a² }}", "lex-bad-name", "Invalid character in identifier", "a²"),
        ("{{ '\\x' }}", "lex-unknown-escape", "truncated \\xXX escape", "\\x"),
        ("{{ (a] }}", "lex-unbalanced", "unexpected ']', expected ')'", "]"),
        ("{{ a) }}", "lex-unbalanced", "unexpected ')'", ")"),
        ("{{ a b }}", "parse-expected-token", "expected token 'end of print statement', got 'b'", "b"),
        ("{{ a", "parse-unexpected-end", "unexpected end of template, expected 'end of print statement'.", ""),
        ("{{ a + }}", "parse-unexpected-token", "unexpected 'end of print statement'", "}}"),
        ("{{ a +", "parse-unexpected-end", "unexpected 'end of template'", ""),
        ("{{ }}", "parse-expected-expression", "Expected an expression, got 'end of print statement'", "}}"),
        ("{{ a. }}", "parse-expected-name", "expected name or number", "}}"),
        ("{{ a|1 }}", "parse-expected-token", "expected token 'name', got 'integer'", "1"),
        ("{% for a b %}", "parse-expected-token", "expected token 'in', got 'b'", "b"),
        ("{{ f(a=1, b) }}", "parse-argument-order", "invalid syntax for function call expression", "("),
        ("{{ f(a=1, a=2) }}", "parse-duplicate-argument", "keyword argument repeated: a", "a"),
        ("{{ a is odd is even }}", "parse-chained-tests", "You cannot chain multiple tests with is", "is"),
        ("{{ a[1:, 2] }}", "parse-slice-in-tuple", "a slice cannot stand beside other subscripts", "1:"),
        ("{{ 1" + "1" * 5000 + " }}", "number-out-of-range", "integer literal too large", "1" + "1" * 5000),
        ("{{ 1١.5 }}", "parse-bad-number", "invalid float literal", "1١.5"),
        ("{% 1 %}", "parse-unknown-statement", "tag name expected", "1"),
        ("{% foo %}", "parse-unknown-statement", "Encountered unknown tag 'foo'.", "foo"),
        (
            "{% if a %}{% foo %}",
            "parse-unknown-statement",
            "Encountered unknown tag 'foo'. Jinja was looking for the following tags: 'elif' or 'else' or 'endif'. "
            "The innermost block that needs to be closed is 'if'.",
            "foo",
        ),
        (
            "{% if a %}{% for b in c %}{% endif %}",
            "parse-unknown-statement",
            "Encountered unknown tag 'endif'. You probably made a nesting mistake. Jinja is expecting this tag, but "
            "currently looking for 'endfor' or 'else'. The innermost block that needs to be closed is 'for'.",
            "endif",
        ),
        (
            "a{% if b %}c",
            "parse-unclosed-block",
            "Unexpected end of template. Jinja was looking for the following tags: 'elif' or 'else' or 'endif'. "
            "The innermost block that needs to be closed is 'if'.",
            "{% if b %}",
        ),
        ("{% set 1 = 2 %}", "parse-bad-target", "can't assign to 'const'", "1"),
        ("{% macro none() %}", "parse-bad-target", "can't assign to 'name'", "none"),
        ("{% macro a(b=1, c) %}", "parse-default-order", "non-default argument follows default argument", ")"),
        ("{% macro a(b, b) %}", "parse-duplicate-parameter", "duplicate argument 'b' in function definition", "b"),
        ("{% call a %}", "parse-expected-call", "expected call", "call"),
        ("{% break %}", "parse-outside-loop", "'break' outside loop", "break"),
        ("{% block a %}{% endblock %}{% block a %}", "parse-duplicate-block", "block 'a' defined twice", "a"),
        ("{{ a|foo }}", "unknown-filter", "No filter named 'foo'.", "foo"),
        ("{{ a is foo(1) }}", "unknown-test", "No test named 'foo'.", "foo(1)"),
    ],
)
def test_messages(source: str, code: str, message: str, blamed: str) -> None:
    with pytest.raises(TemplateSyntaxError) as caught:
        parse(source, CONFIG, filters=environment().filters, tests=environment().tests)
    error = caught.value
    assert (error.code, error.message) == (code, message)
    assert error.span is not None
    assert source[slice(*error.span)] == blamed


def test_without_tables_any_filter_will_do() -> None:
    assert isinstance(first("{{ a|foo is bar }}", nodes.Filter), nodes.Filter)


def test_one_table_may_be_missing() -> None:
    parse("{{ a|abs is bar }}", CONFIG, filters={"abs"})
    parse("{{ a|foo is odd }}", CONFIG, tests={"odd"})


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("(", ")"),
        ("[", "]"),
        ("{1: ", "}"),
        ("a[", "]"),
        ("a(", ")"),
        ("a|f(", ")"),
        ("a is b [", "]"),
        ("not ", ""),
        ("-", ""),
        ("a(*", ")"),
        ("a(b=", ")"),
        ("a[1:", "]"),
        ("a if (", ")"),
    ],
)
def test_nesting_has_a_limit(opening: str, closing: str) -> None:
    tree_of("{{ " + opening * 50 + "a" + closing * 50 + " }}")
    with pytest.raises(LimitError) as caught:
        tree_of("{{ " + opening * 201 + "a" + closing * 201 + " }}")
    assert caught.value.limit == "nesting"


@pytest.mark.parametrize(
    "tag", ["if a", "for a in b", "with", "filter abs", "set a", "macro a()", "call a()", "generation"]
)
def test_blocks_nest_up_to_the_limit(tag: str) -> None:
    end = "{% end" + tag.split()[0] + " %}"
    tree_of(f"{{% {tag} %}}" * 100 + end * 100)
    with pytest.raises(LimitError):
        tree_of(f"{{% {tag} %}}" * 201 + end * 201)


def test_a_limit_of_the_dialect() -> None:
    with pytest.raises(LimitError):
        parse("{{ ((a)) }}", SyntaxConfig(max_nesting=1))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{{ a }}", {"a"}),
        ("{% set a = a %}", set()),
        ("{{ a }}{% set a = 1 %}", {"a"}),
        ("{% set x = a %}{% set a = 1 %}", {"a"}),
        ("{% set b.a = 1 %}{{ a }}", {"a"}),
        ("{% for a in a %}{{ a }}{% endfor %}", set()),
        ("{% for x in y if a %}{% endfor %}", {"a"}),
        ("{% with x = a %}{% endwith %}", {"a"}),
        ("{% with a = a %}{% endwith %}", set()),
        ("{% macro m(x=a, a=1) %}{% endmacro %}", set()),
        ("{% macro m(x=a) %}{% endmacro %}", {"a"}),
        ("{% call(x=1) a() %}{% endcall %}", {"a"}),
        ("{% call(a) f() %}{{ a }}{% endcall %}", set()),
        ("{% block x %}{{ a }}{% endblock %}", set()),
        ("{{ x.a|a(a=1) is a }}", set()),
        ("{{ x|b(y=a) }}", {"a"}),
        ("{% set a %}{{ a }}{% endset %}", set()),
        ("{{ a }}{{ b }}", {"a", "b"}),
        ("{{ (1, a) }}", {"a"}),
    ],
)
def test_undeclared_names(body: str, expected: set[str]) -> None:
    assert undeclared(tree_of(body).body, ["a", "b"]) == expected
