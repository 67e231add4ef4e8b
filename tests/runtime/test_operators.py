"""Operators: equality, membership, arithmetic, concatenation, and their errors."""

from __future__ import annotations

import math
from typing import Any

import pytest

from chatjinja.errors import LimitError, OperationError
from chatjinja.runtime import operators as op
from chatjinja.runtime.convert import float_text
from chatjinja.runtime.objects import Array, KwArg, Object, Tuple
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.undefined import UNDEFINED, Undefined
from tests.runtime.support import Macro, exact, fast, inp, message_of, tmpl

INT_MAX = 2**63 - 1
MACRO = Macro("m")
NAN = math.nan
ONE = KwArg("a", UNDEFINED)

EQUAL = [
    (1, 1.0, True),
    (1, True, True),
    ("1", 1, False),
    ("a", "a", True),
    (None, None, True),
    (None, False, False),
    (NAN, NAN, False),
    (UNDEFINED, Undefined("x"), True),
    (UNDEFINED, None, False),
    (None, UNDEFINED, False),
    ([1, "a"], Array([1.0, "a"]), True),
    ([1], [2], False),
    ([1], [1, 2], False),
    ([[1]], [[1]], False),
    ([UNDEFINED], [UNDEFINED], False),
    ([1], [[1]], False),
    ([NAN], [NAN], False),
    ([], Tuple(), False),
    ((1,), [1], True),
    (Tuple((1,)), Tuple((True,)), True),
    ([Tuple((1,))], [Tuple((1,))], True),
    ([1], {"a": 1}, False),
    ({"a": 1}, Object(a=1), True),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
    ({"a": []}, {"a": []}, False),
    ({"a": 1}, {"a": []}, False),
    ({"a": 1}, {"a": 2}, False),
    ({"a": 1}, {}, False),
    ({}, [], False),
    (MACRO, MACRO, True),
    (MACRO, Macro("m"), False),
    (ONE, KwArg("a", ONE.value), True),
    (ONE, KwArg("b", ONE.value), False),
    (ONE, KwArg("a", None), False),
    (ONE, 1, False),
    (1, ONE, False),
    (inp("a"), tmpl("a"), True),
    (inp("a"), "a", True),
    ("a", inp("a"), True),
    ("b", inp("a"), False),
    (1, inp("1"), False),
    (inp("1"), 1, False),
]


@pytest.mark.parametrize(("left", "right", "result"), EQUAL)
def test_equal(left: Any, right: Any, result: bool) -> None:
    assert op.equal(fast(), left, right) is result


CONTAINS = [
    ("a", "cab", True),
    ("é", "né", True),
    ("a", ["b", "a"], True),
    ("a", Tuple(("b",)), False),
    ("a", {"a": 1}, True),
    ("a", Object(), False),
    ("a", UNDEFINED, False),
    (1, UNDEFINED, False),
    (1, [True], True),
    (1, {1.0: 2}, True),
    (1, Object(), False),
    (NAN, [NAN], False),
    (NAN, {NAN: 1}, False),
    (None, [None], True),
    (None, {None: 1}, True),
    (None, [], False),
    (Tuple((1,)), {Tuple((1,)): 2}, True),
    (Object(a=1), [{"a": 1}], True),
    (ONE, [ONE], True),
    (inp("a"), [tmpl("a")], True),
    (inp("a"), ["a"], True),
    (inp("a"), "cab", True),
    ("\udcc3", "\udcc3\udcc3", True),
    ("\udca9", "\u00e9", True),
]


@pytest.mark.parametrize(("left", "right", "result"), CONTAINS)
@pytest.mark.parametrize("make", [fast, exact])
def test_contains(make: Any, left: Any, right: Any, result: bool) -> None:
    assert op.contains(make(), left, right) is result
    assert op.not_contains(make(), left, right) is not result


TEXTS = [
    ("a", "b", "ab"),
    ("a", 1, "a1"),
    (1.5, "a", "1.5a"),
    ("a", True, "aTrue"),
    ("a", None, "a"),
    (UNDEFINED, "a", "a"),
    ("a", ["b", 1], "a['b', 1]"),
    ({"a": None}, "", "{'a': None}"),
    (Tuple((1,)), "x", "(1,)x"),
]


@pytest.mark.parametrize(("left", "right", "text"), TEXTS)
def test_joining_texts(left: Any, right: Any, text: str) -> None:
    assert op.concat(fast(), left, right) == text
    assert op.add(fast(), left, right) == text
    whole = op.concat(exact(), left, right)
    assert whole.text == text
    assert op.add(exact(), left, right) == whole


