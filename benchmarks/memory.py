"""How much memory does a render need beside its result?

Gives the peak that ``tracemalloc`` sees during one render, the size of the text in memory, and their ratio; the
same for Jinja2. Templates and contexts are made before the measurement and do not count.
"""

from __future__ import annotations

import sys
import tracemalloc
from typing import Any

from benchmarks import options
from benchmarks.conversations import context
from benchmarks.measure import geometric_mean, print_machine, table, write_json
from benchmarks.peers import Render, compile_chatjinja, compile_jinja2
from benchmarks.templates import RealTemplate, chosen

ENGINES = {"chatjinja": compile_chatjinja, "jinja2": compile_jinja2}
TURNS = 100


def peak_of(render: Render, values: dict[str, Any]) -> tuple[int, int]:
    """Peak bytes during a render, and bytes of its text."""
    render(values)  # whatever is made once is made now
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        text = render(values)
        return tracemalloc.get_traced_memory()[1] - before, sys.getsizeof(text)
    finally:
        tracemalloc.stop()


def measure(template: RealTemplate) -> dict[str, Any]:
    values = context(TURNS)
    result: dict[str, Any] = {"case": template.label, "bytes": {}, "ratios": {}}
    for name, compiled in ENGINES.items():
        peak, size = peak_of(compiled(template.source), values)
        result["bytes"][name] = peak
        result["ratios"][name] = peak / size
        result["text bytes"] = size
    return result


def main() -> None:
    chosen_options = options.parser(__doc__).parse_args()
    print_machine()
    results = [measure(template) for template in chosen(chosen_options.templates)]
    rows = [
        [
            result["case"],
            f"{result['text bytes'] / 1024:.1f}",
            *(f"{result['bytes'][name] / 1024:.1f}" for name in ENGINES),
            *(f"{result['ratios'][name]:.2f}" for name in ENGINES),
        ]
        for result in results
    ]
    head = [f"{TURNS} turns", "text KiB", *(f"{n} peak KiB" for n in ENGINES), *(f"{n} peak/text" for n in ENGINES)]
    print(table(head, rows), end="\n\n")
    for name in ENGINES:
        mean = geometric_mean([result["ratios"][name] for result in results])
        print(f"geometric mean of peak/text, {name}: {mean:.2f}")
    write_json(chosen_options.json, "memory", results)


if __name__ == "__main__":
    main()
