"""Macros as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.callables import Function, Invocable
from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.output import body_text
from chatjinja.runtime.jinja.sound_output import block_text
from chatjinja.runtime.jinja.undefined import MISSING, Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


MacroBody = Callable[..., None]
"""``function(out, *parameters)``: prints to `out`. Counts itself as a call, and how deep it is."""


class Macro(Invocable):
    """A macro, or the caller that a call block passes.

    Attributes:
        function: its body; gets all parameters in order, `MISSING` for one without a value.
        name: None for a caller.
        arguments: names of the parameters.
        catch_kwargs, catch_varargs: whether other arguments are taken.
        caller: whether the body uses ``caller``.
    """

    __slots__ = ("arguments", "caller", "catch_kwargs", "catch_varargs", "function", "is_plain", "name")

    def __init__(
        self,
        function: MacroBody,
        name: str | None,
        arguments: tuple[str, ...],
        catch_kwargs: bool,
        catch_varargs: bool,
        caller: bool,
    ) -> None:
        self.function = function
        self.name = name
        self.arguments = arguments
        self.catch_kwargs = catch_kwargs
        self.catch_varargs = catch_varargs
        self.caller = caller
        self.is_plain = not (catch_kwargs or catch_varargs or caller)

    @property
    def explicit_caller(self) -> bool:
        """Whether one of the parameters is called ``caller``."""
        return "caller" in self.arguments

    def invoke(self, rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
        if kwargs or not self.is_plain or len(args) != len(self.arguments):
            args = self.bind(args, kwargs)
        return self.text(rt, self.function, *args)

    @staticmethod
    def text(rt: Runtime, function: MacroBody, *args: Any) -> Any:
        """What a macro prints."""
        out: list[Any] = []
        function(out, *args)
        text = body_text(rt, out)
        return Markup(text) if rt.autoescape else text

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The values of all parameters. TypeError if there are too many arguments."""
        count = len(self.arguments)
        values = list(args[:count])
        has_caller = self.explicit_caller
        if len(values) < count:
            has_caller = "caller" in self.arguments[len(values) :]
            values += [kwargs.pop(name, MISSING) for name in self.arguments[len(values) :]]
        if self.caller and not has_caller:
            caller = kwargs.pop("caller", None)
            values.append(Undefined("No caller defined", name="caller") if caller is None else caller)
        if self.catch_kwargs:
            values.append(kwargs)
        elif "caller" in kwargs:
            raise TypeError(f"macro {self.name!r} was invoked with two values for the special caller argument.")
        elif kwargs:
            raise TypeError(f"macro {self.name!r} takes no keyword argument {next(iter(kwargs))!r}")
        if self.catch_varargs:
            values.append(args[count:])
        elif len(args) > count:
            raise TypeError(f"macro {self.name!r} takes not more than {count} argument(s)")
        return tuple(values)

    def __repr__(self) -> str:
        return f"<Macro {'anonymous' if self.name is None else repr(self.name)}>"


class SoundMacro(Macro):
    """A macro of the sound form."""

    __slots__ = ()

    @staticmethod
    def text(rt: Runtime, function: MacroBody, *args: Any) -> Any:
        out: list[Any] = []
        function(out, *args)
        return block_text(rt, out)


def _attribute(name: str) -> Function:
    return lambda rt, macro: getattr(macro, name)


MACRO_ATTRIBUTES: Mapping[str, Function] = MappingProxyType(
    {
        name: _attribute(name)
        for name in ("arguments", "caller", "catch_kwargs", "catch_varargs", "explicit_caller", "name")
    }
)
"""What a template can ask a macro for."""
