"""What commands read: templates, contexts, options."""

from __future__ import annotations

import json
import re
import shlex
import sys
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

import typer

from chatjinja import Environment, Template
from chatjinja.dialects import DIALECTS, Dialect, get_dialect

STDIN = "-"
_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


class InputError(Exception):
    """Something cannot be read; the text is one line for the user."""


def read_template(path: str, dialect: str) -> Template:
    """Compile the template in a file, or on standard input for ``-``.

    Raises InputError if it cannot be read, TemplateError if it is no template.
    """
    return Environment(dialect).from_string(read_text(path), _shown(path))


def read_context(path: str, what: str = "context") -> dict[str, Any]:
    """The JSON object in a file, or on standard input for ``-``. Raises InputError, which calls it `what`."""
    text = read_text(path).removeprefix("\ufeff")
    where = _shown(path)
    try:
        context = parse_json(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON: {error}") from None
    if not isinstance(context, dict):
        kind = _JSON_KINDS.get(type(context), "a number")
        raise InputError(f'{where}: the {what} must be a JSON object such as {{"messages": […]}}, not {kind}')
    return context


_JSON_KINDS = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


def parse_json(text: str) -> Any:
    """The value of a JSON text, without Python's extras ``NaN`` and ``Infinity``. Raises ValueError."""
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def read_text(path: str) -> str:
    """The text of a file, or of standard input for ``-``, with its line ends as they are. Raises InputError."""
    try:
        if path == STDIN:
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
    except OSError as error:
        raise InputError(f"{_shown(path)}: {error.strerror or error}") from None
    if data[:4] == b"GGUF":
        raise InputError(
            f"{_shown(path)}: this is a model file, not a text; "
            f"its template is what `chatjinja templates {shlex.quote(path)} --show default` writes"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        lineno = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{_shown(path)}: not UTF-8: byte 0x{data[error.start]:02x} in line {lineno}") from None


def _shown(path: str) -> str:
    return "<stdin>" if path == STDIN else path


# --- options -------------------------------------------------------------------------------------------


def check_dialect(name: str) -> str:
    """Option callback: the name of a dialect that exists."""
    try:
        return get_dialect(name).name
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def dialect_option() -> Any:
    """The option ``--dialect``."""
    known = ", ".join(sorted(DIALECTS))
    return typer.Option("--dialect", metavar="NAME", callback=check_dialect, help=f"Template language; known: {known}.")


def dialect_named(name: str) -> Dialect:
    """The dialect behind the checked value of ``--dialect``."""
    return get_dialect(name)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The value of ``--set``."""

    name: str
    value: Any


def parse_assignment(item: str) -> Assignment:
    """Read ``name=json``. Raises typer.BadParameter."""
    name, equals, text = item.partition("=")
    if not equals:
        raise typer.BadParameter(f"{item!r} is not of the form name=json")
    if not _NAME.fullmatch(name):
        raise typer.BadParameter(f"{name!r} is not a variable name")
    try:
        return Assignment(name, parse_json(text))
    except (ValueError, RecursionError):
        quoted = f"{name}={shlex.quote(json.dumps(text, ensure_ascii=False))}"
        raise typer.BadParameter(f"{text!r} is not JSON; for a string write: --set {quoted}") from None


@dataclass(frozen=True, slots=True)
class Moment:
    """The value of ``--now``."""

    value: float | datetime


def parse_moment(text: str) -> Moment:
    """Read a POSIX number or an ISO 8601 time with a zone. Raises typer.BadParameter."""
    try:
        number = float(text)
    except ValueError:
        return Moment(_parse_iso(text))
    try:
        datetime.fromtimestamp(number).astimezone()
    except (ValueError, OverflowError, OSError):
        raise typer.BadParameter(f"{text} is not a time that this system can show") from None
    return Moment(number)


def _parse_iso(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither a POSIX time such as 1767225600 nor an ISO 8601 time such as 2026-01-01T09:30Z"
        ) from None
    if moment.tzinfo is None:
        written = moment.isoformat(timespec="minutes")
        raise typer.BadParameter(f"{text!r} has no time zone; write {written}Z for UTC, or {written}+02:00")
    return moment
