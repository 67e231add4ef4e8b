"""Operators, conditions and what is put together of several values."""

from __future__ import annotations

import ast
import operator

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import BIG_STRING, Result
from chatjinja.compiler.jinja.access import AccessGen
from chatjinja.compiler.jinja.base import merge_constants
from chatjinja.compiler.jinja.names import is_constant
from chatjinja.compiler.jinja.state import Facts
from chatjinja.syntax.jinja import nodes as n

_ARITHMETIC = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "modulo",
    "**": "power",
}
_FOLD = {"+": operator.add, "-": operator.sub, "%": operator.mod, "//": operator.floordiv}
_ORDER = frozenset(("<", "<=", ">", ">="))
_SCALARS = frozenset(("str", "int", "bool", "none"))
"""Tags of what is compared at once, whatever stands beside it."""

Condition = tuple[ast.expr, Facts, Facts]
"""An expression whose truth counts, and what is known where it is true and where it is false."""


class OperatorGen(AccessGen):
    """Adds everything with operands."""

    # --- arithmetic --------------------------------------------------------------------------------

    def expr_BinExpr(self, node: n.BinExpr) -> Result:
        if node.op in ("and", "or"):
            return self.logic(node)
        left, right = self.expr(node.left), self.expr(node.right)
        if node.op == "+" and "str" in (left[1], right[1]) and not self.options.eager:
            return self.concatenation(self.sum_pieces(node, left, right), node)
        if left[1] == right[1] == "int" and self.is_small_result(node.op, right[0]):
            return self.small_arithmetic(node.op, left[0], right[0]), "int"
        return self.helper(_ARITHMETIC[node.op], [self.kept(left), self.kept(right)], node), "any"

    def is_small_result(self, op: str, right: ast.expr) -> bool:
        """Whether ``op`` of two small ints can neither fail nor grow without end."""
        if op in ("+", "-"):
            return True
        return (
            op in ("%", "//") and isinstance(right, ast.Constant) and isinstance(right.value, int) and right.value > 0
        )

    def small_arithmetic(self, op: str, left: ast.expr, right: ast.expr) -> ast.expr:
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            return py.const(_FOLD[op](left.value, right.value))
        return py.bin_op(left, op, right)

    def expr_UnaryExpr(self, node: n.UnaryExpr) -> Result:
        if node.op == "not":
            return self.condition(node)[0], "bool"
        operand, tag = self.expr(node.node)
        if tag == "int" and isinstance(operand, ast.Constant) and isinstance(operand.value, int):
            return py.const(-operand.value if node.op == "-" else operand.value), "int"
        return self.helper("negate" if node.op == "-" else "plus", [self.kept((operand, tag))], node), "any"

    # --- comparison --------------------------------------------------------------------------------

    def expr_Compare(self, node: n.Compare) -> Result:
        if len(node.ops) == 1:
            return self.comparison(node, node.ops[0], node.expr, node.operands[0])
        operands = [self.weighed(self.value(node.expr), node)]
        facts = self.fn.facts
        for position, operand in enumerate(node.operands):
            if position == 1:  # what follows is evaluated only if all before was true
                self.fn.facts = facts.copy()
            operands.append(self.weighed(self.value(operand), node))
        self.fn.facts = facts
        if not self.options.sound:
            return py.place(py.compare_all(operands[0], node.ops, operands[1:]), self.loc(node)), "bool"
        steps: list[ast.expr] = []
        left = operands[0]
        for op, right in zip(node.ops, operands[1:], strict=True):
            first, again = self.twice(right)
            steps.append(self.helper("compare", [py.const(op), left, first], node))
            left = again
        return py.bool_op("and", steps), "bool"

    def comparison(self, node: n.Compare, op: str, left_node: n.Expr, right_node: n.Expr) -> Result:
        if op in ("in", "not in"):
            return self.membership(node, op, left_node, right_node), "bool"
        left, left_tag = self.bare(left_node)
        right, right_tag = self.bare(right_node)
        if op in _ORDER and not left_tag == right_tag == "int":
            if self.options.sound:
                return self.helper("compare", [py.const(op), left, right], node), "bool"
            return py.place(py.compare(self.weighed(left, node), op, right), self.loc(node)), "bool"
        if "none" in (left_tag, right_tag):
            return py.compare(left, {"==": "is", "!=": "is not"}[op], right), "bool"
        if _SCALARS.isdisjoint((left_tag, right_tag)):
            left = self.weighed(left, node)
        return py.place(py.compare_all(left, [op], [right]), self.loc(node)), "bool"

    def weighed(self, expr: ast.expr, node: n.Expr) -> ast.expr:
        """An operand that can be a container: what hangs on it is counted before it is compared."""
        if isinstance(expr, ast.Constant):
            return expr
        first, again = self.twice(expr)
        return py.if_exp(self.type_is(first, "str"), again, self.helper("weighed", [again], node))

    def bare(self, node: n.Expr) -> Result:
        """An operand that is only looked at: a literal needs not know who made it."""
        if isinstance(node, n.Const) and isinstance(node.value, str):
            return py.const(node.value), "str"
        return self.expr(node)

    def membership(self, node: n.Compare, op: str, left_node: n.Expr, right_node: n.Expr) -> ast.expr:
        left, left_tag = self.bare(left_node)
        if isinstance(right_node, (n.List, n.Tuple)) and all(
            isinstance(item, n.Const) and isinstance(item.value, str) for item in right_node.items
        ):
            items = py.tuple_([self.bare(item)[0] for item in right_node.items])
            return py.place(py.compare_all(left, [op], [items]), self.loc(node))
        right, _ = self.bare(right_node)
        if isinstance(left, ast.Constant) and left_tag == "str" and not isinstance(right, ast.Constant):
            first, again = self.twice(right)
            kind = self.new_local("t")
            is_dict = py.compare(py.walrus(kind, py.call("type", [first])), "is", py.name("dict"))
            is_str = py.compare(py.name(kind), "is", py.name("str"))
            fits = py.compare(py.call("len", [again]), "<", py.const(BIG_STRING))
            likely = py.bool_op("or", [is_dict, py.bool_op("and", [is_str, fits])])
            slow = self.helper("contains", [left, again], node)
            return py.if_exp(likely, py.compare(left, op, again), slow if op == "in" else py.not_(slow))
        found = self.helper("contains", [self.kept((left, left_tag)), right], node)
        return found if op == "in" else py.not_(found)

    # --- and, or, not ------------------------------------------------------------------------------

    def operands_of(self, node: n.BinExpr) -> list[n.Expr]:
        """The operands of ``a and b and c``, which nest on the left."""
        operands: list[n.Expr] = []
        at: n.Expr = node
        while isinstance(at, n.BinExpr) and at.op == node.op:
            operands.append(at.right)
            at = at.left
        operands.append(at)
        return operands[::-1]

    def logic(self, node: n.BinExpr) -> Result:
        """``and`` and ``or`` where their value counts."""
        first, *others = self.operands_of(node)
        values = [self.expr(first)]
        facts = self.fn.facts
        self.fn.facts = facts.copy()
        values += [self.expr(other) for other in others]
        self.fn.facts = facts
        tags = {tag for _, tag in values}
        return py.bool_op(node.op, [self.kept(value) for value in values]), "bool" if tags == {"bool"} else "any"

    def condition(self, node: n.Expr) -> Condition:
        """An expression where only its truth counts."""
        fn = self.fn
        if isinstance(node, n.UnaryExpr) and node.op == "not":
            expr, if_true, if_false = self.condition(node.node)
            return py.not_(expr), if_false, if_true
        if isinstance(node, n.BinExpr) and node.op in ("and", "or"):
            first, *others = self.operands_of(node)
            expr, if_true, if_false = self.condition(first)
            after = fn.facts
            exprs = [expr]
            for other in others:
                fn.facts = if_true.copy() if node.op == "and" else if_false.copy()
                expr, then_true, then_false = self.condition(other)
                exprs.append(expr)
                if node.op == "and":
                    if_true, if_false = then_true, if_false.common(then_false)
                else:
                    if_true, if_false = if_true.common(then_true), then_false
            fn.facts = after
            return py.bool_op(node.op, exprs), if_true, if_false
        if isinstance(node, n.Test):
            return self.expr(node)[0], fn.facts.copy(), fn.facts.copy()
        return self.bare(node)[0], fn.facts.copy(), fn.facts.copy()

    def expr_CondExpr(self, node: n.CondExpr) -> Result:
        test, if_true, if_false = self.condition(node.test)
        after = self.fn.facts
        self.fn.facts = if_true
        body = self.expr(node.expr1)
        self.fn.facts = if_false
        orelse = (self.no_else(node), "any") if node.expr2 is None else self.expr(node.expr2)
        self.fn.facts = after
        if body[1] == orelse[1]:
            return py.if_exp(test, body[0], orelse[0]), body[1]
        return py.if_exp(test, self.kept(body), self.kept(orelse)), "any"

    def no_else(self, node: n.CondExpr) -> ast.expr:
        line = self.loc(node)[0]
        message = f"the inline if-expression on line {line} evaluated to false and no else section was defined."
        return self.undefined("hint", None, message)

    # --- strings of several parts ------------------------------------------------------------------

    def expr_Concat(self, node: n.Concat) -> Result:
        if self.frame.escape is not False:
            items = [self.value(item) for item in node.items]
            # Jinja2 puts constants together before it knows of escaping.
            is_markup = self.frame.escape and not all(map(is_constant, node.items))
            return self.helper("join_markup" if is_markup else "concat", items, node), "any"
        return self.concatenation([self.as_text(self.expr(item), item) for item in node.items], node)

    def as_text(self, result: Result, node: n.Expr) -> ast.expr:
        """A value as ``str`` makes it."""
        expr, tag = result
        if tag == "str":
            return expr
        if isinstance(expr, ast.Constant):
            return self.literal(str(expr.value))
        if tag == "int":
            text = py.call("str", [expr])
            return py.call("TemplateText", [text]) if self.options.sound else text
        if tag == "bool":
            return py.if_exp(expr, self.literal("True"), self.literal("False"))
        first, again = self.twice(expr)
        return py.if_exp(self.type_is(first, "str"), again, self.helper("text_of", [again], node))

    def sum_pieces(self, node: n.BinExpr, left: Result, right: Result) -> list[ast.expr]:
        """The two strings that ``+`` puts together; one of them is known to be one."""
        return [self.operand(left, node), self.operand(right, node)]

    def operand(self, result: Result, node: n.Expr) -> ast.expr:
        """A string that is put together with another; anything else is an error."""
        expr, tag = result
        if tag == "str":
            return expr
        first, again = self.twice(self.kept(result))
        return py.if_exp(self.type_is(first, "str"), again, self.helper("operand", [again], node))

    def concatenation(self, pieces: list[ast.expr], node: n.Expr) -> Result:
        """One string of several."""
        if self.options.sound:
            return self.helper("joined", [py.tuple_(pieces)], node), "str"
        pieces = merge_constants(pieces)
        if not pieces:
            return py.const(""), "str"
        if len(pieces) == 1:
            return pieces[0], "str"
        made = self.new_local("t")
        fits = py.compare(py.call("len", [py.walrus(made, py.joined(pieces))]), "<", py.const(BIG_STRING))
        return py.if_exp(fits, py.name(made), self.helper("made", [py.name(made)], node)), "str"

    # --- containers --------------------------------------------------------------------------------

    def expr_List(self, node: n.List) -> Result:
        return py.list_([self.value(item) for item in node.items]), "any"

    def expr_Tuple(self, node: n.Tuple) -> Result:
        return py.tuple_([self.value(item) for item in node.items]), "any"

    def expr_Dict(self, node: n.Dict) -> Result:
        keys: list[ast.expr] = []
        values: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=True):  # in the order of evaluation
            keys.append(self.weighed(self.value(key), node))
            values.append(self.value(value))
        return py.place(py.dict_(keys, values), self.loc(node)), "any"
