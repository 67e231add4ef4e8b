"""Methods and filters of String, in the fast form: the value is a plain `str`, results are plain `str`.

The reference works on bytes: case and blanks are ASCII, lengths and positions count bytes. ASCII text, by
far the most, needs no encoding. (`chatjinja.runtime.marked_strings` has the exact form.)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatjinja.errors import OperationError, UnsupportedError
from chatjinja.runtime.arguments import check_count, check_kind, keyword_or_position, required
from chatjinja.runtime.convert import (
    as_bytes,
    check_items,
    check_size,
    cut,
    float_form,
    int_form,
    note_size,
    parse_float,
    parse_int32,
    text_form,
)
from chatjinja.runtime.json_encoder import do_tojson
from chatjinja.runtime.kinds import kind_of
from chatjinja.runtime.marked import Marked, has_raw, template_piece
from chatjinja.runtime.objects import Array, Builtin, Value
from chatjinja.runtime.runs import cut_runs
from chatjinja.runtime.scalars import do_default
from chatjinja.runtime.state import BIG, PiecesNeeded
from chatjinja.runtime.undefined import OBJECT_PROPERTY, Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

BLANKS = " \t\n\v\f\r"
"""What C's `isspace` takes as a blank."""


# --- length, index, slice ------------------------------------------------------------------------------


def string_length(text: str | Marked) -> int:
    """Length in bytes."""
    if isinstance(text, Marked):
        text = text.text
    return len(text) if text.isascii() else len(as_bytes(text))


def character_at(rt: Runtime, value: str | Marked, index: int) -> Value:
    """The byte at a position from 0 as a string; Undefined behind the end."""
    text = value.text if isinstance(value, Marked) else value
    found = text[index : index + 1] if text.isascii() else cut(rt, as_bytes(text)[index : index + 1])
    if not found:
        return OBJECT_PROPERTY
    if rt.sound:
        return Marked(((found, False),), cut_runs(value, slice(index, index + 1)))
    return template_piece(found) if rt.exact else found


def slice_bounds(rt: Runtime, args: list[Value], kind: str) -> tuple[int, int, int]:
    """Arguments of `slice`, checked; `args[0]` is of the `kind`."""
    check_count("slice", args, 1, 4)
    check_count("slice", args, 2)
    check_kind("slice", args[0], kind)
    check_kind("slice", args[1], "Integer")
    start = int_form(rt, args[1])
    stop = int_form(rt, args[2] if len(args) > 2 else Undefined())
    step = int_form(rt, args[3] if len(args) > 3 else Undefined())
    if step == 0:
        raise OperationError("slice step cannot be zero", code="argument-value")
    return start, stop, step


def slice_of(length: int, start: int, stop: int, step: int) -> slice:
    """The Python slice that takes the same items.

    With a negative step a stop of -1 is "before the first", and a start below the first item is the first.
    """
    if step > 0:
        return slice(start, stop, step)
    first = max(length + start, 0) if start < 0 else start
    last = max(length + stop, -1) if stop < -1 else stop
    return slice(first, None if last == -1 else last, step)


def str_slice(rt: Runtime, args: list[Value]) -> str:
    """``slice(start, stop, step)`` and ``s[start:stop:step]``."""
    text = args[0]
    start, stop, step = slice_bounds(rt, args, "String")
    if text.isascii():
        return text[slice_of(len(text), start, stop, step)]
    data = as_bytes(text)
    return cut(rt, data[slice_of(len(data), start, stop, step)])


def str_length(rt: Runtime, args: list[Value]) -> int:
    """``length``: in bytes."""
    text = args[0]
    return len(text) if text.isascii() else len(as_bytes(text))


# --- case ----------------------------------------------------------------------------------------------

_WORD_START = re.compile(r"(?:\A|(?<=[ \t\n\v\f\r]))[a-z]")


def upper(text: str) -> str:
    """ASCII letters in upper case."""
    return text.upper() if text.isascii() else as_bytes(text).upper().decode("utf-8", "surrogateescape")


def lower(text: str) -> str:
    """ASCII letters in lower case."""
    return text.lower() if text.isascii() else as_bytes(text).lower().decode("utf-8", "surrogateescape")


def capitalize(text: str) -> str:
    """The first byte in upper case, the rest lower."""
    return text.capitalize() if text.isascii() else as_bytes(text).capitalize().decode("utf-8", "surrogateescape")


def title(text: str) -> str:
    """A capital at the start and after blanks, the rest lower."""
    return _WORD_START.sub(lambda match: match[0].upper(), lower(text))


def str_upper(rt: Runtime, args: list[Value]) -> str:
    """``upper``: ASCII letters in upper case."""
    return upper(args[0])


