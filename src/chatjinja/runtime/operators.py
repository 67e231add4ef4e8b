"""The operators. Each takes ``(rt, left, right)``, a unary one ``(rt, value)``.

The functions begin with the common cases and leave the rest to `_general`, which walks through the
reference's rules in their order. `and`, `or` and `not` are Python's and need no help.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chatjinja.errors import OperationError
from chatjinja.runtime.convert import (
    EXACT_INT,
    as_bytes,
    check_items,
    check_size,
    float_form,
    note_size,
    text_form,
)
from chatjinja.runtime.kinds import (
    ARRAYS,
    INT_MAX,
    INT_MIN,
    OBJECTS,
    canonical_int,
    count_work,
    is_immutable_key,
    kind_of,
    plain,
    type_name,
)
from chatjinja.runtime.limits import LARGE, spend
from chatjinja.runtime.marked import Marked, Piece, Runs, has_raw, pieces_of, runs_of
from chatjinja.runtime.objects import Array, Function, KwArg, Tuple, Value
from chatjinja.runtime.origins import text_runs
from chatjinja.runtime.state import BIG
from chatjinja.runtime.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

_SCALARS = frozenset({str, int, bool, float, type(None)})


# --- equality and membership ---------------------------------------------------------------------------


def equal(rt: Runtime, left: Value, right: Value) -> bool:
    """``==``: numbers and booleans by value, strings by text, containers as the reference compares them."""
    if type(left) in _SCALARS and type(right) in _SCALARS:
        return left == right
    if type(left) is dict and type(right) is dict and left != right:
        return False  # Python sees more dicts as equal than the reference does, never fewer
    return _equal(rt, plain(rt, left), plain(rt, right))


def _equal(rt: Runtime, left: Value, right: Value) -> bool:
    kind = type(left)
    if kind in ARRAYS:
        return type(right) in ARRAYS and (kind is Tuple) == (type(right) is Tuple) and _same_items(rt, left, right)
    if kind in OBJECTS:
        return type(right) in OBJECTS and _same_members(rt, left, right)
    if kind is Marked:
        count_work(rt, left)
        return type(right) in (Marked, str) and left == right
    if kind is Undefined:
        return type(right) is Undefined
    if kind is KwArg:
        return type(right) is KwArg and left.key == right.key and left.value is right.value
    if isinstance(left, Function):
        return left is right
    if type(right) is Marked:
        return kind is str and right == left
    return type(right) in _SCALARS and left == right


def _same_items(rt: Runtime, left: Sequence[Value], right: Sequence[Value]) -> bool:
    spend(rt, len(left), 1)
    return (
        len(left) == len(right)
        and all(map(is_immutable_key, left))
        and all(map(is_immutable_key, right))
        and all(equal(rt, a, b) for a, b in zip(left, right, strict=True))
    )


def _same_members(rt: Runtime, left: Mapping[Value, Value], right: Mapping[Value, Value]) -> bool:
    return (
        len(left) == len(right)
        and all(map(is_immutable_key, left.values()))
        and all(map(is_immutable_key, right.values()))
        and all(
            equal(rt, key, other_key) and equal(rt, value, other)
            for (key, value), (other_key, other) in zip(left.items(), right.items(), strict=True)
        )
    )


def contains(rt: Runtime, left: Value, right: Value) -> bool:
    """``left in right``."""
    kind = type(right)
    if type(left) is str:
        if kind is str:
            return left in right if left.isascii() and len(right) < LARGE else _substring(rt, left, right)
        if kind is list or kind is Array:
            if len(right) > LARGE:
                spend(rt, len(right), 4)
            return left in right
        if kind in OBJECTS:
            return left in right
    if kind is Undefined:
        return False
    return _general(rt, "in", left, right)


def not_contains(rt: Runtime, left: Value, right: Value) -> bool:
    """``left not in right``."""
    if type(left) is str:
        return not contains(rt, left, right) if type(right) in _EASY_IN else bool(_general(rt, "not in", left, right))
    if type(right) is Undefined:
        return True
    return _general(rt, "not in", left, right)


_EASY_IN = frozenset({str, list, Array, *OBJECTS, Undefined})


def _substring(rt: Runtime, part: str, whole: str) -> bool:
    count_work(rt, whole)
    if has_raw(part):
        return as_bytes(part) in as_bytes(whole)
    return part in whole


def item_of(rt: Runtime, needle: Value, items: Sequence[Value]) -> bool:
    """Whether an Array holds a value equal to `needle`."""
    if len(items) > LARGE:
        spend(rt, len(items), 4)
    needle = plain(rt, needle)
    if type(needle) in _SCALARS and needle == needle:
        return needle in items
    return any(_equal(rt, needle, plain(rt, item)) for item in items)


def key_of(rt: Runtime, key: Value, members: Mapping[Value, Value]) -> bool:
    """Whether an Object has the key; OperationError if it cannot be one."""
    return valid_key(plain(rt, key)) in members


def valid_key(key: Value) -> Value:
    """The key to look up or store under; OperationError if values of this type cannot be one."""
    if type(key) is str:
        return key
    if not is_immutable_key(key):
        raise OperationError(f"Object key of unhashable type: {type_name(key)}", code="unhashable-key")
    if key != key:
        return math.copysign(key, key)  # a fresh NaN: no NaN is ever found, not even the same one
    return key


def test_in(rt: Runtime, left: Value, right: Value) -> bool:
    """The test ``in``, also what the operator does with None on its left."""
    right = plain(rt, right)
    kind = type(right)
    if kind is Undefined:
        return False
    if kind in ARRAYS:
        return item_of(rt, left, right)
    if kind in OBJECTS:
        return key_of(rt, left, right)
    if kind is str or kind is Marked:
        if kind_of(left) != "String":
            raise OperationError(
                "'in' test expects args[1] as string when args[0] is string, got args[1] as " + type_name(left)
            )
        return _substring(rt, text_form(rt, left), text_form(rt, right))
    raise OperationError(f"'in' test expects iterable as first argument, got {type_name(right)}")


# --- arithmetic and concatenation ----------------------------------------------------------------------


def add(rt: Runtime, left: Value, right: Value) -> Value:
    """``+``."""
    kind = type(left)
    if kind is type(right):
        if kind is str and not rt.exact:
            text = left + right
            if len(text) > BIG:
                note_size(rt, text)
            return text
        if kind is int:
            return _fit(rt, "+", left, right, left + right)
    return _general(rt, "+", left, right)


def concat(rt: Runtime, left: Value, right: Value) -> Value:
    """``~``: as ``+`` if one side is a String; nothing else is defined."""
    if type(left) is str and type(right) is str and not rt.exact:
        text = left + right
        if len(text) > BIG:
            note_size(rt, text)
        return text
    return _general(rt, "~", left, right)


def concat_text(rt: Runtime, value: Value) -> str:
    """What a value adds to a String by ``+`` or ``~``: nothing if None or Undefined, else its text form."""
    if value is None or type(value) is Undefined:
        return ""
    return text_form(rt, value)


def subtract(rt: Runtime, left: Value, right: Value) -> Value:
    """``-``."""
    if type(left) is int and type(right) is int:
        return _fit(rt, "-", left, right, left - right)
    return _general(rt, "-", left, right)


def multiply(rt: Runtime, left: Value, right: Value) -> Value:
    """``*``: also repeats a String."""
    if type(left) is int and type(right) is int:
        return _fit(rt, "*", left, right, left * right)
    return _general(rt, "*", left, right)


def divide(rt: Runtime, left: Value, right: Value) -> Value:
    """``/``: always a Float; division by zero gives an infinity or NaN."""
    return _general(rt, "/", left, right)


def modulo(rt: Runtime, left: Value, right: Value) -> Value:
    """``%``: the sign is the left side's, as C has it."""
    if type(left) is int and type(right) is int and 0 <= left <= INT_MAX and 0 < right <= INT_MAX:
        return left % right
    return _general(rt, "%", left, right)


