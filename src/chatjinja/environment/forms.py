"""Compiled forms of a template: the Python functions that render it."""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from chatjinja.compiler.codegen import ROOT, Compiled, compile_template
from chatjinja.compiler.state import Options
from chatjinja.dialects import Dialect
from chatjinja.runtime.helpers import EXACT, FAST, REFERENCE, SOUND, SOUND_EXACT
from chatjinja.runtime.limits import Limits
from chatjinja.runtime.marked import TemplateText, made_number, template_piece
from chatjinja.runtime.objects import BuiltinFunction
from chatjinja.runtime.sound import sound_tables
from chatjinja.runtime.tables import Tables
from chatjinja.runtime.undefined import Undefined
from chatjinja.source import Source
from chatjinja.syntax.nodes import Template as Tree

_numbers = itertools.count(1)


class Form:
    """One compiled form.

    Attributes:
        root: ``root(rt, context, out)``; fills `out`.
        compiled: what the compiler gave, with the table of positions.
        filename: file name of the code object, unique in the process.
        checked: as in `chatjinja.compiler.state.Options`.
        tables: the built-ins that it was compiled for.
        single_pieces: as in `chatjinja.compiler.codegen.Compiled`.
    """

    __slots__ = ("__weakref__", "checked", "compiled", "filename", "root", "single_pieces", "tables")

    def __init__(
        self, root: Callable[..., None], compiled: Compiled, filename: str, options: Options, tables: Tables
    ) -> None:
        self.root = root
        self.compiled = compiled
        self.filename = filename
        self.checked = options.checked
        self.single_pieces = compiled.single_pieces
        self.tables = tables


class Kind(NamedTuple):
    """What a form is for: see `chatjinja.compiler.state.Options`."""

    exact: bool
    marked: bool
    sound: bool
    names: Mapping[str, Any]


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "text": Kind(False, False, False, FAST),
        "exact": Kind(True, False, False, EXACT),
        "reference": Kind(False, True, False, REFERENCE),
        "sound": Kind(False, True, True, SOUND),
        "sound exact": Kind(True, False, True, SOUND_EXACT),
        "traced": Kind(True, False, True, SOUND_EXACT),
    }
)
"""Every kind of form. The marked ones come in two: fast on the caller's data, exact on a copy of it."""
_sound_tables: dict[str, Tables] = {}


def tables_of(dialect: Dialect, kind: str) -> Tables:
    """The built-ins of a form of that kind."""
    if kind == "text":
        return dialect.tables
    if not KINDS[kind].sound:
        return dialect.exact_tables
    tables = _sound_tables.get(dialect.name)
    if tables is None:
        tables = _sound_tables.setdefault(dialect.name, sound_tables(dialect.exact_tables, dialect.tables))
    return tables


def form_options(dialect: Dialect, limits: Limits, kind: str, *, fold_names: bool, checked: bool) -> Options:
    """How a dialect wants its templates compiled."""
    tables = tables_of(dialect, kind)
    exact, marked, sound, _ = KINDS[kind]
    return Options(
        exact=exact,
        marked=marked,
        sound=sound,
        traced=kind == "traced",
        method_names=tables.method_names,
        global_names=frozenset(tables.globals),
        constants=dict(dialect.semantics.constants),
        fold_names=fold_names,
        else_without_completed_pass=dialect.semantics.else_without_completed_pass,
        checked=checked,
        max_items=limits.items,
    )


def make_form(
    tree: Tree, source: Source, dialect: Dialect, kind: str, options: Options, helpers: Mapping[str, Any] | None = None
) -> Form:
    """Compile a tree and load the result; `helpers` replace some of those of its kind."""
    compiled = compile_template(tree, source, options)
    filename = f"<chatjinja {source.name}> #{next(_numbers)}".replace("\0", " ")  # compile() refuses NUL
    code = compiled.code(filename)
    namespace = _namespace(compiled, dialect, kind)
    if helpers is not None:
        namespace.update(helpers)
    exec(code, namespace)
    form = Form(namespace[ROOT], compiled, filename, options, tables_of(dialect, kind))
    _show_in_tracebacks(form, source)
    return form


def _namespace(compiled: Compiled, dialect: Dialect, kind: str) -> dict[str, Any]:
    namespace: dict[str, Any] = dict(KINDS[kind].names)
    namespace["__builtins__"] = {}
    tables = tables_of(dialect, kind)
    text = TemplateText if KINDS[kind].sound else str
    for name in compiled.variables:
        builtin = tables.globals.get(name)
        namespace[f"u_{name}"] = Undefined(text(name), True) if builtin is None else BuiltinFunction(name, builtin)
    for name in compiled.builtins:
        namespace[f"b_{name}"] = tables.globals[name]
    for name in compiled.hints:
        namespace[f"h_{name}"] = Undefined(text(name))
    string = template_piece if KINDS[kind].exact else TemplateText
    for index, value in enumerate(compiled.literals):
        namespace[f"k_{index}"] = string(value) if isinstance(value, str) else made_number(value)
    return namespace


def _show_in_tracebacks(form: Form, source: Source) -> None:
    """Let plain Python tracebacks show template lines, as long as the form lives."""

    def text() -> str:
        return source.text.encode("utf-8", "replace").decode("utf-8")

    linecache.cache[form.filename] = (text,)
    weakref.finalize(form, linecache.cache.pop, form.filename, None)
