"""Compiled forms of a template: the Python functions that render it."""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Callable, Mapping
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple

from chatjinja.compiler.codegen import Compiled, compile_template
from chatjinja.compiler.generator import ROOT
from chatjinja.compiler.groups import Item
from chatjinja.compiler.state import Options
from chatjinja.dialects import LlamaDialect
from chatjinja.marking import Part
from chatjinja.runtime.helpers import EXACT, FAST, REFERENCE, SOUND, SOUND_EXACT, SOURCED
from chatjinja.runtime.limits import Limits
from chatjinja.runtime.marked import TemplateText, made_number, template_piece
from chatjinja.runtime.objects import BuiltinFunction
from chatjinja.runtime.sound import sound_tables
from chatjinja.runtime.sourced import Group as PrintedGroup
from chatjinja.runtime.sourced import Groups, sourced_tables
from chatjinja.runtime.tables import Tables
from chatjinja.runtime.undefined import Undefined
from chatjinja.source import Source, Span
from chatjinja.syntax.nodes import Template as Tree

Position = tuple[int | None, int | None, int | None, int | None]
"""As `CodeType.co_positions` gives it."""
_numbers = itertools.count(1)


class Form:
    """One compiled form.

    Attributes:
        root: ``root(rt, context, out)``; fills `out`.
        compiled: what the compiler gave, with the table of positions.
        filename: file name of the code object, unique in the process.
        checked: as in `chatjinja.compiler.state.Options`.
        tables: the built-ins that it was compiled for.
        groups: what is printed together, by marker (sourced form only).
        single_pieces: as in `chatjinja.compiler.codegen.Compiled`.
        positions: where instructions that failed before stand; finding that takes as long as many renders.
    """

    __slots__ = (
        "__weakref__",
        "checked",
        "compiled",
        "filename",
        "groups",
        "positions",
        "root",
        "single_pieces",
        "tables",
    )

    def __init__(
        self,
        root: Callable[..., None],
        compiled: Compiled,
        filename: str,
        options: Options,
        tables: Tables,
        groups: Groups,
    ) -> None:
        self.root = root
        self.compiled = compiled
        self.filename = filename
        self.checked = options.checked
        self.single_pieces = compiled.single_pieces
        self.tables = tables
        self.groups = groups
        self.positions: dict[tuple[CodeType, int], Position] = {}


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
        "sourced": Kind(False, True, True, SOURCED),
        "sound exact": Kind(True, False, True, SOUND_EXACT),
        "traced": Kind(True, False, True, SOUND_EXACT),
    }
)
"""Every kind of form. The marked ones come in two: fast on the caller's data, exact on a copy of it."""
_sound_tables: dict[tuple[str, bool], Tables] = {}
"""By dialect, without and with provenance."""


def tables_of(dialect: LlamaDialect, kind: str) -> Tables:
    """The built-ins of a form of that kind."""
    if kind == "text":
        return dialect.tables
    if not KINDS[kind].sound:
        return dialect.exact_tables
    key = dialect.name, kind == "sourced"
    tables = _sound_tables.get(key)
    if tables is None:
        tables = sound_tables(dialect.exact_tables, dialect.tables)
        if kind == "sourced":
            tables = sourced_tables(tables, dialect.tables)
        tables = _sound_tables.setdefault(key, tables)
    return tables


def form_options(dialect: LlamaDialect, limits: Limits, kind: str, *, fold_names: bool, checked: bool) -> Options:
    """How a dialect wants its templates compiled."""
    tables = tables_of(dialect, kind)
    exact, marked, sound, _ = KINDS[kind]
    return Options(
        exact=exact,
        marked=marked,
        sound=sound,
        traced=kind == "traced",
        sourced=kind == "sourced",
        method_names=tables.method_names,
        global_names=frozenset(tables.globals),
        constants=dict(dialect.semantics.constants),
        fold_names=fold_names,
        else_without_completed_pass=dialect.semantics.else_without_completed_pass,
        checked=checked,
        max_items=limits.items,
    )


def make_form(
    tree: Tree,
    source: Source,
    dialect: LlamaDialect,
    kind: str,
    options: Options,
    helpers: Mapping[str, Any] | None = None,
) -> Form:
    """Compile a tree and load the result; `helpers` replace some of those of its kind."""
    compiled = compile_template(tree, source, options)
    filename = f"<chatjinja {source.name}> #{next(_numbers)}".replace("\0", " ")  # compile() refuses NUL
    code = compiled.code(filename)
    namespace = _namespace(compiled, dialect, kind)
    if helpers is not None:
        namespace.update(helpers)
    exec(code, namespace)
    groups = _add_groups(compiled, namespace)
    form = Form(namespace[ROOT], compiled, filename, options, tables_of(dialect, kind), groups)
    show_in_tracebacks(form, filename, source)
    return form


def _namespace(compiled: Compiled, dialect: LlamaDialect, kind: str) -> dict[str, Any]:
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


def _add_groups(compiled: Compiled, namespace: dict[str, Any]) -> Groups:
    """Make the markers of the groups."""
    groups: dict[int, PrintedGroup] = {}
    spans: dict[Span, Span] = {}
    for number, group in enumerate(compiled.groups):
        marker = namespace[f"w_{number}"] = TemplateText(group.marker_text)
        groups[id(marker)] = PrintedGroup(tuple([_printed(item, spans) for item in group.items]), group.marker)
    return groups


def _printed(item: Item, spans: dict[Span, Span]) -> tuple[Part, ...] | Span:
    """An item of a group as parts, or what prints it. What one thing printed is one part; `spans` keeps one object
    for each span."""
    if item[0].text is None:
        span = Span(item[0].start, item[0].end)
        return spans.setdefault(span, span)
    texts = [
        ("".join([piece.text or "" for piece in same]), spans.setdefault(place, place))
        for place, same in itertools.groupby(item, key=lambda piece: Span(*piece[1:]))
    ]
    return tuple([Part(text, False, None, place) for text, place in texts if text])


def show_in_tracebacks(form: object, filename: str, source: Source) -> None:
    """Let plain Python tracebacks show template lines, as long as `form` lives."""

    def text() -> str:
        return source.text.encode("utf-8", "replace").decode("utf-8")

    linecache.cache[filename] = (text,)
    weakref.finalize(form, linecache.cache.pop, filename, None)
