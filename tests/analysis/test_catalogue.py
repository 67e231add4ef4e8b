"""Every cause of the catalogue, in this project's dialects; the real engines are in ``tests/peers/test_engines.py``."""

from __future__ import annotations

import re
import runpy
from datetime import UTC, datetime

import pytest

from chatjinja.analysis import CATALOGUE, ENGINES, Cause, compare
from chatjinja.analysis.catalogue import GROUPS, HABITS
from chatjinja.analysis.catalogue.base import FAMILIES
from chatjinja.analysis.diagnosis import values_for
from chatjinja.analysis.engines import Engine
from chatjinja.analysis.variables import ALL_HABITS
from chatjinja.dialects import DIALECTS
from tests.docs.blocks import ROOT

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
MESSAGES = [{"role": "user", "content": "x"}]


def given(engine: Engine, cause: Cause, source: str) -> str | None:
    """What an engine makes of a template with the example's context."""
    context = {"messages": MESSAGES, **cause.example.context}
    with engine.compile(source, MOMENT) as renderer:
        return renderer.render(values_for(engine, ALL_HABITS, context)).text


def ids(cause: Cause) -> str:
    return cause.id


@pytest.mark.parametrize("cause", CATALOGUE, ids=ids)
def test_example(cause: Cause) -> None:
    example = cause.example
    for name in DIALECTS:
        engine = ENGINES[name]
        assert given(engine, cause, example.template) == example.result(engine), name
        if example.portable is not None:
            assert given(engine, cause, example.portable) == example.portable_result, name


@pytest.mark.parametrize("cause", CATALOGUE, ids=ids)
def test_cause_is_found_in_its_example(cause: Cause) -> None:
    left, right = "llama.cpp", "transformers"
    if cause.example.result(ENGINES[left]) == cause.example.result(ENGINES[right]):
        left, right = "llama.cpp", "llama.cpp+"
    if cause.example.result(ENGINES[left]) == cause.example.result(ENGINES[right]):
        return  # a difference of other engines
    report = compare(
        cause.example.template, [{"messages": MESSAGES, **cause.example.context}], (left, right), now=MOMENT
    )
    assert report.differences[0].findings[0].cause == cause.id


def test_records() -> None:
    assert len(CATALOGUE) >= 25
    assert len({cause.id for cause in CATALOGUE}) == len(CATALOGUE)
    assert [cause for causes in GROUPS.values() for cause in causes] == list(CATALOGUE)
    assert all(cause in CATALOGUE for cause in HABITS.values())
    for cause in CATALOGUE:
        assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", cause.id)
        assert set(FAMILIES) <= set(cause.effects)
        assert set(FAMILIES) <= set(cause.example.results)
        assert cause.advice.endswith((".", ")"))


@pytest.mark.parametrize("cause", CATALOGUE, ids=ids)
def test_somebody_differs(cause: Cause) -> None:
    engines = [ENGINES[name] for name in ENGINES]
    assert any(cause.concerns(engines[0], engine) or cause.concerns(engines[2], engine) for engine in engines)


def test_page_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "make_differences.py"))
    assert (ROOT / "docs" / "differences.md").read_text("utf-8") == script["page"](), "run docs/make_differences.py"
