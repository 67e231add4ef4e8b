"""Template text to tokens, as llama.cpp's lexer cuts it.

Two states take turns: text, which reaches to the next ``{{``, ``{%`` or ``{#``, and the inside of a tag,
which ends at the first closing mark wherever it stands. All of the source is read before any parsing.
Every step looks at each character a fixed number of times, so time is linear in the source.
"""

from __future__ import annotations

import re
from typing import Final

from chatjinja.errors import TemplateSyntaxError
from chatjinja.source import Span
from chatjinja.syntax import tokens as t
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.tokens import Token, TokenTable

STRIPPED: Final = " \t\r\n"
"""What a ``-`` inside a tag strips outside of it."""
LINE_BLANKS: Final = " \t\v\f\r"
"""What lstrip_blocks walks over: C's ``isspace`` but the newline."""
ESCAPES: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}
OPENER: Final = re.compile(r"\{[{%#]")
"""What text cannot contain."""

_BLANKS = re.compile(r"[ \t-\r]*")
_SIGNED_NUMBER = re.compile(r"[0-9]*(?:\.[0-9]+)?")
_NOT_UTF8 = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_RAW = re.compile(r"\{%-?[ \t-\r]*raw[ \t-\r]*-?%\}")
_ENDRAW = re.compile(r"\{%-?[ \t-\r]*endraw[ \t-\r]*-?%\}")
_STRING_STOPS = {quote: re.compile(rf"[\\{quote}]") for quote in "'\""}

_WORD, _SINGLE_QUOTED, _DOUBLE_QUOTED, _MARK, _NUMBER, _CLOSE, _OPEN, _CLOSE_CURLY, _OPEN_CURLY, _SIGN, _QUOTE = range(
    1, 12
)
_TAG_TOKEN = r"""[ \t-\r]*+(?:
    ([A-Za-z_][A-Za-z0-9_]*+)
  | '([^'\\]*+)'
  | "([^"\\]*+)"
  | ([.,()\[\]:|~]|[<>=!]=|LONG[<>=*/]|%(?!\}))
  | ([0-9]++(?:\.[0-9]++)?)
  | (-?%\}|-\}\})
  | (\{[{%]-?)-?
  | (\}\}?)
  | (\{)
  | ([+-])
  | (['"])
)"""
_TAG_TOKENS = {
    (floor_division, power): re.compile(
        _TAG_TOKEN.replace("LONG", ("//|" if floor_division else "") + (r"\*\*|" if power else "")), re.VERBOSE
    )
    for floor_division in (False, True)
    for power in (False, True)
}

_BEFORE_BINARY = frozenset([t.IDENTIFIER, t.NUMBER, t.STRING, t.CLOSE_PAREN, t.CLOSE_SQUARE])
"""After one of these ``+`` and ``-`` join two operands; keywords are identifiers, so ``if -x`` does not work."""


def normalise(source: str) -> str:
    """The text that positions count in: line ends are ``\\n``, and one newline at the very end is dropped.

    A final lone ``\\r`` is not such a newline; it becomes one and stays.

    Raises:
        TemplateSyntaxError: the source holds a surrogate that stands for no byte (``source-encoding``).
    """
    text = source
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if source.endswith("\n"):
        text = text[:-1]
    if not text.isascii() and (found := _NOT_UTF8.search(text)):
        message = f"source is not valid text: lone surrogate U+{ord(found.group()):04X}"
        raise TemplateSyntaxError(message, code="source-encoding", span=Span(*found.span()))
    return text


def tokenize(source: str, config: SyntaxConfig) -> tuple[str, list[Token]]:
    """The normalised source and its tokens.

    Raises:
        TemplateSyntaxError: in phase ``lex``, or the source is not valid text.
    """
    text = normalise(source)
    return text, scan(text, config).tokens()


def scan(text: str, config: SyntaxConfig) -> TokenTable:
    """The tokens of a normalised source, as a table.

    Raises:
        TemplateSyntaxError: in phase ``lex``.
    """
    lexer = _Lexer(text, config)
    at, length = 0, len(text)
    while at < length:
        at = lexer.read_text(at)
        if at < length:
            at = lexer.read_comment(at) if text.startswith("{#", at) else lexer.read_tag(at)
    return lexer.table


