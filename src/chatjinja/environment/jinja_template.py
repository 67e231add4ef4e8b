"""Templates of Jinja2's language."""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from chatjinja.dialects import JinjaDialect
from chatjinja.environment.base import Marking, Template, as_dict, check_marking
from chatjinja.environment.clock import Now, clock_of
from chatjinja.environment.deep import in_thread, with_fresh_stack
from chatjinja.environment.jinja_forms import JinjaForm, make_form
from chatjinja.environment.parts import sound_parts
from chatjinja.environment.positions import locate
from chatjinja.environment.trusted import all_trusted, trusted_context
from chatjinja.errors import OperationError, TemplateError, TemplateSyntaxError
from chatjinja.marking import DEFAULT_TRUST, Prompt, TrustPolicy
from chatjinja.runtime.jinja.output import late_text
from chatjinja.runtime.jinja.sound_output import output_strings
from chatjinja.runtime.jinja.sources import SourcedRuntime
from chatjinja.runtime.limits import Limits, exceeded
from chatjinja.runtime.loops import output_text
from chatjinja.runtime.state import Deoptimise, Runtime
from chatjinja.source import Source, Span
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.jinja.parser import parse
from chatjinja.syntax.nodes import Template as Tree

_Result = TypeVar("_Result")
_here = threading.local()
"""Where this thread was started for one render only, `is_fresh` is set."""
_FAILURES = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What Python raises for operations that fail."""


def compile_jinja(
    source: str,
    name: str,
    dialect: JinjaDialect,
    syntax: SyntaxConfig,
    limits: Limits,
    clock: Callable[[], datetime],
) -> JinjaTemplate:
    """Parse a template. Raises TemplateError without its place in words."""
    tables = dialect.tables
    tree, text = parse(source, syntax, name, filters=tables.filters, tests=tables.tests)
    return JinjaTemplate(text, tree, dialect, limits, clock)


class JinjaTemplate(Template):
    """A template of a dialect of Jinja2's language."""

    dialect: JinjaDialect

    def __init__(
        self, source: Source, tree: Tree, dialect: JinjaDialect, limits: Limits, clock: Callable[[], datetime]
    ) -> None:
        super().__init__(source, tree, limits, clock)
        self.dialect = dialect
        self._forms: dict[tuple[bool, bool, bool], JinjaForm] = {}
        self._eager = False
        self._usual: JinjaForm | None = None

    def render(self, context: Mapping[str, Any] | None = None, /, *, now: Now = None) -> str:
        ctx = context if type(context) is dict else as_dict(context)
        clock = self._clock if now is None else clock_of(now)
        form = self._usual or self._text_form()
        rt = Runtime(form.tables, self.limits, ctx, clock)
        out: list[Any] = []
        try:
            form.root(rt, ctx, out)
            text = output_text(rt, out, late_text)
            if len(text) > self.limits.output:
                raise exceeded(self.limits, "output")
        except Deoptimise:
            self._be_eager()
            return self.render(ctx, now=clock)
        except RecursionError:
            pass
        except (TemplateError, *_FAILURES) as error:
            raise self._located(error, form) from None
        else:
            return text
        return self._on_fresh_stack(lambda: self.render(ctx, now=clock), form)

    def _on_fresh_stack(self, function: Callable[[], _Result], form: JinjaForm) -> _Result:
        """Call `function` again where Python's stack is empty."""
        if getattr(_here, "is_fresh", False):
            raise self._located(exceeded(self.limits, "recursion"), form)

        def call() -> _Result:
            _here.is_fresh = True
            return function()

        return in_thread(call)

    def render_marked(
        self,
        context: Mapping[str, Any] | None = None,
        /,
        *,
        marking: Marking = "sound",
        trust: TrustPolicy | None = None,
        provenance: bool = False,
        now: Now = None,
    ) -> Prompt:
        if marking != "sound":
            check_marking(self.dialect, marking, trust, provenance)
        ctx = context if type(context) is dict else as_dict(context)
        clock = self._clock if now is None else clock_of(now)
        trusted = trusted_context(ctx, DEFAULT_TRUST if trust is None else trust)
        text, strings = self._strings(ctx, trusted, clock, sourced=provenance)
        return Prompt(text, partial(sound_parts, strings))

    def render_generation(
        self, context: Mapping[str, Any] | None = None, /, *, now: Now = None
    ) -> tuple[str, list[Span]]:
        """Render, and say which characters ``generation`` blocks printed: half-open spans of the text, in order.

        They follow the text through macros, filters and set blocks, as marks do.
        """
        ctx = context if type(context) is dict else as_dict(context)
        clock = self._clock if now is None else clock_of(now)
        text, strings = self._strings(ctx, all_trusted(ctx, self.limits), clock, tracks_generation=True)
        return text, Prompt(text, partial(sound_parts, strings)).spans(is_input=True)

    def _strings(
        self,
        ctx: dict[str, Any],
        trusted: dict[str, Any],
        clock: Callable[[], datetime],
        *,
        tracks_generation: bool = False,
        sourced: bool = False,
    ) -> tuple[str, list[Any]]:
        """Render in the sound form: the text, and its strings. `trusted` is `ctx` with what is trusted marked."""
        form = self.form(sound=True, sourced=sourced, eager=self._eager)
        if sourced:
            rt: Runtime = SourcedRuntime(form.tables, self.limits, trusted, clock, form.compiled.context_names)
        else:
            rt = Runtime(form.tables, self.limits, trusted, clock, sound=True)
        rt.tracks_generation = tracks_generation
        out: list[Any] = []
        try:
            form.root(rt, rt.context, out)
            text, strings = output_strings(rt, out)
            if len(text) > self.limits.output:
                raise exceeded(self.limits, "output")
        except Deoptimise:
            self._be_eager()
            return self._strings(ctx, trusted, clock, tracks_generation=tracks_generation, sourced=sourced)
        except RecursionError:
            pass
        except (TemplateError, *_FAILURES) as error:
            self.render(ctx, now=clock)  # fails too, in words that know nothing of marks
            raise self._located(error, form) from None
        else:
            return text, strings
        return self._on_fresh_stack(
            lambda: self._strings(ctx, trusted, clock, tracks_generation=tracks_generation, sourced=sourced), form
        )

    def python(self, *, exact: bool = False) -> ast.Module:
        return self.form(eager=exact).compiled.tree

    def _located(self, error: Exception, form: JinjaForm) -> TemplateError:
        """`error` as a TemplateError that knows its place."""
        if not isinstance(error, TemplateError):
            failure = OperationError(str(error) or type(error).__name__)
            failure.__traceback__ = error.__traceback__
            error = failure
        locate(error, self.source, form)
        return error

    def _be_eager(self) -> None:
        """Use the eager forms from now on: what this template does would show in the others."""
        self._eager = True
        self._usual = None

    def _text_form(self) -> JinjaForm:
        """The form to render with; remembers it."""
        form = self._usual = self.form(eager=self._eager)
        return form

    def form(self, *, sound: bool = False, sourced: bool = False, eager: bool = False) -> JinjaForm:
        """A compiled form, made on first use; a sourced one is sound."""
        key = (sound, sourced, eager)
        form = self._forms.get(key)
        if form is None:
            try:
                form = with_fresh_stack(
                    lambda: make_form(self.tree, self.source, self.dialect, sound=sound, sourced=sourced, eager=eager)
                )
            except TemplateError as error:
                locate(error, self.source)
                raise
            except SyntaxError as error:  # what Python does not take, Jinja2 does not either
                failure = TemplateSyntaxError(str(error.msg), phase="parse")
                locate(failure, self.source)
                raise failure from None
            except RecursionError:
                limit = exceeded(self.limits, "nesting")
                locate(limit, self.source)
                raise limit from None
            form = self._forms.setdefault(key, form)
        return form
