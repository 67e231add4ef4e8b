"""Provenance: contexts that know their places, and printed values that know what printed them.

A render with provenance is one of the sound form on a copy of the context in which every string, key and number
has a `Source`. Data of the caller's own types is not copied, because only he knows how; its strings are found
again by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from chatjinja.runtime.jinja.sound_runs import plain_text, runs_of
from chatjinja.runtime.kinds import escape_pointer
from chatjinja.runtime.limits import Limits
from chatjinja.runtime.marked import (
    Copied,
    Marked,
    Origin,
    Printed,
    Runs,
    Source,
    SourcedFloat,
    SourcedInt,
    TemplateText,
)
from chatjinja.runtime.state import Runtime

Places = Mapping[int, tuple[Any, str | None]]
"""Identity of a string or container → that object, which keeps it so, and its JSON Pointer; None if it stands in
several places."""


class SourcedRuntime(Runtime):
    """The state of a render with provenance.

    Attributes:
        places: where copied containers stand, and strings that were left as they are.
        twins: identity of a copy → what it is a copy of; for what is compared by identity.
    """

    __slots__ = ("places", "twins")

    places: Places
    twins: Mapping[int, Any]

    def __init__(
        self,
        tables: Any,
        limits: Limits,
        context: Mapping[str, Any],
        clock: Callable[[], datetime],
        names: Container[str],
    ) -> None:
        """`context` is the caller's, with what is trusted marked; the template reads `names` of it."""
        copier = _Copier(limits)
        made = {
            name: copier.copy(value, "/" + escape_pointer(name)) for name, value in context.items() if name in names
        }
        super().__init__(tables, limits, made, clock, sound=True)
        self.places = copier.places
        self.twins = copier.twins


class _Copier:
    """Copies values of the context."""

    def __init__(self, limits: Limits) -> None:
        self.places: dict[int, tuple[Any, str | None]] = {}
        self.twins: dict[int, Any] = {}
        self._active: set[int] = set()
        self._depth = limits.data_depth
        self._left = limits.items

    def copy(self, value: Any, pointer: str) -> Any:
        """`value` as one that knows its place. What is too deep or too much, or contains itself, stays as it is."""
        kind = type(value)
        if kind is str or kind is TemplateText:
            return _string(str.__str__(value), Source(pointer, kind is str))
        if kind is int or kind is float:
            return self._number(value, pointer)
        if kind is Marked:
            return _located(value, Source(pointer, True))
        if kind in _CONTAINERS:
            return self._container(value, pointer, self._copied)
        if isinstance(value, (Mapping, Sequence)) and not isinstance(value, (str, bytes, bytearray, memoryview)):
            return self._container(value, pointer, self._noted)
        return value

    def _number(self, value: int | float, pointer: str) -> Any:
        made: SourcedInt | SourcedFloat = SourcedInt(value) if type(value) is int else SourcedFloat(value)
        made.source = Source(pointer, True)
        self.twins[id(made)] = value
        return made

    def _container(self, value: Any, pointer: str, copied: Callable[[Any, str], Any]) -> Any:
        self._left -= len(value)
        if id(value) in self._active or len(self._active) >= self._depth or self._left < 0:
            return value
        self._active.add(id(value))
        made = copied(value, pointer)
        self._active.discard(id(value))
        return made

    def _copied(self, value: Any, pointer: str) -> Any:
        made: Any
        if type(value) is dict:
            made = {}
            for key, item in value.items():
                place = f"{pointer}/{escape_pointer(key)}"
                # A key can be a tuple.
                made[self.copy(key, place + "#")] = self.copy(item, place)
        else:
            made = type(value)([self.copy(item, f"{pointer}/{index}") for index, item in enumerate(value)])
        self.twins[id(made)] = value
        self.places[id(made)] = (made, pointer)
        return made

    def _noted(self, value: Any, pointer: str) -> Any:
        """Note where strings stand in a container that cannot be copied."""
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            place = f"{pointer}/{escape_pointer(key)}"
            if type(item) is str:
                if len(item) > 1:  # of strings of one character, Python has one object for all equal ones
                    self.places[id(item)] = (item, None if id(item) in self.places else place)
            elif isinstance(item, (Mapping, Sequence)):
                self._container(item, place, self._noted)
        return value


_CONTAINERS = frozenset((dict, list, tuple))


def _string(text: str, source: Source) -> Marked:
    return Marked(((text, False),), ((text, source),))


def _located(value: Marked, here: Source) -> Marked:
    """A string of several origins that a caller put together; what knows its source keeps it."""
    runs = [(text, origin if not origin or type(origin) is Source else here) for text, origin in runs_of(value)]
    return Marked(value.pieces, tuple(runs))


# --- printed values --------------------------------------------------------------------------------------


def seen(rt: Runtime, text: Any, printed: Printed) -> Marked:
    """The text of a printed value, with what printed it."""
    assert isinstance(rt, SourcedRuntime)
    return Marked(((plain_text(text), False),), partial(_seen_runs, rt.places, text, printed))


def _seen_runs(places: Places, text: Any, printed: Printed) -> Runs:
    if type(text) is str:
        return ((text, Source(places.get(id(text), _NOWHERE)[1], True, printed.span)),)
    return tuple([(part, printed.seen(_placed(places, origin))) for part, origin in runs_of(text) if part])


_NOWHERE = (None, None)


def _placed(places: Places, origin: Origin) -> Origin:
    if type(origin) is Copied:
        return Source(f"{places[id(origin.value)][1]}{origin.below}", True)
    return origin


def printed_literal(text: str, span: Any) -> Marked:
    """A literal with what prints it."""
    return _string(text, Source(None, False, span))
