"""Walks over trees."""

from __future__ import annotations

import json

import pytest

from chatjinja.syntax import nodes
from chatjinja.syntax.visitor import DUMP_DEPTH, dump, iter_child_nodes, same_tree, walk
from tests.syntax.shapes import expression, tree


def test_children_in_order() -> None:
    (statement,) = tree("{% for a, b in c %}d{{ e }}{% else %}f{% endfor %}").body
    kinds = [type(child).__name__ for child in iter_child_nodes(statement)]
    assert kinds == ["Tuple", "Name", "TemplateData", "Output", "TemplateData"]


def test_absent_children_are_left_out() -> None:
    assert [child.reference for child in iter_child_nodes(expression("a if b"))] == ["Identifier", "Identifier"]


def test_walk_goes_parents_first() -> None:
    found = [node.name for node in walk(expression("f(a.b[c], d=e)|g")) if isinstance(node, nodes.Name)]
    assert found == ["f", "a", "b", "c", "d", "e", "g"]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("a + b", "(a)+(b)", True),
        ("'ab'", "'a' \"b\"", True),
        ("f(a)", "f(a,)", True),
        ("a", "b", False),
        ("a", "'a'", False),
        ("1", "1.0", False),
        ("(-0.0)", "0.0", False),
        ("1.5", "1.50", True),
        ("[a]", "[a, a]", False),
        ("a + b", "a - b", False),
        ("a is b", "a is not b", False),
        ("a if b", "a if b else c", False),
        ("a if b else c", "a if b", False),
        ("a if b", "a if b", True),
        ("a if b", "a if c", False),
        ("a[]", "a[b]", False),
    ],
)
def test_same_tree(a: str, b: str, same: bool) -> None:
    assert same_tree(expression(a), expression(b)) is same


def test_dump() -> None:
    assert dump(tree("é{{ a if 1 }}")) == {
        "type": "Template",
        "start": 0,
        "end": 13,
        "at": 0,
        "body": [
            {"type": "TemplateData", "start": 0, "end": 1, "at": 0, "data_text": "é"},
            {
                "type": "Output",
                "start": 1,
                "end": 13,
                "at": 1,
                "node": {
                    "type": "CondExpr",
                    "start": 4,
                    "end": 10,
                    "at": 6,
                    "test": {"type": "Const", "start": 9, "end": 10, "at": 9, "value": 1},
                    "expr1": {"type": "Name", "start": 4, "end": 5, "at": 4, "name": "a"},
                    "expr2": None,
                },
            },
        ],
    }


def test_dump_is_cut() -> None:
    dumped = dump(expression("a + b + c"), max_depth=1)
    assert dumped["left"] == {"type": "BinExpr", "start": 3, "end": 8, "at": 5, "op": "+", "cut": True}
    assert dumped["right"] == {"type": "Name", "start": 11, "end": 12, "at": 11, "name": "c"}


def test_trees_of_any_depth() -> None:
    source = "{{ " + " + ".join(["a"] * 20_000) + " }}"
    template = tree(source)
    assert sum(1 for _ in walk(template)) == 40_001
    assert same_tree(template, tree(source))
    assert json.dumps(dump(template)).count("BinExpr") == DUMP_DEPTH - 1
