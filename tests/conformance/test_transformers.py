"""The recorded cases, rendered by Jinja2 now: the ``transformers`` dialect makes the same of every one of them."""

from __future__ import annotations

import os
from functools import cache

import pytest

from tests.conformance.corpora import CORPORA, Case, read_corpus, shared_folder
from tests.conformance.jinja2_checker import check_all, distinct

GROUPS = {"micro": 10, "fuzz": 10, "real": 30}
FEWEST_CASES = {"micro": 8000, "fuzz": 5500, "real": 11000}
SHOWN = 20

pytestmark = pytest.mark.skipif(
    shared_folder() is None and os.environ.get("CI") != "true",
    reason="recordings not found: set CHATJINJA_SHARED or place them in ../shared",
)


@cache
def cases(corpus: str) -> list[Case]:
    return list(distinct(read_corpus(corpus)))


@pytest.mark.parametrize(
    ("corpus", "number"), [(corpus, number) for corpus in CORPORA for number in range(GROUPS[corpus])]
)
def test_group(corpus: str, number: int) -> None:
    everything = cases(corpus)
    count = GROUPS[corpus]
    group = everything[len(everything) * number // count : len(everything) * (number + 1) // count]
    failures = check_all(group)
    shown = "\n\n".join(map(str, failures[:SHOWN]))
    assert not failures, f"{len(failures)} of {len(group)} cases fail\n\n{shown}"


@pytest.mark.parametrize("corpus", CORPORA)
def test_corpus_is_complete(corpus: str) -> None:
    assert len(cases(corpus)) >= FEWEST_CASES[corpus]
