"""Where in a template a difference comes from: by provenance for texts, by position for failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from chatjinja.analysis.engines import Engine, Outcome, Renderer
from chatjinja.analysis.markers import printed_by, with_marks, without_marks
from chatjinja.analysis.parsed import Parsed
from chatjinja.analysis.texts import common_prefix, to_bytes
from chatjinja.dialects import DIALECTS
from chatjinja.environment import Environment
from chatjinja.errors import TemplateError
from chatjinja.marking import Part, TrustPolicy
from chatjinja.source import Span
from chatjinja.syntax import nodes

FAR = 3
"""The rank of pieces that have nothing to do with a place."""
_NO_TRUST = TrustPolicy({})


class Place(NamedTuple):
    """Pieces of a template, the likeliest first.

    Attributes:
        spans: what printed the first differing byte on either side, or what failed.
        between: what stands between that and what was printed before it: it may have printed nothing on one side.
        source: JSON Pointer to the context value that was printed there, or None.
    """

    spans: tuple[Span, ...]
    between: tuple[Span, ...] = ()
    source: str | None = None


class Rendering(NamedTuple):
    """What an engine made of a template with these variables; `compile` makes another template for it."""

    engine: Engine
    values: Mapping[str, Any]
    outcome: Outcome
    compile: Callable[[str], Renderer] | None = None


def locate(parsed: Parsed, left: Rendering, right: Rendering) -> Place:
    """Where the difference of two renderings comes from."""
    sides = (left, right)
    failures = [side.outcome.failure for side in sides if side.outcome.failure is not None]
    if failures:
        spans = [failure.span for failure in failures if failure.span is not None]
        lines = [_line(parsed, failure.lineno) for failure in failures if failure.lineno is not None]
        return Place(tuple(dict.fromkeys(spans or lines)))
    data = [to_bytes(side.outcome.text or "") for side in sides]
    offset = common_prefix(*data)
    places = [place for side in sides if (place := _printed(parsed, side, offset)) is not None]
    text = parsed.source.text
    spans = sorted(
        (span for place in places for span in place.spans), key=lambda span: not text.startswith("{{", span.start)
    )
    between = [span for place in places for span in place.between]
    source = next((place.source for place in places if place.source is not None), None)
    return Place(tuple(dict.fromkeys(spans)), tuple(dict.fromkeys(between)), source)


def _line(parsed: Parsed, lineno: int) -> Span:
    source = parsed.source
    start = source.line_starts[min(lineno, len(source.line_starts)) - 1]
    return Span(start, start + len(source.line(min(lineno, len(source.line_starts)))))


def _printed(parsed: Parsed, side: Rendering, offset: int) -> Place | None:
    """What printed the byte at `offset`: by provenance, or else by marks; None if neither can say."""
    parts = _parts(parsed, side)
    if parts is None:
        return _printed_by_marks(parsed, side, offset)
    at = 0
    before = Span(0, 0)
    for part in parts:
        end = at + len(to_bytes(part.text))
        if end > offset and part.span is not None:
            spans = (part.span,) if at < offset or before == Span(0, 0) else (part.span, before)
            return Place(spans, _gap(before, part.span), part.source)
        at, before = end, part.span or before
    return Place((before,), (Span(before.end, len(parsed.source.text)),))


def _printed_by_marks(parsed: Parsed, side: Rendering, offset: int) -> Place | None:
    source = with_marks(parsed)
    if source is None or side.compile is None:
        return None
    with side.compile(source) as renderer:
        marked = renderer.render(side.values).text
    if marked is None or without_marks(marked) != side.outcome.text:
        return None
    span = printed_by(parsed, marked, offset)
    return None if span is None else Place((span,))


def _gap(before: Span, after: Span) -> tuple[Span, ...]:
    return (Span(before.end, after.start),) if before.end < after.start else ()


def _parts(parsed: Parsed, side: Rendering) -> list[Part] | None:
    names = (side.engine.name, *side.engine.twins)
    for name in dict.fromkeys(name for name in (*names, *DIALECTS) if name in DIALECTS):
        try:
            template = Environment(name, cache_size=1).from_string(parsed.source.text)
            prompt = template.render_marked(side.values, trust=_NO_TRUST, provenance=True)
        except (TemplateError, ValueError):
            continue
        if prompt.text == side.outcome.text:
            return list(prompt.parts)
    return None


def related(parsed: Parsed, place: Place) -> list[Span]:
    """Pieces on which a place depends: conditions and loops around it, and what sets the names that it reads."""
    spans = [*place.spans, *place.between]
    found: list[Span] = []
    names: set[str] = set()
    todo = list(spans)
    for span in spans:
        todo += _headers(parsed, span)
    while todo:
        span = todo.pop()
        found.append(span)
        read = {node.name for node in parsed.of(nodes.Name) if span.start <= node.start and node.end <= span.end}
        new = read - names
        names |= new
        todo += (Span(node.start, node.end) for node in _binders(parsed) if new & _bound(node))
    return found


def _headers(parsed: Parsed, span: Span) -> Iterator[Span]:
    """Conditions and loop heads of the statements around a place."""
    for loop in parsed.of(nodes.For):
        if loop.start <= span.start and span.end <= loop.end:
            yield Span(loop.iter.start, loop.iter.end)
    for branch in parsed.of(nodes.If):
        if branch.start <= span.start and span.end <= branch.end:
            for test in (branch.test, *(other.test for other in branch.elifs)):
                yield Span(test.start, test.end)


_Binder = nodes.Assign | nodes.AssignBlock | nodes.For | nodes.Macro


def _binders(parsed: Parsed) -> list[_Binder]:
    return [
        *parsed.of(nodes.Assign),
        *parsed.of(nodes.AssignBlock),
        *parsed.of(nodes.For),
        *parsed.of(nodes.Macro),
    ]


def _bound(node: _Binder) -> set[str]:
    """The names that a statement sets."""
    target: nodes.Node = node.name if isinstance(node, nodes.Macro) else node.target
    targets = target.items if isinstance(target, nodes.Tuple) else [target]
    bases = [item.node if isinstance(item, nodes.Getattr) else item for item in targets]
    return {base.name for base in bases if isinstance(base, nodes.Name)}


def ranks(parsed: Parsed, place: Place) -> RankOf:
    """How near a piece is to a place."""
    return RankOf(place, tuple(related(parsed, place)))


class RankOf(NamedTuple):
    """Call it with a span: the smaller the result, the likelier the piece is to blame."""

    place: Place
    related: tuple[Span, ...]

    def __call__(self, span: Span) -> tuple[int, int]:
        tiers = (self.place.spans, self.place.between, self.related)
        tier = next((index for index, spans in enumerate(tiers) if any(_touch(span, other) for other in spans)), FAR)
        return tier, span.end - span.start


def _touch(span: Span, other: Span) -> bool:
    """Whether one lies in the other, or they overlap."""
    return (span.start < other.end and other.start < span.end) or span == other
