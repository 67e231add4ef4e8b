"""Methods and filters of Array and Tuple."""

from __future__ import annotations

from collections import UserDict
from typing import Any

import pytest

from chatjinja.errors import LimitError
from chatjinja.runtime.objects import Array, KwArg, LoopObject, Object, Tuple
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.undefined import UNDEFINED, Undefined
from tests.runtime.support import Macro, apply, exact, fast, inp, kw, message_of

ITEMS = [{"n": 2, "s": "b", "ok": True}, {"n": 10, "s": "a", "ok": False}, {"n": 1, "s": "c"}]

CASES: list[tuple[Any, str, tuple[Any, ...], dict[str, Any], Any]] = [
    ([1, 2], "first", (), {}, 1),
    ([1, 2], "last", (), {}, 2),
    ([], "first", (), {}, UNDEFINED),
    ([], "last", (), {}, UNDEFINED),
    ([1, 2], "length", (), {}, 2),
    ([1, 2], "count", (), {}, 2),
    (Tuple((1, 2)), "list", (), {}, Array([1, 2])),
    (Tuple((1, 2)), "reverse", (), {}, Tuple((2, 1))),
    ((1, 2), "reverse", (), {}, Array([2, 1])),
    (Tuple((1, 2, 3)), "slice", (0, 2, 1), {}, Tuple((1, 2))),
    ([1, "a"], "string", (), {}, "[1, 'a']"),
    ([1, 2.5], "tojson", (), {}, "[1, 2.5]"),
    ([], "default", (1,), {}, []),
    ([], "default", (1, True), {}, 1),
    (["a", 1, 2.0], "join", (), {}, "a12.0"),
    (["a", "b"], "join", (", ",), {}, "a, b"),
    (["a", "b"], "join", (), {"d": 1}, "a1b"),
    (["a", "b"], "join", (UNDEFINED,), {}, "ab"),
    ([], "join", (",",), {}, ""),
    (ITEMS, "join", ("-", "n"), {}, "2-10-1"),
    (ITEMS, "join", (), {"attribute": "s"}, "bac"),
    ([["x", "y"]], "join", (), {"attribute": 1}, "y"),
    ([["x", "y"]], "join", (), {"attribute": "1"}, "y"),
    ([["x", "y"]], "join", (), {"attribute": True}, "y"),
    (ITEMS, "map", (), {"attribute": "n"}, [2, 10, 1]),
    (ITEMS, "map", (), {"attribute": "ok"}, [True, False, UNDEFINED]),
    (ITEMS, "map", (), {"attribute": "ok", "default": 5}, [True, False, 5]),
    (ITEMS, "map", (), {"default": 5}, [5, 5, 5]),
    (["x"], "map", (), {"attribute": "n"}, [UNDEFINED]),
    ([[1], [2]], "map", (), {"attribute": -1}, [1, 2]),
    ([[1], [2]], "map", (), {"attribute": "-1"}, [UNDEFINED, UNDEFINED]),
    ([[1], [2]], "map", (), {"attribute": 1}, [UNDEFINED, UNDEFINED]),
    ([[1]], "map", (), {"attribute": "99999999999999999999999"}, [UNDEFINED]),
    ([[1]], "map", (), {"attribute": "9999999999999999999"}, [UNDEFINED]),
    ([[1]], "map", (), {"attribute": 1.0}, [UNDEFINED]),
    ([UserDict(a=1)], "map", (), {"attribute": "a"}, [1]),
    ([LoopObject(a=1)], "map", (), {"attribute": "a"}, [1]),
    (Tuple(({"a": 1},)), "map", (), {"attribute": "a"}, Tuple((1,))),
    ([3, 1, 2], "sort", (), {}, [1, 2, 3]),
    ([3, 1, 2], "sort", (True,), {}, [3, 2, 1]),
    ([1], "sort", (), {}, [1]),
    (["b", "C", "a"], "sort", (), {}, ["C", "a", "b"]),
    (["é", "a", "z"], "sort", (), {"reverse": True}, ["é", "z", "a"]),
    (["\udc80", "é"], "sort", (), {}, ["\udc80", "é"]),
    ([2.5, 1, "2"], "sort", (), {}, [1, "2", 2.5]),
    ([2**60 + 1, 5, 2**60], "sort", (), {}, [5, 2**60, 2**60 + 1]),
    (Tuple((2, 1)), "sort", (), {}, Tuple((1, 2))),
    (ITEMS, "sort", (), {"attribute": "n"}, [ITEMS[2], ITEMS[0], ITEMS[1]]),
    (ITEMS, "sort", (False, True, "s"), {}, [ITEMS[1], ITEMS[0], ITEMS[2]]),
    ([3.0, 1.0, *range(20)], "sort", (), {}, [0, 1.0, 1, 2, 3.0, *range(3, 20)]),
    ([[1], None, {}], "sort", (), {}, [[1], None, {}]),
    ([2, 1.5, "0"], "sort", (), {}, ["0", 1.5, 2]),
    ([3, 1, 2], "min", (), {}, 1),
    ([3, 1, 2], "max", (), {}, 3),
    ([], "min", (), {}, UNDEFINED),
    ([], "max", (), {}, UNDEFINED),
    (ITEMS, "max", (), {"attribute": "n"}, ITEMS[1]),
    (ITEMS, "min", (False, "s"), {}, ITEMS[1]),
    ([None, 1], "max", (), {}, None),
    (ITEMS, "select", ("ok",), {}, [ITEMS[0]]),
    (ITEMS, "selectattr", ("ok",), {}, [ITEMS[0]]),
    (ITEMS, "reject", ("ok",), {}, [ITEMS[1], ITEMS[2]]),
    (ITEMS, "rejectattr", ("s", "eq", "b"), {}, [ITEMS[1], ITEMS[2]]),
    (ITEMS, "selectattr", ("n", "gt", 1), {}, [ITEMS[0], ITEMS[1]]),
    ([1, 2, 3], "select", ("ge", 2), {}, [2, 3]),
    ([1, 2, 3], "reject", ("odd", None), {}, [2]),
    (Tuple((1, 2)), "select", ("odd", None), {}, Array([1])),
]


