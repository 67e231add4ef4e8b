"""Provenance in the dialect `transformers`: where each part came from, and what printed it."""

# ruff: noqa: E501 -- tables

from __future__ import annotations

import copy
import enum
import json
import os
import re
from collections import OrderedDict, UserDict
from functools import cache
from types import MappingProxyType
from typing import Any

import pytest

from chatjinja import ContextError, Environment, LimitError, Limits, Template, TemplateError, TrustPolicy
from chatjinja.environment.jinja_template import JinjaTemplate
from chatjinja.runtime.jinja.sources import SourcedRuntime
from chatjinja.runtime.marked import Marked, Source
from tests.conformance.corpora import CLOCK, context_json, read_corpus, shared_folder
from tests.marking.support import NO_TRUST, check_shape, flags

ENVIRONMENT = Environment("transformers", now=CLOCK, cache_size=0)
CONTEXT: dict[str, Any] = {
    "messages": [{"role": "user", "content": " hi there "}, {"role": "evil", "content": "x"}],
    "n": 5,
    "f": 0.5,
    "s": "in",
    "d": {"a/b": {"c": [1, "q"], "~": "t"}, 7: "seven", 1.5: 3},
    "l": ["ab", "c", "ab"],
    "bos_token": "<s>",
    "yes": True,
}


def parts_of(source: str, context: dict[str, Any], **options: Any) -> list[tuple[str, str | None, str]]:
    """Text, source and printer of every part; text and marks are those without provenance."""
    compiled = ENVIRONMENT.from_string(source)
    prompt = compiled.render_marked(context, provenance=True, **options)
    assert prompt.text == compiled.render(context)
    check_shape(prompt.text, prompt.parts)
    assert flags(prompt.parts) == flags(compiled.render_marked(context, **options).parts)
    found = []
    for part in prompt.parts:
        assert part.span is not None
        found.append((part.text, part.source, source[part.span.start : part.span.end]))
    return found


