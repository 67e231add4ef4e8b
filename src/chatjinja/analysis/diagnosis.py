"""Why two engines differ on a template: causes are tried out, not guessed.

Each cause of the catalogue knows which pieces of a template it could sit in, and a change that takes it away. The
changes are made one after the other, those near the first difference first, and both engines render again: if the
difference is gone, or comes later, that was the cause. Then the search goes on from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from chatjinja.analysis.catalogue import CATALOGUE, HABITS, Cause
from chatjinja.analysis.catalogue.base import Evidence, Fix, nothing
from chatjinja.analysis.engines import Engine, Outcome, Renderer
from chatjinja.analysis.markers import observed, observing
from chatjinja.analysis.parsed import Edit, Parsed, edited
from chatjinja.analysis.places import FAR, Place, Rendering, locate, ranks
from chatjinja.analysis.report import Finding
from chatjinja.analysis.texts import common_prefix, excerpt, to_bytes
from chatjinja.analysis.variables import Habits, as_transformers
from chatjinja.source import Span

MAX_STEPS = 6
"""How many causes are looked for in one conversation."""
_FEWEST = 8
"""How many changes are tried in any case."""
_ROUNDS = 3
"""How deep pieces to change may stand in each other."""
_LOOK = 16
"""How many bytes tell one place of a text from another."""
MAX_TRIES = 48
"""How many changes are tried one by one; then all of a cause at once."""
MAX_CHARACTERS = 400_000
"""How long all the changed templates together may be, for one cause."""


def evidence_of(source: str, left: Outcome, right: Outcome, context: Mapping[str, Any]) -> Evidence:
    """What two outcomes, the template and the context say by themselves."""
    non_ascii = not (source.isascii() and repr(context).isascii())
    texts = texts_of(left, right)
    if texts is None:
        return Evidence(left, right, None, None, non_ascii)
    offset = common_prefix(*texts)
    return Evidence(left, right, excerpt(texts[0], offset), excerpt(texts[1], offset), non_ascii)


def texts_of(left: Outcome, right: Outcome) -> tuple[bytes, bytes] | None:
    """Two texts, or the messages of two failures; None if only one failed."""
    if left.text is not None and right.text is not None:
        return to_bytes(left.text), to_bytes(right.text)
    if left.failure is not None and right.failure is not None:
        return to_bytes(left.failure.message), to_bytes(right.failure.message)
    return None


def is_better(
    before: tuple[Outcome, Outcome], after: tuple[Outcome, Outcome], *, exact: bool, of_template: bool = True
) -> bool:
    """Whether two outcomes part later, or not at all, after a change of the template (or else of its variables).

    A change that is not `exact` may take text away, so then it is enough that they part elsewhere. In any case less
    must be left behind.
    """
    if after[0].same(after[1]):
        # A template that fails everywhere is not cured.
        return after[0].text is not None or before[0].text is before[1].text or not of_template
    old, new = texts_of(*before), texts_of(*after)
    if new is None or after[0].text is None:
        return False
    if old is None or before[0].text is None:
        return True
    starts = common_prefix(*old), common_prefix(*new)
    left = [sum(map(len, texts)) - 2 * start for texts, start in zip((old, new), starts, strict=True)]
    if left[1] >= left[0]:
        return False
    if starts[1] == starts[0]:  # what differed may be gone, and the next difference be there now
        start = starts[0]
        return any(one[start:][:_LOOK] != other[start:][:_LOOK] for one, other in zip(old, new, strict=True))
    return starts[1] > starts[0] or not exact


def fails_later(before: tuple[Outcome, Outcome], after: tuple[Outcome, Outcome], growth: int) -> bool:
    """Whether one side failed and still does, but further on in the template, which is longer by `growth` now."""
    if sum(outcome.text is None for outcome in before) != 1 or sum(outcome.text is None for outcome in after) != 1:
        return False
    for old, new in zip(before, after, strict=True):
        if old.failure is not None and new.failure is not None:
            spans = old.failure.span, new.failure.span
            return spans[0] is not None and spans[1] is not None and spans[1].end - growth > spans[0].end
    return False


class Step(NamedTuple):
    """A cause that was found, and how things are without it."""

    source: str
    habits: Habits
    finding: Finding
    exact: bool = False


class State(NamedTuple):
    """A template on the way to one that agrees."""

    source: str
    habits: Habits
    outcomes: tuple[Outcome, Outcome]

    @property
    def agrees(self) -> bool:
        return self.outcomes[0].same(self.outcomes[1])


def _helped(step: Step, before: State, after: State) -> bool:
    """Whether a step that was found on another conversation helps on this one too."""
    growth = len(after.source) - len(before.source)
    return is_better(
        before.outcomes, after.outcomes, exact=step.exact, of_template=after.source != before.source
    ) or fails_later(before.outcomes, after.outcomes, growth)


class Pair:
    """Two engines and one template: finds causes, and remembers them for the next conversation.

    Attributes:
        steps: the causes found so far, in order; each one's template has all changes up to it.
    """

    def __init__(self, source: str, left: Engine, right: Engine, moment: datetime) -> None:
        self.source = source
        self.engines = (left, right)
        self.moment = moment
        self.steps: list[Step] = []
        self.causes = [cause for cause in CATALOGUE if cause.concerns(left, right)]
        self._renderers: dict[tuple[str, str], Renderer] = {}
        self._fruitless: dict[tuple[Any, ...], Step | None] = {}

    def close(self) -> None:
        """Let go of what the engines hold."""
        for renderer in self._renderers.values():
            renderer.close()
        self._renderers.clear()

    # --- rendering ---------------------------------------------------------------------------------

    def state(self, source: str, habits: Habits, context: Mapping[str, Any], *, keep: bool = False) -> State:
        """Render a source in both engines; `keep` it compiled if it will be asked for again."""
        left, right = (self._outcome(engine, source, habits, context, keep) for engine in self.engines)
        return State(source, habits, (left, right))

    def _outcome(self, engine: Engine, source: str, habits: Habits, context: Mapping[str, Any], keep: bool) -> Outcome:
        renderer = self._renderers.get((engine.name, source))
        if renderer is not None:
            return renderer.render(values_for(engine, habits, context))
        renderer = engine.compile(source, self.moment)
        if keep:
            self._renderers[engine.name, source] = renderer
            return renderer.render(values_for(engine, habits, context))
        with renderer:
            return renderer.render(values_for(engine, habits, context))

    # --- looking for causes ------------------------------------------------------------------------

    def explain(self, habits: Habits, context: Mapping[str, Any]) -> list[Finding]:
        """The causes of the difference on one conversation, the first one's first."""
        found: list[Finding] = []
        state = self.state(self.source, habits, context, keep=True)
        for step in self.steps:
            after = self.state(step.source, step.habits, context, keep=True)
            if not state.agrees and _helped(step, state, after):
                found.append(step.finding)
            state = after
        while len(found) < MAX_STEPS and not state.agrees:
            step_found = self._next_step(state, context)
            if step_found is None:
                break
            found.append(step_found.finding)
            if not step_found.finding.verified:
                break
            self.steps.append(step_found)
            state = self.state(step_found.source, step_found.habits, context, keep=True)
        return found

    def _next_step(self, state: State, context: Mapping[str, Any]) -> Step | None:
        parsed = Parsed(state.source)
        evidence = evidence_of(state.source, *state.outcomes, context)
        causes = [cause for cause in self.causes if cause.check(evidence)]
        place = locate(parsed, *self._renderings(state, context))
        named = [cause for cause in causes if _match(cause, state.outcomes) is not None]
        named.sort(key=lambda cause: cause.find is nothing)  # those that can be proved first
        key = (state.source, state.habits, place, *(cause.id for cause in named))
        if key in self._fruitless:
            return self._fruitless[key]
        search = _Search(self, state, context, parsed, place)
        others = [cause for cause in causes if not any(cause is other for other in named)]
        step = search.habits(causes)
        if named:
            step = step or search.fixes(named, exact=True) or search.fixes(others, exact=True) or search.fixes(named)
        else:
            step = step or search.fixes(others)
        if step is None and named:
            step = Step(state.source, state.habits, search.finding(named[0], None, verified=False))
        if step is None or not step.finding.verified:
            self._fruitless[key] = step
        return step

    def _renderings(self, state: State, context: Mapping[str, Any]) -> tuple[Rendering, Rendering]:
        left, right = (
            Rendering(
                engine, values_for(engine, state.habits, context), outcome, partial(engine.compile, moment=self.moment)
            )
            for engine, outcome in zip(self.engines, state.outcomes, strict=True)
        )
        return left, right


