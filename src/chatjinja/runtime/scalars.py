"""Methods and filters of Integer, Float, Boolean, None and Undefined, and `default`, which most types share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatjinja.errors import OperationError
from chatjinja.runtime.arguments import check_count, keyword_or_position
from chatjinja.runtime.convert import bool_text, to_int64
from chatjinja.runtime.json_encoder import do_tojson
from chatjinja.runtime.kinds import INT_MIN, canonical_int
from chatjinja.runtime.marked import NO_PIECES, template_piece
from chatjinja.runtime.objects import Array, Builtin, Value
from chatjinja.runtime.undefined import UNDEFINED, Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def do_default(rt: Runtime, args: list[Value]) -> Value:
    """``default(x, boolean)``: `x` instead of Undefined or None, with `boolean` instead of anything false."""
    check_count("default", args, 2, 3)
    value = args[0]
    if keyword_or_position(args, "boolean", 2):
        return value if value else args[1]
    return args[1] if value is None or type(value) is Undefined else value


# --- Integer -------------------------------------------------------------------------------------------


def int_abs(rt: Runtime, args: list[Value]) -> Value:
    """``abs``: without the sign."""
    value = canonical_int(rt, args[0])
    if value == INT_MIN:
        raise OperationError("integer overflow", code="integer-overflow")
    return abs(value)


def int_int(rt: Runtime, args: list[Value]) -> Value:
    """``int``: the same number."""
    return canonical_int(rt, args[0])


def int_float(rt: Runtime, args: list[Value]) -> float:
    """``float``: as a Float."""
    return float(canonical_int(rt, args[0]))


# --- Float ---------------------------------------------------------------------------------------------


def float_abs(rt: Runtime, args: list[Value]) -> float:
    """``abs``: without the sign."""
    value: float = args[0]
    return -value if value < 0.0 else value


def float_int(rt: Runtime, args: list[Value]) -> int:
    """Cut toward zero; OperationError where the reference has no defined result."""
    return to_int64(args[0])


def float_float(rt: Runtime, args: list[Value]) -> float:
    """``float``: the same number."""
    value: float = args[0]
    return value * 1.0  # a value of its own for `sameas`


# --- Boolean, None -------------------------------------------------------------------------------------


def bool_int(rt: Runtime, args: list[Value]) -> int:
    """``int``: 1 or 0."""
    return int(args[0])


def bool_float(rt: Runtime, args: list[Value]) -> float:
    """``float``: 1.0 or 0.0."""
    return float(args[0])


def bool_string(rt: Runtime, args: list[Value]) -> Value:
    """``True`` or ``False``."""
    text = bool_text(args[0])
    return template_piece(text) if rt.exact else text


def none_string(rt: Runtime, args: list[Value]) -> Value:
    """The text ``None``."""
    return template_piece("None") if rt.exact else "None"


# --- what Undefined and None give ----------------------------------------------------------------------


def empty_array(rt: Runtime, args: list[Value]) -> Array:
    """An empty Array, whatever the arguments."""
    return Array()


def empty_string(rt: Runtime, args: list[Value]) -> Value:
    """The empty String, whatever the arguments."""
    return NO_PIECES if rt.exact else ""


def zero(rt: Runtime, args: list[Value]) -> int:
    """0, whatever the arguments."""
    return 0


def undefined(rt: Runtime, args: list[Value]) -> Undefined:
    """Undefined, whatever the arguments."""
    return UNDEFINED


INTEGER_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        "abs": int_abs,
        "default": do_default,
        "float": int_float,
        "int": int_int,
        "safe": do_tojson("safe"),
        "string": do_tojson("string"),
        "tojson": do_tojson("tojson"),
    }
)
FLOAT_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        "abs": float_abs,
        "default": do_default,
        "float": float_float,
        "int": float_int,
        "safe": do_tojson("safe"),
        "string": do_tojson("string"),
        "tojson": do_tojson("tojson"),
    }
)
BOOLEAN_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        "default": do_default,
        "float": bool_float,
        "int": bool_int,
        "safe": bool_string,
        "string": bool_string,
        "tojson": do_tojson("tojson"),
    }
)
NONE_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        "default": do_default,
        "items": empty_array,
        "map": empty_array,
        "reject": empty_array,
        "rejectattr": empty_array,
        "safe": none_string,
        "select": empty_array,
        "selectattr": empty_array,
        "string": none_string,
        "tojson": do_tojson("tojson"),
        "unique": empty_array,
    }
)
UNDEFINED_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        "capitalize": empty_string,
        "default": do_default,
        "first": undefined,
        "items": empty_array,
        "join": empty_string,
        "last": undefined,
        "length": zero,
        "list": empty_array,
        "lower": empty_string,
        "map": empty_array,
        "max": undefined,
        "min": undefined,
        "reject": empty_array,
        "rejectattr": empty_array,
        "replace": empty_string,
        "reverse": empty_array,
        "safe": empty_string,
        "select": empty_array,
        "selectattr": empty_array,
        "sort": empty_array,
        "string": empty_string,
        "strip": empty_string,
        "sum": zero,
        "title": empty_string,
        "truncate": empty_string,
        "unique": empty_array,
        "upper": empty_string,
        "wordcount": zero,
    }
)
