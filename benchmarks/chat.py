"""What the chat layer costs: ten-turn requests through `ChatTemplate.apply`, beside the bare render.

The bare render is one `Template.render` with the variables that the layer made of the same request. Times are
medians in microseconds, ratios are to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import chatjinja
from benchmarks import options
from benchmarks.conversations import conversation, tools
from benchmarks.measure import geometric_mean, medians, print_machine, table, write_json
from benchmarks.templates import RealTemplate, chosen

BASE = "bare render"
CLOCK = 1767225600


def requests() -> dict[str, dict[str, Any]]:
    """Name of a case → the arguments of `apply`."""
    messages = conversation(10)
    answer = {"role": "assistant", "content": "The third file is larger than"}
    return {
        "10 turns": {"messages": messages},
        "10 turns, continued": {"messages": [*messages, answer], "continue_final_message": True},
        "10 turns, tools": {"messages": conversation(10, with_calls=True, arguments_as_text=True), "tools": tools()},
    }


@dataclass(slots=True)
class Result:
    """One template on one request."""

    case: str
    request: str
    microseconds: dict[str, float] = field(default_factory=dict)

    def ratio(self, way: str) -> float:
        return self.microseconds[way] / self.microseconds[BASE]


def ways(chat: chatjinja.ChatTemplate, request: Mapping[str, Any]) -> dict[str, Callable[[], object]]:
    """Every way to a prompt, by name. Raises TemplateError if the template refuses the request."""
    context = chat.apply(**request, now=CLOCK).context
    template = chat.template
    return {
        BASE: lambda: template.render(context, now=CLOCK),
        "apply": lambda: chat.apply(**request, now=CLOCK),
        "apply, sound": lambda: chat.apply(**request, now=CLOCK, marking="sound"),
    }


def measure(template: RealTemplate, rounds: int) -> list[Result]:
    """Times of all requests that the template takes."""
    chat = chatjinja.ChatTemplate.from_string(template.source, bos_token="<s>", eos_token="</s>")
    found = []
    for name, request in requests().items():
        try:
            calls = ways(chat, request)
        except chatjinja.TemplateError:
            continue
        found.append(Result(f"{template.label}, {name}", name, medians(calls, rounds=rounds)))
    return found


def show(results: list[Result]) -> None:
    names = list(results[0].microseconds)
    rows = [
        [r.case, f"{r.microseconds[BASE]:.1f}", *(f"{r.microseconds[n]:.1f} ({r.ratio(n):.2f})" for n in names[1:])]
        for r in results
    ]
    print(table(["template, request", *names], rows), end="\n\n")
    summary = []
    for request in requests():
        chosen_results = [r for r in results if r.request == request]
        if chosen_results:
            cells = []
            for name in names[1:]:
                ratios = [r.ratio(name) for r in chosen_results]
                cells.append(f"{geometric_mean(ratios):.2f} ({max(ratios):.2f})")
            summary.append([request, *cells])
    print(table(["geometric mean of ratios (worst)", *names[1:]], summary))


def main() -> None:
    chosen_options = options.parser(__doc__).parse_args()
    rounds = 3 if chosen_options.quick else 21
    print_machine()
    results = [r for template in chosen(chosen_options.templates) for r in measure(template, rounds)]
    show(results)
    write_json(chosen_options.json, "chat", [{"case": r.case, "microseconds": r.microseconds} for r in results])


if __name__ == "__main__":
    main()
