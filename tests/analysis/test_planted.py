"""Causes planted in templates are found; portable templates have none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatjinja.analysis import Conversation, built_in_conversations, compare

HERE = Path(__file__).parent
PLANTED = json.loads((HERE / "planted.json").read_text("utf-8"))
PORTABLE = json.loads((HERE / "portable.json").read_text("utf-8"))
CLOCK = 1767225600.25
WITH_FLOATS = "odd arguments"
"""The built-in conversation whose arguments no two engines print alike."""


def source(case: dict[str, Any]) -> str:
    """The template of a case: its own, or a layout with the piece put in."""
    template: str = case.get("template") or PLANTED["layouts"][case["layout"]].replace("PIECE", case["piece"])
    return template


def conversations(case: dict[str, Any]) -> list[Any]:
    """The conversation of a case, or the built-in ones."""
    if "conversation" in case:
        return [case["conversation"]]
    return [Conversation(*item) for item in built_in_conversations() if item.name != WITH_FLOATS]


def name(case: dict[str, Any]) -> str:
    return "-".join(case.get(key, "")[:60] for key in ("cause", "piece") if case.get(key))


@pytest.mark.parametrize("case", PLANTED["cases"], ids=name)
def test_planted_cause_is_found(case: dict[str, Any]) -> None:
    report = compare(source(case), conversations(case), now=CLOCK)
    assert report.differences
    found = {finding.cause for difference in report.differences for finding in difference.findings}
    assert found == {case["cause"]}
    assert all(difference.findings for difference in report.differences)


@pytest.mark.parametrize("case", PORTABLE["cases"], ids=name)
def test_portable_template_agrees(case: dict[str, Any]) -> None:
    report = compare(source(case), conversations(case), now=CLOCK)
    assert [difference.to_dict() for difference in report.differences] == []
    assert any(result.outcome.text is not None for result in report.results) or "raise_exception" in source(case)


def test_there_are_enough() -> None:
    assert len(PLANTED["cases"]) >= 40
    assert len({case["cause"] for case in PLANTED["cases"]}) >= 40
    assert len(PORTABLE["cases"]) >= 40
