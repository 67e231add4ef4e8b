"""A marked prompt on the terminal."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from chatjinja.cli.outputs import write_json, write_rich, write_text
from chatjinja.marking import Part, Prompt

_INPUT = "black on yellow"


def show_prompt(prompt: Prompt, *, provenance: bool, as_json: bool) -> None:
    """Write a prompt with its marks: as JSON, as a list of parts, or as text."""
    if as_json:
        write_json({"text": prompt.text, "parts": [part_data(part) for part in prompt.parts]})
    elif provenance:
        write_rich(*map(_line, prompt.parts))
    elif _in_colour():
        write_rich(Text.assemble(*((part.text, _INPUT if part.is_input else "") for part in prompt.parts)))
    else:
        text = "".join([f"[input]{part.text}[/input]" if part.is_input else part.text for part in prompt.parts])
        write_text(f"{text}\n" if sys.stdout.isatty() and not text.endswith("\n") else text)


def _in_colour() -> bool:
    console = Console()
    return sys.stdout.isatty() and console.color_system is not None and not console.no_color


def part_data(part: Part) -> dict[str, Any]:
    """A part as JSON data; source and span only if they are known."""
    data: dict[str, Any] = {"text": part.text, "is_input": part.is_input}
    if part.source is not None:
        data["source"] = part.source
    if part.span is not None:
        data["span"] = list(part.span)
    return data


def _line(part: Part) -> Text:
    kind = ("input   ", _INPUT) if part.is_input else ("template", "dim")
    shown = json.dumps(part.text, ensure_ascii=False)
    return Text.assemble(kind, "  ", shown.encode("utf-8", "backslashreplace").decode(), *_source(part))


def _source(part: Part) -> list[str | tuple[str, str]]:
    return [] if part.source is None else ["  ", (part.source, "cyan")]
