"""Kinds of values, and what the caller's own types stand for."""

from __future__ import annotations

import decimal
import enum
from collections import OrderedDict, UserDict, UserList, namedtuple
from typing import Any

import pytest

from chatjinja.errors import ContextError, LimitError, OperationError
from chatjinja.runtime.kinds import (
    LARGEST_KEY,
    canonical_int,
    context_type_error,
    is_hashable,
    is_immutable_key,
    kind_of,
    methods_of,
    plain,
    pointer_to,
    type_name,
    wrapped,
)
from chatjinja.runtime.objects import Array, BuiltinFunction, KwArg, LoopObject, Object, SparseObject, Tuple
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.undefined import UNDEFINED, Undefined
from tests.runtime.support import Macro, exact, fast, inp


class Color(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 3


class Loud(str):
    def __str__(self) -> str:
        return "!" + super().__str__()


class Ratio(float):
    pass


Pair = namedtuple("Pair", "a b")

KINDS = [
    (True, "Boolean"),
    (1, "Integer"),
    (1.0, "Float"),
    ("", "String"),
    (inp("x"), "String"),
    ([], "Array"),
    ((), "Array"),
    (Array(), "Array"),
    (Tuple(), "Tuple"),
    ({}, "Object"),
    (Object(), "Object"),
    (SparseObject(), "Object"),
    (LoopObject(), "Object"),
    (None, "None"),
    (UNDEFINED, "Undefined"),
    (KwArg("a", 1), "KwArg"),
    (BuiltinFunction("range", lambda rt, args: None), "Function"),
    (Macro("m"), "Function"),
    (Color.RED, "String"),
    (Level.LOW, "Integer"),
    (Ratio(1), "Float"),
    (OrderedDict(), "Object"),
    (UserDict(), "Object"),
    (UserList(), "Array"),
    (Pair(1, 2), "Array"),
]


@pytest.mark.parametrize(("value", "kind"), KINDS)
def test_kind(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize("value", [b"", bytearray(), memoryview(b""), set(), decimal.Decimal(1), object()])
def test_no_kind(value: Any) -> None:
    with pytest.raises(ContextError, match="is not a template value"):
        kind_of(value)
    with pytest.raises(ContextError) as caught:
        plain(fast({"a/b": [0, {"~": value}]}), value)
    assert caught.value.pointer == "/a~1b/1/~0"
    assert caught.value.code == "context-type"
    assert "at /a~1b/1/~0" in caught.value.message


def test_type_name_of_undefined() -> None:
    assert type_name(Undefined("x")) == "Undefined (hint: 'x')"
    assert type_name(UNDEFINED) == "Undefined"


@pytest.mark.parametrize(
    ("value", "made"),
    [
        (Color.RED, "red"),
        (Loud("a"), "a"),
        (Level.LOW, 3),
        (Ratio(1.5), 1.5),
        (OrderedDict(a=1), {"a": 1}),
        (UserDict(a=1), {"a": 1}),
        (UserList([1]), [1]),
        (Pair(1, 2), [1, 2]),
        (range(3), [0, 1, 2]),
    ],
)
def test_plain(value: Any, made: Any) -> None:
    result = plain(fast(), value)
    assert result == made
    assert type(result) is type(made)


def test_plain_is_made_once_and_leaves_own_types_alone() -> None:
    rt = fast()
    mapping = UserDict(a=1)
    assert plain(rt, mapping) is plain(rt, mapping)
    macro = Macro("m")
    assert plain(rt, macro) is macro


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (2**63 - 1, 2**63 - 1),
        (2**63, -(2**63)),
        (2**64 - 1, -1),
        (2**64, 1.8446744073709552e19),
        (-(2**63) - 1, -9.223372036854775808e18),
        (10**400, float("inf")),
        (-(10**400), float("-inf")),
    ],
)
def test_big_integers(value: int, result: float) -> None:
    assert wrapped(value) == result
    assert type(wrapped(value)) is type(result)
    assert canonical_int(exact(), value) == result
    if result != value:
        with pytest.raises(Deoptimise):
            canonical_int(fast(), value)


@pytest.mark.parametrize(
    ("value", "key", "hashable"),
    [
        (1, True, True),
        ("x", True, True),
        (None, True, True),
        (KwArg("a", 1), True, True),
        (UNDEFINED, False, False),
        (Macro("m"), False, False),
        (Array(), False, True),
        (Array([1, "a"]), False, True),
        (Array([Array()]), False, False),
        (Object(a=1), False, True),
        (Object(a=Array()), False, False),
        (Tuple((1, Tuple("a"))), True, True),
        (Tuple((1, Tuple((Array(),)))), False, False),
        ((1,), False, True),
    ],
)
def test_keys(value: Any, key: bool, hashable: bool) -> None:
    assert is_immutable_key(value) is key
    assert is_hashable(value) is hashable


def test_a_key_must_not_unfold_to_too_many_values() -> None:
    value = Tuple((1,))
    for _ in range(60):
        value = Tuple((value, value))
    with pytest.raises(LimitError) as caught:
        is_immutable_key(value)
    assert caught.value.limit == "items"
    assert is_immutable_key(Tuple(range(LARGEST_KEY)))


def test_methods() -> None:
    rt = fast()
    assert "upper" in methods_of(rt, "x")
    assert "first" in methods_of(rt, Tuple())
    assert not methods_of(rt, LoopObject(first=True))
    assert "get" in methods_of(rt, OrderedDict())
    for value, kind in ((Macro("m"), "Function"), (KwArg("a", 1), "KwArg")):
        with pytest.raises(OperationError, match=f"{kind} has no builtins"):
            methods_of(rt, value)


def test_pointers() -> None:
    bad = object()
    key = frozenset({1})
    loop: list[Any] = []
    loop.append(loop)
    assert pointer_to(bad, bad) == ""
    assert pointer_to({"a": [], "b": loop, "c": {1: bad}}, bad) == "/c/1"
    assert pointer_to({"a": {key: 1}}, key) == "/a/frozenset({1})"
    assert pointer_to({"a": 1}, bad) is None
    assert pointer_to({"a": object()}, bad) is None
    assert "the top" in context_type_error(fast(bad), bad).message  # type: ignore[arg-type]
    message = "the context holds a value of type object, which is not a template value"
    assert context_type_error(fast(), bad).message == message
