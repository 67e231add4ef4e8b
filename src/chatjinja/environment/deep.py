"""Running code whose depth must not depend on how deep the caller's Python stack already is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

_Result = TypeVar("_Result")


def with_fresh_stack(function: Callable[[], _Result]) -> _Result:
    """Call `function`; if Python's stack is too deep already, call it once more in a thread of its own.

    A caller may be hundreds of frames deep. The limits of chatjinja are chosen such that what they allow
    fits Python's default recursion limit when the stack is empty.
    """
    try:
        return function()
    except RecursionError:
        pass
    return in_thread(function)


def in_thread(function: Callable[[], _Result]) -> _Result:
    """Call `function` in a thread of its own, whose stack is empty."""
    results: list[_Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:  # handed to the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, name="chatjinja")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
