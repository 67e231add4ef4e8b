"""Comparing prompts."""

from __future__ import annotations

from itertools import permutations

import pytest

from chatjinja.chat.probes import prober
from chatjinja.chat.probes.reasoning import REASON
from chatjinja.chat.probes.roles import ANY_ROLE
from chatjinja.chat.probes.texts import difference, is_data, mark_start, quoted, rest, shortened, told_change
from chatjinja.chat.probes.tools import SECOND_ID
from chatjinja.chat.probes.variables import WORD

WORDS = [
    *(value for name, value in vars(prober).items() if isinstance(value, str) and value.strip("<").startswith("zq")),
    *(ANY_ROLE, REASON, SECOND_ID, WORD, "zqone", "zqtwo", "zqthree"),
]
"""What probes look for."""


def test_no_word_is_part_of_another() -> None:
    assert len(WORDS) > 15
    assert not [pair for pair in permutations(WORDS, 2) if pair[0] in pair[1]]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("same", "same", (4, "", "")),
        ("one two three", "one 2 three", (4, "two", "2")),
        ("ab", "aXb", (1, "", "X")),
        ("aXb", "ab", (1, "X", "")),
        ("<a><b>", "<a><i><b>", (3, "", "<i>")),
        ("<a><i><b>", "<a><b>", (3, "<i>", "")),
        ("aa", "aaa", (2, "", "a")),
        ("", "abc", (0, "", "abc")),
        ("x", "xx<", (1, "", "x<")),
    ],
)
def test_difference(a: str, b: str, expected: tuple[int, str, str]) -> None:
    found = difference(a, b)
    assert found == expected
    assert a[: found.start] + found.right + a[found.start + len(found.left) :] == b


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ("to do", "to undo", "'undo' instead of 'do'"),
        ("a <think> b", "a </think> b", "'</think>' instead of '<think>'"),
        ("a <b>", "a <i><b>", "'<i>' appears"),
        ("x y", "x", "'x' instead of 'x y'"),
        ("x!?", "x!", "'?' disappears"),
        ("a\n", "a\nb", "'b' appears"),
        ("2024-07-26", "2024-08-26", "'2024-08-26' instead of '2024-07-26'"),
    ],
)
def test_changes_in_words(a: str, b: str, told: str) -> None:
    assert told_change(a, b) == told


def test_marks_are_not_cut() -> None:
    assert mark_start("a<|im_", 5) == 1
    assert mark_start("a<b>c", 5) == 5
    assert mark_start("a < b", 5) == 5
    assert rest("a<|one|>", "a<|two|>") == "<|one|>"
    assert rest("abc", "abc") == ""


def test_texts_for_people() -> None:
    assert shortened(" a \n b ") == "a b"
    assert shortened("a" * 10, 5) == "aaaa…"
    assert quoted("a\nb") == r"'a\nb'"
    assert quoted("a" * 50 + "b" * 50, 6) == "'aaa…bbb'"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("[{'type': 'text', 'text': '", True),
        ('{"type":"thinking","thinking":"', True),
        ('{"type": "text", "text": "', True),
        ("the text: '", False),
        ("", False),
    ],
)
def test_printed_data(before: str, expected: bool) -> None:
    assert is_data(before) is expected
