"""Escapes in string literals: Python's, as its ``unicode-escape`` codec reads them, and back.

The codec itself warns about unknown escapes, and whether such a warning is an error is for the process to say.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SIMPLE: Final = {
    "\n": "",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]++)\}|(.))", re.DOTALL
)
_NAME_GROUP, _OTHER_GROUP = 5, 6
_TRUNCATED: Final = {
    "x": "truncated \\xXX escape",
    "u": "truncated \\uXXXX escape",
    "U": "truncated \\UXXXXXXXX escape",
    "N": "malformed \\N character escape",
}
_WRITTEN: Final = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


class BadEscapeError(ValueError):
    """An escape that stands for no character; `at` is where it begins."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def unescape(text: str) -> str:
    """The text that a string literal between its quotes stands for. Raises BadEscapeError."""
    return _ESCAPE.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    group = escape.lastindex or 0
    value = escape[group]
    if group == _OTHER_GROUP:
        if value in _TRUNCATED:
            raise BadEscapeError(_TRUNCATED[value], escape.start())
        if value in _SIMPLE:
            return _SIMPLE[value]
        # The codec sees a character that is not ASCII as an escape of its own, whose backslash the first one takes.
        return "\\" + (value if value.isascii() else value.encode("ascii", "backslashreplace").decode("ascii")[1:])
    if group == _NAME_GROUP:
        return _named(value, escape.start())
    code = int(value, 8 if group == 1 else 16)
    if code > 0x10FFFF:
        raise BadEscapeError("illegal Unicode character", escape.start())
    return chr(code)


def _named(name: str, at: int) -> str:
    try:
        found = unicodedata.lookup(name) if name.isascii() else ""
    except KeyError:
        found = ""
    if len(found) != 1:  # also names of sequences, which are for `lookup` only
        raise BadEscapeError("unknown Unicode character name", at)
    return found


def literal(text: str) -> str:
    """A string literal that stands for `text`."""
    escaped = text.translate(_WRITTEN)
    if "'" not in escaped:
        return f"'{escaped}'"
    return f'"{escaped}"' if '"' not in escaped else "'" + escaped.replace("'", "\\'") + "'"
