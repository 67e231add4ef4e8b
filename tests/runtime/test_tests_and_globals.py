"""Tests and global functions."""

from __future__ import annotations

import time
from collections import UserDict, UserList
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from chatjinja.errors import ContextError, LimitError, RaisedError, UnknownNameError, UnsupportedError
from chatjinja.runtime.globals import GLOBALS, format_time
from chatjinja.runtime.marked import pieces_of
from chatjinja.runtime.objects import Array, KwArg, LoopObject, Object, SparseObject, Tuple
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.tests import TESTS, apply_test
from chatjinja.runtime.undefined import UNDEFINED, Undefined
from tests.runtime.support import NOW, Macro, exact, fast, inp, kw, message_of, tmpl


def check(name: str, *args: Any, make: Any = fast) -> Any:
    return apply_test(make(), name, list(args))


def call(name: str, *args: Any, make: Any = fast) -> Any:
    return GLOBALS[name](make(), list(args))


TRUE = [
    ("boolean", False),
    ("callable", Macro("m")),
    ("defined", None),
    ("undefined", UNDEFINED),
    ("none", None),
    ("true", True),
    ("false", False),
    ("integer", 1),
    ("float", 1.0),
    ("number", 1),
    ("number", 1.0),
    ("string", "a"),
    ("string", inp("a")),
    ("mapping", {}),
    ("mapping", UserDict()),
    ("mapping", LoopObject()),
    ("iterable", "a"),
    ("iterable", UNDEFINED),
    ("sequence", Tuple()),
    ("sequence", UserList()),
    ("sequence", {}),
    ("odd", -3),
    ("even", 0),
    ("lower", "a1é"),
    ("lower", ""),
    ("upper", "A1é"),
    ("test", "upper"),
]
FALSE = [
    ("boolean", 1),
    ("callable", "f"),
    ("defined", UNDEFINED),
    ("undefined", None),
    ("none", UNDEFINED),
    ("true", 1),
    ("false", 0),
    ("integer", True),
    ("float", 1),
    ("number", "1"),
    ("string", 1),
    ("mapping", []),
    ("iterable", 1),
    ("sequence", None),
    ("odd", 2),
    ("even", 1),
    ("lower", "aB"),
    ("upper", "aB"),
    ("test", "le"),
]


@pytest.mark.parametrize(("name", "value"), TRUE)
def test_true(name: str, value: Any) -> None:
    assert check(name, value) is True


@pytest.mark.parametrize(("name", "value"), FALSE)
def test_false(name: str, value: Any) -> None:
    assert check(name, value) is False


COMPARED = [
    ("eq", 1, 1.0, True),
    ("equalto", "a", "a", True),
    ("ne", 1, 2, True),
    ("ge", 2, 2, True),
    ("gt", "b", "a", True),
    ("greaterthan", 1, 2, False),
    ("lt", 1, 2, True),
    ("lessthan", 2, 1, False),
    ("in", 1, [1], True),
    ("in", "a", UNDEFINED, False),
    ("in", UNDEFINED, [Undefined("x")], True),
    ("in", "k", {"k": 1}, True),
    ("in", "b", "abc", True),
    ("divisibleby", 6, 3, True),
    ("divisibleby", -7, 3, False),
]


@pytest.mark.parametrize(("name", "left", "right", "result"), COMPARED)
@pytest.mark.parametrize("make", [fast, exact])
def test_two_values(name: str, left: Any, right: Any, result: bool, make: Any) -> None:
    assert check(name, left, right, make=make) is result


