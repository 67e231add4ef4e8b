"""Methods and filters of String."""

from __future__ import annotations

from typing import Any

import pytest

from chatjinja.errors import LimitError, UnsupportedError
from chatjinja.runtime.objects import KwArg
from chatjinja.runtime.state import Deoptimise, PiecesNeeded
from chatjinja.runtime.strings import character_at
from chatjinja.runtime.undefined import OBJECT_PROPERTY, UNDEFINED
from tests.runtime.support import Macro, apply, fast, message_of

CASES: list[tuple[str, str, tuple[Any, ...], dict[str, Any], Any]] = [
    ("aÉb", "upper", (), {}, "AÉB"),
    ("AéB", "lower", (), {}, "aéb"),
    ("abc", "upper", (), {}, "ABC"),
    ("ABC", "lower", (), {}, "abc"),
    ("hELLO wORLD", "capitalize", (), {}, "Hello world"),
    ("éA", "capitalize", (), {}, "éa"),
    ("", "capitalize", (), {}, ""),
    ("they're hELLO\twORLD\né-x", "title", (), {}, "They're Hello\tWorld\né-x"),
    ("aé", "length", (), {}, 3),
    ("ab", "length", (), {}, 2),
    (" \t\n\v\f\ra\x1c\xa0", "strip", (), {}, "a\x1c\xa0"),
    (" a ", "lstrip", (), {}, "a "),
    (" a ", "rstrip", (), {}, " a"),
    ("xxayx", "strip", ("xy",), {}, "a"),
    ("xxax", "lstrip", (), {"chars": "x"}, "ax"),
    ("1a1", "strip", (1,), {}, "a"),
    (" a ", "strip", (), {"chars": UNDEFINED}, "a"),
    (" a ", "strip", ("",), {}, " a "),
    ("aéa", "strip", ("éa",), {}, ""),
    ("aéb", "rstrip", ("éb",), {}, "a"),
    ("bab", "strip", ("éb",), {}, "a"),
    ("éab", "lstrip", ("é",), {}, "ab"),
    ("abc", "startswith", ("ab",), {}, True),
    ("abc", "endswith", ("ab",), {}, False),
    ("é", "startswith", ("\udcc3",), {}, True),
    ("é", "endswith", ("\udca9",), {}, True),
    ("a b  c", "split", (), {}, ["a", "b", "", "c"]),
    ("a,b,c", "split", (",", 1), {}, ["a", "b,c"]),
    ("a,b,c", "rsplit", (",", 1), {}, ["a,b", "c"]),
    ("a,b", "split", (",", 0), {}, ["a,b"]),
    ("a,b", "split", (",", -5), {}, ["a", "b"]),
    ("a1b", "split", (1,), {}, ["a", "b"]),
    ("a b", "rsplit", (), {}, ["a", "b"]),
    ("aXbX", "replace", ("X", "é"), {}, "aébé"),
    ("ab", "replace", ("", "-"), {}, "-a-b-"),
    ("ab", "replace", ("x", "x"), {}, "ab"),
    ("aa", "replace", ("a", "b", 0), {}, "bb"),
    ("aa", "replace", ("a", "b", -1), {}, "bb"),
    ("{}-{}}", "format", (1, "x"), {}, "1-x}"),
    ("{}", "format", ([None],), {}, "[None]"),
    ("12x", "int", (), {}, 12),
    ("x", "int", (), {}, 0),
    ("x", "int", (7,), {}, 7),
    ("ff", "int", (0, 16), {}, 255),
    ("ff", "int", (), {"base": 16}, 255),
    ("0x1f", "int", (), {"base": 0}, 31),
    ("9", "int", (), {"base": 2**32 + 10}, 9),
    ("x", "int", (), {"default": 2.5}, 2),
    ("1.5e1x", "float", (), {}, 15.0),
    ("x", "float", (), {}, 0.0),
    ("x", "float", (2,), {}, 2.0),
    ("x", "float", (), {"default": 1.5}, 1.5),
    ("a\nb", "indent", (), {}, "a\n    b"),
    ("a\nb", "indent", (2, True), {}, "  a\n  b"),
    ("a\n\nb\n", "indent", (2,), {}, "a\n\n  b\n"),
    ("a\n\nb\n", "indent", (2,), {"blank": True}, "a\n  \n  b\n  "),
    ("a\nb", "indent", ("> ",), {}, "a\n> b"),
    ("a\nb", "indent", (), {"width": None}, "a\n    b"),
    ("a\nb", "indent", (), {"width": 1, "first": True}, " a\n b"),
    ("\n\na\nb", "indent", (2,), {}, "a\n  b"),
    ("\n\na", "indent", (2, True), {}, "  \n\n  a"),
    ("\n\na", "indent", (0, True), {}, "a"),
    ("\n", "indent", (), {}, "\n"),
    ("\n", "indent", (2, True, True), {}, "  \n  "),
    ("", "indent", (2, True, True), {}, ""),
    ("é", "string", (), {}, "é"),
    ("é", "safe", (), {}, "é"),
    ('"', "tojson", (), {}, '"\\""'),
    ("", "default", ("d",), {}, ""),
    ("", "default", ("d", True), {}, "d"),
    ("a", "default", ("d",), {"boolean": True}, "a"),
]


