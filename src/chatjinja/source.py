"""Template source text and positions in it.

Everything that names a place in a template does so with a `Span`: half-open *character* offsets into the
normalised source (line ends are ``\\n``, the one trailing newline is gone; see `chatjinja.syntax.lexer`).
Line numbers count from 1. Column numbers count from 1 too, in *UTF-8 bytes*, as llama.cpp reports them.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """Half-open range of character offsets, ``text[start:end]``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a source: 1-based line, 1-based UTF-8 byte column."""

    lineno: int
    colno: int


class Source:
    """A named, normalised template text with an index of its lines."""

    __slots__ = ("_line_starts", "name", "text")

    def __init__(self, text: str, name: str = "<template>") -> None:
        self.text = text
        self.name = name
        self._line_starts: list[int] | None = None

    @property
    def line_starts(self) -> list[int]:
        """Character offset at which each line starts; built on first use."""
        starts = self._line_starts
        if starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._line_starts = starts
        return starts

    def lineno(self, offset: int) -> int:
        """1-based number of the line that holds the character at `offset`."""
        return bisect_right(self.line_starts, offset)

    def byte_column(self, offset: int) -> int:
        """0-based UTF-8 byte offset of the character at `offset` within its line."""
        start = self.line_starts[self.lineno(offset) - 1]
        return byte_length(self.text[start:offset])

    def position(self, offset: int) -> Position:
        """Line and byte column, both from 1, of the character at `offset`."""
        return Position(self.lineno(offset), self.byte_column(offset) + 1)

    def line(self, lineno: int) -> str:
        """Text of a 1-based line, without its newline."""
        starts = self.line_starts
        end = starts[lineno] - 1 if lineno < len(starts) else len(self.text)
        return self.text[starts[lineno - 1] : end]

    def offset(self, lineno: int, byte_column: int) -> int:
        """Character offset for a 1-based line and a 0-based UTF-8 byte column; clamped to the line."""
        line = self.line(lineno)
        start = self.line_starts[lineno - 1]
        if line.isascii():
            return start + min(byte_column, len(line))
        low, high = 0, len(line)  # the last character that begins at the column or before
        while low < high:
            middle = (low + high + 1) // 2
            if byte_length(line[:middle]) <= byte_column:
                low = middle
            else:
                high = middle - 1
        return start + low


def byte_length(text: str) -> int:
    """How long a text is in UTF-8. A surrogate that stands for a byte counts as one, any other as three."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return sum(1 if "\udc80" <= char <= "\udcff" else len(char.encode("utf-8", "surrogatepass")) for char in text)
