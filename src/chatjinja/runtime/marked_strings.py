"""Methods and filters of String in the exact form: what they do to the pieces of a string.

The rules are the reference's. Some change each piece by itself, some make one piece that is input only if
all of the source was, some make one piece of template text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatjinja.runtime.arguments import required
from chatjinja.runtime.convert import check_size, note_size, text_form
from chatjinja.runtime.marked import Marked, Piece, all_input, pieces_of, rejoin
from chatjinja.runtime.objects import Array, Builtin, Value
from chatjinja.runtime.state import BIG
from chatjinja.runtime.strings import (
    STRING_METHODS,
    capitalize,
    check_placeholder,
    lower,
    split_text,
    str_endswith,
    str_float,
    str_indent,
    str_int,
    str_length,
    str_replace,
    str_slice,
    str_startswith,
    strip_characters,
    strip_text,
    title,
    upper,
)

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def text_of(value: str | Marked) -> str:
    """The text of a string of the exact form."""
    return value.text if isinstance(value, Marked) else value


def _each_piece(change: Callable[[str], str]) -> Builtin:
    def each_piece(rt: Runtime, args: list[Value]) -> Marked:
        return Marked(tuple([(change(text), is_input) for text, is_input in pieces_of(args[0])]))

    return each_piece


def _from_text(function: Builtin) -> Builtin:
    """A method whose result is no string."""

    def from_text(rt: Runtime, args: list[Value]) -> Value:
        return function(rt, [text_of(args[0]), *args[1:]])

    return from_text


def _one_piece(function: Builtin) -> Builtin:
    """A method whose result is one piece, input if all of the source was."""

    def one_piece(rt: Runtime, args: list[Value]) -> Marked:
        text = function(rt, [text_of(args[0]), *args[1:]])
        return Marked(((rejoin(text), all_input(args[0])),))

    return one_piece


def marked_string(rt: Runtime, args: list[Value]) -> Marked:
    """``string``: the same pieces, but a string of its own."""
    return Marked(pieces_of(args[0]))


def _strip(left: bool, right: bool) -> Builtin:
    def strip(rt: Runtime, args: list[Value]) -> Marked:
        """From the outer ends inwards; a piece that becomes empty is removed, and the next one is stripped."""
        chars = strip_characters(rt, args)
        pieces = list(pieces_of(args[0]))
        if left:
            pieces.reverse()
            _strip_last(rt, pieces, chars, True)
            pieces.reverse()
        if right:
            _strip_last(rt, pieces, chars, False)
        return Marked(tuple(pieces))

    return strip


def _strip_last(rt: Runtime, pieces: list[Piece], chars: str, left: bool) -> None:
    while pieces:
        text, is_input = pieces.pop()
        text = strip_text(rt, text, chars, left, not left)
        if text:
            pieces.append((text, is_input))
            return


def marked_split(rt: Runtime, args: list[Value]) -> Array:
    """``split``: the last item is input if all of the source was, the others are template text."""
    parts = split_text(rt, "split", [text_of(args[0]), *args[1:]], False)
    last = len(parts) - 1
    is_input = all_input(args[0])
    return Array([Marked(((rejoin(text), is_input and at == last),)) for at, text in enumerate(parts)])


def marked_rsplit(rt: Runtime, args: list[Value]) -> Array:
    """``rsplit``: as `split`, with the first item."""
    parts = split_text(rt, "rsplit", [text_of(args[0]), *args[1:]], True)
    is_input = all_input(args[0])
    return Array([Marked(((rejoin(text), is_input and at == 0),)) for at, text in enumerate(parts)])


def marked_format(rt: Runtime, args: list[Value]) -> Marked:
    """``format``: stretches of the format between the arguments' pieces."""
    is_input = all_input(args[0])
    stretches = text_of(args[0]).split("{")
    pieces: list[Piece] = [(stretches[0], is_input)] if stretches[0] else []
    size = len(stretches[0])
    for position, stretch in enumerate(stretches[1:], 1):
        check_placeholder(stretch)
        value = required("format", args, position)
        text = text_form(rt, value)
        size += len(text) + len(stretch)
        check_size(rt, size)
        pieces.extend(pieces_of(value) if type(value) is str or type(value) is Marked else ((text, False),))
        if len(stretch) > 1:
            pieces.append((stretch[1:], is_input))
    result = Marked(tuple(pieces))
    if len(result.text) > BIG:
        note_size(rt, result.text)
    return result


MARKED_METHODS: Mapping[str, Builtin] = MappingProxyType(
    {
        **STRING_METHODS,
        "capitalize": _each_piece(capitalize),
        "endswith": _from_text(str_endswith),
        "float": _from_text(str_float),
        "format": marked_format,
        "indent": _one_piece(str_indent),
        "int": _from_text(str_int),
        "length": _from_text(str_length),
        "lower": _each_piece(lower),
        "lstrip": _strip(True, False),
        "replace": _one_piece(str_replace),
        "rsplit": marked_rsplit,
        "rstrip": _strip(False, True),
        "slice": _one_piece(str_slice),
        "split": marked_split,
        "startswith": _from_text(str_startswith),
        "string": marked_string,
        "strip": _strip(True, True),
        "title": _each_piece(title),
        "upper": _each_piece(upper),
    }
)
