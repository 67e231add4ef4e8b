"""Helpers of the traced form: the exact form's, that also note which values a template uses, and how.

Use belongs to a *value*: the object, not what it equals. Variables, loops, macros and lists hand the same
object on; operators, literals and filters make new ones. Only strings and containers are followed: they are
objects of their own in the exact form, where numbers are shared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from chatjinja.errors import TemplateError
from chatjinja.runtime import access, filters, loops, tests
from chatjinja.runtime.convert import made, text_form
from chatjinja.runtime.helpers import EXACT
from chatjinja.runtime.kinds import ARRAYS, OBJECTS, STRINGS, methods_of
from chatjinja.runtime.marked import Marked
from chatjinja.runtime.objects import Builtin, BuiltinFunction, Value
from chatjinja.runtime.state import Runtime
from chatjinja.runtime.tables import Tables
from chatjinja.runtime.undefined import Undefined

_FOLLOWED = ARRAYS | OBJECTS | STRINGS
_SAME = frozenset({"append", "default", "first", "get", "last", "max", "min", "pop"})
"""Filters whose result may be a value that was there before."""


class TracedRuntime(Runtime):
    """The state of a render that is watched.

    Attributes:
        uses: id of a used value → the operations applied to it. Ask only for values of the context: their ids
            are not given to others before the render ends.
    """

    __slots__ = ("uses",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.uses: dict[int, set[str]] = {}

    def note(self, value: Value, operation: str | None = None) -> None:
        """`value` is used, by an operation or by being named."""
        if type(value) in _FOLLOWED:
            operations = self.uses.setdefault(id(value), set())
            if operation is not None:
                operations.add(operation)

    def note_all(self, value: Value) -> None:
        """`value` and everything inside is used."""
        pending = [value]
        seen: set[int] = set()
        while pending:
            value = pending.pop()
            self.note(value)
            if type(value) in ARRAYS and id(value) not in seen:
                pending.extend(value)
            elif type(value) in OBJECTS and id(value) not in seen:
                pending.extend(value)
                pending.extend(value.values())
            seen.add(id(value))


def use(rt: TracedRuntime, value: Value) -> Value:
    """A variable is named."""
    rt.note(value)
    return value


def get_attr(rt: TracedRuntime, value: Value, name: str) -> Value:
    """``value.name``."""
    rt.note(value, name)
    found = access.get_attr(rt, value, name)
    if name not in methods_of(rt, value) and type(value) is not Undefined:
        rt.note(found)
        rt.note(value, "object_access")
    return found


def get_item(rt: TracedRuntime, value: Value, key: Value) -> Value:
    """``value[key]``, also ``value.0``."""
    found = access.get_item(rt, value, key)
    if type(value) is Undefined or type(key) is Undefined:
        return found
    by_index = type(key) is int or type(key) is bool
    if type(value) in OBJECTS:
        if type(found) is Undefined or (type(found) is BuiltinFunction and found.bound is value):
            rt.note(value, text_form(rt, key))
    elif type(key) in STRINGS:
        rt.note(value, text_form(rt, key))
    rt.note(found)
    rt.note(key)
    rt.note(value, "array_access" if by_index and type(value) not in OBJECTS else "object_access")
    return found


def get_slice(rt: TracedRuntime, value: Value, start: Value, stop: Value, step: Value) -> Value:
    """``value[start:stop:step]``."""
    rt.note(value, "slice")
    return access.get_slice(rt, value, start, stop, step)


def call_method(rt: TracedRuntime, value: Value, name: str, args: list[Value], scope: dict[str, Value] | None) -> Value:
    """``value.name(args)``."""
    try:
        function = get_attr(rt, value, name)
    except TemplateError as error:
        error.site = 1
        raise
    return access.call(rt, function, args, scope)


def apply_filter(rt: TracedRuntime, value: Value, name: str, args: list[Value] | None) -> Value:
    """``value|name(args)``."""
    name = rt.tables.aliases.get(name, name)
    coerced = args is None and name in rt.tables.coercing
    if coerced and type(value) not in STRINGS and type(value) is not Undefined:
        value = made(rt, text_form(rt, value))
    rt.note(value, name)
    result = filters.apply_filter(rt, value, name, args)
    if type(result) is Marked and name not in _SAME:
        return Marked(result.pieces)
    return result


def apply_test(rt: TracedRuntime, name: str, args: list[Value]) -> bool:
    """``args[0] is name(args[1:])``."""
    if name in rt.tables.tests:
        rt.note(args[0], f"test_is_{name}")
    return tests.apply_test(rt, name, args)


def iter_items(rt: TracedRuntime, value: Value, missing: Value) -> list[Value]:
    """Items for ``for x in value``."""
    _note_loop(rt, value)
    return loops.iter_items(rt, value, missing)


def unpack_items(rt: TracedRuntime, value: Value, missing: tuple[Value, ...]) -> list[Value]:
    """Items for ``for a, b in value``."""
    _note_loop(rt, value)
    return loops.unpack_items(rt, value, missing)


def _note_loop(rt: TracedRuntime, value: Value) -> None:
    rt.note(value, "array_access")
    if type(value) in OBJECTS:
        rt.note(value, "object_access")


TRACED: Mapping[str, Any] = MappingProxyType(
    {
        **EXACT,
        "apply_filter": apply_filter,
        "apply_test": apply_test,
        "call_method": call_method,
        "get_attr": get_attr,
        "get_item": get_item,
        "get_slice": get_slice,
        "iter_items": iter_items,
        "unpack_items": unpack_items,
        "use": use,
    }
)
"""Names of the traced form."""


def traced_tables(tables: Tables) -> Tables:
    """An exact form's tables for the traced form: what shows a value as text uses everything inside."""
    methods = {
        kind: MappingProxyType(
            {
                name: _uses_all(builtin) if name == "tojson" or (name == "string" and kind in _CONTAINERS) else builtin
                for name, builtin in of_kind.items()
            }
        )
        for kind, of_kind in tables.methods.items()
    }
    functions = {name: _uses_all(builtin) if name == "tojson" else builtin for name, builtin in tables.globals.items()}
    return replace(tables, methods=MappingProxyType(methods), globals=MappingProxyType(functions))


_CONTAINERS = frozenset({"Array", "Tuple", "Object"})


def _uses_all(builtin: Builtin) -> Builtin:
    def using(rt: Runtime, args: list[Value]) -> Value:
        if args and isinstance(rt, TracedRuntime):
            rt.note_all(args[0])
        return builtin(rt, args)

    return using
