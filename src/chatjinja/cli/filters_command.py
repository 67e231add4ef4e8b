"""``chatjinja filters``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from chatjinja.cli.inputs import dialect_named, dialect_option
from chatjinja.cli.outputs import guard, write_json, write_rich
from chatjinja.dialects import JinjaDialect, LlamaDialect
from chatjinja.runtime.jinja.tables import JinjaTables
from chatjinja.runtime.tables import Tables

_TEST_GLOBAL = "test_is_"


def filters_command(
    dialect: Annotated[str, dialect_option()] = "llama.cpp",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """List filters and methods by type of value, tests and globals.

    In llama.cpp's dialects a filter and a method of one name are the same: x|upper is x.upper().
    """
    chosen = dialect_named(dialect)
    with guard():
        if isinstance(chosen, LlamaDialect):
            data, tables = _data(chosen.tables), _tables(chosen.tables)
        else:
            assert isinstance(chosen, JinjaDialect)
            data, tables = _jinja_data(chosen.tables), _jinja_tables(chosen.tables)
        if as_json:
            write_json({"dialect": dialect, **data})
        else:
            write_rich(*tables)


def describe(name: str, builtin: Any) -> str | None:
    """The first line of a built-in's docstring, without quotes and without its bare name at the start."""
    function: Any = builtin.func if isinstance(builtin, partial) else builtin
    text: str | None = function.__doc__
    return text.partition("\n")[0].replace("`", "").removeprefix(f"{name}: ") if text else None


def _data(tables: Tables) -> dict[str, Any]:
    return {
        "filters": {kind: _descriptions(methods) for kind, methods in tables.methods.items()},
        "aliases": dict(sorted(tables.aliases.items())),
        "tests": _descriptions(tables.tests),
        "globals": _descriptions(tables.globals),
    }


def _descriptions(builtins: Mapping[str, Any]) -> dict[str, str | None]:
    return {name: describe(name, builtins[name]) for name in sorted(builtins)}


def _tables(tables: Tables) -> list[Table | Text]:
    by_table: dict[int, list[str]] = {}
    for kind, methods in tables.methods.items():
        by_table.setdefault(id(methods), []).append(kind)
    parts: list[Table | Text] = []
    for kinds in by_table.values():
        parts += _section(f"Filters and methods of {', '.join(kinds)}", tables.methods[kinds[0]])
    parts += [_heading("Other names of filters")]
    parts += [_rows({alias: f"the same as {name}" for alias, name in sorted(tables.aliases.items())})]
    parts += _section("Tests (x is NAME; each is also a global test_is_NAME)", tables.tests)
    plain = {name: builtin for name, builtin in tables.globals.items() if not name.startswith(_TEST_GLOBAL)}
    parts += _section("Globals", plain)
    return parts


def _jinja_data(tables: JinjaTables) -> dict[str, Any]:
    return {
        "filters": _descriptions(tables.filters),
        "methods": {kind.__name__: _descriptions(table) for kind, table in tables.methods.items() if table},
        "tests": _descriptions(tables.tests),
        "globals": _descriptions(_functions(tables)),
    }


def _functions(tables: JinjaTables) -> dict[str, Any]:
    return {name: value.function for name, value in tables.globals.items()}


def _jinja_tables(tables: JinjaTables) -> list[Table | Text]:
    parts = _section("Filters", tables.filters)
    for kind, table in tables.methods.items():
        if table:
            parts += _section(f"Methods of {kind.__name__}", table)
    parts += _section("Tests (x is NAME)", tables.tests)
    return parts + _section("Globals", _functions(tables))


def _section(title: str, builtins: Mapping[str, Any]) -> list[Table | Text]:
    return [_heading(title), _rows(_descriptions(builtins))]


def _heading(title: str) -> Text:
    return Text(f"\n{title}", "bold")


def _rows(descriptions: Mapping[str, str | None]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for name, text in descriptions.items():
        table.add_row(f"  {name}", Text(text or ""))
    return table
