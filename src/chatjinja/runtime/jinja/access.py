"""Attributes and items, as the sandbox gives them out: by tables, never by Python's `getattr`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.callables import BoundMethod
from chatjinja.runtime.jinja.foreign import check_known
from chatjinja.runtime.jinja.namespaces import Namespace
from chatjinja.runtime.jinja.undefined import MISSING, Undefined
from chatjinja.runtime.jinja.work import weighed

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


_INDEXED = frozenset((dict, list, str, tuple))


def get_attr(rt: Runtime, obj: Any, name: str) -> Any:
    """``obj.name``: the attribute, else the item, else undefined."""
    value = attribute(rt, obj, name)
    if value is MISSING:
        try:
            return obj[name]
        except (TypeError, LookupError):
            return Undefined(obj=obj, name=name)
    return value


def get_item(rt: Runtime, obj: Any, key: Any) -> Any:
    """``obj[key]``: the item, else the attribute, else undefined."""
    if type(obj) not in _INDEXED:
        check_known(rt, obj)
    if type(key) is tuple:
        weighed(rt, key)
    try:
        return obj[key]
    except (TypeError, LookupError):
        if isinstance(key, str):
            value = attribute(rt, obj, key)
            if value is not MISSING:
                return value
        return Undefined(obj=obj, name=key)


def has_attr(rt: Runtime, obj: Any, name: Any) -> bool:
    """Whether there is an attribute of that name, given out or not. Raises what asking raises."""
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
    return attribute(rt, obj, name) is not MISSING


def attribute(rt: Runtime, obj: Any, name: str) -> Any:
    """An attribute: a method bound to `obj`, a value, or undefined if it is refused; `MISSING` if there is none."""
    kind = type(obj)
    if kind is Namespace:
        value = obj.attrs.get(name, MISSING)
        return value if value is not MISSING or name != "__class__" else refused(obj, name)
    members = rt.tables.members(kind)
    function = members.methods.get(name)
    if function is not None:
        return BoundMethod(obj, str.__str__(name), function)
    function = members.attributes.get(name)
    if function is not None:
        return function(rt, obj)
    if name in members.refused:
        return refused(obj, name)
    if kind is Undefined:
        obj.fail()
    check_known(rt, obj)
    return MISSING


def refused(obj: Any, name: str) -> Undefined:
    """Stands for an attribute that the sandbox does not give out."""
    message = f"access to attribute {name!r} of {type(obj).__name__!r} object is unsafe."
    return Undefined(message, obj, name, refused=True)
