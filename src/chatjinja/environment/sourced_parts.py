"""From the output of the sourced form to parts that know their source and span."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from chatjinja.environment.snapshot import Places
from chatjinja.marking import Part
from chatjinja.runtime.json_runs import JsonRuns, places_in_json
from chatjinja.runtime.marked import Copied, Marked, Origin, Source, runs_of
from chatjinja.runtime.sourced import Groups, SourcedRuntime, Stretch, Unsourced, printed_groups
from chatjinja.source import Span

_new: Any = tuple.__new__
"""Makes a Part in a third of the time that a call of `Part` takes."""


def sourced_parts(rt: SourcedRuntime, strings: Sequence[str | Marked], context: dict[str, Any]) -> list[Part]:
    """Parts with source and span: `strings` is the output of the sourced form.

    Raises Unsourced if `context`, the snapshot that was rendered, does not tell where something came from.
    """
    find = _Sources(context, rt)
    pointers = iter(map(find.known.get, map(id, strings)))
    spans = find.spans
    found: list[Any] = []
    append = found.append
    last: Stretch = ("", False, None, None)
    # Within a form there is one object for each span, so `is` tells whether one thing printed two parts.
    for values, items in printed_groups(strings, rt.groups):
        for value, item, pointer in zip(values, items, pointers, strict=False):
            if type(value) is str:
                if not value:
                    continue
                if pointer is None or len(value) == 1:
                    pointer = find.pointer(value)
                span: Any = spans.get(id(value), item) if spans else item
                if span is last[3] and last[2] == pointer and last[1]:
                    found[-1] = last = _new(Part, (last[0] + value, True, pointer, span))
                else:
                    last = _new(Part, (value, True, pointer, span))
                    append(last)
                continue
            for part in find.parts(value, item) if isinstance(item, Span) else item:
                if part[3] is last[3] and part[1] is last[1] and part[2] == last[2]:
                    found[-1] = last = _new(Part, (last[0] + part[0], part[1], part[2], part[3]))
                else:
                    append(part)
                    last = part
    return found


class _Sources:
    """Where the objects of a snapshot stand, and what was cut from them.

    Attributes:
        known: as in `Places`, also of what was cut.
        spans: identity of a string that was a body's → what printed it there.
    """

    def __init__(self, context: dict[str, Any], rt: SourcedRuntime) -> None:
        self._places = Places(context)
        known = self.known = self._places.known
        spans: dict[int, Span] = {}
        for made, value, printed in rt.cuts:
            known[id(made)] = self._places.find(value)
            span = spans.get(id(value))
            if span is None and printed is not None:
                span = _printer(value, printed, rt.groups)
            if span is not None:
                spans[id(made)] = span
        self.spans = spans

    def pointer(self, value: Any) -> str:
        """The JSON Pointer of a string or container; Unsourced if it has none, or several."""
        pointer = self._places.find(value)
        if pointer is None or (len(value) == 1 and type(value) is str):
            raise Unsourced  # of strings of one character, Python has one object for all equal ones
        return pointer

    def parts(self, value: str | Marked, span: Span) -> Sequence[Stretch]:
        """The parts of a string that is not plain input, printed by `span`."""
        if not isinstance(value, Marked):
            source = getattr(value, "source", None)
            pointer = None if source is None else source.pointer
            return (_new(Part, (str.__str__(value), False, pointer, span)),) if value else ()
        runs = value.runs
        if type(runs) is JsonRuns and runs.value is not None and id(runs.value) not in self.spans:
            pointer = self.pointer(runs.value)
            made = _known_json_parts(runs.text, pointer, span)
            # The span can be an equal one of another template.
            return made if made[0][3] is span else _json_parts(runs.text, pointer, span)
        return [_new(Part, (text, *self._place(origin, span))) for text, origin in runs_of(value) if text]

    def _place(self, origin: Origin, span: Span) -> tuple[bool, str | None, Span]:
        """Whether it is input, pointer and span of an origin."""
        if type(origin) is Source:
            return origin.is_input, origin.pointer, origin.span or span
        if type(origin) is Copied:
            value = origin.value
            return True, self.pointer(value) + origin.below, self.spans.get(id(value)) or origin.span or span
        if type(origin) is str:
            return True, self.pointer(origin), self.spans.get(id(origin), span)
        if origin is True:
            raise Unsourced
        return False, None, span


def _printer(value: str, strings: Sequence[str | Marked], groups: Groups) -> Span:
    """What printed `value` in a body whose only string it is."""
    return next(
        item
        for values, items in printed_groups(strings, groups)
        for other, item in zip(values, items, strict=True)
        if other is value and isinstance(item, Span)
    )


def _json_parts(text: str, pointer: str, span: Span) -> list[Stretch]:
    return [
        _new(Part, (stretch, below is not None, None if below is None else pointer + below, span))
        for stretch, below in places_in_json(text)
    ]


_known_json_parts = lru_cache(maxsize=256)(_json_parts)
