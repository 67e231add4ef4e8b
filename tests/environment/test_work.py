"""Work and output that are counted, and other rare ways through a render, all in this process."""

from __future__ import annotations

from collections import UserList
from typing import Any

import pytest

from chatjinja import Environment, LimitError, Limits, TemplateError

WORDS = [str(n) for n in range(5000)]


@pytest.mark.parametrize(
    "source",
    [
        "{{ words|sort|length }}",
        "{{ 'none' in words }}",
        "{{ none in words }}",
        "{{ 'none' not in words }}",
        "{% set made = words + words %}{{ made[1:]|length }}",
        "{{ words.append(1) if no }}{{ words == words }}",
        "{{ text.upper()|length }}",
    ],
)
def test_work_on_long_values_counts_as_steps(source: str) -> None:
    template = Environment(limits=Limits(steps=1)).from_string(source)
    with pytest.raises(LimitError) as caught:
        template.render({"words": WORDS, "text": "x" * 5000})
    assert caught.value.limit == "steps"
    assert Environment().from_string(source).render({"words": WORDS, "text": "x" * 5000})


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(9000) %}x{{ nothing }}{% endfor %}",
        "{% for i in range(70000) %}x{% endfor %}{% for i in range(3) %}{% endfor %}",
        "{% set s = 'x' * 20000 %}{{ s }}{{ nothing }}",
        "{{ ['x' * 20000] }}",
        "é{{ 'x' * 9000 }}",
    ],
)
def test_output_is_counted(source: str) -> None:
    template = Environment(limits=Limits(output=8500)).from_string(source)
    for render in (template.render, template.render_marked):
        with pytest.raises(LimitError) as caught:
            render({"nothing": None})
        assert caught.value.limit == "output"
    text = Environment().from_string(source).render({"nothing": None})
    assert Environment().from_string(source).render_marked({"nothing": None}).text == text


def test_long_prompts_are_looked_at_every_time() -> None:
    template = Environment().from_string("{{ s }}")
    for _ in range(2):
        assert template.render({"s": "é" * 600_000}) == "é" * 600_000


def test_json_texts_are_not_kept_without_bound() -> None:
    template = Environment().from_string("{{ v|tojson }}")
    for n in range(60):
        text = f"{n} " + "x" * 30_000
        assert template.render({"v": {"k": text}}) == '{"k": "' + text + '"}'


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{% for a, b in rows %}{{ b }}{{ a }}{% endfor %}", "2143"),
        ("{% set a, b = rows[0] %}{{ b }}{{ a }}", "21"),
        ("{{ true }}{{ 's' if none else 'n' }}", "1n"),
        ("{{ s" + ".strip(c)" * 60 + " }}", "b"),
        ("{{ s.startswith('\udce4') }}{{ s.split('\udce4')|length }}", "False1"),
    ],
)
def test_rare_ways(source: str, text: str) -> None:
    context: dict[str, Any] = {"rows": [UserList([1, 2]), UserList([3, 4])], "s": "aba", "c": "a", "true": 1}
    template = Environment().from_string(source)
    assert template.render(context) == text
    assert template.render_marked(context).text == text


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{{ 'a' not in 5 }}", 'Unknown operator "not in" between String and Integer'),
        ("{{ rows.0() }}", "Callee is not a function: got Array"),
        ("{% for k, v in items() %}{% endfor %}", "Callee is not a function: got Undefined (hint: 'items')"),
    ],
)
def test_rare_errors(source: str, message: str) -> None:
    with pytest.raises(TemplateError) as caught:
        Environment().from_string(source).render({"rows": [[1]]})
    assert caught.value.message == message
