"""Provenance by identity: where the objects of a context do not tell their places by themselves."""

# ruff: noqa: E501 -- tables

from __future__ import annotations

import copy
import enum
import types
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from chatjinja import DEFAULT_TRUST, ContextError, Environment, TrustPolicy
from chatjinja.environment import sourced_parts, template
from chatjinja.environment.snapshot import Places, careful, snapshot
from chatjinja.runtime.sourced import Unsourced
from tests.marking.support import ENVIRONMENT, check_provenance, flags


def sources(source: str, context: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Text and source of every part; checked against the exact form."""
    compiled = ENVIRONMENT.from_string(source)
    check_provenance(compiled, context, flags(compiled.render_marked(context).parts))
    return [(part.text, part.source) for part in compiled.render_marked(context, provenance=True).parts]


SHARED = "".join(["he", "llo"])
LIST = ["in a list"]


class Color(enum.StrEnum):
    RED = "red"


class View(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return {"k": "v"}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(["k"])

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("source", "context", "expected"),
    [
        ("{{ a }}{{ b }}", {"a": SHARED, "b": SHARED}, [("hello", "/a"), ("hello", "/b")]),
        ("{{ a[0] }}{{ b[0] }}", {"a": LIST, "b": LIST}, [("in a list", "/a/0"), ("in a list", "/b/0")]),
        ("{{ a }}{{ d.x }}", {"a": "s", "d": {"x": "s"}}, [("s", "/a"), ("s", "/d/x")]),
        ("{{ n }}{{ d.n }}", {"n": 1, "d": {"n": 1}}, [("1", "/n"), ("1", "/d/n")]),
        ("{{ n }}{{ f }}", {"n": 2**63, "f": 1.5}, [("-9223372036854775808", "/n"), ("1.5", "/f")]),
        ("{{ 'x' ~ n }}{{ s }}", {"n": 5, "s": "5"}, [("x", None), ("5", "/n"), ("5", "/s")]),
        ("{% for k in d %}{{ k }}{% endfor %}", {"d": {"role": 1, "x": 2}}, [("role", "/d/role#"), ("x", "/d/x#")]),
        (
            "{% for m in messages %}{% for k, v in m.items() %}{{ k }}={{ v }};{% endfor %}{% endfor %}",
            {"messages": [{"role": "x"}, {"role": "x"}]},
            [
                *[("role", "/messages/0/role#"), ("=", None), ("x", "/messages/0/role"), (";", None)],
                *[("role", "/messages/1/role#"), ("=", None), ("x", "/messages/1/role"), (";", None)],
            ],
        ),
        ("{{ v.k }}{{ c }}", {"v": View(), "c": Color.RED}, [("v", "/v/k"), ("red", "/c")]),
        ("{{ t[1] }}", {"t": ("a", "bc")}, [("bc", "/t/1")]),
        ("{{ messages[0].role }}", {"messages": ({"role": "user"},)}, [("user", "/messages/0/role")]),
        ("{{ messages[1] }}", {"messages": [{"role": "user"}, "text"]}, [("text", "/messages/1")]),
        ("{{ messages.role }}", {"messages": {"role": "user"}}, [("user", "/messages/role")]),
        ("{{ messages }}{{ role }}", {"messages": "text", "role": "user"}, [("text", "/messages"), ("user", "/role")]),
        ("{{ messages[0].content }}", {"messages": [{"content": "text"}]}, [("text", "/messages/0/content")]),
        ("{{ messages[0].role }}", {"messages": [{"role": ["x", "y"]}]}, [("x", "/messages/0/role/0"), ("y", "/messages/0/role/1")]),
        ("{{ messages[0].role }}", {"messages": [{"role": Color.RED}]}, [("red", "/messages/0/role")]),
        ("{{ messages[0].content[0].text }}", {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}, [("hi", "/messages/0/content/0/text")]),
        ("{{ s }}{{ messages[0].content }}", {"s": SHARED, "messages": [{"role": "user", "content": SHARED}]}, [("hello", "/s"), ("hello", "/messages/0/content")]),
        ("{{ messages[0]['a/b'] }}{{ messages[0]['~'] }}", {"messages": [{"role": "user", "a/b": "hi", "~": "ho"}]}, [("hi", "/messages/0/a~1b"), ("ho", "/messages/0/~0")]),
        ("{{ bos_token }}{{ eos_token }}", {"bos_token": Color.RED, "eos_token": "</s>"}, [("red", "/bos_token"), ("</s>", "/eos_token")]),
        ("{{ bos_token|upper }}{{ bos_token ~ s }}", {"bos_token": "<s>", "s": "text"}, [("<S>", "/bos_token"), ("<s>", "/bos_token"), ("text", "/s")]),
        ("{{ nothing }}{{ s }}{{ empty }}", {"nothing": None, "s": "text", "empty": ""}, [("text", "/s")]),
    ],
)  # fmt: skip
def test_places(source: str, context: dict[str, Any], expected: list[tuple[str, str | None]]) -> None:
    assert sources(source, context) == expected


CUT: dict[str, Any] = {
    "s": "  ab cd e ",
    "u": "xy",
    "l": ["one", "two", "t"],
    "m": [{"k": "vw", "n": 1}, {"k": "w", "n": 2}],
}


@pytest.mark.parametrize(
    "source",
    [
        "{{ s|trim }}{{ s.strip() }}{{ s.lstrip(' a') }}{{ s.rstrip(u) }}{{ s|trim|trim }}{{ u|trim }}",
        "{{ s.strip('abcde ') }}{{ s.strip(' bcde') }}",
        "{{ s.split(' ')[2] }}{{ s.split(' ')|tojson }}{{ s.split()[0]|upper }}{{ s.split(u)|last }}{{ s.rsplit(' ', 1)[0] }}",
        "{{ s[2:4] }}{{ s[3] }}{{ s[::-1] }}{{ s|upper|lower|title|capitalize }}{{ u[:] }}",
        "{% set x = s|trim ~ '+' ~ u %}{{ x }}{{ x|upper }}{{ x|replace('b', u) }}{{ x|length }}{{ x.split('+')[1] }}",
        "{{ l|join(', ') }}{{ l|tojson }}{{ [s, u]|tojson }}{{ {'a': s, u: l}|tojson }}{{ l }}{{ l|string }}",
        "{{ l[1:]|tojson }}{{ m[1:]|tojson }}{{ m|tojson(indent=2) }}{{ m|map(attribute='k')|join('-') }}",
        "{{ m|tojson(separators=(',', ':')) }}{{ m|tojson(separators=(':', ',')) }}{{ s|tojson }}{{ 'lit'|tojson }}",
        "{{ s|replace('a', 'b') }}{{ s|indent(2) }}{{ 'f{}g'.format(u) }}{{ u * 2 }}{{ s|string }}{{ s|safe }}",
        "{% set x %}{{ u }}{% endset %}{{ x }}{{ x|trim }}{% set y %}{{ x }}{% endset %}{{ y }}{{ y|upper }}",
        "{% set x %}lit{% endset %}{{ x }}{% set y %}{% endset %}{{ y }}{% set z %}{{ x }}{{ u }}{% endset %}{{ z ~ y }}",
        "{% set x %}{{ l|tojson }}{% endset %}{{ x }}{% set y %}{{ m[0].n }}{% endset %}{{ y }}",
        "{% set x %}{{ s|trim }}{% endset %}{% set y %}{{ x|trim }}{% endset %}{{ y.split(' ')[1] }}",
        "{% macro f(a) %}<{{ a }}>{% endmacro %}{{ f(u) }}{{ f(u)|upper }}{% set g = f %}{{ g(s|trim) }}",
        "{% macro f(a) %}{{ a }}{% endmacro %}{% set x = f(u) %}{{ x }}{{ f(x) }}{% if l %}{% set f = l %}{% endif %}",
        "{% macro f() %}[{{ caller() }}]{% endmacro %}{% call f() %}{{ u }}{% endcall %}",
        "{% macro f() %}{{ caller(u) }}{% endmacro %}{% call(a) f() %}{{ a }}!{% endcall %}",
        "{% filter trim %} {{ u }} {% endfilter %}{% filter upper %}lit{% endfilter %}{% filter tojson %}{{ u }}{% endfilter %}",
        "{% for x in l %}{{ x }}{% if loop.first %}{% continue %}{% endif %}-{{ loop.index }}{% else %}no{% endfor %}",
        "{% for x in l %}lit{% if x == 'two' %}{{ x }}{% break %}{% endif %}{% endfor %}",
        "a{# c #}b{{ 'c' }}{{ '' }}{{ 'd' ~ 'e' }}{{ none }}{{ true }}{{ 1.5 }}{{ 2 }}{{ u if l else 'x' }}{{ u if not l }}",
        "{{ 'a' + u + 'b' }}{{ u + 'b' }}{{ u + s }}{{ (u ~ 1) ~ 2 }}{{ missing }}{{ missing ~ u }}",
        "{{ 'a' }}{% set x = 'a' %}{{ x }}{{ x|capitalize }}{{ (x ~ 'b')|capitalize }}{{ [x, 'c']|join }}",
        "{{ l + m }}{{ 'a' ~ l }}{{ l ~ u }}",
        "{% set ns = namespace(x=u, n=0) %}{% for a in l %}{% set ns.n = ns.n + 1 %}{% set ns.x = ns.x ~ a %}{% endfor %}{{ ns.x }}{{ ns.n }}",
        "{{ l.append(u) }}{{ l }}",
    ],
)  # fmt: skip
def test_what_becomes_of_strings(source: str) -> None:
    sources(source, CUT)
    sources(source, {**CUT, "u": "x", "s": "é"})


def test_numbers_and_keys_in_json() -> None:
    data = {'a/b~"é\n': [1, "x", "", {}, [], None, True, 0.5], "k": {"k": "k"}, 7: -1}
    template = "{{ d|tojson }}{{ d|tojson(ensure_ascii=true) }}{{ d|tojson(indent=1) }}"
    found = sources(template, {"d": data})
    assert found[:3] == [('{"', None), ('a/b~\\"é\\n', '/d/a~1b~0"é\n#'), ('": [', None)]
    assert ("-1", "/d/7") in found
    sources("{{ d|tojson }}", {"d": {1.5: "x", 0.1: ["y"]}})
    for odd in (True, None, 2**70, 1e300):
        ENVIRONMENT.from_string("{{ d|tojson }}").render_marked({"d": {odd: "x"}}, provenance=True).parts  # noqa: B018


def test_the_caller_may_change_the_data_after_the_render() -> None:
    context: dict[str, Any] = {
        "messages": [{"role": "user", "content": "text", "calls": [{"name": "f", "n": 1}]}],
        "tools": [{"name": "tool"}],
        "x": "y",
    }
    compiled = ENVIRONMENT.from_string(
        "{% for m in messages %}{{ m.role }}{{ m.content }}{{ m.calls|tojson }}{{ m.calls[0].n }}{{ x }}{% endfor %}"
        "{{ tools|tojson }}{{ tools[0].name }}"
    )
    expected = compiled.render_marked(copy.deepcopy(context), provenance=True).parts
    prompt = compiled.render_marked(context, provenance=True)
    context["messages"][0].update(role="x", content="changed", calls=[])
    context["messages"].append(None)
    context["tools"][0]["name"] = 5
    context["tools"] = context["x"] = None
    assert prompt.parts == expected


def test_parts_are_of_the_moment_of_the_render() -> None:
    moments = iter(range(0, 10**6, 100_000))
    environment = Environment(now=lambda: next(moments))
    compiled = environment.from_string("{{ strftime_now('%H:%M') }}{{ n }}{{ l.append(1) if l is defined }}")
    for context in ({"n": 1}, {"n": 1, "l": []}):
        prompt = compiled.render_marked(context, provenance=True)
        assert "".join([part.text for part in prompt.parts]) == prompt.text


def test_what_is_no_data() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    compiled = ENVIRONMENT.from_string("{{ x }}{{ y }}")
    for value in (cyclic, {1, 2}, [b"bytes"], {"k": object()}):
        with pytest.raises(ContextError):
            compiled.render_marked({"x": value}, provenance=True)


def test_every_policy() -> None:
    context = {"a": ["x", "yes", "no"], "b": {"k": "x"}, "c": "x"}
    compiled = ENVIRONMENT.from_string("{{ a[0] }}{{ a[1] }}{{ b.k }}{{ c|upper }}")
    policy = TrustPolicy({"/a/1": frozenset(["yes"]), "/b/*": None, "/c": None, "/missing/x": None})
    prompt = compiled.render_marked(context, provenance=True, trust=policy)
    assert [(part.is_input, part.source) for part in prompt.parts] == [
        (True, "/a/0"),
        (False, "/a/1"),
        (False, "/b/k"),
        (False, "/c"),
    ]
    assert flags(prompt.parts) == flags(compiled.render_marked(context, trust=policy).parts)


def test_lists_print_in_another_way_than_they_concatenate() -> None:
    compiled = Environment().from_string("{{ 'a' + x }}")
    prompt = compiled.render_marked({"x": ["b", "cd"]}, provenance=True)
    assert [(part.text, part.source) for part in prompt.parts] == [
        ("a['", None),
        ("b", "/x/0"),
        ("', '", None),
        ("cd", "/x/1"),
        ("']", None),
    ]


def test_where_the_exact_form_has_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The forms in their order: fast, fast on a careful snapshot, exact."""
    asked: list[str] = []

    def note(name: str, function: Any) -> Any:
        def noted(*args: Any) -> Any:
            asked.append(name)
            return function(*args)

        return noted

    monkeypatch.setattr(template, "sourced_parts", note("fast", sourced_parts.sourced_parts))
    monkeypatch.setattr(template, "careful", note("careful", careful))
    monkeypatch.setattr(template, "sound_parts", note("exact", template.sound_parts))

    def forms(source: str, context: dict[str, Any]) -> list[str]:
        asked.clear()
        assert ENVIRONMENT.from_string(source).render_marked(context, provenance=True).parts
        return list(asked)

    assert forms("{{ a }}", {"a": "text"}) == ["fast"]
    assert forms("{{ a }}", {"a": "t"}) == ["fast", "careful", "fast"]
    assert forms("{{ a }}", {"a": 1}) == ["fast", "careful", "fast"]
    assert forms("{{ a.append('x') }}{{ a }}", {"a": ["y"]}) == ["exact"]
    assert forms("{{ a }}", {"a": types.MappingProxyType({"k": "v"})}["a"] and {"a": ("t",)}) == ["exact"]
    assert forms("{{ missing[k]|string }}{{ a }}", {"k": "key", "a": "text"}) == ["fast"]
    assert forms("{{ [d[k]]|string }}", {"k": "nokey", "d": {"a": "b"}}) == ["fast", "careful", "fast", "exact"]


def test_snapshots() -> None:
    shared = {"k": ["vw"]}
    context = {"a": shared, "b": shared, "left out": "x", "n": 1}
    made = snapshot(context, ["a", "b", "n", "missing"], DEFAULT_TRUST)
    assert made == {"a": shared, "b": shared, "n": 1}
    assert made["a"] is not made["b"]
    places = Places(made)
    assert list(places.known.values()) == ["/a", "/b"]
    assert places.find(made["b"]["k"]) == "/b/k"
    assert places.find(made["b"]["k"][0]) == "/b/k/0"
    assert places.find(next(iter(made["a"]))) is None  # one character
    assert places.find("elsewhere") is None
    careful_made, twins = careful(made)
    assert Places(careful_made).find_all()
    assert twins[id(careful_made["a"])] is made["a"]
    with pytest.raises(Unsourced):
        snapshot({"a": {1, 2}}, ["a"], DEFAULT_TRUST)


def test_many_strings_in_a_body() -> None:
    source = "{% set x %}{% for i in range(3000) %}{{ s }}-{{ i }}{% endfor %}{% endset %}{{ x[:9] }}{{ x|length }}"
    assert sources(source, {"s": "text"})[:2] == [("text", "/s"), ("-", None)]


def test_long_conversations() -> None:
    messages = [{"role": "user", "content": f"number {index}"} for index in range(5000)]
    context = {"a": SHARED, "messages": messages, "s": SHARED}
    messages[0]["name"] = messages[1]["name"] = SHARED
    found = sources("{% for m in messages %}{{ m.role }}{{ m.content }}{{ m.name }}{% endfor %}{{ a }}{{ s }}", context)
    assert found[-4:-2] == [("user", "/messages/4999/role"), ("number 4999", "/messages/4999/content")]
    assert found[-2:] == [("hello", "/a"), ("hello", "/s")]
    assert found[2] == ("hello", "/messages/0/name")
