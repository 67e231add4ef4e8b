"""``chatjinja deviations``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from chatjinja.cli.inputs import dialect_named, dialect_option
from chatjinja.cli.outputs import guard, write_json, write_rich
from chatjinja.dialects.base import Deviation

_LONGEST = 300


def deviations_command(
    dialect: Annotated[str, dialect_option()] = "llama.cpp",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """List where a dialect differs from its reference."""
    chosen = dialect_named(dialect)
    with guard():
        if as_json:
            rows = [asdict(deviation) for deviation in chosen.deviations]
            write_json({"dialect": chosen.name, "reference": chosen.reference, "deviations": rows})
            return
        write_rich(Text.assemble((chosen.name, "bold"), f" follows {chosen.reference}, except:"))
        for deviation in chosen.deviations:
            write_rich(Text(f"\n{deviation.name}", "bold"), Padding(_block(deviation), (0, 0, 0, 2)))


def _block(deviation: Deviation) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for name in ("what", "example", "reference", "here"):
        table.add_row(name, Text(_shortened(getattr(deviation, name))))
    return table


def _shortened(text: str) -> str:
    """One example is a chain of 300 operators; as JSON it is whole."""
    return text if len(text) <= _LONGEST else f"{text[:60]} … {text[-20:]}"