def pairs(source: str, context: dict[str, Any] = CONTEXT) -> list[tuple[str, str | None]]:
    return [found[:2] for found in parts_of(source, context)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a{{ n }}", [("a", None, "a"), ("5", "/n", "{{ n }}")]),
        ("{{ bos_token }}{{ bos_token|upper }}", [("<s>", "/bos_token", "{{ bos_token }}"), ("<S>", "/bos_token", "{{ bos_token|upper }}")]),
        (
            "{{ '<' ~ messages[0].role ~ messages[1].role ~ 1 }}",
            [(text, pointer, "{{ '<' ~ messages[0].role ~ messages[1].role ~ 1 }}") for text, pointer in (("<", None), ("user", "/messages/0/role"), ("evil", "/messages/1/role"), ("1", None))],
        ),
        (
            "{% set x %}[{{ messages[0].content|trim|upper }}]{% endset %}{{ x }}",
            [("[", None, "["), ("HI THERE", "/messages/0/content", "{{ messages[0].content|trim|upper }}"), ("]", None, "]")],
        ),
        (
            "{% macro m(x) %}{{ x.split()[0] }}!{% endmacro %}{{ m(messages[0].content|trim) }}",
            [("hi", "/messages/0/content", "{{ x.split()[0] }}"), ("!", None, "!")],
        ),
        (
            "{% macro m(x) %}{{ x }}!{% endmacro %}{{ m(s)|upper ~ 1 }}",
            [("IN", "/s", "{{ x }}"), ("!", None, "!"), ("1", None, "{{ m(s)|upper ~ 1 }}")],
        ),
        (
            "{% for k in d %}{{ k }}{% endfor %}",
            [("a/b", "/d/a~1b#", "{{ k }}"), ("7", "/d/7#", "{{ k }}"), ("1.5", "/d/1.5#", "{{ k }}")],
        ),
        ("{{ d['a/b']['~'] }}{{- d[7] }}", [("t", "/d/a~1b/~0", "{{ d['a/b']['~'] }}"), ("seven", "/d/7", "{{- d[7] }}")]),
        (
            "{{ d['a/b'].c|tojson }}",
            [(text, pointer, "{{ d['a/b'].c|tojson }}") for text, pointer in (("[", None), ("1", "/d/a~1b/c/0"), (', "', None), ("q", "/d/a~1b/c/1"), ('"]', None))],
        ),
        ("{% filter upper %}{{ messages[1].content }}{% endfilter %}", [("X", "/messages/1/content", "{{ messages[1].content }}")]),
        (
            "{% filter replace('a', s) %}ab{% endfilter %}",
            [("in", "/s", "{% filter replace('a', s) %}ab{% endfilter %}"), ("b", None, "ab")],
        ),
        ("{% macro m() %}{{ caller(s) }}{% endmacro %}{% call(x) m() %}{{ f }}{{ x }}{% endcall %}", [("0.5", "/f", "{{ f }}"), ("in", "/s", "{{ x }}")]),
        ("{% for x in [[s, [n]]] recursive %}{{ x if x is not iterable or x is string else loop(x) }}{% endfor %}", [("in", "/s", "{{ x if x is not iterable or x is string else loop(x) }}"), ("5", "/n", "{{ x if x is not iterable or x is string else loop(x) }}")]),
        ("{% block a %}{{ s }}{% endblock %}{{ self.a() }}", [("inin", "/s", "{{ s }}")]),
        ("{% generation %}{{ s }}{% endgeneration %}", [("in", "/s", "{{ s }}")]),
        ("{% generation %}{{ varargs }}{{ s }}{% endgeneration %}", [("()", None, "{{ varargs }}"), ("in", "/s", "{{ s }}")]),
        ("{{ 'a' + s + 'b' if yes else 1 }}", [(text, pointer, "{{ 'a' + s + 'b' if yes else 1 }}") for text, pointer in (("a", None), ("in", "/s"), ("b", None))]),
        ("{{ n|default(1) }}{{ n|string }}", [("5", "/n", "{{ n|default(1) }}"), ("5", "/n", "{{ n|string }}")]),
        ("{{ n + 1 }}{{ n|int }}{{ yes }}{{ 1 == 1 }}{{ '' }}", [("6", None, "{{ n + 1 }}"), ("5", None, "{{ n|int }}"), ("True", None, "{{ yes }}"), ("True", None, "{{ 1 == 1 }}")]),
        (
            "{% autoescape true %}{{ bos_token }}<{{ s ~ '<' }}{% set x %}{{ l[0] }}{% endset %}{{ x }}{% endautoescape %}",
            [("&lt;s&gt;", "/bos_token", "{{ bos_token }}"), ("<", None, "<"), ("in", "/s", "{{ s ~ '<' }}"), ("&lt;", None, "{{ s ~ '<' }}"), ("ab", "/l/0", "{{ l[0] }}")],
        ),
        ("{% print s, n %}", [("in", "/s", "s"), ("5", "/n", "n")]),
        ("{% raw %}{{ s }}{% endraw %}{{ 'a' }}", [("{{ s }}", None, "{{ s }}"), ("a", None, "{{ 'a' }}")]),
        (
            "{% set ns = namespace(x='') %}{% for i in l %}{% set ns.x = ns.x ~ i %}{% endfor %}{{ ns.x }}{{ l|join('-') }}",
            [
                *[(text, pointer, "{{ ns.x }}") for text, pointer in (("ab", "/l/0"), ("c", "/l/1"), ("ab", "/l/2"))],
                *[(text, pointer, "{{ l|join('-') }}") for text, pointer in (("ab", "/l/0"), ("-", None), ("c", "/l/1"), ("-", None), ("ab", "/l/2"))],
            ],
        ),
    ],
)  # fmt: skip
def test_sources_and_spans(source: str, expected: list[tuple[str, str | None, str]]) -> None:
    assert parts_of(source, CONTEXT) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ s|urlize }}", [("in", "/s")]),
        ("{{ [s, s]|xmlattr if no else {'a': s}|xmlattr }}", [(' a="in"', "/s")]),
        ("{{ '%5s%%' % s }}", [("   in", "/s"), ("%", None)]),
        ("{{ '{:>4}'.format(s) }}{{ '{:>4}{}'.format(s, n) }}", [("  in", "/s"), ("  in", None), ("5", "/n")]),
        ("{{ (s ~ l[0])|urlize }}", [("inab", None)]),
        ("{{ ('a' ~ 1)|urlize }}{{ bos_token|urlize }}", [("a1", None), ("&lt;s&gt;", None)]),
        ("{{ s|indent(first=true) }}{{ s|center(4) }}", [("    ", None), ("in", "/s"), (" ", None), ("in", "/s"), (" ", None)]),
    ],
)  # fmt: skip
def test_what_is_made_of_one_value_has_its_source(source: str, expected: list[tuple[str, str | None]]) -> None:
    assert pairs(source) == expected


