"""Strings that know who wrote them.

The reference engine holds every string as a list of pieces. The text form does without, because the text
is the same. Where the pieces show (marking, `capitalize` of a concatenation, the repr of a bound method)
the other forms are used, in which a string is one of three types:

- a plain `str`: one piece of input, as it stands in the context;
- a `TemplateText`: one piece that the template wrote, or that the trust policy takes for its own;
- a `Marked`: anything else.

Sound marking keeps two lists for each string: its *pieces*, which are the reference's and decide the text, and
its *runs*, which say where each character came from. A run is finer than a piece: after `replace`
one piece can hold characters of several origins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn, Union

from chatjinja.source import Span

_RAW = re.compile("[\udc80-\udcff]")


class Source:
    """Where characters came from. True if they are input.

    Attributes:
        pointer: JSON Pointer of the context value, with ``#`` behind it for a key; None for the template.
        is_input: whether the value is not trusted.
        span: what printed them, once they were printed.
    """

    __slots__ = ("is_input", "pointer", "span")

    def __init__(self, pointer: str | None, is_input: bool, span: Span | None = None) -> None:
        self.pointer = pointer
        self.is_input = is_input
        self.span = span

    def __bool__(self) -> bool:
        return self.is_input


class Copied:
    """Where characters came from, told by the object that they were copied from. Always input.

    Attributes:
        value: a string or container of a snapshot of the context, or a string derived from such a one. Its
            place is looked up when it is asked for.
        below: JSON Pointer from there.
        span: what printed them, once they were printed.
    """

    __slots__ = ("below", "span", "value")

    def __init__(self, value: Any, below: str, span: Span | None = None) -> None:
        self.value = value
        self.below = below
        self.span = span


class Printed:
    """A printed value and the part of the template that printed it."""

    __slots__ = ("span", "value")

    def __init__(self, value: Any, start: int, end: int) -> None:
        self.value = value
        self.span = Span(start, end)

    def seen(self, origin: Origin) -> Source:
        """`origin` with this span, unless it was printed before, inside a body that became a string."""
        if type(origin) is not Source:
            return Source(None, bool(origin), self.span)
        return origin if origin.span is not None else Source(origin.pointer, origin.is_input, self.span)


Origin = Union[bool, Source, Copied, str]  # noqa: UP007 -- evaluated at import, where a forward name would not do
"""False: template text; True: input; a plain `str`: copied from this very object, so input. With provenance
also a `Source` or a `Copied`."""
Piece = tuple[str, bool]
"""Text and whether it is input. Pieces may be empty."""
Run = tuple[str, Origin]
"""Text and its origin."""
Runs = tuple[Run, ...]


def has_raw(text: str) -> bool:
    """Whether `text` holds bytes that are no valid UTF-8 (as surrogate escapes)."""
    return not text.isascii() and _RAW.search(text) is not None


def rejoin(text: str) -> str:
    """Turn escaped bytes that have come to stand beside each other into the characters they are."""
    if text.isascii() or _RAW.search(text) is None:
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def text_of_pieces(pieces: tuple[Piece, ...]) -> str:
    """The text of several pieces. Bytes can only meet where one ends in the middle of a character."""
    text = "".join([piece[0] for piece in pieces])
    if not text.isascii():
        for piece in pieces:
            if "\udc80" <= piece[0][-1:] <= "\udcff":
                return rejoin(text)
    return text


class TemplateText(str):
    """A string of one piece that the template wrote.

    A `str`, so it compares, hashes and joins at C's speed. Every fast path of generated code asks for exactly
    `str`, so none takes it for input; an operation that loses the type makes it input, which is safe.

    Attributes:
        source: its place, if it is a trusted string of the context, in a render with provenance; else not set.
    """

    __slots__ = ("source",)

    source: Source


class Marked:
    """An immutable string in pieces. It is never silently a plain string: all text goes through `text`.

    Equal to, and of one hash and order with, its text as `str`, so that it can be a key beside plain ones, and
    containers that hold both can be compared.

    Attributes:
        pieces: the reference's pieces.
        runs: what sound marking says; a callable makes them when they are asked for (`runs_of`). Without sound
            marking they are the pieces.
        text: all of it.
    """

    __slots__ = ("pieces", "runs", "text")

    pieces: tuple[Piece, ...]
    runs: Runs | Callable[[], Runs]
    text: str

    def __init__(self, pieces: tuple[Piece, ...], runs: Runs | Callable[[], Runs] | None = None) -> None:
        self.pieces = pieces
        self.runs = pieces if runs is None else runs
        self.text = pieces[0][0] if len(pieces) == 1 else text_of_pieces(pieces)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Marked):
            return self.text == other.text
        return self.text == other

    def __hash__(self) -> int:
        return hash(self.text)

    def __lt__(self, other: Any) -> bool:
        return self.text < (other.text if isinstance(other, Marked) else other)

    def __le__(self, other: Any) -> bool:
        return self.text <= (other.text if isinstance(other, Marked) else other)

    def __gt__(self, other: Any) -> bool:
        return self.text > (other.text if isinstance(other, Marked) else other)

    def __ge__(self, other: Any) -> bool:
        return self.text >= (other.text if isinstance(other, Marked) else other)

    def __bool__(self) -> bool:
        return self.text != ""

    def __len__(self) -> int:
        return len(self.text)

    def __repr__(self) -> str:
        return f"Marked({self.pieces!r})"

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError("a Marked is not a plain string: its pieces would be lost")

    __str__ = _refuse
    __format__ = _refuse
    __add__ = _refuse
    __radd__ = _refuse
    __mul__ = _refuse
    __rmul__ = _refuse
    __mod__ = _refuse
    __iter__ = _refuse
    __contains__ = _refuse
    __getitem__ = _refuse


NO_PIECES = Marked(())
"""The string without any piece: an empty body, ``x * 0``, what Undefined's string filters give."""