ERRORS: list[tuple[str, tuple[Any, ...], str]] = [
    ("nope", (1,), "Unknown test 'nope'"),
    ("odd", ("1",), "Function '' expected value of type Integer, got String"),
    ("odd", (True,), "Function '' expected value of type Integer, got Boolean"),
    ("even", (UNDEFINED,), "Function '' expected value of type Integer, got Undefined"),
    ("lower", (1,), "Function '' expected value of type String, got Integer"),
    ("upper", (None,), "Function '' expected value of type String, got None"),
    ("test", ([],), "Function '' expected value of type String, got Array"),
    ("eq", (1,), "Function '' expected between 2 and 2 arguments, got 1"),
    ("eq", (1, 2, 3), "Function '' expected between 2 and 2 arguments, got 3"),
    ("in", (1,), "Function '' expected between 2 and 999 arguments, got 1"),
    ("in", (1, "a"), "'in' test expects args[1] as string when args[0] is string, got args[1] as Integer"),
    ("in", (1, 2), "'in' test expects iterable as first argument, got Integer"),
    ("in", ([], {}), "Object key of unhashable type: Array"),
    ("sameas", (1,), "Function '' expected between 2 and 999 arguments, got 1"),
    ("divisibleby", (1,), "Function '' expected between 2 and 999 arguments, got 1"),
    ("divisibleby", (1.0, 1), "Function '' expected value of type Integer, got Float"),
    ("divisibleby", (1, "x"), "Function '' expected value of type Integer, got String"),
    ("divisibleby", (1, 0), "integer division or modulo by zero"),
    ("gt", (True, False), "Unsupported comparison operator for bool type"),
    ("escaped", (1,), "NotImplemented: escaped test not implemented"),
    ("filter", (1,), "NotImplemented: filter test not implemented"),
]


@pytest.mark.parametrize(("name", "args", "message"), ERRORS)
def test_errors(name: str, args: tuple[Any, ...], message: str) -> None:
    assert message_of(lambda: check(name, *args)) == message


def test_classes_of_errors() -> None:
    with pytest.raises(UnknownNameError):
        check("nope", 1)
    with pytest.raises(UnsupportedError):
        check("escaped", 1)
    with pytest.raises(ContextError):
        check("defined", b"")


@pytest.mark.parametrize("name", sorted(TESTS))
def test_each_test_is_a_global_that_knows_its_name(name: str) -> None:
    if name in ("escaped", "filter"):
        with pytest.raises(UnsupportedError):
            call(f"test_is_{name}")
    else:
        assert message_of(lambda: call(f"test_is_{name}")).startswith(f"Function 'test_is_{name}' expected between")


def test_sameas() -> None:
    array, made, macro = [1], Object(), Macro("m")
    assert check("sameas", None, None)
    assert not check("sameas", None, UNDEFINED)
    assert not check("sameas", UNDEFINED, UNDEFINED)
    assert check("sameas", True, True)
    assert not check("sameas", True, 1)
    assert check("sameas", 256, 256)
    assert not check("sameas", 1, 1.0)
    assert not check("sameas", 1, True)
    assert check("sameas", made, made)
    assert not check("sameas", made, Object())
    assert check("sameas", macro, macro)
    assert not check("sameas", array, [1])
    assert not check("sameas", "a", "b")
    shared = UserList()
    for left, right in ((array, array), ("a", "a"), (1000, 1000), (1.5, 2.5), (shared, shared)):
        with pytest.raises(Deoptimise):
            check("sameas", left, right)
    text = inp("a")
    assert check("sameas", text, text, make=exact)
    assert not check("sameas", text, inp("a"), make=exact)


GLOBAL_CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("range", (3,), Array([0, 1, 2])),
    ("range", (1, 3), Array([1, 2])),
    ("range", (5, 0, -2), Array([5, 3, 1])),
    ("range", (0, 5, 2), Array([0, 2, 4])),
    ("range", (5, 0), Array()),
    ("range", (0, True), Array([0])),
    ("dict", (), Object()),
    ("dict", ({"a": 1},), Object(a=1)),
    ("dict", ([["a", 1], Tuple((2, 3))],), Object({"a": 1, 2: 3})),
    ("namespace", tuple(kw(a=1, b=2)), Object(a=1, b=2)),
    ("namespace", ({"a": 1}, *kw(a=2)), Object(a=2)),
    ("dict", (UserDict(a=1),), Object(a=1)),
    ("dict", (UserList([UserList(["a", 1])]),), Object(a=1)),
    ("dict", tuple(kw(a=UNDEFINED)), SparseObject(a=UNDEFINED)),
    ("tojson", ([1],), "[1]"),
    ("strftime_now", ("%Y-%m-%d %H:%M:%S %z %Z",), "2026-01-02 03:04:05 +0000 UTC"),
    ("test_is_odd", (3,), True),
]


