"""Methods and filters of Array and Tuple."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatjinja.errors import OperationError, UnsupportedError
from chatjinja.runtime.arguments import check_count, check_kind, keyword, keyword_or_position
from chatjinja.runtime.convert import (
    EXACT_INT,
    array_of,
    as_bytes,
    check_items,
    check_size,
    int_form,
    made,
    repr_text,
    text_form,
)
from chatjinja.runtime.json_encoder import do_tojson
from chatjinja.runtime.kinds import ARRAYS, INT_MAX, OBJECTS, kind_of, plain
from chatjinja.runtime.marked import TemplateText
from chatjinja.runtime.objects import Array, Builtin, KwArg, Tuple, Value
from chatjinja.runtime.operators import compare, valid_key
from chatjinja.runtime.scalars import do_default
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.strings import slice_bounds, slice_of
from chatjinja.runtime.undefined import UNDEFINED, Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

_INDEX = re.compile(r"[0-9]+\Z")


def attribute_of(rt: Runtime, value: Value, attribute: Value, default: Value) -> Value:
    """An item's attribute: an Object's entry, or an Array's item by Integer or digits; else the default."""
    value = plain(rt, value)
    kind = type(value)
    if kind in OBJECTS:
        return value.get(valid_key(plain(rt, attribute)), default)
    if kind in ARRAYS:
        index = _index(rt, attribute)
        if index is not None and -len(value) <= index < len(value):
            return value[index]
    return default


def _index(rt: Runtime, attribute: Value) -> int | None:
    kind = kind_of(attribute)
    if kind == "Integer" or kind == "Boolean":
        return int_form(rt, attribute)
    if kind == "String":
        text = text_form(rt, attribute)
        if _INDEX.match(text) and len(text.lstrip("0")) < 20:
            index = int(text)
            return index if index <= INT_MAX else None
    return None


# --- plain access --------------------------------------------------------------------------------------


def array_first(rt: Runtime, args: list[Value]) -> Value:
    """``first``: Undefined if empty."""
    return args[0][0] if args[0] else UNDEFINED


def array_last(rt: Runtime, args: list[Value]) -> Value:
    """``last``: Undefined if empty."""
    return args[0][-1] if args[0] else UNDEFINED


def array_length(rt: Runtime, args: list[Value]) -> int:
    """``length``: the number of items."""
    return len(args[0])


def array_list(rt: Runtime, args: list[Value]) -> Array:
    """``list``: the items as an Array."""
    return Array(args[0])


def array_reverse(rt: Runtime, args: list[Value]) -> Value:
    """``reverse``: the items from the last to the first."""
    return array_of(args[0][::-1], args[0])


def array_slice(rt: Runtime, args: list[Value]) -> Value:
    """``slice(start, stop, step)`` and ``a[start:stop:step]``."""
    start, stop, step = slice_bounds(rt, args, "Array")
    return array_of(args[0][slice_of(len(args[0]), start, stop, step)], args[0])


def array_string(rt: Runtime, args: list[Value]) -> Value:
    """``string``: the repr."""
    return made(rt, repr_text(rt, args[0]))


def array_unique(rt: Runtime, args: list[Value]) -> Value:
    """Refused, as in the reference."""
    raise UnsupportedError("NotImplemented: Array unique builtin not implemented")


# --- changing ------------------------------------------------------------------------------------------


def array_append(rt: Runtime, args: list[Value]) -> Value:
    """``append(x)``: changes the Array and returns it."""
    check_count("append", args, 2)
    array = _changeable(args[0])
    check_items(rt, len(array) + 1)
    array.append(args[1])
    return array


def array_pop(rt: Runtime, args: list[Value]) -> Value:
    """``pop(i)``: takes an item out."""
    check_count("pop", args, 1, 2)
    index = int_form(rt, args[1]) if len(args) == 2 else -1
    array = _changeable(args[0])
    if index < 0:
        index += len(array)
    if not 0 <= index < len(array):
        raise OperationError(f"Index {index} out of bounds for array of size {len(array)}", code="out-of-bounds")
    return array.pop(index)