def str_lower(rt: Runtime, args: list[Value]) -> str:
    """``lower``: ASCII letters in lower case."""
    return lower(args[0])


def str_capitalize(rt: Runtime, args: list[Value]) -> str:
    """``capitalize``: the first byte in upper case, the rest lower."""
    if not rt.single_pieces:
        raise PiecesNeeded
    return capitalize(args[0])


def str_title(rt: Runtime, args: list[Value]) -> str:
    """``title``: a capital at the start and after blanks, the rest lower."""
    if not rt.single_pieces:
        raise PiecesNeeded
    return title(args[0])


# --- stripping -----------------------------------------------------------------------------------------


def strip_characters(rt: Runtime, args: list[Value]) -> str:
    """What the strip family is to take away."""
    if len(args) == 1:
        return BLANKS
    chars = keyword_or_position(args, "chars", 1)
    return BLANKS if type(chars) is Undefined else text_form(rt, chars)


def strip_text(rt: Runtime, text: str, chars: str, left: bool, right: bool) -> str:
    """`text` without the bytes in `chars` at its ends."""
    if chars.isascii() or text.isascii():
        if left:
            return text.strip(chars) if right else text.lstrip(chars)
        return text.rstrip(chars)
    data, taken = as_bytes(text), as_bytes(chars)
    if left:
        data = data.lstrip(taken)
    return cut(rt, data.rstrip(taken) if right else data)


def str_strip(rt: Runtime, args: list[Value]) -> str:
    """``strip(chars)``: both ends; blanks unless `chars` is given."""
    return strip_text(rt, args[0], strip_characters(rt, args), True, True)


def str_lstrip(rt: Runtime, args: list[Value]) -> str:
    """``lstrip(chars)``: the start."""
    return strip_text(rt, args[0], strip_characters(rt, args), True, False)


def str_rstrip(rt: Runtime, args: list[Value]) -> str:
    """``rstrip(chars)``: the end."""
    return strip_text(rt, args[0], strip_characters(rt, args), False, True)


# --- searching and taking apart ------------------------------------------------------------------------


def str_startswith(rt: Runtime, args: list[Value]) -> bool:
    """``startswith(s)``."""
    part = _second_string(rt, "startswith", args)
    if has_raw(part):
        return as_bytes(args[0]).startswith(as_bytes(part))
    return args[0].startswith(part)


def str_endswith(rt: Runtime, args: list[Value]) -> bool:
    """``endswith(s)``."""
    part = _second_string(rt, "endswith", args)
    if has_raw(part):
        return as_bytes(args[0]).endswith(as_bytes(part))
    return args[0].endswith(part)


def _second_string(rt: Runtime, name: str, args: list[Value]) -> str:
    check_count(name, args, 2)
    part = args[1]
    if type(part) is str:
        return part
    check_kind(name, part, "String")
    return text_form(rt, part)


def split_text(rt: Runtime, name: str, args: list[Value], from_right: bool) -> list[str]:
    """The pieces that `split` or `rsplit` cuts `args[0]` into."""
    check_count(name, args, 1, 3)
    text = args[0]
    separator = text_form(rt, args[1]) if len(args) > 1 else " "
    if not separator:
        raise OperationError("empty separator", code="argument-value")
    most = int_form(rt, args[2]) if len(args) > 2 else -1
    if len(text) >= rt.limits.items:
        count = text.count(separator)
        check_items(rt, (count if most < 0 else min(count, most)) + 1)
    if has_raw(separator):
        data, by = as_bytes(text), as_bytes(separator)
        return [cut(rt, part) for part in (data.rsplit(by, most) if from_right else data.split(by, most))]
    return text.rsplit(separator, most) if from_right else text.split(separator, most)


def str_split(rt: Runtime, args: list[Value]) -> Array:
    """``split(sep, max)``: an Array; one space unless `sep` is given."""
    return Array(split_text(rt, "split", args, False))


def str_rsplit(rt: Runtime, args: list[Value]) -> Array:
    """``rsplit(sep, max)``: counts cuts from the end."""
    return Array(split_text(rt, "rsplit", args, True))


def str_replace(rt: Runtime, args: list[Value]) -> str:
    """``replace(old, new)``; an empty `old` puts `new` around every byte."""
    check_count("replace", args, 3)
    text, old, new = args[0], args[1], args[2]
    check_kind("replace", old, "String")
    check_kind("replace", new, "String")
    if len(args) > 3 and int_form(rt, args[3]) > 0:
        raise UnsupportedError("NotImplemented: String replace with count argument not implemented")
    old, new = text_form(rt, old), text_form(rt, new)
    if old == new:
        return text
    if len(new) > len(old) and (len(text) + 1) * (len(new) + 1) > BIG:
        check_size(rt, len(text) + text.count(old) * (len(new) - len(old)))
    if (not old and not text.isascii()) or has_raw(old):
        return cut(rt, as_bytes(text).replace(as_bytes(old), as_bytes(new)))
    result: str = text.replace(old, new)
    if len(result) > BIG:
        note_size(rt, result)
    return result