def test_json() -> None:
    data = {'a/b~"é\n': [1, "x", "", {}, [], None, True, 0.5], "k": {"k": "k"}, 7: -1, "i": float("-inf")}
    source = "{{ d|tojson }}{{ d|tojson(ensure_ascii=true) }}{{ d|tojson(indent=1) }}{{ [d]|tojson }}{{ d|tojson(separators=[',', ':']) }}"
    found = pairs(source, {"d": data})
    assert found[:3] == [('{"', None), ('a/b~\\"é\\n', '/d/a~1b~0"é\n#'), ('": [', None)]
    assert found.count(("-1", "/d/7")) == found.count(("-Infinity", "/d/i")) == 5
    trusted = {"messages": [{"role": "user", "content": "ho"}]}
    found = pairs("{{ messages|tojson|replace('ho', 'hi') }}{{ messages[0].content|tojson }}", trusted)
    assert ("user", "/messages/0/role") in found
    assert found[-2:] == [("ho", "/messages/0/content"), ('"', None)]


SHARED = ["in a list"]


class Color(enum.StrEnum):
    RED = "red"


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("source", "context", "expected"),
    [
        ("{{ a[0] }}{{ b[0] }}{{ a is sameas b }}", {"a": SHARED, "b": SHARED}, [("in a list", "/a/0"), ("in a list", "/b/0"), ("True", None)]),
        ("{{ a is sameas b }}{{ a is sameas c }}{{ a is sameas 1 }}", {"a": 10**9, "b": SHARED, "c": 10**10}, [("FalseFalseFalse", None)]),
        ("{{ n }}{{ d.n }}{{ m }}", {"n": 1, "d": {"n": 1}, "m": 2**70}, [("1", "/n"), ("1", "/d/n"), (str(2**70), "/m")]),
        ("{{ t[1] }}{{ t }}", {"t": ("a", "bc")}, [("bc", "/t/1"), ("('", None), ("a", "/t/0"), ("', '", None), ("bc", "/t/1"), ("')", None)]),
        ("{{ u.k }}{{ u['l'][0] }}{{ o.k ~ p['k'] }}", {"u": UserDict(k="one", l=["two"]), "o": OrderedDict(k="three"), "p": MappingProxyType({"k": "four"})}, [("one", "/u/k"), ("two", "/u/l/0"), ("three", "/o/k"), ("four", "/p/k")]),
        ("{{ u.a }}{{ u.b }}{{ u.c }}{{ u.d|trim(' ') }}{{ u.e[0] }}", {"u": UserDict(a="x", n=1, b=SHARED[0], c=SHARED[0], d=" four ", e=UserDict({0: "five"}))}, [(text, source) for text, source in (("x", None), ("in a list", None), ("in a list", None), ("four", None), ("five", "/u/e/0"))]),
        ("{{ c }}{{ x }}{{ none }}{{ y }}", {"c": Color.RED, "x": Text("text"), "y": None}, [("redtext", None), ("NoneNone", None)]),
        ("{{ d[(1, 'x')] }}{% for k in d %}{{ k[1] }}{% endfor %}", {"d": {(1, "x"): "two"}}, [("two", "/d/(1, 'x')"), ("x", "/d/(1, 'x')#/1")]),
        ("{{ messages[1] }}{{ messages[0].role }}", {"messages": [{"role": ["x"]}, "text"]}, [("text", "/messages/1"), ("['", None), ("x", "/messages/0/role/0"), ("']", None)]),
        ("{{ d.keys() - [] }}{{ d.keys().isdisjoint('x' ~ 'y') }}", {"d": {"ab": 1}}, [("{'", None), ("ab", "/d/ab#"), ("'}", None), ("True", None)]),
    ],
)  # fmt: skip
def test_places(source: str, context: dict[str, Any], expected: list[tuple[str, str | None]]) -> None:
    found = pairs(source, context)
    assert "".join(text for text, _ in found) == "".join(text for text, _ in expected)
    assert [pair for pair in found if pair[1]] == [pair for pair in expected if pair[1]]


