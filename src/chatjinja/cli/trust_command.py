"""``chatjinja trust``."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from chatjinja.cli.inputs import read_context
from chatjinja.cli.outputs import guard, write_json, write_rich, write_text
from chatjinja.marking import DEFAULT_TRUST, Trusted


def trust_command(
    context: Annotated[
        str, typer.Argument(metavar="CONTEXT", help="JSON file with the variables; - reads standard input.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Show which strings of a context count as the application's own, and by which pattern.

    Everything else is input when a prompt is marked.
    """
    with guard():
        found = DEFAULT_TRUST.find(read_context(context))
        if as_json:
            write_json({"trusted": [item._asdict() for item in found]})
        elif found:
            write_rich(_rows(found))
        else:
            write_text("nothing is trusted\n")


def _rows(found: list[Trusted]) -> Table:
    table = Table.grid(padding=(0, 2))
    for item in found:
        value = json.dumps(item.value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
        table.add_row(Text(item.pointer, "cyan"), Text(value), Text(item.pattern, "dim"))
    return table
