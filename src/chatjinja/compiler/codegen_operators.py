"""Operators: truth, arithmetic, comparison, membership, concatenation, the conditional expression."""

from __future__ import annotations

import ast

from chatjinja.compiler import pyast as py
from chatjinja.compiler.codegen_access import AccessGen
from chatjinja.compiler.codegen_base import INTEGERS, SIMPLE, SMALL, SMALL_NUMBERS
from chatjinja.compiler.generator import BIG_STRING, LONG_CHAIN, Result, local_of
from chatjinja.compiler.scopes import COUNTERS
from chatjinja.compiler.state import Facts
from chatjinja.syntax import nodes as n

_BINARY_HELPERS = {
    "+": "add",
    "~": "concat",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "%": "modulo",
    "//": "floor_divide",
    "**": "power",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "in": "contains",
    "not in": "not_contains",
}


_SHORT_LIST = 4096
"""Looking through longer ones is counted (`chatjinja.runtime.limits.LARGE`)."""


def is_string_literal(node: n.Expr) -> bool:
    return isinstance(node, n.Const) and isinstance(node.value, str)


def is_positive(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and isinstance(expr.value, int) and expr.value > 0


def sum_tag(left: str, right: str) -> str:
    """Tag of the sum or difference of two small ints."""
    return "int+" if left == right == "int" else "integer"


def merge_constants(pieces: list[ast.expr]) -> list[ast.expr]:
    """Join neighbouring constant strings and drop empty ones (one piece always stays)."""
    merged: list[ast.expr] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if isinstance(piece, ast.Constant) and isinstance(last, ast.Constant):
            merged[-1] = py.const(str(last.value) + str(piece.value))
        else:
            merged.append(piece)
    kept = [piece for piece in merged if not (isinstance(piece, ast.Constant) and piece.value == "")]
    return kept or [py.const("")]


class OperatorGen(AccessGen):
    """Adds what combines values."""

    # --- truth -------------------------------------------------------------------------------------

    def truth(self, result: Result, asker: n.Node) -> ast.expr:
        """`result` where Python asks for its truth; a Function has none, then `asker` reports."""
        expr, tag = result
        if tag != "any" or not self.options.exact:
            return expr  # in the fast form a Function's truth starts the exact form, which knows the place
        return self.helper("truth", [expr], asker)

    def condition(self, node: n.Expr, asker: n.Node) -> tuple[ast.expr, Facts, Facts]:
        """Python expression for the truth of `node`, and what is known when it is true, when it is false."""
        if isinstance(node, n.UnaryExpr) and node.op == "not":
            expr, if_true, if_false = self.condition(node.node, node)
            return py.not_(expr), if_false, if_true
        if isinstance(node, n.BinExpr) and node.op in ("and", "or") and not self.is_long(node):
            return self.both_conditions(node, asker)
        expr = self.truth(self.expr(node), asker)
        facts = self.fn.facts
        if_true = facts.copy()
        if_true.strings = facts.strings | self.strings_if_true(node, expr)
        return expr, if_true, facts.copy()

    def both_conditions(self, node: n.BinExpr, asker: n.Node) -> tuple[ast.expr, Facts, Facts]:
        is_and = node.op == "and"
        left, left_true, left_false = self.condition(node.left, node)
        after_left = self.fn.facts
        self.fn.facts = (left_true if is_and else left_false).copy()
        right, right_true, right_false = self.condition(node.right, asker)
        self.fn.facts = after_left
        expr = py.bool_op(node.op, [left, right])
        if is_and:
            return expr, right_true, left_false.common(right_false)
        return expr, left_true.common(right_true), right_false

    def strings_if_true(self, node: n.Expr, expr: ast.expr) -> frozenset[str]:
        """Locals that must hold a str if the test `node` came out true."""
        if self.options.exact or self.options.marked:
            return frozenset()
        subject: ast.expr | None = None
        if isinstance(node, n.BinExpr) and isinstance(expr, ast.Compare) and node.op == "==":
            left, right = expr.left, expr.comparators[0]
            if isinstance(right, ast.Constant) and type(right.value) is str:
                subject = left
            elif isinstance(left, ast.Constant) and type(left.value) is str:
                subject = right
        if subject is None:
            return frozenset()
        local = local_of(subject)
        return frozenset() if local is None else frozenset((local,))

    def expr_UnaryExpr(self, node: n.UnaryExpr) -> Result:
        if node.op == "not":
            before = self.fn.facts
            expr, _, _ = self.condition(node.node, node)
            self.fn.facts = before
            return py.not_(expr), "bool"
        return self.helper("negate" if node.op == "-" else "plus", [self.value(node.node)], node), "defined"

    # --- binary operators --------------------------------------------------------------------------

    def expr_BinExpr(self, node: n.BinExpr) -> Result:
        op = node.op
        if op in ("and", "or"):
            return self.logical(node)
        if op in ("+", "~"):
            return self.concatenation(node)
        if op in ("==", "!="):
            return self.equality(node), "bool"
        if op in ("in", "not in") and not self.options.exact:
            return self.membership(node), "bool"
        left, left_tag = self.expr(node.left)
        right, right_tag = self.expr(node.right)
        if op in ("<", "<=", ">", ">=") and left_tag in INTEGERS and right_tag in INTEGERS:
            return py.compare(left, op, right), "bool"
        if op == "-" and left_tag in SMALL and right_tag in SMALL:
            return py.bin_op(left, "-", right), sum_tag(left_tag, right_tag)
        if op == "%" and self.counts_passes(node.left) and right_tag == "int" and is_positive(right):
            return py.bin_op(left, "%", right), "int"
        if op == "%" and self.counts((left, left_tag), (right, right_tag)):
            return self.counted(left, "%", right, node), "defined"
        general = self.helper(_BINARY_HELPERS[op], [left, right], node)
        if op in ("<", "<=", ">", ">="):
            if left_tag == "int" and right_tag == "any" and not isinstance(left, ast.Constant):
                return self.compared_index(left, op, right, node), "bool"
            return general, "bool"
        return general, "bool" if op in ("in", "not in") else "defined"

    def counts_passes(self, node: n.Expr) -> bool:
        """Whether `node` is a field of ``loop`` that is a number: never negative, and small."""
        return (
            isinstance(node, n.Getattr)
            and self.loop_meant_by(node.node) is not None
            and isinstance(node.attr, n.Name)
            and node.attr.name in COUNTERS
        )

    def compared_index(self, index: ast.expr, op: str, right: ast.expr, node: n.BinExpr) -> ast.expr:
        """A field of ``loop`` beside a value that most likely is an int."""
        first, again = self.twice(right)
        slow = self.helper(_BINARY_HELPERS[op], [index, again], node)
        return py.if_exp(self.type_is(first, "int"), py.compare(index, op, again), slow)

    def logical(self, node: n.BinExpr) -> Result:
        left, left_true, left_false = self.operand_condition(node.left, node)
        after = self.fn.facts
        self.fn.facts = (left_true if node.op == "and" else left_false).copy()
        right = self.expr(node.right)
        self.fn.facts = after
        if isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "truth":
            value = left.args[1]
            first, again = self.twice(value)
            left.args[1] = first
            other = self.kept(right)
            pair = (other, again) if node.op == "and" else (again, other)
            return py.if_exp(left, *pair), "any"
        tag = "bool" if right[1] == "bool" and self.is_bool(node.left) else "any"
        return py.bool_op(node.op, [left, self.kept(right)]), tag

    def operand_condition(self, node: n.Expr, asker: n.Node) -> tuple[ast.expr, Facts, Facts]:
        """`condition`, but the Python expression is the operand's value, not only its truth."""
        is_not = isinstance(node, n.UnaryExpr) and node.op == "not"
        knows_makers = (self.options.sound or self.options.exact) and not is_not
        if knows_makers or (isinstance(node, n.BinExpr) and node.op in ("and", "or")):
            expr, tag = self.expr(node)
            expr = self.truth((self.kept((expr, tag)), tag), asker)
            return expr, self.fn.facts.copy(), self.fn.facts.copy()
        return self.condition(node, asker)

    def is_bool(self, node: n.Expr) -> bool:
        if isinstance(node, n.BinExpr):
            return node.op in ("==", "!=", "<", "<=", ">", ">=", "in", "not in")
        return isinstance(node, n.Test) or (isinstance(node, n.UnaryExpr) and node.op == "not")

    def equality(self, node: n.BinExpr) -> ast.expr:
        left_known, left_value = self.constant_value(node.left)
        right_known, right_value = self.constant_value(node.right)
        left, left_tag = self.expr(node.left)
        right, right_tag = self.expr(node.right)
        if not self.options.exact:
            left, right = self.key_literal(node.left) or left, self.key_literal(node.right) or right
            if (right_known and right_value is None) or (left_known and left_value is None):
                return py.compare(left, "is" if node.op == "==" else "is not", right)
            if left_tag == right_tag == "bool":
                return py.compare(left, node.op, right)
            if left_known or right_known or not SIMPLE.isdisjoint((left_tag, right_tag)):
                return py.compare(left, node.op, right)
        equal = self.helper("equal", [left, right], node)
        return equal if node.op == "==" else py.not_(equal)

    def membership(self, node: n.BinExpr) -> ast.expr:
        op = node.op
        helper = _BINARY_HELPERS[op]
        right = node.right
        if isinstance(right, (n.List, n.Tuple)) and right.items and all(map(is_string_literal, right.items)):
            first, again = self.twice(self.key_literal(node.left) or self.value(node.left))
            items = py.tuple_([self.key_literal(item) or self.value(item) for item in right.items])
            made = py.call("Array", [items])
            slow = self.helper(helper, [again, made], node)
            is_string = self.type_is(first, "str")
            if self.options.marked:
                is_string = py.call("isinstance", [first, py.name("str")])
            return py.if_exp(is_string, py.compare(again, op, items), slow)
        left = self.key_literal(node.left) or self.value(node.left)
        if isinstance(left, ast.Constant) and type(left.value) is str and left.value.isprintable():
            value, tag = self.expr(right)
            if tag == "str":
                return py.compare(left, op, value)
            first, again = self.twice(value)
            likely = "dict" if left.value.isidentifier() else "str"
            slow = self.helper(helper, [left, again], node)
            return py.if_exp(self.type_is(first, likely), py.compare(left, op, again), slow)
        if isinstance(left, ast.Constant):
            return self.helper(helper, [left, self.value(right)], node)
        # A str is found among the items of a list as Python finds it.
        left_first, left_again = self.twice(left)
        right_first, right_again = self.twice(self.value(right))
        kind = self.new_local("t")
        lists = [
            py.compare(py.walrus(kind, py.call("type", [right_first])), "is", py.name("Array")),
            py.compare(py.name(kind), "is", py.name("list")),
        ]
        slow = self.helper(helper, [left_again, right_again], node)
        fast = py.if_exp(self.type_is(left_again, "str"), py.compare(left_again, op, right_again), slow)
        short = py.compare(py.call("len", [right_again]), "<", py.const(_SHORT_LIST))
        found = py.if_exp(py.bool_op("and", [py.bool_op("or", lists), short]), fast, slow)
        if left_first is left_again or isinstance(left_first, ast.Name):
            return found
        return py.subscript(py.tuple_([left_first, found]), py.const(1))

    # --- concatenation -----------------------------------------------------------------------------

    def concat_chain(self, node: n.Expr) -> tuple[list[n.Expr], list[n.BinExpr]]:
        """Operands and operators of ``a + b ~ c …``, left to right."""
        operands: list[n.Expr] = []
        operators: list[n.BinExpr] = []
        while isinstance(node, n.BinExpr) and node.op in ("+", "~"):
            operands.append(node.right)
            operators.append(node)
            node = node.left
        operands.append(node)
        return operands[::-1], operators[::-1]

    def concat_pieces(self, node: n.BinExpr, *, printed: bool = False) -> list[ast.expr] | Result:
        """The strings that ``a + b + …`` consists of, or its value if it may be something else.

        If they are printed at once, operands need no check here: None, Undefined and numbers print as
        they concatenate, and putting the output together notices the others.
        """
        operands, operators = self.concat_chain(node)
        if len(operands) > LONG_CHAIN:
            first = [operand.value for operand in operands[:LONG_CHAIN] if isinstance(operand, n.Const)]
            if self.options.exact or not any(isinstance(value, str) for value in first):
                return self.outlined(node), "any"
        results = [self.expr(operand) for operand in operands]
        first_str = next((i for i, (_, tag) in enumerate(results) if tag == self.string_tag), len(results))
        if self.options.exact:
            first_str = len(results)
        joined = max(first_str, 1)
        value, tag = results[0]
        for operator, (right, right_tag) in zip(operators[: joined - 1], results[1:joined], strict=True):
            if tag in SMALL and right_tag in SMALL and operator.op == "+":
                value, tag = py.bin_op(value, "+", right), sum_tag(tag, right_tag)
            else:
                value, tag = self.sum((value, tag), (right, right_tag), operator), "defined"
        if joined == len(results):
            if printed and len(results) == 2 and self.can_print_pair(results):
                return [self.printed_pair(results[0], results[1], operators[0])]
            return value, tag
        raw = printed and not self.options.checked and not self.lists_change
        pieces = [self.text_of((value, tag), operators[joined - 1], raw=raw)]
        for operator, result in zip(operators[joined - 1 :], results[joined:], strict=True):
            pieces.append(self.text_of(result, operator, raw=raw))
        if self.options.marked:
            return [piece for piece in pieces if not isinstance(piece, ast.Constant)]  # a constant is ""
        return merge_constants(pieces)

    def can_print_pair(self, results: list[Result]) -> bool:
        """Whether two operands may be printed one after the other instead of their sum."""
        known = self.options.marked and not self.options.sourced  # a group needs to know how many values there are
        return known and INTEGERS.isdisjoint([tag for _, tag in results])

    def printed_pair(self, left: Result, right: Result, operator: n.BinExpr) -> ast.expr:
        """``left + right``, most likely two strings, as values to be printed: these need not become one string."""
        left_first, left_again = self.twice(left[0])
        right_first, right_again = self.twice(right[0])
        # Not `and`: the right side is evaluated in any case.
        tests = [py.compare(py.call("type", [value]), "in", py.name("TEXTS")) for value in (left_first, right_first)]
        summed = self.helper(_BINARY_HELPERS[operator.op], [left_again, right_again], operator)
        pair = py.tuple_([left_again, right_again])
        return py.starred(py.if_exp(py.bin_op(tests[0], "&", tests[1]), pair, py.tuple_([summed])))

    def text_of(self, result: Result, operator: n.Node, *, raw: bool = False) -> ast.expr:
        """What an operand contributes to a concatenation that is known to be one of strings."""
        expr, tag = result
        if tag in ("none", "undefined"):
            return py.const("")
        if isinstance(expr, ast.Constant) and type(expr.value) is bool:
            return self.literal(str(expr.value))
        if tag == self.string_tag or (raw and tag not in INTEGERS):
            return expr
        if tag in INTEGERS:
            return py.call("TemplateText" if self.options.marked else "str", [expr])
        first, again = self.twice(expr)
        return py.if_exp(self.type_is(first, "str"), again, self.helper("concat_text", [again], operator))

    def sum(self, left: Result, right: Result, operator: n.BinExpr) -> ast.expr:
        """``left + right`` or ``left ~ right`` of which nothing is known."""
        if operator.op == "+" and self.counts(left, right):
            return self.counted(left[0], "+", right[0], operator)
        return self.helper(_BINARY_HELPERS[operator.op], [self.kept(left), self.kept(right)], operator)

    def counts(self, left: Result, right: Result) -> bool:
        """Whether the sum or remainder of two operands looks like that of a counter and a literal."""
        step = right[0].value if isinstance(right[0], ast.Constant) else None
        return self.options.sound and left[1] == "any" and type(step) is int and 0 < step < SMALL_NUMBERS

    def counted(self, counter: ast.expr, op: str, step: ast.expr, operator: n.BinExpr) -> ast.expr:
        """``counter + step`` or ``counter % step``: a number that the template made, if `counter` is a small one."""
        first, again = self.twice(counter)
        assert isinstance(step, ast.Constant)
        assert isinstance(step.value, int)
        below = SMALL_NUMBERS - step.value if op == "+" else SMALL_NUMBERS
        is_made = self.type_is(first, "MadeInt")
        is_small = py.between(py.const(0), again, py.const(below))
        made = py.subscript(py.name("SMALL_INTS"), py.bin_op(again, op, step))
        slow = self.helper(_BINARY_HELPERS[op], [again, self.kept((step, "int"))], operator)
        return py.if_exp(py.bool_op("and", [is_made, is_small]), made, slow)

    def concatenation(self, node: n.BinExpr) -> Result:
        pieces = self.concat_pieces(node)
        if isinstance(pieces, tuple):
            return pieces
        if self.options.marked:
            return self.helper("joined", [py.tuple_(pieces)], node), "string"
        return self.joined(pieces, node), "str"

    def joined(self, pieces: list[ast.expr], node: n.Node) -> ast.expr:
        """One string of several; long results are counted."""
        if len(pieces) == 1:
            return pieces[0]
        made = self.new_local("t")
        length = py.call("len", [py.walrus(made, py.joined(pieces))])
        fits = py.compare(length, "<", py.const(BIG_STRING))
        return py.if_exp(fits, py.name(made), self.helper("made", [py.name(made)], node))

    # --- conditional expression --------------------------------------------------------------------

    def expr_CondExpr(self, node: n.CondExpr) -> Result:
        test, if_true, if_false = self.cond_test(node)
        after = self.fn.facts
        self.fn.facts = if_true
        body, body_tag = self.expr(node.expr1)
        self.fn.facts = if_false
        orelse: Result = (py.name("UNDEFINED"), "undefined") if node.expr2 is None else self.expr(node.expr2)
        self.fn.facts = after
        if body_tag == orelse[1]:
            return py.if_exp(test, body, orelse[0]), body_tag
        return py.if_exp(test, self.kept((body, body_tag)), self.kept(orelse)), "any"

    def cond_test(self, node: n.CondExpr) -> tuple[ast.expr, Facts, Facts]:
        if node.expr2 is None:
            # The reference runs both parts inside this node: what they raise themselves, it reports.
            self.report.by_id.setdefault(id(node.test), self.report(node))
            self.report.by_id.setdefault(id(node.expr1), self.report(node))
        return self.condition(node.test, node)
