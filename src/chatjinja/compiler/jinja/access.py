"""Attributes, items, slices, and the plain fields of ``loop``."""

from __future__ import annotations

import ast

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import BIG_STRING, Result, local_of
from chatjinja.compiler.jinja.base import BaseGen
from chatjinja.compiler.jinja.state import Loop
from chatjinja.syntax.jinja import nodes as n

LOOP_FIELDS = frozenset(
    ("index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem", "depth", "depth0")
)
"""What a loop without an object of its own can tell about itself."""
SIZED_FIELDS = frozenset(("revindex", "revindex0", "last", "length", "nextitem"))
"""Fields that need the number of items."""
CHANGING = frozenset(("current",))
"""Attributes of values that change while a template runs, beside those that the template sets."""


def key_of(node: n.Expr) -> str | None:
    """The attribute, or the key that is a string literal."""
    if isinstance(node, n.Getattr):
        assert isinstance(node.attr, n.Name)
        return node.attr.name
    if isinstance(node, n.Getitem) and isinstance(node.arg, n.Const) and isinstance(node.arg.value, str):
        return node.arg.value
    return None


def integer_of(node: n.Expr | None) -> int | None:
    """The value of an integer literal with or without a sign."""
    if isinstance(node, n.UnaryExpr) and node.op == "-":
        inner = integer_of(node.node)
        return None if inner is None else -inner
    if isinstance(node, n.Const) and type(node.value) is int:
        return node.value
    return None


