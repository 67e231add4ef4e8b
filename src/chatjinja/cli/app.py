"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

import chatjinja
from chatjinja.cli.apply_command import apply_command
from chatjinja.cli.ast_command import ast_command
from chatjinja.cli.caps_command import caps_command
from chatjinja.cli.compare_command import compare_command
from chatjinja.cli.deviations_command import deviations_command
from chatjinja.cli.filters_command import filters_command
from chatjinja.cli.outputs import guard, write_text
from chatjinja.cli.python_command import python_command
from chatjinja.cli.render_command import render_command
from chatjinja.cli.templates_command import templates_command
from chatjinja.cli.tokens_command import tokens_command
from chatjinja.cli.trust_command import trust_command

app = typer.Typer(
    name="chatjinja",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done; 1 the template failed or the request was refused; 2 wrong usage or unreadable input.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        with guard():
            write_text(f"chatjinja {chatjinja.__version__}\n")
        raise typer.Exit


@app.callback()
def chatjinja_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Render chat templates exactly as llama.cpp or transformers does, and look at how they are understood."""


app.command("render", epilog="""Example: chatjinja render chat.jinja context.json --set name='"Ada"'""")(render_command)
app.command(
    "trust",
    short_help="Show which strings of a context count as the application's.",
    epilog="Example: chatjinja trust context.json",
)(trust_command)
app.command(
    "apply",
    short_help="Show the prompt that a llama.cpp server builds of a request.",
    epilog="Example: chatjinja apply model.gguf request.json --steps",
)(apply_command)
app.command("caps", epilog="Example: chatjinja caps chat.jinja")(caps_command)
app.command("templates", epilog="Example: chatjinja templates model.gguf")(templates_command)
app.command(
    "compare",
    short_help="Render a template in several engines; show where they differ.",
    epilog="Example: chatjinja compare chat.jinja --with llama.cpp,jinja2",
)(compare_command)
app.command("filters", epilog="Example: chatjinja filters --json")(filters_command)
app.command("deviations", epilog="Example: chatjinja deviations")(deviations_command)
app.command("ast", epilog="""Example: echo '{{ name|upper }}' | chatjinja ast -""")(ast_command)
app.command("python", epilog="""Example: echo '{{ name|upper }}' | chatjinja python -""")(python_command)
app.command("tokens", epilog="Example: chatjinja tokens chat.jinja context.json --tokenizer tokenizer.json")(
    tokens_command
)
