"""What the parsers of all grammars share: a place in a table of tokens."""

from __future__ import annotations

from typing import NoReturn, TypeVar

from chatjinja.errors import LimitError, TemplateSyntaxError
from chatjinja.source import Span
from chatjinja.syntax import nodes
from chatjinja.syntax import tokens as t
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.tokens import TokenTable

N = TypeVar("N", bound=nodes.Node)


class TokenReader:
    """Reads a table of tokens from its beginning.

    `pos` is the index of the next token. Behind the last one stand a few of type EOF, so looking ahead
    needs no test. After an error the reader is of no more use.
    """

    def __init__(self, text: str, table: TokenTable, config: SyntaxConfig) -> None:
        self.table = table
        self.count = len(table.types)
        for _ in range(4):
            table.add(t.EOF, "", len(text), len(text))
        self.types = table.types
        self.values = table.values
        self.starts = table.starts
        self.ends = table.ends
        self.max_nesting = config.max_nesting
        self.depth = 0
        self.pos = 0

    def error(self, message: str, code: str, pos: int, phase: str | None = None) -> NoReturn:
        """Raise a syntax error at the token with index `pos`."""
        span = Span(self.starts[pos], self.ends[pos])
        raise TemplateSyntaxError(message, code=code, phase=phase, span=span)

    def enter(self, pos: int) -> None:
        """Go one level deeper, at the token with index `pos`."""
        self.depth += 1
        if self.depth > self.max_nesting:
            span = Span(self.starts[pos], self.ends[pos])
            message = f"limit reached: the template is nested deeper than {self.max_nesting} levels"
            raise LimitError(message, code="limit-nesting", limit="nesting", span=span)

    def is_word(self, word: str) -> bool:
        """Whether the next token is this identifier."""
        return self.values[self.pos] == word and self.types[self.pos] == t.IDENTIFIER

    def place(self, node: N, start: int, at: int) -> N:
        """Give a node its place: it starts at the offset `start` and ends with the last token taken."""
        node.start = start
        node.end = self.ends[self.pos - 1]
        node.at = at
        return node