class AccessGen(BaseGen):
    """Adds everything that takes a part of a value.

    Templates change nothing but namespaces, so what was fetched once is kept in a local (`Facts.paths`) wherever the
    place of the first fetch dominates, unless a name is one that the template sets on some namespace.
    """

    def expr_Getattr(self, node: n.Getattr) -> Result:
        key = key_of(node)
        assert key is not None
        loop = self.loop_of(node.node)
        if loop is not None:
            return self.loop_field(loop, key)
        if key in self.options.dict_names or key.startswith("_"):
            return self.helper("get_attr", [self.value(node.node), self.key(key)], node), "any"
        return self.path(node, node.node, key, "get_attr")

    def key(self, name: str) -> ast.expr:
        """A name as an argument: an error message or a value may show it."""
        return self.literal(name)

    def path(self, node: n.Expr, base_node: n.Expr, key: str, helper: str) -> Result:
        """The value of a key that hides no attribute of a dict."""
        base = self.value(base_node)
        facts = self.fn.facts
        if isinstance(base, ast.Name) and (base.id, key) in facts.paths:
            return py.name(facts.paths[base.id, key]), "any"
        first, again = self.twice(base)
        local = local_of(again)
        slow = self.helper(helper, [again, self.key(key)], node)
        if key in self.summary.assigned and not key.startswith("_"):
            missing = self.undefined("namespace", key)
            fast = py.method(py.attribute(again, "attrs"), "get", [py.const(key), missing])
            if local in facts.namespaces:
                return fast, "any"
            return py.if_exp(self.type_is(first, "Namespace"), fast, slow), "any"
        fast = py.method(again, "get", [py.const(key), self.undefined("dict", key)])
        found = py.if_exp(self.type_is(first, "dict"), fast, slow)
        if local is None or key in CHANGING or key in self.summary.assigned:
            return found, "any"
        temp = self.new_local("t")
        facts.paths[local, key] = temp
        return py.walrus(temp, found), "any"

    def expr_Getitem(self, node: n.Getitem) -> Result:
        arg = node.arg
        assert arg is not None
        if isinstance(arg, n.Slice):
            return self.slice(node, arg)
        key = key_of(node)
        if key is not None:
            loop = self.loop_of(node.node)
            if loop is not None:
                return self.loop_field(loop, key)
            return self.path(node, node.node, key, "get_item")
        index = integer_of(arg)
        if index is not None:
            return self.index(node, index)
        base = self.value(node.node)
        key_value, tag = self.expr(arg)
        if isinstance(base, ast.Name) and isinstance(key_value, ast.Name):
            return self.dynamic_key(node, base, key_value), "any"
        if tag == "int" and isinstance(base, ast.Name):
            return self.dynamic_index(node, base, key_value), "any"
        return self.helper("get_item", [base, self.kept((key_value, tag))], node), "any"

    def dynamic_key(self, node: n.Getitem, base: ast.Name, key: ast.Name) -> ast.expr:
        """``dict[name]``."""
        present = [self.type_is(base, "dict"), self.type_is(key, "str"), py.compare(key, "in", base)]
        slow = self.helper("get_item", [base, key], node)
        return py.if_exp(py.bool_op("and", present), py.subscript(base, key), slow)

    def dynamic_index(self, node: n.Getitem, base: ast.Name, key: ast.expr) -> ast.expr:
        """``list[integer]``. The index is arithmetic on loop fields: evaluating it a second time is harmless."""
        first, again = self.twice(key)
        bounds = py.between(py.const(0), first, py.call("len", [base]))
        slow = self.helper("get_item", [base, self.kept((key, "int"))], node)
        test = py.bool_op("and", [self.type_is(base, "list"), bounds])
        return py.if_exp(test, py.subscript(base, again), slow)

    def index(self, node: n.Getitem, index: int) -> Result:
        base = self.value(node.node)
        if isinstance(base, ast.Constant):
            return self.helper("get_item", [base, self.kept((py.const(index), "int"))], node), "any"
        facts = self.fn.facts
        if isinstance(base, ast.Name) and (base.id, index) in facts.paths:
            return py.name(facts.paths[base.id, index]), "any"
        first, again = self.twice(base)
        enough: ast.expr = again
        if index not in (0, -1):
            needed = index + 1 if index > 0 else -index
            enough = py.compare(py.call("len", [again]), ">=", py.const(needed))
        fast = py.bool_op("and", [self.type_is(first, "list"), enough])
        slow = self.helper("get_item", [again, self.kept((py.const(index), "int"))], node)
        found = py.if_exp(fast, py.subscript(again, py.const(index)), slow)
        local = local_of(again)
        assert local is not None  # the base is no literal
        temp = self.new_local("t")
        facts.paths[local, index] = temp
        return py.walrus(temp, found), "any"

    def slice(self, node: n.Getitem, arg: n.Slice) -> Result:
        base = self.value(node.node)
        start, stop = (None if part is None else self.expr(part) for part in (arg.start_expr, arg.stop))
        literal = all(part is None or isinstance(part[0], ast.Constant) for part in (start, stop))
        if arg.step is None and literal and not isinstance(base, ast.Constant):
            first, again = self.twice(base)
            kind = self.new_local("t")
            is_list = py.compare(py.walrus(kind, py.call("type", [first])), "is", py.name("list"))
            is_str = py.compare(py.name(kind), "is", py.name("str"))
            fits = py.compare(py.call("len", [again]), "<", py.const(BIG_STRING))
            test = py.bool_op("and", [py.bool_op("or", [is_list, is_str]), fits])
            fast = py.slice_(None if start is None else start[0], None if stop is None else stop[0], None)
            bounds = [py.const(None) if part is None else part[0] for part in (start, stop)]
            slow = self.helper("get_slice", [again, *bounds, py.const(None)], node)
            return py.if_exp(test, py.place(py.subscript(again, fast), self.loc(node)), slow), "any"
        values = [py.const(None) if part is None else self.kept(part) for part in (start, stop)]
        values.append(py.const(None) if arg.step is None else self.value(arg.step))
        return self.helper("get_slice", [base, *values], node), "any"

    # --- the loop variable -------------------------------------------------------------------------

    def loop_of(self, node: n.Expr) -> Loop | None:
        """The loop that `node` means, if that has no object."""
        if not isinstance(node, n.Name) or node.name != "loop":
            return None
        found = self.frame.lookup("loop")
        return found if isinstance(found, Loop) else None

    def loop_field(self, loop: Loop, name: str) -> Result:
        """One of `LOOP_FIELDS`."""
        index, length, one = py.name(loop.index), py.name(loop.length), py.const(1)
        next_index = py.bin_op(index, "+", one)
        match name:
            case "index0":
                return index, "int"
            case "index":
                return next_index, "int"
            case "first":
                return py.compare(index, "==", py.const(0)), "bool"
            case "last":
                return py.compare(next_index, "==", length), "bool"
            case "length":
                return length, "int"
            case "revindex":
                return py.bin_op(length, "-", index), "int"
            case "revindex0":
                return py.bin_op(length, "-", next_index), "int"
            case "depth":
                return one, "int"
            case "depth0":
                return py.const(0), "int"
        items = py.name(loop.items)
        if name == "previtem":
            before = py.subscript(items, py.bin_op(index, "-", one))
            return py.if_exp(index, before, self.undefined("hint", None, "there is no previous item")), "any"
        after = py.subscript(items, next_index)
        is_last = py.compare(next_index, "<", length)
        return py.if_exp(is_last, after, self.undefined("hint", None, "there is no next item")), "any"