def _changeable(value: Value) -> Array:
    if type(value) is Array:
        return value
    if type(value) is Tuple:
        raise OperationError("Attempting to modify immutable type", code="immutable")
    raise Deoptimise  # the caller's own list: the exact form works on a copy


# --- join, map -----------------------------------------------------------------------------------------


def array_join(rt: Runtime, args: list[Value]) -> Value:
    """``join(d, attribute)``: items String, Integer or Float."""
    check_count("join", args, 1, 3)
    items: Sequence[Value] = args[0]
    separator = ""
    if len(args) > 1:
        given = keyword_or_position(args, "d", 1)
        attribute = keyword_or_position(args, "attribute", 2)
        if type(given) is not Undefined:
            separator = text_form(rt, given)
        if type(attribute) is not Undefined:
            items = [attribute_of(rt, item, attribute, UNDEFINED) for item in items]
    texts = items if set(map(type, items)) == {str} else [_joinable(rt, item) for item in items]
    check_size(rt, sum(map(len, texts)) + len(separator) * len(texts))
    return made(rt, separator.join(texts))


def _joinable(rt: Runtime, item: Value) -> str:
    if kind_of(item) not in ("String", "Integer", "Float"):
        raise OperationError("join() can only join arrays of strings or numerics", code="argument-type")
    return text_form(rt, item)


def array_map(rt: Runtime, args: list[Value]) -> Value:
    """``map(attribute=…, default=…)``."""
    check_count("map", args, 2)
    if type(args[1]) is not KwArg:
        raise UnsupportedError("NotImplemented: map: filter-mapping not implemented")
    attribute = keyword(args, "attribute")
    default = keyword(args, "default")
    if type(attribute) is Undefined:
        return array_of([default] * len(args[0]), args[0])
    return array_of([attribute_of(rt, item, attribute, default) for item in args[0]], args[0])


# --- sort, min, max ------------------------------------------------------------------------------------


def array_sort(rt: Runtime, args: list[Value]) -> Value:
    """``sort(reverse, case_sensitive, attribute)``; always case sensitive."""
    check_count("sort", args, 1, 4)
    reverse = bool(keyword_or_position(args, "reverse", 1))
    attribute = keyword_or_position(args, "attribute", 3)
    return array_of(sorted_items(rt, list(args[0]), _key_function(rt, attribute), reverse), args[0])


def _key_function(rt: Runtime, attribute: Value) -> Callable[[Value], Value]:
    if type(attribute) is Undefined:
        return lambda item: item
    return lambda item: attribute_of(rt, item, attribute, UNDEFINED)


_INSERTION = 16
"""Up to this length `std::sort` is an insertion sort, whose result is defined whatever the comparison does."""


def sorted_items(rt: Runtime, items: list[Value], key: Callable[[Value], Value], reverse: bool) -> list[Value]:
    """Items in the order of their keys; `reverse` sorts by "greater", equal ones keep their order."""
    if len(items) < 2:
        return items
    pairs = [(key(item), item) for item in items]
    kinds = {type(pair[0]) for pair in pairs}
    if kinds == {str}:
        pairs.sort(key=_first if all(pair[0].isascii() for pair in pairs) else _first_bytes, reverse=reverse)
        return [pair[1] for pair in pairs]
    if kinds == {int} and all(-EXACT_INT <= pair[0] <= EXACT_INT for pair in pairs):
        pairs.sort(key=_first, reverse=reverse)
        return [pair[1] for pair in pairs]
    op = "gt" if reverse else "lt"
    if len(pairs) <= _INSERTION:
        _insertion_sort(rt, pairs, op)
    else:
        pairs.sort(key=cmp_to_key(_three_way(rt, op)))
    return [pair[1] for pair in pairs]