def test_strings_that_know_their_places() -> None:
    own = Marked((("ab", True), ("c", False)), (("ab", Source("/elsewhere", True)), ("c", False), ("d", True)))
    own.text = "abcd"
    found = pairs_of_marked("{{ x }}", {"x": own})
    assert found == [("ab", "/elsewhere"), ("c", None), ("d", "/x")]


def pairs_of_marked(source: str, context: dict[str, Any]) -> list[tuple[str, str | None]]:
    parts = ENVIRONMENT.from_string(source).render_marked(context, provenance=True).parts
    return [(part.text, part.source) for part in parts]


def test_data_that_is_not_copied() -> None:
    cyclic: list[Any] = ["one"]
    cyclic.append(cyclic)
    assert pairs("{{ x[0] }}{{ x[1][0] }}", {"x": cyclic}) == [("one", "/x/0"), ("one", None)]
    deep: Any = "end"
    for _ in range(300):
        deep = [deep]
    assert pairs("{{ s }}{{ x is iterable }}", {"x": deep, "s": "ab"})[0] == ("ab", "/s")
    limited = Environment("transformers", limits=Limits(items=3)).from_string("{{ x[0] }}{{ y[0] }}")
    prompt = limited.render_marked({"x": ["ab", 1], "y": ["cd", 2]}, provenance=True)
    assert [(part.text, part.source) for part in prompt.parts] == [("ab", "/x/0"), ("cd", None)]
    for value in (object(), [object()]):
        assert pairs("{{ s }}", {"x": value, "s": "ab"}) == [("ab", "/s")]
        with pytest.raises(ContextError) as caught:
            ENVIRONMENT.from_string("{{ x }}").render_marked({"x": value}, provenance=True)
        assert caught.value.pointer in ("/x", "/x/0")


def test_only_what_the_template_reads_is_copied() -> None:
    rt = SourcedRuntime(None, Limits(), {"a": "x", "b": ["y"]}, lambda: None, ["a", "missing"])  # type: ignore[arg-type, return-value]
    assert rt.context == {"a": "x"}
    assert rt.sound


def test_the_caller_may_change_the_data_after_the_render() -> None:
    context: dict[str, Any] = {"l": [{"k": "v", "u": UserDict(k="in a foreign one")}], "x": "y"}
    compiled = ENVIRONMENT.from_string(
        "{{ l }}{{ l|map(attribute='k')|join }}{{ l[0].u.k }}{{ x }}{{ [l[0].k]|tojson }}"
    )
    expected = compiled.render_marked(copy.deepcopy(context), provenance=True).parts
    prompt = compiled.render_marked(context, provenance=True)
    context["l"][0]["u"]["k"] = "changed"
    context["l"][0]["k"] = 5
    context["l"].clear()
    context["x"] = None
    assert prompt.parts == expected
    assert prompt.parts[-5][:1] + prompt.parts[-5][2:3] == ("in a foreign one", "/l/0/u/k")


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


