"""What ``for`` and ``set`` need: items to iterate, values to unpack, progress to watch, output to settle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import getsizeof
from typing import TYPE_CHECKING, Any, NoReturn

from chatjinja.errors import OperationError
from chatjinja.runtime.access import get_attr
from chatjinja.runtime.convert import made, note_size, print_pieces, print_text
from chatjinja.runtime.kinds import ARRAYS, kind_of, plain, type_name
from chatjinja.runtime.limits import exceeded
from chatjinja.runtime.marked import MadeFloat, MadeInt, Marked, Piece, Printed, Run, TemplateText, made_number
from chatjinja.runtime.objects import LoopObject, Tuple, Value
from chatjinja.runtime.origins import printed_runs
from chatjinja.runtime.state import BIG, Unchecked
from chatjinja.runtime.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


# --- items ---------------------------------------------------------------------------------------------


def iter_items(rt: Runtime, value: Value, missing: Value) -> list[Value]:
    """Items for ``for x in value``, fixed: a fresh list. Undefined ones become `missing`."""
    items = _items(rt, value)
    if isinstance(items, dict):
        return _keys(rt, items)
    return [missing if type(item) is Undefined else item for item in items]


def _items(rt: Runtime, value: Value) -> Sequence[Value] | dict[Value, Value]:
    if type(value) not in ARRAYS:
        value = plain(rt, value)
    kind = kind_of(value)
    if kind == "Undefined":
        return ()
    if kind not in ("Array", "Tuple", "Object"):
        message = f"Expected iterable or object type in for loop: got {type_name(value)}"
        raise OperationError(message, code="not-iterable")
    items: Sequence[Value] | dict[Value, Value] = value
    return items


def _keys(rt: Runtime, items: dict[Value, Value]) -> list[Value]:
    if rt.exact and not rt.sound and type(items) is dict:
        return [TemplateText(key) if type(key) is str else key for key in items]
    return list(items)


def unpack_items(rt: Runtime, value: Value, missing: tuple[Value, ...]) -> list[Value]:
    """Items for ``for a, b in value``: each an Array of ``len(missing)`` values, all checked beforehand."""
    items = _items(rt, value)
    pairs: Sequence[Value] = items if not isinstance(items, dict) else _pairs(rt, items)
    return [_unpacked(rt, item, missing, "") for item in pairs]


def _pairs(rt: Runtime, items: dict[Value, Value]) -> list[Value]:
    return list(map(Tuple, zip(_keys(rt, items), items.values(), strict=True)))


def unpack_set(rt: Runtime, value: Value, missing: tuple[Value, ...]) -> Value:
    """Values for ``set a, b = value``."""
    return _unpacked(rt, value, missing, " in set")


def _unpacked(rt: Runtime, value: Value, missing: tuple[Value, ...], where: str) -> Value:
    if type(value) not in ARRAYS:
        value = plain(rt, value)
        if type(value) not in ARRAYS:
            message = f"Cannot unpack non-iterable type{where}: {type_name(value)}"
            raise OperationError(message, code="unpack")
    if len(value) != len(missing):
        which = "few" if len(missing) > len(value) else "many"
        raise OperationError(f"Too {which} items to unpack{where}", code="unpack")
    if any(type(item) is Undefined for item in value):
        return Tuple(default if type(item) is Undefined else item for item, default in zip(value, missing, strict=True))
    return value


def loop_object(items: Sequence[Value], index: int) -> LoopObject:
    """The ``loop`` variable of one pass."""
    length = len(items)
    return LoopObject(
        index=index + 1,
        index0=index,
        revindex=length - index,
        revindex0=length - index - 1,
        first=index == 0,
        last=index == length - 1,
        length=length,
        previtem=items[index - 1] if index > 0 else Undefined("previtem"),
        nextitem=items[index + 1] if index < length - 1 else Undefined("nextitem"),
    )


def loop_object_made(items: Sequence[Value], index: int) -> LoopObject:
    """`loop_object` of sound marking: its numbers are the template's."""
    loop = loop_object(items, index)
    for name in _COUNTS:
        loop[name] = made_number(loop[name])
    return loop


_COUNTS = ("index", "index0", "revindex", "revindex0", "length")


# --- values made by generated code ---------------------------------------------------------------------


def getter(rt: Runtime, value: Value) -> Callable[[str, Value], Value]:
    """``get(name, missing)`` for a value that is not a plain dict."""

    def get(name: str, missing: Value) -> Value:
        found = get_attr(rt, value, name)
        return as_variable(found, missing) if type(missing) is Undefined and missing.is_variable else found

    return get


