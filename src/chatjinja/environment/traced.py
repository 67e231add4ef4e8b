"""Rendering while watching which values of the context a template uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from chatjinja.environment.clock import Now, clock_of
from chatjinja.environment.deep import with_fresh_stack
from chatjinja.environment.forms import form_options, make_form
from chatjinja.environment.positions import locate
from chatjinja.environment.template import LlamaTemplate
from chatjinja.errors import TemplateError
from chatjinja.runtime.contexts import copy_context
from chatjinja.runtime.loops import body_pieces
from chatjinja.runtime.macros import BreakSignal, ContinueSignal
from chatjinja.runtime.traced import TRACED, TracedRuntime, traced_tables


class Trace:
    """What one render did.

    Attributes:
        text: the text; empty if the render failed.
        error: why it failed, or None.
    """

    def __init__(self, rt: TracedRuntime, context: dict[str, Any]) -> None:
        self.text = ""
        self.error: TemplateError | None = None
        self._rt = rt
        self._context = context

    def operations(self, *path: str | int) -> frozenset[str] | None:
        """The operations applied to the value at `path` in the context; None if it was not used at all."""
        value: Any = self._context
        for key in path:
            try:
                value = value[key]
            except (LookupError, TypeError):  # the template changed its data
                return None
        found = self._rt.uses.get(id(value))
        return None if found is None else frozenset(found)

    def uses(self, *path: str | int) -> bool:
        """Whether the string, list or mapping at `path` in the context was used."""
        return self.operations(*path) is not None


class Tracer:
    """The traced form of a template, made once. Slower than a render by far; for probes."""

    def __init__(self, template: LlamaTemplate) -> None:
        self.template = template
        dialect = template.dialect
        self._tables = traced_tables(dialect.exact_tables)
        traced = replace(dialect, exact_tables=self._tables)
        options = replace(form_options(traced, template.limits, "exact", fold_names=True, checked=True), watched=True)
        self._form = with_fresh_stack(
            lambda: make_form(template.tree, template.source, traced, "exact", options, helpers=TRACED)
        )

    def render(self, context: Mapping[str, Any], *, now: Now = None) -> Trace:
        """Render with a context that replaces none of the dialect's own names. A failure ends up in the trace."""
        return with_fresh_stack(lambda: self._render(context, clock_of(now)))

    def _render(self, context: Mapping[str, Any], clock: Callable[[], datetime]) -> Trace:
        template = self.template
        rt = TracedRuntime(self._tables, template.limits, context, clock, exact=True)
        values = copy_context(rt, context)
        trace = Trace(rt, values)
        out: list[Any] = []
        try:
            self._form.root(rt, dict(values), out)
            trace.text = body_pieces(rt, out).text
        except TemplateError as error:
            trace.error = error
        except (BreakSignal, ContinueSignal):
            trace.error = TemplateError("a break or continue outside of a loop was executed", code="stray-signal")
        if trace.error is not None:
            locate(trace.error, template.source, self._form)
        return trace