def less(rt: Runtime, left: Value, right: Value) -> bool:
    """``<``."""
    if _small(left, right):
        return left < right
    return _general(rt, "<", left, right)


def less_equal(rt: Runtime, left: Value, right: Value) -> bool:
    """``<=``."""
    if _small(left, right):
        return left <= right
    return _general(rt, "<=", left, right)


def greater(rt: Runtime, left: Value, right: Value) -> bool:
    """``>``."""
    if _small(left, right):
        return left > right
    return _general(rt, ">", left, right)


def greater_equal(rt: Runtime, left: Value, right: Value) -> bool:
    """``>=``."""
    if _small(left, right):
        return left >= right
    return _general(rt, ">=", left, right)


def negate(rt: Runtime, value: Value) -> Value:
    """Unary ``-``."""
    value = plain(rt, value)
    if type(value) is int:
        return _fit(rt, "-", 0, value, -value)
    if type(value) is float:
        return -value
    raise OperationError("Unary - operator requires numeric operand", code="operand-type")


def plus(rt: Runtime, value: Value) -> Value:
    """Unary ``+``."""
    value = plain(rt, value)
    if type(value) is int or type(value) is float:
        return value
    raise OperationError("Unary + operator requires numeric operand", code="operand-type")


def fresh(number: int | float) -> int | float:
    """An equal number that is an object of its own, as every literal is one in the reference."""
    return int(str(number)) if type(number) is int else number * 1.0


