"""Values as text and as numbers, as the reference prints and reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain
from json.encoder import encode_basestring
from typing import TYPE_CHECKING

from chatjinja.errors import ContextError, OperationError
from chatjinja.runtime.contexts import too_deep
from chatjinja.runtime.kinds import (
    ARRAYS,
    INT_MAX,
    INT_MIN,
    KINDS,
    OBJECTS,
    canonical_int,
    kind_of,
    plain,
    type_name,
)
from chatjinja.runtime.limits import LARGE, exceeded, spend
from chatjinja.runtime.marked import Marked, Piece, TemplateText, has_raw, pieces_of, rejoin, template_piece
from chatjinja.runtime.objects import NOT_BOUND, Array, BuiltinFunction, Function, KwArg, Tuple, Value
from chatjinja.runtime.state import BIG, Deoptimise
from chatjinja.runtime.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

EXACT_INT = 2**53
"""Integers up to here (and some beyond) are exact as a double."""


# --- made strings --------------------------------------------------------------------------------------


def made(rt: Runtime, text: str) -> Value:
    """A string that a built-in made: checked for size; in the exact form one template piece."""
    if len(text) > BIG:
        note_size(rt, text)
    if not rt.exact:
        return text
    text = rejoin(text)
    # Who wrote it is for the caller to say; until then it counts as input.
    return Marked(((text, False),), ((text, True),)) if rt.sound else template_piece(text)


MANY = 8
"""So many strings (lists) of the largest size may be made in one render; shorter ones count by their length."""


def note_size(rt: Runtime, text: str) -> None:
    """Remember that there are big strings, and raise LimitError if this one is too long."""
    rt.has_big_strings = True
    rt.made_text += len(text)
    if len(text) > rt.limits.value or rt.made_text > MANY * rt.limits.value:
        raise exceeded(rt.limits, "value")


def check_size(rt: Runtime, length: int) -> None:
    """Raise LimitError if a string of `length` characters must not be made."""
    if length > rt.limits.value:
        raise exceeded(rt.limits, "value")


def check_items(rt: Runtime, count: int) -> None:
    """Raise LimitError if a list of `count` items must not be made."""
    if count > LARGE:
        rt.made_items += count
    if count > rt.limits.items or rt.made_items > MANY * rt.limits.items:
        raise exceeded(rt.limits, "items")


def cut(rt: Runtime, data: bytes) -> str:
    """Bytes cut from a string as text. A cut inside a character is a matter of the exact form."""
    text = data.decode("utf-8", "surrogateescape")
    if not rt.exact and has_raw(text):
        raise Deoptimise
    return text


def as_bytes(text: str) -> bytes:
    """The bytes that the reference sees. ContextError if the text has surrogates that stand for no byte."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        found = f"U+{ord(text[error.start]):04X}"
        raise ContextError(f"the context holds a lone surrogate {found}", code="context-encoding") from None


# --- numbers as text -----------------------------------------------------------------------------------


def float_text(value: float) -> str:
    """A Float as printed: six decimals without trailing zeros, at least one: ``3.0``, ``0.000012``, ``-nan``."""
    text = "%f" % value  # noqa: UP031 -- an f-string is slower and no clearer
    if text[-1] == "0":
        text = text.rstrip("0")
        return text + "0" if text[-1] == "." else text
    if value != value and math.copysign(1.0, value) < 0:
        return "-nan"
    return text


def float_json(value: float) -> str:
    """A Float as C++ streams print it: six significant digits."""
    if value != value and math.copysign(1.0, value) < 0:
        return "-nan"
    return "%g" % value  # noqa: UP031


def bool_text(value: bool) -> str:
    """``True`` or ``False``."""
    return "True" if value else "False"


# --- printing ------------------------------------------------------------------------------------------


def print_text(rt: Runtime, value: Value) -> str:
    """What printing a value shows: lists item by item; None, Undefined, Objects, Functions nothing."""
    kind = type(value)
    if kind is str:
        return value
    if kind is int:
        return int_text(rt, value)
    if kind is bool:
        return "True" if value else "False"
    if kind is float:
        return float_text(value)
    if kind in ARRAYS:
        parts: list[Piece] = []
        _print_items(rt, value, parts, 1)
        text = "".join([piece[0] for piece in parts])
        if rt.exact:
            return rejoin(text)
        if len(text) > BIG:
            note_size(rt, text)
        return text
    if kind is Marked:
        return value.text
    if kind in KINDS:
        return ""
    canonical = plain(rt, value)
    return "" if isinstance(canonical, Function) else print_text(rt, canonical)


def print_pieces(rt: Runtime, value: Value, out: list[Piece]) -> None:
    """Append the pieces that printing a value shows; empty pieces too."""
    kind = type(value)
    if kind is Marked:
        out.extend(value.pieces)
    elif kind is str:
        out.append((value, True))
    elif kind is TemplateText:
        out.append((str.__str__(value), False))
    elif kind in ARRAYS:
        _print_items(rt, value, out, 1)
    elif kind is int or kind is float or kind is bool:
        out.append((print_text(rt, value), False))
    elif kind not in KINDS and not isinstance(value, Function):
        print_pieces(rt, plain(rt, value), out)


