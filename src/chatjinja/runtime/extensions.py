"""Built-ins of the dialect ``llama.cpp+``: what the reference engine leaves out, with Jinja2's meaning.

Each function here takes over only where the reference refuses; everything else goes to the function that
it extends. Deviations are listed in `chatjinja.dialects.llama_cpp_plus`.
"""

from __future__ import annotations

import dataclasses
import math
import string
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.errors import OperationError, UnsupportedError
from chatjinja.runtime.access import get_attr, get_item
from chatjinja.runtime.arguments import check_count, keyword, keyword_or_position
from chatjinja.runtime.arrays import attribute_of, sorted_items
from chatjinja.runtime.convert import array_of, check_size, int_form, made, text_form
from chatjinja.runtime.filters import apply_filter
from chatjinja.runtime.kinds import (
    INT_MAX,
    INT_MIN,
    OBJECTS,
    STRINGS,
    is_immutable_key,
    kind_of,
    plain,
    type_name,
    wrapped,
)
from chatjinja.runtime.mappings import object_of
from chatjinja.runtime.marked import NUMBERS
from chatjinja.runtime.objects import Array, Builtin, KwArg, Object, Value
from chatjinja.runtime.operators import add
from chatjinja.runtime.strings import lower
from chatjinja.runtime.tables import Tables
from chatjinja.runtime.undefined import UNDEFINED, Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;"})
"""What `escape` writes for characters that HTML gives a meaning."""


# --- any value -----------------------------------------------------------------------------------------


def do_escape(rt: Runtime, args: list[Value]) -> Value:
    """``escape``: the characters ``& < > ' "`` as HTML entities."""
    if type(args[0]) is Undefined:
        return made(rt, "")
    return made(rt, text_form(rt, args[0]).translate(HTML))


def do_sum(rt: Runtime, args: list[Value]) -> Value:
    """``sum(attribute, start)``: the items of a list added up."""
    check_count("sum", args, 1, 3)
    attribute = keyword_or_position(args, "attribute", 1)
    total = keyword_or_position(args, "start", 2)
    if type(total) is Undefined:
        total = 0
    for item in args[0]:
        total = add(rt, total, item if type(attribute) is Undefined else attribute_of(rt, item, attribute, UNDEFINED))
    return total


# --- join, unique, map, sort ---------------------------------------------------------------------------


def _join_items(rt: Runtime, items: list[Value], args: list[Value]) -> Value:
    given = keyword_or_position(args, "d", 1)
    separator = "" if type(given) is Undefined else text_form(rt, given)
    texts = [text_form(rt, item) for item in items]
    check_size(rt, sum(map(len, texts)) + len(separator) * len(texts))
    return made(rt, separator.join(texts))


def str_join(rt: Runtime, args: list[Value]) -> Value:
    """``'abc'|join(d)``: its characters."""
    check_count("join", args, 1, 2)
    return _join_items(rt, list(text_form(rt, args[0])), args)


def object_join(rt: Runtime, args: list[Value]) -> Value:
    """``object|join(d)``: its keys."""
    check_count("join", args, 1, 2)
    return _join_items(rt, list(args[0]), args)


def array_unique(rt: Runtime, args: list[Value]) -> Array:
    """``unique(case_sensitive=false, attribute)``: each item once, the first one stays."""
    check_count("unique", args, 1, 3)
    sensitive = bool(keyword_or_position(args, "case_sensitive", 1))
    attribute = keyword_or_position(args, "attribute", 2)
    seen: set[Value] = set()
    kept = Array()
    for item in args[0]:
        key = item if type(attribute) is Undefined else attribute_of(rt, item, attribute, UNDEFINED)
        key = plain(rt, key)
        if not is_immutable_key(key) and type(key) is not Undefined:
            raise OperationError(f"unique() cannot compare items of type {kind_of(key)}", code="unhashable-key")
        if type(key) in STRINGS:
            key = text_form(rt, key) if sensitive else lower(text_form(rt, key))
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return kept


def _map(base: Builtin) -> Builtin:
    def array_map(rt: Runtime, args: list[Value]) -> Value:
        """``map(attribute=…, default=…)``, or ``map(filter, …)`` with the filter's arguments."""
        if len(args) < 2 or type(args[1]) is KwArg:
            return base(rt, args)
        name = text_form(rt, args[1])
        return array_of([apply_filter(rt, item, name, list(args[2:])) for item in args[0]], args[0])

    return array_map


def _folded(rt: Runtime, value: Value) -> Value:
    """A sort key that ignores case."""
    value = plain(rt, value)
    return lower(text_form(rt, value)) if type(value) in STRINGS else value


def _asks_for_case_folding(args: list[Value], position: int) -> bool:
    given = keyword_or_position(args, "case_sensitive", position)
    return type(given) is not Undefined and not given


