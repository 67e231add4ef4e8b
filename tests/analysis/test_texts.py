from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatjinja.analysis.texts import common_prefix, excerpt, number_at, to_bytes, visible


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_common_prefix(left: bytes, right: bytes) -> None:
    expected = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    assert common_prefix(left, right) == expected


def test_visible() -> None:
    assert visible("a b\n\t\r\x00é\u00a0\u200b\udcff😀") == "a·b↵⇥␍\\x00é\\xa0\\u200b\\xff😀"


def test_excerpt() -> None:
    data = to_bytes("x" * 50 + "é" + "y" * 50)
    assert excerpt(data, 50) == ("x" * 40, "é" + "y" * 39, "c3 a9")
    assert excerpt(data, 51) == excerpt(data, 50)  # inside of the character
    assert excerpt(b"ab", 2) == ("ab", "", "")
    assert excerpt(b"a\xa9", 1) == ("a", "\udca9", "a9") or excerpt(b"a\xa9", 1).bytes == "61"


@pytest.mark.parametrize(
    ("before", "here", "number"),
    [
        ("x: 1", ".5, ", "1.5"),
        ("[", "3]", "3"),
        ("x: 1e", "+21}", "1e+21"),
        ("x: -", "7", "-7"),
        ("x: ", "inf", "inf"),
        ("x", "y", None),
        ("1", "", "1"),
    ],
)
def test_number_at(before: str, here: str, number: str | None) -> None:
    assert number_at(before, here) == number
