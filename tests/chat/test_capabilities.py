"""Capabilities: what probes find, and the use of values that they watch."""

from __future__ import annotations

import json
import sys
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from chatjinja import ChatTemplate, Environment, LimitError, Limits
from chatjinja.chat import Evidence
from chatjinja.chat.capabilities import (
    NAMES,
    Capabilities,
    ServerCapabilities,
    find_capabilities,
    find_server_capabilities,
)
from chatjinja.chat.probes.prober import Prober
from chatjinja.environment.traced import Trace, Tracer

MESSAGES = "{% for m in messages %}"
END = "{% endfor %}"


def capabilities(source: str) -> Capabilities:
    return ChatTemplate.from_string(source).capabilities


def yes(source: str) -> set[str]:
    return {name.removeprefix("supports_") for name, value in capabilities(source).as_dict().items() if value}


def test_nothing_is_used() -> None:
    assert yes("x") == {"string_content"}
    assert set(capabilities("x").evidence) == set(NAMES)


def test_plain_template() -> None:
    assert yes(MESSAGES + "{{ m.role }}{{ m.content }}" + END) == {"string_content", "system_role"}


def test_everything() -> None:
    source = (
        "{% for t in tools %}{{ t.function.name }}{% endfor %}{{ reasoning_effort }}"
        + MESSAGES
        + "{% if m.content is string %}{{ m.content }}{% else %}"
        "{% for p in m.content %}{{ p.text }}{% endfor %}{% endif %}{{ m.reasoning_content }}"
        "{% for c in m.tool_calls %}{{ c.function.name }}"
        "{% for k, v in c.function.arguments|items %}{{ v }}{% endfor %}{% endfor %}" + END
    )
    assert len(yes(source)) == len(NAMES)


def test_content_as_a_list() -> None:
    assert yes(MESSAGES + "{% for p in m.content %}{{ p.text }}{% endfor %}" + END) >= {"typed_content"}
    assert "string_content" not in yes(MESSAGES + "{% for p in m.content %}{{ p.text }}{% endfor %}" + END)
    source = MESSAGES + "{% if m.content is not string %}{{ m.content[0].text }}{% endif %}" + END
    assert capabilities(source).supports_typed_content
    hidden = MESSAGES + "{{ m.content[0] }}" + END
    assert capabilities(hidden).evidence["supports_string_content"] == Evidence(
        "no", "content that is text does not appear"
    )


def test_a_test_for_text_alone_is_no_list() -> None:
    source = MESSAGES + "{% if m.content is string %}{{ m.content }}{% endif %}" + END
    assert not capabilities(source).supports_typed_content


def test_failing_probes() -> None:
    found = capabilities("{{ raise_exception('never') }}")
    assert found.as_dict() == {**dict.fromkeys(NAMES, False), "supports_preserve_reasoning": False}
    failed = {name for name, evidence in found.evidence.items() if evidence.answer == "probe failed"}
    assert failed == set(NAMES) - {"supports_typed_content"}
    assert found.evidence["supports_tools"].why == (
        "a conversation with a tool call raises an error: Jinja Exception: never"
    )


def test_arguments_as_text_only() -> None:
    source = (
        "{% for t in tools %}{{ t|tojson }}{% endfor %}"
        + MESSAGES
        + "{% for c in m.tool_calls or [] %}{{ 'x' + c.function.arguments|trim }}"
        "{% if c.function.arguments is not string %}{{ raise_exception('text') }}{% endif %}{% endfor %}" + END
    )
    found = capabilities(source)
    assert (found.supports_tools, found.supports_tool_calls, found.supports_object_arguments) == (True, True, False)
    assert found.evidence["supports_object_arguments"].answer == "probe failed"
    assert found.supports_parallel_tool_calls


def test_a_second_probe_takes_back() -> None:
    mapping = "{% if m.tool_calls[0].function.arguments is mapping %}{{ tools|tojson }}{% endif %}"
    found = capabilities(MESSAGES + "{% if m.tool_calls %}" + mapping + "{% endif %}" + END)
    assert not found.supports_tools
    assert found.supports_tool_calls
    text = mapping.replace("mapping", "string")
    assert not capabilities(MESSAGES + "{% if m.tool_calls %}" + text + "{% endif %}" + END).supports_tools


def test_probes_change_their_own_data_only() -> None:
    source = (
        "{% set _ = messages.pop() %}{% set _ = messages.pop() %}{{ messages }}{% for m in messages %}x{% endfor %}"
    )
    assert not capabilities(source).supports_system_role


def test_lines_of_errors() -> None:
    found = capabilities("\n" + MESSAGES + "{{ raise_exception('no') if m.role == 'system' }}" + END)
    assert found.evidence["supports_system_role"] == Evidence(
        "probe failed", "the content of a system message is not used: Jinja Exception: no", 2
    )


def test_everything_as_data() -> None:
    found = capabilities(MESSAGES + "{{ m.content }}{{ x }}" + END)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["server"]["supports_tools"] == {
        "value": False,
        "answer": "no",
        "why": "the name of a tool is not used",
        "lineno": None,
    }
    assert data["roles"]["user"]["content"]["shape"] == "string"
    assert data["variables"]["x"]["effects"][0]["value"] == "zqvaluezq"
    assert data["variables"]["x"]["lines"] == [1]
    assert set(data) == {"server", *(field.name for field in fields(found))} - {*NAMES, "evidence"}


def test_what_is_found_cannot_be_changed() -> None:
    found: Any = capabilities("x")
    with pytest.raises(FrozenInstanceError):
        found.supports_tools = True
    with pytest.raises(TypeError):
        found.roles["user"] = found.roles["system"]


