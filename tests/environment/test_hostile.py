"""Templates that try to use up memory or time, under the default limits in 1 GiB and 10 seconds."""

from __future__ import annotations

import pytest

from tests.environment.sandbox import outcome


def repeated(body: str, start: str, count: int = 100) -> str:
    """`body` with a namespace ``q`` that begins with ``x=start``, `count` times."""
    return f"{{% set q = namespace(x={start}) %}}{{% for i in range({count}) %}}{body}{{% endfor %}}"


def doubling_macros(last: str) -> str:
    macros = "".join(f"{{% macro m{i}() %}}{last.format(i - 1)}{{% endmacro %}}" for i in range(1, 100))
    return "{% macro m0() %}x{% endmacro %}" + macros + "{{ m99() }}"


MILLION = "{% set l = range(1000000) %}{% for i in l %}"
HOSTILE = {
    "doubled string": (repeated("{% set q.x = q.x + q.x %}", "'ab'"), "limit-value"),
    "doubled string with ~": (repeated("{% set q.x = q.x ~ '-' ~ q.x %}", "'ab'"), "limit-value"),
    "doubled list": (repeated("{% set q.x = q.x + q.x %}", "[1]"), "limit-items"),
    "list of itself, printed": (repeated("{% set q.x = [q.x, q.x] %}", "[1]") + "{{ q.x }}", "limit-steps"),
    "list of itself, repr": (repeated("{% set q.x = [q.x, q.x] %}", "[1]") + "{{ q.x|string }}", "limit-"),
    "list of itself, JSON": (repeated("{% set q.x = [q.x, q.x] %}", "[1]") + "{{ q.x|tojson }}", "limit-"),
    "tuple of itself as key": (repeated("{% set q.x = (q.x, q.x) %}", "(1, 2)") + "{{ {q.x: 1} }}", "limit-items"),
    "list in itself": ("{% set l = [1] %}{% set _ = l.append(l) %}{{ l }}", "limit-data-depth"),
    "object in itself": ("{% set o = namespace() %}{% set o.o = o %}{{ o|tojson }}", "limit-data-depth"),
    "long range": ("{{ range(1000000000000) }}", "limit-items"),
    "loop over a long range": ("{% for i in range(1000000000000) %}{% endfor %}", "limit-items"),
    "repeated string": ("{{ 'a' * 1000000000000 }}", "limit-value"),
    "repeated nothing": ("{{ '' * 1000000000000 }}", "text 0"),
    "recursion": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "limit-recursion"),
    "recursion of two": (
        "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{% set x = a() ~ 1 %}{% endmacro %}{{ a() }}",
        "limit-recursion",
    ),
    "recursion of callers": (
        "{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{% call m() %}x{% endcall %}",
        "limit-recursion",
    ),
    "macros that double": (doubling_macros("{{{{ m{0}() }}}}{{{{ m{0}() }}}}"), "limit-steps"),
    "macros that double silently": (doubling_macros("{{% set a = m{0}() ~ m{0}() %}}"), "limit-steps"),
    "ten loops": ("{% for i in range(1000) %}" * 10 + "x" + "{% endfor %}" * 10, "limit-steps"),
    "ten empty loops": ("{% for i in range(1000) %}" * 10 + "{% endfor %}" * 10, "limit-steps"),
    "parentheses": ("{{ " + "(" * 100_000 + "1" + ")" * 100_000 + " }}", "limit-nesting"),
    "brackets": ("{{ " + "[" * 100_000 + "1" + "]" * 100_000 + " }}", "limit-nesting"),
    "conditions": ("{% if 1 %}" * 100_000 + "{% endif %}" * 100_000, "limit-nesting"),
    "signs": ("{{ " + "- " * 100_000 + "1 }}", "limit-nesting"),
    "braces": ("{" * 10_000_000, "parse-unexpected-token"),
    "open comment": ("{#" * 1_000_000, "lex-unclosed-comment"),
    "much text": ("x" * 10_000_000, "text 10000000"),
    "much source": ("x" * 20_000_000, "limit-source"),
    "NUL": ("\0{{ '\0' }}\0", "text 3"),
    "growing list": ("{% set l = [1] %}" + MILLION + "{% set _ = l.append(1) %}{% endfor %}", "limit-items"),
    "much output": ("{% for i in range(1000) %}" * 2 + "{{ 'x' * 10000 }}" + "{% endfor %}" * 2, "limit-output"),
    "much output of text": ("{% for i in range(1000) %}" * 3 + "x" * 20 + "{% endfor %}" * 3, "limit-output"),
    "replace": ("{% set s = 'x' * 100000 %}{{ s.replace('x', s) }}", "limit-value"),
    "replace nothing": ("{% set s = 'x' * 10000000 %}{{ s.replace('', s) }}", "limit-value"),
    "split": ("{% set s = 'x' * 10000000 %}{{ s.split('x')|length }}", "limit-items"),
    "join": ("{% set s = 'x' * 10000000 %}{{ range(1000000)|join(s) }}", "limit-value"),
    "indent of many lines": ("{% set s = '\\n' * 10000000 %}{{ s|indent(1000000) }}", "limit-value"),
    "wide indent": ("{{ 'a\\nb'|indent(100000000000) }}", "limit-value"),
    "wide indent in JSON": ("{{ [[[[1]]]]|tojson(indent=1000000000) }}", "limit-value"),
    "wide separators in JSON": (
        "{% set s = 'x' * 10000000 %}{{ range(1000000)|tojson(separators=[s, s]) }}",
        "limit-value",
    ),
    "membership in a long list, often": (MILLION + "{{ -1 in l }}{% endfor %}", "limit-steps"),
    "string in a long list, often": (MILLION + "{{ 'x' in l }}{% endfor %}", "limit-steps"),
    "equality of long lists, often": (MILLION + "{{ l == l }}{% endfor %}", "limit-steps"),
    "sorting, often": (MILLION + "{% set _ = l|sort %}{% endfor %}", "limit-steps"),
    "slicing, often": (MILLION + "{% set _ = l[:] %}{% endfor %}", "limit-steps"),
    "length of a long string, often": (
        "{% set s = 'é' * 10000000 %}" + MILLION + "{% set _ = s|length %}{% endfor %}",
        "limit-",
    ),
    "upper of a long string, often": (
        "{% set s = 'a' * 10000000 %}" + MILLION + "{% set _ = s|upper %}{% endfor %}",
        "limit-",
    ),
    "many long lists": (
        "{% set k = [] %}" + MILLION + "{% set _ = k.append(range(1000000)) %}{% endfor %}",
        "limit-",
    ),
    "many long strings": (
        "{% set k = [] %}" + MILLION + "{% set _ = k.append('x' * 60000000) %}{% endfor %}",
        "limit-",
    ),
    "string built bit by bit": (
        repeated("{% set q.x = q.x ~ 'x' %}", "''", 20000) + "{{ q.x|capitalize }}",
        "text 20000",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_templates_end(name: str) -> None:
    source, expected = HOSTILE[name]
    assert outcome(source).startswith(expected)
