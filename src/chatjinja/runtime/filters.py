"""Applying filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatjinja.errors import UnknownNameError
from chatjinja.runtime.convert import made, text_form
from chatjinja.runtime.kinds import SIZED, STRINGS, count_work, methods_of, plain, type_name
from chatjinja.runtime.marked import NUMBERS, Marked, rejoin
from chatjinja.runtime.objects import Value
from chatjinja.runtime.origins import text_runs
from chatjinja.runtime.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def apply_filter(rt: Runtime, value: Value, name: str, args: list[Value] | None) -> Value:
    """``value|name(args)``; `args` is None for a filter without parentheses, which may turn the value into text."""
    tables = rt.tables
    name = tables.aliases.get(name, name)
    if not rt.sound or type(value) not in NUMBERS:
        value = plain(rt, value)
    if args is None:
        kind = type(value)
        if kind not in STRINGS and kind is not Undefined and name in tables.coercing:
            text = text_form(rt, value)
            value = Marked(((rejoin(text), False),), text_runs(rt, value)) if rt.sound else made(rt, text)
    function = methods_of(rt, value).get(name)
    if function is None:
        raise UnknownNameError(f"Unknown (built-in) filter '{name}' for type {type_name(value)}")
    if type(value) in SIZED:
        count_work(rt, value)
    return function(rt, [value, *args] if args else [value])
