"""Values that templates make and JSON has no type for, and the marks by which made containers are told
from those of the context.

A list or dict of exactly the builtin type belongs to the caller and is never changed. What a template
makes is an `Array`, `Object` or `Tuple`; these may be changed (a Tuple never is).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chatjinja.errors import OperationError

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Value = Any
"""A template value: None, bool, int, float, str, dict, list or one of the classes here."""
Builtin = Callable[["Runtime", list[Value]], Value]
"""A filter, method, test or global: gets the runtime and all arguments, the value itself first."""


class Array(list[Value]):
    """A list that the template made."""

    __slots__ = ()


class Tuple(tuple[Value, ...]):
    """A tuple that the template made. (A tuple in the context is an Array, as JSON would have it.)"""

    __slots__ = ()


class Object(dict[Value, Value]):
    """A dict that the template made, without Undefined among its values."""

    __slots__ = ()


class SparseObject(Object):
    """An `Object` that holds an Undefined; an Object turns into one when it gets its first (`put`)."""

    __slots__ = ()


class LoopObject(Object):
    """The ``loop`` variable as an object: no built-in methods."""

    __slots__ = ()


class KwArg:
    """A keyword argument seen as a value."""

    __slots__ = ("key", "value")

    def __init__(self, key: str, value: Value) -> None:
        self.key = key
        self.value = value

    def __bool__(self) -> bool:
        raise OperationError("KwArg is not a bool value", code="no-truth")


class Function:
    """Something that can be called. Has no truth value."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __bool__(self) -> bool:
        raise OperationError("Function is not a bool value", code="no-truth")

    def invoke(self, rt: Runtime, args: list[Value], scope: dict[str, Value] | None) -> Value:
        """Call it. `scope` holds the caller's variables that macros may read (dynamic scope)."""
        # Every kind of function has its own. An abstract base class would say so, and make `isinstance` slow.
        raise NotImplementedError


NOT_BOUND = object()


class BuiltinFunction(Function):
    """A method bound to a value, or a global function (`bound` is NOT_BOUND)."""

    __slots__ = ("bound", "impl")

    def __init__(self, name: str, impl: Builtin, bound: Value = NOT_BOUND) -> None:
        self.name = name
        self.impl = impl
        self.bound = bound

    def invoke(self, rt: Runtime, args: list[Value], scope: dict[str, Value] | None) -> Value:
        if self.bound is NOT_BOUND:
            return self.impl(rt, args)
        return self.impl(rt, [self.bound, *args])
