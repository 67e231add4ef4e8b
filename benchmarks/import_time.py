"""How long does ``import chatjinja`` take?

Each measurement starts a fresh interpreter. A bare interpreter is measured in between, and so is ``import jinja2``;
what counts is the difference. Bytecode is cached as after an installation. ``-I`` leaves out the environment
variables and the user's site-packages. Below, the modules that cost most by ``-X importtime``.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import chatjinja
from benchmarks import options
from benchmarks.measure import print_machine, table, write_json

PROGRAMS = {"bare": "pass", "import chatjinja": "import chatjinja", "import jinja2": "import jinja2"}
MODES: dict[str, list[str]] = {"": [], "-I": ["-I"]}
SHOWN_MODULES = 12


def _program(code: str, mode: str) -> list[str]:
    # The package may lie in a source folder that -I would not search.
    found = str(Path(chatjinja.__file__).resolve().parents[1])
    return [sys.executable, *MODES[mode], "-c", f"import sys; sys.path.append({found!r}); {code}"]


def wall_times(rounds: int) -> dict[tuple[str, str], float]:
    """Median milliseconds of a whole process, by program and mode, measured in turns."""
    kinds = [(name, mode) for name in PROGRAMS for mode in MODES]
    samples: dict[tuple[str, str], list[float]] = {kind: [] for kind in kinds}
    for number in range(rounds + 1):
        for kind in kinds:
            command = _program(PROGRAMS[kind[0]], kind[1])
            started = time.perf_counter()
            subprocess.run(command, check=True)
            if number:  # the first round fills the caches
                samples[kind].append(time.perf_counter() - started)
    return {kind: statistics.median(values) * 1e3 for kind, values in samples.items()}


def import_costs() -> list[tuple[str, int, int]]:
    """Name, own and cumulative microseconds of each module that the import loads."""
    command = _program(PROGRAMS["import chatjinja"], "-I")
    command[1:1] = ["-X", "importtime"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    lines = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stderr.splitlines()
    costs = []
    for line in lines[1:]:
        own, cumulative, name = line.removeprefix("import time:").split("|")
        costs.append((name.strip(), int(own), int(cumulative)))
    return costs


def main() -> None:
    chosen = options.parser(__doc__).parse_args()
    print_machine()
    times = wall_times(3 if chosen.quick else 41)
    rows = []
    results = []
    for mode in MODES:
        bare = times["bare", mode]
        for name in PROGRAMS:
            taken = times[name, mode]
            shown = f"python {mode} {name}".replace("  ", " ")
            rows.append([shown, f"{taken:.1f}", f"{taken - bare:+.1f}"])
            results.append({"case": shown, "microseconds": {"whole": taken * 1e3, "above bare": (taken - bare) * 1e3}})
    print(table(["process", "ms", "ms above bare"], rows), end="\n\n")
    costs = sorted(import_costs(), key=lambda cost: -cost[1])[:SHOWN_MODULES]
    print(table(["module", "own µs", "with imports µs"], [[n, str(own), str(total)] for n, own, total in costs]))
    write_json(chosen.json, "import_time", results)


if __name__ == "__main__":
    main()
