"""Calls by generated code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from chatjinja.errors import UnknownNameError
from chatjinja.runtime.jinja.access import get_attr
from chatjinja.runtime.jinja.callables import Invocable
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.limits import exceeded

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

_STOPPED = "value was undefined because a callable raised a StopIteration exception"


def call(rt: Runtime, function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``function(…)`` of whatever the template calls."""
    if not isinstance(function, Invocable):
        if type(function) is Undefined:
            function.fail()
        raise TypeError(f"{type(function).__name__!r} object is not callable")
    rt.steps += 1
    if rt.steps > rt.stop_steps:
        raise exceeded(rt.limits, "steps")
    try:
        return function.invoke(rt, *args, **kwargs)
    except StopIteration:
        return Undefined(_STOPPED)


def call_method(rt: Runtime, owner: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """``owner.name(…)``"""
    function = rt.tables.members(type(owner)).methods.get(name)
    if function is None:
        return call(rt, get_attr(rt, owner, name), *args, **kwargs)
    rt.steps += 1
    if rt.steps > rt.stop_steps:
        raise exceeded(rt.limits, "steps")
    try:
        return function(rt, owner, *args, **kwargs)
    except StopIteration:
        return Undefined(_STOPPED)


def unknown(rt: Runtime, message: str, /, *args: Any, **kwargs: Any) -> NoReturn:
    """A filter or test that does not exist is reached."""
    raise UnknownNameError(message)


def spread(rt: Runtime, values: Any) -> Iterable[Any]:
    """What ``*values`` passes."""
    return values if type(values) in (list, tuple) else list(values)


def spread_dict(rt: Runtime, values: Any) -> Mapping[str, Any]:
    """What ``**values`` passes."""
    if type(values) is Undefined:
        values.fail()
    if not isinstance(values, Mapping):
        raise TypeError(f"argument after ** must be a mapping, not {type(values).__name__}")
    return {str.__str__(key) if isinstance(key, str) else key: value for key, value in values.items()}
