"""Values as text, in Python's own words, and the limits on making it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, ValuesView
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from chatjinja.runtime.contexts import too_deep
from chatjinja.runtime.convert import check_size, note_size
from chatjinja.runtime.jinja.callables import ADDRESS
from chatjinja.runtime.jinja.foreign import check_known
from chatjinja.runtime.jinja.namespaces import Namespace
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.limits import LARGE, exceeded, spend
from chatjinja.runtime.marked import Marked
from chatjinja.runtime.state import BIG

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

_SCALARS = frozenset((str, int, float, bool, type(None), Undefined))
_ITERATORS = frozenset(map(type, (reversed([]), reversed({}), reversed({}.items()), reversed({}.values()),
                                  reversed(""), reversed(range(0)), reversed(range(2**70)))))  # fmt: skip
"""Iterators that the filter `reverse` gives; their repr shows a memory address."""


def text_of(rt: Runtime, value: Any) -> str:
    """``str(value)``, what printing shows. LimitError if it would be too long or the data is too deep."""
    kind = type(value)
    if kind is str:
        return value
    if kind in _SCALARS:
        return str(value)
    if kind in _ITERATORS:
        return f"<{kind.__name__} object at {ADDRESS}>"
    measure(rt, value)
    return noted(rt, str(value))


def repr_of(rt: Runtime, value: Any) -> str:
    """``repr(value)``, with the same limits."""
    measure(rt, value)
    return noted(rt, repr(value))


def soft_text(rt: Runtime, value: Any) -> str:
    """A string as it is, Markup too; anything else as text. Counts the work that a long one is."""
    text = value if isinstance(value, str) else text_of(rt, value)
    if len(text) > SMALL:
        spend(rt, len(text), READ)
    return text


SMALL = 256
"""Work of a built-in on strings and lists up to this size is not counted."""
READ = 64
"""How many characters are read or copied in the time of a step."""
Text = TypeVar("Text", bound=str)


def noted(rt: Runtime, text: Text) -> Text:
    """`text`, which a built-in made; LimitError if it is too long or too much was made already."""
    if len(text) > BIG:
        note_size(rt, text)
    return text


def measure(rt: Runtime, value: Any) -> int:
    """About how long the text of `value` is. LimitError if it must not be made.

    A template can nest one list in itself many times over, so a value can be small and its text be endless.
    """
    if isinstance(value, (str, Marked)):
        if len(value) > SMALL:
            spend(rt, len(value), READ)
        return len(value)
    if type(value) in _SCALARS:
        return 0
    level = [value]
    size = 0
    for _ in range(rt.limits.data_depth):
        deeper: list[Any] = []
        for container in level:
            items = _items(rt, container)
            for item in items:
                kind = type(item)
                if kind is str:
                    size += len(item) if len(item) < BIG else _long(item)
                elif kind is int:
                    size += _DIGITS if -_WORD < item < _WORD else item.bit_length() // 3
                elif kind in _SCALARS:
                    continue
                elif isinstance(item, (str, Marked)):
                    size += len(item)
                else:
                    deeper.append(item)
            size += 2 * len(items)
            if len(items) + len(deeper) > LARGE:
                spend(rt, len(items), 1)
                check_size(rt, size)
                if len(deeper) > rt.limits.items:
                    raise exceeded(rt.limits, "items")
        check_size(rt, size)
        if not deeper:
            if size > SMALL:
                spend(rt, size, READ)
            return size
        level = deeper
    raise too_deep(rt)


_DIGITS = 4
_WORD = 2**63


def _long(text: str) -> int:
    """How long a long string can be in a repr, where what is not printable takes up to ten characters."""
    return len(text) if text.isprintable() else 10 * len(text)


def _items(rt: Runtime, container: Any) -> Sequence[Any]:
    """`members` as a list. ContextError for what no template can use."""
    kind = type(container)
    if kind is dict:
        return [*container, *container.values()]
    if kind is list or kind is tuple:
        items: Sequence[Any] = container
        return items
    check_known(rt, container)
    return list(members(container))


def members(container: Any) -> Iterable[Any]:
    """What the text of a container shows: keys, values, items. Nothing for what is no container."""
    if isinstance(container, Mapping):
        return chain.from_iterable(container.items())
    if isinstance(container, (list, tuple, Set)):
        return container
    if isinstance(container, Namespace):
        return chain.from_iterable(container.attrs.items())
    if isinstance(container, (range, bytes, str)):
        return ()
    if isinstance(container, (Sequence, ValuesView)):
        return container
    return ()
