"""Compiled forms of a template of Jinja2's language."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from chatjinja.compiler.generator import ROOT
from chatjinja.compiler.jinja.codegen import Compiled, compile_template
from chatjinja.compiler.jinja.state import Options
from chatjinja.dialects import JinjaDialect
from chatjinja.environment.forms import Position, show_in_tracebacks
from chatjinja.runtime.jinja.helpers import SOUND, SOURCED, TEXT, fixed_undefined
from chatjinja.runtime.jinja.sources import printed_literal
from chatjinja.runtime.jinja.tables import JinjaTables
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.marked import TemplateText, made_number
from chatjinja.source import Source
from chatjinja.syntax.nodes import Template as Tree

_numbers = itertools.count(1)


class JinjaForm:
    """One compiled form.

    Attributes:
        root: ``root(rt, context, out)``; fills `out`.
        compiled: what the compiler gave, with the table of positions.
        filename: file name of the code object, unique in the process.
        positions: as in `chatjinja.environment.forms.Form`.
        tables: the built-ins that it was compiled for.
    """

    __slots__ = ("__weakref__", "compiled", "filename", "positions", "root", "tables")

    def __init__(self, root: Callable[..., None], compiled: Compiled, filename: str, tables: JinjaTables) -> None:
        self.root = root
        self.compiled = compiled
        self.filename = filename
        self.positions: dict[tuple[CodeType, int], Position] = {}
        self.tables = tables


def make_form(
    tree: Tree, source: Source, dialect: JinjaDialect, *, sound: bool, sourced: bool, eager: bool
) -> JinjaForm:
    """Compile a tree and load the result; for the flags see `chatjinja.compiler.jinja.state.Options`."""
    tables = dialect.sound_tables if sound else dialect.tables
    options = Options(
        sound=sound,
        sourced=sourced,
        eager=eager,
        filters=tables.filters,
        tests=tables.tests,
        globals=tables.globals,
        dict_names=frozenset((*tables.members(dict).methods, *tables.members(dict).refused)),
    )
    compiled = compile_template(tree, source, options)
    filename = f"<chatjinja {source.name}> #j{next(_numbers)}".replace("\0", " ")  # compile() refuses NUL
    namespace = _namespace(compiled, tables, SOURCED if sourced else SOUND if sound else TEXT)
    exec(compiled.code(filename), namespace)
    form = JinjaForm(namespace[ROOT], compiled, filename, tables)
    show_in_tracebacks(form, filename, source)
    return form


def _namespace(compiled: Compiled, tables: JinjaTables, names: Mapping[str, Any]) -> dict[str, Any]:
    namespace: dict[str, Any] = dict(names)
    namespace["__builtins__"] = {}
    namespace.update((f"u_{name}", Undefined(name=name)) for name in compiled.variables)
    namespace.update((f"g_{name}", tables.globals[name]) for name in compiled.globals)
    namespace.update((local, fixed_undefined(*says)) for local, says in compiled.hints.items())
    namespace.update((function, tables.filters[name]) for function, name in compiled.filters.items())
    namespace.update((function, tables.tests[name]) for function, name in compiled.tests.items())
    for index, value in enumerate(compiled.literals):
        namespace[f"k_{index}"] = TemplateText(value) if isinstance(value, str) else made_number(value)
    for index, (text, span) in enumerate(compiled.printed_literals):
        namespace[f"p_{index}"] = printed_literal(text, span)
    return namespace