def _small(left: Value, right: Value) -> bool:
    return (
        type(left) is int
        and type(right) is int
        and -EXACT_INT <= left <= EXACT_INT
        and -EXACT_INT <= right <= EXACT_INT
    )


def _fit(rt: Runtime, op: str, left: int, right: int, result: int) -> Value:
    """The integer result if it fits int64, else an error; operands from the context may not fit themselves."""
    if not (INT_MIN <= left <= INT_MAX and INT_MIN <= right <= INT_MAX):
        return _general(rt, op, canonical_int(rt, left), canonical_int(rt, right))
    if INT_MIN <= result <= INT_MAX:
        return result
    raise OperationError("integer overflow", code="integer-overflow")


# --- the rules in their order --------------------------------------------------------------------------


def _general(rt: Runtime, op: str, left: Value, right: Value) -> Value:
    left, right = plain(rt, left), plain(rt, right)
    kind, other = kind_of(left), kind_of(right)
    is_in = op == "in" or op == "not in"
    joins = op == "+" or op == "~"
    if kind == "Undefined" or other == "Undefined":
        return _with_undefined(rt, op, left, right)
    if kind == "None" or other == "None":
        return _with_none(rt, op, left, right)
    if kind in _NUMERIC and other in _NUMERIC and op in _ARITHMETIC:
        return _numbers(rt, op, left, right)
    if other == "Array" or other == "Tuple":
        if kind == "Array" or kind == "Tuple":
            if op == "+":
                check_items(rt, len(left) + len(right))
                return Array([*left, *right])
        elif is_in:
            return item_of(rt, left, right) == (op == "in")
    if joins and (kind == "String" or other == "String"):
        return _joined(rt, left, right)
    if op == "*" and {kind, other} == {"String", "Integer"}:
        return _repeated(rt, left, right) if kind == "String" else _repeated(rt, right, left)
    if is_in and kind == "String" and other == "String":
        return test_in(rt, left, right) == (op == "in")
    if other == "Object":
        found = key_of(rt, left, right)
        if is_in:
            return found == (op == "in")
    raise OperationError(
        f'Unknown operator "{op}" between {type_name(left)} and {type_name(right)}', code="unknown-operator"
    )


_NUMERIC = ("Integer", "Float")
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "<", ">", "<=", ">="})


def _with_undefined(rt: Runtime, op: str, left: Value, right: Value) -> Value:
    if op in ("+", "~") and (kind_of(left) == "String" or kind_of(right) == "String"):
        return _joined(rt, left, right)
    raise OperationError(f"Cannot perform operation {op} on undefined values", code="undefined-operand")


def _with_none(rt: Runtime, op: str, left: Value, right: Value) -> Value:
    if right is not None and op in ("in", "not in"):
        return test_in(rt, left, right) == (op == "in")
    if op in ("+", "~") and (kind_of(left) == "String" or kind_of(right) == "String"):
        return _joined(rt, left, right)
    raise OperationError("Cannot perform operation on null values", code="none-operand")


