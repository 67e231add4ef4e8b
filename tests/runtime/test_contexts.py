"""The deep copy of a context."""

from __future__ import annotations

import enum
from collections import UserDict, UserList
from typing import Any

import pytest

from chatjinja.errors import ContextError, LimitError
from chatjinja.runtime.contexts import copy_context, too_deep
from chatjinja.runtime.marked import Marked
from chatjinja.runtime.objects import Array, Object
from tests.runtime.support import exact, fast


class Role(enum.StrEnum):
    USER = "user"


class Level(enum.IntEnum):
    LOW = 3


def test_copy() -> None:
    shared = [1.5]
    context = {
        "s": "é",
        "n": 2**63,
        "b": True,
        "no": None,
        "role": Role.USER,
        "level": Level.LOW,
        "o": UserDict({"k": shared, 1: (2,), None: UserList(), Role.USER: {}}),
        "twice": [shared, shared],
    }
    copy = copy_context(exact(context), context)
    assert list(copy) == list(context)
    assert type(copy["s"]) is Marked
    assert copy["s"].pieces == (("é", True),)
    assert (copy["n"], copy["b"], copy["no"], copy["level"]) == (-(2**63), True, None, 3)
    assert copy["role"].pieces == (("user", True),)
    assert type(copy["o"]) is Object
    assert copy["o"] == {"k": [1.5], 1: [2], None: [], "user": {}}
    assert next(iter(copy["o"])).pieces == (("k", False),)
    first, second = copy["twice"]
    assert type(first) is Array
    assert first == second
    assert first is not second
    assert first[0] is not second[0]
    assert shared == [1.5]


def _failure(context: Any, **limits: int) -> ContextError | LimitError:
    with pytest.raises((ContextError, LimitError)) as caught:
        copy_context(exact(context, **limits), context)
    return caught.value


@pytest.mark.parametrize(
    ("context", "code", "pointer"),
    [
        ({"a": [b""]}, "context-type", "/a/0"),
        ({"a": {b"k": 1}}, "context-type", "/a/b'k'"),
        ({"a": {(1,): 1}}, "context-type", "/a/(1,)"),
        ({"a": {"b/c": {1}}}, "context-type", "/a/b~1c"),
        ({"a": ["x\ud800"]}, "context-encoding", "/a/0"),
    ],
)
def test_no_values(context: Any, code: str, pointer: str) -> None:
    error = _failure(context)
    assert (error.code, error.pointer) == (code, pointer)


def test_escaped_bytes_are_text() -> None:
    assert copy_context(exact(), {"a": "\udcff"})["a"].text == "\udcff"


def test_data_that_contains_itself() -> None:
    loop: list[Any] = [1]
    loop.append({"x": loop})
    error = _failure({"a": loop})
    assert (error.code, error.pointer) == ("context-cyclic", "/a/1/x")
    assert too_deep(fast({"a": loop})).code == "context-cyclic"


def test_depth() -> None:
    data: Any = []
    for _ in range(2):
        data = [data]
    copy_context(exact(data_depth=3), {"a": data})
    assert _failure({"a": data}, data_depth=2).limit == "data_depth"
    assert too_deep(fast({"a": data}, data_depth=2)).code == "limit-data-depth"
    assert too_deep(fast({"a": {1}})).code == "limit-data-depth"
    deep: Any = []
    for _ in range(199):
        deep = [deep]
    copy_context(exact(), {"a": deep})
    assert _failure({"a": [deep]}).limit == "data_depth"