def test_pieces_are_kept() -> None:
    rt = exact()
    whole = op.add(rt, op.concat(rt, "in", tmpl("<t>")), 5)
    assert whole.pieces == (("in", True), ("<t>", False), ("5", False))
    assert op.concat(rt, None, inp("")).pieces == (("", True),)
    assert op.multiply(rt, 2, inp("a")).pieces == (("a", True), ("a", True))
    assert op.multiply(rt, inp(""), 10**12).pieces == (("", True),)
    assert op.multiply(rt, inp("a"), 0).pieces == ()
    assert op.concat(rt, inp("\udcc3"), tmpl("\udca9")).text == "é"


def test_concat_text() -> None:
    assert [op.concat_text(fast(), value) for value in (None, UNDEFINED, "a", 1)] == ["", "", "a", "1"]
    with pytest.raises(OperationError, match="Function is not a string value"):
        op.concat_text(fast(), MACRO)


ARITHMETIC = [
    (op.add, 1, 2, 3),
    (op.add, 1, 2.5, 3.5),
    (op.add, [1], Tuple((2,)), [1, 2]),
    (op.subtract, 5, 7, -2),
    (op.subtract, 5.0, 7, -2.0),
    (op.multiply, 3, -4, -12),
    (op.multiply, 1.5, 2, 3.0),
    (op.multiply, "ab", 3, "ababab"),
    (op.multiply, 2, "ab", "abab"),
    (op.multiply, "ab", -1, ""),
    (op.divide, 7, 2, 3.5),
    (op.divide, 4, 2, 2.0),
    (op.divide, 1, 0, math.inf),
    (op.divide, -1, 0, -math.inf),
    (op.divide, 1, -0.0, -math.inf),
    (op.divide, 9007199254740993, 2, math.inf),
    (op.divide, 2, -9007199254740993, -0.0),
    (op.modulo, 7, 3, 1),
    (op.modulo, -7, 3, -1),
    (op.modulo, 7, -3, 1),
    (op.modulo, 7.5, 2, 1.5),
    (op.modulo, -7.5, 2, -1.5),
    (op.modulo, 7, 0, -(2**63)),
    (op.add, INT_MAX - 1, 1, INT_MAX),
    (op.add, 9007199254740993, 1, 9007199254740994),
    (op.add, 9007199254740993, 0.5, math.inf),
    (op.add, 2**60, 0.0, float(2**60)),
]


@pytest.mark.parametrize(("function", "left", "right", "result"), ARITHMETIC)
def test_arithmetic(function: Any, left: Any, right: Any, result: Any) -> None:
    value = function(fast(), left, right)
    assert value == result
    assert isinstance(value, type(result))
    assert str(value) == str(result)


@pytest.mark.parametrize(
    ("function", "left", "right", "text"),
    [
        (op.divide, 0, 0, "-nan"),
        (op.divide, NAN, 0, "nan"),
        (op.modulo, 1.5, 0, "-nan"),
        (op.modulo, math.inf, 2, "-nan"),
        (op.modulo, NAN, 2, "nan"),
        (op.modulo, 2.0, NAN, "nan"),
    ],
)
def test_not_a_number(function: Any, left: Any, right: Any, text: str) -> None:
    assert float_text(function(fast(), left, right)) == text


COMPARISONS = [
    (1, 2, True, True, False, False),
    (2, 2, False, True, False, True),
    (1.5, 1, False, False, True, True),
    (9007199254740993, 9007199254740995, False, True, False, True),
    (9007199254740993, 1e300, False, False, True, True),
    (-9007199254740993, -1e300, True, True, False, False),
]


@pytest.mark.parametrize(("left", "right", "less", "less_equal", "greater", "greater_equal"), COMPARISONS)
def test_comparisons(left: Any, right: Any, less: bool, less_equal: bool, greater: bool, greater_equal: bool) -> None:
    rt = fast()
    assert op.less(rt, left, right) is less
    assert op.less_equal(rt, left, right) is less_equal
    assert op.greater(rt, left, right) is greater
    assert op.greater_equal(rt, left, right) is greater_equal


def test_unary() -> None:
    rt = fast()
    assert op.negate(rt, 3) == -3
    assert op.negate(rt, -1.5) == 1.5
    assert op.plus(rt, 3) == 3
    assert op.plus(rt, 1.5) == 1.5
    assert message_of(lambda: op.negate(rt, True)) == "Unary - operator requires numeric operand"
    assert message_of(lambda: op.plus(rt, "a")) == "Unary + operator requires numeric operand"
    assert message_of(lambda: op.negate(rt, -(2**63))) == "integer overflow"


@pytest.mark.parametrize(
    ("function", "left", "right"),
    [(op.add, INT_MAX, 1), (op.subtract, -(2**63), 1), (op.multiply, 2**40, 2**40)],
)
def test_overflow(function: Any, left: int, right: int) -> None:
    with pytest.raises(OperationError, match="integer overflow") as caught:
        function(fast(), left, right)
    assert caught.value.code == "integer-overflow"