def test_the_nine_alone_need_no_other_probe() -> None:
    template = Environment().from_string("{{ messages|length }}")
    server = find_server_capabilities(template)
    assert server.as_dict() == find_capabilities(template, server).as_dict()


def test_a_template_that_runs_into_a_limit_is_probed_no_further() -> None:
    template = Environment(limits=Limits(steps=1000)).from_string("{% for i in range(5000) %}{% endfor %}")
    prober = Prober(template)
    first = prober.render([prober.user]).error
    assert isinstance(first, LimitError)
    assert prober.render([prober.answer]).error is first
    found = find_capabilities(template, ServerCapabilities())
    assert {role.accepted.answer for role in found.roles.values()} == {"probe failed"}


# --- use of values -------------------------------------------------------------------------------------


def trace(source: str, **context: object) -> Trace:
    return Tracer(Environment().from_string(source)).render(context)


@pytest.mark.parametrize(
    ("source", "operations"),
    [
        ("{{ x }}", set()),
        ("{% set y = x %}{{ y }}", set()),
        ("{% macro f(a) %}{{ a }}{% endmacro %}{{ f(x) }}", set()),
        ("{{ x is string }}", {"test_is_string"}),
        ("{{ x is nonsense }}", set()),
        ("{{ x|trim }}", {"strip"}),
        ("{{ x|nonsense }}", {"nonsense"}),
        ("{{ x|upper is string }}", {"upper"}),
        ("{{ x|string is string }}", {"string"}),
        ("{{ x|default('') is string }}", {"default", "test_is_string"}),
        ("{{ x.upper() }}", {"upper"}),
        ("{{ x.nonsense }}", {"nonsense", "object_access"}),
        ("{{ x.nonsense() }}", {"nonsense", "object_access"}),
        ("{{ x[0] }}", {"array_access"}),
        ("{{ x['a'] }}", {"a", "object_access"}),
        ("{{ x['upper'] }}", {"upper", "object_access"}),
        ("{{ x[nothing] }}", set()),
        ("{{ x[1:] }}", {"slice"}),
        ("{% for c in x %}{% endfor %}", {"array_access"}),
        ("{% for a, b in x %}{% endfor %}", {"array_access"}),
        ("{{ x|tojson }}", {"tojson"}),
        ("{{ tojson(x) }}", set()),
        ("{% filter upper %}{{ x }}{% endfilter %}", set()),
    ],
)
def test_operations_on_text(source: str, operations: set[str]) -> None:
    assert trace(source, x="abc").operations("x") == operations


@pytest.mark.parametrize(
    ("source", "operations"),
    [
        ("{{ x.k }}", {"k", "object_access"}),
        ("{{ x.items() }}", {"items"}),
        ("{{ x['k'] }}", {"object_access"}),
        ("{{ x['items'] }}", {"items", "object_access"}),
        ("{{ x.get('k') }}", {"get"}),
        ("{% for k in x %}{% endfor %}", {"array_access", "object_access"}),
        ("{% for k, v in x %}{% endfor %}", {"array_access", "object_access"}),
        ("{{ x|tojson }}", {"tojson"}),
        ("{{ x|string }}", {"string"}),
        ("{{ x|trim }}", set()),
        ("{{ nothing.x }}", None),
        ("{{ 'x' }}", None),
    ],
)
def test_operations_on_objects(source: str, operations: set[str] | None) -> None:
    assert trace(source, x={"k": "v"}).operations("x") == operations


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("{{ x.k }}", True),
        ("{{ x['k'] }}", True),
        ("{{ x.get('k') }}", False),
        ("{% set v = x.get('k') %}{{ v }}", True),
        ("{% for k, v in x|items %}{{ k }}{% endfor %}", False),
        ("{% for k, v in x|items %}{{ v }}{% endfor %}", True),
        ("{% for k, v in x.items() %}{{ loop.previtem }}{% endfor %}", False),
        ("{{ x|tojson }}", True),
        ("{{ x.tojson() }}", True),
        ("{{ x|string }}", True),
        ("{{ [x, [x]]|tojson }}", True),
        ("{{ tojson(x) }}", True),
        ("{{ tojson() }}", False),
        ("{{ x ~ '' }}", False),
        ("{{ x == 1 }}", False),
        ("{{ [x]|join }}", False),
    ],
)
def test_use_of_what_is_inside(source: str, used: bool) -> None:
    assert trace(source, x={"k": "v"}).uses("x", "k") is used


def test_loop_neighbours_are_used() -> None:
    found = trace("{% for i in x %}{{ loop.previtem }}{% endfor %}", x=["a", "b"])
    assert [found.uses("x", 0), found.uses("x", 1)] == [True, False]


def test_the_caller_may_be_deep_in_the_stack() -> None:
    def deep(depth: int) -> str:
        return deep(depth - 1) if depth else trace("{% if x %}{{ x }}{% endif %}", x="a").text

    with pytest.raises(RecursionError):
        deep(sys.getrecursionlimit())
    assert {deep(depth) for depth in range(sys.getrecursionlimit() - 300, sys.getrecursionlimit() - 120, 5)} == {"a"}


def test_traces_of_what_fails() -> None:
    for source, message in (
        ("{{ raise_exception('x') }}", "Jinja Exception: x"),
        ("{% macro f() %}{% break %}{% endmacro %}{{ f() }}", "a break or continue outside of a loop was executed"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "limit reached: macro calls"),
        ("{{ x.nonsense() }}", "Callee is not a function: got Undefined (hint: 'nonsense')"),
        ("{{ range.x() }}", "Function has no builtins"),
    ):
        found = trace(source, x="a")
        assert found.text == ""
        assert found.error is not None
        assert found.error.message.startswith(message), found.error.message
    assert trace("{{ x }}", x="a").operations("x", "deeper", 3) is None
    assert trace("{{ x }}", x="a").text == "a"
