"""Variables that a template reads without setting them."""

from __future__ import annotations

from typing import Any

import pytest

from chatjinja import Environment
from chatjinja.chat.probes.reads import Read, find_reads
from chatjinja.syntax.visitor import walk


def reads(source: str) -> dict[str, Read]:
    template = Environment().from_string(source)
    return find_reads(template, list(walk(template.tree)))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("{{ a }}{{ b.c }}{{ d['e'] }}{{ f|g(h) }}{{ i is j(k) }}{{ l(m, n=o) }}", "a b d f h i k l m o"),
        ("{{ true }}{{ none }}{{ raise_exception(x) }}{{ range(y) }}", "x y"),
        ("{% set a = 1 %}{{ a }}", ""),
        ("{{ a }}{% set a = 1 %}", "a"),
        ("{% set a = a|default(1) %}{{ a }}", "a"),
        ("{% if not a is defined %}{% set a = b %}{% endif %}{{ a }}", "a b"),
        ("{% set a, b = c %}{{ a }}{{ b }}", "c"),
        ("{% set a %}{{ b }}{% endset %}{{ a }}", "b"),
        ("{% set a.b = c %}", "a c"),
        ("{% for a in b if a.c and d %}{{ a }}{{ loop.index }}{% else %}{{ a }}{% endfor %}{{ loop }}", "b d a loop"),
        ("{% for a, b in c %}{{ a }}{{ b }}{% endfor %}", "c"),
        (
            "{% macro m(a, b=c) %}{{ a }}{{ b }}{{ d }}{{ caller() }}{{ kwargs }}{% endmacro %}{{ m(e) }}{{ n }}",
            "c d e n",
        ),
        ("{% macro m() %}{{ a }}{{ b }}{% set b = 1 %}{{ b }}{% endmacro %}{% set a = 1 %}{{ m() }}", "b"),
        ("{% macro m() %}{% set a = 1 %}{{ a }}{% endmacro %}{{ a }}", "a"),
        ("{% macro m() %}{% set a = 1 %}{% set a = 2 %}{{ a }}{% endmacro %}", ""),
        ("{% call(x) f(a) %}{{ x }}{{ b }}{% endcall %}", "f a b"),
        ("{% filter upper %}{{ a }}{% endfilter %}{% filter replace(b, 'x') %}{% endfilter %}", "a b"),
        ("{{ [a, {b: c}][d:e] }}{{ f if g else h }}{{ not i }}{{ -j }}{{ k ~ l }}", "a b c d e f g h i j k l"),
        ("{% if a %}{% elif b %}{% else %}{{ c }}{% endif %}", "a b c"),
    ],
)
def test_names(source: str, names: str) -> None:
    assert sorted(reads(source)) == sorted(names.split())


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("{{ x }}", ["printed"]),
        ("{% if x %}{% endif %}", ["tested"]),
        ("{% if a %}{% elif x %}{% endif %}", ["tested"]),
        ("{{ not x }}{{ a and x }}{{ 1 if x else 2 }}", ["tested"]),
        ("{{ x if a else 2 }}", ["chosen"]),
        ("{% for i in x %}{% endfor %}", ["looped over"]),
        ("{{ x.a }}{{ x[0] }}", ["looked into"]),
        ("{% set a = x %}", ["copied"]),
        ("{{ x() }}", ["called"]),
        ("{{ f(x) }}", ["handed to a function"]),
        ("{{ x == 1 }}{{ 1 in x }}", ["compared"]),
        ("{{ x + 1 }}{{ 'a' ~ x }}", ["calculated with"]),
        ("{{ x|upper }}", ["filtered by upper"]),
        ("{{ x|default(1) }}{{ x|d(2) }}", ["given a default", "printed"]),
        ("{% if x|default(1)|d(2) %}{% endif %}", ["given a default", "tested"]),
        ("{{ x is defined }}{{ x is undefined }}", ["asked whether it is defined"]),
        ("{{ x is string }}", ["asked whether it is string"]),
        ("{{ [x] }}", ["used in an expression"]),
        ("{{ x|(1) }}", ["filtered by "]),
    ],
)
def test_uses(source: str, uses: list[str]) -> None:
    assert list(reads(source)["x"].uses) == uses


def test_uses_after_a_default_count() -> None:
    found = reads("{% if x is not defined %}{% set x = true %}{% endif %}{% if x %}{% endif %}")["x"]
    assert list(found.uses) == ["asked whether it is defined", "tested"]
    assert len(found.positions) == 2


