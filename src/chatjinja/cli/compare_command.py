"""``chatjinja compare``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

import chatjinja
from chatjinja.analysis import DEFAULT_ENGINES, ENGINES, EngineError, Report, compare, parse_conversations
from chatjinja.analysis.conversations import Conversation, built_in_conversations
from chatjinja.analysis.output.summary import cause_line, excerpt_line, headline, rewrite_line, shortened
from chatjinja.analysis.report import Difference
from chatjinja.analysis.texts import Excerpt
from chatjinja.chat.loader import pick, read_any
from chatjinja.chat.models import Model
from chatjinja.chat.sources import choose_default
from chatjinja.cli.chat_inputs import NameOption
from chatjinja.cli.inputs import STDIN, InputError, Moment, parse_moment, read_text
from chatjinja.cli.outputs import guard, note, write_json, write_rich

_SOURCE = "Template file, GGUF file, Hugging Face model folder or hub id; - reads a template from standard input."


def _engines(names: str) -> list[str]:
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    if not chosen:
        raise typer.BadParameter("name at least one engine")
    return chosen


def compare_command(
    template: Annotated[str, typer.Argument(metavar="TEMPLATE", help=_SOURCE)],
    other: Annotated[
        str | None,
        typer.Argument(metavar="TEMPLATE2", help="A second template: the two are compared in each engine."),
    ] = None,
    engines: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="A,B",
            help=f"Engines; the others are compared with the first. Known: {', '.join(ENGINES)}.",
        ),
    ] = ",".join(DEFAULT_ENGINES),
    conversations: Annotated[
        str | None,
        typer.Option(
            "--conversations",
            metavar="FILE",
            help="JSON or JSONL: lists of messages, or request objects. Left out: a built-in set.",
        ),
    ] = None,
    name: NameOption = None,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="Give all engines the same variables, not what their runtimes would pass."),
    ] = False,
    now: Annotated[
        Moment | None,
        typer.Option("--now", metavar="TIME", parser=parse_moment, help="The time that templates see, as for render."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Also write JUnit XML.")] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", metavar="FILE", help="Also write SARIF.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page with the texts side by side.")
    ] = None,
    rewrite: Annotated[
        Path | None,
        typer.Option("--rewrite", metavar="FILE", help="Also write the template with all rewrites, if they suffice."),
    ] = None,
) -> None:
    """Render a template in several engines; show where they differ, why, and how to write it portably.

    Ends with 1 if there is a difference.
    """
    if template == STDIN and other == STDIN:
        raise typer.BadParameter("only one of TEMPLATE and TEMPLATE2 can be standard input")
    with guard():
        first = _read(template, name)
        second = None if other is None else choose_default(_read(other, name).sources).source
        try:
            report = compare(
                choose_default(first.sources).source,
                _conversations(conversations, first),
                _engines(engines),
                other=second,
                raw=raw,
                now=None if now is None else now.value,
            )
        except EngineError as error:
            raise InputError(str(error)) from None
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
        _write_files(report, template, junit, sarif, html, rewrite)
        if as_json:
            write_json(report.to_dict())
        else:
            write_rich(*_shown(report))
    if not report.agrees:
        raise typer.Exit(1)


def _read(source: str, name: str | None) -> Model:
    if source == STDIN:
        return Model({"default": read_text(STDIN)}, "", "", False, False, "standard input")
    return pick(read_any(source), name)


def _conversations(path: str | None, model: Model) -> list[Conversation]:
    """The conversations, with the model's own special tokens."""
    if path is None:
        found = built_in_conversations()
    else:
        try:
            found = parse_conversations(read_text(path).removeprefix("\ufeff"))
        except json.JSONDecodeError as error:
            raise InputError(f"{path}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: {error}") from None
    tokens = {key: text for key, text in (("bos_token", model.bos_token), ("eos_token", model.eos_token)) if text}
    return [Conversation(item.name, {**item.context, **tokens}) for item in found]


