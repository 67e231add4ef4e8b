"""JSON text as the reference reads and writes it.

Data here is what `json.loads` gives, or what a caller passes in its place: any Mapping is an object, any
Sequence but strings and bytes an array, subclasses count as their bases.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any, NoReturn

_ODD_NUMBER = re.compile(r"[0-9](?:[eE]|[0-9]{18})")
_ODD_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonError(ValueError):
    """A text is not JSON.

    Attributes:
        position: 0-based index of the offending character, or None.
        reference: what the reference's parser says, up to its wording.
    """

    def __init__(self, message: str, position: int | None = None, reference: str = "") -> None:
        super().__init__(message)
        self.position = position
        self.reference = reference or f"[json.exception.parse_error.101] parse error: {message}"


class NotJsonError(TypeError):
    """A value that JSON cannot hold."""


def parse_json(text: str) -> Any:
    """The value of a JSON text. Raises JsonError.

    No NaN or Infinity, no lone surrogates, no number beyond a double. Integers outside 64 bits become
    floats. One byte order mark at the start is skipped.
    """
    body = text.removeprefix("\ufeff")
    skipped = len(text) - len(body)
    try:
        if not _is_delicate(body):
            return _PLAIN.decode(body)
        value = _CAREFUL.decode(body)
    except json.JSONDecodeError as error:
        raise JsonError(error.msg, error.pos + skipped) from None
    except RecursionError:
        raise JsonError("nested too deeply") from None
    if _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        raise JsonError("a surrogate stands alone")
    return value


def _is_delicate(text: str) -> bool:
    """Whether something may stand in a JSON text that Python reads in another way."""
    return (
        _ODD_NUMBER.search(text) is not None
        or ("\\u" in text and _ODD_ESCAPE.search(text) is not None)
        or (not text.isascii() and _SURROGATE.search(text) is not None)
    )


def _refuse_constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is not a JSON number")


def _integer(text: str) -> int | float:
    if len(text) < 22:
        number = int(text)
        if -(2**63) <= number < 2**64:
            return number
    return _float(text)


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        shown = text if len(text) < 40 else text[:39] + "…"
        reference = f"[json.exception.out_of_range.406] number overflow parsing '{text}'"
        raise JsonError(f"the number {shown} is out of range", reference=reference)
    return number


_PLAIN = json.JSONDecoder(parse_constant=_refuse_constant)
_CAREFUL = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer, parse_float=_float)


def json_type(value: Any) -> str:
    """The JSON type of a value, as the reference's messages name it."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, Mapping):
        return "object"
    return "array" if is_array(value) else type(value).__name__


def is_array(value: Any) -> bool:
    """Whether a value is a JSON array."""
    return type(value) is list or (
        isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview))
    )


def compact(value: Any) -> str:
    """JSON text without blanks, non-ASCII text as it is. Raises NotJsonError."""
    return _write(value, "", "", ",", ":")


def indented(value: Any) -> str:
    """JSON text over several lines, indented by 2. Raises NotJsonError."""
    return _write(value, "\n", "  ", ",", ": ")


def _write(value: Any, newline: str, indent: str, comma: str, colon: str) -> str:
    """`newline` holds the line break and the blanks of the level at hand; without one there are none."""
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        try:
            return int.__repr__(value)
        except ValueError:  # Python's own limit
            raise NotJsonError("an integer with so many digits cannot be written") from None
    if isinstance(value, float):
        return float_text(value)
    inner = newline + indent
    if isinstance(value, Mapping):
        members = [
            f"{encode_basestring(str(key))}{colon}{_write(item, inner, indent, comma, colon)}"
            for key, item in value.items()
        ]
        return f"{{{inner}{(comma + inner).join(members)}{newline}}}" if members else "{}"
    if not is_array(value):
        raise NotJsonError(f"a {type(value).__name__} is no JSON value")
    items = [_write(item, inner, indent, comma, colon) for item in value]
    return f"[{inner}{(comma + inner).join(items)}{newline}]" if items else "[]"


def float_text(value: float) -> str:
    """The shortest digits that give the number back; with an exponent below 1e-4 and from 1e15 on."""
    if not math.isfinite(value):
        return "null"
    text = float.__repr__(value)
    if not text.endswith(".0") or abs(value) < 1e15 or "e" in text:
        return text
    digits = text[:-2].lstrip("-")
    mantissa = digits.rstrip("0")
    fraction = mantissa[1:]
    sign = "-" if value < 0 else ""
    return f"{sign}{mantissa[0]}{'.' + fraction if fraction else ''}e+{len(digits) - 1}"
