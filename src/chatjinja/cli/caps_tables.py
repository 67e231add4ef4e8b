"""Capabilities as tables for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from chatjinja.chat import Capabilities, Evidence
from chatjinja.chat.probes.records import GenerationPrompt, Media, Reasoning, Role, Tools, Variable
from chatjinja.chat.probes.roles import RULES

_STYLES = {"yes": "green", "no": "red", "probe failed": "yellow"}
_TOOLS = {
    "declared": "declared tools appear",
    "bare": "so do those without type: function",
    "called": "calls in the history appear",
    "parallel": "several in one message",
    "results": "results appear",
    "call_ids": "ids of calls are printed",
    "result_ids": "ids of results are printed",
    "result_names": "names of results are printed",
    "null_content": "content may be null beside calls",
}


def tables(found: Capabilities) -> Iterator[RenderableType]:
    """Everything, in sections."""
    yield _heading("What a llama.cpp server reports")
    yield _rows((name, found.evidence[name]) for name in found.as_dict())
    yield _heading("Roles: in which form their content appears")
    yield _roles(found.roles, found.any_role)
    yield _heading("Rules for the order of messages")
    yield _rows((RULES[name].what, evidence) for name, evidence in found.rules.items())
    yield _heading(f"Arguments of tool calls: {found.arguments.shape}")
    yield _rows(
        (
            ("given as text", found.arguments.string),
            ("given as an object", found.arguments.mapping),
            ("a model's own text survives", found.arguments.bytes_survive),
        )
    )
    yield _heading("Tools")
    yield _rows(_tool_rows(found.tools))
    yield _heading("Reasoning in the history: where it appears")
    yield _reasoning(found.reasoning)
    yield from _generation_prompt(found.generation_prompt)
    yield _heading("Content parts that are not text")
    yield _rows(_media_rows(found.media))
    yield _heading("Special tokens and clock")
    yield _rows(
        (*((name, token.printed) for name, token in found.tokens.items()), ("depends on the time", found.clock.used))
    )
    yield _heading("Variables beyond the usual ones")
    yield from _variables(found.variables)


def _heading(text: str) -> Text:
    return Text(f"\n{text}", "bold")


def _grid() -> Table:
    return Table.grid(padding=(0, 2))


def _answer(evidence: Evidence) -> Text:
    return Text(evidence.answer, _STYLES[evidence.answer])


def _why(evidence: Evidence) -> Text:
    line = "" if evidence.lineno is None else f" (line {evidence.lineno})"
    return Text(evidence.why + line, "dim")


def _rows(rows: Iterable[tuple[str, Evidence]]) -> Table:
    table = _grid()
    for name, evidence in rows:
        table.add_row(Text(f"  {name}"), _answer(evidence), _why(evidence))
    return table


def _roles(roles: Mapping[str, Role], any_role: Evidence) -> Table:
    table = _grid()
    for name, role in roles.items():
        shape = role.content.shape if role.accepted.answer == "yes" else ""
        table.add_row(Text(f"  {name}"), _answer(role.accepted), Text(shape), _why(role.accepted))
    table.add_row(Text("  any other", "italic"), _answer(any_role), Text(), _why(any_role))
    return table


def _tool_rows(tools: Tools) -> Iterator[tuple[str, Evidence]]:
    for name, what in _TOOLS.items():
        yield what, getattr(tools, name)


def _media_rows(media: Mapping[str, Media]) -> Iterator[tuple[str, Evidence]]:
    """Kinds of which the same is known are one row."""
    kinds: dict[Evidence, list[str]] = {}
    for name, one in media.items():
        kinds.setdefault(one.known, []).append(name)
    for evidence, names in kinds.items():
        yield ", ".join(names), evidence


def _reasoning(ways: Mapping[str, Reasoning]) -> Table:
    table = _grid()
    table.add_row(*(Text(text, "dim") for text in ("", "earlier", "last answer", "with a call", "at the end")))
    for name, way in ways.items():
        around = Text(f"{way.before}…{way.after}".replace("\n", "⏎"), "dim")
        answers = map(_answer, (way.earlier, way.previous, way.with_call, way.last))
        table.add_row(Text(f"  {name}"), *answers, around if way.before or way.after else Text())
    return table


def _generation_prompt(prompt: GenerationPrompt) -> Iterator[RenderableType]:
    yield _heading(f"Generation prompt: {prompt.kind}")
    yield _rows((("opens the model's turn", prompt.found), ("history begins the same", prompt.is_in_history)))
    table = _grid()
    for name, text in (
        ("text", prompt.text),
        ("if thinking", prompt.thinking),
        ("if not thinking", prompt.not_thinking),
        ("end of an answer", prompt.end_of_turn),
    ):
        if text:
            table.add_row(Text(f"  {name}"), Text(json.dumps(text, ensure_ascii=False)))
    yield table


def _variables(variables: Mapping[str, Variable]) -> Iterator[RenderableType]:
    if not variables:
        yield Text("  none")
    for name, variable in variables.items():
        yield Text.assemble((f"  {name}", "cyan"), f"  {'; '.join(_facts(variable))}")
        table = _grid()
        for effect in variable.effects:
            table.add_row(Text(f"    {_short(effect.value)}"), _answer(effect.changes), _why(effect.changes))
        yield table


def _facts(variable: Variable) -> Iterator[str]:
    lines = ", ".join(map(str, variable.lines))
    yield f"line{'s' if len(variable.lines) > 1 else ''} {lines}"
    if variable.required.answer == "yes":
        yield "required"
    if variable.defaults:
        yield f"default {' or '.join(variable.defaults)}"
    if variable.unset_is_like:
        yield f"unset is like {' and '.join(map(_short, variable.unset_is_like))}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:39] + "…"
