"""JSON as the reference reads and writes it."""

from __future__ import annotations

from collections import UserDict
from typing import Any

import pytest

from chatjinja.chat.jsontext import JsonError, compact, indented, json_type, parse_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (' [1, 2.5, null, true, "é"] ', [1, 2.5, None, True, "é"]),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('{"a": 1, "b": 2, "a": 3}', {"a": 3, "b": 2}),
        ("9223372036854775808", 2**63),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", float(2**64)),
        ("-9223372036854775809", float(-(2**63) - 1)),
        ("1" * 30, float("1" * 30)),
        ("1e5", 100000.0),
        (r'"\ud83d\ude00"', "😀"),
    ],
)
def test_parses(text: str, value: Any) -> None:
    found = parse_json(text)
    assert found == value
    assert type(found) is type(value)


def test_a_repeated_key_keeps_its_first_place() -> None:
    assert list(parse_json('{"a": 1, "b": 2, "a": 3}')) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ('{"a": ', 6),
        ("\ufeff{'a': 1}", 2),
        ("1 2", 2),
        ("NaN", None),
        ("[-Infinity]", None),
        ("1e400", None),
        ("1" * 400, None),
        (r'"\ud800"', None),
        ('"\udc80"', None),
        ("[" * 100_000, None),
    ],
)
def test_refuses(text: str, position: int | None) -> None:
    with pytest.raises(JsonError) as caught:
        parse_json(text)
    assert caught.value.position == position
    assert caught.value.reference.startswith("[json.exception.")


def test_number_overflow_has_the_reference_s_words() -> None:
    with pytest.raises(JsonError) as caught:
        parse_json("[1E400]")
    assert caught.value.reference == "[json.exception.out_of_range.406] number overflow parsing '1E400'"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (-7, "-7"),
        (2**64, "18446744073709551616"),
        (1.5, "1.5"),
        (3.0, "3.0"),
        (-0.0, "-0.0"),
        (1e14, "100000000000000.0"),
        (1e15, "1e+15"),
        (-1234567890123456.0, "-1.234567890123456e+15"),
        (1e21, "1e+21"),
        (1e-5, "1e-05"),
        (0.0001, "0.0001"),
        (1234567890123456.5, "1234567890123456.5"),
        (float("nan"), "null"),
        ('a"\n\x01é', '"a\\"\\n\\u0001é"'),
        ([], "[]"),
        ({}, "{}"),
        ([1, [2], {"a": (3,)}], '[1,[2],{"a":[3]}]'),
        (UserDict({"k": "v"}), '{"k":"v"}'),
    ],
)
def test_compact(value: Any, text: str) -> None:
    assert compact(value) == text


def test_indented() -> None:
    assert indented([{"a": [], "b": {"c": 1}}]) == '[\n  {\n    "a": [],\n    "b": {\n      "c": 1\n    }\n  }\n]'


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        ("", "string"),
        (False, "boolean"),
        (1, "number"),
        (1.5, "number"),
        ({}, "object"),
        ([], "array"),
        ((), "array"),
        (b"", "bytes"),
    ],
)
def test_types(value: Any, name: str) -> None:
    assert json_type(value) == name
