"""Short ways to render marked, and what the laws say about the result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from chatjinja import DEFAULT_TRUST, Environment, Part, Template, TrustPolicy
from chatjinja.environment.parts import sound_parts
from chatjinja.environment.trusted import trusted_context

CLOCK = 1767225600
NO_TRUST = TrustPolicy({})
ENVIRONMENT = Environment(now=CLOCK, cache_size=4)
PLUS = Environment("llama.cpp+", now=CLOCK, cache_size=4)


def marks(parts: Iterator[Part] | tuple[Part, ...] | list[Part]) -> str:
    """Parts as text: what is input stands in ``⟨ ⟩``."""
    return "".join([f"⟨{part.text}⟩" if part.is_input else part.text for part in parts])


def sound(template: str, context: dict[str, Any] | None = None, env: Environment = ENVIRONMENT) -> str:
    """The sound marks of a render; checks the laws, and that all forms say the same."""
    compiled = env.from_string(template)
    context = context or {}
    prompt = compiled.render_marked(context)
    assert prompt.text == compiled.render(context)
    parts = [(part.text, part.is_input) for part in prompt.parts]
    trusted = trusted_context(context, DEFAULT_TRUST)
    exact = compiled._render_exact(trusted, compiled._clock, "sound exact")
    assert flags(sound_parts([exact])) == parts, "the exact form marks otherwise"
    check_provenance(compiled, context, parts)
    check_shape(prompt.text, prompt.parts)
    return marks(prompt.parts)


def check_provenance(template: Template, context: dict[str, Any], found: list[tuple[str, bool]]) -> str:
    """Check that provenance has the marks `found`, and the sources and spans of the exact form, which works on
    a copy of the context and notes them all; the text of that form."""
    exact = template._render_exact(trusted_context(context, DEFAULT_TRUST), template._clock, "traced")
    expected = sound_parts([exact])
    assert flags(expected) == found, "the exact form marks otherwise"
    prompt = template.render_marked(context, provenance=True)
    assert prompt.text == exact.text
    assert list(prompt.parts) == expected
    return exact.text


def flags(parts: Iterator[Part] | tuple[Part, ...] | list[Part]) -> list[tuple[str, bool]]:
    """Text and flag of parts; neighbours of one flag joined."""
    found: list[tuple[str, bool]] = []
    for part in parts:
        if found and found[-1][1] is part.is_input:
            found[-1] = (found[-1][0] + part.text, part.is_input)
        else:
            found.append((part.text, part.is_input))
    return found


def check_shape(text: str, parts: tuple[Part, ...]) -> None:
    """Parts make up the text, none is empty, neighbours differ, and they hold nothing but exact types."""
    whole = "".join([part.text for part in parts])
    assert whole.encode("utf-8", "surrogateescape") == text.encode("utf-8", "surrogateescape")
    for part in parts:
        assert type(part.text) is str
        assert type(part.is_input) is bool
        assert part.text
    assert all(one[1:] != other[1:] for one, other in pairwise(parts))


# --- canaries: input in an alphabet that no template uses ----------------------------------------------

_FIRST = 0xE000


def canary(text: str) -> str:
    """`text` with its letters and digits in a private alphabet."""
    return "".join([chr(_FIRST + ord(char) % 0x500) if char.isalnum() else char for char in text])


def with_canaries(value: Any, kept: frozenset[str] = frozenset(), *, keys: bool = False) -> Any:
    """A context in which every string (and key) is a canary, but for those in `kept`."""
    if isinstance(value, str):
        return value if value in kept else canary(value)
    if isinstance(value, dict):
        return {
            canary(k) if keys and isinstance(k, str) else k: with_canaries(v, kept, keys=keys) for k, v in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [with_canaries(item, kept, keys=keys) for item in value]
    return value


def is_canary(char: str) -> bool:
    return "\ue000" <= char <= "\ue4ff" or char == "\udcee"  # the byte that they begin with


def leaks(parts: list[tuple[str, bool]] | tuple[Part, ...]) -> list[str]:
    """Template parts that hold input."""
    return [part[0] for part in parts if not part[1] and any(map(is_canary, part[0]))]


_WORD = r"[^\W\d_\ue000-\ue4ff]+"
_ESCAPES = re.compile(r"\\(?:u[0-9a-f]{4}|.)|&#?[a-z0-9]+;")


def false_marks(parts: list[tuple[str, bool]] | tuple[Part, ...], context: Any) -> list[str]:
    """Input parts that hold a word which is nowhere in the context."""
    known = set(re.findall(_WORD, json.dumps(context, ensure_ascii=False, default=str)))
    words = "|".join(sorted({*map(str.lower, known), "inf", "nan", "e"}, key=len, reverse=True))
    return [
        part[0]
        for part in parts
        if part[1] and re.search(_WORD, re.sub(words, " ", _ESCAPES.sub(" ", part[0]).lower()))
    ]