@pytest.mark.parametrize(("value", "name", "args", "keywords", "result"), CASES)
def test_methods(value: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any], result: Any) -> None:
    given = apply(value, name, *args, **keywords)
    assert given == result
    assert isinstance(given, type(result))
    if isinstance(result, list):
        assert [type(item) for item in given] == [type(item) for item in result]


def test_map_of_undefined_has_no_hint() -> None:
    assert apply([{}], "map", attribute="x")[0].hint == ""


ERRORS: list[tuple[Any, str, tuple[Any, ...], dict[str, Any], str]] = [
    (["a", True], "join", (), {}, "join() can only join arrays of strings or numerics"),
    ([{}], "join", (), {"attribute": "x"}, "join() can only join arrays of strings or numerics"),
    (["a"], "join", (Macro("m"),), {}, "Function is not a string value"),
    ([], "join", (1, 2, 3), {}, "Function 'join' expected between 1 and 3 arguments, got 4"),
    ([], "map", (), {}, "Function 'map' expected between 2 and 999 arguments, got 1"),
    ([], "map", ("upper",), {}, "NotImplemented: map: filter-mapping not implemented"),
    ([{}], "map", (), {"attribute": []}, "Object key of unhashable type: Array"),
    ([True, False], "sort", (), {}, "Unsupported comparison operator for bool type"),
    ([1, 2], "sort", (1, 2, 3, 4), {}, "Function 'sort' expected between 1 and 4 arguments, got 5"),
    ([True], "max", (), {}, "Unsupported comparison operator for bool type"),
    ([True], "min", (1, 2, 3, 4), {}, "Function 'min' expected between 1 and 4 arguments, got 5"),
    ([], "select", (), {}, "Function 'select' expected between 2 and 4 arguments, got 1"),
    ([], "rejectattr", (1,), {}, "Function 'rejectattr' expected value of type String, got Integer"),
    ([], "selectattr", ("x", "defined"), {}, "selectattr: unknown test 'x'"),
    ([], "reject", ("x", "nope", 1), {}, "selectattr: unknown test 'nope'"),
    ([], "select", ("x", UNDEFINED, 1), {}, "Undefined is not a string value"),
    ([{"a": Macro("m")}], "select", ("a",), {}, "Function is not a bool value"),
    ([1], "select", ("string", 1, 2, 3), {}, "Function 'select' expected between 2 and 4 arguments, got 5"),
    ([1, "a"], "select", ("odd", 1), {}, "Function '' expected value of type Integer, got String"),
    ([], "append", (), {}, "Function 'append' expected between 2 and 999 arguments, got 1"),
    (Tuple(), "append", (1,), {}, "Attempting to modify immutable type"),
    (Tuple((1,)), "pop", (), {}, "Attempting to modify immutable type"),
    (Array(), "pop", (), {}, "Index -1 out of bounds for array of size 0"),
    (Array([1]), "pop", (-3,), {}, "Index -2 out of bounds for array of size 1"),
    (Array([1]), "pop", (1,), {}, "Index 1 out of bounds for array of size 1"),
    (Array([1]), "pop", (1, 2), {}, "Function 'pop' expected between 1 and 2 arguments, got 3"),
    (Array([1]), "pop", ("x",), {}, "String is not an int value"),
    ([], "slice", (None, 1, 1), {}, "Function 'slice' expected value of type Integer, got None"),
    ([], "unique", (), {}, "NotImplemented: Array unique builtin not implemented"),
    ([], "upper", (1,), {}, "Unknown (built-in) filter 'upper' for type Array"),
]


