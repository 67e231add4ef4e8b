"""Token types of Jinja2's grammar: those of `chatjinja.syntax.tokens`, and some that llama.cpp's lexer does not know.

``+`` and ``-`` are ADDITIVE; ``*``, ``/``, ``//`` and ``%`` are MULTIPLICATIVE; NUMBER is an integer.
"""

from __future__ import annotations

from typing import Final

from chatjinja.syntax import tokens as t

FLOAT: Final = t.TYPE_COUNT
POWER: Final = t.TYPE_COUNT + 1
TILDE: Final = t.TYPE_COUNT + 2
SEMICOLON: Final = t.TYPE_COUNT + 3
TYPE_COUNT: Final = t.TYPE_COUNT + 4
"""All types are below this number."""

OPERATORS: Final[dict[str, int]] = {
    "(": t.OPEN_PAREN,
    ")": t.CLOSE_PAREN,
    "[": t.OPEN_SQUARE,
    "]": t.CLOSE_SQUARE,
    "{": t.OPEN_CURLY,
    "}": t.CLOSE_CURLY,
    ",": t.COMMA,
    ".": t.DOT,
    ":": t.COLON,
    "|": t.PIPE,
    "=": t.EQUALS,
    ";": SEMICOLON,
    "~": TILDE,
    "**": POWER,
    **dict.fromkeys(["+", "-"], t.ADDITIVE),
    **dict.fromkeys(["*", "/", "//", "%"], t.MULTIPLICATIVE),
    **dict.fromkeys(["==", "!=", "<", ">", "<=", ">="], t.COMPARISON),
}

DESCRIPTIONS: Final[dict[int, str]] = {
    **{type_: text for text, type_ in OPERATORS.items() if len(text) == 1 and text not in "+-*/%<>"},
    t.EOF: "end of template",
    t.TEXT: "template data / text",
    t.NUMBER: "integer",
    FLOAT: "float",
    t.STRING: "string",
    t.IDENTIFIER: "name",
    t.OPEN_STATEMENT: "begin of statement block",
    t.CLOSE_STATEMENT: "end of statement block",
    t.OPEN_EXPRESSION: "begin of print statement",
    t.CLOSE_EXPRESSION: "end of print statement",
}
"""How messages call a token of this type; names and the other operators are shown as they are written."""
