"""Strings in pieces."""

from __future__ import annotations

import operator
from typing import Any

import pytest

from chatjinja.errors import LimitError, UnsupportedError
from chatjinja.runtime.marked import NO_PIECES, Marked, all_input, has_raw, pieces_of, rejoin
from chatjinja.runtime.objects import Object
from chatjinja.runtime.strings import character_at, string_length
from chatjinja.runtime.tables import LLAMA_CPP, LLAMA_CPP_EXACT
from chatjinja.runtime.undefined import OBJECT_PROPERTY
from tests.runtime.support import apply, exact, fast, inp, message_of, tmpl

MIXED = Marked(((" In", True), ("<T> ", False)))


def test_a_marked_string_is_equal_to_its_text() -> None:
    assert MIXED == " In<T> "
    assert Marked(((" In<T> ", True),)) == MIXED
    assert MIXED != "x"
    assert MIXED != 1
    assert hash(MIXED) == hash(" In<T> ")
    assert {" In<T> ": 1}[MIXED] == 1  # type: ignore[index]
    assert Object({MIXED: 1})[" In<T> "] == 1
    assert MIXED
    assert not NO_PIECES
    assert len(MIXED) == 7
    assert repr(tmpl("a")) == "Marked((('a', False),))"


@pytest.mark.parametrize(
    "use",
    [
        str,
        "{}".format,
        lambda m: f"{m}",
        lambda m: m + "a",
        lambda m: "a" + m,
        lambda m: m * 2,
        lambda m: 2 * m,
        lambda m: m % 1,
        list,
        lambda m: "a" in m,
        lambda m: m[0],
        lambda m: "".join([m]),
    ],
)
def test_a_marked_string_is_never_silently_a_plain_one(use: Any) -> None:
    with pytest.raises(TypeError):
        use(MIXED)


def test_bytes() -> None:
    assert not has_raw("aé")
    assert has_raw("\udcff")
    assert rejoin("\udcc3\udca9\udcff") == "é\udcff"
    assert rejoin("é") == "é"
    assert Marked((("\udcc3", True), ("\udca9", False))).text == "é"


def test_flags() -> None:
    assert pieces_of("a") == (("a", True),)
    assert all_input("a")
    assert all_input(inp("a"))
    assert all_input(NO_PIECES)
    assert not all_input(MIXED)


def test_both_tables_have_the_same_names() -> None:
    for kind, methods in LLAMA_CPP.methods.items():
        assert methods.keys() == LLAMA_CPP_EXACT.methods[kind].keys()


PIECES: list[tuple[Any, str, tuple[Any, ...], Any]] = [
    (MIXED, "upper", (), ((" IN", True), ("<T> ", False))),
    (MIXED, "lower", (), ((" in", True), ("<t> ", False))),
    (Marked((("aB", True), ("cD", False))), "capitalize", (), (("Ab", True), ("Cd", False))),
    (Marked((("a b", True), ("c", False))), "title", (), (("A B", True), ("C", False))),
    (MIXED, "string", (), MIXED.pieces),
    (MIXED, "safe", (), MIXED.pieces),
    (MIXED, "strip", (), (("In", True), ("<T>", False))),
    (MIXED, "lstrip", (), (("In", True), ("<T> ", False))),
    (MIXED, "rstrip", ("> T",), ((" In", True), ("<", False))),
    (Marked(((" ", True), ("", False), (" a", True), (" ", False))), "strip", (), (("a", True),)),
    (Marked(((" ", True), (" ", False))), "strip", (), ()),
    (Marked(((" ", True), (" ", False))), "rstrip", (), ()),
    (NO_PIECES, "strip", (), ()),
    (inp("aXa"), "replace", (tmpl("X"), tmpl("<t>")), (("a<t>a", True),)),
    (MIXED, "replace", ("I", "J"), ((" Jn<T> ", False),)),
    (NO_PIECES, "replace", ("", tmpl("x")), (("x", True),)),
    ("é", "replace", ("", "-"), (("-\udcc3-\udca9-", True),)),
    (MIXED, "slice", (0, 2, 1), ((" I", False),)),
    (inp("aé"), "slice", (0, 2, 1), (("a\udcc3", True),)),
    (inp("a\nb"), "indent", (2,), (("a\n  b", True),)),
    ("{}-{}!", "format", (tmpl("t"), 5), (("t", False), ("-", True), ("5", False), ("!", True))),
    (tmpl("x{}{}"), "format", ("a", inp("")), (("x", False), ("a", True), ("", True))),
    ("a", "tojson", (), (('"a"', False),)),
    ("", "default", ("x",), None),
]


