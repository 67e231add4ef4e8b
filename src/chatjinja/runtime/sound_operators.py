"""Operators of sound marking: a result of arithmetic is a number that the template made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from chatjinja.runtime.kinds import INT_MIN, kind_of, plain
from chatjinja.runtime.marked import NUMBERS, SMALL, SMALL_INTS, MadeInt, Marked, TemplateText, made_number
from chatjinja.runtime.objects import Value
from chatjinja.runtime.operators import fresh, text_contribution
from chatjinja.runtime.printing import joined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Binary = Callable[["Runtime", Value, Value], Value]
Unary = Callable[["Runtime", Value], Value]


_STRINGS = frozenset((str, TemplateText, Marked))
_INTS = frozenset((int, MadeInt))
Native = Callable[[int, int], int]


def arithmetic(operator: Binary, native: Native | None = None) -> Binary:
    """An operator whose result is no operand; `native` does the same with small ints."""
    if native is None:
        return lambda rt, left, right: made_number(operator(rt, _bare(rt, left), _bare(rt, right)))
    calculate = native

    def made(rt: Runtime, left: Value, right: Value) -> Value:
        if type(left) in _INTS and type(right) in _INTS and -SMALL < left < SMALL and -SMALL < right < SMALL:
            result = calculate(left, right)
            return SMALL_INTS[result] if 0 <= result < SMALL else MadeInt(result)
        return made_number(operator(rt, _bare(rt, left), _bare(rt, right)))

    return made


def _bare(rt: Runtime, value: Value) -> Value:
    return plain(rt, value) if type(value) in NUMBERS else value


def concatenation(operator: Binary, native: Native | None = None) -> Binary:
    """An operator that also puts strings together: digits keep their origin there."""
    numbers = arithmetic(operator, native)

    def put_together(rt: Runtime, left: Value, right: Value) -> Value:
        if type(left) in _INTS and type(right) in _INTS:
            return numbers(rt, left, right)
        if type(left) in _STRINGS:
            if type(right) in _STRINGS:
                return joined(rt, (left, right))
            if type(right) in NUMBERS:
                right = text_contribution(rt, right)
        elif type(left) in NUMBERS and kind_of(right) == "String":
            left = text_contribution(rt, left)
        return numbers(rt, left, right)

    return put_together


def comparison(operator: Binary, native: Callable[[int, int], bool]) -> Binary:
    """An operator whose result is a Boolean; `native` does the same with small ints."""

    def compared(rt: Runtime, left: Value, right: Value) -> Value:
        if type(left) in _INTS and type(right) in _INTS and -SMALL < left < SMALL and -SMALL < right < SMALL:
            return native(left, right)
        return operator(rt, _bare(rt, left), _bare(rt, right))

    return compared


def remainder(left: int, right: int) -> int:
    """``%`` as C has it, of small ints."""
    if right == 0:
        return INT_MIN  # what x86-64 makes of NaN as an integer
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def sign(operator: Unary) -> Unary:
    """Unary ``+`` or ``-``."""

    def made(rt: Runtime, value: Value) -> Value:
        return made_number(operator(rt, value))

    return made


def fresh_made(number: int | float) -> Value:
    """A number literal."""
    return made_number(fresh(number))
