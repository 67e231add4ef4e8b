"""Tests (``x is NAME``), which are also the globals ``test_is_NAME``.

As a test a function has no name in the reference's messages (``Function '' expected …``), as a global it
has its own; so every test takes the name to use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatjinja.errors import OperationError, UnknownNameError, UnsupportedError
from chatjinja.runtime.arguments import check_count, check_kind
from chatjinja.runtime.convert import int_form, text_form
from chatjinja.runtime.kinds import KINDS, STRINGS, kind_of, plain
from chatjinja.runtime.marked import NUMBERS
from chatjinja.runtime.objects import Array, Builtin, Function, Object, SparseObject, Tuple, Value
from chatjinja.runtime.operators import compare, test_in
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.strings import lower, upper
from chatjinja.runtime.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Test = Callable[..., bool]


def apply_test(rt: Runtime, name: str, args: list[Value]) -> bool:
    """``args[0] is name(args[1:])``."""
    test = rt.tables.tests.get(name)
    if test is None:
        raise UnknownNameError(f"Unknown test '{name}'")
    if type(args[0]) not in NUMBERS:
        args[0] = plain(rt, args[0])
    return test(rt, args)


def _is_kind(*kinds: str) -> Test:
    def is_kind(rt: Runtime, args: list[Value], name: str = "") -> bool:
        check_count(name, args, 1)
        return kind_of(args[0]) in kinds

    is_kind.__doc__ = f"Of type {', '.join(kinds)}."
    return is_kind


def is_defined(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """Not Undefined."""
    check_count(name, args, 1)
    return type(args[0]) is not Undefined


def is_undefined(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """Undefined."""
    check_count(name, args, 1)
    return type(args[0]) is Undefined


def is_none(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """None."""
    check_count(name, args, 1)
    return args[0] is None


def is_true(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """The Boolean true."""
    check_count(name, args, 1)
    return args[0] is True


def is_false(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """The Boolean false."""
    check_count(name, args, 1)
    return args[0] is False


def is_string(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """A String."""
    check_count(name, args, 1)
    return type(args[0]) in STRINGS or kind_of(args[0]) == "String"


def is_odd(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """An odd Integer."""
    return _integer(rt, args, name) % 2 != 0


def is_even(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """An even Integer."""
    return _integer(rt, args, name) % 2 == 0


def _integer(rt: Runtime, args: list[Value], name: str) -> int:
    check_count(name, args, 1)
    check_kind(name, args[0], "Integer")
    return int_form(rt, args[0])


def is_divisibleby(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """``divisibleby(n)``: leaves no remainder."""
    check_count(name, args, 2)
    check_kind(name, args[0], "Integer")
    check_kind(name, args[1], "Integer")
    by = int_form(rt, args[1])
    if by == 0:
        raise OperationError("integer division or modulo by zero", code="division-by-zero")
    return int_form(rt, args[0]) % by == 0


def is_lower(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """No ASCII letter in upper case."""
    text = _string(rt, args, name)
    return lower(text) == text


def is_upper(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """No ASCII letter in lower case."""
    text = _string(rt, args, name)
    return upper(text) == text


def is_test(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """The name of a test."""
    return _string(rt, args, name) in rt.tables.tests


def _string(rt: Runtime, args: list[Value], name: str) -> str:
    check_count(name, args, 1)
    check_kind(name, args[0], "String")
    return text_form(rt, args[0])


def is_in(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """``in(x)``: a part, item or key of `x`."""
    check_count(name, args, 2)
    return test_in(rt, args[0], args[1])


def _compares(op: str) -> Test:
    def compares(rt: Runtime, args: list[Value], name: str = "") -> bool:
        check_count(name, args, 2, 2)
        return compare(rt, op, args[0], args[1])

    compares.__doc__ = f"``{op}(x)``: compares numbers by value, strings as text; else false."
    return compares


_SMALL_INTS = range(-5, 257)
_MADE = frozenset({Array, Tuple, Object, SparseObject})


def is_sameas(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """None, equal Booleans, equal small Integers, else the very same object.

    Where the fast form shares objects that are different values in the reference, Deoptimise is raised.
    """
    check_count(name, args, 2)
    left, right = args[0], args[1]
    if type(left) in NUMBERS and left in _SMALL_INTS:
        left = plain(rt, left)
    if type(right) in NUMBERS and right in _SMALL_INTS:
        right = plain(rt, right)
    if type(left) is Undefined:
        return False
    if type(right) not in KINDS and not isinstance(right, Function) and not rt.exact:
        raise Deoptimise  # `left` was made plain, which lost its identity
    if left is None or type(left) is bool:
        return left is right
    if type(left) is int and left in _SMALL_INTS:
        return type(right) is int and left == right
    if rt.copied or isinstance(left, Function) or type(left) in _MADE:
        return left is right
    if rt.exact or plain(rt, left) is plain(rt, right) or type(left) is int or type(left) is float:
        raise Deoptimise
    return False


def _not_implemented(text: str) -> Test:
    def not_implemented(rt: Runtime, args: list[Value], name: str = "") -> bool:
        raise UnsupportedError(f"NotImplemented: {text}")

    not_implemented.__doc__ = "Refused, as in the reference."
    return not_implemented


_SEQUENCES = ("Object", "Array", "Tuple", "String", "Undefined")

TESTS: Mapping[str, Test] = MappingProxyType(
    {
        "boolean": _is_kind("Boolean"),
        "callable": _is_kind("Function"),
        "defined": is_defined,
        "divisibleby": is_divisibleby,
        "eq": _compares("eq"),
        "equalto": _compares("eq"),
        "escaped": _not_implemented("escaped test not implemented"),
        "even": is_even,
        "false": is_false,
        "filter": _not_implemented("filter test not implemented"),
        "float": _is_kind("Float"),
        "ge": _compares("ge"),
        "greaterthan": _compares("gt"),
        "gt": _compares("gt"),
        "in": is_in,
        "integer": _is_kind("Integer"),
        "iterable": _is_kind(*_SEQUENCES),
        "lessthan": _compares("lt"),
        "lower": is_lower,
        "lt": _compares("lt"),
        "mapping": _is_kind("Object"),
        "ne": _compares("ne"),
        "none": is_none,
        "number": _is_kind("Integer", "Float"),
        "odd": is_odd,
        "sameas": is_sameas,
        "sequence": _is_kind(*_SEQUENCES),
        "string": is_string,
        "test": is_test,
        "true": is_true,
        "undefined": is_undefined,
        "upper": is_upper,
    }
)
TEST_GLOBALS: Mapping[str, Builtin] = MappingProxyType(
    {f"test_is_{name}": partial(test, name=f"test_is_{name}") for name, test in TESTS.items()}
)