def _print_items(rt: Runtime, items: list[Value], out: list[Piece], depth: int) -> None:
    if depth > rt.limits.data_depth:
        raise too_deep(rt)
    # Lists can hold one another many times over: what is walked counts as steps.
    rt.steps += len(items)
    if rt.steps > rt.stop_steps:
        raise exceeded(rt.limits, "steps")
    for item in items:
        kind = type(item)
        if kind in ARRAYS:
            _print_items(rt, item, out, depth + 1)
        elif kind in KINDS:
            print_pieces(rt, item, out)
        elif not isinstance(item, Function):
            canonical = plain(rt, item)
            if type(canonical) in ARRAYS:
                _print_items(rt, canonical, out, depth + 1)
            else:
                print_pieces(rt, canonical, out)


def int_text(rt: Runtime, value: int) -> str:
    """An Integer as printed."""
    if INT_MIN <= value <= INT_MAX:
        return str(value)
    return print_text(rt, canonical_int(rt, value))


# --- text form -----------------------------------------------------------------------------------------


def text_form(rt: Runtime, value: Value) -> str:
    """The text of a value where a string is needed (``~``, `string`, separators); containers give their repr.

    Raises OperationError for what has none: Undefined, Function, KwArg.
    """
    kind = type(value)
    if kind is str:
        return value
    if kind is Marked:
        return value.text
    if kind is int or kind is bool or kind is float:
        return print_text(rt, value)
    if kind in ARRAYS or kind in OBJECTS:
        return repr_text(rt, value)
    if value is None:
        return "None"
    if kind is Undefined or kind is KwArg or isinstance(value, Function):
        raise OperationError(f"{type_name(value)} is not a string value", code="conversion")
    return text_form(rt, plain(rt, value))


def repr_text(rt: Runtime, value: Value) -> str:
    """An Array, Tuple or Object as in ``['a', 1, {'k': None}]``."""
    out: list[str] = []
    room = rt.limits.value
    levels = [_ReprLevel(value, out)]
    while levels:
        level = levels[-1]
        for item in level.items:
            out.append(level.lead())
            kind = type(item)
            if kind is not str and kind not in ARRAYS and kind not in OBJECTS:
                item = plain(rt, item)
                kind = type(item)
            if kind in ARRAYS or kind in OBJECTS:
                room -= 2
                spend(rt, 4, 1)
                if len(levels) >= rt.limits.data_depth:
                    raise too_deep(rt)
                levels.append(_ReprLevel(item, out))
                break
            text = quoted(item) if kind is str else repr_scalar(rt, item)
            out.append(text)
            room -= len(text) + 2
            if room < 0:
                raise exceeded(rt.limits, "value")
        else:
            out.append(level.close)
            levels.pop()
        if room < 0:
            raise exceeded(rt.limits, "value")
    text = "".join(out)
    if len(text) > BIG:
        note_size(rt, text)
    return rejoin(text)


class _ReprLevel:
    """A container being written; for an Object `items` are keys and values in turn."""

    __slots__ = ("close", "count", "is_object", "items")

    def __init__(self, value: Value, out: list[str]) -> None:
        self.count = 0
        self.is_object = type(value) in OBJECTS
        self.items: Iterator[Value] = chain.from_iterable(value.items()) if self.is_object else iter(value)
        if self.is_object:
            begin, self.close = "{", "}"
        elif type(value) is Tuple:
            begin, self.close = "(", ",)" if len(value) == 1 else ")"
        else:
            begin, self.close = "[", "]"
        out.append(begin)

    def lead(self) -> str:
        """What stands before the next item."""
        self.count += 1
        if self.count == 1:
            return ""
        return ": " if self.is_object and self.count % 2 == 0 else ", "


def quoted(text: str) -> str:
    """A string inside a repr: raw between ``'``, or as JSON if it contains one."""
    return "'" + text + "'" if "'" not in text else encode_basestring(text)


def repr_scalar(rt: Runtime, value: Value) -> str:
    """What is no container and no plain `str`, inside a repr."""
    if type(value) is Marked:
        return quoted(value.text)
    if type(value) is Undefined:
        return type_name(value)
    if type(value) is KwArg:
        return "KwArg"
    if isinstance(value, Function):
        return f"Function<{value.name}>({_bound_repr(rt, value)})"
    return text_form(rt, value)


def _bound_repr(rt: Runtime, function: Function) -> str:
    if type(function) is not BuiltinFunction or function.bound is NOT_BOUND:
        return ""
    bound = plain(rt, function.bound)
    if type(bound) in ARRAYS or type(bound) in OBJECTS:
        return repr_text(rt, bound)
    if kind_of(bound) != "String":
        return repr_scalar(rt, bound)
    if not rt.exact or (rt.sound and not rt.copied):
        raise Deoptimise  # shows pieces and the reference's marks
    return "".join([("INPUT: " if piece[1] else "TMPL:  ") + piece[0] + "\n" for piece in pieces_of(bound)])


