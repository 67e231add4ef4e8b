"""``chatjinja apply``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from rich.text import Text

from chatjinja import ChatPrompt
from chatjinja.chat import WORKAROUNDS, Change
from chatjinja.chat.jsontext import compact
from chatjinja.chat.workarounds import Arguments
from chatjinja.cli.chat_inputs import AddBosOption, BosOption, EosOption, NameOption, SourceArgument, read_chat
from chatjinja.cli.inputs import STDIN, Moment, parse_moment, read_context
from chatjinja.cli.marked_output import part_data, show_prompt
from chatjinja.cli.outputs import guard, template_errors, write_json, write_rich, write_text

_POLICIES: Mapping[str, Arguments] = {"error": "error", "keep": "keep", "empty": "empty"}
_WIDEST = 100


def _check_policy(value: str) -> str:
    if value not in _POLICIES:
        raise typer.BadParameter(f"{value!r} is none of {', '.join(_POLICIES)}")
    return value


def _check_steps(names: list[str]) -> list[str]:
    known = [step.name for step in WORKAROUNDS]
    for name in names or ():
        if name not in known:
            raise typer.BadParameter(f"{name!r} is none of {', '.join(known)}")
    return names


def apply_command(
    source: SourceArgument,
    request: Annotated[
        str,
        typer.Argument(
            metavar="REQUEST", help="JSON file with the body of a chat request (messages, tools, …); - reads stdin."
        ),
    ],
    name: NameOption = None,
    bos: BosOption = None,
    eos: EosOption = None,
    add_bos: AddBosOption = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="STEP", callback=_check_steps, help="Leave out a step; may be repeated."),
    ] = None,
    arguments: Annotated[
        str,
        typer.Option(
            "--arguments",
            metavar="POLICY",
            callback=_check_policy,
            help="Tool arguments in the history that are not JSON: error, keep, or empty.",
        ),
    ] = "error",
    now: Annotated[
        Moment | None,
        typer.Option(
            "--now", metavar="TIME", parser=parse_moment, help="The time that the template sees, as for render."
        ),
    ] = None,
    steps: Annotated[bool, typer.Option("--steps", help="Show what each step changed, instead of the prompt.")] = False,
    context: Annotated[
        bool, typer.Option("--context", help="Show the template's variables as JSON, instead of the prompt.")
    ] = False,
    marked: Annotated[
        bool,
        typer.Option(
            "--marked",
            help="Show what was copied from the request: in colour on a terminal, else between [input] and [/input].",
        ),
    ] = False,
    provenance: Annotated[
        bool,
        typer.Option(
            "--provenance", help="List the parts of the prompt, one a line, with their places in the request."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write everything as JSON; parts only if asked for.")] = False,
) -> None:
    """Show the prompt that a llama.cpp server builds from a chat request."""
    if source == STDIN and request == STDIN:
        raise typer.BadParameter("only one of SOURCE and REQUEST can be standard input")
    with guard(), template_errors(as_json):
        chat = read_chat(source, name, bos, eos, add_bos)
        prompt = chat.apply_request(
            read_context(request, "request"),
            workarounds=[step for step in WORKAROUNDS if step.name not in (without or ())],
            arguments=_POLICIES[arguments],
            marking="sound" if marked or provenance else None,
            provenance=provenance,
            now=None if now is None else now.value,
        )
        if as_json:
            parts = {"parts": [part_data(part) for part in prompt.parts]} if marked or provenance else {}
            write_json({**_data(prompt), **parts})
        elif marked or provenance:
            show_prompt(prompt, provenance=provenance, as_json=False)
        elif context:
            write_json(prompt.context)
        elif steps:
            write_rich(Text("\n").join(_lines(prompt)))
        else:
            text = prompt.text
            write_text(text + "\n" if sys.stdout.isatty() and not text.endswith("\n") else text)


def _data(prompt: ChatPrompt) -> dict[str, Any]:
    return {
        "text": prompt.text,
        "template": prompt.template_name,
        "family": prompt.family,
        "bos_was_cut": prompt.bos_was_cut,
        "steps": [
            {"name": step.name, "what": step.what, "changes": [change._asdict() for change in step.changes]}
            for step in prompt.steps
        ],
        "context": prompt.context,
    }


def _lines(prompt: ChatPrompt) -> Iterator[Text]:
    yield Text.assemble("template ", (prompt.template_name, "bold"), ", family ", (prompt.family, "bold"))
    for step in prompt.steps:
        yield Text.assemble((step.name, "bold cyan"), f"  {step.what}")
        for change in step.changes:
            yield _line(change)
        if not step.changes:
            yield Text("  nothing to do", "dim")


def _line(change: Change) -> Text:
    text = Text.assemble("  ", (change.pointer, "yellow"), " ")
    if change.kind == "added":
        return text.append("+ ", "green").append(_short(change.after))
    if change.kind == "removed":
        return text.append("- ", "red").append(_short(change.before))
    return text.append(_short(change.before)).append(" → ", "dim").append(_short(change.after))


def _short(value: Any) -> str:
    text = compact(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
