"""What all code generation shares: names, positions, dispatch, literals.

Every ``expr_KIND`` method turns a template node into a Python expression, and a tag that says what is known of its
value: ``"str"`` (exactly a str; with sound marks any type of string), ``"int"``, ``"bool"``, ``"none"`` or ``"any"``.
An ``"int"`` may have been made natively, so in the sound form it has to pass `BaseGen.kept` before it is stored.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import RT, Generator, Result
from chatjinja.compiler.jinja.names import READ, SET, Names, Summary
from chatjinja.compiler.jinja.state import Frame, Function, Loop, MacroFunction, Options
from chatjinja.errors import TemplateSyntaxError
from chatjinja.source import Source, Span
from chatjinja.syntax.jinja import nodes as n


class BaseGen(Generator):
    """The state of one compilation, and what every kind of node needs."""

    def __init__(self, source: Source, options: Options, summary: Summary) -> None:
        super().__init__(source)
        self.options = options
        self.summary = summary
        self.hints: dict[str, tuple[str, str | None, str]] = {}
        self.printed_literals: list[tuple[str, Span]] = []
        self.globals: set[str] = set()
        self.filters: dict[str, str] = {}
        self.tests: dict[str, str] = {}
        self.fn = Function()
        self.frame = Frame()
        self.resolved: dict[str, str] = {}
        self.unset: set[str] = set()
        self.macros: dict[str, MacroFunction] = {}
        self.uncertain = 0
        self._hint_names: dict[tuple[str, str | None, str], str] = {}
        self._handlers: dict[type[n.Node], Callable[[Any], Result]] = {}
        self._taken: set[str] = set()

    # --- small things ------------------------------------------------------------------------------

    def loc(self, node: n.Node) -> py.Loc:
        return self.sites.loc(node)

    def helper(self, function: str, args: list[ast.expr], node: n.Node) -> ast.expr:
        """Call of a helper that gets the runtime and may fail; `node` reports."""
        return py.call(function, [py.name(RT), *args], self.loc(node))

    def fail(self, message: str, node: n.Node, *, code: str) -> ast.expr:
        return self.helper("fail", [py.const(message), py.const(code)], node)

    def own_global(self, name: str) -> ast.expr:
        """The dialect's own global of that name."""
        self.globals.add(name)
        return py.name(f"g_{name}")

    def undefined(self, kind: str, name: str | None, hint: str = "") -> ast.expr:
        """A fixed Undefined: `kind` tells what it comes from (`chatjinja.runtime.jinja.helpers.undefined_of`)."""
        key = (kind, name, hint)
        known = self._hint_names.get(key)
        if known is None:
            known = self._hint_names[key] = f"h_{len(self._hint_names)}"
            self.hints[known] = key
        return py.name(known)

    def literal(self, text: str) -> ast.expr:
        """A template string as a value."""
        return self.made_constant(text) if self.options.sound else py.const(text)

    def kept(self, result: Result) -> ast.expr:
        """The expression of a value that may be stored: a number must know that the template made it."""
        expr, tag = result
        if tag != "int" or not self.options.sound:
            return expr
        if isinstance(expr, ast.Constant) and isinstance(expr.value, int):
            return self.made_constant(expr.value)
        return py.call("made_number", [expr])

    def invalid(self, message: str, node: n.Node) -> TemplateSyntaxError:
        """What Jinja2's compiler, not its parser, refuses."""
        return TemplateSyntaxError(message, phase="parse", span=Span(node.start, node.end))

    # --- scopes ------------------------------------------------------------------------------------

    def variable(self, name: str) -> str:
        """A new local for a template variable."""
        local = f"v_{name}"
        if local in self._taken:
            local = self.new_local(local)
        self._taken.add(local)
        return local

    def from_context(self, name: str) -> str:
        """Local of the surrounding render or block that holds what the context has."""
        local = self.resolved.get(name)
        if local is None:
            local = self.resolved[name] = self.variable(name)
        return local

    def open_frame(self, names: Names, frame: Frame) -> None:
        """Make `frame`, which has its parameters already, the current one; give its variables their first values."""
        outer = self.frame
        is_home = frame.parent is None
        for name, how in names.first.items():
            if name in frame.names:
                continue
            around = None if is_home else outer.lookup(name)
            stored = name in names.stored
            if around is not None:
                if stored:
                    local = frame.names[name] = self.variable(name)
                    assert isinstance(around, str)  # nothing can set `loop` inside of a loop
                    self.assign(local, py.name(around))
            elif how == SET:
                local = frame.names[name] = self.variable(name)
                self.assign(local, self.variable_missing(name))
            elif stored and not is_home:
                local = frame.names[name] = self.variable(name)
                self.assign(local, py.name(self.from_context(name)))
            else:
                assert how == READ
                frame.names[name] = self.from_context(name)
        frame.set_once = frozenset(name for name, count in names.stored.items() if count == 1)
        self.frame = frame

    def inner_frame(self) -> Frame:
        """A scope inside the current one, still without names."""
        return Frame(self.frame, escape=self.frame.escape)

    def assign(self, local: str, value: ast.expr) -> None:
        """A variable gets a value."""
        self.emit(py.assign(local, value))
        self.fn.facts.forget(local)
        self.fn.changed.append(local)

    def emit(self, stmt: ast.stmt) -> None:
        self.flush()
        self.fn.body.append(stmt)

    # --- output ------------------------------------------------------------------------------------

    def write(self, value: ast.expr, printer: n.Node) -> None:
        """`printer` prints a value; a constant string is a literal."""
        if self.options.sourced:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                if not value.value:
                    return
                self.printed_literals.append((value.value, Span(printer.start, printer.end)))
                value = py.name(f"p_{len(self.printed_literals) - 1}")
            else:
                value = py.call("Printed", [value, py.const(printer.start), py.const(printer.end)])
        self.fn.writes.append(value)

    def flush(self) -> None:
        """Write out what is waiting to be added to the output."""
        fn = self.fn
        if not fn.writes:
            return
        writes = [self.string(write) for write in merge_constants(fn.writes)]
        fn.writes = []
        if len(writes) == 1:
            fn.body.append(py.expr(py.method(py.name(fn.out), "append", [writes[0]])))
        elif writes:
            fn.body.append(py.augment(fn.out, py.tuple_(writes)))

    def string(self, write: ast.expr) -> ast.expr:
        """What is written, a literal as a value."""
        if self.options.sound and isinstance(write, ast.Constant) and isinstance(write.value, str):
            return self.made_constant(write.value)
        return write

    # --- dispatch ----------------------------------------------------------------------------------

    def expr(self, node: n.Expr) -> Result:
        """Python expression for the value of `node`."""
        kind = type(node)
        handler = self._handlers.get(kind)
        if handler is None:
            handler = self._handlers[kind] = getattr(self, f"expr_{kind.__name__}")
        return handler(node)

    def value(self, node: n.Expr) -> ast.expr:
        return self.kept(self.expr(node))

    # --- literals and names ------------------------------------------------------------------------

    def expr_Const(self, node: n.Const) -> Result:
        value = node.value
        if isinstance(value, str):
            return self.literal(value), "str"
        if value is None or isinstance(value, bool):
            return py.const(value), "none" if value is None else "bool"
        if isinstance(value, int):
            return py.const(value), "int"
        return (self.made_constant(value) if self.options.sound else py.const(value)), "any"

    def expr_Name(self, node: n.Name) -> Result:
        local = self.local(node.name, node)
        assert isinstance(local, str)  # whoever uses `loop` in other ways than `access` knows has an object
        if local in self.unset:
            is_set = py.compare(py.name(local), "is not", py.name("MISSING"))
            return py.if_exp(is_set, py.name(local), self.variable_missing(node.name)), "any"
        return py.name(local), "any"

    def local(self, name: str, node: n.Node) -> str | Loop:
        """What holds a name here."""
        local = self.frame.lookup(name)
        if local is None:  # Jinja2 does not look for names in the filters of a set block
            raise self.invalid(f"{name!r} is not known here", node)
        return local


def merge_constants(pieces: list[ast.expr]) -> list[ast.expr]:
    """Pieces with neighbouring string literals joined and empty ones dropped."""
    merged: list[ast.expr] = []
    for piece in pieces:
        if isinstance(piece, ast.Constant) and isinstance(piece.value, str):
            if not piece.value:
                continue
            last = merged[-1] if merged else None
            if isinstance(last, ast.Constant) and isinstance(last.value, str):
                merged[-1] = py.const(last.value + piece.value)
                continue
        merged.append(piece)
    return merged
