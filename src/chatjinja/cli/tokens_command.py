"""``chatjinja tokens``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table
from rich.text import Text

from chatjinja.cli.inputs import STDIN, InputError, dialect_option, read_context, read_template
from chatjinja.cli.outputs import guard, template_errors, write_json, write_rich
from chatjinja.marking import Prompt
from chatjinja.tokenization import TokenizerError, tokenize


class Row(NamedTuple):
    """A token; `start` and `end` are characters of the prompt."""

    id: int
    text: str
    start: int
    end: int
    is_input: bool
    sources: tuple[str, ...]


def tokens_command(
    template: Annotated[str, typer.Argument(metavar="TEMPLATE", help="Template file; - reads standard input.")],
    context: Annotated[
        str, typer.Argument(metavar="CONTEXT", help="JSON file with the variables; - reads standard input.")
    ],
    tokenizer: Annotated[
        str, typer.Option("--tokenizer", metavar="FILE", help="tokenizer.json of a model (needs tokenizers).")
    ],
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="TOKEN", help="An added token that input may write; may be repeated."),
    ] = None,
    dialect: Annotated[str, dialect_option()] = "llama.cpp",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON; places are character offsets.")] = False,
) -> None:
    """Show the token ids of a prompt, and who wrote each token.

    Below them: the tokens that input would have become if the tokenizer had got the text without marks.
    """
    if template == STDIN and context == STDIN:
        raise typer.BadParameter("only one of TEMPLATE and CONTEXT can be standard input")
    with guard(), template_errors(as_json):
        loaded = _load(tokenizer)
        prompt = read_template(template, dialect).render_marked(read_context(context), provenance=True)
        try:
            result = tokenize(prompt, loaded, allow=allow or ())
        except (TokenizerError, ValueError) as error:
            raise InputError(f"{tokenizer}: {error}") from None
        rows = list(_rows(prompt, result.ids, result.offsets, result.is_input, result.sources))
        forged = _without_marking(prompt, loaded, rows)
        if as_json:
            tokens = [_data(row) for row in rows]
            write_json({"tokens": tokens, "without_marking": [_place(row) for row in forged]})
        else:
            write_rich(*_report(rows, forged))


def _load(path: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError:
        raise InputError('tokenizers is not installed; run: pip install "chatjinja[tokenizers]"') from None
    try:
        loaded = Tokenizer.from_file(path)
    except Exception as error:  # the library raises no narrower type
        raise InputError(f"{path}: no tokenizer.json of a model: {error}") from None
    loaded.no_truncation()
    loaded.no_padding()
    return loaded


def _rows(
    prompt: Prompt,
    ids: Iterable[int],
    offsets: Iterable[tuple[int, int]],
    marks: Iterable[bool],
    sources: Iterable[tuple[str, ...]],
) -> Iterable[Row]:
    for id_, (start, end), mark, names in zip(ids, offsets, marks, sources, strict=True):
        yield Row(id_, prompt.text[start:end], start, end, mark, names)


def _without_marking(prompt: Prompt, tokenizer: Any, rows: Iterable[Row]) -> list[Row]:
    """The tokens that the tokenizer makes of the bare text and that are not among `rows`."""
    known = {(row.id, row.start, row.end) for row in rows}
    encoding = tokenizer.encode(prompt.text.encode("utf-8", "replace").decode(), add_special_tokens=False)
    return [
        Row(id_, prompt.text[start:end], start, end, True, ())
        for id_, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
        if (id_, start, end) not in known
    ]


def _place(row: Row) -> dict[str, Any]:
    return {"id": row.id, "text": row.text, "start": row.start, "end": row.end}


def _data(row: Row) -> dict[str, Any]:
    return {**_place(row), "origin": _origin(row), "sources": list(row.sources)}


def _origin(row: Row) -> str:
    return "input" if row.is_input else "template"


def _report(rows: list[Row], forged: list[Row]) -> Iterable[Table | Text]:
    yield _table(rows)
    if forged:
        yield Text("\nWithout marking, these tokens would have come instead:", "bold")
        yield _table(forged)
    else:
        yield Text("\nWithout marking, the tokens would be the same.", "bold")


def _table(rows: Iterable[Row]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="cyan", no_wrap=True)
    table.add_column()
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    for row in rows:
        style = "yellow" if row.is_input else ""
        text = json.dumps(row.text, ensure_ascii=False)
        table.add_row(str(row.id), Text(text, style), Text(_origin(row), style), Text(" ".join(row.sources), "dim"))
    return table
