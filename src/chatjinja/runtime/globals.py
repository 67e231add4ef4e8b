"""Global functions."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatjinja.errors import OperationError, RaisedError
from chatjinja.runtime.access import put
from chatjinja.runtime.arguments import check_count, check_kind
from chatjinja.runtime.convert import as_bytes, check_items, int_form, text_form
from chatjinja.runtime.json_encoder import do_tojson
from chatjinja.runtime.kinds import ARRAYS, OBJECTS, plain, type_name
from chatjinja.runtime.marked import TemplateText, template_piece
from chatjinja.runtime.objects import Array, Builtin, KwArg, Object, Value
from chatjinja.runtime.tests import TEST_GLOBALS
from chatjinja.runtime.undefined import UNDEFINED

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def global_range(rt: Runtime, args: list[Value]) -> Array:
    """``range(stop)``, ``range(start, stop, step)``."""
    check_count("range", args, 1, 3)
    check_kind("range", args[0], "Integer")
    start, stop, step = 0, int_form(rt, args[0]), 1
    if len(args) > 1:
        start, stop = stop, int_form(rt, args[1])
    if len(args) > 2:
        step = int_form(rt, args[2])
    if step == 0:
        raise OperationError("range() step argument must not be zero", code="argument-value")
    numbers = range(start, stop, step)
    check_items(rt, max(0, -((start - stop) // step)))
    return Array(numbers)


def global_dict(rt: Runtime, args: list[Value]) -> Object:
    """``dict(…)`` and ``namespace(…)``: an Object or an Array of pairs first, then keywords."""
    result = Object()
    first: Value = plain(rt, args[0]) if args else UNDEFINED
    is_first = True
    if type(first) in ARRAYS:
        for item in first:
            pair = plain(rt, item)
            if type(pair) not in ARRAYS or len(pair) != 2:
                raise OperationError(
                    f"namespace/dict() iterable argument must consist of tuples, not {type_name(pair)}",
                    code="argument-type",
                )
            put(result, plain(rt, pair[0]), pair[1])
    elif type(first) in OBJECTS:
        for key, value in first.items():
            put(result, key, value)
    else:
        is_first = False
    for arg in args:
        if type(arg) is KwArg:
            put(result, TemplateText(arg.key) if rt.exact else arg.key, arg.value)
        elif not is_first:
            raise OperationError(
                f"namespace/dict() arguments must be kwargs, dict and/or iterable of tuples, not {type_name(arg)}",
                code="argument-type",
            )
        is_first = False
    return result


def global_raise_exception(rt: Runtime, args: list[Value]) -> Value:
    """``raise_exception(message)``: ends the render with a RaisedError."""
    check_count("raise_exception", args, 1)
    check_kind("raise_exception", args[0], "String")
    raise RaisedError(f"Jinja Exception: {text_form(rt, args[0])}")


_LONGEST_TIME = 100
_SECONDS = re.compile("%([%s])")


def global_strftime_now(rt: Runtime, args: list[Value]) -> Value:
    """``strftime_now(format)``: C's `strftime` of the render's moment."""
    check_count("strftime_now", args, 1)
    check_kind("strftime_now", args[0], "String")
    text = format_time(rt.now, text_form(rt, args[0]))
    if not 0 < len(as_bytes(text)) < _LONGEST_TIME:
        raise OperationError("strftime_now: failed to format time", code="argument-value")
    return template_piece(text) if rt.exact else text


def format_time(moment: datetime, form: str) -> str:
    """C `strftime`; a moment without zone is local time."""
    if moment.tzinfo is None:
        moment = moment.astimezone()
    form = form.partition("\0")[0]
    if "%s" in form:
        # C reads the broken-down time as local; the moment may be in another zone.
        seconds = str(int(moment.timestamp()))
        form = _SECONDS.sub(lambda match: seconds if match[1] == "s" else match[0], form)
    offset = moment.utcoffset()
    fields = moment.timetuple()[:8]
    zone = moment.tzname() or ""
    east = int(offset.total_seconds()) if offset is not None else 0
    # A known `tm_isdst` is needed, or C leaves `%z` out.
    parts = time.struct_time((*fields, int(bool(moment.dst())), zone, east))
    try:
        return time.strftime(form, parts)
    except ValueError:  # a form that Python refuses to hand to C
        return ""


GLOBALS: Mapping[str, Builtin] = MappingProxyType(
    {
        "dict": global_dict,
        "namespace": global_dict,
        "raise_exception": global_raise_exception,
        "range": global_range,
        "strftime_now": global_strftime_now,
        "tojson": do_tojson("tojson"),
        **TEST_GLOBALS,
    }
)
