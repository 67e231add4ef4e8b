"""``chatjinja python``."""

from __future__ import annotations

import ast
from typing import Annotated

import typer
from rich.syntax import Syntax

from chatjinja.cli.inputs import InputError, dialect_option, read_template
from chatjinja.cli.outputs import guard, template_errors, write_rich


def python_command(
    template: Annotated[str, typer.Argument(metavar="TEMPLATE", help="Template file; - reads standard input.")],
    dialect: Annotated[str, dialect_option()] = "llama.cpp",
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Show the exact form, which takes over where the usual one will not do.",
        ),
    ] = False,
) -> None:
    """Show the Python code that a template is compiled to.

    It is for reading: templates are compiled to a syntax tree, and this is that tree as text.
    """
    with guard(), template_errors(as_json=False):
        tree = read_template(template, dialect).python(exact=exact)
        try:
            code = ast.unparse(tree)
        except RecursionError:
            raise InputError("the generated code is nested too deeply to be written as text") from None
        coloured = Syntax("", "python", theme="ansi_dark", background_color="default").highlight(code)
        coloured.rstrip()
        write_rich(coloured)
