"""Short constructors for Python `ast` nodes.

`compile` wants a position on every node. Only calls that may fail need a true one, so the node classes
here carry a default position on the class and instances get their own only where it matters.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Sequence
from typing import Any, TypeVar

Loc = tuple[int, int, int, int]
"""lineno, col_offset, end_lineno, end_col_offset as in `ast`."""
_Node = TypeVar("_Node", bound=ast.expr | ast.stmt)


# mypy takes the attributes of `ast` for read-only here; CPython does not.
# mypy: disable-error-code="misc"


class _Placed:
    lineno: int = 1
    col_offset: int = 0
    end_lineno: int | None = 1
    end_col_offset: int | None = 0


class Name(_Placed, ast.Name):
    pass


class Constant(_Placed, ast.Constant):
    pass


class Call(_Placed, ast.Call):
    pass


class Attribute(_Placed, ast.Attribute):
    pass


class Subscript(_Placed, ast.Subscript):
    pass


class Slice(_Placed, ast.Slice):
    pass


class IfExp(_Placed, ast.IfExp):
    pass


class Compare(_Placed, ast.Compare):
    pass


class BoolOp(_Placed, ast.BoolOp):
    pass


class UnaryOp(_Placed, ast.UnaryOp):
    pass


class BinOp(_Placed, ast.BinOp):
    pass


class NamedExpr(_Placed, ast.NamedExpr):
    pass


class Tuple(_Placed, ast.Tuple):
    pass


class List(_Placed, ast.List):
    pass


class Starred(_Placed, ast.Starred):
    pass


class Dict(_Placed, ast.Dict):
    pass


class JoinedStr(_Placed, ast.JoinedStr):
    pass


class FormattedValue(_Placed, ast.FormattedValue):
    pass


class Expr(_Placed, ast.Expr):
    pass


class Assign(_Placed, ast.Assign):
    pass


class AugAssign(_Placed, ast.AugAssign):
    pass


class If(_Placed, ast.If):
    pass


class For(_Placed, ast.For):
    pass


class Return(_Placed, ast.Return):
    pass


class Delete(_Placed, ast.Delete):
    pass


class keyword(_Placed, ast.keyword):  # noqa: N801 -- ast's own name
    pass


class Break(_Placed, ast.Break):
    pass


class Continue(_Placed, ast.Continue):
    pass


class Pass(_Placed, ast.Pass):
    pass


class Try(_Placed, ast.Try):
    pass


class ExceptHandler(_Placed, ast.ExceptHandler):
    pass


class FunctionDef(_Placed, ast.FunctionDef):
    pass


class arg(_Placed, ast.arg):  # noqa: N801 -- ast's own name
    pass


_LOAD = ast.Load()
_STORE = ast.Store()
_DEL = ast.Del()
_OPS: dict[str, Any] = {
    "==": ast.Eq(),
    "!=": ast.NotEq(),
    "<": ast.Lt(),
    "<=": ast.LtE(),
    ">": ast.Gt(),
    ">=": ast.GtE(),
    "in": ast.In(),
    "not in": ast.NotIn(),
    "is": ast.Is(),
    "is not": ast.IsNot(),
    "+": ast.Add(),
    "-": ast.Sub(),
    "*": ast.Mult(),
    "%": ast.Mod(),
    "//": ast.FloorDiv(),
    "&": ast.BitAnd(),
    "and": ast.And(),
    "or": ast.Or(),
    "not": ast.Not(),
    "unary -": ast.USub(),
    "unary +": ast.UAdd(),
}


def place(node: _Node, loc: Loc) -> _Node:
    """Give `node` a true position."""
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = loc
    return node


def name(identifier: str) -> ast.Name:
    return Name(identifier, _LOAD)


def store(identifier: str) -> ast.Name:
    return Name(identifier, _STORE)


def const(value: Any) -> ast.Constant:
    return Constant(value)


def call(function: str, args: Sequence[ast.expr], loc: Loc | None = None) -> ast.Call:
    """Call of a bare name: the only form whose reported column can be trusted on every Python."""
    node = Call(Name(function, _LOAD), list(args), [])
    if loc is not None:
        place(node, loc)
    return node


def call_with(function: str, args: Sequence[ast.expr], keywords: Sequence[ast.keyword], loc: Loc) -> ast.Call:
    """`call` with keyword arguments."""
    return place(Call(Name(function, _LOAD), list(args), list(keywords)), loc)


def starred(value: ast.expr) -> ast.expr:
    """``*value`` among arguments."""
    return Starred(value, _LOAD)


def argument(name: str | None, value: ast.expr) -> ast.keyword:
    """``name=value`` among arguments; without a name ``**value``."""
    return keyword(name, value)


def method(value: ast.expr, attr: str, args: Sequence[ast.expr]) -> ast.Call:
    """Call of a method that cannot fail."""
    return Call(Attribute(value, attr, _LOAD), list(args), [])


def attribute(value: ast.expr, attr: str) -> ast.Attribute:
    return Attribute(value, attr, _LOAD)


def subscript(value: ast.expr, index: ast.expr) -> ast.Subscript:
    return Subscript(value, index, _LOAD)


def slice_(start: ast.expr | None, stop: ast.expr | None, step: ast.expr | None) -> ast.Slice:
    return Slice(start, stop, step)


def if_exp(test: ast.expr, body: ast.expr, orelse: ast.expr) -> ast.IfExp:
    return IfExp(test, body, orelse)


def is_constant(node: ast.expr) -> bool:
    """Whether Python folds it to a constant."""
    todo = [node]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Tuple):
            todo += node.elts
        elif not isinstance(node, ast.Constant):
            return False
    return True


def compare(left: ast.expr, op: str, right: ast.expr) -> ast.expr:
    if op in ("is", "is not") and isinstance(right, ast.Constant) and is_constant(left):  # Python warns about it
        return Constant((isinstance(left, ast.Constant) and left.value is right.value) is (op == "is"))
    return Compare(left, [_OPS[op]], [right])


def compare_all(left: ast.expr, ops: Sequence[str], operands: Sequence[ast.expr]) -> ast.Compare:
    """``left op operand op operand …``"""
    return Compare(left, [_OPS[op] for op in ops], list(operands))


def between(low: ast.expr, value: ast.expr, high: ast.expr) -> ast.Compare:
    """``low <= value < high``"""
    return Compare(low, [_OPS["<="], _OPS["<"]], [value, high])


def bool_op(op: str, values: list[ast.expr]) -> ast.expr:
    return BoolOp(_OPS[op], values)


_NEGATED = {ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in", ast.Eq: "!=", ast.NotEq: "=="}


def not_(operand: ast.expr) -> ast.expr:
    """``not operand``, for comparisons the opposite one (template values keep ``!=`` the opposite of ``==``)."""
    if isinstance(operand, ast.Compare) and len(operand.ops) == 1 and type(operand.ops[0]) in _NEGATED:
        return compare(operand.left, _NEGATED[type(operand.ops[0])], operand.comparators[0])
    return UnaryOp(_OPS["not"], operand)


def bin_op(left: ast.expr, op: str, right: ast.expr) -> ast.expr:
    """``left op right``; of two literals the result, or Python warns where it folds them in an ``is``."""
    if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
        return Constant(_FOLD[op](left.value, right.value))
    return BinOp(left, _OPS[op], right)


_FOLD = {"+": operator.add, "-": operator.sub}


def walrus(identifier: str, value: ast.expr) -> ast.NamedExpr:
    return NamedExpr(Name(identifier, _STORE), value)


def tuple_(items: Sequence[ast.expr]) -> ast.Tuple:
    return Tuple(list(items), _LOAD)


def tuple_store(identifiers: Sequence[str]) -> ast.Tuple:
    return targets([Name(item, _STORE) for item in identifiers])


def targets(items: Sequence[ast.expr]) -> ast.Tuple:
    """Several assignment targets."""
    return Tuple(list(items), _STORE)


def list_(items: Sequence[ast.expr]) -> ast.List:
    return List(list(items), _LOAD)


def dict_(keys: Sequence[ast.expr], values: Sequence[ast.expr]) -> ast.Dict:
    return Dict(list(keys), list(values))


def joined(values: Sequence[ast.expr]) -> ast.expr:
    """An f-string of values that are known to be str."""
    parts: list[ast.expr] = [
        value if isinstance(value, ast.Constant) else FormattedValue(value, -1) for value in values
    ]
    return JoinedStr(parts)


def expr(value: ast.expr) -> ast.stmt:
    return Expr(value)


def assign(identifier: str, value: ast.expr) -> ast.stmt:
    return Assign([Name(identifier, _STORE)], value)


def assign_tuple(identifiers: Sequence[str], value: ast.expr) -> ast.stmt:
    return Assign([tuple_store(identifiers)], value)


def augment(identifier: str, value: ast.expr) -> ast.stmt:
    return AugAssign(Name(identifier, _STORE), _OPS["+"], value)


def augment_attribute(value: ast.expr, attr: str, amount: ast.expr) -> ast.stmt:
    return AugAssign(Attribute(value, attr, _STORE), _OPS["+"], amount)


def if_(test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt] | None = None) -> ast.stmt:
    return If(test, body, orelse or [])


def for_(target: ast.expr, iterable: ast.expr, body: list[ast.stmt]) -> ast.stmt:
    return For(target, iterable, body, [])


def return_(value: ast.expr | None = None) -> ast.stmt:
    return Return(value)


def set_item(value: ast.expr, key: ast.expr, item: ast.expr) -> ast.stmt:
    """``value[key] = item``"""
    return Assign([Subscript(value, key, _STORE)], item)


def delete_from(identifier: str, start: str) -> ast.stmt:
    """``del identifier[start:]``"""
    return Delete([Subscript(name(identifier), Slice(name(start), None, None), _DEL)])


def break_() -> ast.stmt:
    return Break()


def continue_() -> ast.stmt:
    return Continue()


def pass_() -> ast.stmt:
    return Pass()


def try_(body: list[ast.stmt], handlers: Sequence[tuple[str, list[ast.stmt]]]) -> ast.stmt:
    return Try(body, [ExceptHandler(name(kind), None, then) for kind, then in handlers], [], [])


def function(identifier: str, params: Sequence[str], body: list[ast.stmt]) -> ast.stmt:
    arguments = ast.arguments(
        posonlyargs=[], args=[arg(param, None) for param in params], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    return FunctionDef(identifier, arguments, body, [])


def module(body: list[ast.stmt]) -> ast.Module:
    return ast.Module(body, [])
