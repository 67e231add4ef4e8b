"""The clock of an environment."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

Moment = float | datetime
Now = Moment | Callable[[], Moment] | None
"""POSIX time (shown in the process's local zone), an aware datetime (its own zone), a callable that
returns either (asked once per render), or None for the system clock."""


def clock_of(now: Now) -> Callable[[], datetime]:
    """A function that gives the moment of a render. ValueError for a datetime without a zone, and for a number beyond
    all dates."""
    if now is None:
        return _system_time
    if isinstance(now, (int, float, datetime)):
        moment = _moment(now)
        return lambda: moment
    if not callable(now):
        raise ValueError(f"now: expected a number, an aware datetime or a callable, got {type(now).__name__}")
    return lambda: _moment(now())


def _system_time() -> datetime:
    return datetime.now().astimezone()


def _moment(now: Moment) -> datetime:
    if isinstance(now, datetime):
        if now.tzinfo is None:
            raise ValueError("now: a datetime needs a time zone, such as datetime.timezone.utc")
        return now
    try:
        return datetime.fromtimestamp(now).astimezone()
    except (OverflowError, OSError, ValueError):
        raise ValueError("now: there is no date and time for this number") from None
