"""Loops: their items, and the ``loop`` variable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.callables import Function, Invocable
from chatjinja.runtime.jinja.foreign import check_known
from chatjinja.runtime.jinja.results import Lazy
from chatjinja.runtime.jinja.undefined import MISSING, Undefined
from chatjinja.runtime.jinja.work import weighed
from chatjinja.runtime.limits import exceeded, spend
from chatjinja.runtime.loops import check_progress
from chatjinja.runtime.marked import made_number
from chatjinja.runtime.state import Deoptimise

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Render = Callable[[Any, Any, int], Any]
"""The function of a recursive loop: items, itself, and how deep it is."""
_VIEWS = frozenset((type({}.keys()), type({}.values()), type({}.items())))
_SIZED = frozenset((list, tuple, dict, str, range, *_VIEWS))


def iter_items(rt: Runtime, out: list[Any], value: Any) -> Iterable[Any]:
    """What a loop goes through, counted."""
    if type(value) in _SIZED:
        rt.steps += len(value)
        if rt.steps > rt.stop_steps or len(out) > rt.watch:
            check_progress(rt, out)
        return value
    check_known(rt, value)
    return _counted(rt, out, iter(value))


def _counted(rt: Runtime, out: list[Any], items: Iterator[Any]) -> Iterator[Any]:
    for item in items:
        rt.steps += 1
        if rt.steps > rt.stop_steps or len(out) > rt.watch:
            check_progress(rt, out)
        yield item


def sized_items(rt: Runtime, out: list[Any], value: Any, is_fresh: bool) -> Any:
    """`iter_items` as a sequence. An iterator that is `is_fresh`, which nobody else can see, is read to its end.

    Raises Deoptimise if that could show: reading fails where the loop may end before, or others read on.
    """
    kind = type(value)
    if kind in _VIEWS or kind is dict:
        value = list(value)
    elif kind not in _SIZED:
        if not is_fresh or kind is not Lazy:
            raise Deoptimise
        try:
            value = list(value)
        except Exception:
            raise Deoptimise from None
    rt.steps += len(value)
    if rt.steps > rt.stop_steps or len(out) > rt.watch:
        check_progress(rt, out)
    return value


def filter_items(rt: Runtime, items: Any, passes: Callable[[Any], Any]) -> Lazy:
    """The items for which a loop filter is true, one by one."""
    check_known(rt, items)
    return Lazy((item for item in items if passes(item)), "loop")


def chosen_items(rt: Runtime, items: Any, passes: Callable[[Any], Any], is_fresh: bool) -> list[Any]:
    """`filter_items` as a list; raises Deoptimise as `sized_items` does."""
    if type(items) not in _SIZED and not (is_fresh and type(items) is Lazy):
        raise Deoptimise
    try:
        return [item for item in items if passes(item)]
    except Exception:
        raise Deoptimise from None


class LoopContext(Invocable):
    """The ``loop`` variable of a loop, which also goes through the items: gives each with itself.

    Attributes:
        index0: number of the pass, from 0.
        depth0: how deep in recursive loops this one is.
    """

    __slots__ = (
        "_after",
        "_before",
        "_changed",
        "_current",
        "_items",
        "_iterator",
        "_length",
        "_out",
        "_recurse",
        "_rt",
        "depth0",
        "index0",
    )

    def __init__(self, rt: Runtime, out: list[Any], items: Any, recurse: Render | None, depth0: int) -> None:
        self._rt = rt
        self._out = out
        self._items = items
        check_known(rt, items)
        self._iterator: Iterator[Any] = iter(items)
        self._recurse = recurse
        self.depth0 = depth0
        self.index0 = -1
        self._length: int | None = None
        self._before: Any = MISSING
        self._current: Any = MISSING
        self._after: Any = MISSING
        self._changed: Any = MISSING

    def __iter__(self) -> LoopContext:
        return self

    def __next__(self) -> tuple[Any, LoopContext]:
        if self._after is MISSING:
            item = next(self._iterator)
        else:
            item, self._after = self._after, MISSING
        rt = self._rt
        rt.steps += 1
        if rt.steps > rt.stop_steps or len(self._out) > rt.watch:
            check_progress(rt, self._out)
        self.index0 += 1
        self._before, self._current = self._current, item
        return item, self

    def __len__(self) -> int:
        """The number of items; an iterator is read to its end."""
        if self._length is None:
            try:
                self._length = len(self._items)
            except TypeError:
                rest = list(self._iterator)
                self._iterator = iter(rest)
                self._length = len(rest) + self.index0 + 1 + (self._after is not MISSING)
        return self._length

    def peek(self) -> Any:
        """The next item, or `MISSING`."""
        if self._after is MISSING:
            self._after = next(self._iterator, MISSING)
        return self._after

    def previous(self) -> Any:
        """The item before, or undefined."""
        return Undefined("there is no previous item") if self.index0 == 0 else self._before

    def next(self) -> Any:
        """The item behind, or undefined."""
        item = self.peek()
        return Undefined("there is no next item") if item is MISSING else item

    def cycle(self, *values: Any) -> Any:
        """One of the values: the first in the first pass, and so on, over and over."""
        if not values:
            raise TypeError("no items for cycling given")
        return values[self.index0 % len(values)]

    def changed(self, *values: Any) -> bool:
        """Whether the values differ from those of the last call."""
        if self._changed is not MISSING and self._changed == weighed(self._rt, values):
            return False
        self._changed = values
        return True

    def invoke(self, rt: Runtime, /, iterable: Any) -> Any:
        if self._recurse is None:
            raise TypeError("The loop must have the 'recursive' marker to be called recursively.")
        return recurse(rt, self._recurse, iterable, self.depth0 + 1)

    def __repr__(self) -> str:
        return f"<LoopContext {self.index0 + 1}/{len(self)}>"


def loop_context(
    rt: Runtime, out: list[Any], items: Any, recurse: Render | None = None, depth0: int = 0
) -> LoopContext:
    """The ``loop`` of a loop over `items`."""
    return LoopContext(rt, out, items, recurse, depth0)


_PER_RECURSION = 16
"""Steps for a loop inside of itself: it is called, has an object of its own, and its text is put together."""


def recurse(rt: Runtime, render: Render, items: Any, depth0: int) -> Any:
    """Render a recursive loop over `items`."""
    rt.depth += 1
    if rt.depth > rt.stop_depth:
        raise exceeded(rt.limits, "recursion")
    spend(rt, _PER_RECURSION, 1)
    text = render(items, render, depth0)
    rt.depth -= 1
    return text


def unpack(rt: Runtime, value: Any, count: int) -> Any:
    """The items of ``a, b = value``."""
    items = value if type(value) is list or type(value) is tuple else list(value)
    if len(items) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    return items


def _number(get: Callable[[LoopContext], int]) -> Function:
    return lambda rt, loop: made_number(get(loop)) if rt.sound else get(loop)


LOOP_ATTRIBUTES: Mapping[str, Function] = MappingProxyType(
    {
        "depth": _number(lambda loop: loop.depth0 + 1),
        "depth0": _number(lambda loop: loop.depth0),
        "first": lambda rt, loop: loop.index0 == 0,
        "index": _number(lambda loop: loop.index0 + 1),
        "index0": _number(lambda loop: loop.index0),
        "last": lambda rt, loop: loop.peek() is MISSING,
        "length": _number(len),
        "nextitem": lambda rt, loop: loop.next(),
        "previtem": lambda rt, loop: loop.previous(),
        "revindex": _number(lambda loop: len(loop) - loop.index0),
        "revindex0": _number(lambda loop: len(loop) - loop.index0 - 1),
    }
)
"""What a template can ask ``loop`` for."""
LOOP_METHODS: Mapping[str, Function] = MappingProxyType(
    {
        "changed": lambda rt, loop, *values: loop.changed(*values),
        "cycle": lambda rt, loop, *values: loop.cycle(*values),
    }
)
"""What a template can call on ``loop``."""
