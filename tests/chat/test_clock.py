"""The time of a request."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from chatjinja import ChatTemplate
from chatjinja.chat.clock import Clock


def test_a_number_is_local_time() -> None:
    clock = Clock(1767225600)
    assert clock() == datetime(2026, 1, 1, tzinfo=UTC)
    assert clock.dates == (clock().strftime("%b %d %Y"), clock().strftime("%d %b %Y"))
    assert Clock(1767225600.5)().microsecond == 500000


def test_a_datetime_keeps_its_zone() -> None:
    east = timezone(timedelta(hours=14))
    clock = Clock(datetime(2026, 1, 1, 1, tzinfo=east))
    assert clock.dates == ("Jan 01 2026", "01 Jan 2026")
    assert clock().utcoffset() == timedelta(hours=14)


def test_a_callable_is_asked_once() -> None:
    asked = []

    def now() -> float:
        asked.append(1)
        return 0.0

    clock = Clock(now)
    assert clock() is clock()
    ChatTemplate.from_string("{{ strftime_now('%Y') }}{{ date_string }}").apply(
        [{"role": "user", "content": ""}], now=now
    )
    assert len(asked) == 2


def test_the_system_clock() -> None:
    before = time.time()
    clock = Clock(None)
    assert before <= clock().timestamp() <= time.time()
    assert clock() is clock()


def test_what_is_no_time() -> None:
    with pytest.raises(ValueError, match="time zone"):
        Clock(datetime(2026, 1, 1))
