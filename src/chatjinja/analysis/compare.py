"""`compare`: one template, or two, on a set of conversations through several engines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import partial

from chatjinja.analysis.conversations import (
    Conversation,
    Given,
    as_conversations,
    built_in_conversations,
)
from chatjinja.analysis.diagnosis import Pair, Step, evidence_of, texts_of, values_for
from chatjinja.analysis.engines import ENGINES, Engine, Outcome, Renderer, get_engine, missing_engines
from chatjinja.analysis.parsed import Parsed
from chatjinja.analysis.places import Rendering, locate
from chatjinja.analysis.report import Difference, Finding, Kind, Report, Result, Side
from chatjinja.analysis.texts import common_prefix
from chatjinja.analysis.variables import ALL_HABITS, NO_HABITS
from chatjinja.environment import Now
from chatjinja.environment.clock import clock_of

DEFAULT_ENGINES = ("llama.cpp", "transformers")


def compare(
    template: str,
    conversations: Iterable[Given | Conversation] | Mapping[str, Given] | None = None,
    engines: Sequence[str] = DEFAULT_ENGINES,
    *,
    other: str | None = None,
    raw: bool = False,
    now: Now = None,
) -> Report:
    """Render a template in several engines, and say where they differ, and why.

    Args:
        template: the text of a template.
        conversations: lists of messages or request objects (`messages`, `tools`, …); a mapping gives them names.
            Default: a built-in set that has what real templates branch on.
        engines: names of engines; the first is what the others are compared with. `chatjinja.analysis.ENGINES` has
            them all: this project's dialects, and real engines where they are installed.
        other: another template; then the two are compared in each engine.
        raw: give all engines the same variables. Otherwise each gets what its runtime would pass: transformers
            always sets `tools`, drops keys that are None, and so on (`chatjinja.analysis.variables`).
        now: the clock of templates; default: the system's. Real servers and transformers itself have their own.

    Raises ValueError for what is no conversation, and EngineError (a ValueError) for engines that do not exist or
    are not installed. What a template raises is part of the report.
    """
    if not engines:
        raise ValueError("name at least one engine")
    chosen = [get_engine(name) for name in dict.fromkeys(engines)]
    if other is None and len(chosen) < 2:
        raise ValueError("name at least two engines, or give two templates")
    given = built_in_conversations() if conversations is None else as_conversations(conversations)
    with ExitStack() as stack:
        job = _Job(stack, template, other, chosen, given, raw, clock_of(now)())
        return job.report()


class _Job:
    """One comparison."""

    def __init__(
        self,
        stack: ExitStack,
        template: str,
        other: str | None,
        engines: list[Engine],
        conversations: list[Conversation],
        raw: bool,
        moment: datetime,
    ) -> None:
        self.sources = [template] if other is None else [template, other]
        self.engines = engines
        self.conversations = conversations
        self.habits = NO_HABITS if raw else ALL_HABITS
        self.moment = moment
        self.parsed = [Parsed(source) for source in self.sources]
        self.renderers: dict[Side, Renderer] = {}
        for side, engine, number in self._sides():
            self.renderers[side] = stack.enter_context(engine.compile(self.sources[number], moment))
        self.outcomes: dict[tuple[str, Side], Outcome] = {}
        self.pairs: dict[tuple[str, str], Pair] = {}
        self._stack = stack

    def _sides(self) -> list[tuple[Side, Engine, int]]:
        names = [""] if len(self.sources) == 1 else ["first template", "second template"]
        return [
            (Side(name, engine.name), engine, number) for engine in self.engines for number, name in enumerate(names)
        ]

    def report(self) -> Report:
        """Render everything, and compare."""
        results = []
        for conversation in self.conversations:
            for side, engine, _ in self._sides():
                values = values_for(engine, self.habits, conversation.context)
                outcome = self.renderers[side].render(values)
                self.outcomes[conversation.name, side] = outcome
                results.append(Result(conversation.name, side, outcome))
        differences = [
            difference for conversation in self.conversations for difference in self._differences(conversation)
        ]
        return Report(
            {engine.name: engine.version() for engine in self.engines},
            tuple(conversation.name for conversation in self.conversations),
            tuple(results),
            tuple(differences),
            tuple(missing_engines()),
            self._portable(differences),
        )

    def _differences(self, conversation: Conversation) -> Iterable[Difference]:
        sides = self._sides()
        if len(self.sources) == 2:
            pairs = list(zip(sides[::2], sides[1::2], strict=True))
        else:
            pairs = [(sides[0], side) for side in sides[1:]]
        for left, right in pairs:
            outcomes = (self.outcomes[conversation.name, left[0]], self.outcomes[conversation.name, right[0]])
            if not outcomes[0].same(outcomes[1]):
                yield self._difference(conversation, left, right, outcomes)

    def _difference(
        self,
        conversation: Conversation,
        left: tuple[Side, Engine, int],
        right: tuple[Side, Engine, int],
        outcomes: tuple[Outcome, Outcome],
    ) -> Difference:
        evidence = evidence_of(self.sources[left[2]], *outcomes, conversation.context)
        renderings = [
            Rendering(
                engine,
                values_for(engine, self.habits, conversation.context),
                outcome,
                None if engine.twins else partial(engine.compile, moment=self.moment),
            )
            for (_, engine, _), outcome in zip((left, right), outcomes, strict=True)
        ]
        only_right_failed = outcomes[0].failure is None and outcomes[1].failure is not None
        parsed = self.parsed[(right if only_right_failed else left)[2]]
        place = locate(parsed, renderings[0], renderings[1])
        findings: list[Finding] = []
        if len(self.sources) == 1:
            findings = self._pair(left[1], right[1], conversation, outcomes).explain(self.habits, conversation.context)
        texts = texts_of(*outcomes)
        span = next(iter(place.spans), None)
        failures = [None if outcome.failure is None else outcome.failure.message for outcome in outcomes]
        return Difference(
            conversation.name,
            left[0],
            right[0],
            _kind(outcomes),
            None if texts is None else common_prefix(*texts),
            evidence.left_excerpt,
            evidence.right_excerpt,
            failures[0],
            failures[1],
            None if span is None else parsed.source.lineno(span.start),
            None if span is None else parsed.source.text[span.start : span.end],
            place.source,
            tuple(findings),
        )

    def _pair(self, left: Engine, right: Engine, conversation: Conversation, outcomes: tuple[Outcome, Outcome]) -> Pair:
        """The search for causes in two engines, or in quick ones that give the same texts."""
        first, second = (
            self._twin(engine, conversation, outcome) for engine, outcome in zip((left, right), outcomes, strict=True)
        )
        key = (first.name, second.name)
        if key not in self.pairs:
            self.pairs[key] = Pair(self.sources[0], first, second, self.moment)
            self._stack.callback(self.pairs[key].close)
        return self.pairs[key]

    def _twin(self, engine: Engine, conversation: Conversation, outcome: Outcome) -> Engine:
        for name in engine.twins:
            twin = ENGINES[name]
            with twin.compile(self.sources[0], self.moment) as renderer:
                if renderer.render(values_for(twin, self.habits, conversation.context)).same(outcome):
                    return twin
        return engine

    def _portable(self, differences: list[Difference]) -> str | None:
        """The template with all rewrites, if all engines then agree on everything."""
        steps: list[Step] = [step for pair in self.pairs.values() for step in pair.steps]
        if len(self.engines) != 2 or not steps or not all(step.exact for step in steps):
            return None
        source = steps[-1].source
        pair = next(iter(self.pairs.values()))
        if all(pair.state(source, self.habits, item.context, keep=True).agrees for item in self.conversations):
            return source
        return None


def _kind(outcomes: tuple[Outcome, Outcome]) -> Kind:
    if all(outcome.failure is not None for outcome in outcomes):
        return "message"
    return "raises" if any(outcome.failure is not None for outcome in outcomes) else "text"
