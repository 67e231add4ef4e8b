"""Templates that nobody writes: whatever they do, it is an answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatjinja import Environment, Limits, TemplateError
from chatjinja.chat.capabilities import find_capabilities, find_server_capabilities
from tests.chat.probes.support import CHATML, TOOLS
from tests.properties.grammar import Grammar

ENVIRONMENT = Environment(limits=Limits(steps=20_000))


def probed(source: str) -> str:
    template = ENVIRONMENT.from_string(source)
    return json.dumps(find_capabilities(template, find_server_capabilities(template)).to_dict(), allow_nan=False)


@st.composite
def templates(draw: st.DrawFn) -> str:
    return Grammar(lambda count: draw(st.integers(0, count - 1)), depth=3).template()


@settings(max_examples=40)
@given(templates(), st.sampled_from(["", CHATML, TOOLS]))
def test_any_template(source: str, more: str) -> None:
    try:
        ENVIRONMENT.from_string(source + more)
    except TemplateError:
        return
    assert probed(source + more)


@pytest.mark.parametrize(
    "source",
    [
        "{{ " + " and ".join(["a"] * 1500) + " }}",
        "{{ " + " ~ ".join(["a"] * 1500) + " }}",
        "{% if " + "not " * 150 + "a is defined %}{% endif %}",
        "{{ a" + "|default(1)" * 1500 + " }}",
        "{{ x == 9223372036854775807 }}{{ y < 9223372036854775807 }}{{ z < -1.5 }}",
        "{{ a == 'b\udcffc' }}",
        "{{ messages.append(messages[0]) }}{{ messages.pop() }}{{ messages }}",
        "{% for i in range(100000) %}{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ messages[0].update({'role': 'x'}) }}{{ nothing.x.y }}",
        "",
        "\n\n\n",
    ],
)
def test_odd_templates(source: str) -> None:
    assert probed(source)
