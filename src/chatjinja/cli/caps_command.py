"""``chatjinja caps``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from chatjinja.cli.caps_tables import tables
from chatjinja.cli.chat_inputs import NameOption, SourceArgument, read_chat
from chatjinja.cli.outputs import guard, template_errors, write_json, write_rich


def caps_command(
    source: SourceArgument,
    name: NameOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Show what a template can do, and how that was found out."""
    with guard(), template_errors(as_json):
        chat = read_chat(source, name)
        found = chat.capabilities
        chosen, family = chat.origin.chosen, chat.family.name
        if as_json:
            write_json({"template": chosen, "family": family, "capabilities": found.to_dict()})
        else:
            write_rich(Text.assemble("template ", (chosen, "bold"), ", family ", (family, "bold")), *tables(found))
