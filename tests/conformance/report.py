"""Count how many recorded cases pass, by corpus and by kind of failure.

    python tests/conformance/report.py [micro|fuzz|real] [--limit N] [--parts] [--match TEXT]
    python tests/conformance/report.py --dialect transformers [micro|fuzz|real] [--limit N] [--match TEXT]

The second form renders the same cases with Jinja2, and compares the transformers dialect with that.
Exit status 1 if a case fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conformance.checker import Checker, Failure, use_utc
from tests.conformance.corpora import CORPORA, read_corpus
from tests.conformance.jinja2_checker import Jinja2Checker, distinct


def report(corpus: str, checker: Checker | Jinja2Checker, *, limit: int, match: str) -> int:
    """Print the result of one corpus and return its number of failures."""
    failures: list[Failure] = []
    total = 0
    started = time.perf_counter()
    for case in distinct(read_corpus(corpus)):
        if match in case.id or match in case.source:
            total += 1
            failure = checker.check(case)
            if failure is not None:
                failures.append(failure)
    seconds = time.perf_counter() - started
    print(f"{corpus}: {total - len(failures)} of {total} pass, {len(failures)} fail, {seconds:.1f} s")
    for kind, count in Counter(_group(failure) for failure in failures).most_common(25):
        print(f"  {count:6}  {kind}")
    for failure in failures[:limit]:
        print(f"\n{failure}")
    return len(failures)


def _group(failure: Failure) -> str:
    if ("crash" in failure.kind or "error instead" in failure.kind) and failure.detail:
        return f"{failure.kind} | {failure.detail.splitlines()[-1][:140]}"
    if failure.case.error is not None:
        return f"{failure.kind} | recorded {failure.case.error.message[:70]}"
    return failure.kind


def main() -> int:
    parser = argparse.ArgumentParser(description="Check chatjinja against the recorded corpora.")
    parser.add_argument("corpus", nargs="*", choices=[*CORPORA, []], help="default: all")
    parser.add_argument("--limit", type=int, default=10, help="failures shown in full per corpus")
    parser.add_argument("--parts", action="store_true", help="compare marked parts too")
    parser.add_argument("--dialect", choices=["llama.cpp", "transformers"], default="llama.cpp")
    parser.add_argument("--match", default="", help="only cases whose id or source holds this text")
    options = parser.parse_args()
    use_utc()
    chosen = options.corpus or CORPORA
    checker = Jinja2Checker() if options.dialect == "transformers" else Checker(parts=options.parts)
    failed = sum(report(name, checker, limit=options.limit, match=options.match) for name in chosen)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
