"""Render the recorded cases with Jinja2, and say how the ``transformers`` dialect differs."""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import jinja2

import chatjinja
from tests.conformance.checker import Failure, crop, describe, difference
from tests.conformance.corpora import CLOCK, Case, context_json
from tests.peers import jinja2_peer

ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
"""Where an object lies in memory; some things that can be printed show it."""


class Jinja2Checker:
    """Checks cases: same text, or an error in both. Neighbours with one template share its compiled form.

    Args:
        guarded: see `jinja2_peer.environment`.
    """

    def __init__(self, *, guarded: bool = False) -> None:
        self._ours = chatjinja.Environment(dialect="transformers", now=CLOCK)
        self._theirs = jinja2_peer.environment(CLOCK, guarded)
        self._contexts: dict[str, Any] = {}
        self._compiled: tuple[str, jinja2.Template | Exception] = ("", jinja2.Template(""))

    def _context(self, name: str) -> Any:
        if name not in self._contexts:
            self._contexts[name] = json.loads(context_json(name))
        return self._contexts[name]

    def _template(self, source: str) -> jinja2.Template:
        """Jinja2's template; raises what compiling it raises."""
        if self._compiled[0] != source:
            try:
                self._compiled = (source, self._theirs.from_string(source))
            except Exception as error:
                self._compiled = (source, error)
        template = self._compiled[1]
        if isinstance(template, Exception):
            raise template
        return template

    def expected(self, source: str, context: Any) -> str | Exception:
        """What Jinja2 makes of a template."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of Python's compiler, and about unknown escapes
                random.seed(0)
                return self._template(source).render(context)
        except Exception as error:  # of any type: Python's own pass through Jinja2
            return error

    def check(self, case: Case) -> Failure | None:
        """None if the dialect does as Jinja2."""
        context = self._context(case.context)
        return self.compare(case, self.expected(case.source, context), context)

    def compare(self, case: Case, expected: str | Exception, context: Any) -> Failure | None:
        """None if the dialect does what is expected, or if Jinja2 could not tell."""
        if isinstance(expected, jinja2_peer.TooLargeError | RecursionError | MemoryError):
            return None
        shown = describe(expected) if isinstance(expected, Exception) else repr(crop(expected))
        random.seed(0)
        try:
            text = self._ours.from_string(case.source, name=case.name).render(context)
        except chatjinja.LimitError as error:
            if isinstance(expected, Exception):
                return None
            return Failure(case, "limit reached", f"expected: {shown}\ngot: {describe(error)}")
        except chatjinja.TemplateError as error:
            if isinstance(expected, Exception):
                return None
            return Failure(case, "error instead of a text", f"expected: {shown}\ngot: {describe(error)}")
        except Exception as error:
            return Failure(case, f"crash: {type(error).__name__}", f"expected: {shown}\ngot: {describe(error)}")
        if isinstance(expected, Exception):
            return Failure(case, "text instead of an error", f"expected: {shown}\ngot: {crop(text)!r}")
        if "lipsum" not in case.source and ADDRESS.sub("", text) != ADDRESS.sub("", expected):
            return Failure(case, "text differs", difference(expected, text))
        return None


def distinct(cases: Iterable[Case]) -> Iterator[Case]:
    """Cases without those whose template and context were there before."""
    seen: set[tuple[str, str]] = set()
    for case in cases:
        if (case.source, case.context) not in seen:
            seen.add((case.source, case.context))
            yield case


def check_all(cases: Iterable[Case]) -> list[Failure]:
    """The failures among some cases."""
    checker = Jinja2Checker()
    return [failure for case in cases if (failure := checker.check(case)) is not None]
