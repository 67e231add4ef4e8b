"""Random sources: tokens in any order, templates of a grammar, and templates with a mistake in them."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.properties.jinja_grammar import JinjaGrammar
from tests.syntax.jinja.sources import BAD, GOOD

FRAGMENTS = [
    *(
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "{{-",
        "-}}",
        "{%-",
        "-%}",
        "{%+",
        "+%}",
        "{#-",
        "-#}",
        "{% raw %}",
        "{% endraw %}",
    ),
    *(
        "if",
        "else",
        "elif",
        "endif",
        "for",
        "in",
        "endfor",
        "set",
        "endset",
        "not",
        "and",
        "or",
        "is",
        "recursive",
        "macro",
    ),
    *(
        "-",
        "+",
        "~",
        "*",
        "/",
        "//",
        "**",
        "%",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        ":",
        "|",
        "=",
        "==",
        "<",
        ";",
        "!",
    ),
    *(
        "a",
        "b",
        "loop",
        "caller",
        "1",
        "1.5",
        "0x1f",
        "1_0",
        "1e3",
        "'x'",
        '"y"',
        "'\\n'",
        "'",
        "f(",
        "é",
        "²",
        "\0",
        "\ud800",
    ),
    *(" ", "\n", "\t", "\v", "\r", "\r\n", "\u00a0", "\\"),
]
SOUP = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3)), max_size=25).map("".join)


@st.composite
def generated(draw: st.DrawFn) -> str:
    """A template of the grammar."""
    return JinjaGrammar(lambda count: draw(st.integers(0, count - 1))).template()


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A source with a piece of it taken out, doubled, or replaced."""
    source = draw(st.one_of(st.sampled_from([*GOOD, *BAD]), generated()))
    start, end = sorted((draw(st.integers(0, len(source))), draw(st.integers(0, len(source)))))
    middle = draw(st.one_of(st.just(""), st.just(source[start:end] * 2), st.sampled_from(FRAGMENTS)))
    return source[:start] + middle + source[end:]


RANDOM_SOURCES = st.one_of(SOUP, SOUP.map(lambda soup: "{{ " + soup + " }}"), mutated(), generated())
