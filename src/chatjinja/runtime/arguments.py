"""Reading the arguments of built-ins, with the reference's messages. The value itself is argument 1."""

from __future__ import annotations

from chatjinja.errors import OperationError
from chatjinja.runtime.kinds import kind_of, type_name
from chatjinja.runtime.objects import KwArg, Value
from chatjinja.runtime.undefined import UNDEFINED, Undefined


def check_count(name: str, args: list[Value], low: int, high: int = 999) -> None:
    """Raise unless there are `low` to `high` arguments, keyword ones and the value itself counted."""
    if not low <= len(args) <= high:
        raise OperationError(
            f"Function '{name}' expected between {low} and {high} arguments, got {len(args)}", code="argument-count"
        )


def check_kind(name: str, value: Value, kind: str) -> None:
    """Raise unless the value is of the kind; a Tuple is an Array too."""
    found = kind_of(value)
    if found != kind and not (kind == "Array" and found == "Tuple"):
        raise OperationError(
            f"Function '{name}' expected value of type {kind}, got {type_name(value)}", code="argument-type"
        )


def keyword(args: list[Value], name: str) -> Value:
    """The value of the first keyword argument of that name, else Undefined."""
    for arg in args:
        if type(arg) is KwArg and arg.key == name:
            return arg.value
    return UNDEFINED


def keyword_or_position(args: list[Value], name: str, position: int) -> Value:
    """The keyword argument if given and not Undefined, else what stands at `position` unless a keyword does."""
    value = keyword(args, name)
    if type(value) is Undefined and position < len(args) and type(args[position]) is not KwArg:
        return args[position]
    return value


def required(name: str, args: list[Value], position: int) -> Value:
    """The argument at `position`, or the error that there are not enough."""
    if position < len(args):
        return args[position]
    raise OperationError(
        f"Function '{name}' expected at least {position + 1} arguments, got {len(args)}", code="argument-count"
    )
