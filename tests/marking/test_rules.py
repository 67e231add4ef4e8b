"""Sound marks, built-in by built-in: ``rules.json`` holds templates and what they print, with ``⟨ ⟩`` around input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.marking.support import ENVIRONMENT, PLUS, sound

DATA: dict[str, Any] = json.loads((Path(__file__).parent / "rules.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("template", "expected"), DATA["llama.cpp"])
def test_rule(template: str, expected: str) -> None:
    assert sound(template, DATA["context"], ENVIRONMENT) == expected


@pytest.mark.parametrize(("template", "expected"), DATA["llama.cpp+"])
def test_rule_of_llama_cpp_plus(template: str, expected: str) -> None:
    assert sound(template, DATA["context"], PLUS) == expected