@pytest.mark.parametrize(
    ("source", "defaults"),
    [
        ("{{ x|default('a b') }}{{ x|d(1) }}", ["'a b'", "1"]),
        ("{{ x|default }}", []),
        ("{{ x or 'a' }}{{ x or y }}", ["'a'"]),
        ("{{ x if x is defined else 'a' }}", ["'a'"]),
        ("{{ x if x is defined and x else 'a' }}", ["'a'"]),
        ("{{ 'a' if x is not defined else x }}", ["'a'"]),
        ("{{ 'a' if not x is defined else x }}", ["'a'"]),
        ("{{ 'a' if x is none else x }}", ["'a'"]),
        ("{{ x if x else 'a' }}", ["'a'"]),
        ("{{ 'b' if x is defined else 'a' }}", []),
        ("{{ x if x is string else 'a' }}", []),
        ("{{ x if x is defined }}", []),
        ("{% if x is not defined %}{% set x = [1] %}{% endif %}", ["[1]"]),
        ("{% if not x %}{% set x = 1 %}{% endif %}", ["1"]),
        ("{% if x is defined %}{% set y = x %}{% else %}{% set y = 2 %}{% set z = 3 %}{% endif %}", ["2"]),
        ("{% if x is defined %}{% elif y %}{% else %}{% set x = 2 %}{% endif %}", []),
        ("{% if x == 1 %}{% set x = 2 %}{% endif %}", []),
        ("{% if x is defined %}{% else %}{% set x = x %}{% endif %}", []),
    ],
)
def test_defaults(source: str, defaults: list[str]) -> None:
    found = reads(source)["x"]
    assert list(found.defaults) == defaults
    assert found.is_guarded is bool(defaults) or "defined" in source or "default" in source


@pytest.mark.parametrize(
    ("source", "compared", "members"),
    [
        ("{{ x == 'a' }}{{ 'b' != x }}{{ x in ['c', 'd', y] }}{{ x|lower == 'e' }}{{ x < 'f' }}", "abcde", ""),
        ("{% set y = x %}{{ y == 'a' }}{% set z = y|lower %}{{ z == 'b' }}", "ab", ""),
        ("{% set y = x if x is defined else 'q' %}{{ y == 'a' }}", "a", ""),
        ("{% set y = x or 'q' %}{{ y == 'a' }}{% set w = 1 %}{{ w == 'b' }}", "a", ""),
        ("{{ 'a' in x }}{{ 'b' not in x }}", "", "ab"),
        ("{% for i in x %}{{ i == 'a' }}{% endfor %}{% for j in y.z %}{{ j == 'b' }}{% endfor %}", "", "a"),
    ],
)
def test_constants(source: str, compared: str, members: str) -> None:
    found = reads(source)["x"]
    assert ("".join(found.compared), "".join(found.members)) == (compared, members)


@pytest.mark.parametrize(
    ("source", "keys", "item_keys", "limits"),
    [
        ("{{ x.a }}{{ x['b'] == 'c' }}{{ x.items() }}{{ x[y] }}{{ x[0] }}", {"a": [], "b": ["c"]}, {}, []),
        ("{% for i in x %}{{ i.a }}{{ i.b in ['c', 'd'] }}{% endfor %}{{ z.e }}", {}, {"a": [], "b": ["c", "d"]}, []),
        ("{% set y = x or {} %}{{ y.a.b }}{{ f().c }}", {"a": []}, {}, []),
        ("{{ x < 5 }}{{ 2.5 >= x }}{{ x > 'a' }}{{ y < 1 }}", {}, {}, [5, 2.5]),
    ],
)
def test_keys_and_limits(
    source: str, keys: dict[str, list[Any]], item_keys: dict[str, list[Any]], limits: list[float]
) -> None:
    found = reads(source)["x"]
    assert {key: list(constants) for key, constants in found.keys.items()} == keys
    assert {key: list(constants) for key, constants in found.item_keys.items()} == item_keys
    assert list(found.limits) == limits


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("{{ x }}", "text"),
        ("{{ x|upper }}", "text"),
        ("{{ x ~ '' }}", "text"),
        ("{{ x|join }}", "items"),
        ("{% for i in x %}{% endfor %}", "items"),
        ("{{ x[0] }}{{ x.a }}", "items"),
        ("{{ x.strip() }}", "text"),
        ("{{ 1 in x }}", "items"),
        ("{{ x in [1] }}", ""),
        ("{% if x %}{% endif %}", "switch"),
        ("{{ x is true }}", "switch"),
        ("{{ x is defined }}", ""),
        ("{{ x|default('') }}", "text"),
        ("{% if x|default(false) %}{% endif %}", "switch"),
    ],
)
def test_kinds(source: str, kinds: str) -> None:
    found = reads(source)["x"]
    flags = {"text": found.is_text, "items": found.holds_items, "switch": found.is_switch}
    assert " ".join(kind for kind, value in flags.items() if value) == kinds
