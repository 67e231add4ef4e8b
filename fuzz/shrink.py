"""Making a list of choices smaller while it still shows something."""

from __future__ import annotations

import time
from collections.abc import Callable

_SECONDS = 8
_SIZES = (64, 32, 16, 8, 4, 2, 1)


def shrunk(choices: list[int], size: Callable[[list[int]], int], shows: Callable[[list[int]], bool]) -> list[int]:
    """The smallest list found by leaving out choices and setting them to 0; `size` says what small means."""
    end = time.monotonic() + _SECONDS
    improved = True
    while improved and time.monotonic() < end:
        improved = False
        for length in _SIZES:
            at = 0
            while at < len(choices) and time.monotonic() < end:
                smaller = next(
                    (c for c in _variants(choices, at, length) if _better(c, choices, size) and shows(c)), None
                )
                if smaller is None:
                    at += length
                else:
                    choices, improved = smaller, True
    return choices


def _variants(choices: list[int], at: int, length: int) -> tuple[list[int], list[int]]:
    rest = choices[at + length :]
    zeros = [0] * min(length, len(choices) - at)
    return choices[:at] + rest, choices[:at] + zeros + rest


def _better(new: list[int], old: list[int], size: Callable[[list[int]], int]) -> bool:
    return (size(new), sum(new), len(new)) < (size(old), sum(old), len(old))
