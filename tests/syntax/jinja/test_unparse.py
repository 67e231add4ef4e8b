"""Trees back to source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from chatjinja.errors import TemplateError
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.jinja import nodes
from chatjinja.syntax.jinja.parser import parse
from chatjinja.syntax.jinja.unparse import unparse
from chatjinja.syntax.visitor import same_tree
from tests.syntax.jinja.random_sources import RANDOM_SOURCES
from tests.syntax.jinja.sources import GOOD

CONFIG = SyntaxConfig()


def round_trip(source: str) -> str:
    """The source that is written for this one's tree; it must stand for the same tree."""
    tree, _ = parse(source, CONFIG)
    written = unparse(tree)
    again, _ = parse(written, CONFIG)
    assert same_tree(tree, again), written
    assert unparse(again) == written
    return written


@pytest.mark.parametrize("source", GOOD)
def test_same_tree(source: str) -> None:
    round_trip(source)


@given(RANDOM_SOURCES)
@settings(max_examples=300, deadline=None)
def test_any_tree(source: str) -> None:
    try:
        parse(source, CONFIG)
    except TemplateError:
        return
    round_trip(source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("(((a)))", "a"),
        ("a+b*(c-d)", "a + b * (c - d)"),
        ("(a+b)+(c+d)", "a + b + (c + d)"),
        ("(a~b)~(c~d)", "(a ~ b) ~ (c ~ d)"),
        ("(a<b)<c", "(a < b) < c"),
        ("a**(b**c)", "a ** (b ** c)"),
        ("(not a)==b", "(not a) == b"),
        ("not(a==b)", "not a == b"),
        ("- (a|abs)", "-(a|abs)"),
        ("(-a)|abs", "-a|abs"),
        ("(a|abs)(b)", "(a|abs)(b)"),
        ("(a|join(b))(c)", "a|join(b)(c)"),
        ("(a|join(b))(c).d", "(a|join(b))(c).d"),
        ("(a is odd)|abs", "a is odd|abs"),
        ("(a is odd) in b", "(a is odd) in b"),
        ("(a is eq 1)in b", "a is eq(1) in b"),
        ("a is eq not.b", "a is eq not.b"),
        ("(a is eq not)(b)", "(a is eq not)(b)"),
        ("a is eq(not b)", "a is eq(not b)"),
        ("(a if b) if c", "a if b if c"),
        ("a if b else(c if d)", "a if b else c if d"),
        ("(a if b else c)if d", "(a if b else c) if d"),
        ("(a,)", "(a,)"),
        ("a[(1,2)]", "a[(1, 2)]"),
        ("a.0", "a[0]"),
        ("a[1 : : 2]", "a[1::2]"),
        ("True", "true"),
        ("None", "none"),
        ("1e400", "1e999"),
        ("1e2", "100.0"),
        ("'a' \"'\"", '"a\'"'),
        ("'\\'\"'", "'\\'\"'"),
        ("'a\\tb\n'", "'a\\tb\\n'"),
        ("f(*a,b=1,**c)", "f(*a, b=1, **c)"),
    ],
)
def test_expressions(source: str, expected: str) -> None:
    assert round_trip(f"{{{{ {source} }}}}") == f"{{{{ {expected} }}}}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{% if a %}\n\nb\n  {%+ endif -%} c", "{% if a +%}\nb\n  {%+ endif %}c"),
        ("a{#- b -#} c", "a{# b #}c"),
        ("{#+ - #}{#-+ #}", "{# - #}{#++ #}"),
        ("{% raw %}{{{% endraw %}a", "{% raw %}{{{% endraw %}a"),
        ("a{% raw %}b{% endraw %}", "a{% raw %}b{% endraw %}"),
        ("  {%+ if a %}{% endif %}", "  {%+ if a %}{% endif %}"),
        ("{{ a }}  {% if a %}{% endif %}", "{{ a }}  {% if a %}{% endif %}"),
        ("a\n\n", "a\n\n"),
        ("{% print a, b %}", "{{ a }}{{ b }}"),
        (
            "{% for (a, b) in (c, d) if e recursive: %}{% endfor %}",
            "{% for a, b in (c, d) if e recursive %}{% endfor %}",
        ),
        ("{% call() (a)() %}{% endcall %}", "{% call a() %}{% endcall %}"),
        ("{% call() (a+b)() %}{% endcall %}", "{% call() (a + b)() %}{% endcall %}"),
        ("{% include a with context %}", "{% include a %}"),
        ("{% block a %}{% endblock a %}", "{% block a %}{% endblock %}"),
    ],
)
def test_tags(source: str, expected: str) -> None:
    assert round_trip(source) == expected


def test_large_integers_are_written_such_that_they_can_be_read() -> None:
    digits = "f" * 5000
    assert round_trip("{{ 0x" + digits + " }}") == "{{ 0x" + digits + " }}"


@pytest.mark.parametrize(
    "source",
    [
        "a" + "+a" * 10_000,
        "a" + "~a" * 10_000,
        "a" + "<a" * 10_000,
        "a" + ".b" * 10_000,
        "a" + "()" * 10_000,
        "a|join(b)" + "(c)" * 10_000,
        "a" + "|abs" * 10_000,
        "a" + " is eq(1)" * 10_000,
        "a if b else " * 10_000 + "c",
        "a if " * 10_000 + "b",
    ],
    ids=lambda source: source[:12],
)
def test_long_chains(source: str) -> None:
    tree, _ = parse(f"{{{{ {source} }}}}", CONFIG)
    assert isinstance(tree.body[0], nodes.Output)
    round_trip(f"{{{{ {source} }}}}")
