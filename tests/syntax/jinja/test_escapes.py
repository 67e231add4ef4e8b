"""Escapes beside those of Python's codec."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatjinja.syntax.jinja.escapes import BadEscapeError, literal, unescape

PIECES = [*"\\\\\\\\xuUN{}0178aAfFntLATIN\n'\" ", "é", "😀", "\ud800", "{LATIN SMALL LETTER A}", "{BEL}", "{é}"]


def by_the_codec(text: str) -> str | None:
    """What Jinja2 makes of it; None for an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about unknown escapes
        try:
            return text.encode("ascii", "backslashreplace").decode("unicode-escape")
        except UnicodeDecodeError:
            return None


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join).filter(re.compile(r"(?s)(?:[^\\]|\\.)*\Z").match))
def test_as_the_codec(text: str) -> None:
    expected = by_the_codec(text)
    if expected is None:
        with pytest.raises(BadEscapeError):
            unescape(text)
    else:
        assert unescape(text) == expected


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("\\x4", "truncated \\xXX escape", 0),
        ("a\\u004", "truncated \\uXXXX escape", 1),
        ("\\n\\U0000000", "truncated \\UXXXXXXXX escape", 2),
        ("\\UFFFFFFFF", "illegal Unicode character", 0),
        ("\\N", "malformed \\N character escape", 0),
        ("\\N{}", "malformed \\N character escape", 0),
        ("\\N{no such}", "unknown Unicode character name", 0),
        ("\\N{\ud800}", "unknown Unicode character name", 0),
        ("\\N{KEYCAP DIGIT ONE}", "unknown Unicode character name", 0),  # of a sequence
    ],
)
def test_errors(text: str, message: str, at: int) -> None:
    with pytest.raises(BadEscapeError) as caught:
        unescape(text)
    assert (caught.value.message, caught.value.at) == (message, at)
    assert by_the_codec(text) is None


@given(st.text())
def test_literals_stand_for_their_text(text: str) -> None:
    written = literal(text)
    assert written[0] == written[-1]
    assert unescape(written[1:-1]) == text
