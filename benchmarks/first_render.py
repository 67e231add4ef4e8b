"""How fast is the *first* render of a conversation, beside Jinja2 and minijinja?

`benchmarks.engines` renders the same conversation again and again, which suits engines that remember what they
did: chatjinja keeps JSON texts and its latest prompt. Here each timed call gets a conversation that was never
rendered before: every text in it is new, as in a server whose requests have nothing in common. Templates are
compiled already. Times are medians of single calls in microseconds, ratios as in `benchmarks.engines`.
"""

from __future__ import annotations

import gc
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks import options
from benchmarks.conversations import CASES
from benchmarks.engines import Result, show
from benchmarks.measure import print_machine, write_json
from benchmarks.peers import ENGINES
from benchmarks.templates import RealTemplate, chosen

Render = Callable[[dict[str, Any]], str]
_KEPT = frozenset(("role", "type", "id", "tool_call_id", "bos_token", "eos_token"))
"""Keys whose values templates compare or check: they stay as they are."""


def renewed(value: Any, number: int) -> Any:
    """A deep copy with the number in every text but those that a template may branch on."""
    if isinstance(value, dict):
        return {key: item if key in _KEPT else renewed(item, number) for key, item in value.items()}
    if isinstance(value, list):
        return [renewed(item, number) for item in value]
    if not isinstance(value, str):
        return value
    if value.startswith("{"):  # arguments as JSON text
        return json.dumps(renewed(json.loads(value), number), ensure_ascii=False)
    return f"{value} ({number})" if " " in value else value


def measure(template: RealTemplate, conversation: str, rounds: int) -> Result:
    """Time single calls in turns; the first call, which compiles, is not counted."""
    result = Result(f"{template.label}, {conversation}", conversation)
    context = CASES[conversation](template.arguments_as_text)
    renders: dict[str, Render] = {}
    texts: dict[str, str] = {}
    for name, make in ENGINES.items():
        try:
            renders[name] = make(template.source)
            texts[name] = renders[name](context)
        except Exception as error:  # an engine's errors have no common base
            renders.pop(name, None)
            result.refused[name] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    first = next(iter(texts.values()), "")
    result.characters = len(first)
    result.differs = [name for name, text in texts.items() if text != first]
    samples: dict[str, list[float]] = {name: [] for name in renders}
    names = list(renders)
    for number in range(rounds):
        start = number % len(names) if names else 0
        for name in names[start:] + names[:start]:
            samples[name].append(_timed(renders[name], renewed(context, number)))
    result.microseconds = {name: statistics.median(times) * 1e6 for name, times in samples.items() if times}
    return result


def _timed(render: Render, context: dict[str, Any]) -> float:
    started = time.perf_counter()
    render(context)
    return time.perf_counter() - started


def main() -> None:
    chosen_options = options.parser(__doc__).parse_args()
    print_machine()
    gc.collect()
    results = [
        measure(template, conversation, 3 if chosen_options.quick else 41)
        for template in chosen(chosen_options.templates)
        for conversation in CASES
    ]
    show(results, list(ENGINES), "chatjinja")
    rows = [{"case": r.case, "characters": r.characters, "microseconds": r.microseconds} for r in results]
    write_json(chosen_options.json, "first_render", rows)


if __name__ == "__main__":
    main()
