"""`tojson`: JSON as the reference writes it.

CPython's C encoder writes plain data as the reference does, but not floats, odd keys or Undefined, and it
knows no indent. So plain context data without an indent goes there, everything else to the encoder here,
which is nearly as fast: strings go to C anyway, keys are remembered, and the rest is ready pieces.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from chatjinja.errors import UnsupportedError
from chatjinja.runtime.arguments import check_count, keyword_or_position
from chatjinja.runtime.contexts import too_deep
from chatjinja.runtime.convert import as_bytes, check_size, float_json, made, note_size, text_form
from chatjinja.runtime.json_runs import JsonRuns
from chatjinja.runtime.kinds import ARRAYS, INT_MAX, INT_MIN, KINDS, OBJECTS, canonical_int, plain
from chatjinja.runtime.limits import exceeded, spend
from chatjinja.runtime.marked import Marked, TemplateText
from chatjinja.runtime.objects import Builtin, Function, KwArg, Value
from chatjinja.runtime.state import BIG

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def do_tojson(name: str) -> Builtin:
    """The filter `tojson` under the name that its messages shall have."""

    def tojson(rt: Runtime, args: list[Value]) -> Value:
        """``tojson(ensure_ascii, indent, separators, sort_keys)``."""
        if len(args) == 1 and type(args[0]) is not KwArg:
            text, is_context_data = encode_and_judge(rt, args[0], -1, ", ", ": ")
            return _all_input(rt, text, args[0]) if rt.sound and is_context_data else made(rt, text)
        return _tojson_with(rt, name, args)

    return tojson


def _tojson_with(rt: Runtime, name: str, args: list[Value]) -> Value:
    check_count(name, args, 1, 5)
    ascii_only = keyword_or_position(args, "ensure_ascii", 1)
    indent = plain(rt, keyword_or_position(args, "indent", 2))
    separators = plain(rt, keyword_or_position(args, "separators", 3))
    if keyword_or_position(args, "sort_keys", 4):
        raise UnsupportedError("NotImplemented: tojson sort_keys=true not implemented")
    width = (indent + 2**31) % 2**32 - 2**31 if type(indent) is int else -1
    ascii_only = bool(ascii_only)
    given: Sequence[Value] = separators if type(separators) in ARRAYS else ()
    item_separator = text_form(rt, given[0]) if len(given) > 0 else ", " if width < 0 else ","
    key_separator = text_form(rt, given[1]) if len(given) > 1 else ": "
    text, is_context_data = encode_and_judge(rt, args[0], width, item_separator, key_separator)
    if ascii_only and not text.isascii():
        check_size(rt, len(text) * 2)
        text = escape_non_ascii(text, (item_separator + key_separator).isascii() and '"' not in item_separator)
    if rt.sound and is_context_data and _is_layout(given):
        return _all_input(rt, text, args[0])
    return made(rt, text)


def _is_layout(separators: Sequence[Value]) -> bool:
    """Whether separators are the template's and those of JSON, but for blanks."""
    return all(
        type(given) is TemplateText and given.strip(" \n\t") == usual
        for given, usual in zip(separators, (",", ":"), strict=False)
    )


def _all_input(rt: Runtime, text: str, value: Value) -> Marked:
    """JSON of data of the context, written with the usual separators."""
    if len(text) > BIG:
        note_size(rt, text)
    return Marked(((text, False),), JsonRuns(text, value if rt.sourced else None))


def encode(rt: Runtime, value: Value, indent: int, item_separator: str, key_separator: str) -> str:
    """`value` as JSON text; a negative `indent` is none.

    Raises LimitError if the data is nested too deeply or the text becomes too long.
    """
    return encode_and_judge(rt, value, indent, item_separator, key_separator)[0]


def encode_and_judge(
    rt: Runtime, value: Value, indent: int, item_separator: str, key_separator: str
) -> tuple[str, bool]:
    """`encode`, and whether the value is data of the context only: nothing in it is the template's."""
    kind = type(value)
    if kind is str:
        return encode_basestring(value), True
    if kind is dict or kind is list:
        try:
            # Tells every two values apart (1, 1.0, true, order of keys) and is several times as fast as encoding.
            # Version 4 writes what stands in two places once, so data that contains itself does no harm.
            key = marshal.dumps(value, 4)
        except ValueError:  # holds what only templates make or a type of the caller's, or is nested too deeply
            twin = rt.twins.get(id(value))
            if twin is not None:
                return encode_and_judge(rt, twin, indent, item_separator, key_separator)
            return _encode(rt, value, indent, item_separator, key_separator), False
        known = _known_texts(indent, item_separator, key_separator, rt.limits.data_depth)
        return known.get(key) or known.add(key, _encode(rt, value, indent, item_separator, key_separator)), True
    return _encode(rt, value, indent, item_separator, key_separator), False


