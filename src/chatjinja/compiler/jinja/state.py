"""What the code generator keeps track of while it writes Python for a template of Jinja2's language."""

from __future__ import annotations

import ast
from collections.abc import Container
from dataclasses import dataclass, field

from chatjinja.compiler.state import PathKey


@dataclass(frozen=True, slots=True)
class Options:
    """How to compile.

    Attributes:
        sound: strings and numbers know who made them.
        sourced: as `sound`, and what is printed knows what printed it.
        eager: print each value where it stands and give every loop an object that watches it. Otherwise values are
            printed when the output is put together, and the code raises `Deoptimise` where that would show.
        filters, tests, globals: names that exist.
        dict_names: attributes that every dict has: with a dot they hide keys.
    """

    sound: bool
    sourced: bool
    eager: bool
    filters: Container[str]
    tests: Container[str]
    globals: Container[str]
    dict_names: Container[str]


@dataclass(slots=True)
class Facts:
    """What is known at one point of the generated code, because it was computed on every way to it.

    Attributes:
        paths: (local, attribute or index) → local that holds the value found there.
        namespaces: locals that hold a namespace.
    """

    paths: dict[PathKey, str] = field(default_factory=dict)
    namespaces: frozenset[str] = frozenset()

    def copy(self) -> Facts:
        return Facts(dict(self.paths), self.namespaces)

    def common(self, other: Facts) -> Facts:
        """What is known where one of two ways was taken."""
        paths = {key: local for key, local in self.paths.items() if other.paths.get(key) == local}
        return Facts(paths, self.namespaces & other.namespaces)

    def forget(self, local: str) -> None:
        """`local` gets another value."""
        self.paths = {key: value for key, value in self.paths.items() if local not in key and local != value}
        self.namespaces = self.namespaces - {local}


@dataclass(frozen=True, slots=True)
class MacroFunction:
    """A macro that a variable holds for sure.

    Attributes:
        function: name of its Python function.
        parameters: how many it has.
    """

    function: str
    parameters: int


@dataclass(slots=True)
class Loop:
    """A ``for`` whose body uses nothing of ``loop`` but its plain fields, which are computed in place.

    Attributes:
        index: local that counts the passes from 0.
        length: local that holds the number of items; empty if nobody asks.
        items: local that holds the items.
    """

    index: str
    length: str
    items: str


@dataclass(slots=True)
class Frame:
    """One scope of the template: see `chatjinja.compiler.jinja.names`.

    Attributes:
        parent: the scope around it.
        names: name → local that holds it here.
        toplevel: what is set here is seen by blocks.
        set_once: names that one statement of the scope sets, and no other.
        escape: output is escaped (True), or not (False), or only the render knows (None).
    """

    parent: Frame | None = None
    names: dict[str, str | Loop] = field(default_factory=dict)
    toplevel: bool = False
    set_once: frozenset[str] = frozenset()
    escape: bool | None = False

    def lookup(self, name: str) -> str | Loop | None:
        """What holds `name` here; None if no scope knows it."""
        frame: Frame | None = self
        while frame is not None:
            found = frame.names.get(name)
            if found is not None:
                return found
            frame = frame.parent
        return None


@dataclass(slots=True)
class Function:
    """One Python function in the making.

    Attributes:
        body: statements so far.
        out: local that holds the list that output goes to.
        writes: values to be added to `out` before the next statement.
        changed: locals assigned so far, in order; lets a branch say what it changed.
        facts: what is known where the next statement will stand.
    """

    out: str = "out"
    body: list[ast.stmt] = field(default_factory=list)
    writes: list[ast.expr] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)
    changed: list[str] = field(default_factory=list)
