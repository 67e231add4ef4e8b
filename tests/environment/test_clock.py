"""The clock that `strftime_now` shows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from chatjinja import Environment

SOURCE = "{{ strftime_now('%Y-%m-%d %H:%M:%S') }}"
NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "JST-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_number_is_shown_in_local_time() -> None:
    assert Environment(now=NOON.timestamp()).from_string(SOURCE).render() == "2026-01-02 21:00:00"
    assert Environment(now=0).from_string(SOURCE).render() == "1970-01-01 09:00:00"


def test_an_aware_datetime_keeps_its_zone() -> None:
    assert Environment(now=NOON).from_string(SOURCE).render() == "2026-01-02 12:00:00"
    west = NOON.astimezone(timezone(timedelta(hours=-5)))
    assert Environment(now=west).from_string(SOURCE).render() == "2026-01-02 07:00:00"


def test_a_callable_is_asked_once_per_render_and_only_if_needed() -> None:
    asked = []

    def clock() -> float:
        asked.append(1)
        return 60.0 * len(asked)

    environment = Environment(now=clock)
    template = environment.from_string("{{ strftime_now('%M') }}{{ strftime_now('%M') }}")
    assert template.render() == "0101"
    assert template.render() == "0202"
    environment.from_string("{{ 1 }}").render()
    assert len(asked) == 2


def test_a_render_that_starts_over_asks_the_clock_again_at_most() -> None:
    template = Environment(now=lambda: NOON).from_string("{{ strftime_now('%H') }}{{ 'é'[0] ~ 'é'[1] }}")
    assert template.render() == "12é"


def test_a_render_can_have_its_own_clock() -> None:
    template = Environment(now=0).from_string(SOURCE)
    assert template.render(now=NOON) == "2026-01-02 12:00:00"
    assert template.render({}, now=lambda: 3600) == "1970-01-01 10:00:00"
    assert template.render() == "1970-01-01 09:00:00"


def test_the_default_is_the_system_clock() -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    shown = Environment().from_string("{{ strftime_now('%Y-%m-%dT%H:%M:%S%z') }}").render()
    assert before.replace(microsecond=0) <= datetime.fromisoformat(shown) <= datetime.now(UTC)


@pytest.mark.parametrize("now", [datetime(2026, 1, 2), "noon", [1]])
def test_a_clock_that_tells_no_moment_is_refused(now: Any) -> None:
    with pytest.raises(ValueError, match="now: "):
        Environment(now=now)
    with pytest.raises(ValueError, match="now: "):
        Environment().from_string("").render(now=now)


def test_a_callable_may_not_give_a_naive_datetime() -> None:
    with pytest.raises(ValueError, match="a datetime needs a time zone"):
        Environment(now=lambda: datetime(2026, 1, 2)).from_string(SOURCE).render()


@pytest.mark.parametrize("now", [10**60, 1e20, float("nan")])
def test_no_date_for_a_number(now: float) -> None:
    with pytest.raises(ValueError, match="no date and time for this number"):
        Environment(now=now)