@pytest.mark.parametrize(("name", "args", "result"), GLOBAL_CASES)
def test_globals(name: str, args: tuple[Any, ...], result: Any) -> None:
    given = call(name, *args)
    assert given == result
    assert type(given) is type(result)


GLOBAL_ERRORS: list[tuple[str, tuple[Any, ...], str]] = [
    ("range", (), "Function 'range' expected between 1 and 3 arguments, got 0"),
    ("range", (1, 2, 3, 4), "Function 'range' expected between 1 and 3 arguments, got 4"),
    ("range", ("a",), "Function 'range' expected value of type Integer, got String"),
    ("range", (1, "a"), "String is not an int value"),
    ("range", (1, KwArg("stop", 2)), "KwArg is not an int value"),
    ("range", (1, 2, 0), "range() step argument must not be zero"),
    ("dict", ([1],), "namespace/dict() iterable argument must consist of tuples, not Integer"),
    ("dict", ([[1, 2, 3]],), "namespace/dict() iterable argument must consist of tuples, not Array"),
    ("dict", ([[[], 2]],), "Object key of unhashable type: Array"),
    ("dict", (1,), "namespace/dict() arguments must be kwargs, dict and/or iterable of tuples, not Integer"),
    ("dict", ({}, {}), "namespace/dict() arguments must be kwargs, dict and/or iterable of tuples, not Object"),
    (
        "namespace",
        (*kw(a=1), Undefined("x")),
        "namespace/dict() arguments must be kwargs, dict and/or iterable of tuples, not Undefined (hint: 'x')",
    ),
    ("raise_exception", (), "Function 'raise_exception' expected between 1 and 999 arguments, got 0"),
    ("raise_exception", (1,), "Function 'raise_exception' expected value of type String, got Integer"),
    ("raise_exception", ("x",), "Jinja Exception: x"),
    ("strftime_now", (), "Function 'strftime_now' expected between 1 and 999 arguments, got 0"),
    ("strftime_now", (1,), "Function 'strftime_now' expected value of type String, got Integer"),
    ("strftime_now", ("",), "strftime_now: failed to format time"),
    ("strftime_now", ("x" * 100,), "strftime_now: failed to format time"),
    ("strftime_now", ("é" * 50,), "strftime_now: failed to format time"),
    ("strftime_now", ("\0x",), "strftime_now: failed to format time"),
]


@pytest.mark.parametrize(("name", "args", "message"), GLOBAL_ERRORS)
def test_errors_of_globals(name: str, args: tuple[Any, ...], message: str) -> None:
    assert message_of(lambda: call(name, *args)) == message


def test_raised() -> None:
    with pytest.raises(RaisedError, match="Jinja Exception: no") as caught:
        call("raise_exception", inp("no"), make=exact)
    assert caught.value.code == "raised"


def test_range_is_limited() -> None:
    assert len(GLOBALS["range"](fast(items=5), [5])) == 5
    for args in ([6], [0, 11, 2], [6, 0, -1], [2**62]):
        with pytest.raises(LimitError):
            GLOBALS["range"](fast(items=5), args)


def test_exact_form() -> None:
    assert call("strftime_now", tmpl("%Y"), make=exact).pieces == (("2026", False),)
    result = call("namespace", *kw(a=1), make=exact)
    assert pieces_of(next(iter(result))) == (("a", False),)


def test_times() -> None:
    zone = timezone(timedelta(hours=5, minutes=30), "IST")
    moment = NOW.astimezone(zone)
    assert format_time(moment, "%H:%M %z %Z %s %%s") == f"08:34 +0530 IST {int(NOW.timestamp())} %s"
    assert format_time(NOW, "%d %b %Y") == "02 Jan 2026"
    assert format_time(NOW, "a\0b") == "a"
    naive = datetime(2026, 7, 1, 12, 0)
    assert format_time(naive, "%d %H") == "01 12"
    summer = datetime(2026, 7, 1, tzinfo=UTC)
    assert format_time(summer, "%j") == "182"


def test_a_time_format_that_python_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> str:
        raise ValueError("Invalid format string")

    monkeypatch.setattr(time, "strftime", refuse)
    assert message_of(lambda: call("strftime_now", "%Y")) == "strftime_now: failed to format time"
