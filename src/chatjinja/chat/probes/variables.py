"""What the variables do that a template reads beyond the usual ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from chatjinja.chat.probes.media import PARTS
from chatjinja.chat.probes.prober import SYSTEM, TOOLS, USER, Message, Prober, Result, parts
from chatjinja.chat.probes.reads import Read
from chatjinja.chat.probes.reasoning import REASON, inline_reasoning, thinking_switches
from chatjinja.chat.probes.records import Effect, Evidence, Variable
from chatjinja.chat.probes.texts import told_change

USUAL_VARIABLES = frozenset(("messages", "tools", "add_generation_prompt", "bos_token", "eos_token"))
"""Variables of every request; they are not listed."""
WORD = "zqvaluezq"
_STRING = re.compile(r"""['"]([^'"\\]*)['"]""")
_DOCUMENT = {"title": "zqtitlezq", "text": "zqtextzq", "content": "zqtextzq", "doc_id": 1}
_MOST_VALUES = 8


class Scenario(NamedTuple):
    """A conversation in which a variable may do something.

    Attributes:
        what: the conversation, in words.
        messages, tools, prompt: as for `Prober.render`.
        switches: thinking is switched on, by other variables than the one that is tried.
    """

    what: str
    messages: list[Message]
    tools: list[Any] | None = None
    prompt: bool = True
    switches: bool = False


def find_variables(prober: Prober, reads: Mapping[str, Read]) -> dict[str, Variable]:
    """The variables beyond the usual ones, by name."""
    finder = _Finder(prober, thinking_switches(reads))
    return {name: finder.find(name, read) for name, read in reads.items() if name not in USUAL_VARIABLES}


def _scenarios(prober: Prober) -> list[Scenario]:
    user, answer, call, result = prober.user, prober.answer, prober.call(), prober.result()
    reasoned = {**answer, "reasoning_content": REASON}
    called = {**call, "reasoning_content": REASON}
    _, inline = inline_reasoning(prober)
    images = {"role": "user", "content": [*parts(USER), dict(PARTS["image"]), dict(PARTS["video"])]}
    audio = {"role": "user", "content": [*parts(USER), dict(PARTS["audio"])]}
    history = [user, reasoned, user, reasoned, user]
    return [
        Scenario("with a question", [user]),
        Scenario("with a system message", [prober.message("system", SYSTEM), user]),
        Scenario("with declared tools", [user], TOOLS),
        Scenario("with a call and its result", [user, called, result], TOOLS),
        Scenario("with reasoning in the history", history),
        Scenario("with reasoning within answers", [user, inline, user, inline, user]),
        Scenario("with an answer at the end", [user, reasoned], prompt=False),
        Scenario("with an image and a video", [images]),
        Scenario("with audio", [audio]),
        Scenario("with an earlier call", [user, called, result, answer, user], TOOLS),
        Scenario("with thinking switched on", history, switches=True),
        Scenario("with tools and thinking switched on", [user, called, result, answer, user], TOOLS, switches=True),
    ]


class _Finder:
    """Tries values of variables in all scenarios."""

    def __init__(self, prober: Prober, switches: Mapping[str, bool]) -> None:
        self.prober = prober
        self.switches = switches
        self.scenarios = _scenarios(prober)
        self._unset: dict[str, list[tuple[Scenario, dict[str, bool], Result]]] = {}

    def find(self, name: str, read: Read) -> Variable:
        """All about one variable."""
        values = list(_values(name, read))
        effects = tuple(Effect(value, self.changes(name, value)) for value in values)
        alike = tuple(effect.value for effect in effects if effect.changes.answer == "no")
        source = self.prober.template.source
        return Variable(
            lines=tuple(sorted({source.position(offset).lineno for offset in read.positions})),
            uses=tuple(read.uses),
            is_guarded=read.is_guarded,
            defaults=tuple(read.defaults),
            required=self.required(name, values),
            effects=effects,
            unset_is_like=alike if any(effect.changes.answer == "yes" for effect in effects) else (),
        )

    def render(self, scenario: Scenario, variables: Mapping[str, Any]) -> Result:
        return self.prober.render(scenario.messages, tools=scenario.tools, prompt=scenario.prompt, variables=variables)

    def unset(self, name: str) -> list[tuple[Scenario, dict[str, bool], Result]]:
        """The scenarios that are rendered without the variable, with the switches that are on, and the results."""
        others = {key: on for key, on in self.switches.items() if key != name}
        key = name if len(others) < len(self.switches) else ""
        if key not in self._unset:
            chosen = [(one, others if one.switches else {}) for one in self.scenarios if others or not one.switches]
            renders = [(one, switches, self.render(one, switches)) for one, switches in chosen]
            self._unset[key] = [render for render in renders if render[2].error is None]
        return self._unset[key]

    def changes(self, name: str, value: Any) -> Evidence:
        """The first scenario in which a value makes a difference, or the first in which it fails."""
        failed: Evidence | None = None
        for scenario, others, unset in self.unset(name):
            result = self.render(scenario, {**others, name: value})
            if result.error is not None:
                failure = self.prober.failure(result.error)
                failed = failed or failure._replace(answer="probe failed", why=f"{scenario.what}: {failure.why}")
            elif result.text != unset.text:
                return Evidence("yes", f"{scenario.what}: {told_change(unset.text, result.text)}")
        return failed or Evidence("no", "the same text in every probe")

    def required(self, name: str, values: list[Any]) -> Evidence:
        """Whether a question needs the variable."""
        plain = self.scenarios[0]
        unset = self.render(plain, {})
        if unset.error is None:
            return Evidence("no", "a question is rendered without it")
        failure = self.prober.failure(unset.error)
        if any(self.render(plain, {name: value}).error is None for value in values):
            return failure._replace(answer="yes", why=f"without it: {failure.why}")
        return failure._replace(answer="probe failed", why=f"whatever its value: {failure.why}")


def _values(name: str, read: Read) -> Iterator[Any]:
    """Values worth trying: what it is compared with, and what its default or use hints at."""
    candidates: list[Any] = list(read.compared)
    defaults = [value for text in read.defaults if (value := _constant(text)) is not None]
    if any(isinstance(value, (bool, int, float)) for value in defaults):
        numbers = [value for value in defaults if not isinstance(value, bool)]
        candidates += [*numbers, 1, 1000] if numbers else [True, False]
    elif defaults:
        candidates += [*defaults, WORD]
    elif read.holds_items or name.endswith(("documents", "tools", "functions")):
        candidates += _containers(name, read)
    else:
        candidates += [value for limit in read.limits for value in (limit - 1, limit + 1)]
        if read.is_text and not candidates:
            candidates.append(WORD)
        if read.is_switch or not candidates:
            candidates += [True, False]
    seen: set[str] = set()
    for value in candidates[:_MOST_VALUES]:
        text = json.dumps(value)  # 1 and true are two values
        if text not in seen:
            seen.add(text)
            yield value


def _containers(name: str, read: Read) -> Iterator[Any]:
    """Lists and objects, with the items and keys that the template looks for."""
    keys: dict[str, dict[Any, None]] = {**{key: {} for key in read.members if isinstance(key, str)}, **read.keys}
    if keys:
        yield {key: next(iter(constants), WORD) for key, constants in keys.items()}
    if read.item_keys:
        yield [{key: next(iter(constants), WORD) for key, constants in read.item_keys.items()}]
    yield from ([member] for member in read.members)
    if name.endswith("documents"):
        yield [_DOCUMENT]
    if name.endswith(("tools", "functions")):
        yield TOOLS
    yield [WORD]
    if not keys and not read.members:
        yield {WORD: WORD}


def _constant(written: str) -> Any:
    """The text, number or truth value that a default is, or None."""
    quoted = _STRING.fullmatch(written)
    if quoted is not None:
        return quoted[1]
    try:
        value = json.loads(written.lower())
    except ValueError:
        return None
    return value if isinstance(value, (bool, int, float)) else None