class KnownTexts(dict[bytes, str]):
    """JSON texts by the content that they encode: tools and the calls of a history are encoded in every
    render. Bounded: holds at most `_ROOM` bytes of keys and characters of texts, then starts over."""

    __slots__ = ("room",)

    def __init__(self) -> None:
        self.room = _ROOM

    def add(self, key: bytes, text: str) -> str:
        """Remember `text`, if it is not too long; `text`."""
        size = len(key) + len(text)
        if size <= _ROOM // 16:
            self.room -= size
            if self.room < 0:
                self.clear()
                self.room = _ROOM - size
            self[key] = text
        return text


_ROOM = 1024 * 1024


@lru_cache(maxsize=8)
def _known_texts(indent: int, item_separator: str, key_separator: str, data_depth: int) -> KnownTexts:
    return KnownTexts()


def _encode(rt: Runtime, value: Value, indent: int, item_separator: str, key_separator: str) -> str:
    kind = type(value)
    if indent < 0 and (kind is dict or kind is list) and _is_plain(rt, value):
        return "".join(_c_encoder(item_separator, key_separator)(value, 0))
    writer = _Writer(rt, _form(indent, item_separator, key_separator, rt.limits.data_depth))
    writer.value(value, 0)
    return "".join(writer.out)


@lru_cache(maxsize=16)
def _c_encoder(item_separator: str, key_separator: str) -> Callable[[Any, int], Sequence[str]]:
    return c_make_encoder(None, None, encode_basestring, None, key_separator, item_separator, False, False, True)


def _is_plain(rt: Runtime, value: Value) -> bool:
    """Whether this is context data that the C encoder writes as the reference does.

    What the template made is not: it can hold one value many times over, which needs counting. Goes down
    level by level, so data that contains itself ends at the depth limit.
    """
    level = [value]
    for _ in range(rt.limits.data_depth):
        deeper: list[Value] = []
        for container in level:
            if type(container) is dict:
                for key, item in container.items():
                    kind = type(item)
                    if type(key) is not str:
                        return False
                    if kind is str:
                        continue
                    if kind is dict or kind is list:
                        deeper.append(item)
                    elif not (kind is bool or item is None or (kind is int and INT_MIN <= item <= INT_MAX)):
                        return False
            else:
                for item in container:
                    kind = type(item)
                    if kind is str:
                        continue
                    if kind is dict or kind is list:
                        deeper.append(item)
                    elif not (kind is bool or item is None or (kind is int and INT_MIN <= item <= INT_MAX)):
                        return False
        if not deeper:
            return True
        if len(deeper) > rt.limits.items:
            return False
        level = deeper
    return False


class _Keys(dict[str, str]):
    """Encoded keys with their separator. Keys recur: a schema says ``"type": `` many times over."""

    __slots__ = ("separator",)

    def __init__(self, separator: str) -> None:
        self.separator = separator

    def __missing__(self, key: str) -> str:
        text: str = encode_basestring(key) + self.separator
        if len(key) <= _LONGEST_KEY:
            if len(self) >= _MOST_KEYS:
                self.clear()
            self[key] = text
        return text


_LONGEST_KEY = 64
_MOST_KEYS = 1024

_Layout = tuple[str, str, str, str, str]
"""How one level of nesting is written: open an Object, an Array; between items; close an Object, an Array."""


class _Form:
    """What an indent and separators come to; layouts are made when a depth is first reached."""

    __slots__ = ("data_depth", "indent", "item_separator", "keys", "layouts")

    def __init__(self, indent: int, item_separator: str, key_separator: str, data_depth: int) -> None:
        self.data_depth = data_depth
        self.indent = indent
        self.item_separator = item_separator
        self.keys = _Keys(key_separator)
        self.layouts: dict[int, _Layout] = {}

    def layout(self, rt: Runtime, depth: int) -> _Layout:
        """The layout of a depth, from 0; LimitError if there is none."""
        if depth >= self.data_depth:
            raise too_deep(rt)
        if self.indent < 0:
            layout = ("{", "[", self.item_separator, "}", "]")
        else:
            check_size(rt, self.indent * (depth + 1))
            inner = "\n" + " " * (self.indent * (depth + 1))
            outer = "\n" + " " * (self.indent * depth)
            layout = ("{" + inner, "[" + inner, self.item_separator + inner, outer + "}", outer + "]")
        if len(layout[2]) < BIG:
            self.layouts[depth] = layout
        return layout


@lru_cache(maxsize=16)
def _form(indent: int, item_separator: str, key_separator: str, data_depth: int) -> _Form:
    return _Form(indent, item_separator, key_separator, data_depth)


_WATCH = 65536
"""After so many pieces their length is looked at."""


