"""The names that generated code may use, and nothing else (a test compares both sets).

All forms use the same names; some mean something else outside of the text form.
"""

from __future__ import annotations

import operator as native
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime import extensions, loops, macros, operators, printing, sound, sound_operators, sourced
from chatjinja.runtime.access import MISSING, call, call_method, get_attr, get_item, get_slice, put, set_attribute
from chatjinja.runtime.convert import made, print_text
from chatjinja.runtime.filters import apply_filter
from chatjinja.runtime.globals import global_range
from chatjinja.runtime.json_encoder import encode
from chatjinja.runtime.marked import NO_PIECES, SMALL_INTS, MadeInt, Marked, Printed, TemplateText, made_number
from chatjinja.runtime.objects import Array, KwArg, Object, SparseObject, Tuple, Value
from chatjinja.runtime.state import BIG
from chatjinja.runtime.tests import apply_test
from chatjinja.runtime.undefined import UNDEFINED, Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def truth(rt: Runtime, value: Value) -> bool:
    """The truth of a value that may be a Function, which has none."""
    return bool(value)


def tojson(rt: Runtime, value: Value) -> Value:
    """``value|tojson`` without arguments, in the fast form."""
    if type(value) not in _JSON_TYPES:
        return apply_filter(rt, value, "tojson", None)
    text = encode(rt, value, -1, ", ", ": ")
    return text if len(text) < BIG else made(rt, text)


_JSON_TYPES = frozenset((dict, list, str, int, bool, Object, Array, type(None)))
"""Types that have the filter `tojson` and nothing odd about it."""


def new_object(items: Any) -> Object:
    """An Object from a dict or pairs whose keys are valid."""
    result = Object(items)
    for value in result.values():
        if type(value) is Undefined:
            result.__class__ = SparseObject
            break
    return result


def with_item(rt: Runtime, obj: Object, key: Value, value: Value) -> Object:
    """`obj` with one more item."""
    put(obj, key, value)
    return obj


def object_of(rt: Runtime, pairs: tuple[Value, ...]) -> Object:
    """An Object of keys and values in turn."""
    result = Object()
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        put(result, key, value)
    return result


FAST: Mapping[str, Any] = MappingProxyType(
    {
        "Array": Array,
        "BreakSignal": macros.BreakSignal,
        "Caller": macros.Caller,
        "ContinueSignal": macros.ContinueSignal,
        "KwArg": KwArg,
        "MISSING": MISSING,
        "Macro": macros.Macro,
        "Object": Object,
        "Tuple": Tuple,
        "UNDEFINED": UNDEFINED,
        "Undefined": Undefined,
        "add": operators.add,
        "apply_filter": apply_filter,
        "apply_test": apply_test,
        "as_variable": loops.as_variable,
        "body_text": loops.body_text,
        "call": call,
        "call_method": call_method,
        "call_with_caller": macros.call_with_caller,
        "check_callee": macros.check_callee,
        "check_progress": loops.check_progress,
        "concat": operators.concat,
        "concat_text": operators.concat_text,
        "contains": operators.contains,
        "dict": dict,
        "divide": operators.divide,
        "enumerate": enumerate,
        "equal": operators.equal,
        "fail": loops.fail,
        "fresh": operators.fresh,
        "floor_divide": extensions.floor_divide,
        "get_attr": get_attr,
        "get_item": get_item,
        "get_slice": get_slice,
        "getter": loops.getter,
        "greater": operators.greater,
        "greater_equal": operators.greater_equal,
        "int": int,
        "isinstance": isinstance,
        "iter_items": loops.iter_items,
        "len": len,
        "less": operators.less,
        "less_equal": operators.less_equal,
        "list": list,
        "loop_object": loops.loop_object,
        "macro_text": macros.macro_text,
        "made": made,
        "modulo": operators.modulo,
        "multiply": operators.multiply,
        "negate": operators.negate,
        "new_object": new_object,
        "not_contains": operators.not_contains,
        "object_of": object_of,
        "plus": operators.plus,
        "power": extensions.power,
        "print_text": print_text,
        "raise_signal": macros.raise_signal,
        "refuse_call": loops.refuse_call,
        "set_attribute": set_attribute,
        "setattr": setattr,
        "settle": loops.settle,
        "str": str,
        "subtract": operators.subtract,
        "tojson": tojson,
        "truth": truth,
        "type": type,
        "unpack_items": loops.unpack_items,
        "unpack_set": loops.unpack_set,
        "with_item": with_item,
    }
)
"""Names of the fast text form."""
EXACT: Mapping[str, Any] = MappingProxyType(
    {**FAST, "body_text": loops.body_pieces, "made_number": int, "settle": loops.settle_pieces}
)
"""Names of the exact form."""
REFERENCE: Mapping[str, Any] = MappingProxyType(
    {
        **FAST,
        "EMPTY": NO_PIECES,
        "NOTHING": UNDEFINED,
        "STRINGS": (str, Marked),
        "TEXTS": printing.TEXTS,
        "TemplateText": TemplateText,
        "body_text": printing.body,
        "concat_text": printing.contribution,
        "joined": printing.joined,
        "macro_text": printing.macro_text,
        "settle": printing.settle,
        "tojson": printing.tojson,
    }
)
"""Names of the marked form with the reference's marks."""
_SOUND_OPERATORS: Mapping[str, Any] = MappingProxyType(
    {
        "add": sound_operators.concatenation(operators.add, native.add),
        "concat": sound_operators.concatenation(operators.concat),
        "divide": sound_operators.arithmetic(operators.divide),
        "floor_divide": sound_operators.arithmetic(extensions.floor_divide),
        "greater": sound_operators.comparison(operators.greater, native.gt),
        "greater_equal": sound_operators.comparison(operators.greater_equal, native.ge),
        "less": sound_operators.comparison(operators.less, native.lt),
        "less_equal": sound_operators.comparison(operators.less_equal, native.le),
        "loop_object": loops.loop_object_made,
        "MadeInt": MadeInt,
        "SMALL_INTS": SMALL_INTS,
        "made_number": made_number,
        "modulo": sound_operators.arithmetic(operators.modulo, sound_operators.remainder),
        "multiply": sound_operators.arithmetic(operators.multiply, native.mul),
        "negate": sound_operators.sign(operators.negate),
        "plus": sound_operators.sign(operators.plus),
        "power": sound_operators.arithmetic(extensions.power),
        "range_items": global_range,
        "subtract": sound_operators.arithmetic(operators.subtract, native.sub),
    }
)
SOUND: Mapping[str, Any] = MappingProxyType(
    {**REFERENCE, **_SOUND_OPERATORS, "EMPTY": "", "NOTHING": "", "tojson": sound.tojson}
)
"""Names of the marked form with sound marks."""
SOURCED: Mapping[str, Any] = MappingProxyType(
    {
        **SOUND,
        "body_text": sourced.body,
        "derived": sourced.derived,
        "derived_items": sourced.derived_items,
        "macro_text": sourced.macro_text,
    }
)
"""Names of the marked form with sound marks and provenance."""
SOUND_EXACT: Mapping[str, Any] = MappingProxyType(
    {**EXACT, **_SOUND_OPERATORS, "Printed": Printed, "fresh": sound_operators.fresh_made}
)
"""Names of the exact form with sound marks."""
