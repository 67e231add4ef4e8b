"""The laws of sound marking in the dialect `transformers`: for every built-in in a template, and at random."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatjinja import Environment, LimitError, Limits, Template, TemplateError
from chatjinja.marking import unescape
from chatjinja.runtime.jinja.builtins import JINJA
from tests.marking.support import CLOCK, NO_TRUST, check_shape, flags, marks
from tests.properties.jinja_grammar import CONTEXT, JinjaGrammar

ENVIRONMENT = Environment(
    "transformers", now=CLOCK, cache_size=0, limits=Limits(steps=100_000, value=2**18, output=2**18)
)
BY_CHANCE = frozenset(("random", "lipsum"))
_FIRST = 0x4E00
_CANARY = re.compile("[\u4e00-\u4eff]|\\\\u4e[0-9a-f]|%E4%B[89AB]", re.IGNORECASE)
"""Input, also where it was escaped."""
_LETTER = re.compile("[\u4e00-\u4eff]")


def canaries(value: Any) -> Any:
    """A context whose strings are written in an alphabet that prints as it is and that no template uses."""
    if isinstance(value, str):
        return re.sub("[A-Za-zé]", lambda match: chr(_FIRST + ord(match[0])), value)
    if isinstance(value, dict):
        return {key: canaries(item) for key, item in value.items()}
    return [canaries(item) for item in value] if isinstance(value, list) else value


GRAMMAR_CONTEXT = canaries(CONTEXT)


def check(source: str, context: dict[str, Any]) -> bool:
    """Whether the template renders. Then its marked text is the same, and no template part holds input."""
    try:
        template = ENVIRONMENT.from_string(source)
        text = template.render(context)
    except TemplateError as error:
        expected = error
        with pytest.raises(TemplateError) as caught:
            ENVIRONMENT.from_string(source).render_marked(context, trust=NO_TRUST)
        limited = "limit" in expected.code or "limit" in caught.value.code
        assert limited or caught.value.message == expected.message
        return False
    try:
        prompt = template.render_marked(context, trust=NO_TRUST)
    except LimitError:  # marks take steps of their own
        return False
    assert prompt.text == text
    check_shape(text, prompt.parts)
    leaks = [part for part in prompt.parts if not part.is_input and _CANARY.search(part.text)]
    assert not leaks, (source, leaks)
    check_provenance(template, context, flags(prompt.parts))
    return True


def check_provenance(template: Template, context: dict[str, Any], found: list[tuple[str, bool]]) -> None:
    """Provenance has the same text and the marks `found`, everything knows what printed it, and sources exist."""
    prompt = template.render_marked(context, trust=NO_TRUST, provenance=True)
    check_shape(prompt.text, prompt.parts)
    assert flags(prompt.parts) == found
    for part in prompt.parts:
        assert part.span is not None
        assert 0 <= part.span.start < part.span.end <= len(template.source.text)
        if part.source is not None:
            assert set(_LETTER.findall(part.text)) <= set(text_at(context, part.source))


def text_at(context: Any, pointer: str) -> str:
    """What stands at a pointer, or as a key; KeyError if there is nothing."""
    value, key = context, None
    for token in pointer.removesuffix("#").split("/")[1:]:
        key = unescape(token)
        value = value[key] if isinstance(value, dict) else value[int(key)]
    return str(key if pointer.endswith("#") else value)


RECEIVERS = (
    *(
        "s",
        "('lit' ~ s)",
        "(s|safe)",
        "['lit', s]",
        "rows",
        "('lit', s)",
        "{s: 'lit'}",
        "{'lit': s}",
        "n",
        "(n + 1)",
        "f",
        "none",
    ),
    *("missing", "(l|map('upper'))", "range(3)", "d.items()", "namespace(a=s)", "s.encode()"),
)
ARGUMENTS = (
    *("", "s", "'l'", "1", "'l', s", "s, 'lit'", "2, s", "'k', 'eq', s", "attribute='k'", "attribute='k', default=s"),
    *("d=s, attribute='k'", "width=s, first=true", "separators=(s, ': '), indent=2", "'upper'", "'l', s, 1", "d"),
)
VALUES = canaries(
    {
        "s": "abc, Def <b>\n xyz",
        "u": "x y",
        "n": 7,
        "f": 0.5,
        "l": ["b", "a", "b"],
        "rows": [{"k": "v", "x": 2}, {"k": "w", "x": 1}],
        "d": {"k": "v", "m": ["w", 4, {"deep": "er"}]},
    }
)


@pytest.mark.parametrize("name", sorted(set(JINJA.filters) - BY_CHANCE))
def test_every_filter(name: str) -> None:
    rendered = [
        check(f"{{{{ {receiver}|{name}({args}) }}}}", VALUES)
        for receiver, args in itertools.product(RECEIVERS, ARGUMENTS)
    ]
    assert any(rendered)


@pytest.mark.parametrize("name", sorted({name for row in JINJA.methods.values() for name in row}))
def test_every_method(name: str) -> None:
    for receiver, args in itertools.product(RECEIVERS, ARGUMENTS[:7]):
        check(f"{{{{ {receiver}.{name}({args}) }}}}", VALUES)


@pytest.mark.parametrize("name", sorted(JINJA.tests))
def test_every_test(name: str) -> None:
    operator = f"is {name}" if name.isidentifier() else name
    sources = [
        f"{{{{ 'yes' if {receiver} {operator} {other} else s }}}}"
        for receiver, other in itertools.product(RECEIVERS, ("", "s", "3"))
    ]
    assert [source for source in sources if check(source, VALUES)]


@settings(max_examples=80)
@given(st.data())
def test_any_template(data: st.DataObject) -> None:
    source = JinjaGrammar(lambda count: data.draw(st.integers(0, count - 1))).template()
    if not any(name in source for name in BY_CHANCE):
        check(source, GRAMMAR_CONTEXT)


def test_a_chat_template() -> None:
    source = (
        "{{ bos_token }}{% for m in messages %}{{ '<|' + m.role + '|>' }}{{ m.content|trim }}{{ eos }}"
        "{% if m.tools %}{{ m.tools|tojson }}{% endif %}{% endfor %}<|assistant|>"
    )
    context = {
        "bos_token": "<s>",
        "messages": [
            {"role": "user", "content": " hi <|x|>"},
            {"role": "hacker", "content": "", "tools": [{"name": "<|y|>"}]},
        ],
    }
    prompt = ENVIRONMENT.from_string(source).render_marked(context)
    assert marks(prompt.parts) == ('<s><|user|>⟨hi <|x|>⟩<|⟨hacker⟩|>[{"⟨name⟩": "⟨<|y|>⟩"}]<|assistant|>')
    assert flags(prompt.parts)[0] == ("<s><|user|>", False)
