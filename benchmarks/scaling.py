"""Does the cost of a message stay the same when a conversation grows?

Renders conversations of 10, 100 and 1000 turns and gives microseconds per message, and how much dearer a message is
in the longest conversation than in the shortest (1.0 is linear).
"""

from __future__ import annotations

from functools import partial

from benchmarks import options
from benchmarks.conversations import context
from benchmarks.measure import geometric_mean, medians, print_machine, table, write_json
from benchmarks.peers import compile_chatjinja
from benchmarks.templates import RealTemplate, chosen

TURNS = (10, 100, 1000)


def per_message(template: RealTemplate, rounds: int) -> dict[int, float]:
    """Microseconds per message by number of turns."""
    render = compile_chatjinja(template.source)
    costs = {}
    for turns in TURNS:
        values = context(turns)
        taken = medians({"render": partial(render, values)}, rounds=rounds)["render"]
        costs[turns] = taken / len(values["messages"])
    return costs


def main() -> None:
    options_chosen = options.parser(__doc__).parse_args()
    print_machine()
    rows, results, growths = [], [], []
    for template in chosen(options_chosen.templates):
        costs = per_message(template, 3 if options_chosen.quick else 21)
        growth = costs[TURNS[-1]] / costs[TURNS[0]]
        growths.append(growth)
        rows.append([template.label, *(f"{costs[turns]:.2f}" for turns in TURNS), f"{growth:.2f}"])
        per_turns = {f"{turns} turns": costs[turns] for turns in TURNS}
        results.append({"case": template.label, "microseconds": per_turns, "growth": growth})
    print(table(["template", *(f"{turns} turns: µs per message" for turns in TURNS), "growth"], rows))
    print(f"\ngeometric mean of the growth: {geometric_mean(growths):.2f}")
    write_json(options_chosen.json, "scaling", results)


if __name__ == "__main__":
    main()
