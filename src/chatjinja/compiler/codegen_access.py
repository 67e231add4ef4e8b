"""Attributes, items, slices, and the fields of ``loop``."""

from __future__ import annotations

import ast

from chatjinja.compiler import pyast as py
from chatjinja.compiler.codegen_base import INTEGERS, BaseGen
from chatjinja.compiler.generator import Result, local_of
from chatjinja.compiler.scopes import LOOP_FIELDS
from chatjinja.compiler.state import Loop
from chatjinja.syntax import nodes as n

_NEGATIVE = "Static member property cannot be negative"


def is_simple_slice(arg: n.Slice) -> bool:
    """True for slices of a list that mean the same in Python: literal bounds that are not negative,
    or only a step."""
    parts = (arg.start_expr, arg.stop, arg.step)
    if any(part is not None and not (isinstance(part, n.Const) and type(part.value) is int) for part in parts):
        return False
    start, stop, step = (part.value if isinstance(part, n.Const) else None for part in parts)
    if step is not None:
        return step in (1, -1) and start is None and stop is None
    return all(bound is None or (isinstance(bound, int) and bound >= 0) for bound in (start, stop))


class AccessGen(BaseGen):
    """Adds everything that takes a part of a value.

    Data of the context never changes while a template is rendered, so what was fetched once is kept in a
    local (`Facts.paths`) wherever the place of the first fetch dominates.
    """

    # --- access ------------------------------------------------------------------------------------

    def expr_Getattr(self, node: n.Getattr) -> Result:
        return self.getattr_(node, None)

    def getattr_(self, node: n.Getattr, missing: ast.expr | None) -> Result:
        """``node.attr``; `missing` takes the place of Undefined: text where it is printed, what the unset
        variable reads as (a name) where it is stored."""
        attr = node.attr
        if isinstance(attr, n.Const) and type(attr.value) is int:
            if attr.value < 0:
                base = self.value(node.node)
                return py.subscript(py.tuple_([base, self.fail(_NEGATIVE, node)]), py.const(1)), "any"
            return self.index(node, attr.value)
        if not isinstance(attr, n.Name):
            failure = self.fail("Static member property must be an identifier", node)
            return py.subscript(py.tuple_([self.value(node.node), failure]), py.const(1)), "any"
        loop = self.loop_meant_by(node.node)
        if loop is not None:
            return self.loop_field(loop, attr.name)
        if attr.name in self.options.method_names or self.options.exact:
            return self.helper("get_attr", [self.value(node.node), py.const(attr.name)], node), "any"
        return self.path(node, attr.name, missing)

    def path(self, node: n.Getattr | n.Getitem, key: str, missing: ast.expr | None) -> Result:
        """Value of a key that is no built-in's name."""
        base = self.value(node.node)
        local = local_of(base)
        facts = self.fn.facts
        cached = None if local is None else facts.paths.get((local, key))
        if cached is not None and isinstance(base, ast.Name):
            return py.name(cached), "str" if cached in facts.strings else "any"
        changes = key in self.usage.set_attributes
        default = self.hint(key) if missing is None else missing
        if isinstance(base, ast.Name) and base.id in facts.getters:
            found: ast.expr = py.call(facts.getters[base.id], [py.const(key), default], self.loc(node))
        else:
            first, again = self.twice(base)
            local = local_of(again)
            fast = py.method(again, "get", [py.const(key), default])
            slow = self.helper("get_attr", [again, py.const(key)], node)
            if isinstance(missing, ast.Name):
                slow = py.call("as_variable", [slow, missing])
            kind = "Object" if self.holds_object(node.node) else "dict"
            found = py.if_exp(self.type_is(first, kind), fast, slow)
        if missing is not None or changes:
            return found, "any"
        temp = self.new_local("t")
        if local is not None:
            facts.paths[local, key] = temp
        return py.walrus(temp, found), "any"

    def holds_object(self, node: n.Expr) -> bool:
        """A guess whether `node` is an Object rather than a dict of the context."""
        return isinstance(node, n.Name) and node.name in self.usage.objects

    def expr_Getitem(self, node: n.Getitem) -> Result:
        return self.getitem(node, None)

    def getitem(self, node: n.Getitem, missing: ast.expr | None) -> Result:
        arg = node.arg
        if isinstance(arg, n.Slice):
            return self.slice(node, arg)
        if arg is None:
            return self.helper("get_item", [self.value(node.node), py.name("UNDEFINED")], node), "any"
        if isinstance(arg, n.Const) and not self.options.exact:
            if type(arg.value) is int:
                return self.index(node, arg.value)
            if isinstance(arg.value, str):
                loop = self.loop_meant_by(node.node)
                if loop is not None:
                    return self.loop_field(loop, arg.value)
                if arg.value not in self.options.method_names:
                    return self.path(node, arg.value, missing)
        base = self.value(node.node)
        key, tag = self.expr(arg)
        literal = self.key_literal(arg)
        if literal is not None:
            key = literal
        if self.options.exact or isinstance(base, ast.Constant):
            return self.helper("get_item", [base, key], node), "any"
        if tag in INTEGERS:
            return self.dynamic_index(node, base, key)
        if isinstance(base, ast.Name) and isinstance(key, ast.Name):
            return self.dynamic_key(node, base, key)
        return self.helper("get_item", [base, key], node), "any"

    def dynamic_key(self, node: n.Getitem, base: ast.Name, key: ast.Name) -> Result:
        """``dict[name]``."""
        place = base.id, key.id, "[]"
        facts = self.fn.facts
        if place in facts.paths:
            return py.name(facts.paths[place]), "any"
        present = [self.type_is(base, "dict"), self.type_is(key, "str"), py.compare(key, "in", base)]
        slow = self.helper("get_item", [base, key], node)
        found = py.if_exp(py.bool_op("and", present), py.subscript(base, key), slow)
        if self.lists_change or self.usage.set_attributes:
            return found, "any"
        temp = self.new_local("t")
        facts.paths[place] = temp
        return py.walrus(temp, found), "any"

    def dynamic_index(self, node: n.Getitem, base: ast.expr, key: ast.expr) -> Result:
        """``list[integer]``."""
        facts = self.fn.facts
        place = None
        if isinstance(base, ast.Name) and isinstance(key, ast.Name) and not self.lists_change:
            place = base.id, key.id, "[]"
            if place in facts.paths:
                return py.name(facts.paths[place]), "any"
        first, again = self.twice(base)
        index_first, index_again = self.twice(key)
        # The index is arithmetic on loop fields: evaluating it a second time is harmless.
        slow = self.helper("get_item", [again, key], node)
        bounds = py.between(py.const(0), index_first, py.call("len", [again]))
        test = py.bool_op("and", [self.type_is(first, "list"), bounds])
        found = py.if_exp(test, py.subscript(again, index_again), slow)
        if place is None:
            return found, "any"
        temp = self.new_local("t")
        facts.paths[place] = temp
        return py.walrus(temp, found), "any"

    def index(self, node: n.Getattr | n.Getitem, index: int) -> Result:
        base = self.value(node.node)
        slow_index: ast.expr = py.const(index)
        if self.options.exact or isinstance(base, ast.Constant):
            return self.helper("get_item", [base, slow_index], node), "any"
        facts = self.fn.facts
        if isinstance(base, ast.Name) and (base.id, index) in facts.paths:
            cached = facts.paths[base.id, index]
            return py.name(cached), "str" if cached in facts.strings else "any"
        first, again = self.twice(base)
        enough: ast.expr = again
        if index not in (0, -1):
            needed = index + 1 if index > 0 else -index
            enough = py.compare(py.call("len", [again]), ">=", py.const(needed))
        fast = py.bool_op("and", [self.type_is(first, "list"), enough])
        slow = self.helper("get_item", [again, slow_index], node)
        found = py.if_exp(fast, py.subscript(again, py.const(index)), slow)
        local = local_of(again)
        if local is None or self.lists_change:
            return found, "any"
        temp = self.new_local("t")
        facts.paths[local, index] = temp
        return py.walrus(temp, found), "any"

    def slice(self, node: n.Getitem, arg: n.Slice) -> Result:
        parts = (arg.start_expr, arg.stop, arg.step)
        base = self.value(node.node)
        if is_simple_slice(arg) and not self.options.exact and not isinstance(base, ast.Constant):
            first, again = self.twice(base)
            bounds = [None if part is None else self.expr(part)[0] for part in parts]
            slow = self.helper("get_slice", [again, *(b or py.name("MISSING") for b in bounds)], node)
            fast = py.subscript(again, py.slice_(*bounds))
            return py.if_exp(self.type_is(first, "list"), fast, slow), "any"
        if arg.step is None or self.is_pure(arg.step):
            values = [py.name("MISSING") if part is None else self.value(part) for part in parts]
            return self.helper("get_slice", [base, *values], node), "any"
        # The reference evaluates the step before start and stop.
        first, again = self.twice(base)
        step_first, step_again = self.twice(self.value(arg.step))
        bounds_ = [py.name("MISSING") if part is None else self.value(part) for part in parts[:2]]
        sliced = self.helper("get_slice", [again, *bounds_, step_again], node)
        return py.subscript(py.tuple_([first, step_first, sliced]), py.const(2)), "any"

    # --- the loop variable -------------------------------------------------------------------------

    def loop_field(self, loop: Loop, field: str) -> Result:
        if field not in LOOP_FIELDS:
            return self.hint(field), "any"
        index, length = py.name(loop.index), py.name(loop.length)
        one = py.const(1)
        if field == "index0":
            return index, "int"
        if field == "index":
            return py.bin_op(index, "+", one), "int"
        if field == "length":
            return length, "int"
        if field == "first":
            return py.compare(index, "==", py.const(0)), "bool"
        next_index = py.bin_op(index, "+", one)
        if field == "last":
            return py.compare(next_index, "==", length), "bool"
        if field == "revindex":
            return py.bin_op(length, "-", index), "int"
        if field == "revindex0":
            return py.bin_op(length, "-", next_index), "int"
        items = py.name(loop.items)
        if field == "previtem":
            item = py.subscript(items, py.bin_op(index, "-", one))
            return self.item_or_hint(index, item, field)
        return self.item_or_hint(py.compare(next_index, "<", length), py.subscript(items, next_index), field)

    def item_or_hint(self, test: ast.expr, item: ast.expr, field: str) -> Result:
        found = self.new_local("t")
        defined = py.compare(py.call("type", [py.walrus(found, item)]), "is not", py.name("Undefined"))
        both = py.bool_op("and", [test, defined])
        return py.if_exp(both, py.name(found), self.hint(field)), "any"
