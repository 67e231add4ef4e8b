"""What the code generator keeps track of while it writes one Python function."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from chatjinja.compiler.groups import Write
from chatjinja.syntax import nodes as n

PathKey = tuple[str, str | int] | tuple[str, str, str]
"""Local and attribute, local and index, or local, local that holds the index, and ``"[]"``."""


@dataclass(slots=True)
class Facts:
    """What is known at one point of the generated code, because it was computed on every way to it.

    Attributes:
        paths: (local, attribute or index) → local that holds the value found there.
        strings: locals that hold a str.
        getters: local → local that holds its attribute getter.
    """

    paths: dict[PathKey, str] = field(default_factory=dict)
    strings: frozenset[str] = frozenset()
    getters: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Facts:
        return Facts(dict(self.paths), self.strings, dict(self.getters))

    def common(self, other: Facts) -> Facts:
        """What is known where one of two ways was taken."""
        paths = {key: local for key, local in self.paths.items() if other.paths.get(key) == local}
        getters = {local: getter for local, getter in self.getters.items() if other.getters.get(local) == getter}
        return Facts(paths, self.strings & other.strings, getters)

    def forget(self, local: str) -> None:
        """`local` gets another value."""
        self.paths = {key: value for key, value in self.paths.items() if local not in key and local != value}
        self.strings = self.strings - {local}
        self.getters.pop(local, None)


@dataclass(slots=True)
class Loop:
    """The ``for`` statement that code is being written for.

    Attributes:
        index: local that counts passes from 0, if anything needs it.
        length: local with the number of items, if anything needs it.
        items: local with the items.
        materialised: ``loop`` is an object in a local of its own.
        out: name of the list that the body writes to.
        marks: locals that hold the length of `out` at the start of the enclosing blocks of the body.
        signals: calls in the body may raise a macro's break or continue.
        completed: local that tells whether a pass ran to its end, if the ``else`` asks for it.
    """

    index: str
    length: str
    items: str
    materialised: bool
    out: str
    marks: list[str] = field(default_factory=list)
    signals: bool = False
    completed: str | None = None


@dataclass(slots=True)
class FunctionState:
    """One Python function in the making.

    Attributes:
        scope: template name → local.
        body: statements so far.
        out: name of the list that output goes to.
        writes: values to be appended to `out` before the next statement, and what prints them.
        loops: enclosing loops within this function.
        loop: what the name ``loop`` means here, if it is not an ordinary variable.
        depth: Python blocks around this point (CPython allows 20).
        changed: locals assigned so far, in order; lets a branch say what it changed.
        integers: locals that only ever hold an int.
    """

    scope: dict[str, str]
    body: list[ast.stmt] = field(default_factory=list)
    out: str = "out"
    writes: list[Write] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)
    loops: list[Loop] = field(default_factory=list)
    loop: Loop | None = None
    depth: int = 0
    expr_depth: int = 0
    changed: list[str] = field(default_factory=list)
    integers: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Options:
    """How to compile.

    Attributes:
        exact: the exact form (everything in pieces, no fast paths, printing deferred to the end of each body).
        marked: the marked form: fast paths as in the text form, but strings know who wrote them.
        sound: marked soundly: a plain `str` that is cut stays input, and numbers know who made them.
        traced: what is printed says which part of the template printed it (exact form only).
        sourced: the sound form whose output tells what printed it (`chatjinja.compiler.groups`), and whose helpers
            note what a string was made of.
        method_names: names of all built-in methods of the dialect.
        global_names: names of its global functions.
        constants: names with a value of their own.
        fold_names: the context replaces none of the dialect's own names (`constants`, `global_names`).
        else_without_completed_pass: see `chatjinja.semantics.Semantics`.
        checked: check each operand of a printed concatenation at once; otherwise values that print
            differently there are noticed when the output is put together (`Deoptimise`).
        max_items: `Limits.items`.
        watched: the exact form that also tells the helper `use` of each variable that is named.
    """

    exact: bool
    marked: bool
    sound: bool
    traced: bool
    method_names: frozenset[str]
    global_names: frozenset[str]
    constants: dict[str, bool | None]
    fold_names: bool
    else_without_completed_pass: bool
    checked: bool
    max_items: int
    watched: bool = False
    sourced: bool = False


@dataclass(slots=True)
class ReportAs:
    """Nodes whose own failures another node reports (`n.CondExpr` without else runs its parts itself)."""

    by_id: dict[int, n.Node] = field(default_factory=dict)

    def __call__(self, node: n.Node) -> n.Node:
        return self.by_id.get(id(node), node)