class _Lexer:
    """One pass over a source. The methods take the offset to start at and return where they stopped."""

    __slots__ = ("config", "curly_depth", "table", "text")

    def __init__(self, text: str, config: SyntaxConfig) -> None:
        self.text = text
        self.config = config
        self.table = TokenTable()
        # ``{`` minus ``}`` since the last ``{{``, also across tags; ``}}`` is a closing mark only at 0.
        self.curly_depth = 0

    # --- outside of tags -------------------------------------------------------------------------------

    def read_text(self, at: int) -> int:
        """Read up to the next tag or comment."""
        text = self.text
        while True:
            found = OPENER.search(text, at)
            tag = len(text) if found is None else found.start()
            self.add_text(at, tag)
            raw = _RAW.match(text, tag) if self.config.raw_blocks else None
            if raw is None:
                return tag
            at = self.read_raw(raw)

    def read_raw(self, opening: re.Match[str]) -> int:
        """Read the body of a raw block, and its end tag."""
        closing = _ENDRAW.search(self.text, opening.end())
        if closing is None:
            raise _error("Missing end of raw directive", "lex-unclosed-raw", *opening.span())
        self.add_text(opening.end(), closing.start())
        return closing.end()

    def add_text(self, at: int, tag: int) -> None:
        """Add what stripping leaves of the text from `at` to the tag (or the end) at `tag`, if anything."""
        text = self.text
        mark = text[tag + 1 : tag + 2]  # the tag's second character; empty at the end of the source
        start, end = at, tag
        if mark and mark in "%#":
            end = self.lstripped(start, end)
        # The characters before the text decide, not the token: the dash of an empty ``{{-}}`` works too.
        if start and text[start - 2] in "%#" and text.startswith("\n", start, end):
            start += 1
        kept = text[start:end]
        if at and text[at - 3] == "-":
            kept = kept.lstrip(STRIPPED)
            start = end - len(kept)
        if mark and text.startswith("-", tag + 2):
            kept = kept.rstrip(STRIPPED)
        if kept:
            self.table.add_text(kept, start, start + len(kept), at)

    def lstripped(self, start: int, end: int) -> int:
        """Where the text from `start` ends, when blanks between a newline and the tag at `end` are dropped."""
        kept = self.text[start:end].rstrip(LINE_BLANKS)
        if start == 0 and (not kept or self.is_lost_first_character(kept)):
            return 0
        return start + len(kept) if kept.endswith("\n") else end

    def is_lost_first_character(self, kept: str) -> bool:
        """Whether this, the source's beginning up to the blanks before a tag, is what llama.cpp drops.

        It drops one *byte*, whatever it is; in a longer character its walk ends at the last byte.
        """
        if len(kept) > 1 or not self.config.lstrip_drops_first_character:
            return False
        return kept.isascii() or "\udc80" <= kept <= "\udcff"

    # --- comments and tags -----------------------------------------------------------------------------

    def read_comment(self, start: int) -> int:
        """Read the comment that starts here."""
        close = self.text.find("#}", start + 2)
        if close < 0:
            raise _error("missing end of comment tag", "lex-unclosed-comment", start, start + 2)
        self.table.add(t.COMMENT, self.text[start + 2 : close], start, close + 2)
        return close + 2

    def read_tag(self, at: int) -> int:
        """Read the tag that starts here, to its closing mark or to the end of the source."""
        table, marks = self.table, t.PUNCTUATION
        match = _TAG_TOKENS[self.config.floor_division, self.config.power].match
        add_type, add_value = table.types.append, table.values.append
        add_start, add_end = table.starts.append, table.ends.append
        while found := match(self.text, at):
            group = found.lastindex or 0
            value = found[group]
            start, at = found.span(group)
            if group == _WORD:
                add_type(t.IDENTIFIER)
            elif group == _MARK:
                add_type(marks[value])
            elif group <= _DOUBLE_QUOTED:
                add_type(t.STRING)
                start -= 1
                at += 1
            elif group == _NUMBER:
                add_type(t.NUMBER)
            elif group == _OPEN:
                add_type(self.open_type(value))
                at = found.end()  # with a second dash, which means nothing
            elif group == _CLOSE or (value == "}}" and not self.curly_depth):
                table.add(t.CLOSE_STATEMENT if value[-2] == "%" else t.CLOSE_EXPRESSION, value, start, at)
                return at
            elif group == _OPEN_CURLY and self.is_comment(start):
                return self.read_comment(start)
            else:
                at = self.read_special(value[0], start)
                continue
            add_value(value)
            add_start(start)
            add_end(at)
        return self.end_of_tokens(at)

    def open_type(self, value: str) -> int:
        if value[1] == "%":
            return t.OPEN_STATEMENT
        self.curly_depth = 0
        return t.OPEN_EXPRESSION

    def is_comment(self, start: int) -> bool:
        """Whether the ``{`` here, inside a tag, begins a comment: only directly behind a token."""
        table = self.table
        if table.ends[-1] != start or not self.text.startswith("#", start + 1):
            return False
        swallowed_dash = table.types[-1] in (t.OPEN_EXPRESSION, t.OPEN_STATEMENT) and self.text[start - 2] == "-"
        return not swallowed_dash

    def read_special(self, char: str, start: int) -> int:
        """Read a token that needs a closer look than its shape."""
        end = start + 1
        if char == "{":
            self.curly_depth += 1
        elif char == "}":
            self.curly_depth -= 1
        elif char in "+-":
            return self.read_sign(char, start)
        else:
            return self.read_string(char, start)
        self.table.add(t.PUNCTUATION[char], char, start, end)
        return end

    def read_sign(self, sign: str, start: int) -> int:
        """Read ``+`` or ``-``: an operator of two operands, of one, or part of a number."""
        text, table, end = self.text, self.table, start + 1
        before_closing = sign == "-" and text.startswith(("%", "}"), end)
        if before_closing or table.types[-1] in _BEFORE_BINARY:
            table.add(t.ADDITIVE, sign, start, end)
            return end
        number = _SIGNED_NUMBER.match(text, end)
        if not number or not number.group():
            table.add(t.UNARY, sign, start, end)
            return end
        table.add(t.NUMBER, sign + number.group(), start, number.end())
        return number.end()

    def read_string(self, quote: str, start: int) -> int:
        """Read a string literal with escapes, or one that does not end."""
        text, search = self.text, _STRING_STOPS[quote].search
        pieces, at = [], start + 1
        while stop := search(text, at):
            place = stop.start()
            pieces.append(text[at:place])
            if text[place] == quote:
                self.table.add(t.STRING, "".join(pieces), start, place + 1)
                return place + 1
            escape = text[place + 1 : place + 2]
            if not escape:
                message = "unexpected end of input after escape character"
                raise _error(message, "lex-unexpected-end", place, place + 1)
            if escape not in ESCAPES:
                message = f"unknown escape character \\{_byte(escape)}"
                raise _error(message, "lex-unknown-escape", place, place + 2)
            pieces.append(ESCAPES[escape])
            at = place + 2
        raise _error("unexpected end of input during consume_while", "lex-unclosed-string", start, start + 1)

    def end_of_tokens(self, at: int) -> int:
        """No token starts here: the source ends, or this is an error."""
        blanks = _BLANKS.match(self.text, at)
        at = blanks.end() if blanks else at
        if at < len(self.text):
            message = f"unexpected character: {_byte(self.text[at])}"
            raise _error(message, "lex-unexpected-character", at, at + 1)
        return at


def _byte(char: str) -> str:
    """A character as messages show it: they take one byte, which alone is not UTF-8 unless it is ASCII."""
    return char if char.isascii() else "\ufffd"


def _error(message: str, code: str, start: int, end: int) -> TemplateSyntaxError:
    return TemplateSyntaxError(message, code=code, phase="lex", span=Span(start, end))
