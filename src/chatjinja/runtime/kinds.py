"""What a value is: its kind as named in error messages, and canonical forms of the caller's own types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.errors import ContextError, LimitError, OperationError
from chatjinja.runtime.limits import LARGE, spend
from chatjinja.runtime.marked import Marked, TemplateText
from chatjinja.runtime.objects import (
    Array,
    BuiltinFunction,
    Function,
    KwArg,
    LoopObject,
    Object,
    SparseObject,
    Tuple,
    Value,
)
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.objects import Builtin
    from chatjinja.runtime.state import Runtime

INT_MIN = -(2**63)
INT_MAX = 2**63 - 1

KINDS: Mapping[type, str] = {
    bool: "Boolean",
    int: "Integer",
    float: "Float",
    str: "String",
    Marked: "String",
    list: "Array",
    tuple: "Array",
    Array: "Array",
    Tuple: "Tuple",
    dict: "Object",
    Object: "Object",
    SparseObject: "Object",
    LoopObject: "Object",
    type(None): "None",
    Undefined: "Undefined",
    KwArg: "KwArg",
    BuiltinFunction: "Function",
}
"""Exact Python type → kind. Everything else is a kind of Function or a type of the caller's."""

ARRAYS = frozenset({list, Array, tuple, Tuple})
"""Types that are an Array or a Tuple."""
OBJECTS = frozenset({dict, Object, SparseObject, LoopObject})
"""Types that are an Object."""
STRINGS = frozenset({str, Marked})
"""Types that are a String."""
WORK_PER_STEP: Mapping[type, int] = {**dict.fromkeys(ARRAYS | OBJECTS, 1), **dict.fromkeys(STRINGS, 256)}
"""How many items or characters a built-in works through in the time of a loop pass."""
SIZED = frozenset(WORK_PER_STEP)
"""Types whose values have a length."""


def count_work(rt: Runtime, value: Value) -> None:
    """Count what a built-in does that goes through all of a value with a length. LimitError if it is too much."""
    if len(value) > LARGE:
        spend(rt, len(value), WORK_PER_STEP[type(value)])
        if type(value) is Marked:
            spend(rt, len(value.pieces), 1)


_NO_METHODS: Mapping[str, Any] = MappingProxyType({})


def kind_of(value: Value) -> str:
    """The kind of a value: Integer, Float, Boolean, String, Array, Tuple, Object, None, Undefined, Function, KwArg.

    Values of the caller's own types have the kind of what they stand for (`plain`).
    """
    return KINDS.get(type(value)) or _foreign_kind(value)


def _foreign_kind(value: Value) -> str:
    if isinstance(value, Function):
        return "Function"
    for base, kind in ((str, "String"), (int, "Integer"), (float, "Float"), (Mapping, "Object")):
        if isinstance(value, base):
            return kind
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return "Array"
    raise ContextError(f"a {type(value).__name__} is not a template value", code="context-type")


def type_name(value: Value) -> str:
    """The kind as it stands in messages; an Undefined says its hint."""
    if type(value) is Undefined and value.hint:
        return f"Undefined (hint: '{value.hint}')"
    return kind_of(value)


def methods_of(rt: Runtime, value: Value) -> Mapping[str, Builtin]:
    """The filters and methods of the value's type."""
    kind = type(value)
    if kind is LoopObject:
        return _NO_METHODS
    name = KINDS.get(kind) or kind_of(value)
    try:
        methods: Mapping[str, Builtin] = rt.tables.methods[name]
    except KeyError:
        raise OperationError(f"{name} has no builtins") from None
    return methods


LARGEST_KEY = 1000
"""How many values a Tuple may hold, those of its Tuples included, to be a key or to be compared."""


def is_immutable_key(value: Value) -> bool:
    """Whether a value is hashable and immutable: may be a key, and makes a list of such values comparable.

    Raises LimitError for a Tuple of more than `LARGEST_KEY` values: Tuples can hold one another so that few
    of them unfold to any number, and each hash or comparison walks through them all.
    """
    if type(value) is Tuple:
        return _is_immutable_tuple(value)
    return kind_of(value) not in _MUTABLE


