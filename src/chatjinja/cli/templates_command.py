"""``chatjinja templates``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from chatjinja.cli.chat_inputs import SourceArgument, read_chat
from chatjinja.cli.outputs import guard, template_errors, write_json, write_rich, write_text


def templates_command(
    source: SourceArgument,
    show: Annotated[
        str | None, typer.Option("--show", metavar="NAME", help="Write the text of this template instead.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, texts included.")] = False,
) -> None:
    """List the templates of a model, and which of them is used when."""
    with guard(), template_errors(as_json):
        chat = read_chat(source)
        origin = chat.origin
        if show is not None:
            if show not in chat.sources:
                raise typer.BadParameter(f"there is no template {show!r}; there is: {', '.join(origin.names)}")
            write_text(chat.sources[show])
            return
        tokens = {
            "bos_token": chat.bos_token,
            "eos_token": chat.eos_token,
            "add_bos": chat.add_bos,
            "add_eos": chat.add_eos,
        }
        if as_json:
            used = {"chosen": origin.chosen, "why": origin.why, "for_tools": origin.for_tools}
            write_json({"where": origin.where, "templates": chat.sources, **used, **tokens})
            return
        table = Table.grid(padding=(0, 2))
        for name in origin.names:
            table.add_row(Text(name, "cyan"), f"{len(chat.sources[name])} characters")
        used_text = f"used: {origin.chosen} ({origin.why}); with tools: {origin.for_tools}"
        shown = ", ".join(f"{key} {value!r}" for key, value in tokens.items())
        write_rich(Text(origin.where, "bold"), *([table] if origin.names else []), Text(used_text), Text(shown))
        if origin.ignored is not None:
            write_rich(Text(f"the template for tools is ignored: {origin.ignored}", "yellow"))
        if origin.disarmed:
            write_rich(Text(f"taken out, as llama.cpp does: {', '.join(origin.disarmed)}"))