def _first(pair: tuple[Value, Value]) -> Value:
    return pair[0]


def _first_bytes(pair: tuple[str, Value]) -> bytes:
    return as_bytes(pair[0])


def _three_way(rt: Runtime, op: str) -> Callable[[tuple[Value, Value], tuple[Value, Value]], int]:
    return lambda a, b: -1 if compare(rt, op, a[0], b[0]) else int(compare(rt, op, b[0], a[0]))


def _insertion_sort(rt: Runtime, pairs: list[tuple[Value, Value]], op: str) -> None:
    for at in range(1, len(pairs)):
        pair = pairs[at]
        place = at
        if compare(rt, op, pair[0], pairs[0][0]):
            place = 0
        else:
            while compare(rt, op, pair[0], pairs[place - 1][0]):
                place -= 1
        del pairs[at]
        pairs.insert(place, pair)


def array_min(rt: Runtime, args: list[Value]) -> Value:
    """``min(case_sensitive, attribute)``; Undefined if empty."""
    return _extreme(rt, "min", "lt", args)


def array_max(rt: Runtime, args: list[Value]) -> Value:
    """``max(case_sensitive, attribute)``; Undefined if empty."""
    return _extreme(rt, "max", "gt", args)


def _extreme(rt: Runtime, name: str, op: str, args: list[Value]) -> Value:
    check_count(name, args, 1, 4)
    items = args[0]
    if not items:
        return UNDEFINED
    key = _key_function(rt, keyword_or_position(args, "attribute", 2))
    best = items[0]
    best_key = key(best)
    for item in items:  # the first one is compared with itself too
        item_key = key(item)
        if compare(rt, op, item_key, best_key):
            best, best_key = item, item_key
    return best


# --- select and reject ---------------------------------------------------------------------------------


_EQUALITY = frozenset({"eq", "equalto"})
_COMPARED_BY_TEXT = frozenset({str, TemplateText, type(None)})


def _select(name: str, keep: bool) -> Builtin:
    def select(rt: Runtime, args: list[Value]) -> Array:
        """``(attribute)``, ``(test, argument)`` or ``(attribute, test, argument)``."""
        check_count(name, args, 2, 4)
        check_kind(name, args[1], "String")
        items = args[0]
        if len(args) == 2:
            return Array([i for i in items if bool(attribute_of(rt, i, args[1], UNDEFINED)) is keep])
        test_name = text_form(rt, args[-2])
        test = rt.tables.tests.get(test_name)
        if test is None:
            raise OperationError(f"selectattr: unknown test '{test_name}'", code="unknown-name")
        argument = args[-1]
        if len(args) == 3:
            return Array([i for i in items if test(rt, [plain(rt, i), argument]) is keep])
        name_of = args[1]
        if test_name in _EQUALITY and isinstance(argument, str) and isinstance(name_of, str):
            found = [(item.get(name_of) if type(item) is dict else False, item) for item in items]
            if _COMPARED_BY_TEXT.issuperset([type(value) for value, _ in found]):
                return Array([item for value, item in found if (value == argument) is keep])
        return Array(
            [i for i in items if test(rt, [plain(rt, attribute_of(rt, i, name_of, UNDEFINED)), argument]) is keep]
        )

    return select


ARRAY_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        "append": array_append,
        "default": do_default,
        "first": array_first,
        "join": array_join,
        "last": array_last,
        "length": array_length,
        "list": array_list,
        "map": array_map,
        "max": array_max,
        "min": array_min,
        "pop": array_pop,
        "reject": _select("reject", False),
        "rejectattr": _select("rejectattr", False),
        "reverse": array_reverse,
        "select": _select("select", True),
        "selectattr": _select("selectattr", True),
        "slice": array_slice,
        "sort": array_sort,
        "string": array_string,
        "tojson": do_tojson("tojson"),
        "unique": array_unique,
    }
)
