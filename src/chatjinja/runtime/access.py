"""Attributes, items, slices, calls and assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatjinja.errors import OperationError, TemplateError, UnknownNameError
from chatjinja.runtime.convert import int_form, text_form
from chatjinja.runtime.kinds import (
    ARRAYS,
    OBJECTS,
    SIZED,
    count_work,
    is_hashable,
    kind_of,
    methods_of,
    plain,
    type_name,
)
from chatjinja.runtime.limits import LARGE
from chatjinja.runtime.marked import NUMBERS, Marked, TemplateText
from chatjinja.runtime.objects import (
    Array,
    Builtin,
    BuiltinFunction,
    Function,
    Object,
    SparseObject,
    Value,
)
from chatjinja.runtime.operators import valid_key
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.strings import character_at, string_length
from chatjinja.runtime.undefined import OBJECT_PROPERTY, Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

MISSING = object()
"""What `get_slice` gets for a bound that is not written."""


# --- reading -------------------------------------------------------------------------------------------


def get_attr(rt: Runtime, value: Value, name: str) -> Value:
    """``value.name``: the built-in of that name if the type has one, else the entry, else Undefined."""
    value = plain(rt, value)
    method = methods_of(rt, value).get(name)
    if method is not None:
        return BuiltinFunction(name, method, value)
    if type(value) in OBJECTS:
        found = value.get(name, MISSING)
        return Undefined(name) if found is MISSING or type(found) is Undefined else found
    return OBJECT_PROPERTY if type(value) is Undefined else Undefined(name)


def get_item(rt: Runtime, value: Value, key: Value) -> Value:
    """``value[key]``, also ``value.0``."""
    kind = type(value)
    if kind in OBJECTS and type(key) is str:
        found = value.get(key, MISSING)
        if found is MISSING or type(found) is Undefined:
            return _builtin(rt, value, key)
        return found
    if type(key) is int and (kind is list or kind is Array):
        return value[key] if -len(value) <= key < len(value) else OBJECT_PROPERTY
    return _get_item(rt, plain(rt, value), plain(rt, key))


def _get_item(rt: Runtime, value: Value, key: Value) -> Value:
    if type(key) is Undefined:
        return OBJECT_PROPERTY
    if not is_hashable(key):
        raise OperationError(f"Type: {type_name(key)} is not allowed as object key", code="unhashable-key")
    kind = kind_of(value)
    if kind == "Undefined":
        return OBJECT_PROPERTY
    if kind == "Object":
        name = text_form(rt, key)
        found = value.get(valid_key(key), MISSING)
        return _builtin(rt, value, name) if found is MISSING or type(found) is Undefined else found
    key_kind = kind_of(key)
    if kind in ("Array", "Tuple", "String"):
        if key_kind == "Integer" or key_kind == "Boolean":
            return _by_index(rt, value, int_form(rt, key))
        return _builtin(rt, value, text_form(rt, key)) if key_kind == "String" else OBJECT_PROPERTY
    if key_kind != "String":
        raise OperationError(f"Cannot access property with non-string: got {type_name(key)}", code="access")
    return _builtin(rt, value, text_form(rt, key))


def _by_index(rt: Runtime, value: Value, index: int) -> Value:
    if type(value) in ARRAYS:
        return value[index] if -len(value) <= index < len(value) else OBJECT_PROPERTY
    return OBJECT_PROPERTY if index < 0 else character_at(rt, value, index)


def _builtin(rt: Runtime, value: Value, name: str) -> Value:
    """The bound built-in of the value's type, else Undefined."""
    method = methods_of(rt, value).get(name)
    return Undefined(name) if method is None else BuiltinFunction(name, method, value)


def get_slice(rt: Runtime, value: Value, start: Value, stop: Value, step: Value) -> Value:
    """``value[start:stop:step]``; bounds not written are MISSING."""
    value = plain(rt, value)
    kind = type(value)
    length = len(value) if kind in ARRAYS else string_length(value) if kind is str or kind is Marked else 0
    if step is MISSING:
        step = 1
    backwards = (start is MISSING or stop is MISSING) and int_form(rt, step) < 0
    if start is MISSING:
        start = length - 1 if backwards else 0
    if stop is MISSING:
        stop = -1 if backwards else length
    if length > LARGE:
        count_work(rt, value)
    method = methods_of(rt, value).get("slice")
    if method is None:
        raise UnknownNameError(f"Unknown (built-in) filter 'slice' for type {type_name(value)}")
    return method(rt, [value, start, stop, step])


# --- calling -------------------------------------------------------------------------------------------


def call(rt: Runtime, function: Value, args: list[Value], scope: dict[str, Value] | None) -> Value:
    """Call a value; OperationError if it is no Function."""
    if isinstance(function, Function):
        return function.invoke(rt, args, scope)
    raise OperationError(f"Callee is not a function: got {type_name(plain(rt, function))}", code="not-a-function")


def call_method(rt: Runtime, value: Value, name: str, args: list[Value], scope: dict[str, Value] | None) -> Value:
    """``value.name(args)``. An error of the access (not of the call) has ``site`` 1."""
    try:
        if type(value) not in NUMBERS:
            value = plain(rt, value)
        method: Builtin | None = methods_of(rt, value).get(name)
        function = None if method is not None else get_attr(rt, value, name)
    except TemplateError as error:
        error.site = 1
        raise
    if method is not None:
        if type(value) in SIZED:
            count_work(rt, value)
        return method(rt, [value, *args])
    return call(rt, function, args, scope)


# --- writing -------------------------------------------------------------------------------------------


def put(obj: Object, key: Value, value: Value) -> None:
    """Store into an Object that the template made. OperationError if `key` cannot be one."""
    if type(key) is not str:
        key = valid_key(key)
    if type(value) is Undefined and type(obj) is Object:
        obj.__class__ = SparseObject
    obj[key] = value


def set_attribute(rt: Runtime, obj: Value, name: str, value: Value) -> None:
    """``set obj.name = value``. Deoptimise if `obj` is the context's: the exact form works on a copy."""
    obj = plain(rt, obj)
    if isinstance(obj, Object):
        put(obj, TemplateText(name) if rt.exact else name, value)
    elif type(obj) is dict:
        raise Deoptimise
    else:
        raise OperationError("Cannot assign to member of non-object", code="assignment")