def test_every_form_tells_the_same() -> None:
    source = "{{ 'a' ~ s }}{{ l }}{% for i in l %}{{ loop.index }}{{ i + 'x' }}{% endfor %}{{ n if yes else 'b' ~ n }}"
    compiled = ENVIRONMENT.from_string(source)
    parts = compiled.render_marked(CONTEXT, provenance=True).parts
    assert isinstance(compiled, JinjaTemplate)
    compiled._eager = True
    assert compiled.render_marked(CONTEXT, provenance=True).parts == parts
    mixed = "{% set ns = namespace(n=0) %}{% for i in l %}{% set ns.n = i %}{{ [ns] }}{% endfor %}"
    assert [pair for pair in pairs(mixed) if pair[1]] == [("ab", "/l/0"), ("c", "/l/1"), ("ab", "/l/2")]


def test_failures_are_those_of_render() -> None:
    for source in ("a\n{{ s + 1 }}", "{{ missing.x }}", "{{ raise_exception('no ' ~ s) }}", "{{ d < l }}"):
        compiled = ENVIRONMENT.from_string(source)
        with pytest.raises(TemplateError) as expected:
            compiled.render(CONTEXT)
        with pytest.raises(TemplateError) as caught:
            compiled.render_marked(CONTEXT, provenance=True)
        assert str(caught.value) == str(expected.value)
    limited = Environment("transformers", limits=Limits(output=10)).from_string("{% for i in l %}{{ i }}{% endfor %}")
    with pytest.raises(LimitError):
        limited.render_marked({"l": ["four"] * 4}, provenance=True)


# --- real templates --------------------------------------------------------------------------------------

_FIRST = 0xE000
_KEPT = frozenset(("system", "user", "assistant", "tool", "<s>", "</s>", "function", "text", "image", "object"))
"""Words that templates look for."""


def with_own_letters(value: Any, pointers: dict[str, str], pointer: str = "") -> Any:
    """A context in which each string is written in one letter that no other one has."""
    if isinstance(value, str):
        if value in _KEPT:
            return value
        letter = chr(_FIRST + len(pointers))
        pointers[letter] = pointer
        return re.sub(r"\w", letter, value)
    if isinstance(value, dict):
        escaped = {key: key.replace("~", "~0").replace("/", "~1") for key in value}
        return {key: with_own_letters(item, pointers, f"{pointer}/{escaped[key]}") for key, item in value.items()}
    if isinstance(value, list):
        return [with_own_letters(item, pointers, f"{pointer}/{index}") for index, item in enumerate(value)]
    return value


@cache
def real_templates() -> dict[str, list[str]]:
    """Source → names of its contexts."""
    found: dict[str, list[str]] = {}
    for case in read_corpus("real"):
        found.setdefault(case.source, []).append(case.context)
    return found


def check_own_letters(template: Template, context: Any) -> int:
    """How many parts with a source there are; each character must come from where its letter stands."""
    pointers: dict[str, str] = {}
    context = with_own_letters(context, pointers)
    try:
        text = template.render(context)
    except TemplateError:
        return 0  # the letters are not what the template asks for
    prompt = template.render_marked(context, trust=NO_TRUST, provenance=True)
    assert prompt.text == text
    check_shape(text, prompt.parts)
    assert flags(prompt.parts) == flags(template.render_marked(context, trust=NO_TRUST).parts)
    for part in prompt.parts:
        assert part.span is not None
        assert template.source.text[part.span.start : part.span.end]
        assert part.is_input is (part.source is not None)
        letters = set(re.findall("[\ue000-\uf8ff]", part.text))
        assert {pointers[letter] for letter in letters} <= {part.source}
    return sum(part.is_input for part in prompt.parts)


@pytest.mark.skipif(
    shared_folder() is None and os.environ.get("CI") != "true",
    reason="recordings not found: set CHATJINJA_SHARED or place them in ../shared",
)
@pytest.mark.parametrize("group", range(8))
def test_real_templates(group: int) -> None:
    """Each template with one of its contexts, chosen so that all contexts have their turn."""
    sourced = 0
    for turn, (source, names) in list(enumerate(real_templates().items()))[group::8]:
        try:
            template = ENVIRONMENT.from_string(source)
        except TemplateError:
            continue  # what llama.cpp takes and Jinja2 does not
        sourced += check_own_letters(template, json.loads(context_json(names[turn // 8 % len(names)])))
    assert sourced
