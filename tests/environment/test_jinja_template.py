"""Templates of the dialect `transformers` as objects: forms, marks, limits, errors, clock, threads."""

# ruff: noqa: E501 -- a template is one line

from __future__ import annotations

import decimal
import re
import sys
import threading
from collections import UserDict
from collections.abc import Callable
from typing import Any

import pytest

from chatjinja import (
    ContextError,
    Environment,
    LimitError,
    Limits,
    OperationError,
    RaisedError,
    TemplateError,
    TemplateSyntaxError,
    TrustPolicy,
    UnknownNameError,
    render,
)
from chatjinja.dialects import get_dialect
from chatjinja.dialects.base import Deviation
from chatjinja.environment.jinja_template import JinjaTemplate
from chatjinja.runtime.convert import MANY
from chatjinja.source import Span
from tests.peers import jinja2_peer

ADDRESS = re.compile("0x[0-9a-f]+")
MIXED = "{% set ns = namespace(n=0) %}{% for i in l %}{% set ns.n = i %}{{ [ns] }}{% endfor %}"
"""Prints a value that changes later."""


def template(source: str, **options: Any) -> JinjaTemplate:
    made = Environment("transformers", cache_size=0, **options).from_string(source)
    assert isinstance(made, JinjaTemplate)
    return made


def inputs(source: str, context: dict[str, Any], **options: Any) -> list[str]:
    return [part.text for part in template(source).render_marked(context, **options).parts if part.is_input]


def error_of(source: str, context: dict[str, Any] | None = None, **limits: int) -> TemplateError:
    with pytest.raises(TemplateError) as caught:
        template(source, limits=Limits(**limits)).render(context or {})
    return caught.value


# --- rendering ---------------------------------------------------------------------------------------------


def test_one_shot_and_keywords() -> None:
    assert render("{{ x or 'y' }}{{ none }}", dialect="transformers") == "yNone"
    assert template("{{ a }}{{ b }}").render_with(a=1, b="x") == "1x"
    assert template("{{ a }}").render(UserDict(a=1)) == "1"
    assert template("{{ a }}").render() == ""


def test_context_that_is_no_mapping() -> None:
    with pytest.raises(ContextError) as caught:
        template("x").render(["x"])  # type: ignore[arg-type]
    assert caught.value.pointer == ""


def test_the_form_changes_once_where_late_printing_would_show() -> None:
    made = template(MIXED)
    assert not made._eager
    assert made.render({"l": [1, 2]}) == "[<Namespace {'n': 1}>][<Namespace {'n': 2}>]"
    assert made._eager
    assert made.render({"l": [3]}) == "[<Namespace {'n': 3}>]"
    marked = template(MIXED)
    assert marked.render_marked({"l": [1, 2]}).text == made.render({"l": [1, 2]})
    assert marked._eager


def test_forms_are_made_once_and_shown_as_python() -> None:
    made = template("{{ x }}")
    assert made.form() is made.form()
    assert made.form(sound=True) is not made.form()
    assert made.form(sound=True, sourced=True) is not made.form(sound=True)
    assert made.python() is made.form().compiled.tree
    assert made.python(exact=True) is made.form(eager=True).compiled.tree
    assert repr(made) == "<Template '<template>' (transformers)>"


def test_clock() -> None:
    made = template("{{ strftime_now('%Y') }}", now=0)
    assert made.render() == "1970"
    assert made.render(now=86400 * 366) == "1971"
    assert made.render_marked(now=86400 * 366).text == "1971"


def test_nothing_of_the_caller_is_changed() -> None:
    context = {"d": {"a": 1}, "l": [1]}
    source = "{% set d2 = dict(d, b=2) %}{{ d2 }}{{ l + [2] }}{% set l = l + [3] %}{% block a %}{% endblock %}"
    assert template(source).render(context) == "{'a': 1, 'b': 2}[1, 2]"
    assert context == {"d": {"a": 1}, "l": [1]}


def test_threads() -> None:
    made = template("{% for i in l %}{{ loop.index }}{{ i }}{% endfor %}")
    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(made.render({"l": "ab"}))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["1a2b"] * 8


def at_depth(depth: int, function: Callable[[], Any]) -> Any:
    return function() if depth == 0 else at_depth(depth - 1, function)


