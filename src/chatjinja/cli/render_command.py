"""``chatjinja render``."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from chatjinja.cli.inputs import (
    STDIN,
    Assignment,
    Moment,
    dialect_option,
    parse_assignment,
    parse_moment,
    read_context,
    read_template,
)
from chatjinja.cli.marked_output import show_prompt
from chatjinja.cli.outputs import guard, note, template_errors, write_json, write_text
from chatjinja.samples import conversation


def render_command(
    template: Annotated[str, typer.Argument(metavar="TEMPLATE", help="Template file; - reads standard input.")],
    context: Annotated[
        str | None,
        typer.Argument(
            metavar="CONTEXT",
            help="JSON file with the variables (messages, tools, …); - reads standard input. "
            "Left out: a built-in sample conversation.",
        ),
    ] = None,
    dialect: Annotated[str, dialect_option()] = "llama.cpp",
    assignments: Annotated[
        list[Assignment] | None,
        typer.Option(
            "--set",
            metavar="NAME=JSON",
            parser=parse_assignment,
            help="Set a variable, over the context's; may be repeated. A string needs its quotes: "
            """--set name='"Ada"'.""",
        ),
    ] = None,
    now: Annotated[
        Moment | None,
        typer.Option(
            "--now",
            metavar="TIME",
            parser=parse_moment,
            help="The time that the template sees: a POSIX number (shown in the local zone) or ISO 8601 with a zone, "
            "such as 2026-01-01T09:30Z. Default: the system clock.",
        ),
    ] = None,
    marked: Annotated[
        bool,
        typer.Option(
            "--marked",
            help="Show what was copied from the context: in colour on a terminal, else between [input] and [/input].",
        ),
    ] = False,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="List the parts of the prompt, one a line, with their sources.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help='Write {"text": …} (with --marked also "parts") or {"error": {…}}.')
    ] = False,
) -> None:
    """Render a template.

    The text is written exactly, without a newline at the end. Only on a terminal one is added if it is missing.
    """
    if template == STDIN and context == STDIN:
        raise typer.BadParameter("only one of TEMPLATE and CONTEXT can be standard input")
    with guard(), template_errors(as_json):
        compiled = read_template(template, dialect)
        variables = _variables(context)
        variables.update((item.name, item.value) for item in assignments or ())
        moment = None if now is None else now.value
        if marked or provenance:
            prompt = compiled.render_marked(variables, provenance=provenance, now=moment)
            show_prompt(prompt, provenance=provenance, as_json=as_json)
            return
        text = compiled.render(variables, now=moment)
        if as_json:
            write_json({"text": text})
            return
        if sys.stdout.isatty() and not text.endswith("\n"):
            text += "\n"
        write_text(text)


def _variables(context: str | None) -> dict[str, Any]:
    if context is not None:
        return read_context(context)
    note("no context given, so this is the built-in sample conversation")
    return conversation()
