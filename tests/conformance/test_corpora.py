"""Every recorded case comes out as recorded, but for the deviations declared in ``deviations.json``."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest

from tests.conformance.checker import check_all
from tests.conformance.corpora import CORPORA, Case, read_corpus, shared_folder

GROUPS = {"micro": 10, "fuzz": 10, "real": 30}
FEWEST_CASES = {"micro": 8000, "fuzz": 5500, "real": 11000}
SHOWN = 20

pytestmark = pytest.mark.skipif(
    shared_folder() is None and os.environ.get("CI") != "true",
    reason="recordings not found: set CHATJINJA_SHARED or place them in ../shared",
)


@cache
def cases(corpus: str) -> list[Case]:
    return list(read_corpus(corpus))


@cache
def deviations() -> dict[str, str]:
    """Reasons of the declared deviations by case id."""
    entries = json.loads((Path(__file__).parent / "deviations.json").read_text(encoding="utf-8"))
    return {entry["id"]: entry["reason"] for entry in entries}


def group_of(corpus: str, number: int) -> list[Case]:
    """Neighbours in the recording stay together: they share a template, which then is compiled once."""
    everything = cases(corpus)
    count = GROUPS[corpus]
    return everything[len(everything) * number // count : len(everything) * (number + 1) // count]


@pytest.mark.parametrize(
    ("corpus", "number"), [(corpus, number) for corpus in CORPORA for number in range(GROUPS[corpus])]
)
def test_group(corpus: str, number: int) -> None:
    group = group_of(corpus, number)
    failures = check_all(group)
    unexpected = [failure for failure in failures if failure.case.id not in deviations()]
    shown = "\n\n".join(map(str, unexpected[:SHOWN]))
    assert not unexpected, f"{len(unexpected)} of {len(group)} cases fail\n\n{shown}"

    declared = {case.id for case in group} & deviations().keys()
    mended = declared - {failure.case.id for failure in failures}
    assert not mended, f"declared as deviations, but as recorded: {sorted(mended)}"


def test_every_declared_deviation_is_a_case() -> None:
    known = {case.id for corpus in CORPORA for case in cases(corpus)}
    assert not deviations().keys() - known


@pytest.mark.parametrize("corpus", CORPORA)
def test_corpus_is_complete(corpus: str) -> None:
    assert len(cases(corpus)) >= FEWEST_CASES[corpus]