_MUTABLE = frozenset({"Array", "Object", "Undefined", "Function"})


def _is_immutable_tuple(value: Tuple) -> bool:
    count = 0
    todo = [value]
    for items in todo:
        count += len(items)
        if count > LARGEST_KEY:
            raise LimitError(
                f"limit reached: a key has more than {LARGEST_KEY} values", code="limit-items", limit="items"
            )
        for item in items:
            if type(item) is Tuple:
                todo.append(item)
            elif kind_of(item) in _MUTABLE:
                return False
    return True


def is_hashable(value: Value) -> bool:
    """Whether a value can be asked for with ``x[value]``: containers count by their items."""
    kind = kind_of(value)
    if kind in ("Array", "Tuple"):
        return all(map(is_immutable_key, value))
    if kind == "Object":
        return all(map(is_immutable_key, value.values()))
    return kind not in ("Undefined", "Function")


# --- the caller's own types ----------------------------------------------------------------------------


def plain(rt: Runtime, value: Value) -> Value:
    """The value itself if its type is one of the engine's, else what it stands for.

    Subclasses of str, int and float become the builtin, Mappings a dict, Sequences a list (the same one
    each time in a render). Raises ContextError for anything else.
    """
    if type(value) in KINDS or isinstance(value, Function):
        return value
    if isinstance(value, str):
        text = str.__str__(value)
        if type(value) is not TemplateText:
            return text
        source = getattr(value, "source", None)
        return Marked(((text, False),), None if source is None else ((text, source),))
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if rt.converted is None:
        rt.converted = {}
    known = rt.converted.get(id(value))
    if known is not None:
        return known[1]
    made: Any
    if isinstance(value, Mapping):
        made = dict(value)
    elif isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        made = list(value)
    else:
        raise context_type_error(rt, value)
    rt.converted[id(value)] = (value, made)
    return made


def context_type_error(rt: Runtime, value: Value) -> ContextError:
    """The error for a value of a type that templates cannot use; says where in the context it stands."""
    pointer = pointer_to(rt.context, value)
    where = f" at {pointer or 'the top'}" if pointer is not None else ""
    return ContextError(
        f"the context holds a value of type {type(value).__name__}{where}, which is not a template value",
        code="context-type",
        pointer=pointer,
    )


def canonical_int(rt: Runtime, value: int) -> int | float:
    """An integer of the context that may lie outside int64, as JSON readers of the reference take it.

    2^63 … 2^64-1 wrap to negative ones, everything beyond becomes a float. The fast form has no place
    for this and raises Deoptimise.
    """
    if INT_MIN <= value <= INT_MAX:
        return value
    if not rt.exact:
        raise Deoptimise
    return wrapped(value)


def wrapped(value: int) -> int | float:
    """`value` within int64, wrapped from uint64, or as a float."""
    if INT_MIN <= value <= INT_MAX:
        return value
    if 0 < value < 2**64:
        return value - 2**64
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def pointer_to(root: Any, wanted: Any) -> str | None:
    """JSON Pointer (RFC 6901) of the first place of the very object `wanted` in `root`; None if not there."""
    if root is wanted:
        return ""
    seen: set[int] = set()
    stack: list[tuple[str, Iterator[tuple[Any, Any]]]] = [("", _members(root))]
    while stack:
        prefix, members = stack[-1]
        for key, item in members:
            pointer = f"{prefix}/{escape_pointer(key)}"
            if item is wanted or key is wanted:
                return pointer
            if id(item) not in seen and not isinstance(item, (str, int, float, bytes)):
                seen.add(id(item))
                stack.append((pointer, _members(item)))
                break
        else:
            stack.pop()
    return None


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return iter(value.items())
    if isinstance(value, Sequence):
        return iter(enumerate(value))
    return iter(())


def escape_pointer(key: Any) -> str:
    """One reference token of a JSON Pointer."""
    text = key if type(key) is str else str(key)
    return text.replace("~", "~0").replace("/", "~1")
