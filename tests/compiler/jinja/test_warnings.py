"""Python's compiler warns about some code that looks like a mistake; what a template says is no reason to warn."""

from __future__ import annotations

import warnings

import pytest

from chatjinja import render


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ () is none }}", "False"),
        ("{{ (1, (2, 3)) is none }}", "False"),
        ("{{ ((), 1) is not none }}", "True"),
        ("{{ (1, x) is none }}", "False"),
        ("{{ 'a' is none }}{{ 1 is true }}", "FalseFalse"),
        ("{{ none is none }}", "True"),
    ],
)
def test_constants_compared_by_identity(source: str, expected: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert render(source, {"x": 1}, dialect="transformers") == expected
