"""Template text to tokens, as Jinja2 cuts it with ``trim_blocks`` and ``lstrip_blocks``.

All of the source is read before any parsing, and time is linear in it: every pattern here either takes a
character for good or fails at once.
"""

from __future__ import annotations

import re
from typing import Final

from chatjinja.errors import TemplateSyntaxError
from chatjinja.source import Span
from chatjinja.syntax import tokens as t
from chatjinja.syntax.jinja import tokens as jt
from chatjinja.syntax.jinja.escapes import BadEscapeError, unescape
from chatjinja.syntax.tokens import TokenTable

OPENER: Final = re.compile(r"\{(?:%([-+]?)\s*+(raw)\s*+(?:-%\}\s*+|%\})|([%{#])([-+]?))")
"""What text cannot contain: the start of a tag or comment, or a whole ``raw`` tag."""

_RAW_SIGN, _RAW, _KIND, _SIGN = 1, 2, 3, 4
_ENDRAW = re.compile(r"\{%([-+]?)\s*+endraw\s*+(?:\+%\}|-%\}\s*+|%\}\n?)")
_END_OF_COMMENT = re.compile(r"([-+]?#\})(?:(?<=-#\})\s*+|(?<!\+#\})\n?|)")

_END, _WORD, _SINGLE_QUOTED, _DOUBLE_QUOTED, _ESCAPED, _FLOAT, _INTEGER, _OPERATOR, _OPENING, _CLOSING = range(1, 11)
_TOKEN = r"""\s*+(?:END
  | ([^\W\d]\w*+)(?![^\x00-\x7f])
  | '([^'\\]*+)'
  | "([^"\\]*+)"
  | ('[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+")
  | ((?<!\.)[0-9]\d*+(?:_\d++)*+(?:(?:\.\d++(?:_\d++)*+)?[eE][+-]?\d++(?:_\d++)*+|\.\d++(?:_\d++)*+))
  | (0[bB](?:_?[01])++|0[oO](?:_?[0-7])++|0[xX](?:_?[\da-fA-F])++|[1-9](?:_?\d)*+|0(?:_?0)*+)
  | (//|\*\*|[=!<>]=|[-+/*%~<>=.:|,;])
  | ([(\[{])
  | ([)\]}])
)"""


def _token(end: str) -> re.Pattern[str]:
    return re.compile(_TOKEN.replace("END", end), re.VERBOSE | re.DOTALL)


_NESTED_TOKEN = _token("((?!))")
"""Inside of brackets nothing is the end of the tag."""
_TOKENS = {
    "%": _token(r"([-+]?%\})(?:(?<=-%\})\s*+|(?<!\+%\})\n?|)"),
    "{": _token(r"(-?\}\})(?:(?<=-\}\})\s*+|)"),
}
_END_TYPES = {"%": t.CLOSE_STATEMENT, "{": t.CLOSE_EXPRESSION}
_OPEN_TYPES = {"%": t.OPEN_STATEMENT, "{": t.OPEN_EXPRESSION}
_CLOSING_OF = {"(": ")", "[": "]", "{": "}"}
_BLANKS = re.compile(r"\s*+")


def normalise(source: str) -> str:
    """The text that positions count in: line ends are ``\\n``, and one at the very end is dropped."""
    text = source.replace("\r\n", "\n").replace("\r", "\n") if "\r" in source else source
    return text[:-1] if text.endswith("\n") else text


def scan(text: str) -> TokenTable:
    """The tokens of a normalised source.

    Raises:
        TemplateSyntaxError: in phase ``lex``.
    """
    lexer = _Lexer(text)
    at, length = 0, len(text)
    while at < length:
        at = lexer.read_text(at)
    return lexer.table