def pieces_of(value: str | Marked) -> tuple[Piece, ...]:
    """The reference's pieces of a string."""
    if type(value) is Marked:
        return value.pieces
    text: str = value  # type: ignore[assignment]  # mypy does not narrow by the exact type
    return ((str.__str__(text), type(value) is not TemplateText),)


def runs_of(value: str | Marked) -> Runs:
    """The runs of a string."""
    if type(value) is not Marked:
        text = str.__str__(value)
        return ((text, getattr(value, "source", False) if type(value) is TemplateText else text),)
    runs = value.runs
    if callable(runs):
        runs = value.runs = runs()
    return runs


def all_input(value: str | Marked) -> bool:
    """Whether no piece is template text; a string without pieces counts as all input."""
    if type(value) is not Marked:
        return type(value) is not TemplateText
    return all(piece[1] for piece in value.pieces)


def template_piece(text: str) -> Marked:
    """A string of one template piece."""
    return Marked(((text, False),))


# --- numbers -------------------------------------------------------------------------------------------


class MadeInt(int):
    """In sound marking: an Integer that the template made. A plain `int` is one of the context."""

    __slots__ = ()


class MadeFloat(float):
    """In sound marking: a Float that the template made."""

    __slots__ = ()


class SourcedInt(int):
    """An Integer of the context that knows its place there."""

    source: Source


class SourcedFloat(float):
    """A Float of the context that knows its place there."""

    source: Source


NUMBERS = frozenset((MadeInt, MadeFloat, SourcedInt, SourcedFloat))
"""Types of numbers that know who made them."""


SMALL = 1024
SMALL_INTS = tuple(map(MadeInt, range(SMALL)))
"""The numbers that templates count with, from 0."""


def made_number(value: Any) -> Any:
    """`value` as a number that the template made, if it is a number."""
    kind = type(value)
    if kind is int or kind is SourcedInt:
        return SMALL_INTS[value] if 0 <= value < SMALL else MadeInt(value)
    if kind is float or kind is SourcedFloat:
        return MadeFloat(value)
    return value


def number_origin(value: int | float) -> Origin:
    """Who wrote the digits of a number that is printed unchanged."""
    kind = type(value)
    if kind is MadeInt or kind is MadeFloat:
        return False
    if kind is SourcedInt or kind is SourcedFloat:
        source: Source = value.source  # type: ignore[union-attr]
        return source
    return True
