"""Tests, ``value is NAME``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from numbers import Number
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.callables import Function, Invocable
from chatjinja.runtime.jinja.formatting import percent
from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.text import text_of
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.jinja.work import searched, weighed

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def _rest(rt: Runtime, value: Any, number: Any) -> Any:
    return percent(rt, value, number) if isinstance(value, (str, bytes)) else value % number


def is_odd(rt: Runtime, /, value: Any) -> bool:
    """An odd number."""
    return bool(_rest(rt, value, 2) == 1)


def is_even(rt: Runtime, /, value: Any) -> bool:
    """An even number."""
    return bool(_rest(rt, value, 2) == 0)


def is_divisibleby(rt: Runtime, /, value: Any, num: Any) -> bool:
    """A number that `num` divides."""
    return bool(_rest(rt, value, num) == 0)


def is_defined(rt: Runtime, /, value: Any) -> bool:
    """Anything but undefined."""
    return type(value) is not Undefined


def is_undefined(rt: Runtime, /, value: Any) -> bool:
    """A variable or attribute that is not there."""
    return type(value) is Undefined


def is_filter(rt: Runtime, /, value: Any) -> bool:
    """The name of a filter."""
    return value in rt.tables.filters


def is_test(rt: Runtime, /, value: Any) -> bool:
    """The name of a test."""
    return value in rt.tables.tests


def is_none(rt: Runtime, /, value: Any) -> bool:
    """None."""
    return value is None


def is_boolean(rt: Runtime, /, value: Any) -> bool:
    """True or false."""
    return value is True or value is False


def is_false(rt: Runtime, /, value: Any) -> bool:
    """False itself, not just something that is false."""
    return value is False


def is_true(rt: Runtime, /, value: Any) -> bool:
    """True itself, not just something that is true."""
    return value is True


def is_integer(rt: Runtime, /, value: Any) -> bool:
    """A whole number; true and false are none."""
    return isinstance(value, int) and type(value) is not bool


def is_float(rt: Runtime, /, value: Any) -> bool:
    """A floating point number."""
    return isinstance(value, float)


def is_lower(rt: Runtime, /, value: Any) -> bool:
    """A text whose letters are all lower case."""
    return text_of(rt, value).islower()


def is_upper(rt: Runtime, /, value: Any) -> bool:
    """A text whose letters are all upper case."""
    return text_of(rt, value).isupper()


def is_string(rt: Runtime, /, value: Any) -> bool:
    """A string."""
    return isinstance(value, str)


def is_mapping(rt: Runtime, /, value: Any) -> bool:
    """A dict or the like."""
    return type(value) not in _COMMON and isinstance(value, Mapping)


_COMMON = frozenset((str, list, bool, int, type(None)))
"""Types that are no mappings: asking an abstract class takes long."""


def is_number(rt: Runtime, /, value: Any) -> bool:
    """A number; true and false too."""
    return isinstance(value, Number)


def is_sequence(rt: Runtime, /, value: Any) -> bool:
    """What has a length and items: lists, tuples, strings, mappings; undefined too."""
    try:
        len(value)
    except Exception:
        return False
    return hasattr(type(value), "__getitem__")


def is_iterable(rt: Runtime, /, value: Any) -> bool:
    """What a loop can go over; undefined too."""
    try:
        iter(value)
    except TypeError:
        return False
    return True


def is_callable(rt: Runtime, obj: Any, /) -> bool:
    """What can be called: functions, methods, macros; undefined too."""
    return isinstance(obj, Invocable) or type(obj) is Undefined


def is_sameas(rt: Runtime, /, value: Any, other: Any) -> bool:
    """The very same object."""
    return value is other and type(value) is not Undefined  # one Undefined may stand for several


def is_escaped(rt: Runtime, /, value: Any) -> bool:
    """Markup."""
    return isinstance(value, Markup)


def is_in(rt: Runtime, /, value: Any, seq: Any) -> bool:
    """An item of a list, a key of a mapping, a part of a string."""
    searched(rt, value, seq)
    return value in seq


def _compared(compare: Callable[[Any, Any], Any], doc: str) -> Function:
    def compared(rt: Runtime, value: Any, other: Any, /) -> bool:
        return bool(compare(weighed(rt, value), other))

    compared.__doc__ = doc
    return compared


is_eq = _compared(operator.eq, "Equal to a value.")
is_ne = _compared(operator.ne, "Not equal to a value.")
is_gt = _compared(operator.gt, "Greater than a value.")
is_ge = _compared(operator.ge, "Greater than or equal to a value.")
is_lt = _compared(operator.lt, "Less than a value.")
is_le = _compared(operator.le, "Less than or equal to a value.")

TESTS: Mapping[str, Function] = MappingProxyType(
    {
        "!=": is_ne,
        "<": is_lt,
        "<=": is_le,
        "==": is_eq,
        ">": is_gt,
        ">=": is_ge,
        "boolean": is_boolean,
        "callable": is_callable,
        "defined": is_defined,
        "divisibleby": is_divisibleby,
        "eq": is_eq,
        "equalto": is_eq,
        "escaped": is_escaped,
        "even": is_even,
        "false": is_false,
        "filter": is_filter,
        "float": is_float,
        "ge": is_ge,
        "greaterthan": is_gt,
        "gt": is_gt,
        "in": is_in,
        "integer": is_integer,
        "iterable": is_iterable,
        "le": is_le,
        "lessthan": is_lt,
        "lower": is_lower,
        "lt": is_lt,
        "mapping": is_mapping,
        "ne": is_ne,
        "none": is_none,
        "number": is_number,
        "odd": is_odd,
        "sameas": is_sameas,
        "sequence": is_sequence,
        "string": is_string,
        "test": is_test,
        "true": is_true,
        "undefined": is_undefined,
        "upper": is_upper,
    }
)
"""Tests by name."""
