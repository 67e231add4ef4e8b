"""Timing shared by the benchmarks: several candidates are measured in turns, so that a slow moment hits them all."""

from __future__ import annotations

import gc
import json
import math
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

Call = Callable[[], object]


def medians(calls: Mapping[str, Call], *, rounds: int, sample_seconds: float = 0.002) -> dict[str, float]:
    """Median microseconds per call of each candidate.

    Each round takes one sample of every candidate, in an order that moves on by one. A sample repeats the call
    until it lasts about `sample_seconds`. The garbage collector stays on, as it does in a server.
    """
    loops = {name: _loops(call, sample_seconds) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    gc.collect()
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            samples[name].append(_sample(calls[name], loops[name]))
    return {name: statistics.median(values) * 1e6 for name, values in samples.items()}


def _sample(call: Call, loops: int) -> float:
    turns = range(loops)
    started = time.perf_counter()
    for _ in turns:
        call()
    return (time.perf_counter() - started) / loops


def _loops(call: Call, sample_seconds: float) -> int:
    call()
    return max(1, round(sample_seconds / max(_sample(call, 1), 1e-7)))


def geometric_mean(values: Sequence[float]) -> float:
    """Geometric mean; NaN of nothing."""
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def machine() -> dict[str, str]:
    """What the numbers depend on. Names no paths."""
    facts = {
        "processor": _processor(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    for package in ("chatjinja", "jinja2", "minijinja"):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    return facts


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def print_machine() -> None:
    print(", ".join(f"{name}: {value}" for name, value in machine().items()), end="\n\n")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table, padded so that it reads well in a terminal too."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [cell.ljust(widths[0]) if i == 0 else cell.rjust(widths[i]) for i, cell in enumerate(cells)]
        return f"| {' | '.join(padded)} |"

    rule = "|" + "|".join("-" * (width + 1) + ("-" if i == 0 else ":") for i, width in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *map(line, rows)])


def write_json(path: Path | None, benchmark: str, results: Sequence[Mapping[str, Any]]) -> None:
    """Write results, one object per case with a ``case`` name, in the form that ``benchmarks.compare`` reads."""
    if path is not None:
        data = {"benchmark": benchmark, "machine": machine(), "results": list(results)}
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
