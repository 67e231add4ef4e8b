"""Macros and callers as values, and calls whose callee is not known while compiling."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chatjinja.errors import OperationError
from chatjinja.runtime.kinds import plain, type_name
from chatjinja.runtime.loops import body_pieces, body_text
from chatjinja.runtime.objects import Function, KwArg, Value
from chatjinja.runtime.sourced import SourcedRuntime, body
from chatjinja.runtime.undefined import UNDEFINED, Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Parameter = tuple[str | None, Any, tuple[str, ...] | None]
"""Name, default function, names that the default reads. Without a name the parameter is malformed: as a
keyword if the second item is True, altogether if it is None."""


class BreakSignal(Exception):  # noqa: N818 -- control flow
    """``break`` outside a loop of its own macro: acts on the loop of the caller."""


class ContinueSignal(Exception):  # noqa: N818 -- control flow
    """``continue`` outside a loop of its own macro."""


def raise_signal(rt: Runtime, kind: str) -> Value:
    """``break`` or ``continue`` where no Python loop is in reach."""
    raise BreakSignal if kind == "Break" else ContinueSignal


class Macro(Function):
    """A ``macro`` of the template: one constant per macro statement."""

    __slots__ = ("body", "needs", "parameters")

    def __init__(
        self, name: str, body: Callable[..., None], parameters: tuple[Parameter, ...], needs: tuple[str, ...]
    ) -> None:
        self.name = name
        self.body = body
        self.parameters = parameters
        self.needs = needs

    def invoke(self, rt: Runtime, args: list[Value], scope: dict[str, Value] | None) -> Value:
        variables = scope or {}
        return self.run(rt, args, variables, [variables[name] for name in self.needs])

    def run(self, rt: Runtime, args: list[Value], scope: dict[str, Value], needs: list[Value]) -> Value:
        """Bind the arguments, run the body with the values in `needs`; its text."""
        values = [self.argument(rt, i, args, scope) for i in range(len(self.parameters))]
        out: list[Any] = []
        self.body(rt, out, *values, *needs)
        if isinstance(rt, SourcedRuntime):
            return body(rt, out)
        return body_pieces(rt, out) if rt.exact else body_text(rt, out)

    def argument(self, rt: Runtime, index: int, args: list[Value], scope: dict[str, Value]) -> Value:
        """Value of parameter number `index`; only parameters beyond the last argument use their default."""
        name, default, reads = self.parameters[index]
        if index < len(args):
            if name is None:
                raise self.malformed(default)
            for arg in args:
                if type(arg) is KwArg and arg.key == name:
                    if type(arg.value) is not Undefined:
                        return arg.value
                    break
            return UNDEFINED if type(args[index]) is KwArg else args[index]
        if name is None and default is True:
            raise self.malformed(default)
        if default is None:
            raise OperationError(f"Not enough arguments provided to '{self.name}'", code="macro-arguments")
        return default(rt, *[scope.get(read, UNDEFINED) for read in reads or ()])

    def malformed(self, default: Any) -> OperationError:
        what = "Keyword argument key must be an identifier" if default is True else "Invalid parameter type"
        return OperationError(f"{what} in '{self.name}'", code="macro-parameters")


class Caller(Function):
    """What ``caller()`` calls: a call block's body with the variables that it saw."""

    __slots__ = ("captured", "macro")

    def __init__(self, macro: Macro, captured: tuple[Value, ...]) -> None:
        self.name = "caller"
        self.macro = macro
        self.captured = captured

    def invoke(self, rt: Runtime, args: list[Value], scope: dict[str, Value] | None) -> Value:
        return self.macro.run(rt, args, scope or {}, list(self.captured))


def macro_text(rt: Runtime, body: Callable[..., None], *arguments: Value) -> Value:
    """Text of a macro whose arguments are bound already."""
    out: list[Any] = []
    body(rt, out, *arguments)
    return body_text(rt, out)


def check_callee(rt: Runtime, value: Value) -> Function:
    """The callee of a call block."""
    if isinstance(value, Function):
        return value
    raise OperationError(f"Callee is not a function: got {type_name(plain(rt, value))}", code="not-a-function")


def call_with_caller(
    rt: Runtime, function: Function, args: list[Value], scope: dict[str, Value] | None, caller: Caller
) -> Value:
    """Call with ``caller`` among the caller's variables."""
    return function.invoke(rt, args, {**(scope or {}), "caller": caller})