def values_for(engine: Engine, habits: Habits, context: Mapping[str, Any]) -> Mapping[str, Any]:
    """The variables that an engine's runtime gives to templates."""
    return as_transformers(context, habits) if engine.fills_in else context


def _match(cause: Cause, outcomes: Iterable[Outcome]) -> re.Match[str] | None:
    """The first message of a failure that this cause makes."""
    failures = [outcome.failure for outcome in outcomes if outcome.failure is not None and not outcome.failure.raised]
    matches = (pattern.search(failure.message) for failure in failures for pattern in cause.messages)
    return next((match for match in matches if match is not None), None)


class _Candidate(NamedTuple):
    """A change that might help; the smaller its rank, the nearer it is to the difference."""

    rank: tuple[int, int]
    number: int
    cause: Cause
    fix: Fix


class _Search(NamedTuple):
    """The search for one cause."""

    pair: Pair
    state: State
    context: Mapping[str, Any]
    parsed: Parsed
    place: Place

    def habits(self, causes: Iterable[Cause]) -> Step | None:
        """Whether it is not the template, but what a runtime does to variables."""
        if self.pair.engines[0].fills_in is self.pair.engines[1].fills_in:
            return None
        for field, cause in HABITS.items():
            if not getattr(self.state.habits, field):
                continue
            without = self.state.habits._replace(**{field: False})
            after = self.pair.state(self.state.source, without, self.context)
            if is_better(self.state.outcomes, after.outcomes, exact=True, of_template=False):
                by_rewrite = self.fixes([cause])
                finding = self.finding(cause, None, verified=True)
                return by_rewrite or Step(self.state.source, without, finding)
        return None

    def fixes(self, causes: list[Cause], *, exact: bool = False) -> Step | None:
        """The first change (or rewrite, if `exact`) that helps: one by one, then all of a cause at once.

        Where a side fails, a change that cures everything is better than one that only moves the failure.
        """
        found = self._candidates(causes, exact)
        tries = max(_FEWEST, min(MAX_TRIES, MAX_CHARACTERS // (1 + len(self.parsed.source.text))))
        partial_cure: Step | None = None
        for number, candidate in enumerate(found[:tries]):
            step, cured = self._try(candidate.cause, candidate.fix, candidate.fix.edits)
            if step is not None and (cured or not self._fails):
                return step
            partial_cure = partial_cure or step
            if partial_cure is not None and number >= _FEWEST:
                break
        if partial_cure is not None:
            return partial_cure
        near = {candidate.cause.id: candidate for candidate in reversed(found) if candidate.rank[0] < FAR}
        for candidate in list(near.values())[:tries]:
            step = self._everywhere(candidate)
            if step is not None:
                return step
        return None

    @property
    def _fails(self) -> bool:
        return any(outcome.text is None for outcome in self.state.outcomes)

    def _candidates(self, causes: list[Cause], exact: bool) -> list[_Candidate]:
        """All changes of these causes, the likeliest first."""
        rank = ranks(self.parsed, self.place)
        found = [
            _Candidate(rank(fix.span), number, cause, fix)
            for number, cause in enumerate(causes)
            for fix in cause.find(self.parsed)
            if fix.exact or not exact
        ]
        found.sort(key=lambda item: (item.rank[0], not item.fix.exact, item.rank[1], item.number))
        return found

    def _everywhere(self, candidate: _Candidate) -> Step | None:
        """All changes of a cause at once; then again, for pieces that stand in changed ones."""
        parsed = self.parsed
        for _ in range(_ROUNDS):
            edits = _apart(fix for fix in candidate.cause.find(parsed) if fix.exact is candidate.fix.exact)
            source = edited(parsed.source.text, edits)
            if not edits or source is None:
                break
            step = self._try_source(candidate.cause, candidate.fix, source)[0]
            if step is not None:
                return step
            parsed = Parsed(source)
        return None

    def _try(self, cause: Cause, fix: Fix, edits: tuple[Edit, ...]) -> tuple[Step | None, bool]:
        source = edited(self.parsed.source.text, edits)
        return (None, False) if source is None else self._try_source(cause, fix, source)

    def _try_source(self, cause: Cause, fix: Fix, source: str) -> tuple[Step | None, bool]:
        """The step to a changed template, if it helps, and whether nothing differs then."""
        after = self.pair.state(source, self.state.habits, self.context)
        growth = len(source) - len(self.parsed.source.text)
        if not is_better(self.state.outcomes, after.outcomes, exact=fix.exact) and not (
            fix.exact and fails_later(self.state.outcomes, after.outcomes, growth)
        ):
            return None, False
        if not fix.exact and self._has_one_value(fix.span):
            return None, False
        return Step(source, self.state.habits, self.finding(cause, fix, verified=True), fix.exact), after.agrees

    def _has_one_value(self, span: Span) -> bool:
        """Whether an expression is seen to have the same value in both engines, so that it cannot be to blame."""
        source = observing(self.parsed, span)
        if source is None:
            return False
        left, right = self.pair.state(source, self.state.habits, self.context).outcomes
        values = observed(left.text), observed(right.text)
        return bool(values[0]) and values[0] == values[1]

    def finding(self, cause: Cause, fix: Fix | None, *, verified: bool) -> Finding:
        """A cause as a finding, at the place of `fix`, or where the difference is."""
        text = self.parsed.source.text
        span = fix.span if fix is not None else next(iter(self.place.spans), None)
        match = _match(cause, self.state.outcomes)
        name = "…" if match is None else match.groupdict().get("name") or "…"
        return Finding(
            cause.id,
            cause.title.replace("{name}", name),
            None if span is None else self.parsed.source.lineno(span.start),
            None if span is None else text[span.start : span.end],
            _rewrite(text, fix) if fix is not None and fix.exact else None,
            cause.advice,
            verified,
        )


def _apart(fixes: Iterable[Fix]) -> tuple[Edit, ...]:
    """The edits of as many fixes as do not overlap."""
    taken: list[Edit] = []
    for fix in sorted(fixes, key=lambda fix: fix.span.end - fix.span.start):
        if all(edit.end <= other.start or other.end <= edit.start for edit in fix.edits for other in taken):
            taken += fix.edits
    return tuple(taken)


def _rewrite(text: str, fix: Fix) -> str | None:
    """What stands in place of the piece; None if the change is not confined to it."""
    span = fix.span
    if any(edit.start < span.start or edit.end > span.end for edit in fix.edits):
        return None
    shifted = [Edit(edit.start - span.start, edit.end - span.start, edit.text) for edit in fix.edits]
    return edited(text[span.start : span.end], shifted)
