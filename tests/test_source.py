"""Lines, byte columns and character offsets of a source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatjinja.source import Position, Source, Span

TEXTS = st.text(alphabet="ab\né😀\udcff ", max_size=30)


def test_positions_count_from_one_in_bytes() -> None:
    source = Source("aé😀b\n\nx", "name")
    assert source.name == "name"
    assert [source.position(at) for at in (0, 1, 2, 3, 4, 5, 6, 7)] == [
        Position(1, 1),
        Position(1, 2),
        Position(1, 4),
        Position(1, 8),
        Position(1, 9),
        Position(2, 1),
        Position(3, 1),
        Position(3, 2),
    ]
    assert [source.line(number) for number in (1, 2, 3)] == ["aé😀b", "", "x"]
    assert source.line_starts == [0, 6, 7] or source.line_starts == [0, 5, 6]


def test_offsets_are_clamped_to_the_line() -> None:
    source = Source("aé\nxyz")
    assert [source.offset(1, column) for column in (0, 1, 2, 3, 9)] == [0, 1, 1, 2, 2]
    assert [source.offset(2, column) for column in (0, 2, 3, 9)] == [3, 5, 6, 6]


def test_surrogates_that_stand_for_no_byte_count_three() -> None:
    source = Source("a\ud800\udcffé|")
    assert source.position(4) == Position(1, 8)
    assert [source.offset(1, column) for column in (0, 1, 3, 4, 5, 6, 7)] == [0, 1, 1, 2, 3, 3, 4]


def test_an_empty_source_has_one_line() -> None:
    source = Source("")
    assert source.name == "<template>"
    assert (source.line(1), source.position(0), source.offset(1, 5)) == ("", Position(1, 1), 0)


@given(TEXTS, st.data())
def test_positions_lead_back(text: str, data: st.DataObject) -> None:
    source = Source(text)
    at = data.draw(st.integers(0, len(text)))
    position = source.position(at)
    assert source.offset(position.lineno, position.colno - 1) == at
    assert source.lineno(at) == text[:at].count("\n") + 1
    assert "\n".join(source.line(number + 1) for number in range(len(source.line_starts))) == text


def test_a_span_is_a_pair() -> None:
    span = Span(1, 3)
    assert (span.start, span.end) == span == (1, 3)
    with pytest.raises(AttributeError):
        span.start = 2  # type: ignore[misc]
