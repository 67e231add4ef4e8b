"""What the code generators of both languages share: locals, literals, the result of a compilation."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType

from chatjinja.compiler import pyast as py
from chatjinja.compiler.sites import Site, SiteTable
from chatjinja.source import Source
from chatjinja.syntax import nodes as n

Result = tuple[ast.expr, str]
"""A Python expression and its tag, which says what is known of its value."""
Literal = str | int | float

ROOT = "root"
"""Name of the generated function: ``root(rt, ctx, out)``."""
RT = "rt"
"""Local that holds the `Runtime` in every generated function."""
CTX = "ctx"
"""Local that holds the context."""
BIG_STRING = 16384
"""`chatjinja.runtime.state.BIG`; a test holds the two together."""
LONG_CHAIN = 25
"""Longer chains of operators, filters, … get a function of their own."""
LONG_ELIF = 30
"""So does an ``if`` with as many branches."""
DEPTH_STEP = 40
"""How deep expressions may nest before it is asked whether they are such a chain."""


@dataclass(frozen=True, slots=True)
class CompiledModule:
    """A template as Python code.

    Attributes:
        tree: the module, kept for ``chatjinja python``.
        sites: Python position → nodes that report a failure there.
        variables: names that get a global ``u_NAME``: what the unset variable reads as.
        literals: template strings and numbers that get a global ``k_INDEX`` (not in the text form).
    """

    tree: ast.Module
    sites: dict[py.Loc, tuple[Site, ...]]
    variables: frozenset[str]
    literals: tuple[Literal, ...]

    def code(self, filename: str) -> CodeType:
        """The code object of the module that defines `ROOT`."""
        return compile(self.tree, filename, "exec", dont_inherit=True, optimize=0)


class Generator:
    """The state of one compilation that does not depend on the language."""

    def __init__(self, source: Source) -> None:
        self.sites = SiteTable(source)
        self.variables: set[str] = set()
        self.literals: list[Literal] = []
        self.counter = 0
        self._literal_numbers: dict[tuple[type, str], int] = {}

    def new_local(self, stem: str) -> str:
        """A name that nothing else has."""
        self.counter += 1
        return f"{stem}_{self.counter}"

    def twice(self, expr: ast.expr) -> tuple[ast.expr, ast.expr]:
        """`expr` for a first use, and a repetition of its value."""
        if isinstance(expr, ast.Constant):
            return expr, expr
        local = local_of(expr)
        if local is not None:
            return expr, py.name(local)
        local = self.new_local("t")
        return py.walrus(local, expr), py.name(local)

    def type_is(self, expr: ast.expr, kind: str) -> ast.expr:
        """Whether a value is exactly of a type."""
        return py.compare(py.call("type", [expr]), "is", py.name(kind))

    def variable_missing(self, name: str) -> ast.expr:
        """What a variable reads as while it is not set: it was loaded with the template."""
        self.variables.add(name)
        return py.name(f"u_{name}")

    def made_constant(self, value: Literal) -> ast.expr:
        """A global that holds a literal as the form wants it."""
        number = self._literal_numbers.setdefault((type(value), repr(value)), len(self.literals))
        if number == len(self.literals):
            self.literals.append(value)
        return py.name(f"k_{number}")


def local_of(expr: ast.expr) -> str | None:
    """The local that holds the value of `expr` once it was evaluated."""
    if isinstance(expr, ast.Name):
        return expr.id
    if isinstance(expr, ast.NamedExpr):
        return expr.target.id
    return None


def is_long_chain(node: n.Expr, inner_of: Callable[[n.Expr], n.Expr | None]) -> bool:
    """True if `node` starts a chain that is too long to nest in Python; `inner_of` gives the operand that a node
    applies something to."""
    length = 0
    at: n.Expr | None = node
    while at is not None and length < LONG_CHAIN:
        at = at.expr2 if isinstance(at, n.CondExpr) else inner_of(at)
        length += 1
    return length >= LONG_CHAIN
