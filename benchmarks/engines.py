"""How fast are real templates rendered, in two dialects, beside Jinja2 and minijinja?

Every template is rendered on four made-up conversations. Times are medians in microseconds; compiling is not
included. A ratio says how many times as long as chatjinja an engine takes; ``--base`` chooses the dialect that counts.
A case that an engine refuses is shown but not counted, and ``≠`` marks an engine whose text differs from that of
chatjinja's default dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from benchmarks import options
from benchmarks.conversations import CASES
from benchmarks.measure import geometric_mean, medians, print_machine, table, write_json
from benchmarks.peers import ENGINES
from benchmarks.templates import RealTemplate, chosen


@dataclass(slots=True)
class Result:
    """One template on one conversation."""

    case: str
    conversation: str
    characters: int = 0
    microseconds: dict[str, float] = field(default_factory=dict)
    differs: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def ratio(self, engine: str, base: str) -> float | None:
        mine, theirs = self.microseconds.get(base), self.microseconds.get(engine)
        return theirs / mine if mine and theirs else None


def measure(template: RealTemplate, conversation: str, engines: Sequence[str], rounds: int) -> Result:
    """Render once to see what comes out, then time those that rendered."""
    result = Result(f"{template.label}, {conversation}", conversation)
    context = CASES[conversation](template.arguments_as_text)
    texts: dict[str, str] = {}
    calls: dict[str, Callable[[], object]] = {}
    for name in engines:
        try:
            render = ENGINES[name](template.source)
            texts[name] = render(context)
        except Exception as error:  # an engine's errors have no common base
            result.refused[name] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            continue
        calls[name] = partial(render, context)
    if calls:
        first = texts.get("chatjinja") or next(iter(texts.values()))
        result.characters = len(first)
        result.differs = [name for name, text in texts.items() if text != first]
        result.microseconds = medians(calls, rounds=rounds)
    return result


def _cell(result: Result, engine: str) -> str:
    if engine in result.refused:
        return "refused"
    return f"{result.microseconds[engine]:.1f}{' ≠' if engine in result.differs else ''}"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def means(results: Sequence[Result], engine: str, base: str) -> dict[str, float]:
    """Geometric mean of the ratios to `base`, by conversation and over all."""
    groups = {name: [r for r in results if r.conversation == name] for name in CASES}
    groups["all"] = list(results)
    counted = {name: [x for r in group if (x := r.ratio(engine, base)) is not None] for name, group in groups.items()}
    return {name: geometric_mean(ratios) for name, ratios in counted.items() if ratios}


def show(results: Sequence[Result], engines: Sequence[str], base: str) -> None:
    peers = [name for name in engines if name != base]
    head = ["template, conversation", "characters", *(f"{name} µs" for name in engines), *(f"{p} ratio" for p in peers)]
    rows = [
        [
            r.case,
            str(r.characters),
            *(_cell(r, name) for name in engines),
            *(_ratio(r.ratio(name, base)) for name in peers),
        ]
        for r in results
    ]
    print(table(head, rows), end="\n\n")
    columns = [name for name in [*CASES, "all"] if any(name in means(results, peer, base) for peer in peers)]
    if columns:
        by_peer = {peer: means(results, peer, base) for peer in peers}
        mean_rows = [[peer, *(_ratio(by_peer[peer].get(name)) for name in columns)] for peer in peers]
        print(table(["geometric mean of ratios", *columns], mean_rows))
    for result in results:
        for engine, error in result.refused.items():
            print(f"{result.case}: {engine} refused: {error}")


def main() -> None:
    parser = options.parser(__doc__)
    parser.add_argument("--only", nargs="+", choices=list(ENGINES), default=list(ENGINES), help="only these engines")
    parser.add_argument("--base", choices=["chatjinja", "transformers dialect"], default="chatjinja")
    parser.add_argument("--conversations", nargs="+", choices=list(CASES), default=list(CASES))
    chosen_options = parser.parse_args()
    rounds = 3 if chosen_options.quick else 41
    print_machine()
    results = [
        measure(template, conversation, chosen_options.only, rounds)
        for template in chosen(chosen_options.templates)
        for conversation in chosen_options.conversations
    ]
    show(results, chosen_options.only, chosen_options.base)
    write_json(
        chosen_options.json,
        "engines",
        [
            {
                "case": r.case,
                "characters": r.characters,
                "microseconds": r.microseconds,
                "differs": r.differs,
                "refused": r.refused,
            }
            for r in results
        ],
    )


if __name__ == "__main__":
    main()
