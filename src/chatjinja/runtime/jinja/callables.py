"""What a template can call.

Nothing here is callable for Python: generated code calls `Invocable.invoke`, so a value of the caller's that
happens to be callable never is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.marked import MadeFloat, MadeInt, Marked, TemplateText

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

ADDRESS = "0x7f0000000000"
"""Stands for the memory address in the repr of an object, so that output does not depend on the run."""

Function = Callable[..., Any]
"""``function(rt, *args, **kwargs)``; arity errors are Python's TypeErrors."""


class Invocable:
    """Base of all values that a template can call."""

    __slots__ = ()

    @abstractmethod  # no ABC: asking for the type is a hot path
    def invoke(self, rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
        """The result; raises what the function raises."""


class Builtin(Invocable):
    """A global function.

    Attributes:
        name: its name in templates.
        shown: how it prints.
    """

    __slots__ = ("function", "name", "shown")

    def __init__(self, name: str, function: Function, shown: str) -> None:
        self.name = name
        self.function = function
        self.shown = shown

    def invoke(self, rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
        return self.function(rt, *args, **kwargs)

    def __repr__(self) -> str:
        return self.shown


_BUILTINS = {"Group": "_GroupTuple", "Lazy": "generator"}
"""Types of this package in place of others whose methods are built into Python."""
_PYTHON: dict[type, type] = {TemplateText: str, Marked: str, MadeInt: int, MadeFloat: float}
"""What the types of marked values are without marks."""


class BoundMethod(Invocable):
    """A method of a value, as in ``text.upper``."""

    __slots__ = ("function", "name", "owner")

    def __init__(self, owner: Any, name: str, function: Function) -> None:
        self.owner = owner
        self.name = name
        self.function = function

    def invoke(self, rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
        return self.function(rt, self.owner, *args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return type(other) is BoundMethod and other.owner is self.owner and other.name == self.name

    def __hash__(self) -> int:
        return hash((id(self.owner), self.name))

    def __repr__(self) -> str:
        kind = _python_type(self.owner)
        if issubclass(kind, str) and self.name.startswith("format"):
            return f"<function str.{self.name} at {ADDRESS}>"  # the sandbox has one of its own
        builtin = kind.__name__ if kind.__module__ == "builtins" else _BUILTINS.get(kind.__name__)
        if builtin is None:
            return f"<bound method {kind.__name__}.{self.name} of {self.owner!r}>"
        return f"<built-in method {self.name} of {builtin} object at {ADDRESS}>"


def _python_type(value: Any) -> type:
    """The type that a value has without marks."""
    if isinstance(value, Markup):
        return Markup
    return _PYTHON.get(type(value), type(value))
