"""``chatjinja ast``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.text import Text

from chatjinja.cli.inputs import dialect_option, read_template
from chatjinja.cli.outputs import guard, template_errors, write_json, write_rich
from chatjinja.source import Source
from chatjinja.syntax.visitor import dump

_PLACE = ("type", "start", "end", "at")


def ast_command(
    template: Annotated[str, typer.Argument(metavar="TEMPLATE", help="Template file; - reads standard input.")],
    dialect: Annotated[str, dialect_option()] = "llama.cpp",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON; places are character offsets.")] = False,
) -> None:
    """Show the tree of a template.

    LINE:COLUMN is the place that llama.cpp reports for a node, in bytes from 1; [START:END] is its extent in
    characters from 0.
    """
    with guard(), template_errors(as_json):
        compiled = read_template(template, dialect)
        tree = dump(compiled.tree)
        if as_json:
            write_json(tree)
        else:
            write_rich(Text("\n").join(_lines(tree, compiled.source)))


def _lines(tree: dict[str, Any], source: Source) -> Iterator[Text]:
    """One line for each node, parents first, indented by depth."""
    todo: list[tuple[str, dict[str, Any], int]] = [("", tree, 0)]
    while todo:
        field, node, depth = todo.pop()
        yield _line(field, node, depth, source)
        children: list[tuple[str, dict[str, Any], int]] = []
        for name, value in node.items():
            if isinstance(value, dict):
                children.append((name, value, depth + 1))
            elif isinstance(value, list):
                children += [(name, item, depth + 1) for item in value]
        todo += reversed(children)


def _line(field: str, node: dict[str, Any], depth: int, source: Source) -> Text:
    place = source.position(min(node["at"], len(source.text)))
    text = Text("  " * depth)
    if field:
        text.append(f"{field}: ", "dim")
    text.append(node["type"], "bold cyan")
    text.append(f" {place.lineno}:{place.colno} [{node['start']}:{node['end']}]", "dim")
    for name, value in node.items():
        if name not in _PLACE and not isinstance(value, (dict, list)) and value is not None:
            text.append(f" {name}={value!r}")
    return text