def _sort(base: Builtin) -> Builtin:
    def array_sort(rt: Runtime, args: list[Value]) -> Value:
        """``sort(reverse, case_sensitive, attribute)``; ignores case only with ``case_sensitive=false``."""
        if not _asks_for_case_folding(args, 2):
            return base(rt, args)
        check_count("sort", args, 1, 4)
        attribute = keyword_or_position(args, "attribute", 3)

        def key(item: Value) -> Value:
            if type(attribute) is not Undefined:
                item = attribute_of(rt, item, attribute, UNDEFINED)
            return _folded(rt, item)

        reverse = bool(keyword_or_position(args, "reverse", 1))
        return array_of(sorted_items(rt, list(args[0]), key, reverse), args[0])

    return array_sort


def _dictsort(base: Builtin) -> Builtin:
    def object_dictsort(rt: Runtime, args: list[Value]) -> Value:
        """``dictsort(case_sensitive, by, reverse)``; ignores case only with ``case_sensitive=false``."""
        if not _asks_for_case_folding(args, 1):
            return base(rt, args)
        by = keyword_or_position(args, "by", 2)
        place = 1 if kind_of(by) == "String" and text_form(rt, by) == "value" else 0
        reverse = bool(keyword_or_position(args, "reverse", 3))
        items = list(args[0].items())
        return object_of(sorted_items(rt, items, lambda item: _folded(rt, item[place]), reverse))

    return object_dictsort


# --- strings -------------------------------------------------------------------------------------------


def _replace(base: Builtin) -> Builtin:
    def str_replace(rt: Runtime, args: list[Value]) -> Value:
        """``replace(old, new, count)``: at most `count` times if it is positive."""
        if len(args) < 4 or kind_of(args[1]) != "String" or kind_of(args[2]) != "String":
            return base(rt, args)
        count = int_form(rt, args[3])
        if count <= 0:
            return base(rt, args)
        text, old, new = (text_form(rt, arg) for arg in args[:3])
        check_size(rt, len(text) + min(count, len(text) + 1) * len(new))
        return made(rt, text.replace(old, new, count))

    return str_replace


def _format(base: Builtin) -> Builtin:
    def str_format(rt: Runtime, args: list[Value]) -> Value:
        """``format(…)``: Python's replacement fields, ``{}``, ``{0}``, ``{name}``, ``{:>8}``, ``{{``."""
        try:
            return base(rt, args)
        except UnsupportedError:
            return made(rt, _format_fields(rt, text_form(rt, args[0]), args[1:]))

    return str_format


def _format_fields(rt: Runtime, template: str, args: list[Value]) -> str:
    positional = [arg for arg in args if type(arg) is not KwArg]
    automatic = iter(range(len(template)))
    pieces = []
    try:
        for literal, field, spec, conversion in string.Formatter().parse(template):
            pieces.append(literal)
            if field is None:
                continue
            if conversion is not None or "{" in (spec or ""):
                raise ValueError("conversions and nested fields are not supported")
            value = _field_value(rt, field, positional, args, automatic)
            pieces.append(_formatted(rt, value, spec or ""))
            check_size(rt, sum(map(len, pieces)))
    except ValueError as error:
        raise OperationError(f"format(): {error}", code="argument-value") from None
    return "".join(pieces)


def _field_value(
    rt: Runtime, field: str, positional: list[Value], args: list[Value], automatic: Iterator[int]
) -> Value:
    first, path = _split_field(field)
    if first == "" or first.isdecimal():
        index = next(automatic) if first == "" else int(first)
        if index >= len(positional):
            message = f"Function 'format' expected at least {index + 2} arguments, got {len(args) + 1}"
            raise OperationError(message, code="argument-count")
        value = positional[index]
    else:
        value = keyword(args, first)
    for is_attribute, key in path:
        value = get_attr(rt, value, key) if is_attribute else get_item(rt, value, int(key) if key.isdecimal() else key)
    return value


def _split_field(field: str) -> tuple[str, list[tuple[bool, str]]]:
    """``name.attr[key]`` as ``("name", [(True, "attr"), (False, "key")])``."""
    start = min((at for at in (field.find("."), field.find("[")) if at >= 0), default=len(field))
    path: list[tuple[bool, str]] = []
    at = start
    while at < len(field):
        if field[at] == "[":
            end = field.index("]", at)  # the parser of fields has seen to it
            path.append((False, field[at + 1 : end]))
            at = end + 1
        elif field[at] == ".":
            ends = [place for place in (field.find(".", at + 1), field.find("[", at + 1)) if place >= 0]
            end = min(ends, default=len(field))
            path.append((True, field[at + 1 : end]))
            at = end
        else:
            raise ValueError("only '.' or '[' may follow ']' in a replacement field")
    return field[:start], path


_WIDEST = 1_000_000


def _formatted(rt: Runtime, value: Value, spec: str) -> str:
    if not spec:
        return text_form(rt, value)
    if any(int(digits) > _WIDEST for digits in "".join(c if c.isdecimal() else " " for c in spec).split()):
        raise ValueError("a width is too large")
    value = plain(rt, value)
    return format(value if type(value) in (int, float) else text_form(rt, value), spec)


# --- tojson, tests -------------------------------------------------------------------------------------


