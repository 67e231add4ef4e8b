"""Reasoning in the history."""

from __future__ import annotations

import pytest

from chatjinja.chat import Capabilities, Evidence
from tests.chat.probes.support import CHATML, PARTS_ONLY, THINKING, lines, probe


def kept(found: Capabilities, way: str) -> set[str]:
    reasoning = found.reasoning[way]
    return {name for name in ("earlier", "previous", "with_call", "last") if getattr(reasoning, name).answer == "yes"}


def test_after_the_last_question() -> None:
    found = probe(THINKING)
    for way in ("reasoning_content", "content <think>"):
        assert kept(found, way) == {"with_call", "last"}
        assert (found.reasoning[way].before, found.reasoning[way].after) == ("<think>\n", "\n</think>\n\n")
    assert kept(found, "thinking") == kept(found, "reasoning") == set()


def test_plain_templates_keep_what_is_within_the_text() -> None:
    found = probe(CHATML)
    assert list(found.reasoning) == [
        "reasoning_content",
        "reasoning",
        "thinking",
        "content[].thinking",
        "content <think>",
    ]
    assert kept(found, "content <think>") == {"earlier", "previous", "with_call", "last"}
    assert kept(found, "reasoning_content") == set()


def test_all_but_the_last_answer_is_cut() -> None:
    source = lines(
        "{% set ns = namespace(last=-1) %}",
        "{% for m in messages %}{% if m.role == 'assistant' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}",
        "{% for m in messages %}",
        "{{ m.content if loop.index0 == ns.last else m.content.split('</seed:think>')[-1] }}",
        "{% endfor %}",
    )
    assert kept(probe(source), "content <seed:think>") == {"previous", "with_call", "last"}


def test_other_keys_and_marks() -> None:
    source = lines(
        "{% for m in messages %}",
        "{% if m['thoughts'] %}{{ '<|channel|>analysis' ~ m['thoughts'] ~ '<|end|>' }}{% endif %}",
        "{{ m.content }}{{ ns.think_index[0]['not a name: thinking'] }}{% endfor %}",
    )
    found = probe(source)
    assert kept(found, "thoughts") == {"earlier", "previous", "with_call", "last"}
    assert (found.reasoning["thoughts"].before, found.reasoning["thoughts"].after) == ("<|channel|>analysis", "<|end|>")
    assert kept(found, "think_index") == set()
    assert "not a name: thinking" not in found.reasoning


@pytest.mark.parametrize("closing", ["[/THINK]", "</seed:think>", "<|/think|>", "</think>"])
def test_tags_of_the_template(closing: str) -> None:
    source = CHATML + "{{ 'x' if '" + closing + "' in messages[0].content }}"
    assert f"content {closing.replace('/', '')}" in probe(source).reasoning


def test_parts() -> None:
    source = PARTS_ONLY.replace("{{- p.text }}", "{{- p.thinking or p.text }}")
    assert source != PARTS_ONLY
    found = probe(source)
    assert kept(found, "content[].thinking") == {"earlier", "previous", "with_call", "last"}
    printed = probe("{% for m in messages %}{{ m.content ~ '' }}{% endfor %}").reasoning["content[].thinking"]
    assert printed.last == Evidence("no", "it is printed as data")


def test_only_when_thinking() -> None:
    source = lines(
        "{% for m in messages %}{% if enable_thinking and m.reasoning_content %}{{ '<think>' ~ m.reasoning_content }}",
        "{% endif %}{{ m.content }}{% endfor %}",
    )
    found = probe(source).reasoning["reasoning_content"]
    assert found.earlier == Evidence("yes", "it appears if enable_thinking is true")
    both = probe("{{ thinking }}" + source).reasoning["reasoning_content"]
    assert both.last.why == "it appears if enable_thinking or thinking is true"
    always = probe("{{ enable_thinking }}" + CHATML).reasoning["content <think>"]
    assert always.last.why == "it appears"


def test_refused() -> None:
    source = CHATML.replace("{{ m.role }}", "{{ m.role }}{{ raise_exception('no!') if m.thinking }}")
    found = probe(source)
    assert found.reasoning["thinking"].earlier == Evidence("no", 'refused: "no!"', 1)
    assert kept(found, "content <think>") == {"earlier", "previous", "with_call", "last"}
