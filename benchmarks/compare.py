"""Compare two results of one benchmark: ``python -m benchmarks.compare old.json new.json``.

A ratio below 1 means that the new one is faster. Only cases and columns that both files hold are compared.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.measure import geometric_mean, table


def times(path: Path) -> tuple[dict[str, Any], dict[tuple[str, str], float]]:
    """The file, and its microseconds by case and column."""
    data = json.loads(path.read_text(encoding="utf-8"))
    rows = {
        (result["case"], column): value
        for result in data["results"]
        for column, value in result.get("microseconds", {}).items()
    }
    return data, rows


def compare(old_path: Path, new_path: Path) -> str:
    """The comparison as text."""
    old, old_times = times(old_path)
    new, new_times = times(new_path)
    if old["benchmark"] != new["benchmark"]:
        raise SystemExit(f"different benchmarks: {old['benchmark']} and {new['benchmark']}")
    shared = [key for key in old_times if key in new_times and old_times[key] > 0 and new_times[key] > 0]
    if not shared:
        raise SystemExit("the files have no times in common")
    rows = [
        [case, column, f"{old_times[case, column]:.1f}", f"{new_times[case, column]:.1f}", f"{ratio:.2f}"]
        for case, column in shared
        for ratio in [new_times[case, column] / old_times[case, column]]
    ]
    columns = dict.fromkeys(column for _, column in shared)
    means = [
        f"{column}: {geometric_mean([new_times[k] / old_times[k] for k in shared if k[1] == column]):.3f}"
        for column in columns
    ]
    changed = [
        f"not the same: {name}: {old['machine'].get(name)} → {value}"
        for name, value in new["machine"].items()
        if old["machine"].get(name) != value
    ]
    lines = [table(["case", "what", "old µs", "new µs", "new/old"], rows), "", "geometric means of new/old", *means]
    return "\n".join([*lines, *changed])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    files = parser.parse_args()
    print(compare(files.old, files.new))


if __name__ == "__main__":
    main()
