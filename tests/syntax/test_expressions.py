"""Expressions to trees: grouping, places, chains of any length."""

from __future__ import annotations

import pytest

from chatjinja.syntax import nodes
from chatjinja.syntax.parser import parse
from chatjinja.syntax.visitor import walk
from tests.syntax.shapes import JINJA2, LLAMA_CPP, expression, shape


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # literals
        ("1", "1"),
        ("007", "7"),
        ("-1", "-1"),
        ("+1", "1"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("00000000000000000000000012", "12"),
        ("1.50", "1.5"),
        ("-0.0", "-0.0"),
        ("(-.5)", "-0.5"),
        ("0." + "0" * 400, "0.0"),
        ("'a' \"b\"\n'c'", "'abc'"),
        ("true", "true"),
        ("[]", "(List [])"),
        ("[1 2,3,]", "(List [1 2 3])"),
        ("{}", "(Dict [] [])"),
        ("{'a': 1 b: 2,}", "(Dict ['a' b] [1 2])"),
        ("(a)", "a"),
        ("(a, b)", "(Tuple [a b])"),
        # operators
        (
            "a or b and not c == d + e * f",
            "(BinExpr or a (BinExpr and b (UnaryExpr not (BinExpr == c (BinExpr + d (BinExpr * e f))))))",
        ),
        ("a * b + c < d and e or f", "(BinExpr or (BinExpr and (BinExpr < (BinExpr + (BinExpr * a b) c) d) e) f)"),
        ("a - b - c", "(BinExpr - (BinExpr - a b) c)"),
        ("a ~ (b ~ c)", "(BinExpr ~ a (BinExpr ~ b c))"),
        ("1 < 2 < 3", "(BinExpr < (BinExpr < 1 2) 3)"),
        ("a in b not in c", "(BinExpr not in (BinExpr in a b) c)"),
        ("not not a in b", "(UnaryExpr not (UnaryExpr not (BinExpr in a b)))"),
        ("not a and b", "(BinExpr and (UnaryExpr not a) b)"),
        ("a == not", "(BinExpr == a not)"),
        ("-not", "(UnaryExpr - not)"),
        ("- 1", "(UnaryExpr - 1)"),
        ("- -a.b", "(UnaryExpr - (UnaryExpr - (Getattr a b)))"),
        ("1 - -1", "(BinExpr - 1 -1)"),
        ("a if b", "(CondExpr b a _)"),
        ("a if b else c if d else e", "(CondExpr b a (CondExpr d c e))"),
        ("a if b else c if d", "(CondExpr b a (CondExpr d c _))"),
        ("(a if b) if c or d else e", "(CondExpr (BinExpr or c d) (CondExpr b a _) e)"),
        ("not a if not b else not c", "(CondExpr (UnaryExpr not b) (UnaryExpr not a) (UnaryExpr not c))"),
        ("if if if else else", "(CondExpr if if else)"),
        # filters and tests
        ("-n|abs", "(Filter (UnaryExpr - n) abs)"),
        ("a|f|g(1)", "(Filter (Filter a f) (Call g [1]))"),
        ("a|f(1).b[0](2)|g", "(Filter (Filter a (Call (Getitem (Getattr (Call f [1]) b) 0) [2])) g)"),
        ("a|'f'", "(Filter a 'f')"),
        ("a|not", "(Filter a not)"),
        ("a|(b.c)(d)", "(Filter a (Call (Getattr b c) [d]))"),
        ("a|f is g", "(Test False (Filter a f) g)"),
        ("a is not f", "(Test True a f)"),
        ("a is f() is g(1, b=2).c", "(Test False (Test False a (Call f [])) (Getattr (Call g [1 (Keyword b 2)]) c))"),
        ("a is f 1", "(Test False a (Call f [1]))"),
        ("a is f 'b' 'c'", "(Test False a (Call f ['bc']))"),
        ("a is f {}", "(Test False a (Call f [(Dict [] [])]))"),
        ("a is f [1][0]", "(Test False a (Call f [(Getitem (List [1]) 0)]))"),
        ("a is f not in b", "(BinExpr in (Test False a (Call f [not])) b)"),
        ("a is f if", "(Test False a (Call f [if]))"),
        ("a is f and b is g or c", "(BinExpr or (BinExpr and (Test False a f) (Test False b g)) c)"),
        ("a if b is f else c", "(CondExpr (Test False b f) a c)"),
        ("a is f - 1 * 2", "(BinExpr - (Test False a f) (BinExpr * 1 2))"),
        # accesses and calls
        ("a.b.0.c", "(Getattr (Getattr (Getattr a b) 0) c)"),
        ("a.0.1", "(Getattr a 0.1)"),
        ("a.-1", "(Getattr a -1)"),
        ("a.(b + c).[1].'d'", "(Getattr (Getattr (Getattr a (BinExpr + b c)) (List [1])) 'd')"),
        ("a[b][0]", "(Getitem (Getitem a b) 0)"),
        ("'a'.b()()", "(Call (Call (Getattr 'a' b) []) [])"),
        ("a[]", "(Getitem a _)"),
        ("a[1 2]", "(Getitem a 1)"),
        ("a[:]", "(Getitem a (Slice _ _ _))"),
        ("a[1:]", "(Getitem a (Slice 1 _ _))"),
        ("a[:1]", "(Getitem a (Slice _ 1 _))"),
        ("a[1:2]", "(Getitem a (Slice 1 2 _))"),
        ("a[::-1]", "(Getitem a (Slice _ _ -1))"),
        ("a[1::2]", "(Getitem a (Slice 1 _ 2))"),
        ("a[1:2:3]", "(Getitem a (Slice 1 2 3))"),
        ("a[1:2:3:4]", "(Getitem a (Slice 1 2 3))"),
        ("a[:1 2]", "(Getitem a (Slice _ 1 2))"),
        ("a[1 2:]", "(Getitem a (Slice 1 2 _))"),
        ("f(a b, *c d=1 2=3,)", "(Call f [a b (Spread c) (Keyword d 1) (Keyword 2 3)])"),
    ],
)
def test_grouping(source: str, expected: str) -> None:
    assert shape(expression(source)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a // b * c", "(BinExpr * (BinExpr // a b) c)"),
        ("-a ** b", "(BinExpr ** (UnaryExpr - a) b)"),
        ("-2 ** 2", "(BinExpr ** -2 2)"),
        ("a ** b ** c", "(BinExpr ** (BinExpr ** a b) c)"),
        ("a.b ** -c * d", "(BinExpr * (BinExpr ** (Getattr a b) (UnaryExpr - c)) d)"),
        ("a ** b|f", "(BinExpr ** a (Filter b f))"),
    ],
)
def test_more_operators(source: str, expected: str) -> None:
    assert shape(expression(source, JINJA2)) == expected