def _tojson(base: Builtin) -> Builtin:
    def tojson(rt: Runtime, args: list[Value]) -> Value:
        """``tojson(ensure_ascii, indent, separators, sort_keys)``."""
        if len(args) < 2 or not keyword_or_position(args, "sort_keys", 4):
            return base(rt, args)
        check_count("tojson", args, 1, 5)
        rest = [arg for arg in args[1:4] if type(arg) is not KwArg]
        named = [arg for arg in args[1:] if type(arg) is KwArg and arg.key != "sort_keys"]
        return base(rt, [sorted_keys(rt, args[0], 0), *rest, *named])

    return tojson


def sorted_keys(rt: Runtime, value: Value, depth: int) -> Value:
    """A copy with sorted keys; data nested too deeply is left to the encoder, which refuses it."""
    if type(value) not in NUMBERS:
        value = plain(rt, value)
    if depth > rt.limits.data_depth:
        return value
    kind = kind_of(value)
    if type(value) in OBJECTS:
        keys = sorted(value, key=lambda key: text_form(rt, key))
        return Object((key, sorted_keys(rt, value[key], depth + 1)) for key in keys)
    if kind in ("Array", "Tuple"):
        return Array(sorted_keys(rt, item, depth + 1) for item in value)
    return value


def is_escaped(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """Nothing is ever escaped automatically."""
    return False


def is_filter(rt: Runtime, args: list[Value], name: str = "") -> bool:
    """Whether a filter of that name exists for any type of value."""
    check_count(name, args, 1)
    asked = text_form(rt, args[0])
    return rt.tables.aliases.get(asked, asked) in rt.tables.method_names


# --- operators -----------------------------------------------------------------------------------------


def floor_divide(rt: Runtime, left: Value, right: Value) -> Value:
    """``//``: of two Integers an Integer."""
    left, right = _numbers(rt, "//", left, right)
    if right == 0:
        raise OperationError("division by zero", code="division-by-zero")
    return _fit(left // right)


def power(rt: Runtime, left: Value, right: Value) -> Value:
    """``**``: of two Integers an Integer, unless the exponent is negative."""
    left, right = _numbers(rt, "**", left, right)
    if type(left) is type(right) is int and right > _LARGEST_EXPONENT and abs(left) > 1:
        raise OperationError("integer overflow", code="integer-overflow")
    try:
        result = left**right
    except ZeroDivisionError:
        raise OperationError("division by zero", code="division-by-zero") from None
    except OverflowError:
        result = math.inf
    if isinstance(result, complex):
        raise OperationError("a negative number has no such power", code="argument-value")
    return _fit(result)


_LARGEST_EXPONENT = 63


def _numbers(rt: Runtime, op: str, left: Value, right: Value) -> tuple[Any, Any]:
    left, right = plain(rt, left), plain(rt, right)
    kinds = kind_of(left), kind_of(right)
    if "Undefined" in kinds:
        raise OperationError(f"Cannot perform operation {op} on undefined values", code="undefined-operand")
    if "None" in kinds:
        raise OperationError("Cannot perform operation on null values", code="none-operand")
    if not all(kind in ("Integer", "Float") for kind in kinds):
        message = f'Unknown operator "{op}" between {type_name(left)} and {type_name(right)}'
        raise OperationError(message, code="unknown-operator")
    return _canonical(left), _canonical(right)


def _canonical(number: int | float) -> int | float:
    return wrapped(number) if type(number) is int else number


def _fit(result: float) -> Value:
    if type(result) is int and not INT_MIN <= result <= INT_MAX:
        raise OperationError("integer overflow", code="integer-overflow")
    return result


# --- tables --------------------------------------------------------------------------------------------


def extended(tables: Tables) -> Tables:
    """`tables` with everything of this module."""
    methods = {kind: dict(table) for kind, table in tables.methods.items()}
    for table in methods.values():
        table["escape"] = do_escape
        if "tojson" in table:
            table["tojson"] = _tojson(table["tojson"])
    strings, objects = methods["String"], methods["Object"]
    strings.update(join=str_join, replace=_replace(strings["replace"]), format=_format(strings["format"]))
    objects.update(join=object_join, dictsort=_dictsort(objects["dictsort"]))
    for kind in ("Array", "Tuple"):
        arrays = methods[kind]
        arrays.update(sum=do_sum, unique=array_unique, map=_map(arrays["map"]), sort=_sort(arrays["sort"]))
    tests = {**tables.tests, "escaped": is_escaped, "filter": is_filter}
    named = {f"test_is_{name}": test for name, test in (("escaped", is_escaped), ("filter", is_filter))}
    read_only: Mapping[str, Mapping[str, Builtin]] = MappingProxyType(
        {kind: MappingProxyType(table) for kind, table in methods.items()}
    )
    return dataclasses.replace(
        tables,
        methods=read_only,
        tests=MappingProxyType(tests),
        globals=MappingProxyType({**tables.globals, **named, "tojson": _tojson(tables.globals["tojson"])}),
        method_names=frozenset(name for table in methods.values() for name in table),
    )