def test_a_deep_caller_changes_nothing() -> None:
    source = "{% macro f(n) %}{{ n }}{{ f(n - 1) if n }}{% endmacro %}{{ f(150) }}"
    expected = template(source).render()
    assert expected[:6] + expected[-3:] == "150149210"
    depth = sys.getrecursionlimit() - 200
    made = template(source)
    assert at_depth(depth, made.render) == expected
    assert at_depth(depth, made.render_marked).text == expected
    assert at_depth(depth, lambda: made.render_marked(provenance=True)).text == expected


def test_data_too_deep_for_python() -> None:
    deep: list[Any] = []
    other: list[Any] = []
    for _ in range(5000):
        deep, other = [deep], [other]
    with pytest.raises(LimitError) as caught:
        template("{{ a == b }}").render({"a": deep, "b": other})
    assert (caught.value.limit, caught.value.lineno) == ("recursion", None)


# --- marks -------------------------------------------------------------------------------------------------


def test_marks() -> None:
    context = {"s": "in", "n": 5, "bos_token": "<s>", "messages": [{"role": "user", "content": "c"}]}
    source = (
        "{{ bos_token }}a{{ s + 'b' }}{{ n }}{{ n + 1 }}{{ messages[0].role ~ messages[0]['content'] }}{{ s|upper }}"
    )
    assert inputs(source, context) == ["in", "5", "cIN"]
    assert inputs(source, context, trust=TrustPolicy({})) == ["<s>", "in", "5", "usercIN"]
    assert inputs(source, context, trust=TrustPolicy({"/s": None})) == ["<s>", "5", "userc"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ s * 2 }}{{ 'a' * 2 }}{{ ('a' ~ s) * 2 }}{{ 2 * 3 }}", ["inin", "in", "in"]),
        ("{{ '%s-%d' % (s, 3) }}{{ s % () }}{{ 7 % 4 }}", ["in", "in"]),
        ("{{ (s ~ 'a')[1:] }}{{ ('a' ~ s)[::-1] }}{{ 'ab'[1:] }}{{ l[1:] }}{{ range(5)[1:] }}", ["n", "ni", "2"]),
        ("{{ ('a' ~ s)[1] }}{{ s[0] }}{{ range(3)[1] }}{{ 'ab'[0] }}", ["ii"]),
        ("{% for c in 'a' ~ s %}{{ c }}{{ loop.index }}{% endfor %}{% for i in range(2) %}{{ i }}{% endfor %}", ["i", "n"]),
        ("{% for c in ('a' ~ s) if c != 'i' %}{{ c }}{{ loop.index }}{% endfor %}", ["n"]),
        ("{% for c in ('a' ~ s) if c != 'i' %}{{ c }}{% endfor %}{% for c in 'a' ~ s %}{{ loop }}{{ c }}{% endfor %}", ["n", "in"]),
        ("{% set a, b = 'x' ~ s[0] %}{{ a }}{{ b }}{% for a, b in ['x' ~ s[0]] %}{{ a }}{{ b }}{% endfor %}", ["i", "i"]),
        ("{% for a, b in ['x' ~ s[0]] %}{{ loop.index }}{{ b }}{% endfor %}{% for a, b in ['xy'] %}{{ loop }}{{ b }}{% endfor %}", ["i"]),
        ("{% set x %}a{{ s }}{% endset %}{{ x }}{% filter upper %}a{{ s }}{% endfilter %}{% set y %}{% endset %}{{ y }}", ["in", "IN"]),
        ("{% macro f(a) %}<{{ a }}>{% endmacro %}{{ f(s) }}{{ f(s)|upper }}{{ f(a=s) }}{{ f(n) }}", ["in", "IN", "in", "5"]),
        ("{% macro f() %}{{ kwargs }}{{ varargs }}{% endmacro %}{{ f(s, k=s) }}{{ dict(k=1) }}{{ namespace(k=n) }}", ["in", "in", "5"]),
        ("{% macro f() %}[{{ caller(s) }}]{% endmacro %}{% call(x) f() %}a{{ x }}{% endcall %}", ["in"]),
        ("{% block a %}a{{ s }}{% endblock %}{{ self.a() }}", ["in", "in"]),
        ("{{ -n }}{{ n - 1 }}{{ n / 2 }}{{ n // 2 }}{{ n ** 2 }}{{ +n }}{{ l + [1] }}", ["1", "2"]),
        ("{{ [1, s, n, {'k': s}] }}{{ {s: n} }}{{ (s,) }}{{ s if n > 4 else 1 }}{{ 1 if n > 4 else s }}", ["in", "5", "in", "in", "5", "in", "in"]),
        ("{{ n < 6 }}{{ 1 < n < 6 }}{{ s in ['in'] }}{{ s ~ 'a' == 'ina' }}{{ (s ~ 'a') < 'z' }}{{ 'i' in (s ~ 'a') }}", []),
        ("{{ range(*[n])|list }}{{ dict(**{s: 1}) }}{{ range(*'' ~ '') if no }}", ["in"]),
        ("{% autoescape true %}{{ t }}{{ t|safe }}{{ 'a<' ~ t }}{{ t ~ ('<'|safe) }}{{ n }}<{% endautoescape %}", ["&lt;i&gt;<i>", "&lt;i&gt;&lt;i&gt;", "5"]),
        ("{% autoescape yes %}{{ t }}{{ 'b' }}{% set x %}{{ t }}{% endset %}{{ x }}{% endautoescape %}", ["&lt;i&gt;", "&lt;i&gt;"]),
        ("{{ (t|safe) + t }}{{ 'a' + (t|safe) }}{{ t|e ~ 'b' }}", ["<i>&lt;i&gt;", "<i>&lt;i&gt;"]),
        ("{{ s|string ~ l|join(',') }}{{ l|length }}{{ l|first }}{{ l|map('string')|join }}", ["in1", "2", "1", "12"]),
        ("{{ loop is defined }}{% for i in l %}{{ loop.index }}{{ loop.cycle('a', s) }}{{ loop['length'] }}{% endfor %}", ["in"]),
        ("{% for i in l recursive %}{{ i }}{{ loop.depth }}{{ loop('a' ~ s) if loop.depth == 1 and i == 1 }}{% endfor %}", ["1", "in", "2"]),
        ("{% generation %}a{{ s }}{% endgeneration %}{% generation %}{{ varargs }}{{ s }}{% endgeneration %}", ["in", "in"]),
    ],
)  # fmt: skip
def test_what_is_input(source: str, expected: list[str]) -> None:
    context = {"s": "in", "n": 5, "l": [1, 2], "t": "<i>", "yes": True}
    found = inputs(source, context)
    assert "".join(found) == "".join(expected)
    assert template(source).render_marked(context).text == template(source).render(context)
    eager = template(source)
    eager._eager = True
    assert "".join(part.text for part in eager.render_marked(context).parts if part.is_input) == "".join(expected)


