"""``chatjinja caps``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from chatjinja.cli.chat_inputs import NameOption, SourceArgument, read_chat
from chatjinja.cli.outputs import guard, template_errors, write_json, write_rich

_STYLES = {"yes": "green", "no": "red", "probe failed": "yellow"}


def caps_command(
    source: SourceArgument,
    name: NameOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Show what a template can do, and how that was found out."""
    with guard(), template_errors(as_json):
        chat = read_chat(source, name)
        found = chat.capabilities
        if as_json:
            answers = {key: {"value": value, **found.evidence[key]._asdict()} for key, value in found.as_dict().items()}
            write_json({"template": chat.origin.chosen, "family": chat.family.name, "capabilities": answers})
            return
        table = Table.grid(padding=(0, 2))
        for key in found.as_dict():
            evidence = found.evidence[key]
            table.add_row(Text(key), Text(evidence.answer, _STYLES[evidence.answer]), Text(evidence.why, "dim"))
        write_rich(Text.assemble("family ", (chat.family.name, "bold")), table)
