"""How long does it take to find out what a template can do?

Gives milliseconds of processor time, without the time to compile: for the nine answers of a llama.cpp server, which the
chat layer needs before the first prompt, and for everything that ``chatjinja caps`` shows beside them. There is nothing
to compare with, so a figure is the shortest of some runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks import options
from benchmarks.measure import geometric_mean, print_machine, table, write_json
from benchmarks.templates import RealTemplate, chosen
from chatjinja import Environment
from chatjinja.chat.capabilities import find_capabilities, find_server_capabilities
from chatjinja.environment.traced import Tracer

KINDS = ("nine answers", "all others")


def measure(template: RealTemplate, rounds: int) -> dict[str, float]:
    """Microseconds by kind of answer."""
    compiled = Environment().from_string(template.source)
    tracer = Tracer(compiled)
    server = find_server_capabilities(compiled, tracer)
    return {
        "nine answers": shortest(lambda: find_server_capabilities(compiled, tracer), rounds),
        "all others": shortest(lambda: find_capabilities(compiled, server), rounds),
    }


def shortest(call: Callable[[], object], rounds: int) -> float:
    """Microseconds of processor time that the shortest of some calls takes."""
    call()
    times = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return min(times) * 1e6


def main() -> None:
    chosen_options = options.parser(__doc__).parse_args()
    print_machine()
    results: list[dict[str, Any]] = []
    rows = []
    for template in chosen(chosen_options.templates):
        times = measure(template, 3 if chosen_options.quick else 11)
        results.append({"case": template.label, "microseconds": times})
        rows.append([template.label, *(f"{times[kind] / 1e3:.1f}" for kind in KINDS)])
    print(table(["ms", *KINDS], rows), end="\n\n")
    for kind in KINDS:
        times_of_kind = [result["microseconds"][kind] / 1e3 for result in results]
        print(f"{kind}: {geometric_mean(times_of_kind):.1f} ms (geometric mean), {max(times_of_kind):.1f} ms at most")
    write_json(chosen_options.json, "capabilities", results)


if __name__ == "__main__":
    main()