# --- values as numbers ---------------------------------------------------------------------------------


def int_form(rt: Runtime, value: Value) -> int:
    """The value where an integer is needed: Integer, Boolean, or Float cut toward zero (0 if not finite)."""
    kind = type(value)
    if kind is int:
        number = canonical_int(rt, value)
        return number if type(number) is int else int_form(rt, number)
    if kind is bool:
        return int(value)
    if kind is float:
        return to_int64(value) if math.isfinite(value) else 0
    if kind in KINDS or isinstance(value, Function):
        raise OperationError(f"{type_name(value)} is not an int value", code="conversion")
    canonical = plain(rt, value)
    if type(canonical) is int or type(canonical) is float:
        return int_form(rt, canonical)
    raise OperationError(f"{type_name(value)} is not an int value", code="conversion")


def to_int64(value: float) -> int:
    """A Float cut toward zero; OperationError if it is no number or does not fit."""
    if math.isfinite(value):
        number = int(value)
        if INT_MIN <= number <= INT_MAX:
            return number
    raise OperationError("integer overflow", code="integer-overflow")


def float_form(rt: Runtime, value: Value) -> float:
    """The value where a float is needed; an Integer that a double cannot hold exactly counts as infinite."""
    kind = type(value)
    if kind is float:
        return value
    if kind is int:
        if -EXACT_INT <= value <= EXACT_INT:
            return float(value)
        number = canonical_int(rt, value)
        if type(number) is float:
            return number
        near = float(number)
        return near if int(near) == number else math.copysign(math.inf, number)
    if kind not in KINDS and not isinstance(value, Function):
        canonical = plain(rt, value)
        if type(canonical) is int or type(canonical) is float:
            return float_form(rt, canonical)
    raise OperationError(f"{type_name(value)} is not a float value", code="conversion")


_BLANKS = " \t\n\v\f\r"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEX = re.compile(r"([+-]?)0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP]([+-]?[0-9]+))?")
_SPECIAL = re.compile(r"([+-]?)(?:inf(?:inity)?|(nan))", re.IGNORECASE | re.ASCII)
_SMALLEST_NORMAL = 2.2250738585072014e-308
_INTEGER = {
    base: re.compile(rf"([+-]?)({'(?:0[xX](?=[0-9a-fA-F]))?' if base == 16 else ''}[{_DIGITS[:base]}]+)", re.IGNORECASE)
    for base in (8, 10, 16)
}


def _integer_pattern(base: int) -> re.Pattern[str]:
    known = _INTEGER.get(base)
    return known or re.compile(rf"([+-]?)([{_DIGITS[:base]}]+)", re.IGNORECASE | re.ASCII)


def parse_int32(text: str, base: int) -> int | None:
    """C ``strtol`` on the start of `text`; None without digits or beyond int32. Base 0 or 2 … 36."""
    text = text.lstrip(_BLANKS)
    if base == 0:
        digits = text.lstrip("+-")[:3]
        base = 16 if _INTEGER[16].match(digits) and digits[:2] in ("0x", "0X") and len(digits) > 2 else 10
        if base == 10 and digits[:1] == "0":
            base = 8
    match = _integer_pattern(base).match(text)
    if match is None:
        return None
    digits = match[2]
    if base == 16 and digits[:2] in ("0x", "0X"):
        digits = digits[2:]
    digits = digits.lstrip("0")
    if len(digits) > 32:
        return None
    number = int(digits or "0", base)
    if match[1] == "-":
        number = -number
    return number if -(2**31) <= number < 2**31 else None


def parse_float(text: str) -> float | None:
    """C ``strtod`` on the start of `text`; None if there is no number or it is out of range (as `std::stod`)."""
    text = text.lstrip(_BLANKS)
    match = _HEX.match(text)
    if match is not None:
        return _parse_hex(match)
    match = _DECIMAL.match(text)
    if match is not None:
        value = float(match[0])
        digits = match[0].lower().partition("e")[0].strip("+-0.")
        return None if math.isinf(value) or (abs(value) < _SMALLEST_NORMAL and digits) else value
    match = _SPECIAL.match(text)
    if match is None:
        return None
    value = math.nan if match[2] else math.inf
    return -value if match[1] == "-" else value


def _parse_hex(match: re.Match[str]) -> float | None:
    sign, mantissa, exponent = match[1], match[2], match[3] or "0"
    if not mantissa.strip("0."):
        return -0.0 if sign == "-" else 0.0
    try:
        value = float.fromhex(f"{sign}0x{mantissa}p{exponent}")
    except (OverflowError, ValueError):
        return None
    return value or None


def array_of(value: list[Value], like: Value) -> Value:
    """A Tuple if `like` is one, else an Array."""
    return Tuple(value) if type(like) is Tuple else Array(value)