def test_options_of_marking() -> None:
    made = template("x")
    with pytest.raises(ValueError, match="does not mark input"):
        made.render_marked(marking="reference")
    with pytest.raises(ValueError, match="unknown marking"):
        made.render_marked(marking="other")  # type: ignore[arg-type]


def test_generation() -> None:
    source = "a{% generation %}b{{ s }}{% endgeneration %}c{% macro f() %}{% generation %}{{ n }}{% endgeneration %}d{% endmacro %}"
    source += "{{ f()|upper }}{% generation %}{{ varargs }}{% generation %}x{% endgeneration %}{% endgeneration %}"
    context: dict[str, Any] = {"s": "in", "n": 5, "d": {"k": ["x", (1.5, None)]}}
    assert template(source).render_generation(context) == ("abinc5D()x", [Span(1, 4), Span(5, 6), Span(7, 10)])
    assert template("{{ s }}{{ d }}{{ n }}").render_generation(context)[1] == []
    assert template("a").render_generation(UserDict()) == ("a", [])
    assert template("{{ strftime_now('%Y') }}").render_generation(now=0) == ("1970", [])
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(LimitError):
        template("a").render_generation({"deep": deep})


# --- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "code", "span"),
    [
        ("a\n{{ 'x' + n }}", "operation", "'x' + n"),
        ("a\n  {{ missing.x }}", "undefined", "missing.x"),
        ("a\n{{ n.upper() }}", "undefined", "n.upper()"),
        ("a\n{{ n < 'a' }}", "operation", "n < 'a'"),
        ("a\n{{ 1 < 'a' < n }}", "operation", "1 < 'a' < n"),
        ("a\n{{ {[]: 1} }}", "operation", "{[]: 1}"),
        ("a\n{{ l[1:'a'] }}", "operation", "l[1:'a']"),
        ("a\n{{ n[1:2] }}", "operation", "n[1:2]"),
        ("a\n{{ s.startswith() }}", "operation", "s.startswith()"),
        ("a\n{{ s.split('') }}", "operation", "s.split('')"),
        ("a\n{{ s|center(\n'x') }}", "operation", "s|center(\n'x')"),
        ("a\n{{ raise_exception('no') }}", "raised", "raise_exception('no')"),
        ("a\n{% for a, b in l %}{% endfor %}", "operation", "a, b"),
        ("a\n{% for a in n %}{% endfor %}", "operation", "{% for a in n %}{% endfor %}"),
        ("a\n{% set a, b = l[0] %}", "operation", "{% set a, b = l[0] %}"),
        ("a\n{% set n.a = 1 %}", "not-a-namespace", "{% set n.a = 1 %}"),
        ("a\n{% include 'b' %}", "no-loader", "{% include 'b' %}"),
        ("a\n{% if yes %}{{ s|nothing }}{% endif %}", "unknown-name", "s|nothing"),
        ("a\n{{ ''.__class__.x }}", "security", "''.__class__.x"),
        ("a\n{% macro f() %}{{ 1 // 0 }}{% endmacro %}{{ f() }}", "operation", "1 // 0"),
        ("a\n{{ s + 'a' * (n - 'a') }}", "operation", "n - 'a'"),
        ("a\n{% block b %}{{ super() }}{% endblock %}", "undefined", "super()"),
    ],
)
def test_place_of_an_error(source: str, code: str, span: str) -> None:
    context = {"n": 1, "s": "x", "l": [1], "yes": True}
    for render_ in (template(source).render, template(source).render_marked):
        with pytest.raises(TemplateError) as caught:
            render_(context)
        error = caught.value
        assert (error.code, error.lineno) == (code, 2)
        assert error.span is not None
        assert source[slice(*error.span)] == span


