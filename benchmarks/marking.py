"""What marking costs: the templates and conversations of ``benchmarks.engines``, marked and unmarked.

Times are medians in microseconds, ratios are to the plain render of the same case. "parts" also asks for the
parts; without it only the text is read, and the parts would be put together when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import chatjinja
from benchmarks import options
from benchmarks.conversations import CASES
from benchmarks.measure import geometric_mean, medians, print_machine, table, write_json
from benchmarks.templates import RealTemplate, chosen

BASE = "unmarked"
CLOCK = 1767225600


@dataclass(slots=True)
class Result:
    """One template on one conversation."""

    case: str
    microseconds: dict[str, float] = field(default_factory=dict)

    def ratio(self, way: str) -> float:
        return self.microseconds[way] / self.microseconds[BASE]


def ways(template: chatjinja.Template, context: Mapping[str, Any]) -> dict[str, Callable[[], object]]:
    """Every way to render, by name."""
    marked = template.render_marked
    return {
        BASE: lambda: template.render(context),
        "sound": lambda: marked(context).text,
        "sound, parts": lambda: marked(context).parts,
        "reference, parts": lambda: marked(context, marking="reference").parts,
        "provenance": lambda: marked(context, provenance=True).text,
        "provenance, parts": lambda: marked(context, provenance=True).parts,
    }


def measure(template: RealTemplate, conversation: str, rounds: int) -> Result | None:
    """Times of all ways; None if the template refuses the conversation."""
    context = CASES[conversation](template.arguments_as_text)
    compiled = chatjinja.Environment(now=CLOCK).from_string(template.source)
    calls = ways(compiled, context)
    try:
        for call in calls.values():
            call()
    except chatjinja.TemplateError:
        return None
    return Result(f"{template.label}, {conversation}", medians(calls, rounds=rounds))


def show(results: list[Result]) -> None:
    names = list(results[0].microseconds)
    rows = [
        [
            r.case,
            f"{r.microseconds[BASE]:.1f}",
            *(f"{r.microseconds[name]:.1f} ({r.ratio(name):.2f})" for name in names[1:]),
        ]
        for r in results
    ]
    means = [f"{geometric_mean([r.ratio(name) for r in results]):.2f}" for name in names[1:]]
    print(table(["template, conversation", *names], [*rows, ["geometric mean of ratios", "", *means]]))


def main() -> None:
    chosen_options = options.parser(__doc__).parse_args()
    rounds = 3 if chosen_options.quick else 21
    print_machine()
    measured = [
        measure(template, conversation, rounds)
        for template in chosen(chosen_options.templates)
        for conversation in CASES
    ]
    results = [result for result in measured if result is not None]
    show(results)
    write_json(chosen_options.json, "marking", [{"case": r.case, "microseconds": r.microseconds} for r in results])


if __name__ == "__main__":
    main()
