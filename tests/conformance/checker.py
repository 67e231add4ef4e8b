"""Render recorded cases and say how the result differs from the recording."""

from __future__ import annotations

import difflib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import chatjinja
from tests.conformance.corpora import CLOCK, Case, RecordedError, context_json, decode

_NAMES_UNKNOWN = ("Unknown (built-in) filter", "Unknown test")
_EXCERPT = 400


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a case failed: a short kind to count by, and a text for people."""

    case: Case
    kind: str
    detail: str

    def __str__(self) -> str:
        source = repr(self.case.source) if self.case.name == self.case.id else self.case.name
        return f"{self.case.id}: {self.kind}\n  template: {crop(source)}\n{_indented(self.detail)}"


def use_utc() -> None:
    """Make this process show local time as the recordings do."""
    os.environ["TZ"] = "UTC"
    time.tzset()


def expected_class(error: RecordedError) -> type[chatjinja.TemplateError]:
    """The exception class that a recorded error must come out as (a subclass will do)."""
    if error.message.startswith("NotImplemented: "):
        return chatjinja.UnsupportedError
    if error.message in ("Break statement executed", "Continue statement executed"):
        return chatjinja.OperationError
    if error.phase != "run":
        return chatjinja.TemplateSyntaxError
    if error.message.startswith("Jinja Exception: "):
        return chatjinja.RaisedError
    if error.message.startswith(_NAMES_UNKNOWN):
        return chatjinja.UnknownNameError
    return chatjinja.OperationError


class Checker:
    """Checks cases with one environment; contexts are parsed once and shared between the cases.

    Args:
        parts: also compare the marked parts, by the reference's rules.
    """

    def __init__(self, *, parts: bool = False) -> None:
        self._environment = chatjinja.Environment(dialect="llama.cpp", now=CLOCK)
        self._parts = parts
        self._contexts: dict[str, tuple[Any, str]] = {}

    def _context(self, name: str) -> tuple[Any, str]:
        known = self._contexts.get(name)
        if known is None:
            data = json.loads(context_json(name))
            known = self._contexts[name] = (data, json.dumps(data))
        return known

    def check(self, case: Case) -> Failure | None:
        """Render a case twice; None if text or error, parts and context data are as they should be."""
        context, before = self._context(case.context)
        for attempt in ("", "second render: "):
            failure = self._check_once(case, context, attempt)
            if json.dumps(context) != before:
                del self._contexts[case.context]
                return Failure(case, f"{attempt}context was changed", "")
            if failure is not None:
                return failure
        return None

    def _check_once(self, case: Case, context: Any, attempt: str) -> Failure | None:
        try:
            template = self._environment.from_string(case.source, name=case.name)
            text = template.render(context)
            marked = template.render_marked(context, marking="reference").parts if self._parts else ()
        except chatjinja.TemplateError as error:
            return _compare_error(case, error, attempt)
        except Exception as error:
            return Failure(case, f"{attempt}crash: {type(error).__name__}", describe(error))
        if case.error is not None:
            return Failure(case, f"{attempt}text instead of an error", f"expected: {case.error}\ngot: {crop(text)!r}")
        if text != case.text:
            return Failure(case, f"{attempt}text differs", difference(case.text or "", text))
        if self._parts:
            return _compare_parts(case, [(part.is_input, part.text) for part in marked])
        return None


def describe(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}: {crop(str(error))}{place}"


def _compare_error(case: Case, error: chatjinja.TemplateError, attempt: str) -> Failure | None:
    recorded = case.error
    got = f"{type(error).__name__}(phase={error.phase}, {error.node}, {error.lineno}:{error.colno}) {error.message!r}"
    if recorded is None:
        return Failure(case, f"{attempt}error instead of a text", f"expected: {crop(case.text or '')!r}\ngot: {got}")
    wrong = [name for name, is_wrong in _error_checks(recorded, error).items() if is_wrong]
    if not wrong:
        return None
    return Failure(case, f"{attempt}error differs: {', '.join(wrong)}", f"expected: {recorded}\ngot: {got}")


def _error_checks(recorded: RecordedError, error: chatjinja.TemplateError) -> dict[str, bool]:
    span = error.span
    return {
        "message": error.message != recorded.message,
        "phase": error.phase != recorded.phase,
        "class": not isinstance(error, expected_class(recorded)),
        "node": error.node != recorded.node,
        "line": recorded.line is not None and error.lineno != recorded.line,
        "column": recorded.column is not None and error.colno != recorded.column,
        "no place": error.lineno is None or span is None or span[0] > span[1],
        "str": error.message not in str(error),
    }


def _compare_parts(case: Case, got: list[tuple[bool, str]]) -> Failure | None:
    expected = [(flag, decode(raw)) for flag, raw in case.parts or ()]
    if got == expected:
        return None
    rows = difflib.unified_diff([repr(p) for p in expected], [repr(p) for p in got], "expected", "got", "", "", 1, "")
    return Failure(case, "parts differ", "\n".join(rows))


def difference(expected: str, got: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(expected, got, strict=False)) if a != b), min(len(expected), len(got)))
    start = max(0, at - 60)
    return (
        f"first difference at character {at} of {len(expected)} expected, {len(got)} got\n"
        f"expected: {expected[start : at + 80]!r}\n"
        f"got:      {got[start : at + 80]!r}"
    )


def crop(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}… ({len(text)} characters)"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def check_all(cases: Iterable[Case], *, parts: bool = False) -> list[Failure]:
    """The failures among some cases."""
    checker = Checker(parts=parts)
    return [failure for case in cases if (failure := checker.check(case)) is not None]
