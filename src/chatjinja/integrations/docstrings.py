"""Docstrings in Google's style, as `transformers` reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_SECTION = re.compile("Args:|Returns:|Raises:")
_ARGUMENTS = re.compile(r"\n\s*Args:\n")
_RETURNS = re.compile(r"\n\s*Returns:\n")
_ENTRY = re.compile(r"([ \t]*)(\w+)(?:[ \t]*\([^()\n]*\))?:")
_ENTRY_WITHOUT_TYPE = re.compile(r"(\s*)(\w+):")
_LINE_BREAKS = re.compile(r"\s*\n+\s*")


class Docstring(NamedTuple):
    """What a docstring says.

    Attributes:
        description: the text before the first section.
        arguments: name → description.
        returns: the description of the result, or None.
    """

    description: str
    arguments: Mapping[str, str]
    returns: str | None


def read_docstring(text: str, *, typed: bool) -> Docstring:
    """Read a docstring without common indentation.

    With `typed`, an argument may be given as ``name (type): …``, and lines that are indented deeper than a name belong
    to its description even if they look like another one.
    """
    description = _SECTION.split(text, maxsplit=1)[0].strip()
    arguments: Mapping[str, str] = {}
    found = _ARGUMENTS.search(text)
    if found is not None:
        arguments = _entries(re.split("Returns:|Raises:", text[found.end() :], maxsplit=1)[0], typed)
    found = _RETURNS.search(text)
    returns = None if found is None else text[found.end() :].split("Raises:", 1)[0].strip()
    return Docstring(description, arguments, returns)


def _entries(block: str, typed: bool) -> dict[str, str]:
    pattern = _ENTRY if typed else _ENTRY_WITHOUT_TYPE
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    indent = ""
    for line in block.split("\n"):
        if not line.strip():
            continue
        match = pattern.match(line)
        if match is not None and _starts_entry(line, current, indent, typed):
            indent = match.group(1)
            current = found[match.group(2)] = [line[match.end() :]]
        elif current is not None:
            current.append(line)
    return {name: _LINE_BREAKS.sub(" ", "\n".join(lines).strip()) for name, lines in found.items()}


def _starts_entry(line: str, current: list[str] | None, indent: str, typed: bool) -> bool:
    """Whether a line that looks like an entry is one, after the lines of the `current` one."""
    if current is None:
        return True
    if len(current) == 1 and not current[0].strip():
        return False  # a name without a description on its own line takes the next line, whatever that is
    return not (typed and line.startswith((indent + " ", indent + "\t")))