def as_variable(value: Value, missing: Value) -> Value:
    """What a variable reads as that is set to `value`; `missing` if that is Undefined."""
    return missing if type(value) is Undefined else value


# --- output --------------------------------------------------------------------------------------------


def check_progress(rt: Runtime, out: list[Any]) -> None:
    """Called when there were many loop passes or much output: is it too much?"""
    if rt.steps > rt.stop_steps:
        raise exceeded(rt.limits, "steps")
    if len(out) > rt.watch:
        check_output(rt, out)
        rt.watch = 2 * len(out)


def check_output(rt: Runtime, out: list[Any]) -> None:
    """LimitError if the strings of `out` are longer than the output may be (each counts at least 1)."""
    try:
        size = sum(map(len, out))
    except TypeError:  # a piece that is no str
        size = sum(len(text) for text in out if type(text) is str)
    if max(size, len(out)) > rt.limits.output:
        raise exceeded(rt.limits, "output")


MANY = 8192
"""So many pieces are joined without adding up their lengths first."""


_PRINT_AS_THEY_CONCATENATE = frozenset(
    (str, TemplateText, Marked, int, float, bool, MadeInt, MadeFloat, type(None), Undefined)
)


def _printed(rt: Runtime, value: Value) -> str:
    """What a value prints. Unchecked code may have meant it as an operand of a concatenation."""
    if not rt.checked and type(value) not in _PRINT_AS_THEY_CONCATENATE:
        raise Unchecked
    return print_text(rt, value)


def output_text(rt: Runtime, out: list[Any], late_text: Callable[[Runtime, Any], str] = _printed) -> str:
    """Everything in `out`, printed; `late_text` prints what is no str."""
    if rt.has_big_strings or len(out) > MANY:
        check_output(rt, out)
    try:
        return "".join(out)
    except TypeError:
        texts = [text if type(text) is str else late_text(rt, text) for text in out]
    if rt.has_big_strings:
        check_output(rt, texts)
    return "".join(texts)


def refuse_surrogates(text: str, start: int) -> None:
    """UnicodeEncodeError if ``text[start:]`` holds surrogates: escaped bytes or stray ones.

    Encoding to UTF-32 is the fastest way to find them; part by part to stay small. Text that CPython holds
    with one byte for a character cannot have any.
    """
    if getsizeof(text) < 2 * len(text):
        return
    for at in range(start, len(text), _PART):
        text[at : at + _PART].encode("utf-32-le")


_PART = 32768


def body_text(rt: Runtime, out: list[Any]) -> Value:
    """A body's output as a value."""
    text = output_text(rt, out)
    return text if len(text) < BIG else made(rt, text)


def body_pieces(rt: Runtime, out: list[Any]) -> Marked:
    """`body_text` of the exact form."""
    pieces: list[Piece] = []
    runs: list[Run] = []
    for value in out:
        if type(value) is Printed:
            made: list[Run] = []
            printed_runs(rt, value.value, made)
            runs += [(text, value.seen(origin)) for text, origin in made]
            print_pieces(rt, value.value, pieces)
            continue
        if not rt.checked and type(value) not in _PRINT_AS_THEY_CONCATENATE:
            raise Unchecked
        print_pieces(rt, value, pieces)
        if rt.sound:
            printed_runs(rt, value, runs)
    body = Marked(tuple(pieces), tuple(runs) if rt.sound else None)
    if len(body.text) > BIG:
        note_size(rt, body.text)
    return body


def settle(rt: Runtime, out: list[Any], mark: int) -> None:
    """A body ends: turn the values that it printed into text."""
    if all(type(value) is str for value in out[mark:]):
        return
    out[mark:] = [value if type(value) is str else print_text(rt, value) for value in out[mark:]]


def settle_pieces(rt: Runtime, out: list[Any], mark: int) -> None:
    """`settle` of the exact form."""
    if len(out) > mark:
        out[mark:] = [body_pieces(rt, out[mark:])]


def fail(rt: Runtime, message: str) -> Value:
    """What the code generator knew would fail, fails now."""
    raise OperationError(message)


def refuse_call(rt: Runtime) -> NoReturn:
    """A macro call too deep, or one too many."""
    raise exceeded(rt.limits, "recursion" if rt.depth > rt.stop_depth else "steps")