@pytest.mark.parametrize(("value", "name", "args", "keywords", "message"), ERRORS)
def test_errors(value: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any], message: str) -> None:
    assert message_of(lambda: apply(value, name, *args, **keywords)) == message


def test_changing() -> None:
    array = Array([1, 2, 3])
    assert apply(array, "append", 4) is array
    assert array == [1, 2, 3, 4]
    assert apply(array, "pop") == 4
    assert apply(array, "pop", 0) == 1
    assert apply(array, "pop", -2) == 2
    assert array == [3]
    append = KwArg("x", 1)
    assert apply(array, "append", append)[-1] is append
    with pytest.raises(LimitError):
        apply(Array([1]), "append", 2, rt=fast(items=1))


@pytest.mark.parametrize("value", [[1], (1,)])
def test_the_context_is_not_changed(value: Any) -> None:
    with pytest.raises(Deoptimise):
        apply(value, "append", 2)
    with pytest.raises(Deoptimise):
        apply(value, "pop")


def test_sorting_more_than_sixteen_mixed_values() -> None:
    numbers = [float(number) for number in range(30, 0, -1)]
    assert apply(numbers, "sort") == sorted(numbers)
    assert apply(numbers, "sort", reverse=True) == numbers
    assert apply([*numbers, 3], "sort", attribute="x") == [*numbers, 3]


def test_join_is_limited() -> None:
    with pytest.raises(LimitError):
        apply(["x" * 600] * 3, "join", rt=fast(value=1000))
    with pytest.raises(LimitError):
        apply(["x"] * 3, "join", "y" * 600, rt=fast(value=1000))


def test_exact_form() -> None:
    items = Array([Object({inp("k"): inp("v")}), Object()])
    assert apply(items, "map", rt=exact(), attribute=inp("k")) == ["v", UNDEFINED]
    assert apply(items, "select", inp("k"), rt=exact()) == [items[0]]
    assert apply(Array([inp("b"), inp("a")]), "sort", rt=exact()) == ["a", "b"]
    assert apply(Array([inp("b")]), "select", inp("eq"), inp("b"), rt=exact()) == ["b"]
    assert apply([["x"]], "map", *kw(attribute=Undefined("q")))[0] is not None
