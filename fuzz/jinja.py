"""Make random templates in Jinja2's language and compare the ``transformers`` dialect with Jinja2, for some minutes.

    python -m fuzz.jinja --minutes 10 --seed 1

Each finding is shrunk and printed with its seed. The exit code is 1 if there was any.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections import Counter

from fuzz.shrink import shrunk
from tests.conformance.checker import Failure
from tests.conformance.corpora import Case
from tests.conformance.jinja2_checker import Jinja2Checker
from tests.properties.jinja_grammar import CONTEXT, JinjaGrammar

_SHOWN_PER_KIND = 3
_CHOICES = 400
_MEMORY = 4 << 30
_CHECKER = Jinja2Checker(guarded=True)


def template_of(choices: list[int]) -> tuple[str, list[int]]:
    """The template that the grammar makes of these choices (then of zeros), and the choices it used."""
    used: list[int] = []
    rest = iter(choices)

    def choose(count: int) -> int:
        used.append(next(rest, 0) % count)
        return used[-1]

    return JinjaGrammar(choose).template(), used


def failure_of(source: str) -> tuple[Failure | None, bool]:
    """How the dialect differs, and whether Jinja2 rendered the template at all."""
    case = Case("fuzz", "fuzz", source, "", None, None)
    expected = _CHECKER.expected(source, CONTEXT)
    return _CHECKER.compare(case, expected, CONTEXT), isinstance(expected, str)


def kind_of(failure: Failure) -> str:
    """What to count by."""
    if failure.kind == "text differs":
        return failure.kind
    wanted = "expected:" if failure.kind == "text instead of an error" else "got:"
    line = next(line for line in failure.detail.splitlines() if line.startswith(wanted))
    return f"{failure.kind} | {line[:70]}"


def search(seconds: float, seed: int) -> tuple[int, int, Counter[str]]:
    """Try one seed after the other; (templates tried, rendered, findings by kind)."""
    end = time.monotonic() + seconds
    tried = rendered = 0
    findings: Counter[str] = Counter()
    while time.monotonic() < end:
        numbers = random.Random(seed)
        source, used = template_of([numbers.randrange(1 << 16) for _ in range(_CHOICES)])
        failure, is_rendered = failure_of(source)
        rendered += is_rendered
        if failure is not None:
            kind = kind_of(failure)
            findings[kind] += 1
            if findings[kind] <= _SHOWN_PER_KIND:
                report(seed, used, kind)
        tried += 1
        seed += 1
    return tried, rendered, findings


def report(seed: int, used: list[int], kind: str) -> None:
    """Print the smallest template that shows the same kind of difference."""

    def still_shows(candidate: list[int]) -> bool:
        failure, _ = failure_of(template_of(candidate)[0])
        return failure is not None and kind_of(failure) == kind

    source = template_of(shrunk(used, lambda candidate: len(template_of(candidate)[0]), still_shows))[0]
    failure, _ = failure_of(source)
    assert failure is not None
    print(f"seed {seed}: {failure.kind}\n  {source!r}\n  {failure.detail}\n", flush=True)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="the first of the seeds tried")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))  # Jinja2 has no limits
    tried, rendered, findings = search(60 * options.minutes, options.seed)
    print(f"{tried} templates, {rendered} of them render, {sum(findings.values())} findings, first seed {options.seed}")
    for kind, count in findings.most_common():
        print(f"  {count} x {kind}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