# The node's own extent in <>, the place it reports in front of a ^.
@pytest.mark.parametrize(
    "marked",
    [
        "<^a>",
        "<^'a' 'b'>",
        "<^-1>",
        "(<^a>)",
        "<^[a, b]>",
        "<^{a: b}>",
        "<(^a, b)>",
        "<(^(a), b)>",
        "<a ^+ b>",
        "<(a) ^+ (b)>",
        "(<a ^or (b)>)",
        "<a ^not in b>",
        "<^not a>",
        "<^-(a)>",
        "<a if b ^else c>",
        "<a ^if (b)>",
        "<a^|f>",
        "<a ^is not f>",
        "<a|f(x)^|g(y).z>",
        "<-a^|f>",
        "<a^.b>",
        "<a^.b[0].c>",
        "<a^[0].c[1:]>",
        "<a.b()^.c[0].d>",
        "<a.b^(c)>",
        "<(a)^.b>",
        "<a(b)^(c)>",
    ],
)
def test_places_of_an_expression(marked: str) -> None:
    source = "{{ " + marked.replace("<", "").replace(">", "").replace("^", "") + " }}"
    (output,) = parse(source, LLAMA_CPP)[0].body
    assert isinstance(output, nodes.Output)
    node = output.node
    marks = sorted([(node.start, 0, "<"), (node.at, 1, "^"), (node.end, 2, ">")], reverse=True)
    for offset, _, mark in marks:
        source = source[:offset] + mark + source[offset:]
    assert source == "{{ " + marked + " }}"


@pytest.mark.parametrize(
    ("source", "kind", "extent", "at"),
    [
        ("a.b.c", nodes.Getattr, "a.b.c", 1),
        ("f(a=(b))", nodes.Keyword, "a=(b)", 3),
        ("f(*a)", nodes.Spread, "*a", 2),
        ("a[b:c]", nodes.Slice, "b:c", 2),
        ("a[:]", nodes.Slice, ":", 2),
        ("x is f (a)", nodes.Call, "f (a)", 7),
        ("x is f 'a'", nodes.Call, "f 'a'", 7),
        ("x|f(a)", nodes.Call, "f(a)", 3),
        ("x|f(a).b", nodes.Getattr, "f(a).b", 6),
        ("a == b < c", nodes.BinExpr, "a == b < c", 7),
    ],
)
def test_places_of_inner_nodes(source: str, kind: type[nodes.Node], extent: str, at: int) -> None:
    node = next(node for node in walk(expression(source)) if type(node) is kind)
    assert (source[node.start - 3 : node.end - 3], node.at - 3) == (extent, at)


LONG = 10_000


@pytest.mark.parametrize(
    "source",
    [
        *(f" {op} ".join(["a"] * LONG) for op in ("+", "-", "~", "*", "or", "and", "==", "in", "not in")),
        "a" + "|f" * LONG,
        "a" + "|f(1).b" * LONG,
        "a" + " is f()" * LONG,
        "a" + ".b" * LONG,
        "a" + ".b[0]()" * LONG,
        "a" + " if b else c" * LONG,
        "'a'" * LONG,
        "[" + "1," * LONG + "]",
        "[" + "1 " * LONG + "]",
        "{" + "1:2," * LONG + "}",
        "(" + "a, " * LONG + "a)",
        "f(" + "a=1," * LONG + ")",
        "a[" + "1 " * LONG + "]",
        "a[" + ":" * LONG + "]",
    ],
    ids=lambda source: source[:12],
)
def test_anything_flat_may_be_long(source: str) -> None:
    expression(source)