@pytest.mark.parametrize("deviation", get_dialect("transformers").deviations, ids=lambda deviation: deviation.name)
def test_declared_deviations_are_so(deviation: Deviation) -> None:
    try:
        here = template(deviation.example).render()
    except TemplateError as error:
        here = error.message
    try:
        there = jinja2_peer.environment().from_string(deviation.example).render()
    except Exception as error:  # of any type: Python's own pass through Jinja2
        there = str(error)
    assert here == deviation.here
    assert there != deviation.here
    assert ADDRESS.sub("", deviation.reference) in ADDRESS.sub("", there)


def test_kinds_of_errors() -> None:
    assert isinstance(error_of("{{ raise_exception('no') }}"), RaisedError)
    assert isinstance(error_of("{% if 1 %}{{ 1 is nothing }}{% endif %}"), UnknownNameError)
    assert isinstance(error_of("{{ 1 + 'a' }}"), OperationError)
    assert isinstance(error_of("{% if %}"), TemplateSyntaxError)
    assert isinstance(error_of("{{ 1|nothing }}"), TemplateSyntaxError)
    assert isinstance(error_of("a\n{{ dict(a=1, a=2) }}"), TemplateSyntaxError)
    error = error_of("a\n{% set x | default(y) %}{% endset %}")
    assert isinstance(error, TemplateSyntaxError)
    assert (error.lineno, str(error).splitlines()[0]) == (2, "<template>:2:20: 'y' is not known here")


@pytest.mark.parametrize("value", [decimal.Decimal(1), object(), bytearray(b"x"), len, iter([1])])
@pytest.mark.parametrize(
    "source",
    [
        *("{{ x }}", "{{ [x] }}", "{{ x.y }}", "{{ x['y'] }}", "{{ x[0] }}", "{{ x|list }}", "{{ x|first }}", "{{ x ~ 'a' }}"),
        *("{% for i in x %}{% endfor %}", "{% for i in x %}{{ loop.last }}{% endfor %}", "{{ x|upper }}"),
    ],
)  # fmt: skip
def test_values_that_are_no_data(value: Any, source: str) -> None:
    if isinstance(value, type(iter([]))):
        pytest.skip("an iterator is what the filter `reverse` gives, too")
    with pytest.raises(ContextError) as caught:
        template(source).render({"a": [1], "x": value})
    assert caught.value.pointer == "/x"


