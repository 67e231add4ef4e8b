"""Provenance in the fast form: strings that tell where they came from.

A render with provenance works on a snapshot of the context in which each string and container is an object of
its own (`chatjinja.environment.snapshot`). What is printed is mostly one of these very objects, so its identity
is its place. This module keeps the thread where that would be lost: `derived` notes what a string was cut
from, and a body that becomes a string keeps its groups, which say what printed each value. All of it is looked
at only when the parts of a prompt are asked for; what cannot be told for sure then is `Unsourced`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from chatjinja.runtime.loops import MANY, check_output
from chatjinja.runtime.marked import Copied, Marked, Origin, Run, Runs, Source, TemplateText, runs_of
from chatjinja.runtime.objects import Array, Builtin, Value
from chatjinja.runtime.printing import joined, settled
from chatjinja.runtime.sound import ONE_PIECE
from chatjinja.runtime.state import Runtime
from chatjinja.runtime.tables import Tables
from chatjinja.source import Span

if TYPE_CHECKING:
    from chatjinja.runtime.printing import String


class Unsourced(Exception):  # noqa: N818 -- control flow, not an error
    """Where some characters came from cannot be told for sure; a slower form can."""


Stretch = tuple[str, bool, str | None, Span | None]
"""A part of an output: as `chatjinja.marking.Part`."""


class Group(NamedTuple):
    """Values that are printed together.

    Attributes:
        items: the stretches of a literal, or what prints a value; one object for each `Span`.
        marker: number of the item that is an object of this group alone.
    """

    items: tuple[tuple[Stretch, ...] | Span, ...]
    marker: int


Groups = Mapping[int, Group]
"""Identity of a marker → its group."""


Cut = tuple[str, str, "Sequence[String] | None"]
"""What was made, what it was made of, and the output of the body that it was, if it was one."""


class SourcedRuntime(Runtime):
    """The state of a render with provenance.

    Attributes:
        groups: those of the form.
        cuts: strings that were cut out of others, or are changed ones; in the order in which they were made.
        twins: see `Runtime`.
    """

    sourced = True
    __slots__ = ("cuts", "groups", "twins")

    groups: Groups
    cuts: list[Cut]
    twins: Mapping[int, Any]

    def same_clock(self) -> datetime:
        """The moment of this render, for another one that has to give the same text."""
        return self.now


# --- strings made of one other -------------------------------------------------------------------------


def derived(rt: SourcedRuntime, value: str, made: str) -> Value:
    """`made`, all of whose characters stem from the plain string `value`."""
    if len(made) > 1:
        if made is not value:
            rt.cuts.append((made, value, None))
        return made
    # Python has one object for all equal strings of one character
    return Marked(((made, True),), ((made, value),)) if made else made


def derived_items(rt: SourcedRuntime, value: str, made: Sequence[str]) -> list[Value]:
    """`derived` for a list of strings."""
    return [derived(rt, value, item) for item in made]


def sourced_tables(sound: Tables, text: Tables) -> Tables:
    """The tables of a dialect for provenance, from those of sound marking and of the text form."""
    strings = dict(sound.methods["String"])
    for name in ONE_PIECE:
        strings[name] = _derives(text.methods["String"][name], strings[name])
    methods = {**sound.methods, "String": MappingProxyType(strings)}
    return dataclasses.replace(sound, methods=MappingProxyType(methods))


def _derives(text: Builtin, general: Builtin) -> Builtin:
    def derives(rt: Runtime, args: list[Value]) -> Value:
        value = args[0]
        if type(value) is not str or not isinstance(rt, SourcedRuntime):
            return general(rt, args)
        made = text(rt, args)
        if type(made) is str:
            return derived(rt, value, made)
        return Array(derived_items(rt, value, made))

    derives.__doc__ = general.__doc__
    return derives


# --- bodies that become strings ------------------------------------------------------------------------


def body(rt: SourcedRuntime, out: list[Any]) -> Value:
    """A body's output as a value that knows what printed it."""
    if rt.has_big_strings or len(out) > MANY:
        check_output(rt, out)
    strings = settled(rt, out)
    groups = rt.groups
    shown = [value for value in strings if value or id(value) not in groups]
    if len(shown) == 1 and type(shown[0]) is str and len(shown[0]) > 1:
        value = shown[0]
        made = value[:1] + value[1:]  # an object of its own
        rt.cuts.append((made, value, strings))
        return made
    whole = joined(rt, shown)
    whole.runs = partial(_body_runs, strings, groups)
    return whole


def macro_text(rt: SourcedRuntime, function: Callable[..., None], *arguments: Value) -> Value:
    """Text of a macro whose arguments are bound already."""
    out: list[Any] = []
    function(rt, out, *arguments)
    return body(rt, out)


def _body_runs(strings: Sequence[String], groups: Groups) -> Runs:
    out: list[Run] = []
    for values, items in printed_groups(strings, groups):
        for value, item in zip(values, items, strict=True):
            if isinstance(item, Span):
                out += [(text, _seen(origin, item)) for text, origin in runs_of(value)]
            else:
                out += [(stretch[0], Source(None, False, stretch[3])) for stretch in item]
    return tuple(out)


def _seen(origin: Origin, span: Span) -> Origin:
    """`origin` with this span, unless it was printed before, inside a body that became a string."""
    kind = type(origin)
    if kind is Source:
        return origin if origin.span is not None else Source(origin.pointer, origin.is_input, span)  # type: ignore[union-attr]
    if kind is Copied:
        return origin if origin.span is not None else Copied(origin.value, origin.below, span)  # type: ignore[union-attr]
    if kind is str:
        return Copied(origin, "", span)
    return True if origin is True else Source(None, False, span)


def printed_groups(
    strings: Sequence[String], groups: Groups
) -> Iterator[tuple[Sequence[String], tuple[tuple[Stretch, ...] | Span, ...]]]:
    """The strings of an output in groups, each with the items of its group."""
    at, end = 0, len(strings)
    while at < end:
        ahead = at
        while (group := groups.get(id(strings[ahead]))) is None:
            ahead += 1
        items = group[0]
        following = at + len(items)
        yield strings[at:following], items
        at = following


def trusted_text(text: str, pointer: str) -> TemplateText:
    """A trusted string of the context that knows its place."""
    made = TemplateText(text)
    made.source = Source(pointer, False)
    return made
