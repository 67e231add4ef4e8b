"""Methods and filters of Object, Integer, Float, Boolean, None and Undefined."""

from __future__ import annotations

import math
from collections import UserDict
from typing import Any

import pytest

from chatjinja.runtime.convert import float_text
from chatjinja.runtime.objects import Array, LoopObject, Object, SparseObject, Tuple
from chatjinja.runtime.scalars import UNDEFINED_METHODS
from chatjinja.runtime.undefined import UNDEFINED, Undefined
from tests.runtime.support import Macro, apply, exact, inp, message_of

CASES: list[tuple[Any, str, tuple[Any, ...], dict[str, Any], Any]] = [
    ({"a": 1}, "get", ("a",), {}, 1),
    ({"a": 1}, "get", ("b",), {}, None),
    ({"a": 1}, "get", ("b", 2), {}, 2),
    (SparseObject(a=UNDEFINED), "get", ("a", 2), {}, UNDEFINED),
    (UserDict(a=1), "get", ("a",), {}, 1),
    ({"a": 1, 2: 3}, "keys", (), {}, Array(["a", 2])),
    ({"a": 1, 2: 3}, "values", (), {}, Array([1, 3])),
    ({"a": 1, 2: 3}, "items", (), {}, Array([Tuple(("a", 1)), Tuple((2, 3))])),
    ({"a": 1}, "length", (), {}, 1),
    ({"a": "b"}, "string", (), {}, "{'a': 'b'}"),
    ({"a": 1.0}, "tojson", (), {}, '{"a": 1}'),
    ({"b": 1, "a": 2}, "dictsort", (), {}, Object(a=2, b=1)),
    ({"b": 1, "a": 2}, "dictsort", (), {"by": "value"}, Object(b=1, a=2)),
    ({"b": 1, "a": 2}, "dictsort", (False, "key", True), {}, Object(b=1, a=2)),
    ({"b": 1, "a": 2}, "dictsort", (), {"by": 1}, Object(a=2, b=1)),
    (SparseObject(b=UNDEFINED, a=1), "dictsort", (), {}, SparseObject(a=1, b=UNDEFINED)),
    ({}, "dictsort", (), {}, Object()),
    (-3, "abs", (), {}, 3),
    (-3, "int", (), {}, -3),
    (3, "float", (), {}, 3.0),
    (2**60 + 1, "float", (), {}, float(2**60)),
    (3, "string", (), {}, "3"),
    (3, "safe", (), {}, "3"),
    (3, "tojson", (), {}, "3"),
    (0, "default", (1,), {}, 0),
    (0, "default", (1, True), {}, 1),
    (-1.5, "abs", (), {}, 1.5),
    (1.5, "abs", (), {}, 1.5),
    (-1.9, "int", (), {}, -1),
    (1.5, "float", (), {}, 1.5),
    (1e21, "string", (), {}, "1e+21"),
    (1e21, "safe", (), {}, "1e+21"),
    (True, "int", (), {}, 1),
    (False, "float", (), {}, 0.0),
    (True, "string", (), {}, "True"),
    (False, "safe", (), {}, "False"),
    (True, "tojson", (), {}, "true"),
    (False, "default", (1, True), {}, 1),
    (False, "default", (1,), {"boolean": False}, False),
    (None, "default", (1,), {}, 1),
    (None, "string", (), {}, "None"),
    (None, "safe", (), {}, "None"),
    (None, "tojson", (), {}, "null"),
    (None, "items", (), {}, Array()),
    (None, "map", ("x",), {}, Array()),
    (Undefined("x"), "default", (1,), {}, 1),
    (Undefined("x"), "default", (1, True), {}, 1),
]


@pytest.mark.parametrize(("value", "name", "args", "keywords", "result"), CASES)
def test_methods(value: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any], result: Any) -> None:
    given = apply(value, name, *args, **keywords)
    assert given == result
    assert type(given) is type(result)
    if isinstance(result, dict):
        assert list(given.items()) == list(result.items())


def test_keys_are_hashable_only_once() -> None:
    assert [type(item) for item in apply({"a": 1}, "items")] == [Tuple]


def test_nan() -> None:
    assert float_text(apply(-math.nan, "abs")) == "-nan"
    assert float_text(apply(-math.nan, "float")) == "-nan"


@pytest.mark.parametrize("name", sorted(UNDEFINED_METHODS.keys() - {"default"}))
def test_undefined(name: str) -> None:
    result = apply(Undefined("x"), name)
    assert not result
    assert type(result) in (str, int, Array, Undefined)
    if type(result) is Undefined:
        assert result.hint == ""


ERRORS: list[tuple[Any, str, tuple[Any, ...], str]] = [
    ({}, "get", (), "Function 'get' expected between 2 and 3 arguments, got 1"),
    ({}, "get", (1,), "get: second argument must be a string (key)"),
    ({}, "join", (), "NotImplemented: object join not implemented"),
    ({}, "default", (1,), "Unknown (built-in) filter 'default' for type Object"),
    ({}, "dictsort", (False, "key", Macro("m")), "Function is not a bool value"),
    ({True: 1, False: 2}, "dictsort", (), "Unsupported comparison operator for bool type"),
    (LoopObject(index=1), "items", (), "Unknown (built-in) filter 'items' for type Object"),
    (-(2**63), "abs", (), "integer overflow"),
    (math.inf, "int", (), "integer overflow"),
    (1e30, "int", (), "integer overflow"),
    (True, "abs", (), "Unknown (built-in) filter 'abs' for type Boolean"),
    (Undefined("x"), "items2", (), "Unknown (built-in) filter 'items2' for type Undefined (hint: 'x')"),
    (Macro("m"), "string", (), "Function has no builtins"),
]


@pytest.mark.parametrize(("value", "name", "args", "message"), ERRORS)
def test_errors(value: Any, name: str, args: tuple[Any, ...], message: str) -> None:
    assert message_of(lambda: apply(value, name, *args)) == message


def test_exact_form() -> None:
    assert apply(Object({inp("k"): inp("v")}), "get", "k", rt=exact()).pieces == (("v", True),)
    assert apply(2**64 - 1, "abs", rt=exact()) == 1
    assert apply(2**64 - 1, "int", rt=exact()) == -1
    assert apply(2**64 - 1, "float", rt=exact()) == -1.0
