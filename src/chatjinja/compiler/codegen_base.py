"""What all code generation shares: names, positions, dispatch, literals.

Every ``expr_KIND`` method turns a template node into a Python expression, and a tag that says what is known
of its value:

- ``"str"``: exactly a str; ``"string"`` (marked form): any type of string;
- ``"int"``: a small int; ``"int+"``: a sum of two; ``"integer"``: an int of any size;
- ``"bool"``, ``"none"``, ``"undefined"``, ``"object"`` (an Object that the template made);
- ``"defined"``: anything but Undefined; ``"any"``.

Fast paths stand behind a check of the exact type; where it fails, a helper does the general case. In the
exact form there are no fast paths, and tags are only used to tell what may be Undefined.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import DEPTH_STEP, LONG_CHAIN, RT, Generator, Result, is_long_chain
from chatjinja.compiler.groups import Group
from chatjinja.compiler.scopes import Usage
from chatjinja.compiler.state import FunctionState, Loop, Options, ReportAs
from chatjinja.source import Source
from chatjinja.syntax import nodes as n

SMALL = frozenset(("int", "int+"))
INTEGERS = frozenset(("int", "int+", "integer"))
SIMPLE = frozenset(("int", "int+", "integer", "str", "string"))
SMALL_INT = 1 << 31
SMALL_NUMBERS = 1024
"""`chatjinja.runtime.marked.SMALL`; a test holds the two together."""


def left_child(node: n.Node) -> n.Expr | None:
    """The operand that a node applies something to: what long chains are nested along."""
    if isinstance(node, n.BinExpr):
        return node.left
    if isinstance(node, (n.Filter, n.Test, n.Getattr, n.Getitem, n.Call)):
        return node.node
    return None


def is_plain_key(key: str) -> bool:
    """True if `key` can be part of a Python identifier after a prefix."""
    return ("h_" + key).isidentifier() and key.isascii()


class BaseGen(Generator, ABC):
    """The state of one compilation, and what every kind of node needs."""

    def __init__(self, source: Source, usage: Usage, options: Options) -> None:
        super().__init__(source)
        self.usage = usage
        self.options = options
        self.report = ReportAs()
        self.builtins: set[str] = set()
        self.hints: set[str] = set()
        self.groups: list[Group] = []
        self.functions: list[ast.stmt] = []
        self.fn = FunctionState({})
        self.lists_change = not {"append", "pop"}.isdisjoint(usage.mentions)
        self._handlers: dict[type[n.Node], Callable[[Any], Result]] = {}

    # --- small things ------------------------------------------------------------------------------

    def loc(self, node: n.Node, *others: n.Node) -> py.Loc:
        return self.sites.loc(self.report(node), *others)

    def helper(self, function: str, args: list[ast.expr], node: n.Node, *others: n.Node) -> ast.expr:
        """Call of a helper that gets the runtime and may fail; `node` reports."""
        return py.call(function, [py.name(RT), *args], self.loc(node, *others))

    def fail(self, message: str, node: n.Node) -> ast.expr:
        return self.helper("fail", [py.const(message)], node)

    def hint(self, name: str) -> ast.expr:
        """Undefined with a hint."""
        if not is_plain_key(name):
            return py.call("Undefined", [py.const(name)])
        self.hints.add(name)
        return py.name(f"h_{name}")

    def literal(self, text: str) -> ast.expr:
        """A template string as a value."""
        if not (self.options.exact or self.options.marked):
            return py.const(text)
        return self.made_constant(text)

    def key_literal(self, node: n.Expr) -> ast.expr | None:
        """A string literal where it is only compared or looked up; None if `node` is something else."""
        if isinstance(node, n.Const) and isinstance(node.value, str) and not self.options.exact:
            return py.const(node.value)
        return None

    def kept(self, result: Result) -> ast.expr:
        """The expression of a value that may be stored: a number must know that the template made it."""
        expr, tag = result
        if tag not in INTEGERS or not (self.options.sound or self.options.exact):
            return expr
        if isinstance(expr, ast.Constant) and isinstance(expr.value, int) and not self.options.exact:
            return self.made_constant(expr.value)
        return py.call("made_number", [expr])

    @property
    def string_tag(self) -> str:
        """Tag of what is a string for sure."""
        return "any" if self.options.exact else "string" if self.options.marked else "str"

    def is_pure(self, node: n.Expr | None) -> bool:
        """True if evaluating `node` can neither fail nor change anything, so its order does not matter."""
        while isinstance(node, n.Getattr) and isinstance(node.attr, n.Name):
            if self.usage.functions_as_values:
                return False
            node = node.node
        return node is None or isinstance(node, (n.Name, n.Const))

    # --- dispatch ----------------------------------------------------------------------------------

    def expr(self, node: n.Expr) -> Result:
        """Python expression for the value of `node`."""
        fn = self.fn
        fn.expr_depth += 1
        try:
            if fn.expr_depth % DEPTH_STEP == 0 and self.is_long(node):
                return self.outlined(node), "any"
            return self.handler(type(node))(node)
        finally:
            fn.expr_depth -= 1

    def handler(self, kind: type[n.Node]) -> Callable[[Any], Result]:
        """The method ``expr_KIND``."""
        found = self._handlers.get(kind)
        if found is None:
            found = self._handlers[kind] = getattr(self, f"expr_{kind.__name__}")
        return found

    def value(self, node: n.Expr) -> ast.expr:
        return self.kept(self.expr(node))

    def is_long(self, node: n.Expr) -> bool:
        """True if `node` starts a chain that is too long to nest in Python."""
        return is_long_chain(node, left_child)

    @abstractmethod
    def outlined(self, node: n.Expr) -> ast.expr:
        """A chain that is too long to nest, as a call of a function of its own."""

    # --- literals and names ------------------------------------------------------------------------

    def expr_Const(self, node: n.Const) -> Result:
        value = node.value
        if isinstance(value, str):
            return self.literal(value), self.string_tag
        if self.options.exact and not (isinstance(value, int) and -5 <= value <= 256):
            return py.call("fresh", [py.const(value)]), "defined"  # Python shares equal constants
        if isinstance(value, int) and -SMALL_INT < value < SMALL_INT:
            return py.const(value), "int"
        return (self.made_constant(value), "defined") if self.options.sound else (py.const(value), "any")

    def constant_value(self, node: n.Expr) -> tuple[bool, Any]:
        """(True, value) if `node` is a literal or one of the constants that nothing replaces."""
        if isinstance(node, n.Const):
            return True, node.value
        if isinstance(node, n.Name) and self.is_own_constant(node.name):
            return True, self.options.constants[node.name]
        return False, None

    def expr_Name(self, node: n.Name) -> Result:
        known, value = self.constant_value(node)
        if known:
            return py.const(value), "none" if value is None else "bool"
        if self.is_own_global(node.name):
            return self.variable_missing(node.name), "any"
        local = self.fn.scope[node.name]
        if self.options.watched:
            return py.call("use", [py.name(RT), py.name(local)]), "any"
        if local in self.fn.integers:
            return py.name(local), "integer"
        return py.name(local), "str" if local in self.fn.facts.strings else "any"

    def is_own_constant(self, name: str) -> bool:
        """True if `name` can only mean the dialect's constant."""
        return self.options.fold_names and name in self.options.constants and name not in self.usage.assigned

    def is_own_global(self, name: str) -> bool:
        """True if `name` can only mean the dialect's global function."""
        return self.options.fold_names and name in self.options.global_names and name not in self.usage.assigned

    def expr_List(self, node: n.List) -> Result:
        return py.call("Array", [py.tuple_([self.value(item) for item in node.items])]), "any"

    def expr_Tuple(self, node: n.Tuple) -> Result:
        return py.call("Tuple", [py.tuple_([self.value(item) for item in node.items])]), "any"

    def expr_Dict(self, node: n.Dict) -> Result:
        if all(isinstance(key, n.Const) for key in node.keys):
            keys = [self.value(key) for key in node.keys]
            values = [self.value(value) for value in node.values]
            return py.call("new_object", [py.dict_(keys, values)]), "object"
        if len(node.keys) < LONG_CHAIN:
            made: ast.expr = py.call("Object", [])
            for key, value in zip(node.keys, node.values, strict=True):
                made = self.helper("with_item", [made, self.value(key), self.value(value)], node)
            return made, "any"
        pairs = [self.value(part) for pair in zip(node.keys, node.values, strict=True) for part in pair]
        return self.helper("object_of", [py.tuple_(pairs)], node), "any"

    def expr_Keyword(self, node: n.Keyword) -> Result:
        if not isinstance(node.key, n.Name):
            return self.fail("Keyword argument key must be identifiers", node), "any"
        return py.call("KwArg", [py.const(node.key.name), self.value(node.value)]), "any"

    def expr_Spread(self, node: n.Spread) -> Result:
        return self.fail("cannot exec SpreadExpression", node), "any"

    def loop_meant_by(self, node: n.Expr) -> Loop | None:
        """The enclosing loop if `node` is its ``loop`` variable and that was never made an object."""
        loop = self.fn.loop
        if loop is not None and not loop.materialised and isinstance(node, n.Name) and node.name == "loop":
            return loop
        return None
