"""The changes that causes propose: each template, and what it becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatjinja.analysis import CATALOGUE
from chatjinja.analysis.catalogue.base import Evidence
from chatjinja.analysis.engines import Failure, Outcome
from chatjinja.analysis.parsed import Parsed, edited
from chatjinja.analysis.texts import Excerpt

CAUSES = {cause.id: cause for cause in CATALOGUE}
CASES = json.loads(Path(__file__).with_name("changes.json").read_text("utf-8"))["cases"]


def changed(cause: str, template: str) -> list[str]:
    """The template after each proposed change; changes that are no rewrites are marked with ``?``."""
    parsed = Parsed(template)
    found = []
    for fix in CAUSES[cause].find(parsed):
        assert 0 <= fix.span.start <= fix.span.end <= len(parsed.source.text)
        text = edited(parsed.source.text, fix.edits)
        assert text is not None
        found.append(text if fix.exact else f"?{text}")
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['cause']}-{case['template'][:40]}")
def test_changes(case: dict[str, Any]) -> None:
    assert changed(case["cause"], case["template"]) == case["changes"]


def evidence(left: str, right: str, before: str = "", *, non_ascii: bool = False) -> Evidence:
    texts = [Excerpt(before, here, "") for here in (left, right)]
    return Evidence(Outcome(before + left), Outcome(before + right), texts[0], texts[1], non_ascii)


@pytest.mark.parametrize(
    ("cause", "fits", "does_not"),
    [
        ("tojson-html", evidence("<", "\\u003c"), evidence("a", "\\u00e9")),
        ("tojson-delete", evidence("\x7f", "\\u007f"), evidence("a", "b")),
        ("tojson-float", evidence("3}", "3.0}"), evidence("3", "4.0")),
        ("tojson-float", evidence(".23457e+07", "2345678.0", "x: 1"), evidence("7", "7")),
        ("float-printed", evidence("0.1", "0.10000000000000001"), evidence("12", "13")),
        ("float-printed", evidence("inf", "-inf"), evidence("a", "1.0")),
        ("boolean-printed", evidence("True", "true"), evidence("Txt", "txt")),
        ("none-printed", evidence("", "None"), evidence("", "N")),
        ("object-printed", evidence("", "{'a'"), evidence("", "[")),
        ("list-printed", evidence("'", '"', "["), evidence("'", '"')),
        ("big-integers", evidence("808", "6000"), evidence("a", "1")),
        ("title-words", evidence("b", "B"), evidence("é", "É")),
        ("case-beyond-ascii", evidence("é", "É"), evidence("a", "A")),
        ("byte-length", evidence("1", "2", non_ascii=True), evidence("1", "2")),
        ("blanks-beyond-ascii", evidence("\u3000", "a"), evidence("a", "b")),
        ("strftime-format", evidence("%f", "000"), evidence("a", "b")),
        ("first-character", evidence("a", "b"), evidence("a", "b", "x")),
    ],
)
def test_checks(cause: str, fits: Evidence, does_not: Evidence) -> None:
    assert CAUSES[cause].check(fits)
    assert not CAUSES[cause].check(does_not)


FAILED = Evidence(Outcome(None, Failure("no")), Outcome("a"), None, None, False)


def test_checks_of_failures() -> None:
    fitting = {cause.id for cause in CATALOGUE if cause.check(FAILED)}
    assert {"access-of-undefined", "none-in-text", "missing-filter", "plus-of-other-types"} <= fitting
    assert not fitting & {
        "float-printed",
        "tojson-float",
        "list-printed",
        "first-character",
        "title-words",
        "byte-length",
    }
