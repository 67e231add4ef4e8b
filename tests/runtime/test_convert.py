"""Values as text and as numbers."""

from __future__ import annotations

import math
from collections import UserDict, UserList
from typing import Any

import pytest

from chatjinja.errors import ContextError, LimitError, OperationError
from chatjinja.runtime import convert
from chatjinja.runtime.objects import Array, BuiltinFunction, KwArg, Object, SparseObject, Tuple
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.tables import LLAMA_CPP
from chatjinja.runtime.undefined import UNDEFINED, Undefined
from tests.runtime.support import Macro, exact, fast, inp, message_of, tmpl

UPPER = LLAMA_CPP.methods["String"]["upper"]
FIRST = LLAMA_CPP.methods["Array"]["first"]
ABS = LLAMA_CPP.methods["Integer"]["abs"]


@pytest.mark.parametrize(
    ("value", "printed", "json"),
    [
        (3.0, "3.0", "3"),
        (1.5, "1.5", "1.5"),
        (1.2345678e-05, "0.000012", "1.23457e-05"),
        (1e21, "1000000000000000000000.0", "1e+21"),
        (-0.0, "-0.0", "-0"),
        (0.25, "0.25", "0.25"),
        (1 / 3, "0.333333", "0.333333"),
        (math.inf, "inf", "inf"),
        (-math.inf, "-inf", "-inf"),
        (math.nan, "nan", "nan"),
        (-math.nan, "-nan", "-nan"),
    ],
)
def test_floats(value: float, printed: str, json: str) -> None:
    assert convert.float_text(value) == printed
    assert convert.float_json(value) == json


PRINTED = [
    ("a", "a"),
    (1, "1"),
    (True, "True"),
    (1.0, "1.0"),
    (None, ""),
    (UNDEFINED, ""),
    ({"a": 1}, ""),
    (Macro("m"), ""),
    (KwArg("a", 1), ""),
    ([1, "a", None, [2.5, [True]], {"x": 1}], "1a2.5True"),
    (Tuple((1, (2,))), "12"),
    ([UserList([1, "b"]), UserDict(a=1), Macro("m"), BuiltinFunction("f", ABS)], "1b"),
    (UserList([1]), "1"),
    (UserDict(), ""),
]


@pytest.mark.parametrize(("value", "text"), PRINTED)
def test_printing(value: Any, text: str) -> None:
    assert convert.print_text(fast(), value) == text
    pieces: list[tuple[str, bool]] = []
    convert.print_pieces(exact(), value, pieces)
    assert "".join(piece[0] for piece in pieces) == text


def test_printing_in_pieces() -> None:
    pieces: list[tuple[str, bool]] = []
    convert.print_pieces(exact(), Array(["a", inp(""), tmpl("t"), 5, Array([True])]), pieces)
    assert pieces == [("a", True), ("", True), ("t", False), ("5", False), ("True", False)]
    assert convert.print_text(exact(), Array([inp("\udcc3"), tmpl("\udca9")])) == "é"
    assert convert.print_text(exact(), inp("x")) == "x"


def test_printing_integers_beyond_int64() -> None:
    with pytest.raises(Deoptimise):
        convert.print_text(fast(), 2**63)
    assert convert.print_text(exact(), 2**63) == "-9223372036854775808"
    assert convert.print_text(exact(), 2**64) == "18446744073709551616.0"


def test_printing_has_limits() -> None:
    loop = Array()
    loop.append(loop)
    with pytest.raises(LimitError) as caught:
        convert.print_text(fast(), loop)
    assert caught.value.limit == "data_depth"
    wide = Array()
    for _ in range(40):
        wide = Array([wide, wide])
    with pytest.raises(LimitError) as caught:
        convert.print_text(fast(steps=1000), wide)
    assert caught.value.limit == "steps"
    rt = fast(value=30_000)
    assert len(convert.print_text(rt, ["x" * 20_000])) == 20_000
    assert rt.has_big_strings
    with pytest.raises(LimitError):
        convert.print_text(rt, ["x" * 20_000, "x" * 20_000])


def test_printing_what_is_no_value() -> None:
    bad = {1, 2}
    with pytest.raises(ContextError) as caught:
        convert.print_text(fast({"m": [bad]}), [bad])
    assert caught.value.pointer == "/m/0"