class _Lexer:
    """One pass over a source. The methods take the offset to start at and return where they stopped."""

    __slots__ = ("table", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.table = TokenTable()

    # --- outside of tags -------------------------------------------------------------------------------

    def read_text(self, at: int) -> int:
        """Read text, and the tag, comment or raw block behind it, if any."""
        found = OPENER.search(self.text, at)
        if found is None:
            self.add_text(at, len(self.text), "+")
            return len(self.text)
        if found[_RAW]:
            self.add_text(at, found.start(), found[_RAW_SIGN])
            return self.read_raw(found)
        kind = found[_KIND]
        self.add_text(at, found.start(), found[_SIGN] if kind != "{" else found[_SIGN] or "+")
        if kind == "#":
            return self.read_comment(found)
        self.table.add(_OPEN_TYPES[kind], "{" + kind, found.start(), found.end())
        return self.read_tag(found.end(), kind)

    def add_text(self, at: int, tag: int, sign: str) -> None:
        """Add what the tag at `tag` leaves of the text from `at`, if anything.

        `sign` is that of the tag: ``-`` strips all blanks, ``+`` none, and no sign those of the tag's own line.
        """
        text, end = self.text, tag
        if sign == "-":
            end = at + len(text[at:tag].rstrip())
        elif not sign:
            newline = text.rfind("\n", at, tag)
            starts_line = newline >= 0 or at == 0 or text[at - 1] == "\n"
            line = at if newline < 0 else newline + 1
            if starts_line and text[line:tag].isspace():
                end = line
        if end > at:
            self.table.add_text(text[at:end], at, end, at)

    def read_raw(self, opening: re.Match[str]) -> int:
        """Read the body of a raw block, and its end tag. At the very end of a source it needs none."""
        start = opening.end()
        closing = _ENDRAW.search(self.text, start)
        if closing is not None:
            self.add_text(start, closing.start(), closing[1])
            return closing.end()
        if start < len(self.text):
            raise _error("Missing end of raw directive", "lex-unclosed-raw", *opening.span())
        return start

    def read_comment(self, opening: re.Match[str]) -> int:
        """Read a comment. At the very end of a source it needs no end."""
        start = opening.end()
        closing = _END_OF_COMMENT.search(self.text, start)
        if closing is not None:
            self.table.add(t.COMMENT, self.text[start : closing.start()], opening.start(), closing.end(1))
            return closing.end()
        if start < len(self.text):
            raise _error("Missing end of comment tag", "lex-unclosed-comment", *opening.span())
        return start

    # --- inside of tags --------------------------------------------------------------------------------

    def read_tag(self, at: int, kind: str) -> int:
        """Read what follows ``{`` and `kind`, to the end of the tag or of the source."""
        text, table, operators = self.text, self.table, jt.OPERATORS
        outer = match = _TOKENS[kind].match
        add_type, add_value = table.types.append, table.values.append
        add_start, add_end = table.starts.append, table.ends.append
        brackets: list[str] = []
        while True:
            found = match(text, at)
            if found is None:
                at = self.read_odd_name(at)
                if at == len(text):
                    return at
                continue
            group = found.lastindex or 0
            value = found[group]
            start, at = found.span(group)
            if group == _WORD:
                add_type(t.IDENTIFIER)
                if not value.isascii():
                    self.check_name(value, start)
            elif group == _OPERATOR:
                add_type(operators[value])
            elif group == _END:
                table.add(_END_TYPES[kind], value, start, at)
                return found.end()
            elif group == _OPENING:
                add_type(operators[value])
                brackets.append(_CLOSING_OF[value])
                match = _NESTED_TOKEN.match
            elif group == _CLOSING:
                add_type(operators[value])
                self.close_bracket(brackets, value, start)
                if not brackets:
                    match = outer
            elif group <= _DOUBLE_QUOTED:
                add_type(t.STRING)
                start -= 1
                at += 1
            elif group == _ESCAPED:
                add_type(t.STRING)
                value = self.unescaped(value, start)
            else:
                add_type(jt.FLOAT if group == _FLOAT else t.NUMBER)
            add_value(value)
            add_start(start)
            add_end(at)

    def close_bracket(self, brackets: list[str], value: str, start: int) -> None:
        """Take the innermost bracket away, which this one has to match."""
        if not brackets:
            raise _error(f"unexpected '{value}'", "lex-unbalanced", start, start + 1)
        expected = brackets.pop()
        if expected != value:
            raise _error(f"unexpected '{value}', expected '{expected}'", "lex-unbalanced", start, start + 1)

    def unescaped(self, quoted: str, start: int) -> str:
        """The value of a string literal with escapes."""
        try:
            return unescape(quoted[1:-1])
        except BadEscapeError as error:
            place = start + 1 + error.at
            raise _error(error.message, "lex-unknown-escape", place, place + 2) from None

    def check_name(self, name: str, start: int) -> None:
        """Letters and digits of all scripts make a name for the lexer, but some are no letters to Python."""
        if not name.isidentifier():
            raise _error("Invalid character in identifier", "lex-bad-name", start, start + len(name))

    def read_odd_name(self, at: int) -> int:
        """Read a name that holds characters which are neither letters nor digits, or find the end of the source."""
        text = self.text
        blanks = _BLANKS.match(text, at)
        start = end = blanks.end() if blanks else at
        while end < len(text) and (text[end].isalnum() or ("_" + text[end]).isidentifier()):
            end += 1
        name = text[start:end]
        if name:
            self.check_name(name, start)
            self.table.add(t.IDENTIFIER, name, start, end)
        elif start < len(text):
            raise _error(f"unexpected char {text[start]!r} at {start}", "lex-unexpected-character", start, start + 1)
        return end


def _error(message: str, code: str, start: int, end: int) -> TemplateSyntaxError:
    return TemplateSyntaxError(message, code=code, phase="lex", span=Span(start, end))
