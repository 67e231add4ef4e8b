"""The state of one render."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from chatjinja.runtime.limits import Limits


class Deoptimise(Exception):  # noqa: N818 -- control flow, not an error
    """The fast form cannot show what the reference does here; render again in the exact form.

    Raised by helpers in the fast text form when a rare oddity would become visible: a list or dict of
    the context is about to be changed, a string cut inside a UTF-8 character, a method that works piece
    by piece, …. Rendering has no side effects, so starting over is safe.
    """


class Unchecked(Deoptimise):
    """The output holds a list or the like, which prints in one way and concatenates in another: render
    again with code that checks every operand."""


class PiecesNeeded(Deoptimise):
    """Something works piece by piece, or by identity, on strings that may have several pieces."""


class Runtime:
    """What generated code and built-ins need to know about the render that they are part of.

    Attributes:
        tables: the dialect's filters, tests, methods and globals (`Tables`, or `JinjaTables`).
        limits: the limits of this render.
        context: the caller's context (to name the place of a bad value in it).
        clock: gives the moment of this render; asked at most once (`now`).
        exact: True if strings are pieces (marked and exact form); False in the fast text form, whose helpers
            raise `Deoptimise` where they cannot be exact.
        sound: strings also have runs: who wrote each character (`chatjinja.runtime.marked`).
        copied: the template works on a deep copy of the context, so it may change what it finds there.
        checked: the code checks operands of printed concatenations itself.
        single_pieces: the template makes no string of several pieces, so every str is one.
        steps, stop_steps: loop passes and macro calls so far, and how many are allowed.
        depth, stop_depth: depth of macro calls, and how deep they may get.
        watch: when an output list is longer than this, its size is looked at again.
        has_big_strings: a string longer than `BIG` was made, so sizes must be added up before joining.
        made_text, made_items: characters of all big strings and items of all big lists made so far.
        autoescape: Jinja2's language only: what is printed is escaped now.
        tracks_generation: Jinja2's language only: what generation blocks print counts as input, and nothing else.
        converted: None, or id of a Mapping or Sequence of a foreign type → (that object, its dict or list).
    """

    sourced = False
    """Whether strings also tell where they came from (`chatjinja.runtime.sourced`)."""
    twins: Mapping[int, Any] = MappingProxyType({})
    """Identity of a container that holds numbers which know their places → an equal one of plain data."""
    __slots__ = (
        "_now",
        "autoescape",
        "checked",
        "clock",
        "context",
        "converted",
        "copied",
        "depth",
        "exact",
        "has_big_strings",
        "limits",
        "made_items",
        "made_text",
        "single_pieces",
        "sound",
        "steps",
        "stop_depth",
        "stop_steps",
        "tables",
        "tracks_generation",
        "watch",
    )

    def __init__(
        self,
        tables: Any,
        limits: Limits,
        context: Mapping[str, Any],
        clock: Callable[[], datetime],
        exact: bool = False,
        checked: bool = True,
        single_pieces: bool = False,
        sound: bool = False,
        copied: bool | None = None,
    ) -> None:
        self.tables = tables
        self.limits = limits
        self.context = context
        self.clock = clock
        self._now: datetime | None = None
        self.exact = exact
        self.checked = checked
        self.single_pieces = single_pieces
        self.sound = sound
        self.copied = exact if copied is None else copied
        self.steps = 0
        self.stop_steps = limits.steps
        self.stop_depth = limits.recursion
        self.depth = 0
        self.watch = 65536
        self.has_big_strings = False
        self.made_text = 0
        self.made_items = 0
        self.autoescape: Any = False
        self.tracks_generation = False
        self.converted: dict[int, tuple[Any, Any]] | None = None

    @property
    def now(self) -> datetime:
        """The moment of this render, in the zone it is to be shown in."""
        if self._now is None:
            self._now = self.clock()
        return self._now


BIG = 16384
"""Made strings longer than this are looked at for `Limits.value` and counted before they are joined."""
