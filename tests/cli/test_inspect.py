"""The commands that show how templates and dialects are understood."""

from __future__ import annotations

import pytest

import chatjinja
from chatjinja.cli import filters_command
from chatjinja.dialects import get_dialect
from tests.cli.conftest import Cli

TABLES = get_dialect("llama.cpp").tables


# --- filters -------------------------------------------------------------------------------------------


def test_filters_json_has_every_name(cli: Cli) -> None:
    data = cli("filters", "--json").data
    assert data["dialect"] == "llama.cpp"
    assert {kind: set(names) for kind, names in data["filters"].items()} == {
        kind: set(methods) for kind, methods in TABLES.methods.items()
    }
    assert set(data["tests"]) == set(TABLES.tests)
    assert set(data["globals"]) == set(TABLES.globals)
    assert data["aliases"] == dict(TABLES.aliases)
    assert data["filters"]["String"]["replace"] == "replace(old, new); an empty old puts new around every byte."
    assert data["globals"]["test_is_lower"] == data["tests"]["lower"]


def test_filters_text(cli: Cli) -> None:
    lines = cli("filters").text.splitlines()
    start = lines.index("Filters and methods of Array, Tuple")
    assert lines[start + 1].startswith("  append ")
    assert "  trim   the same as strip" in lines
    assert not any("test_is_lower" in line for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_filters_fit_a_terminal(cli: Cli) -> None:
    result = cli("filters", terminal=True)
    assert "\x1b[" in result.text
    assert cli("filters", encoding="ascii").text == cli("filters").text


def test_description_is_the_first_line_of_the_docstring() -> None:
    def builtin(rt: object, args: object) -> None:
        """``name(x)``: does it.

        More.
        """

    assert filters_command.describe("name", builtin) == "name(x): does it."
    builtin.__doc__ = "``name``: does it."
    assert filters_command.describe("name", builtin) == "does it."
    builtin.__doc__ = None
    assert filters_command.describe("name", builtin) is None


# --- deviations ----------------------------------------------------------------------------------------


def test_deviations(cli: Cli) -> None:
    dialect = get_dialect("llama.cpp")
    data = cli("deviations", "--json").data
    assert (data["dialect"], data["reference"]) == (dialect.name, dialect.reference)
    assert [row["name"] for row in data["deviations"]] == [row.name for row in dialect.deviations]
    assert set(data["deviations"][0]) == {"name", "what", "example", "reference", "here"}
    text = cli("deviations").text
    for row in dialect.deviations:
        assert f"\n{row.name}\n" in text
        assert row.what in text
        assert row.example in text


# --- ast -----------------------------------------------------------------------------------------------

SOURCE = "é{% if a %}\n  {{ x|upper }}{% endif %}{{ '' if y }}"


def test_ast(cli: Cli) -> None:
    assert (
        cli("ast", cli.file("t.jinja", SOURCE)).text
        == """\
Template 1:1 [0:51]
  body: TemplateData 1:1 [0:1] data_text='é'
  body: If 1:6 [1:38]
    test: Name 1:9 [7:8] name='a'
    body: TemplateData 1:13 [12:14] data_text='  '
    body: Output 2:3 [14:27]
      node: Filter 2:7 [17:24]
        node: Name 2:6 [17:18] name='x'
        target: Name 2:8 [19:24] name='upper'
  body: Output 2:27 [38:51]
    node: CondExpr 2:33 [41:48]
      test: Name 2:36 [47:48] name='y'
      expr1: Const 2:30 [41:43] value=''
"""
    )


def test_ast_json(cli: Cli) -> None:
    data = cli("ast", "-", "--json", stdin="{{ 1 }}").data
    assert data["type"] == "Template"
    assert data["body"][0]["node"] == {"type": "Const", "start": 3, "end": 4, "at": 3, "value": 1}


def test_ast_of_a_deep_tree_is_cut(cli: Cli) -> None:
    source = "{{ " + "1 + " * 5000 + "1 }}"
    assert " cut=True\n" in cli("ast", "-", stdin=source).text
    assert cli("ast", "-", "--json", stdin=source).data["type"] == "Template"


def test_ast_of_what_is_no_template(cli: Cli) -> None:
    result = cli("ast", "-", stdin="{% if %}")
    assert (result.code, result.out) == (1, b"")
    assert "code: parse-" in result.err
    assert cli("ast", "-", "--json", stdin="{% if %}").data["error"]["phase"] is None


# --- python --------------------------------------------------------------------------------------------


def test_python(cli: Cli) -> None:
    template = cli.file("t.jinja", "{% for m in messages %}{{ m.role }}{% endfor %}")
    fast = cli("python", template)
    assert fast.code == 0
    compile(fast.text, "t", "exec")
    assert "def root(rt, ctx, out):" in fast.text
    exact = cli("python", template, "--exact")
    compile(exact.text, "t", "exec")
    assert exact.text != fast.text


def test_python_on_a_terminal_is_coloured(cli: Cli) -> None:
    assert "\x1b[" in cli("python", "-", stdin="{{ a }}", terminal=True).text


def test_python_of_a_long_chain(cli: Cli) -> None:
    result = cli("python", "-", stdin="{{ " + "a + " * 1000 + "a }}")
    assert (result.code, result.err) == (0, "")


def test_python_that_cannot_be_written(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(tree: object) -> str:
        raise RecursionError

    monkeypatch.setattr("ast.unparse", refuse)
    result = cli("python", "-", stdin="a")
    assert (result.code, result.err) == (2, "error: the generated code is nested too deeply to be written as text\n")


def test_python_of_what_is_no_template(cli: Cli) -> None:
    result = cli("python", "-", stdin="{% nope %}")
    assert result.code == 1
    assert "Unknown statement: nope" in result.err


def test_version(cli: Cli) -> None:
    result = cli("--version")
    assert (result.code, result.text) == (0, f"chatjinja {chatjinja.__version__}\n")


def test_long_examples_are_cut(cli: Cli) -> None:
    text = cli("deviations", "--dialect", "transformers").text
    assert "{% set n = 1 %}{{ n + n" in text
    assert " … " in text
    assert max(map(len, text.splitlines())) < 400
