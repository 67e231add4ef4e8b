"""Operators of generated code: Python's own, with limits where a result can be far larger than its operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chatjinja.errors import OperationError
from chatjinja.runtime.convert import check_items, check_size, note_size
from chatjinja.runtime.jinja.formatting import percent
from chatjinja.runtime.jinja.text import READ, text_of
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.jinja.work import searched
from chatjinja.runtime.limits import LARGE, exceeded, spend
from chatjinja.runtime.state import BIG, Deoptimise

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

MAX_BITS = 1 << 17
"""Integers longer than this are not made: each operation on one takes as long as a whole render."""


def add(rt: Runtime, left: Any, right: Any) -> Any:
    """``left + right``"""
    result = left + right
    if isinstance(result, str):
        if len(result) > BIG:
            note_size(rt, result)
    elif type(result) in (list, tuple) and len(result) > LARGE:
        check_items(rt, len(result))
    return result


def subtract(rt: Runtime, left: Any, right: Any) -> Any:
    """``left - right``"""
    return left - right


def multiply(rt: Runtime, left: Any, right: Any) -> Any:
    """``left * right``"""
    if isinstance(left, int):
        if isinstance(right, int):
            if left.bit_length() + right.bit_length() > MAX_BITS:
                raise exceeded(rt.limits, "value")
            _count_digits(rt, left, right)
        else:
            _check_repeated(rt, right, left)
    elif isinstance(right, int):
        _check_repeated(rt, left, right)
    result = left * right
    if isinstance(result, str) and len(result) > BIG:
        note_size(rt, result)
    return result


_LONG_INTEGER = 1 << 12


def _count_digits(rt: Runtime, left: Any, right: Any) -> None:
    """Count the multiplication or division of long integers."""
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() > _LONG_INTEGER:
        spend(rt, left.bit_length() * right.bit_length(), 1 << 18)


def _check_repeated(rt: Runtime, value: Any, times: int) -> None:
    if isinstance(value, (str, bytes)):
        check_size(rt, len(value) * times)
    elif isinstance(value, (list, tuple)):
        check_items(rt, len(value) * times)


def divide(rt: Runtime, left: Any, right: Any) -> Any:
    """``left / right``"""
    return left / right


def floor_divide(rt: Runtime, left: Any, right: Any) -> Any:
    """``left // right``"""
    _count_digits(rt, left, right)
    return left // right


def modulo(rt: Runtime, left: Any, right: Any) -> Any:
    """``left % right``; a format on the left."""
    if isinstance(left, (str, bytes)):
        return percent(rt, left, right)
    _count_digits(rt, left, right)
    return left % right


def power(rt: Runtime, left: Any, right: Any) -> Any:
    """``left ** right``"""
    if isinstance(left, int) and isinstance(right, int) and right > 1:
        bits = left.bit_length() * right
        if bits > MAX_BITS:
            raise exceeded(rt.limits, "value")
        spend(rt, bits * bits, 1 << 18)
    return left**right


def negate(rt: Runtime, value: Any) -> Any:
    """``-value``"""
    return -value


def plus(rt: Runtime, value: Any) -> Any:
    """``+value``"""
    return +value


def contains(rt: Runtime, item: Any, container: Any) -> bool:
    """``item in container``"""
    searched(rt, item, container)
    return item in container


def get_slice(rt: Runtime, value: Any, start: Any, stop: Any, step: Any) -> Any:
    """``value[start:stop:step]``"""
    part = value[start:stop:step]
    if isinstance(part, (str, bytes, list, tuple)) and len(part) > LARGE:
        spend(rt, len(part), READ if isinstance(part, (str, bytes)) else 4)
    return part


def operand(rt: Runtime, value: Any) -> Any:
    """What stands beside a string in a sum, if it is not exactly a str; what is no string at all is an error."""
    if type(value) is Undefined:
        value.fail()
    if not isinstance(value, str):
        raise TypeError(f"can only concatenate str (not {type(value).__name__!r}) to str")
    if type(value).__add__ is not str.__add__:
        raise Deoptimise  # Markup escapes what stands beside it
    return str.__str__(value)


def concat(rt: Runtime, *values: Any) -> str:
    """``a ~ b ~ …`` where nothing is escaped."""
    text = "".join([text_of(rt, value) for value in values])
    if len(text) > BIG:
        note_size(rt, text)
    return text


def fail(rt: Runtime, message: str, code: str) -> Any:
    """What the code generator knew would fail, fails now."""
    raise OperationError(message, code=code)