@pytest.mark.parametrize(("value", "name", "args", "pieces"), PIECES)
def test_what_methods_do_to_pieces(value: Any, name: str, args: tuple[Any, ...], pieces: Any) -> None:
    result = apply(value, name, *args, rt=exact())
    if pieces is None:
        assert result is value
    else:
        assert result.pieces == pieces


def test_string_is_a_new_string_and_safe_the_same() -> None:
    rt = exact()
    assert apply(MIXED, "string", rt=rt) is not MIXED
    assert apply(MIXED, "safe", rt=rt) is MIXED


@pytest.mark.parametrize(
    ("name", "args", "flags"),
    [("split", (",",), [False, False, True]), ("rsplit", (",",), [True, False, False]), ("split", ("é",), [True])],
)
def test_split(name: str, args: tuple[Any, ...], flags: list[bool]) -> None:
    parts = apply("a,b,c", name, *args, rt=exact())
    assert [part.pieces[0][1] for part in parts] == flags
    assert not any(part.pieces[0][1] for part in apply(tmpl("a,b,c"), name, *args, rt=exact()))


def test_results_that_are_no_strings() -> None:
    rt = exact()
    assert apply(inp("é"), "length", rt=rt) == 2
    assert apply(inp("12"), "int", rt=rt) == 12
    assert apply(tmpl("1.5"), "float", rt=rt) == 1.5
    assert apply(inp("abc"), "startswith", tmpl("ab"), rt=rt) is True
    assert apply("abc", "endswith", inp("x"), rt=rt) is False


def test_made_strings_are_template_text() -> None:
    rt = exact()
    assert apply([inp("a"), "b"], "join", tmpl(","), rt=rt).pieces == (("a,b", False),)
    assert apply([inp("a")], "string", rt=rt).pieces == (("['a']", False),)
    assert apply({"a": 1}, "string", rt=rt).pieces == (("{'a': 1}", False),)
    assert apply(True, "string", rt=rt).pieces == (("True", False),)
    assert apply(None, "string", rt=rt).pieces == (("None", False),)
    assert apply(5, "string", rt=rt).pieces == (("5", False),)
    assert apply(OBJECT_PROPERTY, "upper", rt=rt).pieces == ()
    assert character_at(rt, inp("ab"), 1).pieces == (("b", False),)
    assert string_length(inp("é")) == 2
    assert string_length("é") == 2


def test_format_errors() -> None:
    rt = exact(value=20_000)
    assert message_of(lambda: apply("{}", "format", rt=rt)) == "Function 'format' expected at least 2 arguments, got 1"
    with pytest.raises(UnsupportedError, match="only supports simple"):
        apply("{0}", "format", 1, rt=rt)
    with pytest.raises(LimitError):
        apply("{}{}", "format", "x" * 15_000, "x" * 15_000, rt=rt)
    assert len(apply("{}", "format", "x" * 17_000, rt=rt).text) == 17_000
    assert rt.has_big_strings
    assert fast().has_big_strings is False


def test_order_is_that_of_the_text() -> None:
    one, other = Marked((("a", True), ("b", False))), Marked((("ac", False),))
    assert one < other
    assert one <= other
    assert other > one
    assert other >= one
    assert sorted([other, "aa", one]) == ["aa", "ab", "ac"]
    assert [one, 1] < [other, 0]
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(TypeError):
            compare(one, 1)
