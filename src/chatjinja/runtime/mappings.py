"""Methods and filters of Object."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatjinja.errors import OperationError, UnsupportedError
from chatjinja.runtime.arguments import check_count, keyword_or_position
from chatjinja.runtime.arrays import sorted_items
from chatjinja.runtime.convert import made, repr_text, text_form
from chatjinja.runtime.json_encoder import do_tojson
from chatjinja.runtime.kinds import kind_of, plain
from chatjinja.runtime.marked import TemplateText
from chatjinja.runtime.objects import Array, Builtin, Object, SparseObject, Tuple, Value
from chatjinja.runtime.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def object_get(rt: Runtime, args: list[Value]) -> Value:
    """``get(key, default)``: the key a String, the default None."""
    check_count("get", args, 2, 3)
    key = plain(rt, args[1])
    if kind_of(key) != "String":
        raise OperationError("get: second argument must be a string (key)", code="argument-type")
    return args[0].get(key, args[2] if len(args) == 3 else None)


def object_keys(rt: Runtime, args: list[Value]) -> Array:
    """``keys``: an Array."""
    return Array(args[0])


def object_values(rt: Runtime, args: list[Value]) -> Array:
    """``values``: an Array."""
    return Array(args[0].values())


def object_items(rt: Runtime, args: list[Value]) -> Array:
    """``items``: Tuples of key and value."""
    return Array(map(Tuple, args[0].items()))


def object_length(rt: Runtime, args: list[Value]) -> int:
    """``length``: the number of entries."""
    return len(args[0])


def object_string(rt: Runtime, args: list[Value]) -> Value:
    """``string``: the repr."""
    return made(rt, repr_text(rt, args[0]))


def object_dictsort(rt: Runtime, args: list[Value]) -> Object:
    """``dictsort(case_sensitive, by, reverse)``: a sorted Object, not a list."""
    by = keyword_or_position(args, "by", 2)
    reverse = bool(keyword_or_position(args, "reverse", 3))
    place = 1 if kind_of(by) == "String" and text_form(rt, by) == "value" else 0
    return object_of(sorted_items(rt, list(args[0].items()), lambda item: item[place], reverse))


def object_of(items: list[tuple[Value, Value]]) -> Object:
    """An Object of key-value pairs with valid keys."""
    result = Object(items)
    if any(type(item[1]) is Undefined for item in items):
        result.__class__ = SparseObject
    return result


def object_join(rt: Runtime, args: list[Value]) -> Value:
    """Refused, as in the reference."""
    raise UnsupportedError("NotImplemented: object join not implemented")


def _with_template_keys(function: Builtin) -> Builtin:
    def with_template_keys(rt: Runtime, args: list[Value]) -> Value:
        value = args[0]
        if type(value) is dict:
            value = {TemplateText(key) if type(key) is str else key: item for key, item in value.items()}
        return function(rt, [value, *args[1:]])

    with_template_keys.__doc__ = function.__doc__
    return with_template_keys


OBJECT_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        "dictsort": object_dictsort,
        "get": object_get,
        "items": object_items,
        "join": object_join,
        "keys": object_keys,
        "length": object_length,
        "string": object_string,
        "tojson": do_tojson("tojson"),
        "values": object_values,
    }
)
MARKED_OBJECT_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        **OBJECT_METHODS,
        **{name: _with_template_keys(OBJECT_METHODS[name]) for name in ("dictsort", "items", "keys")},
    }
)
"""Methods of Object where strings are pieces: keys of the context's dicts are template text."""
