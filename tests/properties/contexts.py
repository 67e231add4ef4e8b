"""Contexts for the templates of `tests.properties.grammar`: plain ones, and ones with odd types and names."""

from __future__ import annotations

import enum
from collections import OrderedDict, UserDict, UserList, defaultdict, namedtuple
from types import MappingProxyType
from typing import Any

from tests.properties.grammar import CONTEXT


class Role(enum.StrEnum):
    USER = "user"
    HELLO = "Hello"


class Level(enum.IntEnum):
    THREE = 3


class Color(str, enum.Enum):  # noqa: UP042 -- formats otherwise than a StrEnum
    RED = "red é"


class Half(float):
    """A subclass with a text of its own."""

    def __str__(self) -> str:
        return "half"


Message = namedtuple("Message", ["role", "content"])


def foreign() -> dict[str, Any]:
    """The same shapes in types of the caller's own."""
    return {
        "s": Role.HELLO,
        "u": Color.RED,
        "n": Level.THREE,
        "f": Half(0.5),
        "flag": True,
        "nothing": None,
        "list": (1, "two", None, UserList([3]), MappingProxyType({"role": Role.USER})),
        "words": UserList(["b", Role.USER, "c"]),
        "pairs": [("k", 1), Message("l", 2)],
        "d": OrderedDict(
            role=Role.USER,
            content=Color.RED,
            x=defaultdict(dict, {"y": UserDict({"z": Level.THREE})}),
            items=5,
            list=range(1, 3),
        ),
        "messages": (
            UserDict({"role": Role.USER, "content": "Be brief."}),
            defaultdict(str, {"role": Color.RED, "content": "Hi é", "name": None}),
            MappingProxyType({"role": "assistant", "content": None, "calls": ({"name": "f", "x": {"y": 1}},)}),
        ),
    }


def numeric() -> dict[str, Any]:
    """Numbers at their limits, keys that are no strings, text that is no UTF-8."""
    return {
        **CONTEXT,
        "s": "a\udcc3\udca9'\\\"\n",
        "u": "\udcff é\udce2\udc82",
        "n": 2**53 + 1,
        "f": float("nan"),
        "list": [2**64 + 5, 2**63, -(2**63), float("inf"), -0.0, 1e300, True],
        "words": ["\udcc3", "\udca9", ""],
        "d": {"role": "user", 1: "one", 2.5: [1], None: "none", False: "no", "x": {3: {4: 5}}, "list": [2**53 + 1]},
    }


def renamed() -> dict[str, Any]:
    """The names of constants, globals and of generated code, given other meanings."""
    return {
        **CONTEXT,
        "true": 0,
        "none": "none?",
        "range": [1, 2],
        "namespace": {"x": 1},
        "loop": {"index": 9, "first": "F"},
        "caller": "nobody",
        "mac": "a string",
        "v_x": 1,
        "rt": 2,
        "out": 3,
        "ctx": 4,
        "type": 5,
        "a": {"role": "ra", "x": {"role": "deep"}},
        "b": ["x", "y"],
    }


def plain() -> dict[str, Any]:
    """The usual context."""
    return CONTEXT


CONTEXTS = (plain, foreign, numeric, renamed)
