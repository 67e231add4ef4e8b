"""What commands write, and how they end.

Results go to standard output as UTF-8 bytes, whatever encoding the terminal claims; messages to standard error.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from chatjinja.cli import INTERRUPTED
from chatjinja.cli.inputs import InputError
from chatjinja.diagnostics import error_data
from chatjinja.errors import LoadError, RequestError, TemplateError

PIPE_CLOSED = 141
"""Exit code when the reader of our output went away, as a shell reports it."""
_WIDE = 10_000
"""Width of what is not read on a terminal: nothing wraps."""
_SURROGATE = re.compile("[\ud800-\udfff]")


# --- results -------------------------------------------------------------------------------------------


def write_text(text: str) -> None:
    """Write `text` to standard output, byte for byte; surrogate escapes become the bytes they stand for."""
    sys.stdout.flush()
    binary = sys.stdout.buffer
    binary.write(text.encode("utf-8", "surrogateescape"))
    binary.flush()


def write_json(data: Any) -> None:
    """Write JSON and a newline. A byte that is not UTF-8 is shown as the escape ``\\udcXX``."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    write_text(_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n")


def write_rich(*parts: RenderableType) -> None:
    """Write what rich shows: in colour and wrapped on a terminal, else plain and as wide as it is."""
    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else _WIDE, highlight=False)
    with console.capture() as captured:
        for part in parts:
            console.print(part, soft_wrap=isinstance(part, Text))
    text = captured.get()
    if not terminal:
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    write_text(text)


# --- messages ------------------------------------------------------------------------------------------


def note(text: str) -> None:
    """A line on standard error that is no error."""
    _print_message(Text.assemble(("note: ", "cyan"), text))


def _complain(text: str) -> None:
    _print_message(Text.assemble(("error: ", "bold red"), _printable(text)))


def _print_message(text: Text) -> None:
    Console(stderr=True, highlight=False).print(text, soft_wrap=True)


def _printable(text: str) -> str:
    """Without characters that could steer a terminal."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode() for char in text
    )


def _error_text(error: TemplateError) -> Text:
    """The error in colours, and its code."""
    message, *excerpt = [_printable(str(error))]
    if error.colno is not None:
        message, *excerpt = message.rsplit("\n", 2)
    place = f"{_printable(error.template_name or '')}:{error.lineno}:{error.colno}: "
    text = Text()
    if message.startswith(place):
        text.append(place, "bold")
        message = message.removeprefix(place)
    text.append(message, "bold red")
    for line, style in zip(excerpt, ("", "red"), strict=False):
        gutter, bar, rest = line.partition(" | ")
        text.append(f"\n{gutter}{bar}", "blue").append(rest, style)
    return text.append(f"\n  code: {error.code}", "dim")


# --- endings -------------------------------------------------------------------------------------------


@contextmanager
def guard() -> Iterator[None]:
    """Around a whole command: the user's mistakes and the system's refusals end in a line and an exit code."""
    try:
        yield
    except (InputError, LoadError) as error:
        _complain(str(error))
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _drop_output()
        raise typer.Exit(PIPE_CLOSED) from None
    except OSError as error:
        _drop_output()
        _complain(f"cannot write the result: {error.strerror or error}")
        raise typer.Exit(2) from None


def _drop_output() -> None:
    """What is still buffered goes nowhere, or Python would try to write it again when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextmanager
def template_errors(as_json: bool) -> Iterator[None]:
    """Around what compiles and renders: a TemplateError or RequestError is reported and ends the command with 1."""
    try:
        yield
    except RequestError as error:
        if as_json:
            write_json({"error": _refusal_data(error)})
        else:
            _complain(f"{error}\n  a llama.cpp server answers {error.status}: {error.reference_message.strip()}")
        raise typer.Exit(1) from None
    except TemplateError as error:
        if as_json:
            write_json({"error": error_data(error)})
        else:
            _print_message(_error_text(error))
        raise typer.Exit(1) from None


def _refusal_data(error: RequestError) -> dict[str, Any]:
    return {
        "type": type(error).__name__,
        "message": error.message,
        "pointer": error.pointer,
        "status": error.status,
        "reference_message": error.reference_message,
    }
