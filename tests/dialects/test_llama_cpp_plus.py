"""The dialect ``llama.cpp+``: every row of its deviations, and the built-ins that it adds or extends."""

from __future__ import annotations

from typing import Any

import pytest

import chatjinja
from chatjinja.dialects import DIALECTS, get_dialect
from tests.properties.outcomes import exact, fast

PLUS = chatjinja.Environment(dialect="llama.cpp+")
REFERENCE = chatjinja.Environment(dialect="llama.cpp")
CONTEXT: dict[str, Any] = {
    "words": ["b", "A", "a", "B"],
    "people": [{"name": "Bo", "age": 3}, {"name": "al", "age": 4.5}, {"name": "AL", "age": 1}],
    "o": {"b": 1, "A": {"d": 1, "c": [{"z": 0, "y": 1}]}, "a": 2},
    "s": "né<1>",
}


def outcome(environment: chatjinja.Environment, source: str) -> str:
    try:
        return environment.from_string(source).render(CONTEXT)
    except chatjinja.TemplateError as error:
        return error.message


@pytest.mark.parametrize(
    "deviation",
    [row for row in DIALECTS["llama.cpp+"].deviations if row.name != "integer-overflow"],
    ids=lambda d: d.name,
)
def test_every_deviation(deviation: Any) -> None:
    assert outcome(REFERENCE, deviation.example) == deviation.reference
    assert outcome(PLUS, deviation.example) == deviation.here


CASES = [
    ("{{ s|join(', ') }}", "n, é, <, 1, >"),
    ("{{ 'ab'.join() }}", "ab"),
    ("{{ o|join('+') }}{{ {}|join('+') }}", "b+A+a"),
    ("{{ words|unique|join }}", "bA"),
    ("{{ words|unique(true)|join }}", "bAaB"),
    ("{{ people|unique(attribute='name')|map(attribute='age')|join(',') }}", "3,4.5"),
    ("{{ [1, 1.0, true, none, none, missing, missing]|unique|length }}", "3"),
    (
        "{{ 'aXbX'|replace('X', '-', 1) }}{{ 'aXbX'|replace('X', '-', 0) }}{{ 'aXbX'.replace('X', '-', -1) }}",
        "a-bXa-b-a-b-",
    ),
    ("{{ 'ab'|replace('', '.', 2) }}", ".a.b"),
    ("{{ '{}-{}'.format('a', 'b') }}", "a-b"),
    ("{{ '{0}{1}{0}{{}}'.format('a', 2) }}", "a2a{}"),
    ("{{ '{:>4}|{:<4}|{:^4}|{:04d}|{:.1f}'.format('a', 'b', 'c', 7, 2.25) }}", "   a|b   | c  |0007|2.2"),
    ("{{ '{p.name}{p[age]}{l[1]}{p.name[0]}'.format(p=people[0], l=words) }}", "Bo3AB"),
    ("{{ ['a', 'b']|map('upper')|join }}{{ words|map('default', 'x')|join }}", "ABbAaB"),
    ("{{ (words|map('upper')|list)[0] }}{{ people|map(attribute='age')|list }}", "B34.51"),
    ("{{ [1, 2.5, 3]|sum }}{{ []|sum }}{{ people|sum(attribute='age') }}{{ [1]|sum(start=10) }}", "6.508.511"),
    ("{{ ['a', 'b']|sum(start='') }}", "ab"),
    (
        "{{ s|escape }}{{ '\"\\'&'|e }}{{ 5|escape }}{{ none|e }}{{ missing|escape }}{{ [1]|e }}",
        "né&lt;1&gt;&#34;&#39;&amp;5None[1]",
    ),
    ("{{ 'x' is escaped }}{{ 'upper' is filter }}{{ 'count' is filter }}{{ 'nope' is filter }}", "FalseTrueTrueFalse"),
    ("{{ o|tojson(sort_keys=true) }}", '{"A": {"c": [{"y": 1, "z": 0}], "d": 1}, "a": 2, "b": 1}'),
    (
        "{{ o|tojson(false, 1, none, true) }}",
        '{\n "A": {\n  "c": [\n   {\n    "y": 1,\n    "z": 0\n   }\n  ],\n  "d": 1\n },\n "a": 2,\n "b": 1\n}',
    ),
    ("{{ tojson(o, sort_keys=true, indent=0)|length }}{{ o|tojson(sort_keys=false)|length }}", "6456"),
    (
        "{{ words|sort(case_sensitive=false)|join }}{{ words|sort|join }}{{ words|sort(case_sensitive=true)|join }}",
        "AabBABabABab",
    ),
    (
        "{{ people|sort(attribute='name', case_sensitive=false, reverse=true)|map(attribute='age')|join(',') }}",
        "3,4.5,1",
    ),
    ("{{ [3, 1, 2]|sort(case_sensitive=false)|join }}", "123"),
    ("{{ o|dictsort(case_sensitive=false)|join }}{{ o|dictsort|join }}", "AabAab"),
    (
        "{% set d = {'x': 'b', 'y': 'A'} %}{{ d|dictsort(false, 'value')|join }}"
        "{{ d|dictsort(false, 'value', true)|join }}",
        "yxxy",
    ),
    ("{{ 7 // 2 }} {{ -7 // 2 }} {{ 7.5 // 2 }} {{ 1 // 0.5 }}", "3 -4 3.0 2.0"),
    (
        "{{ 2 ** 10 }} {{ 2 ** -1 }} {{ 2.0 ** 0.5 }} {{ -2**2 }} {{ 0 ** 0 }} {{ 1 ** 100000 }} {{ 10.0 ** 400 }}",
        "1024 0.5 1.414214 4 1 1 inf",
    ),
    ("{% raw %}{{ x }}{% if %}{% endraw %}", "{{ x }}{% if %}"),
    ("x{% if true %}y{% endif %}", "xy"),
    ("{% for i in [1] %}{% continue %}{% else %}else{% endfor %}{% for i in [] %}{% else %}empty{% endfor %}", "empty"),
    ("{% for i in [1] %}{% break %}{% else %}else{% endfor %}", ""),
]


