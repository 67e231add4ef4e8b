"""Deterministic limits of one render. No wall clock: the same template and data end the same way anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatjinja.errors import LimitError

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a template may use; a `LimitError` names the one that was reached.

    Attributes:
        source: length of a template's source, in characters.
        nesting: syntactic depth of a template.
        recursion: depth of macro calls.
        steps: loop passes and macro calls in one render.
        items: length of one list that a template makes.
        value: length of one string that a template makes, in characters.
        output: length of the rendered text, in characters.
        data_depth: nesting of context data, of a repr and of JSON.
    """

    source: int = 16 * _MIB
    nesting: int = 200
    recursion: int = 200
    steps: int = 10_000_000
    items: int = 1_000_000
    value: int = 64 * _MIB
    output: int = 64 * _MIB
    data_depth: int = 200


def spend(rt: Runtime, size: int, per_step: int) -> None:
    """Count work that grows with `size`, one step for each `per_step`: a loop over it must end, too."""
    rt.steps += size // per_step
    if rt.steps > rt.stop_steps:
        raise exceeded(rt.limits, "steps")


LARGE = 4096
"""Work on strings and lists up to this size is not counted."""
_WORDS = {
    "source": "the template's source is longer than {} characters",
    "nesting": "the template is nested deeper than {} levels",
    "recursion": "macro calls are nested deeper than {} levels",
    "steps": "more than {} loop passes and calls",
    "items": "a list has more than {} items",
    "value": "a string is longer than {} characters",
    "output": "the output is longer than {} characters",
    "data_depth": "data is nested deeper than {} levels",
}


def exceeded(limits: Limits, name: str) -> LimitError:
    """The error that says that the limit `name` was reached."""
    words = _WORDS[name].format(getattr(limits, name))
    return LimitError(f"limit reached: {words}", code=f"limit-{name.replace('_', '-')}", limit=name)
