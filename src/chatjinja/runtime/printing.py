"""Output of the marked form: lists of `str`, `TemplateText` and `Marked`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.convert import made, note_size
from chatjinja.runtime.filters import apply_filter
from chatjinja.runtime.json_encoder import encode
from chatjinja.runtime.loops import MANY, body_pieces, check_output
from chatjinja.runtime.marked import (
    NO_PIECES,
    MadeInt,
    Marked,
    Piece,
    Runs,
    TemplateText,
    runs_of,
)
from chatjinja.runtime.objects import Array, Object, Value
from chatjinja.runtime.operators import text_contribution
from chatjinja.runtime.state import BIG
from chatjinja.runtime.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

String = str | Marked
TEXTS = frozenset((str, TemplateText))
"""Types of strings that are one piece."""
_STRINGS = frozenset((str, TemplateText, Marked))


def settled(rt: Runtime, out: list[Any]) -> list[Any]:
    """What was printed, as strings."""
    if TEXTS.issuperset(map(type, out)):
        return out
    return [value if type(value) in _STRINGS else _string(rt, value) for value in out]


def _string(rt: Runtime, value: Value) -> String:
    kind = type(value)
    if kind is MadeInt:
        return TemplateText(int(value))
    if kind is Undefined or value is None:
        return NO_PIECES
    return body_pieces(rt, [value])


def settle(rt: Runtime, out: list[Any], mark: int) -> None:
    """A body ends: turn the values that it printed into text."""
    out[mark:] = settled(rt, out[mark:])


def joined(rt: Runtime, strings: Sequence[String]) -> Marked:
    """Several strings as one."""
    pieces: list[Piece] = []
    same = True
    for value in strings:
        kind = type(value)
        if kind is TemplateText:
            pieces.append((str.__str__(value), False))
        elif kind is Marked:
            pieces += value.pieces  # type: ignore[union-attr]
            same = same and value.runs is value.pieces  # type: ignore[union-attr]
        else:
            pieces.append((value, True))  # type: ignore[arg-type]
    plain = not rt.sound or (same and not rt.sourced)
    whole = Marked(tuple(pieces), None if plain else partial(_runs, strings))
    if len(whole.text) > BIG:
        note_size(rt, whole.text)
    return whole


def _runs(strings: Iterable[String]) -> Runs:
    return tuple([run for value in strings for run in runs_of(value)])


def body(rt: Runtime, out: list[Any]) -> Value:
    """A body's output as a value."""
    if rt.has_big_strings or len(out) > MANY:
        check_output(rt, out)
    strings = settled(rt, out)
    if len(strings) == 1:
        return strings[0]
    return joined(rt, strings)


def macro_text(rt: Runtime, function: Callable[..., None], *arguments: Value) -> Value:
    """Text of a macro whose arguments are bound already."""
    out: list[Any] = []
    function(rt, out, *arguments)
    return body(rt, out)


def contribution(rt: Runtime, value: Value) -> String:
    """What a value adds to a String by ``+`` or ``~``."""
    return value if type(value) in _STRINGS else text_contribution(rt, value)


def tojson(rt: Runtime, value: Value) -> Value:
    """``value|tojson`` without arguments."""
    if type(value) in _JSON_TYPES:
        return made(rt, encode(rt, value, -1, ", ", ": "))
    return apply_filter(rt, value, "tojson", None)


_JSON_TYPES = frozenset((dict, list, str, Object, Array))


# --- the whole output ----------------------------------------------------------------------------------


def settled_text(rt: Runtime, out: list[Any]) -> str:
    """The text of an output that is not all `str`; what it holds is made strings."""
    try:
        return _text(out)
    except TypeError:  # there are numbers or the like
        out[:] = settled(rt, out)
        return _text(out)


def _text(strings: list[Any]) -> str:
    return "".join([value.text if type(value) is Marked else value for value in strings])
