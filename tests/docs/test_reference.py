"""The tables of the reference pages are complete, both ways."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import chatjinja
from chatjinja.dialects import get_dialect
from chatjinja.errors import TemplateError
from chatjinja.syntax import nodes
from tests.docs.blocks import ROOT

CODE = re.compile("[a-z]+(-[a-z]+)*")
RAISES = ("error", "_error", "refuse_node")
"""Helpers of lexer and parser that take a code as their second argument."""


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def first_cells(text: str) -> list[str]:
    """The code in the first cell of every table row."""
    return re.findall(r"^\| `([^`]+)` ", text, re.MULTILINE)


# --- errors --------------------------------------------------------------------------------------------


def codes_in(path: Path) -> Iterator[str]:
    """Every error code that a module of the package names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        found: list[ast.expr] = []
        if isinstance(node, ast.Call):
            found += [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found += node.args[1:2] if name in RAISES else []
        elif isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "default_code" for t in node.targets):
            found.append(node.value)
        for value in found:
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and CODE.fullmatch(value.value):
                yield value.value


def codes() -> set[str]:
    package = Path(chatjinja.__file__).parent
    named = {code for path in package.rglob("*.py") for code in codes_in(path)}
    return named | {f"limit-{field.name.replace('_', '-')}" for field in fields(chatjinja.Limits)}


def test_error_codes() -> None:
    listed = filter(CODE.fullmatch, first_cells(page("errors.md")))
    assert sorted(listed) == sorted(codes())


def test_error_classes_and_fields() -> None:
    text = page("errors.md")
    for name in chatjinja.__all__:
        value = getattr(chatjinja, name)
        if isinstance(value, type) and issubclass(value, chatjinja.ChatJinjaError):
            assert f"`{name}`" in text
    for field in vars(TemplateError()):
        assert field == "rendered" or f"`.{field}`" in text, field


# --- positions -----------------------------------------------------------------------------------------


def concrete_nodes() -> set[str]:
    kinds = [value for value in vars(nodes).values() if isinstance(value, type) and issubclass(value, nodes.Node)]
    return {kind.__name__ for kind in kinds} - {"Node", "Stmt", "Expr"}


def test_positions_list_every_node() -> None:
    assert sorted(first_cells(page("positions.md"))) == sorted(concrete_nodes())


# --- api -----------------------------------------------------------------------------------------------


def test_api_names_everything_public() -> None:
    text = page("api.md")
    for name in chatjinja.__all__:
        assert re.search(rf"`{name}\b", text), name
    for field in fields(chatjinja.Limits):
        assert f"`{field.name}`" in text, field.name


def test_deviations_are_what_happens() -> None:
    for deviation in get_dialect("llama.cpp").deviations:
        try:
            here = chatjinja.render(deviation.example)
        except TemplateError as error:
            here = error.message
        assert here in deviation.here, deviation.name


def test_deviations_are_on_the_page_of_the_dialect() -> None:
    text = page("dialects.md")
    for deviation in get_dialect("llama.cpp").deviations:
        assert deviation.example in text, deviation.name
