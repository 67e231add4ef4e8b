"""The time that a request is applied at."""

from __future__ import annotations

import time
from datetime import datetime
from functools import lru_cache

from chatjinja.environment.clock import Now, clock_of

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Clock:
    """A moment, the same whenever it is asked for; can be given to `Template.render` as ``now``.

    Attributes:
        dates: the day as the variables ``datetime`` and ``date_string`` show it.
    """

    __slots__ = ("_moment", "_seconds", "dates")

    def __init__(self, now: Now) -> None:
        self._moment: datetime | None = None
        self._seconds = 0.0
        if now is None or type(now) is int or type(now) is float:
            # Most templates ask for no more than the day; a datetime with its zone takes five times as long.
            self._seconds = time.time() if now is None else now
            day = time.localtime(self._seconds)
            self.dates = _dates(day.tm_year, day.tm_mon, day.tm_mday)
        else:
            moment = self._moment = clock_of(now)()
            self.dates = _dates(moment.year, moment.month, moment.day)

    def __call__(self) -> datetime:
        if self._moment is None:
            self._moment = clock_of(self._seconds)()
        return self._moment


@lru_cache(maxsize=4)
def _dates(year: int, month: int, day: int) -> tuple[str, str]:
    name = _MONTHS[month - 1]
    return f"{name} {day:02d} {year}", f"{day:02d} {name} {year}"
