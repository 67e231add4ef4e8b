"""A template that can be rendered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Literal

from chatjinja.dialects import Dialect
from chatjinja.environment.clock import Now, clock_of
from chatjinja.environment.deep import with_fresh_stack
from chatjinja.environment.forms import KINDS, Form, form_options, make_form, tables_of
from chatjinja.environment.parts import reference_parts, sound_parts
from chatjinja.environment.positions import locate
from chatjinja.environment.trusted import trusted_context
from chatjinja.errors import ContextError, OperationError, TemplateError
from chatjinja.marking import DEFAULT_TRUST, Prompt, TrustPolicy
from chatjinja.runtime.contexts import copy_context
from chatjinja.runtime.limits import Limits, exceeded
from chatjinja.runtime.loops import body_pieces, check_output, output_text, refuse_surrogates
from chatjinja.runtime.macros import BreakSignal, ContinueSignal
from chatjinja.runtime.marked import Marked
from chatjinja.runtime.printing import joined_output
from chatjinja.runtime.state import Deoptimise, PiecesNeeded, Runtime, Unchecked
from chatjinja.source import Source
from chatjinja.syntax.nodes import Template as Tree

Marking = Literal["sound", "reference"]
_EXACT = {"reference": "exact", "sound": "sound exact", "traced": "traced"}
"""Kind of marked form → the exact form with the same marks."""
_LONGEST_CLEAN = 512 * 1024
"""Longer prompts than this are not remembered, in characters."""


class Template:
    """A compiled template. Immutable; one can be rendered by many threads at once.

    Made by `Environment.from_string`.

    Attributes:
        name: the name given to it.
        source: the normalised source, with its lines.
        tree: the tree of nodes.
        dialect: the dialect it is written in.
    """

    def __init__(
        self, source: Source, tree: Tree, dialect: Dialect, limits: Limits, clock: Callable[[], datetime]
    ) -> None:
        self.name = source.name
        self.source = source
        self.tree = tree
        self.dialect = dialect
        self.limits = limits
        self._clock = clock
        self._max_output = limits.output
        self._tables = dialect.tables
        self._own_names = dialect.own_names
        self._forms: dict[tuple[str, bool, bool], Form] = {}
        self._fast: Form | None = None
        self._usual: dict[str, Form] = {}
        self._checked = False
        self._clean = ""
        self._pieces_first = False

    def __repr__(self) -> str:
        return f"<Template {self.name!r} ({self.dialect.name})>"

    # --- rendering ---------------------------------------------------------------------------------

    def render(self, context: Mapping[str, Any] | None = None, /, *, now: Now = None) -> str:
        """Render with a context of JSON-like data; nothing of it is changed.

        `now` sets the clock for this render (see `Environment`). Raises TemplateError.
        """
        ctx = context if type(context) is dict else _as_dict(context)
        clock = self._clock if now is None else clock_of(now)
        if self._pieces_first:
            return self._render_strings(ctx, clock, "reference")[0]
        form = self._fast
        if form is None or not self._own_names.isdisjoint(ctx):
            form = self._form_for(ctx)
        # exact, checked, single_pieces; keywords would cost a tenth of a short render
        rt = Runtime(self._tables, self.limits, ctx, clock, False, form.checked, form.single_pieces)
        out: list[Any] = []
        try:
            form.root(rt, ctx, out)
            text = output_text(rt, out)
            if not text.isascii():
                self._refuse_surrogates(text)
            if len(text) > self._max_output:
                raise exceeded(self.limits, "output")
        except Unchecked:
            self._checked = True
            self._fast = None
            return self.render(ctx, now=clock)
        except PiecesNeeded:
            self._pieces_first = True
            return self._render_strings(ctx, clock, "reference")[0]
        except (Deoptimise, UnicodeEncodeError):
            return self._render_exact(ctx, clock).text
        except RecursionError:
            return self._render_exact(ctx, clock).text
        except (TemplateError, BreakSignal, ContinueSignal) as error:
            if form.compiled.may_fail_late or (isinstance(error, TemplateError) and error.code == "no-truth"):
                return self._render_exact(ctx, clock).text  # raises the right error at the right place
            raise self._located(error, form) from None
        return text

    def render_with(self, /, **variables: Any) -> str:
        """`render` with the context as keyword arguments."""
        return self.render(variables)

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
        """Render, and say for each character who wrote it. The text is that of `render`.

        Args:
            marking: ``"sound"``: what was copied from the context is input, unless `trust` names it;
                ``"reference"``: as the reference engine marks it, leaks included.
            trust: which context data is the application's own; default `DEFAULT_TRUST`. Not with reference marking.
            provenance: each part also names its source and what printed it. Slower. Not with reference marking.

        Raises ValueError for options that do not go together, and TemplateError as `render` does.
        """
        if marking != "sound":
            _check_marking(self.dialect, marking, trust, provenance)
        ctx = context if type(context) is dict else _as_dict(context)
        clock = self._clock if now is None else clock_of(now)
        if marking == "reference":
            text, strings = self._render_strings(ctx, clock, "reference")
            return Prompt(text, partial(reference_parts, strings))
        ctx = trusted_context(ctx, DEFAULT_TRUST if trust is None else trust)
        if provenance:
            text, strings = self._exact_strings(ctx, clock, "traced")
        else:
            text, strings = self._render_strings(ctx, clock, "sound")
        return Prompt(text, partial(sound_parts, strings))

    def _render_strings(self, ctx: dict[str, Any], clock: Callable[[], datetime], kind: str) -> tuple[str, list[Any]]:
        """Render in a marked form; if that will not do, in the exact form. The text, and its strings."""
        form = self._usual.get(kind)
        if form is None or not self._own_names.isdisjoint(ctx):
            fold_names = self._own_names.isdisjoint(ctx)
            form = self._form(kind, fold_names)
            if fold_names:
                self._usual[kind] = form
        # exact, checked, single_pieces, sound, copied
        rt = Runtime(form.tables, self.limits, ctx, clock, True, form.checked, True, kind == "sound", False)
        out: list[Any] = []
        try:
            form.root(rt, ctx, out)
            if rt.has_big_strings:
                check_output(rt, out)
            text, strings = joined_output(rt, out)
            if not text.isascii():
                self._refuse_surrogates(text)
            if len(text) > self._max_output:
                raise exceeded(self.limits, "output")
        except Unchecked:
            self._checked = True
            self._fast = None
            self._usual.clear()
            return self._render_strings(ctx, clock, kind)
        except (Deoptimise, UnicodeEncodeError, ContextError):
            return self._exact_strings(ctx, clock, kind)
        except RecursionError:
            return self._exact_strings(ctx, clock, kind)
        except (TemplateError, BreakSignal, ContinueSignal) as error:
            if form.compiled.may_fail_late or (isinstance(error, TemplateError) and error.code == "no-truth"):
                return self._exact_strings(ctx, clock, kind)  # raises the right error at the right place
            raise self._located(error, form) from None
        return text, strings

    def _exact_strings(self, ctx: dict[str, Any], clock: Callable[[], datetime], kind: str) -> tuple[str, list[Any]]:
        whole = self._render_exact(ctx, clock, _EXACT[kind])
        return whole.text, [whole]

    def _render_exact(self, ctx: dict[str, Any], clock: Callable[[], datetime], kind: str = "exact") -> Marked:
        """Render in an exact form, on a copy of the context: the text in pieces."""
        try:
            return with_fresh_stack(lambda: self._render_copy(ctx, clock, kind))
        except RecursionError:  # on a stack of its own
            form = self._form(kind, self._own_names.isdisjoint(ctx))
            raise self._located(exceeded(self.limits, "recursion"), form) from None

    def _render_copy(self, ctx: dict[str, Any], clock: Callable[[], datetime], kind: str) -> Marked:
        form = self._form(kind, self._own_names.isdisjoint(ctx))
        sound = kind != "exact"
        rt = Runtime(tables_of(self.dialect, kind), self.limits, ctx, clock, exact=True, sound=sound)
        out: list[Any] = []
        try:
            form.root(rt, copy_context(rt, ctx, sources=kind == "traced"), out)
            prompt = body_pieces(rt, out)
        except (TemplateError, BreakSignal, ContinueSignal) as error:
            raise self._located(error, form) from None
        if len(prompt.text) > self.limits.output:
            raise self._located(exceeded(self.limits, "output"), form)
        return prompt

    def _located(self, error: Exception, form: Form) -> TemplateError:
        """`error` as a TemplateError that knows its place."""
        if not isinstance(error, TemplateError):
            kind = "Break" if isinstance(error, BreakSignal) else "Continue"
            stray = OperationError(f"{kind} statement executed", code="stray-signal")
            stray.__traceback__ = error.__traceback__
            error = stray
        locate(error, self.source, form)
        return error

    def _refuse_surrogates(self, text: str) -> None:
        """UnicodeEncodeError if `text` holds surrogates: escaped bytes or stray ones.

        Looking at every character takes as long as half a render. A conversation is rendered again and again
        while it grows, so what the latest prompt shares with this one is not looked at again.
        """
        known = self._clean
        start = len(known) if text.startswith(known) else 0
        if start < len(text):
            refuse_surrogates(text, start)
            if len(text) <= _LONGEST_CLEAN:
                self._clean = text

    # --- forms -------------------------------------------------------------------------------------

    def form(self, *, exact: bool, fold_names: bool = True) -> Form:
        """A compiled form, made on first use: the text form or the exact form."""
        return self._form("exact" if exact else "text", fold_names)

    def _form(self, kind: str, fold_names: bool) -> Form:
        checked = self._checked or KINDS[kind].exact
        key = (kind, fold_names, checked)
        form = self._forms.get(key)
        if form is None:
            options = form_options(self.dialect, self.limits, kind, fold_names=fold_names, checked=checked)
            form = with_fresh_stack(lambda: make_form(self.tree, self.source, self.dialect, kind, options))
            form = self._forms.setdefault(key, form)
        return form

    def _form_for(self, ctx: dict[str, Any]) -> Form:
        """The form to render `ctx` with; remembers the usual one."""
        fold_names = self._own_names.isdisjoint(ctx)
        form = self.form(exact=False, fold_names=fold_names)
        if fold_names:
            self._fast = form
        return form


def _as_dict(context: Mapping[str, Any] | None) -> dict[str, Any]:
    if context is None:
        return {}
    if not isinstance(context, Mapping):
        raise ContextError(
            f"the context must be a mapping, got {type(context).__name__}", code="context-type", pointer=""
        )
    return dict(context)


def _check_marking(dialect: Dialect, marking: str, trust: TrustPolicy | None, provenance: bool) -> None:
    if marking != "reference":
        raise ValueError(f"unknown marking {marking!r}; known: sound, reference")
    if not dialect.reference_marking:
        raise ValueError(f"the engine behind the dialect {dialect.name!r} does not mark input")
    if trust is not None or provenance:
        option = "trust" if trust is not None else "provenance"
        raise ValueError(f"{option} is for sound marking; the reference's marks know nothing of it")
