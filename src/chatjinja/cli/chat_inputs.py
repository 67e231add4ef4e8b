"""Options of the commands that read chat templates."""

from __future__ import annotations

from typing import Annotated

import typer

from chatjinja import ChatTemplate
from chatjinja.chat.template import Settings
from chatjinja.cli.inputs import STDIN, read_text

SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="Template file, GGUF file, Hugging Face model folder or hub id; - reads a template from standard input.",
    ),
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Which of several templates; see the command templates."),
]
BosOption = Annotated[
    str | None, typer.Option("--bos", metavar="TEXT", help="Text of the BOS token, instead of the model's.")
]
EosOption = Annotated[
    str | None, typer.Option("--eos", metavar="TEXT", help="Text of the EOS token, instead of the model's.")
]
AddBosOption = Annotated[
    bool | None,
    typer.Option("--add-bos/--no-add-bos", help="Whether the tokenizer adds BOS, so that the template's own is cut."),
]


def read_chat(
    source: str, name: str | None = None, bos: str | None = None, eos: str | None = None, add_bos: bool | None = None
) -> ChatTemplate:
    """The chat template that `source` names. Raises InputError, LoadError or TemplateError."""
    settings: Settings = {}
    if bos is not None:
        settings["bos_token"] = bos
    if eos is not None:
        settings["eos_token"] = eos
    if add_bos is not None:
        settings["add_bos"] = add_bos
    if source == STDIN:
        return ChatTemplate.from_string(read_text(STDIN), **settings)
    return ChatTemplate.load(source, name=name, settings=settings)
