"""What holds for any source."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from chatjinja.errors import TemplateError, TemplateSyntaxError
from chatjinja.syntax import nodes
from chatjinja.syntax import tokens as t
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.lexer import tokenize
from chatjinja.syntax.parser import parse
from chatjinja.syntax.unparse import unparse
from chatjinja.syntax.visitor import iter_child_nodes, same_tree, walk
from tests.syntax.shapes import JINJA2, LLAMA_CPP

CONFIGS = st.sampled_from([LLAMA_CPP, JINJA2, SyntaxConfig(raw_blocks=True, power=True)])
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
        "{#-",
        "-#}",
        "\\",
        "#",
        "$",
        "é",
        "\udcff",
        "\0",
    ),
    *("-", "+", "~", "*", "/", "//", "**", "%", "(", ")", "[", "]", "{", "}", ",", ".", ":", "|", "=", "==", "<", "!="),
    *("if", "elif", "else", "endif", "for", "in", "endfor", "set", "endset", "macro", "endmacro", "call", "endcall"),
    *("filter", "endfilter", "raw", "endraw", "generation", "break", "continue", "is", "not", "and", "or", "f(", "[0]"),
    *("'", '"', "a", "b", "1", "-1", "1.5", ".5", "'x'", '"y"', "99999999999999999999", "a.b", "|f"),
    *(" ", "\n", "\t", "\v", "\r", "\r\n"),
]
SOURCES = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3))).map("".join)


def separated(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(" ".join)


OPERATORS = [
    "or",
    "and",
    "in",
    "not in",
    "==",
    "<",
    "+",
    "-",
    "~",
    "*",
    "%",
    ",",
    "is",
    "is not",
    "|",
    ".",
    "if",
    "else",
]
ATOMS = ["a", "b", "1", "-1", "- 1", "1.5", "-.5", "'it\\'s'", '"\\n"', "not", "{}", "[]", "true"]
PATTERNS = [
    *("({})", "({}, {})", "[{}, {}]", "[{} {}]", "{{{}: {}}}", "{{ {}: {}, }}", "-{}", "not {}", "({}) + {}"),
    *("{}({})", "{}({}={}, *b)", "{}[{}]", "{}[{}:{}]", "{}[:{}]", "{}[::{}]", "{}[{}::{}]", "{}.0"),
    *("{}|f", "{}|f({})", "{}|({})", "{} is f", "{} is f({}).a", "{} is not f {}", "{} is f in {}", "({} is f) in {}"),
    *("{} if {} else {}", "{} if {}", "{} not in {}"),
]


def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def wrapped(pattern: str) -> st.SearchStrategy[str]:
        return st.lists(inner, min_size=3, max_size=3).map(lambda parts: pattern.format(*parts))

    return st.one_of(separated(inner, st.sampled_from(OPERATORS), inner), *map(wrapped, PATTERNS))


EXPRESSIONS = st.recursive(st.sampled_from(ATOMS), extend, max_leaves=8)
TEXTS = st.one_of(
    st.sampled_from(["", "", "x", "ab", "é", "\n", "\n\n", " ", "  \n  ", "a\n  ", " \v", "{", "a{ ", "\udcff", "}}"]),
    st.text(alphabet=" \n\t\vab{}%#-\r", max_size=5),
)
OPEN = st.sampled_from(["{%", "{%-"])
CLOSE = st.sampled_from(["%}", "-%}"])


def tag(*parts: str | st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return separated(OPEN, *(st.just(part) if isinstance(part, str) else part for part in parts), CLOSE)


def joined(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map("".join)


def statements(body: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    any_ = EXPRESSIONS
    return joined(
        TEXTS,
        st.one_of(
            joined(tag("if", any_), body, tag("endif")),
            joined(tag("if", any_), body, tag("elif", any_), body, tag("else"), body, tag("endif")),
            joined(tag("for a in", any_), body, tag("else"), body, tag("endfor")),
            joined(tag("for a, (b, c) in", any_), body, tag("endfor")),
            joined(tag("set a"), body, tag("endset")),
            joined(tag("macro m(a, b=", any_, ")"), body, tag("endmacro")),
            joined(tag("call(a) m(", any_, ")"), body, tag("endcall")),
            joined(tag("filter f(", any_, ")"), body, tag("endfilter")),
            joined(tag("filter (", any_, ")"), body, tag("endfilter")),
        ),
        TEXTS,
    )


PIECES = st.one_of(
    TEXTS,
    separated(st.sampled_from(["{{", "{{-"]), EXPRESSIONS, st.sampled_from(["}}", "-}}"])),
    tag("set a, b.c =", EXPRESSIONS),
    st.sampled_from(["{# a #}", "{#- a -#}", "{#-#}", "{#}#}"]),
    tag(st.sampled_from(["break", "continue", "generation", "endgeneration"])),
    joined(tag("raw"), TEXTS, st.sampled_from(["", "{{", "{%- a"]), TEXTS, tag("endraw")),
)
TEMPLATES = st.recursive(
    st.lists(PIECES, max_size=4).map("".join),
    lambda inner: st.one_of(statements(inner), joined(inner, TEXTS, inner)),
    max_leaves=4,
)


def check_span(error: TemplateError, source: str) -> None:
    assert error.span is not None
    assert 0 <= error.span.start <= error.span.end <= len(source)


@given(SOURCES, CONFIGS)
def test_tokens_tile_the_source(source: str, config: SyntaxConfig) -> None:
    try:
        text, tokens = tokenize(source, config)
    except TemplateSyntaxError as error:
        check_span(error, source)
        return
    end = 0
    for token in tokens:
        assert end <= token.start < token.end <= len(text)
        assert token.at == token.start or (token.type == t.TEXT and end <= token.at < token.start)
        if token.type == t.TEXT:
            assert text[token.start : token.end] == token.value
        end = token.end


@given(SOURCES)
def test_gaps_are_blank_but_for_the_first_character(source: str) -> None:
    config = SyntaxConfig(lstrip_drops_first_character=False)
    try:
        text, tokens = tokenize(source, config)
    except TemplateSyntaxError:
        return
    ends = [0, *(token.end for token in tokens)]
    starts = [*(token.start for token in tokens), len(text)]
    for end, start in zip(ends, starts, strict=True):
        assert re.fullmatch(r"[ \t-\r]*", text[end:start])


@given(st.one_of(SOURCES, TEMPLATES), CONFIGS)
def test_any_source_is_a_tree_or_an_error(source: str, config: SyntaxConfig) -> None:
    try:
        template, normalised = parse(source, config)
    except TemplateError as error:
        check_span(error, source)
        return
    for node in walk(template):
        assert 0 <= node.start <= node.end <= len(normalised.text)
        assert isinstance(node, nodes.TemplateData | nodes.Call) or node.start <= node.at <= node.end
        for child in iter_child_nodes(node):
            assert node.start <= child.start <= child.end <= node.end


@given(st.one_of(SOURCES, TEMPLATES, EXPRESSIONS.map("{{{{ {} }}}}".format)), CONFIGS)
def test_a_tree_can_be_written_and_read_again(source: str, config: SyntaxConfig) -> None:
    try:
        template, _ = parse(source, config)
    except TemplateError:
        return
    written = unparse(template, config)
    again, _ = parse(written, config)
    assert same_tree(template, again)
    assert unparse(again, config) == written