# --- format, int, float, indent ------------------------------------------------------------------------


def str_format(rt: Runtime, args: list[Value]) -> str:
    """``format(…)``: each ``{}`` takes the next argument's text form."""
    stretches = args[0].split("{")
    parts = [stretches[0]]
    size = len(args[0])
    for position, stretch in enumerate(stretches[1:], 1):
        check_placeholder(stretch)
        text = text_form(rt, required("format", args, position))
        size += len(text)
        check_size(rt, size)
        parts.append(text)
        parts.append(stretch[1:])
    result = "".join(parts)
    if len(result) > BIG:
        note_size(rt, result)
    return result


def check_placeholder(stretch: str) -> None:
    """Raise unless the text after a ``{`` begins with ``}``."""
    if stretch[:1] != "}":
        raise UnsupportedError("NotImplemented: format() only supports simple '{}' placeholders")


def str_int(rt: Runtime, args: list[Value]) -> int:
    """``int(default, base)``."""
    default = keyword_or_position(args, "default", 1)
    given = keyword_or_position(args, "base", 2)
    base = 10 if type(given) is Undefined else int_form(rt, given)
    base = (base + 2**31) % 2**32 - 2**31
    if base != 0 and not 2 <= base <= 36:
        raise OperationError("int() base must be 0 or between 2 and 36", code="argument-value")
    number = parse_int32(args[0], base)
    if number is not None:
        return number
    return 0 if type(default) is Undefined else int_form(rt, default)


def str_float(rt: Runtime, args: list[Value]) -> float:
    """``float(default)``."""
    number = parse_float(args[0])
    if number is not None:
        return number
    default = keyword_or_position(args, "default", 1)
    return 0.0 if type(default) is Undefined else float_form(rt, default)


def str_indent(rt: Runtime, args: list[Value]) -> str:
    """``indent(width, first, blank)``."""
    check_count("indent", args, 1, 4)
    text: str = args[0]
    width = keyword_or_position(args, "width", 1)
    first = bool(keyword_or_position(args, "first", 2))
    blank = bool(keyword_or_position(args, "blank", 3))
    pad = _indentation(rt, width)
    lines = text.split("\n")
    check_size(rt, len(text) + len(lines) * len(pad))
    if not lines[-1]:
        lines.pop()  # what follows the last newline is no line, nor is an empty text
    start = 0
    if not (first and pad):
        # As long as nothing is written, an empty line leaves no trace.
        while start < len(lines) and not lines[start]:
            start += 1
    head = lines[start : start + 1]
    rest = lines[start + 1 :]
    if first and head:
        head = [pad + head[0]]
    result = "\n".join(head + [pad + line if line or blank else line for line in rest])
    if text[-1:] == "\n":
        result += "\n" + pad if blank else "\n"
    if len(result) > BIG:
        note_size(rt, result)
    return result


def _indentation(rt: Runtime, width: Value) -> str:
    kind = kind_of(width)
    if kind == "Integer":
        count = int_form(rt, width)
        if count < 0:
            raise OperationError("basic_string::_M_replace_aux", code="argument-value")  # the C++ library's words
        check_size(rt, count)
        return " " * count
    return text_form(rt, width) if kind == "String" else "    "


def str_safe(rt: Runtime, args: list[Value]) -> Value:
    """``safe``: the very same string."""
    return args[0]


def str_string(rt: Runtime, args: list[Value]) -> Value:
    """``string``: the same text."""
    return args[0]


def str_join(rt: Runtime, args: list[Value]) -> Value:
    """Refused, as in the reference."""
    raise UnsupportedError("NotImplemented: String join builtin not implemented")


STRING_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        "capitalize": str_capitalize,
        "default": do_default,
        "endswith": str_endswith,
        "float": str_float,
        "format": str_format,
        "indent": str_indent,
        "int": str_int,
        "join": str_join,
        "length": str_length,
        "lower": str_lower,
        "lstrip": str_lstrip,
        "replace": str_replace,
        "rsplit": str_rsplit,
        "rstrip": str_rstrip,
        "safe": str_safe,
        "slice": str_slice,
        "split": str_split,
        "startswith": str_startswith,
        "string": str_string,
        "strip": str_strip,
        "title": str_title,
        "tojson": do_tojson("tojson"),
        "upper": str_upper,
    }
)