def _write_files(
    report: Report, name: str, junit: Path | None, sarif: Path | None, html: Path | None, rewrite: Path | None
) -> None:
    # Only what is asked for is loaded: the command has to start fast.
    if junit is not None:
        from chatjinja.analysis.output.junit import to_junit

        _write(junit, to_junit(report, name))
    if sarif is not None:
        from chatjinja.analysis.output.sarif import to_sarif

        _write(sarif, to_sarif(report, name, chatjinja.__version__))
    if html is not None:
        from chatjinja.analysis.output.html import to_html

        _write(html, to_html(report, name))
    if rewrite is not None:
        if report.agrees:
            note("all agree, so there is nothing to rewrite")
        elif report.portable is None:
            note("no rewrite makes all engines agree, so none is written")
        else:
            _write(rewrite, report.portable)


def _write(path: Path, text: str) -> None:
    try:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


# --- on a terminal -------------------------------------------------------------------------------------


def _shown(report: Report) -> Iterator[Table | Text]:
    yield _table(report)
    for same in _by_cause(report.differences):
        yield from _difference(same[0])
        if len(same) > 1:
            yield Text.assemble("  also in: ", ", ".join(difference.conversation for difference in same[1:]))
    for message, names in _refused(report).items():
        yield Text.assemble("\n", (names[0], "bold"), f": all raise: {message}")
        if len(names) > 1:
            yield Text.assemble("  also in: ", ", ".join(names[1:]))


def _refused(report: Report) -> dict[str, list[str]]:
    """What the first side says of conversations that all sides refuse alike → their names."""
    differing = {difference.conversation for difference in report.differences}
    found: dict[str, list[str]] = {}
    for name in report.conversations:
        failures = [result.outcome.failure for result in report.results if result.conversation == name]
        if name not in differing and failures[0] is not None and all(failures):
            place = "" if failures[0].lineno is None else f" (line {failures[0].lineno})"
            found.setdefault(" ".join(failures[0].message.split()) + place, []).append(name)
    return found


def _by_cause(differences: Iterable[Difference]) -> Iterable[list[Difference]]:
    """Differences of the same sides with the same causes are explained once."""
    groups: dict[Any, list[Difference]] = {}
    for number, difference in enumerate(differences):
        causes = tuple((finding.cause, finding.lineno, finding.expression) for finding in difference.findings)
        groups.setdefault((difference.left, difference.right, causes or number), []).append(difference)
    return groups.values()


def _table(report: Report) -> Table:
    sides = list(dict.fromkeys(result.side for result in report.results))
    outcomes = {(result.conversation, result.side): result.outcome for result in report.results}
    differing = {(item.conversation, item.right): item for item in report.differences}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("conversation", no_wrap=True)
    for side in sides:
        table.add_column(Text(str(side)))
    for conversation in report.conversations:
        cells = [Text(conversation)]
        for side in sides:
            outcome = outcomes[conversation, side]
            word = "raises" if outcome.text is None else f"{len(outcome.text)} characters"
            difference = differing.get((conversation, side))
            if difference is None:
                cells.append(Text(word, "green"))
            else:
                causes = ", ".join(finding.cause for finding in difference.findings)
                # Between two templates, no cause is looked for.
                causes = causes or ("" if side.template else "unknown cause")
                cells.append(Text(f"{word}, differs" + (f": {causes}" if causes else ""), "red"))
        table.add_row(*cells)
    return table


def _difference(difference: Difference) -> Iterator[Text]:
    yield Text.assemble("\n", (difference.conversation, "bold"), f": {headline(difference)}")
    if difference.lineno is not None:
        source = f"  {difference.source}" if difference.source is not None else ""
        piece = f": {shortened(difference.expression)}" if difference.expression else ""
        yield Text.assemble(f"  line {difference.lineno}", (piece, "cyan"), (source, "yellow"))
    width = max(len(str(difference.left)), len(str(difference.right)))
    for side, shown, style in (
        (difference.left, difference.left_excerpt, "red"),
        (difference.right, difference.right_excerpt, "green"),
    ):
        if shown is not None:
            yield _excerpt(str(side).ljust(width), shown, style)
    for finding in difference.findings:
        yield Text.assemble("  ", (cause_line(finding), "bold"))
        yield Text.assemble("    ", rewrite_line(finding))


def _excerpt(name: str, shown: Excerpt, style: str) -> Text:
    before, here = excerpt_line(shown)
    return Text.assemble(f"  {name}  ", (before, "dim"), (here, style), (f"  [{shown.bytes}]", "dim"))