@pytest.mark.parametrize(("text", "name", "args", "keywords", "result"), CASES)
def test_methods(text: str, name: str, args: tuple[Any, ...], keywords: dict[str, Any], result: Any) -> None:
    value = apply(text, name, *args, **keywords)
    assert value == result
    assert isinstance(value, type(result))


SLICES = [
    ((0, 2, 1), "ab"),
    ((-2, 10, 1), "de"),
    ((1, -1, 2), "bd"),
    ((-9, -9, 1), ""),
    ((4, 1, -1), "edc"),
    ((4, -1, -1), "edcba"),
    ((9, -1, -2), "eca"),
    ((-1, -3, -1), "ed"),
    ((-9, -1, -1), "a"),
    ((-9, -9, -1), "a"),
    ((2, -9, -1), "cba"),
    ((0, 3, True), "abc"),
]


@pytest.mark.parametrize(("bounds", "result"), SLICES)
def test_slices(bounds: tuple[int, int, int], result: str) -> None:
    assert apply("abcde", "slice", *bounds) == result
    assert apply(list("abcde"), "slice", *bounds) == list(result)


def test_slices_of_bytes() -> None:
    assert apply("aéb", "slice", 1, 3, 1) == "é"
    with pytest.raises(Deoptimise):
        apply("aéb", "slice", 2, 3, 1)
    assert apply("", "slice", -1, -1, -1) == ""


def test_indexes() -> None:
    rt = fast()
    assert character_at(rt, "ab", 1) == "b"
    assert character_at(rt, "ab", 2) is OBJECT_PROPERTY
    assert character_at(rt, "éb", 2) == "b"
    assert character_at(rt, "éb", 3) is OBJECT_PROPERTY
    with pytest.raises(Deoptimise):
        character_at(rt, "éb", 0)


@pytest.mark.parametrize(
    ("text", "name", "args"), [("é", "replace", ("", "-")), ("aé", "rstrip", ("\u0129",)), ("é", "split", ("\udca9",))]
)
def test_cuts_inside_a_character_are_for_the_exact_form(text: str, name: str, args: tuple[Any, ...]) -> None:
    with pytest.raises(Deoptimise):
        apply(text, name, *args)


def test_bytes_as_separator() -> None:
    assert apply("a\udcffb", "split", "\udcff") == ["a", "b"]
    assert apply("a\udcffb", "rsplit", "\udcff") == ["a", "b"]
    assert apply("a\udcffb", "replace", "\udcff", "-") == "a-b"


