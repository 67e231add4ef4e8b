"""Tokens of a template.

The token types are llama.cpp's numbers: some of its messages show them (``Unexpected token: - of type 21``).
They are plain integers, because comparing enum members costs more than all the rest of the parser's test.
"""

from __future__ import annotations

from typing import Final, NamedTuple

EOF: Final = 0
TEXT: Final = 1
NUMBER: Final = 2
STRING: Final = 3
IDENTIFIER: Final = 4
EQUALS: Final = 5
OPEN_PAREN: Final = 6
CLOSE_PAREN: Final = 7
OPEN_STATEMENT: Final = 8
CLOSE_STATEMENT: Final = 9
OPEN_EXPRESSION: Final = 10
CLOSE_EXPRESSION: Final = 11
OPEN_SQUARE: Final = 12
CLOSE_SQUARE: Final = 13
OPEN_CURLY: Final = 14
CLOSE_CURLY: Final = 15
COMMA: Final = 16
DOT: Final = 17
COLON: Final = 18
PIPE: Final = 19
ADDITIVE: Final = 21
MULTIPLICATIVE: Final = 22
COMPARISON: Final = 23
UNARY: Final = 24
COMMENT: Final = 25

TYPE_COUNT: Final = 26
"""All types are below this number."""

PUNCTUATION: Final[dict[str, int]] = {
    "(": OPEN_PAREN,
    ")": CLOSE_PAREN,
    "[": OPEN_SQUARE,
    "]": CLOSE_SQUARE,
    "{": OPEN_CURLY,
    "}": CLOSE_CURLY,
    ",": COMMA,
    ".": DOT,
    ":": COLON,
    "|": PIPE,
    "=": EQUALS,
    "<=": COMPARISON,
    ">=": COMPARISON,
    "==": COMPARISON,
    "!=": COMPARISON,
    "<": COMPARISON,
    ">": COMPARISON,
    "~": ADDITIVE,
    "+": ADDITIVE,
    "-": ADDITIVE,
    "*": MULTIPLICATIVE,
    "/": MULTIPLICATIVE,
    "%": MULTIPLICATIVE,
    "//": MULTIPLICATIVE,
    "**": MULTIPLICATIVE,
}
"""Type of each token that is written in one way only. The tags' own marks are the lexer's business."""


class Token(NamedTuple):
    """One token.

    Attributes:
        type: one of the numbers above.
        value: the text it stands for: a string without quotes and escapes, text after stripping, what is
            between the marks of a comment; else the characters of the source.
        start: character offset of the token in the normalised source; of a text, where its kept part starts.
        end: character offset behind it. Spans never overlap; between them are only blanks and stripped text.
        at: the offset that llama.cpp reports: `start`, but of a text where it began before stripping.
    """

    type: int
    value: str
    start: int
    end: int
    at: int


class TokenTable:
    """All tokens of a source, one list per attribute: what the lexer fills and the parser reads.

    Lists of numbers and shared strings cost a third of the time and memory of a list of objects.
    `text_ats` holds `Token.at` for texts only, by index; of all other tokens it is the start.
    """

    __slots__ = ("ends", "starts", "text_ats", "types", "values")

    def __init__(self) -> None:
        self.types: list[int] = []
        self.values: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.text_ats: dict[int, int] = {}

    def add(self, type_: int, value: str, start: int, end: int) -> None:
        """Append one token."""
        self.types.append(type_)
        self.values.append(value)
        self.starts.append(start)
        self.ends.append(end)

    def add_text(self, value: str, start: int, end: int, at: int) -> None:
        """Append a text whose stretch began at `at`."""
        self.text_ats[len(self.types)] = at
        self.add(TEXT, value, start, end)

    def tokens(self) -> list[Token]:
        """The same as objects."""
        at = self.text_ats.get
        columns = zip(self.types, self.values, self.starts, self.ends, strict=True)
        return [
            Token(type_, value, start, end, at(index, start))
            for index, (type_, value, start, end) in enumerate(columns)
        ]
