"""Templates of llama.cpp's language."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from chatjinja.dialects import LlamaDialect
from chatjinja.environment.base import Marking, Template, as_dict, check_marking
from chatjinja.environment.clock import Now, clock_of
from chatjinja.environment.deep import with_fresh_stack
from chatjinja.environment.forms import KINDS, Form, form_options, make_form, tables_of
from chatjinja.environment.parts import reference_parts, sound_parts
from chatjinja.environment.positions import locate
from chatjinja.environment.snapshot import careful, snapshot
from chatjinja.environment.sourced_parts import sourced_parts
from chatjinja.environment.trusted import trusted_context
from chatjinja.errors import ContextError, OperationError, TemplateError
from chatjinja.marking import DEFAULT_TRUST, Part, Prompt, TrustPolicy
from chatjinja.runtime.contexts import copy_context
from chatjinja.runtime.limits import Limits, exceeded
from chatjinja.runtime.loops import body_pieces, check_output, output_text, refuse_surrogates
from chatjinja.runtime.macros import BreakSignal, ContinueSignal
from chatjinja.runtime.marked import Marked
from chatjinja.runtime.printing import settled_text
from chatjinja.runtime.sourced import SourcedRuntime, Unsourced
from chatjinja.runtime.state import Deoptimise, PiecesNeeded, Runtime, Unchecked
from chatjinja.source import Source
from chatjinja.syntax.nodes import Template as Tree

_EXACT = {"reference": "exact", "sound": "sound exact", "traced": "traced"}
"""Kind of marked form → the exact form with the same marks."""
_LONGEST_CLEAN = 512 * 1024
"""Longer prompts than this are not remembered, in characters."""


class LlamaTemplate(Template):
    """A template of a dialect of llama.cpp."""

    dialect: LlamaDialect

    def __init__(
        self, source: Source, tree: Tree, dialect: LlamaDialect, limits: Limits, clock: Callable[[], datetime]
    ) -> None:
        super().__init__(source, tree, limits, clock)
        self.dialect = dialect
        self._max_output = limits.output
        self._tables = dialect.tables
        self._own_names = dialect.own_names
        self._forms: dict[tuple[str, bool, bool], Form] = {}
        self._fast: Form | None = None
        self._usual: dict[str, Form] = {}
        self._checked = False
        self._clean = ""
        self._pieces_first = False

    # --- rendering ---------------------------------------------------------------------------------

    def render(self, context: Mapping[str, Any] | None = None, /, *, now: Now = None) -> str:
        ctx = context if type(context) is dict else as_dict(context)
        clock = self._clock if now is None else clock_of(now)
        if self._pieces_first:
            return self._render_strings(ctx, clock)[0]
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
            return self._render_strings(ctx, clock)[0]
        except (Deoptimise, UnicodeEncodeError):
            return self._render_exact(ctx, clock).text
        except RecursionError:
            return self._render_exact(ctx, clock).text
        except (TemplateError, BreakSignal, ContinueSignal) as error:
            if form.compiled.may_fail_late or (isinstance(error, TemplateError) and error.code == "no-truth"):
                return self._render_exact(ctx, clock).text  # raises the right error at the right place
            raise self._located(error, form) from None
        return text

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
        if marking == "reference":
            text, strings = self._render_strings(ctx, clock)
            return Prompt(text, partial(reference_parts, strings))
        policy = DEFAULT_TRUST if trust is None else trust
        if provenance:
            return self._render_sourced(ctx, clock, policy)
        return self._render_sound(trusted_context(ctx, policy), clock)

    def _render_sound(self, ctx: dict[str, Any], clock: Callable[[], datetime]) -> Prompt:
        form = self._usual.get("sound")
        if form is None or not self._own_names.isdisjoint(ctx):
            form = self._marked_form(ctx, "sound")
        # exact, checked, single_pieces, sound, copied
        rt = Runtime(form.tables, self.limits, ctx, clock, True, form.checked, True, True, False)
        out: list[Any] = []
        try:
            text = self._marked_text(form, rt, ctx, out)
        except Unchecked:
            return self._render_sound(ctx, clock)
        if text is None:
            text, out = self._exact_strings(ctx, clock, "sound")
        return Prompt(text, partial(sound_parts, out))

    def _render_strings(self, ctx: dict[str, Any], clock: Callable[[], datetime]) -> tuple[str, list[Any]]:
        """Render with the reference's marks. The text, and its strings."""
        form = self._marked_form(ctx, "reference")
        rt = Runtime(form.tables, self.limits, ctx, clock, True, form.checked, True, False, False)
        out: list[Any] = []
        try:
            text = self._marked_text(form, rt, ctx, out)
        except Unchecked:
            return self._render_strings(ctx, clock)
        return self._exact_strings(ctx, clock, "reference") if text is None else (text, out)

    def _render_sourced(self, ctx: dict[str, Any], clock: Callable[[], datetime], policy: TrustPolicy) -> Prompt:
        """Render with provenance, on a snapshot; what the fast form cannot tell, slower ones tell later."""
        form = self._marked_form(ctx, "sourced")
        try:
            values = snapshot(ctx, form.compiled.names, policy)
            text, strings, rt = self._sourced_output(form, values, clock, {})
        except Unsourced:
            text, strings = self._exact_strings(trusted_context(ctx, policy), clock, "traced")
            return Prompt(text, partial(sound_parts, strings))
        return Prompt(text, partial(self._sourced_parts, form, strings, rt))

    def _sourced_output(
        self, form: Form, values: dict[str, Any], clock: Callable[[], datetime], twins: dict[int, Any]
    ) -> tuple[str, list[Any], SourcedRuntime]:
        """Text, its strings, and the state of the render; Unsourced if the exact form has to do it."""
        rt = SourcedRuntime(form.tables, self.limits, values, clock, True, form.checked, True, True, False)
        rt.cuts, rt.groups, rt.twins = [], form.groups, twins
        out: list[Any] = []
        try:
            text = self._marked_text(form, rt, values, out)
        except Unchecked:
            return self._sourced_output(self._marked_form(values, "sourced"), values, clock, twins)
        if text is None:
            raise Unsourced
        return text, out, rt

    def _sourced_parts(self, form: Form, strings: list[Any], rt: SourcedRuntime) -> list[Part]:
        values: Any = rt.context
        try:
            return sourced_parts(rt, strings, values)
        except Unsourced:
            pass
        try:
            again, twins = careful(values)
            _, strings, careful_rt = self._sourced_output(form, again, rt.same_clock, twins)
            return sourced_parts(careful_rt, strings, again)
        except Unsourced:
            _, strings = self._exact_strings(values, rt.same_clock, "traced")
            return sound_parts(strings)

    def _marked_form(self, ctx: dict[str, Any], kind: str) -> Form:
        """The marked form to render `ctx` with; remembers the usual one."""
        form = self._usual.get(kind)
        if form is None or not self._own_names.isdisjoint(ctx):
            fold_names = self._own_names.isdisjoint(ctx)
            form = self._form(kind, fold_names)
            if fold_names:
                self._usual[kind] = form
        return form

    def _marked_text(self, form: Form, rt: Runtime, ctx: dict[str, Any], out: list[Any]) -> str | None:
        """Render in a marked form; `out` becomes the strings of the text. None if that will not do, and the exact
        form has to; Unchecked if it is to be tried once more."""
        try:
            form.root(rt, ctx, out)
            if rt.has_big_strings:
                check_output(rt, out)
            try:
                text = "".join(out)
            except TypeError:  # not all of it is str
                text = settled_text(rt, out)
            if not text.isascii():
                self._refuse_surrogates(text)
            if len(text) > self._max_output:
                raise exceeded(self.limits, "output")
        except Unchecked:
            self._checked = True
            self._fast = None
            self._usual.clear()
            raise
        except (Deoptimise, UnicodeEncodeError, ContextError):
            return None
        except RecursionError:
            return None
        except (TemplateError, BreakSignal, ContinueSignal) as error:
            if form.compiled.may_fail_late or (isinstance(error, TemplateError) and error.code == "no-truth"):
                return None  # the exact form raises the right error at the right place
            raise self._located(error, form) from None
        return text

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

    def python(self, *, exact: bool = False) -> ast.Module:
        return self.form(exact=exact).compiled.tree

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