ERRORS: list[tuple[str, str, tuple[Any, ...], dict[str, Any], str]] = [
    ("a", "startswith", (), {}, "Function 'startswith' expected between 2 and 999 arguments, got 1"),
    ("a", "endswith", (1,), {}, "Function 'endswith' expected value of type String, got Integer"),
    ("a", "split", ("",), {}, "empty separator"),
    ("a", "split", (1, 2, 3), {}, "Function 'split' expected between 1 and 3 arguments, got 4"),
    ("a", "rsplit", (UNDEFINED,), {}, "Undefined is not a string value"),
    ("a", "split", (",", "x"), {}, "String is not an int value"),
    ("a", "split", (KwArg("sep", ","),), {}, "KwArg is not a string value"),
    ("a", "replace", ("a",), {}, "Function 'replace' expected between 3 and 999 arguments, got 2"),
    ("a", "replace", (1, "a"), {}, "Function 'replace' expected value of type String, got Integer"),
    ("a", "replace", ("a", None), {}, "Function 'replace' expected value of type String, got None"),
    ("a", "replace", ("a", "b", "c"), {}, "String is not an int value"),
    ("a", "replace", ("a", "b", 1), {}, "NotImplemented: String replace with count argument not implemented"),
    ("{}", "format", (), {}, "Function 'format' expected at least 2 arguments, got 1"),
    ("{}{x}", "format", (1,), {}, "NotImplemented: format() only supports simple '{}' placeholders"),
    ("{", "format", (1,), {}, "NotImplemented: format() only supports simple '{}' placeholders"),
    ("{}", "format", (UNDEFINED,), {}, "Undefined is not a string value"),
    ("1", "int", (0, 1), {}, "int() base must be 0 or between 2 and 36"),
    ("1", "int", (), {"base": -1}, "int() base must be 0 or between 2 and 36"),
    ("1", "int", (), {"base": "x"}, "String is not an int value"),
    ("x", "int", ("y",), {}, "String is not an int value"),
    ("x", "float", (True,), {}, "Boolean is not a float value"),
    ("a", "indent", (1, 2, 3, 4), {}, "Function 'indent' expected between 1 and 4 arguments, got 5"),
    ("a", "indent", (-1,), {}, "basic_string::_M_replace_aux"),
    ("a", "indent", (1, Macro("m")), {}, "Function is not a bool value"),
    ("a", "strip", (Macro("m"),), {}, "Function is not a string value"),
    ("a", "slice", (), {}, "Function 'slice' expected between 2 and 999 arguments, got 1"),
    ("a", "slice", (1, 2, 3, 4), {}, "Function 'slice' expected between 1 and 4 arguments, got 5"),
    ("a", "slice", (1.0, 2, 1), {}, "Function 'slice' expected value of type Integer, got Float"),
    ("a", "slice", (1,), {}, "Undefined is not an int value"),
    ("a", "slice", (1, 2), {}, "Undefined is not an int value"),
    ("a", "slice", (1, 2, 0), {}, "slice step cannot be zero"),
    ("a", "join", (), {}, "NotImplemented: String join builtin not implemented"),
    ("a", "default", (), {}, "Function 'default' expected between 2 and 3 arguments, got 1"),
    ("a", "default", (1, Macro("m")), {}, "Function is not a bool value"),
    ("a", "list", (), {}, "Unknown (built-in) filter 'list' for type String"),
    ("a", "e", (), {}, "Unknown (built-in) filter 'escape' for type String"),
]


@pytest.mark.parametrize(("text", "name", "args", "keywords", "message"), ERRORS)
def test_errors(text: str, name: str, args: tuple[Any, ...], keywords: dict[str, Any], message: str) -> None:
    assert message_of(lambda: apply(text, name, *args, **keywords)) == message


def test_not_implemented_is_a_class_of_its_own() -> None:
    with pytest.raises(UnsupportedError):
        apply("a", "join")


def test_default_may_give_a_keyword_argument() -> None:
    given = apply(None, "default", default_value="x")
    assert (given.key, given.value) == ("default_value", "x")


@pytest.mark.parametrize("name", ["capitalize", "title"])
def test_methods_that_show_pieces(name: str) -> None:
    rt = fast()
    rt.single_pieces = False
    with pytest.raises(PiecesNeeded):
        apply("ab", name, rt=rt)


def test_limits() -> None:
    rt = fast(value=40_000, items=100)
    for action in (
        lambda: apply("a" * 300, "replace", "a", "b" * 1000, rt=rt),
        lambda: apply("a" * 300, "replace", "", "b" * 1000, rt=rt),
        lambda: apply("\n" * 300 + "x", "indent", 1000, rt=rt),
        lambda: apply("x", "indent", 10**15, rt=rt),
        lambda: apply("{}{}", "format", "x" * 30_000, "x" * 30_000, rt=rt),
        lambda: apply("," * 200, "split", ",", rt=rt),
        lambda: apply("," * 200, "rsplit", ",", 150, rt=rt),
    ):
        with pytest.raises(LimitError):
            action()
    assert len(apply("," * 200, "split", ",", 50, rt=rt)) == 51
    assert not rt.has_big_strings
    for make in (
        lambda rt: apply("a" * 300, "replace", "a", "b" * 100, rt=rt),
        lambda rt: apply("x\ny", "indent", 20_000, rt=rt),
        lambda rt: apply("{}", "format", "x" * 20_000, rt=rt),
    ):
        rt = fast()
        assert len(make(rt)) >= 20_000
        assert rt.has_big_strings
