"""Provenance: where each part came from, and what printed it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.marking.support import ENVIRONMENT

CONTEXT: dict[str, Any] = {
    "messages": [{"role": "user", "content": " hi there "}, {"role": "evil", "content": "x"}],
    "n": 5,
    "f": 0.5,
    "d": {"a/b": {"c": [1, "q"], "~": "t"}, 7: "seven", None: 1, True: 2, 1.5: 3},
    "bos_token": "<s>",
}


def trace(source: str) -> list[tuple[str, str | None, str]]:
    """Text, source and printer of every part."""
    prompt = ENVIRONMENT.from_string(source).render_marked(CONTEXT, provenance=True)
    assert prompt.text == ENVIRONMENT.from_string(source).render(CONTEXT)
    found = []
    for part in prompt.parts:
        assert part.span is not None
        found.append((part.text, part.source, source[part.span.start : part.span.end]))
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a{{ n }}", [("a", None, "a"), ("5", "/n", "{{ n }}")]),
        ("{{ bos_token }}{{ bos_token }}", [("<s>", "/bos_token", "{{ bos_token }}")] * 2),
        (
            "{{ '<' ~ messages[0].role ~ messages[1].role ~ 1 }}",
            [
                ("<", None, "{{ '<' ~ messages[0].role ~ messages[1].role ~ 1 }}"),
                ("user", "/messages/0/role", "{{ '<' ~ messages[0].role ~ messages[1].role ~ 1 }}"),
                ("evil", "/messages/1/role", "{{ '<' ~ messages[0].role ~ messages[1].role ~ 1 }}"),
                ("1", None, "{{ '<' ~ messages[0].role ~ messages[1].role ~ 1 }}"),
            ],
        ),
        (
            "{% set x %}[{{ messages[0].content|trim|upper }}]{% endset %}{{ x }}",
            [
                ("[", None, "["),
                ("HI THERE", "/messages/0/content", "{{ messages[0].content|trim|upper }}"),
                ("]", None, "]"),
            ],
        ),
        (
            "{% macro m(x) %}{{ x.split()[0] }}!{% endmacro %}{{ m(messages[0].content|trim) }}",
            [("hi", "/messages/0/content", "{{ x.split()[0] }}"), ("!", None, "!")],
        ),
        (
            "{% for k in d %}{{ k }}{% endfor %}",
            [
                ("a/b", "/d/a~1b#", "{{ k }}"),
                ("7", "/d/7#", "{{ k }}"),
                ("True", None, "{{ k }}"),
                ("1.5", "/d/1.5#", "{{ k }}"),
            ],
        ),
        ("{{ d['a/b']['~'] }}", [("t", "/d/a~1b/~0", "{{ d['a/b']['~'] }}")]),
        (
            "{{ d['a/b'].c|tojson }}",
            [
                ("[", None, "{{ d['a/b'].c|tojson }}"),
                ("1", "/d/a~1b/c/0", "{{ d['a/b'].c|tojson }}"),
                (', "', None, "{{ d['a/b'].c|tojson }}"),
                ("q", "/d/a~1b/c/1", "{{ d['a/b'].c|tojson }}"),
                ('"]', None, "{{ d['a/b'].c|tojson }}"),
            ],
        ),
        (
            "{% filter upper %}{{ messages[1].content }}{% endfilter %}",
            [("X", "/messages/1/content", "{{ messages[1].content }}")],
        ),
        (
            "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ f }}{% endcall %}",
            [("0.5", "/f", "{{ f }}")],
        ),
        (
            "{% filter replace('a', messages[1].content) %}ab{% endfilter %}",
            [
                ("x", "/messages/1/content", "{% filter replace('a', messages[1].content) %}ab{% endfilter %}"),
                ("b", None, "ab"),
            ],
        ),
        ("{{ n|default(1) }}{{ n|string }}", [("5", "/n", "{{ n|default(1) }}"), ("5", "/n", "{{ n|string }}")]),
        ("{{ n + 1 }}{{ n|int }}", [("6", None, "{{ n + 1 }}"), ("5", None, "{{ n|int }}")]),
    ],
)
def test_sources_and_spans(source: str, expected: list[tuple[str, str | None, str]]) -> None:
    assert trace(source) == expected


def test_flags() -> None:
    prompt = ENVIRONMENT.from_string("{{ bos_token }}{{ n }}x").render_marked(CONTEXT, provenance=True)
    assert [part.is_input for part in prompt.parts] == [False, True, False]