@pytest.mark.parametrize(("source", "text"), CASES)
def test_additions(source: str, text: str) -> None:
    template = PLUS.from_string(source)
    assert fast(template, CONTEXT).text == text
    assert exact(template, CONTEXT).text == text


ERRORS = [
    ("{{ [[1]]|unique }}", "unique() cannot compare items of type Array"),
    ("{{ 'a'|replace('a', 1, 2) }}", "Function 'replace' expected value of type String, got Integer"),
    ("{{ '{0}{1}'.format('a') }}", "Function 'format' expected at least 3 arguments, got 2"),
    ("{{ '{0!r}'.format('a') }}", "format(): conversions and nested fields are not supported"),
    ("{{ '{0:{1}}'.format('a', 1) }}", "format(): conversions and nested fields are not supported"),
    ("{{ '{0[a}'.format('a') }}", "format(): expected '}' before end of string"),
    ("{{ '{0[a]b}'.format('a') }}", "format(): only '.' or '[' may follow ']' in a replacement field"),
    ("{{ '{0:99999999}'.format('a') }}", "format(): a width is too large"),
    ("{{ '{0:q}'.format(1) }}", "format(): Unknown format code 'q' for object of type 'int'"),
    ("{{ '{x'.format('a') }}", "format(): expected '}' before end of string"),
    ("{{ [1, 'a']|sum }}", "Cannot"),
    ("{{ 1 // 0 }}", "division by zero"),
    ("{{ 0 ** -1 }}", "division by zero"),
    ("{{ 2 ** 64 }}", "integer overflow"),
    ("{{ 3 ** 60 }}", "integer overflow"),
    ("{{ (-8.0) ** 0.5 }}", "a negative number has no such power"),
    ("{{ 'a' // 2 }}", 'Unknown operator "//" between String and Integer'),
    ("{{ missing ** 2 }}", "Cannot perform operation ** on undefined values"),
    ("{{ none // 2 }}", "Cannot perform operation on null values"),
    ("{{ 'a'|map('upper') }}", "Unknown (built-in) filter 'map' for type String"),
]


@pytest.mark.parametrize(("source", "message"), ERRORS)
def test_errors(source: str, message: str) -> None:
    template = PLUS.from_string(source)
    found = fast(template, CONTEXT)
    if message != "Cannot":
        assert found.message == message
    assert found == exact(template, CONTEXT)


def test_sorted_keys_of_deep_data() -> None:
    deep: Any = 1.5
    for _ in range(300):
        deep = {"k": deep}
    template = PLUS.from_string("{{ v|tojson(sort_keys=true) }}")
    with pytest.raises(chatjinja.LimitError) as caught:
        template.render({"v": deep})
    assert caught.value.limit == "data_depth"
    assert template.render({"v": {"b": 1.5, "a": (2, 3)}}) == '{"a": [2, 3], "b": 1.5}'


def test_unknown_dialect() -> None:
    with pytest.raises(ValueError, match=r"unknown dialect 'x'; known: llama.cpp, llama.cpp\+"):
        get_dialect("x")