def _joined(rt: Runtime, left: Value, right: Value) -> Value:
    if rt.exact:
        pieces = (*_contribution(rt, left), *_contribution(rt, right))
        if len(pieces) > LARGE:
            spend(rt, len(pieces), 4)
        whole = Marked(pieces, (*_runs(rt, left), *_runs(rt, right)) if rt.sound else None)
        if len(whole.text) > BIG:
            note_size(rt, whole.text)
        return whole
    text = concat_text(rt, left) + concat_text(rt, right)
    if len(text) > BIG:
        note_size(rt, text)
    return text


def text_contribution(rt: Runtime, value: Value) -> Marked:
    """What a value adds to a String by ``+`` or ``~``, in pieces."""
    return Marked(_contribution(rt, value), _runs(rt, value) if rt.sound else None)


def _contribution(rt: Runtime, value: Value) -> tuple[Piece, ...]:
    if type(value) is str or type(value) is Marked:
        return pieces_of(value)
    if value is None or type(value) is Undefined:
        return ()
    return ((text_form(rt, value), False),)


def _runs(rt: Runtime, value: Value) -> Runs:
    """`_contribution` of sound marking."""
    return () if value is None or type(value) is Undefined else text_runs(rt, value)


def _repeated(rt: Runtime, text: str | Marked, count: int) -> Value:
    count = max(int(canonical_int(rt, count)), 0)
    check_size(rt, len(text) * count)
    if rt.exact:
        # Repeating nothing gives nothing; the number of empty pieces does not show.
        times = count if text else min(count, 1)
        return Marked(pieces_of(text) * times, runs_of(text) * times if rt.sound else None)
    made = text * count
    if len(made) > BIG:
        note_size(rt, made)
    return made


def _numbers(rt: Runtime, op: str, left: int | float, right: int | float) -> Value:
    if type(left) is int and type(right) is int:
        if op == "+" or op == "-" or op == "*":
            result = left + right if op == "+" else left - right if op == "-" else left * right
            return _fit(rt, op, left, right, result)
        if op == "%":
            return _int_modulo(rt, left, right)
    a, b = float_form(rt, left), float_form(rt, right)
    return _FLOAT_OPERATORS[op](a, b)


def _int_modulo(rt: Runtime, left: int, right: int) -> Value:
    a, b = canonical_int(rt, left), canonical_int(rt, right)
    if type(a) is float or type(b) is float:
        return _float_modulo(float_form(rt, a), float_form(rt, b))
    if b == 0:
        return INT_MIN  # what x86-64 makes of NaN as an integer
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def _float_modulo(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return a + b
    if math.isinf(a) or b == 0:
        return -math.nan  # the NaN that x86-64 makes has its sign bit set
    return math.fmod(a, b)


def _float_divide(a: float, b: float) -> float:
    if b:
        return a / b
    if math.isnan(a):
        return a
    if not a:
        return -math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


_FLOAT_OPERATORS: Mapping[str, Callable[[float, float], float | bool]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _float_divide,
    "%": _float_modulo,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}


# --- the comparison of sort, min, max, dictsort and the tests eq … lt ----------------------------------


def compare(rt: Runtime, op: str, left: Value, right: Value) -> bool:
    """`op` is eq, ne, ge, gt or lt: numbers by value, a String with a String or number as text, else false."""
    left, right = plain(rt, left), plain(rt, right)
    kind, other = kind_of(left), kind_of(right)
    if kind in _NUMERIC and other in _NUMERIC:
        return _COMPARE[op](float_form(rt, left), float_form(rt, right))
    if (kind == "String" and (other == "String" or other in _NUMERIC)) or (other == "String" and kind in _NUMERIC):
        a, b = text_form(rt, left), text_form(rt, right)
        if not a.isascii() and not b.isascii():
            return _COMPARE[op](as_bytes(a), as_bytes(b))  # escaped bytes sort elsewhere as characters
        return _COMPARE[op](a, b)
    if kind == "Boolean" and other == "Boolean":
        if op in ("eq", "ne"):
            return (left is right) == (op == "eq")
        raise OperationError("Unsupported comparison operator for bool type", code="operand-type")
    return False


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
    "lt": lambda a, b: a < b,
}
