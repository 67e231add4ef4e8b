"""Filters of numbers and of any value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.access import get_attr, has_attr
from chatjinja.runtime.jinja.callables import Function
from chatjinja.runtime.jinja.filters_sequences import bad_argument
from chatjinja.runtime.jinja.text import READ, measure, noted
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.limits import exceeded, spend

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def do_default(rt: Runtime, /, value: Any, default_value: Any = "", boolean: Any = False) -> Any:
    """`default_value` if the value is undefined, or with `boolean` if it is false; else the value."""
    if type(value) is Undefined or (boolean and not value):
        return default_value
    return value


def do_attr(rt: Runtime, /, obj: Any, name: Any) -> Any:
    """The attribute `name`; an item of that name does not count."""
    if not has_attr(rt, obj, name):
        return Undefined(obj=obj, name=name)
    return get_attr(rt, obj, name)


def do_abs(rt: Runtime, x: Any, /) -> Any:
    """The number without its sign."""
    return abs(x)


MOST_DIGITS = 2**17
"""Longer texts are not read as a number, in whatever base: to calculate with it would take very long."""


def do_int(rt: Runtime, /, value: Any, default: Any = 0, base: Any = 10) -> Any:
    """The value as a whole number, `default` if it is none; `base` is for strings."""
    if isinstance(value, str) and len(value) > MOST_DIGITS:
        raise exceeded(rt.limits, "value")
    if isinstance(value, str):
        spend(rt, len(value), READ)
    try:
        return int(value, base) if isinstance(value, str) else int(value)
    except (TypeError, ValueError):
        try:
            return int(float(value))
        except (TypeError, ValueError, OverflowError):
            return default


def do_float(rt: Runtime, /, value: Any, default: Any = 0.0) -> Any:
    """The value as a floating point number, `default` if it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return default


_MOST_PLACES = 10_000
"""Powers of ten beyond this are refused: they would only take time and memory."""


def do_round(rt: Runtime, /, value: Any, precision: Any = 0, method: Any = "common") -> Any:
    """The number with `precision` decimals; `method` is common, ceil or floor."""
    if method not in {"common", "ceil", "floor"}:
        raise bad_argument("method must be common, ceil or floor")
    if isinstance(precision, (int, float)) and abs(precision) > _MOST_PLACES:
        if method == "common" and isinstance(precision, int) and (precision > 0 or not isinstance(value, int)):
            return round(value, precision)
        raise exceeded(rt.limits, "value")
    if method == "common":
        return round(value, precision)
    places = 10**precision
    change = math.ceil if method == "ceil" else math.floor
    return change(value * places) / places


_UNITS = "KMGTPEZY"


def do_filesizeformat(rt: Runtime, /, value: Any, binary: Any = False) -> str:
    """A number of bytes for people: ``13 kB``, ``4.1 MB``; with `binary` ``12.7 KiB``."""
    size = float(value)
    base = 1024 if binary else 1000
    if size == 1:
        return "1 Byte"
    if size < base:
        return f"{int(size)} Bytes"
    power = next((power for power in range(1, len(_UNITS)) if size < base ** (power + 1)), len(_UNITS))
    letter = _UNITS[power - 1]
    unit = f"{letter}iB" if binary else f"{letter.lower() if power == 1 else letter}B"
    # The same order of operations as the reference: another one rounds differently.
    return f"{base * size / base ** (power + 1):.1f} {unit}"


def do_pprint(rt: Runtime, /, value: Any) -> str:
    """The value as Python's `pprint` lays it out."""
    from pprint import pformat

    # It goes over the innermost data once for each level around it.
    spend(rt, measure(rt, value), 1)
    return noted(rt, pformat(value))


VALUE_FILTERS: Mapping[str, Function] = MappingProxyType(
    {
        "abs": do_abs,
        "attr": do_attr,
        "d": do_default,
        "default": do_default,
        "filesizeformat": do_filesizeformat,
        "float": do_float,
        "int": do_int,
        "pprint": do_pprint,
        "round": do_round,
    }
)
"""Filters by name."""
