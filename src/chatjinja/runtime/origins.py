"""Who wrote the characters of a value's text: printed, as text form, as repr, as JSON.

Each function here walks through a value as its counterpart in `convert` or `json_encoder` does and gives
runs. The text itself is the counterpart's; runs that do not make it up are not used (`runs.fitting`).
"""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import TYPE_CHECKING

from chatjinja.runtime.convert import print_text, quoted, repr_scalar, text_form
from chatjinja.runtime.json_encoder import encode, escape_non_ascii
from chatjinja.runtime.kinds import ARRAYS, KINDS, OBJECTS, plain
from chatjinja.runtime.marked import NUMBERS, Marked, Run, Runs, TemplateText, number_origin, runs_of
from chatjinja.runtime.objects import NOT_BOUND, BuiltinFunction, Function, Tuple, Value
from chatjinja.runtime.runs import fitting
from chatjinja.runtime.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

_STRINGS = frozenset((str, TemplateText, Marked))


def is_number(value: Value) -> bool:
    """Whether a value is an Integer or Float; Booleans are not."""
    return isinstance(value, (int, float)) and type(value) is not bool


def text_runs(rt: Runtime, value: Value) -> Runs:
    """Runs of the text form of a value that has one."""
    kind = type(value)
    if kind in _STRINGS:
        return runs_of(value)
    if is_number(value):
        return ((text_form(rt, value), number_origin(value)),)
    if kind in ARRAYS or kind in OBJECTS:
        return repr_runs(rt, value, text_form(rt, value))
    if kind in KINDS:
        return ((text_form(rt, value), False),)
    return text_runs(rt, plain(rt, value))


def printed_runs(rt: Runtime, value: Value, out: list[Run]) -> None:
    """Append the runs of what printing a value shows."""
    kind = type(value)
    if kind in _STRINGS:
        out += runs_of(value)
    elif kind in ARRAYS:
        for item in value:
            printed_runs(rt, item, out)
    elif is_number(value):
        out.append((print_text(rt, value), number_origin(value)))
    elif kind is bool:
        out.append((print_text(rt, value), False))
    elif kind not in KINDS and not isinstance(value, Function):
        printed_runs(rt, plain(rt, value), out)


# --- repr ----------------------------------------------------------------------------------------------


def repr_runs(rt: Runtime, value: Value, text: str) -> Runs:
    """Runs of `text`, the repr of an Array, Tuple or Object."""
    out: list[Run] = []
    _repr(rt, value, out)
    return fitting(tuple(out), text)


def _repr(rt: Runtime, value: Value, out: list[Run]) -> None:
    if type(value) not in NUMBERS:
        value = plain(rt, value)
    kind = type(value)
    if kind in OBJECTS:
        out.append(("{", False))
        for number, (key, item) in enumerate(value.items()):
            if number:
                out.append((", ", False))
            _repr(rt, key, out)
            out.append((": ", False))
            _repr(rt, item, out)
        out.append(("}", False))
    elif kind in ARRAYS:
        begin, end = ("(", ",)" if len(value) == 1 else ")") if kind is Tuple else ("[", "]")
        out.append((begin, False))
        for number, item in enumerate(value):
            if number:
                out.append((", ", False))
            _repr(rt, item, out)
        out.append((end, False))
    elif kind in _STRINGS:
        _quoted(value, out)
    elif is_number(value):
        out += text_runs(rt, value)
    else:
        _repr_other(rt, value, out)


def _repr_other(rt: Runtime, value: Value, out: list[Run]) -> None:
    text = repr_scalar(rt, value)
    if type(value) is Undefined and value.hint:
        start = len(text) - len(value.hint) - 2
        # A hint can be a key that the template took from the input.
        out += [(text[:start], False), (text[start:-2], type(value.hint) is not TemplateText), (text[-2:], False)]
    elif isinstance(value, BuiltinFunction) and value.bound is not NOT_BOUND:
        start = text.index("(") + 1
        out += [(text[:start], False), *_bound_runs(rt, value.bound, text[start:-1]), (")", False)]
    else:
        out.append((text, False))


def _bound_runs(rt: Runtime, bound: Value, text: str) -> Runs:
    """Runs of `text`, the repr of a value that a method is bound to."""
    if type(bound) in ARRAYS or type(bound) in OBJECTS:
        return repr_runs(rt, bound, text)
    if type(bound) in _STRINGS:
        return ((text, any(bool(origin) for _, origin in runs_of(bound))),)
    return ((text, is_number(bound) and number_origin(bound)),)


def _quoted(value: str | Marked, out: list[Run]) -> None:
    runs = runs_of(value)
    text = value.text if type(value) is Marked else str.__str__(value)
    if quoted(text)[0] == "'":
        out.append(("'", False))
        out += runs
        out.append(("'", False))
    else:
        _encoded(runs, out)


def _encoded(runs: Runs, out: list[Run], ascii_only: bool = False) -> None:
    """A string as in JSON: the quotes are the template's, escapes belong to the character."""
    out.append(('"', False))
    for text, origin in runs:
        body = encode_basestring(text)[1:-1]
        out.append((escape_non_ascii(body, True) if ascii_only else body, origin))
    out.append(('"', False))


# --- JSON ----------------------------------------------------------------------------------------------


class JsonLayout:
    """How JSON is written: indent (negative: none), separators and their runs, only ASCII."""

    __slots__ = ("ascii_only", "between", "colon", "indent")

    def __init__(self, indent: int, between: Runs, colon: Runs, ascii_only: bool) -> None:
        self.indent = indent
        self.between = between
        self.colon = colon
        self.ascii_only = ascii_only


def json_runs(rt: Runtime, value: Value, layout: JsonLayout, text: str) -> Runs:
    """Runs of `text`, the JSON of a value."""
    out: list[Run] = []
    _json(rt, value, layout, 0, out)
    return fitting(tuple(out), text)


def _json(rt: Runtime, value: Value, layout: JsonLayout, depth: int, out: list[Run]) -> None:
    kind = type(value)
    if kind not in KINDS and kind is not TemplateText and kind not in NUMBERS:
        value = plain(rt, value)
        kind = type(value)
    if kind in _STRINGS:
        _encoded(runs_of(value), out, layout.ascii_only)
    elif (kind in ARRAYS or kind in OBJECTS) and value:
        _json_items(rt, value, layout, depth, out)
    elif is_number(value):
        out.append((json_text(rt, value), number_origin(value)))
    else:
        out.append((json_text(rt, value), False))


def _json_items(rt: Runtime, value: Value, layout: JsonLayout, depth: int, out: list[Run]) -> None:
    is_object = type(value) in OBJECTS
    inner = "" if layout.indent < 0 else "\n" + " " * (layout.indent * (depth + 1))
    outer = "" if layout.indent < 0 else "\n" + " " * (layout.indent * depth)
    out.append((("{" if is_object else "[") + inner, False))
    for number, item in enumerate(value.items() if is_object else value):
        if number:
            out += layout.between
            out.append((inner, False))
        if is_object:
            key, item = item
            _encoded(text_runs(rt, key), out, layout.ascii_only)
            out += layout.colon
        _json(rt, item, layout, depth + 1, out)
    out.append((outer + ("}" if is_object else "]"), False))


def json_text(rt: Runtime, value: Value) -> str:
    """JSON of a scalar or of an empty container."""
    return encode(rt, value, -1, ", ", ": ")
