"""Make random templates and compare the ways to render them, for some minutes.

    python -m fuzz.run --minutes 10 --seed 1

Each finding is shrunk and printed with its context and seed. The exit code is 1 if there was any.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from fuzz.shrink import shrunk
from tests.properties import differences
from tests.properties.contexts import CONTEXTS
from tests.properties.grammar import Grammar

_SHOWN_PER_KIND = 3
_CHOICES = 300


def template_of(choices: list[int]) -> tuple[str, list[int]]:
    """The template that the grammar makes of these choices (then of zeros), and the choices it used."""
    used: list[int] = []
    rest = iter(choices)

    def choose(count: int) -> int:
        used.append(next(rest, 0) % count)
        return used[-1]

    return Grammar(choose).template(), used


def kind_of(difference: str) -> str:
    """The first line, without names of locals and the like."""
    return difference.partition("\n")[0][:60]


def search(seconds: float, seed: int) -> tuple[int, Counter[str]]:
    """Try one seed after the other; (templates tried, findings by kind)."""
    end = time.monotonic() + seconds
    tried = 0
    findings: Counter[str] = Counter()
    while time.monotonic() < end:
        random_numbers = random.Random(seed)
        make = CONTEXTS[0 if seed % 2 else seed // 2 % len(CONTEXTS)]
        source, used = template_of([random_numbers.randrange(1 << 16) for _ in range(_CHOICES)])
        difference = differences.of(source, make())
        if difference is not None:
            kind = kind_of(difference)
            findings[kind] += 1
            if findings[kind] <= _SHOWN_PER_KIND:
                report(seed, make.__name__, used, kind)
        tried += 1
        seed += 1
    return tried, findings


def report(seed: int, context: str, choices: list[int], kind: str) -> None:
    """Print the smallest template that shows the same kind of difference."""
    context_of = next(make for make in CONTEXTS if make.__name__ == context)

    def difference(candidate: list[int]) -> str | None:
        return differences.of(template_of(candidate)[0], context_of())

    def still_shows(candidate: list[int]) -> bool:
        found = difference(candidate)
        return found is not None and kind_of(found) == kind

    small = shrunk(choices, lambda candidate: len(template_of(candidate)[0]), still_shows)
    print(f"seed {seed}, context {context}\n  {template_of(small)[0]!r}\n  {difference(small)}\n", flush=True)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="the first of the seeds tried")
    options = parser.parse_args()
    tried, findings = search(60 * options.minutes, options.seed)
    print(f"{tried} templates, {sum(findings.values())} findings, first seed {options.seed}")
    for kind, count in findings.most_common():
        print(f"  {count} x {kind}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