def test_integers_beyond_int64() -> None:
    for function in (op.add, op.subtract, op.multiply, op.modulo):
        with pytest.raises(Deoptimise):
            function(fast(), 2**65, 1)
    assert op.add(exact(), 2**64 - 1, 3) == 2
    assert op.add(exact(), 2**65, 1) == float(2**65)
    assert op.modulo(exact(), 2**65, 3) == 2.0
    assert op.modulo(exact(), 2**64 - 1, 3) == -1
    assert op.less(exact(), 2**65, 3) is False


ERRORS = [
    (op.add, UNDEFINED, 1, "Cannot perform operation + on undefined values"),
    (op.concat, Undefined("x"), None, "Cannot perform operation ~ on undefined values"),
    (op.contains, UNDEFINED, [1], "Cannot perform operation in on undefined values"),
    (op.not_contains, UNDEFINED, [1], "Cannot perform operation not in on undefined values"),
    (op.divide, 1, UNDEFINED, "Cannot perform operation / on undefined values"),
    (op.add, None, 1, "Cannot perform operation on null values"),
    (op.contains, 1, None, "Cannot perform operation on null values"),
    (op.not_contains, "a", None, "Cannot perform operation on null values"),
    (op.less, None, None, "Cannot perform operation on null values"),
    (op.add, 1, True, 'Unknown operator "+" between Integer and Boolean'),
    (op.concat, 1, 2, 'Unknown operator "~" between Integer and Integer'),
    (op.subtract, "a", "b", 'Unknown operator "-" between String and String'),
    (op.multiply, "a", 1.5, 'Unknown operator "*" between String and Float'),
    (op.less, "a", "b", 'Unknown operator "<" between String and String'),
    (op.less_equal, "a", 1, 'Unknown operator "<=" between String and Integer'),
    (op.greater, True, 1, 'Unknown operator ">" between Boolean and Integer'),
    (op.greater_equal, [1], Tuple((1,)), 'Unknown operator ">=" between Array and Tuple'),
    (op.contains, [1], [[1]], 'Unknown operator "in" between Array and Array'),
    (op.contains, 1, "a", 'Unknown operator "in" between Integer and String'),
    (op.contains, 1, 2, 'Unknown operator "in" between Integer and Integer'),
    (op.contains, "a", 2, 'Unknown operator "in" between String and Integer'),
    (op.subtract, 1, [1], 'Unknown operator "-" between Integer and Array'),
    (op.modulo, 1, {}, 'Unknown operator "%" between Integer and Object'),
    (op.add, [1], {}, "Object key of unhashable type: Array"),
    (op.contains, {}, {}, "Object key of unhashable type: Object"),
    (op.contains, MACRO, {}, "Object key of unhashable type: Function"),
    (op.add, MACRO, "a", "Function is not a string value"),
    (op.add, "a", ONE, "KwArg is not a string value"),
    (op.contains, None, "abc", "'in' test expects args[1] as string when args[0] is string, got args[1] as None"),
    (op.contains, None, 1, "'in' test expects iterable as first argument, got Integer"),
]


@pytest.mark.parametrize(("function", "left", "right", "message"), ERRORS)
@pytest.mark.parametrize("make", [fast, exact])
def test_errors(make: Any, function: Any, left: Any, right: Any, message: str) -> None:
    assert message_of(lambda: function(make(), left, right)) == message


def test_limits() -> None:
    rt = fast(value=20_000, items=3)
    with pytest.raises(LimitError) as caught:
        op.add(rt, [1, 2], [3, 4])
    assert (caught.value.limit, caught.value.code) == ("items", "limit-items")
    big = "x" * 16_000
    for action in (
        lambda: op.add(rt, big, big),
        lambda: op.concat(rt, big, big),
        lambda: op.multiply(rt, "ab", 10**15),
        lambda: op.concat(rt, [big], big),
        lambda: op.concat(exact(value=20_000), big, big),
    ):
        with pytest.raises(LimitError, match="longer than 20000 characters"):
            action()
    assert len(op.multiply(rt, big, 1)) == 16_000
    assert not fast().has_big_strings
    rt = fast()
    assert len(op.multiply(rt, big, 2)) == 32_000
    assert rt.has_big_strings


def test_compare() -> None:
    rt = fast()
    assert op.compare(rt, "lt", "a", "b")
    assert op.compare(rt, "lt", 10, "9")
    assert op.compare(rt, "eq", 1.0, "1.0")
    assert op.compare(rt, "ge", 2, 2.0)
    assert op.compare(rt, "gt", "\u00e9", "\udc80")  # by bytes: C3 A9 is behind 80
    assert op.compare(rt, "ne", True, False)
    assert op.compare(rt, "eq", True, True)
    assert not op.compare(rt, "ne", None, 1)
    assert not op.compare(rt, "eq", None, None)
    assert not op.compare(rt, "eq", True, 1)
    assert not op.compare(rt, "eq", [1], "x")
    assert message_of(lambda: op.compare(rt, "lt", True, False)) == "Unsupported comparison operator for bool type"
