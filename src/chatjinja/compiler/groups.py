"""What printed a value: output in groups.

In the sourced form all values that one Python statement appends to the output are a group. One of them, the
*marker*, is a string object of that group alone, so whoever finds it in an output knows which group stands
around it, and what in the template printed each of its values. Nothing is counted or noted while rendering,
and cutting, copying and moving an output by whole statements keeps it readable.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from chatjinja.compiler import pyast as py
from chatjinja.syntax.nodes import Node

Write = tuple[ast.expr, Node]
"""A value to be printed, and what prints it."""


class Piece(NamedTuple):
    """A stretch of a printed value: its text if it is a literal, and the extent of what prints it."""

    text: str | None
    start: int
    end: int


Item = tuple[Piece, ...]
"""A printed value. A literal can be joined from several; any other value is one piece."""


class Group(NamedTuple):
    """Values that are printed together.

    Attributes:
        items: what they are, in order.
        marker: which of them is the marker.
    """

    items: tuple[Item, ...]
    marker: int

    @staticmethod
    def of(items: Sequence[Item]) -> Group:
        """A group of these items. The first literal is the marker, or else an empty one in front."""
        for number, item in enumerate(items):
            if item[0].text:
                return Group(tuple(items), number)
        return Group(((Piece("", 0, 0),), *items), 0)

    @property
    def marker_text(self) -> str:
        """The text of the marker; empty if it is no literal of the template."""
        return "".join([piece.text or "" for piece in self.items[self.marker]])


def printed_items(writes: Sequence[tuple[str | None, ast.expr, Node]], *, join: bool) -> list[tuple[ast.expr, Item]]:
    """Values, given with the text of the literals among them, as items of a group.

    `join`: literals beside each other are made one, and empty ones left out.
    """
    found: list[tuple[ast.expr, Item]] = []
    for text, value, printer in writes:
        piece = Piece(text, printer.start, printer.end)
        if not join or text is None:
            found.append((value, (piece,)))
        elif text:
            before = found[-1][1] if found else ()
            if before and before[0].text is not None:
                text = "".join([other.text or "" for other in before]) + text
                found[-1] = (py.const(text), (*before, piece))
            else:
                found.append((value, (piece,)))
    return found
