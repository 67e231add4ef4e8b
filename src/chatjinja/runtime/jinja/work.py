"""What comparing, hashing and searching cost, counted before Python does it.

A template can nest one list in itself many times over: a value that is small, and endless to compare.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING, Any, TypeVar

from chatjinja.runtime.jinja.text import SMALL, members
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.limits import spend
from chatjinja.runtime.marked import Marked

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Value = TypeVar("Value")
_PLAIN = frozenset((str, int, float, bool, type(None), Undefined, Marked))
_PER_CONTAINER = 4
"""Steps for each container that is walked."""
_SEARCHED = 1024
"""How many characters or bytes are searched in the time of a step."""


def weighed(rt: Runtime, value: Value) -> Value:
    """`value`, which is now compared with something or hashed. LimitError if too much hangs on it.

    Comparing walks both sides together, so it is enough to know what hangs on one of them.
    """
    if type(value) in _PLAIN:
        return value
    waiting: list[Any] = [value]
    while waiting:
        items = list(members(waiting.pop()))
        spend(rt, _PER_CONTAINER + len(items) // 4, 1)
        waiting += [item for item in items if type(item) not in _PLAIN and not isinstance(item, str)]
    return value


def searched(rt: Runtime, item: Any, container: Any) -> None:
    """Count a search for `item` in `container`. LimitError if it would take too long."""
    before = rt.steps
    weighed(rt, item)
    if isinstance(container, Sized) and len(container) > SMALL:
        spend(rt, len(container), _SEARCHED if isinstance(container, (str, bytes, Marked)) else 4)
    if rt.steps > before and isinstance(container, (list, tuple)):
        spend(rt, (rt.steps - before) * len(container), 64)