def test_foreign_data_is_data() -> None:
    class Text(str):
        pass

    class Number(int):
        pass

    context = {"d": UserDict(a=1), "s": Text("x"), "n": Number(2), "t": (1, 2)}
    source = "{{ d.a }}{{ d['a'] }}{{ d.items()|list }}{{ s }}{{ s.upper() }}{{ n + 1 }}{{ t[0] }}{% for k in d %}{{ k }}{% endfor %}"
    assert template(source).render(context) == "11[('a', 1)]xX31a"


# --- limits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "value", "source"),
    [
        ("steps", 10, "{% for i in range(11) %}{% endfor %}"),
        ("steps", 10, "{% for i in range(11) %}{{ loop.last }}{% endfor %}"),
        ("steps", 10, "{% for i in range(11) %}{{ loop }}{% endfor %}"),
        ("steps", 10, "{% for i in range(11)|map('string') %}{% endfor %}"),
        ("steps", 10, "{% macro f() %}{% endmacro %}" + "{{ f() }}" * 11),
        ("steps", 10, "{{ dict() }}" * 11),
        ("steps", 10, "{{ 'a'.title() }}" * 11),
        ("items", 10_000, "{{ ([1] * 5000 + [1] * 5001)|length }}"),
        ("items", 10_000, "{{ [1] * 10001 }}"),
        ("value", 100_000, "{{ 'a' * 100001 }}"),
        ("value", 100_000, "{% set x = 'a' * 60000 %}{{ x + x }}{% set y = x + x %}"),
        ("value", 100_000, "{% set x = 'a' * 60000 %}{% set y = x ~ x %}"),
        ("value", 100_000, "{% set x = 'a' * 60000 %}{% set y %}{{ x }}{{ x }}{% endset %}"),
        ("value", 100_000, "{% autoescape n %}{% set x = 'a' * 60000 %}{% set y = x ~ x %}{% endautoescape %}"),
        ("value", 1_000_000, "{{ 2 ** 9999999 }}"),
        ("value", 1_000_000, "{% set x = 2 ** 400000 %}{{ x * x * x }}"),
        ("output", 1000, "{{ 'a' * 1001 }}"),
        ("output", 100_000, "{% set x = 'a' * 60000 %}{{ x }}{{ x }}"),
        ("output", 100_000, "{% for i in range(99999) %}ab{% endfor %}{% for i in range(9) %}{% endfor %}"),
        ("recursion", 10, "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
        ("recursion", 10, "{% macro f() %}{% set g = f %}{{ g() }}{% endmacro %}{{ f() }}"),
        ("recursion", 10, "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}"),
        ("recursion", 10, "{% block a %}{{ self.a() }}{% endblock %}"),
        ("source", 10, "a" * 11),
        ("nesting", 5, "{{ ((((((1)))))) }}"),
    ],
)
def test_limits(limit: str, value: int, source: str) -> None:
    limits = Limits(**{limit: value})
    for run in (
        lambda: template(source, limits=limits).render({"n": 0}),
        lambda: template(source, limits=limits).render_marked({"n": 0}),
    ):
        with pytest.raises(LimitError) as caught:
            run()
        assert caught.value.limit == limit


def test_big_strings_are_fine_within_the_limits() -> None:
    source = "{% set x = 'a' * 20000 %}{{ x ~ 'b' }}{{ x + x }}{% set y = x ~ x %}{{ y|length }}{% set z %}{{ x }}{% endset %}{{ z|length }}"
    text = template(source).render()
    assert text == "a" * 20000 + "b" + "a" * 40000 + "4000020000"
    assert template(source).render_marked().text == text
    assert MANY > 3


def test_what_fails_with_marks_alone_is_raised_too() -> None:
    times = iter([1, 0])
    made = Environment("transformers", now=lambda: next(times)).from_string(
        "{% if strftime_now('%S') == '01' %}{{ raise_exception('odd') }}{% endif %}"
    )
    with pytest.raises(RaisedError, match="odd"):
        made.render_marked()


def test_text_after_marks_that_needed_the_eager_form() -> None:
    made = template("{% for i in x %}{{ i }}{{ loop.last }}{% endfor %}")
    assert made.render({"x": [1]}) == "1True"
    assert made.render_marked({}).text == ""
    assert made.render({}) == made.render({"x": []}) == ""