class _Writer:
    """Writes one value as pieces of text, and keeps an eye on how much that becomes."""

    __slots__ = ("form", "out", "room", "rt")

    def __init__(self, rt: Runtime, form: _Form) -> None:
        self.rt = rt
        self.form = form
        self.out: list[str] = []
        self.room = rt.limits.value

    def value(self, value: Value, depth: int) -> None:
        """Write any value; `depth` is that of its own items."""
        kind = type(value)
        if kind in OBJECTS:
            if value:
                self._object(value, depth, self.out)
            else:
                self.out.append("{}")
        elif kind in ARRAYS:
            if value:
                self._array(value, depth, self.out)
            else:
                self.out.append("[]")
        elif kind is str:
            self._string(value)
        elif kind is float:
            self.out.append(float_json(value))
        elif kind is Marked:
            self._string(value.text)
        elif kind is int:
            number = canonical_int(self.rt, value)
            self.out.append(str(number) if type(number) is int else float_json(number))
        elif kind in KINDS or isinstance(value, Function):
            self.out.append(_WORDS[value] if kind is bool else "null")
        else:
            self.value(plain(self.rt, value), depth)

    def _string(self, text: str) -> None:
        if len(text) > BIG:
            self.room -= len(text)
            if self.room < 0:
                raise exceeded(self.rt.limits, "value")
        self.out.append(encode_basestring(text))

    def _object(self, value: Mapping[Value, Value], depth: int, out: list[str]) -> None:
        form = self.form
        if len(out) > _WATCH:
            self._look()
        lead, _, separator, close, _ = form.layouts.get(depth) or form.layout(self.rt, depth)
        keys = form.keys
        if len(separator) > _WIDE:
            check_size(self.rt, len(separator) * len(value))
        add = out.append
        for key, item in value.items():
            add(lead)
            lead = separator
            add(keys[key] if type(key) is str else self._key(key))
            kind = type(item)
            if kind is str:
                add(encode_basestring(item)) if len(item) < BIG else self._string(item)
            elif kind is dict and item:
                self._object(item, depth + 1, out)
            elif kind is list and item:
                self._array(item, depth + 1, out)
            elif kind is bool or item is None:
                add(_WORDS[item])
            elif kind in OBJECTS and item:
                self._object(item, depth + 1, out)
            elif kind in ARRAYS and item:
                self._array(item, depth + 1, out)
            else:
                self.value(item, depth + 1)
        add(close)

    def _array(self, value: Sequence[Value], depth: int, out: list[str]) -> None:
        form = self.form
        if len(out) > _WATCH:
            self._look()
        _, lead, separator, _, close = form.layouts.get(depth) or form.layout(self.rt, depth)
        if len(separator) > _WIDE:
            check_size(self.rt, len(separator) * len(value))
        add = out.append
        for item in value:
            add(lead)
            lead = separator
            kind = type(item)
            if kind is str:
                add(encode_basestring(item)) if len(item) < BIG else self._string(item)
            elif kind in OBJECTS and item:
                self._object(item, depth + 1, out)
            elif kind in ARRAYS and item:
                self._array(item, depth + 1, out)
            else:
                self.value(item, depth + 1)
        add(close)

    def _key(self, key: Value) -> str:
        return encode_basestring(text_form(self.rt, plain(self.rt, key))) + self.form.keys.separator

    def _look(self) -> None:
        """Raise LimitError if this is too long; put the pieces so far into one."""
        spend(self.rt, len(self.out), 1)
        check_size(self.rt, sum(map(len, self.out)))
        self.out[:] = ["".join(self.out)]


_WIDE = 64
"""Longer separators are counted before they are written."""
_WORDS = {True: "true", False: "false", None: "null"}


# --- ensure_ascii --------------------------------------------------------------------------------------

_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_RAW_RUN = re.compile("[\udc80-\udcff]+")


def escape_non_ascii(text: str, everywhere: bool) -> str:
    """Write what is not ASCII inside the strings of JSON text as ``\\uXXXX``.

    `everywhere`: outside of strings there is nothing to be left alone.
    """
    text = _RAW_RUN.sub(_escape_raw, text) if everywhere else text
    if everywhere:
        return _NON_ASCII.sub(_escape_character, text)
    return _STRING.sub(_escape_string, text)


def _escape_string(match: re.Match[str]) -> str:
    return _NON_ASCII.sub(_escape_character, _RAW_RUN.sub(_escape_raw, match[0]))


def _escape_character(match: re.Match[str]) -> str:
    return _escape(ord(match[0]))


def _escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10 & 0x3FF):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _escape_raw(match: re.Match[str]) -> str:
    """Bytes that are no valid UTF-8: a lead byte with its continuation bytes counts as a character all the same."""
    data = as_bytes(match[0])
    out = []
    at = 0
    while at < len(data):
        lead = data[at]
        size = 2 if lead & 0xE0 == 0xC0 else 3 if lead & 0xF0 == 0xE0 else 4 if lead & 0xF8 == 0xF0 else 0
        tail = data[at + 1 : at + size]
        if size and len(tail) == size - 1 and all(byte & 0xC0 == 0x80 for byte in tail):
            code = lead & (0xFF >> (size + 1))
            for byte in tail:
                code = code << 6 | byte & 0x3F
            out.append(_escape(code))
            at += size
        else:
            out.append("\\ufffd")
            at += 1
    return "".join(out)
