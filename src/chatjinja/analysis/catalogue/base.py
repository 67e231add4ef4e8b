"""The records of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chatjinja.analysis.engines import Engine, Outcome
from chatjinja.analysis.parsed import Edit, Parsed
from chatjinja.analysis.texts import Excerpt
from chatjinja.source import Span

LLAMA = "llama.cpp"
PLUS = "llama.cpp+"
JINJA = "jinja2"
MINI = "minijinja"
JS = "huggingface.js"
FAMILIES = (LLAMA, JINJA, MINI, JS)


class Fix(NamedTuple):
    """A change of a template that makes a cause go away.

    Attributes:
        span: the piece that is to blame.
        edits: the change.
        exact: it is a rewrite to recommend. Otherwise it only shows that the piece is to blame.
    """

    span: Span
    edits: tuple[Edit, ...]
    exact: bool = True


class Evidence(NamedTuple):
    """What is known of a difference before any fix is tried.

    Attributes:
        left, right: the outcomes.
        left_excerpt, right_excerpt: the surroundings of the first difference, if both gave a text.
        non_ascii: the template or the context holds characters beyond ASCII.
    """

    left: Outcome
    right: Outcome
    left_excerpt: Excerpt | None
    right_excerpt: Excerpt | None
    non_ascii: bool

    @property
    def heres(self) -> tuple[str, str] | None:
        """What stands at the first difference, left and right."""
        if self.left_excerpt is None or self.right_excerpt is None:
            return None
        return self.left_excerpt.here, self.right_excerpt.here


Finder = Callable[[Parsed], Iterator[Fix]]
Check = Callable[[Evidence], bool]


def nothing(parsed: Parsed) -> Iterator[Fix]:
    """The finder of causes that show in error messages only."""
    return iter(())


def always(evidence: Evidence) -> bool:
    """The check of causes whose fixes prove enough."""
    return True


def texts_only(evidence: Evidence) -> bool:
    """Both sides gave a text."""
    return evidence.heres is not None


def failures_only(evidence: Evidence) -> bool:
    """A side failed."""
    return evidence.left.failure is not None or evidence.right.failure is not None


@dataclass(frozen=True, slots=True)
class Example:
    """A runnable example.

    Attributes:
        template, context: what to render.
        results: name of an engine or family → the text, or None for an error.
        portable: the same in a way that works everywhere, or None if there is none.
        portable_result: what that gives in every engine.
    """

    template: str
    results: Mapping[str, str | None]
    context: Mapping[str, Any] = field(default_factory=dict)
    portable: str | None = None
    portable_result: str = ""

    def result(self, engine: Engine) -> str | None:
        """What `engine` gives."""
        return self.results[engine.name if engine.name in self.results else engine.family]


@dataclass(frozen=True, slots=True)
class Cause:
    """A way in which engines differ.

    Attributes:
        id: stable kebab-case name.
        title: one line; ``{name}`` stands for what an error message names.
        effects: name of an engine or family → what happens there. Engines with one text do the same.
        advice: the portable way, in words.
        example: shows it.
        find: finds pieces of a template that may be to blame.
        check: whether what is known of a difference goes with this cause.
        messages: error messages that this cause makes; groups fill in the title.
    """

    id: str
    title: str
    effects: Mapping[str, str]
    advice: str
    example: Example
    find: Finder = nothing
    check: Check = always
    messages: tuple[re.Pattern[str], ...] = ()

    def effect(self, engine: Engine) -> str:
        """What happens in `engine`."""
        return self.effects[engine.name if engine.name in self.effects else engine.family]

    def concerns(self, left: Engine, right: Engine) -> bool:
        """Whether the two engines differ in this."""
        return self.effect(left) != self.effect(right) or self.example.result(left) != self.example.result(right)


def effects(*, default: str, **others: str) -> dict[str, str]:
    """Effects by family: `default` for those not named. Keywords: llama, plus, jinja, mini, js."""
    names = {"llama": LLAMA, "plus": PLUS, "jinja": JINJA, "mini": MINI, "js": JS}
    return {**dict.fromkeys(FAMILIES, default), **{names[key]: text for key, text in others.items()}}


def results(
    llama: str | None, jinja: str | None, mini: str | None, js: str | None, **others: str | None
) -> dict[str, str | None]:
    """Results by family; `plus` for the dialect ``llama.cpp+`` where it differs from ``llama.cpp``."""
    found = {LLAMA: llama, JINJA: jinja, MINI: mini, JS: js}
    if "plus" in others:
        found[PLUS] = others["plus"]
    return found


def replace(parsed: Parsed, start: int, end: int, text: str, *, span: Span | None = None, exact: bool = True) -> Fix:
    """A fix that replaces one stretch; that stretch is to blame unless `span` says otherwise."""
    return Fix(Span(start, end) if span is None else span, (Edit(start, end, text),), exact)