TEXTS = [
    ("a", "a"),
    (tmpl("a"), "a"),
    (1, "1"),
    (True, "True"),
    (2.0, "2.0"),
    (None, "None"),
    ([], "[]"),
    (Tuple(), "()"),
    (Tuple((1,)), "(1,)"),
    (Tuple((1, 2)), "(1, 2)"),
    ((1,), "[1]"),
    ({}, "{}"),
    (["a", 1, None, True, 2.5], "['a', 1, None, True, 2.5]"),
    ({"k": "v", 1: 2.5}, "{'k': 'v', 1: 2.5}"),
    (['it\'s "q"\n'], '["it\'s \\"q\\"\\n"]'),
    ([UNDEFINED, Undefined("x")], "[Undefined, Undefined (hint: 'x')]"),
    ([KwArg("a", 1)], "[KwArg]"),
    ([Macro("m")], "[Function<m>()]"),
    ([BuiltinFunction("range", ABS)], "[Function<range>()]"),
    ([BuiltinFunction("abs", ABS, -1)], "[Function<abs>(-1)]"),
    ([BuiltinFunction("first", FIRST, ["a"])], "[Function<first>(['a'])]"),
    ([BuiltinFunction("keys", FIRST, {"a": 1})], "[Function<keys>({'a': 1})]"),
    ([BuiltinFunction("x", ABS, Undefined("q"))], "[Function<x>(Undefined (hint: 'q'))]"),
    ([UserList(["x"]), tmpl("it's")], "[['x'], \"it's\"]"),
    (UserDict(a=[]), "{'a': []}"),
    (SparseObject(a=UNDEFINED), "{'a': Undefined}"),
    (Object({Tuple((1, "a")): 1}), "{(1, 'a'): 1}"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_text_form(value: Any, text: str) -> None:
    assert convert.text_form(fast(), value) == text


@pytest.mark.parametrize(
    ("value", "name"), [(UNDEFINED, "Undefined"), (Undefined("x"), "Undefined (hint: 'x')"), (Macro("m"), "Function")]
)
def test_no_text_form(value: Any, name: str) -> None:
    assert message_of(lambda: convert.text_form(fast(), value)) == f"{name} is not a string value"


def test_repr_of_a_method_of_a_string_shows_its_pieces() -> None:
    method = BuiltinFunction("upper", UPPER, "x")
    with pytest.raises(Deoptimise):
        convert.repr_text(fast(), [method])
    mixed = BuiltinFunction("upper", UPPER, convert.Marked((("a", True), ("b", False))))
    text = convert.repr_text(exact(), Array([method, mixed]))
    assert text == "[Function<upper>(INPUT: x\n), Function<upper>(INPUT: a\nTMPL:  b\n)]"


def test_repr_has_limits() -> None:
    loop = Array()
    loop.append(loop)
    with pytest.raises(LimitError) as caught:
        convert.text_form(fast(), loop)
    assert caught.value.limit == "data_depth"
    wide: Any = Array()
    for _ in range(40):
        wide = Array([wide, wide])
    with pytest.raises(LimitError) as caught:
        convert.text_form(fast(value=10_000), wide)
    assert caught.value.limit == "value"
    with pytest.raises(LimitError):
        convert.text_form(fast(value=1000), ["x" * 600, "x" * 600, "x"])
    rt = fast()
    assert len(convert.text_form(rt, ["x" * 20_000])) == 20_004
    assert rt.has_big_strings


def test_data_that_contains_itself() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = [loop]
    with pytest.raises(ContextError) as caught:
        convert.text_form(fast({"data": loop}), loop)
    assert (caught.value.code, caught.value.pointer) == ("context-cyclic", "/data/again/0")


@pytest.mark.parametrize(
    ("value", "number"),
    [(5, 5), (True, 1), (2.9, 2), (-2.9, -2), (math.inf, 0), (math.nan, 0)],
)
def test_int_form(value: Any, number: int) -> None:
    result = convert.int_form(fast(), value)
    assert result == number
    assert type(result) is int


class Five(int):
    pass


class Half(float):
    pass


def test_int_form_of_the_callers_types() -> None:
    assert convert.int_form(fast(), Five(5)) == 5
    assert convert.int_form(fast(), Half(1.5)) == 1
    assert convert.int_form(exact(), 2**64 - 1) == -1
    assert message_of(lambda: convert.int_form(exact(), 2**64)) == "integer overflow"
    assert message_of(lambda: convert.int_form(fast(), 1e30)) == "integer overflow"
    assert message_of(lambda: convert.to_int64(math.nan)) == "integer overflow"


@pytest.mark.parametrize("value", ["1", None, [], UNDEFINED, Macro("m"), UserList(), KwArg("a", 1)])
def test_no_number(value: Any) -> None:
    with pytest.raises(OperationError, match="is not an int value"):
        convert.int_form(fast(), value)
    with pytest.raises(OperationError, match="is not a float value"):
        convert.float_form(fast(), value)


def test_float_form() -> None:
    rt = exact()
    assert convert.float_form(rt, 5) == 5.0
    assert convert.float_form(rt, 2.5) == 2.5
    assert convert.float_form(rt, 2**60) == 2.0**60
    assert convert.float_form(rt, 2**60 + 1) == math.inf
    assert convert.float_form(rt, -(2**60) - 1) == -math.inf
    assert convert.float_form(rt, 2**70) == 2.0**70
    assert convert.float_form(rt, Five(5)) == 5.0
    assert convert.float_form(rt, Half(1.5)) == 1.5
    assert message_of(lambda: convert.float_form(rt, True)) == "Boolean is not a float value"


@pytest.mark.parametrize(
    ("text", "base", "number"),
    [
        ("12a", 10, 12),
        (" \t\n\v\f\r+7", 10, 7),
        ("-5", 10, -5),
        ("+-5", 10, None),
        ("", 10, None),
        ("x", 10, None),
        ("0x1f", 16, 31),
        ("0x", 16, 0),
        ("-0X1F", 16, -31),
        ("1f", 16, 31),
        ("0x1f", 0, 31),
        ("0xg", 0, 0),
        ("+0x10", 0, 16),
        ("017", 0, 15),
        ("08", 0, 0),
        ("19", 0, 19),
        ("zz", 36, 1295),
        ("102", 2, 2),
        ("2147483647", 10, 2147483647),
        ("2147483648", 10, None),
        ("-2147483648", 10, -2147483648),
        ("0" * 100 + "1", 10, 1),
        ("1" * 100, 10, None),
    ],
)
def test_integers_read_as_c_does(text: str, base: int, number: int | None) -> None:
    assert convert.parse_int32(text, base) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5x", 1.5),
        (" \v+3.", 3.0),
        ("-.5e-3", -0.0005),
        ("1e", 1.0),
        ("0e-999", 0.0),
        ("-0", -0.0),
        ("0x1p-3", 0.125),
        ("0x.8p1", 1.0),
        ("-0x0", -0.0),
        ("0x0.0", 0.0),
        ("0x", 0.0),
        ("0x1p99999", None),
        ("0x1p-99999", None),
        ("infinite", math.inf),
        ("-INFINITY", -math.inf),
        ("1e999", None),
        ("1e-310", None),
        ("1e-9999", None),
        ("abc", None),
        (".", None),
        ("", None),
    ],
)
def test_floats_read_as_c_does(text: str, number: float | None) -> None:
    assert repr(convert.parse_float(text)) == repr(number)


def test_nan_keeps_its_sign() -> None:
    assert convert.float_text(convert.parse_float("nan") or 0) == "nan"
    assert convert.float_text(convert.parse_float("-NaN") or 0) == "-nan"


def test_made_strings() -> None:
    assert convert.made(fast(), "a") == "a"
    assert convert.made(exact(), "a").pieces == (("a", False),)
    with pytest.raises(LimitError):
        convert.made(fast(value=17_000), "x" * 18_000)


def test_cuts() -> None:
    assert convert.cut(fast(), "é".encode()) == "é"
    assert convert.cut(exact(), b"\xc3") == "\udcc3"
    with pytest.raises(Deoptimise):
        convert.cut(fast(), b"\xc3")


def test_text_that_is_no_text() -> None:
    with pytest.raises(ContextError, match=r"lone surrogate U\+D800") as caught:
        convert.as_bytes("a\ud800")
    assert caught.value.code == "context-encoding"
