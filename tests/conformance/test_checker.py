"""The checker itself: it must notice what it is there for."""

from __future__ import annotations

from typing import Any

import pytest

import chatjinja
from tests.conformance import checker
from tests.conformance.checker import Checker, expected_class
from tests.conformance.corpora import Case, RecordedError, decode, raw_part


@pytest.fixture(autouse=True)
def small_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "context_json", lambda name: '{"s": "abc", "n": 1, "l": [1]}')


def case(source: str, text: str | None = None, error: RecordedError | None = None) -> Case:
    parts = None if text is None else ((False, text.encode()),)
    return Case(id="c", name="c", source=source, context="micro_context", parts=parts, error=error)


def kind(checked: Case) -> str | None:
    failure = Checker().check(checked)
    if failure is None:
        return None
    assert str(failure).startswith("c: ")
    return failure.kind


def test_as_recorded() -> None:
    assert kind(case("{{ s }}", "abc")) is None


def test_other_text() -> None:
    assert kind(case("{{ s }}", "abd")) == "text differs"


def test_error_instead_of_text() -> None:
    assert kind(case("{{ s() }}", "abc")) == "error instead of a text"


def test_text_instead_of_error() -> None:
    error = RecordedError("run", "no", "CallExpression", 1, 1)
    assert kind(case("{{ s }}", error=error)) == "text instead of an error"


RECORDED: dict[str, Any] = {
    "phase": "run",
    "message": "Callee is not a function: got String",
    "node": "CallExpression",
    "line": 1,
    "column": 5,
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, None),
        ({"message": "Jinja Exception: x"}, "error differs: message, class"),
        ({"node": "For"}, "error differs: node"),
        ({"line": 2}, "error differs: line"),
        ({"column": 2}, "error differs: column"),
    ],
)
def test_error_fields(change: dict[str, Any], expected: str | None) -> None:
    assert kind(case("{{ s() }}", error=RecordedError(**{**RECORDED, **change}))) == expected


def test_crash_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*args: object, **kwargs: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(chatjinja.Environment, "from_string", crash)
    assert kind(case("x", "x")) == "crash: KeyError"


def test_changed_context_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless:
        def render(self, context: dict[str, Any]) -> str:
            context["n"] = 2
            return "x"

    monkeypatch.setattr(chatjinja.Environment, "from_string", lambda *args, **kwargs: Careless())
    assert kind(case("x", "x")) == "context was changed"


@pytest.mark.parametrize(
    ("phase", "message", "expected"),
    [
        ("lex", "unexpected character: $", chatjinja.TemplateSyntaxError),
        ("parse", "Parser Error: Unexpected EOF", chatjinja.TemplateSyntaxError),
        (None, "Unknown statement: raw", chatjinja.TemplateSyntaxError),
        (None, "NotImplemented: escaped test not implemented", chatjinja.UnsupportedError),
        (None, "Break statement executed", chatjinja.OperationError),
        ("run", "Jinja Exception: boom", chatjinja.RaisedError),
        ("run", "Unknown test 'x'", chatjinja.UnknownNameError),
        ("run", "slice step cannot be zero", chatjinja.OperationError),
    ],
)
def test_expected_class(phase: str | None, message: str, expected: type[chatjinja.TemplateError]) -> None:
    assert expected_class(RecordedError(phase, message, None, None, None)) is expected


def test_bytes_that_are_no_text() -> None:
    assert decode(raw_part({"hex": "c3"}) + raw_part({"hex": "a9"})) == "é"
    assert decode(raw_part({"hex": "c3"})) == "\udcc3"
