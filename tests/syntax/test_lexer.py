"""Text to tokens."""

from __future__ import annotations

import pytest

from chatjinja.errors import TemplateSyntaxError
from chatjinja.syntax import tokens as t
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.lexer import normalise, tokenize
from tests.syntax.shapes import JINJA2, LLAMA_CPP, texts, token_values


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", ""),
        ("a", "a"),
        ("a\n", "a"),
        ("a\n\n", "a\n"),
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("a\r\n", "a"),
        ("a\r", "a\n"),
        ("\n", ""),
        ("\r", "\n"),
        ("\r\r\n", "\n"),
        ("a\n\r", "a\n\n"),
        ("bad \udcff byte\n", "bad \udcff byte"),
        ("\0", "\0"),
    ],
)
def test_normalise(source: str, expected: str) -> None:
    assert normalise(source) == expected


@pytest.mark.parametrize("code", [0xD800, 0xDBFF, 0xDC7F, 0xDD00, 0xDFFF])
def test_surrogates_that_stand_for_no_byte(code: int) -> None:
    char = chr(code)
    with pytest.raises(TemplateSyntaxError) as caught:
        tokenize(f"a\r\n{char}", LLAMA_CPP)
    error = caught.value
    assert error.message == f"source is not valid text: lone surrogate U+{code:04X}"
    assert (error.code, error.phase, error.span) == ("source-encoding", None, (2, 3))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # trim_blocks: one newline behind a statement or comment, not behind an expression
        ("{% a %}\nx", ["x"]),
        ("{% a %}\n\nx", ["\nx"]),
        ("{% a %} \nx", [" \nx"]),
        ("{# a #}\nx", ["x"]),
        ("{{ a }}\nx", ["\nx"]),
        ("{% a %}\n", []),
        # lstrip_blocks: blanks between a newline and a statement or comment
        ("xy\n \t\v\f{% a %}", ["xy\n"]),
        ("xy\n  {# a #}", ["xy\n"]),
        ("xy\n  {{ a }}", ["xy\n  "]),
        ("xy \t{% a %}", ["xy \t"]),
        ("{{ a }}  {% a %}", ["  "]),
        ("{% a %}\n  {% b %}", []),
        ("{% a %}\n\n  {% b %}", ["\n"]),
        # dashes
        ("a \n{{- a -}} \n b", ["a", "b"]),
        ("a \n{%- a -%} \n b", ["a", "b"]),
        ("a \n{#- a -#} \n b", ["a", "b"]),
        ("ab{#-#}\n\n c", ["ab", "c"]),
        ("{{ a }}\v {{- a -}} \v", ["\v", "\v"]),
        (" {{- a }}", []),
        ("a {{-}} b", ["a", "b"]),
        ("{{ a }} - {{ a }}", [" - "]),
        # the lost first character
        ("x{% a %}", []),
        ("x  {% a %}", []),
        ("\n{% a %}", []),
        ("\n  {# a #}", []),
        ("  {% a %}", []),
        ("\0{% a %}", []),
        ("\udcff{% a %}", []),
        ("xy{% a %}", ["xy"]),
        ("xy {% a %}", ["xy "]),
        ("é{% a %}", ["é"]),
        ("é {% a %}", ["é "]),
        (" \n{% a %}", [" \n"]),
        ("x\n{% a %}", ["x\n"]),
        ("x{{ a }}", ["x"]),
        # what is no tag
        ("{ } }} %} #} {", ["{ } }} %} #} {"]),
        ("a{", ["a{"]),
        ("\0", ["\0"]),
    ],
)
def test_text_and_stripping(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x{% a %}", ["x"]),
        ("x  {% a %}", ["x  "]),
        ("  {% a %}", []),
        ("\n{% a %}", ["\n"]),
        ("\n  {% a %}", ["\n"]),
    ],
)
def test_first_character_is_kept_without_the_quirk(source: str, expected: list[str]) -> None:
    assert texts(source, SyntaxConfig(lstrip_drops_first_character=False)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a {{ b|c }}.", "1:a  10:{{ 4:b 19:| 4:c 11:}} 1:."),
        ("{%- if x -%}", "8:{%- 4:if 4:x 9:-%}"),
        ("{{- x -}}", "10:{{- 4:x 11:-}}"),
        ("{{ ( ) [ ] , . : = }}", "10:{{ 6:( 7:) 12:[ 13:] 16:, 17:. 18:: 5:= 11:}}"),
        ("{{ + - ~ * / % }}", "10:{{ 24:+ 24:- 21:~ 22:* 22:/ 22:% 11:}}"),
        ("{{ < > <= >= == != }}", "10:{{ 23:< 23:> 23:<= 23:>= 23:== 23:!= 11:}}"),
        ("{{ 1abc _a1 A }}", "10:{{ 2:1 4:abc 4:_a1 4:A 11:}}"),
        ("{{ 1.5 1.a .5 5. }}", "10:{{ 2:1.5 2:1 17:. 4:a 17:. 2:5 2:5 17:. 11:}}"),
        ("{{ a.0.1 }}", "10:{{ 4:a 17:. 2:0.1 11:}}"),
        ("{{\t\n\v\f\ra }}", "10:{{ 4:a 11:}}"),
        # closing marks end a tag wherever they stand
        ("{{ a %}b}}", "10:{{ 4:a 9:%} 1:b}}"),
        ("{% a }}b", "8:{% 4:a 11:}} 1:b"),
        ("{% a % b %}", "8:{% 4:a 22:% 4:b 9:%}"),
        # opening marks are tokens inside a tag too
        ("{{ {% {{", "10:{{ 8:{% 10:{{"),
        # braces are counted since the last {{
        ("{{ {1:{}} }}", "10:{{ 14:{ 2:1 18:: 14:{ 15:} 15:} 11:}}"),
        ("{{ {1:2 -}}", "10:{{ 14:{ 2:1 18:: 2:2 11:-}}"),
        ("{{ } }} }}", "10:{{ 15:} 15:} 15:} 15:} 15:}"),
        ("{{ a } {{ }}", "10:{{ 4:a 15:} 10:{{ 11:}}"),
        ("{% { %}{% }} %}", "8:{% 14:{ 9:%} 8:{% 15:} 15:} 9:%}"),
        # a dash behind an opening mark, and one more
        ("{{-1}}", "10:{{- 2:1 11:}}"),
        ("{{--1}}", "10:{{- 2:1 11:}}"),
        ("{{---1}}", "10:{{- 2:-1 11:}}"),
        ("{{ -1}}", "10:{{ 2:-1 11:}}"),
        ("{%-- a %}", "8:{%- 4:a 9:%}"),
        ("{{-", "10:{{-"),
        ("{{--", "10:{{-"),
        # signs: of two operands behind an operand, else of one or of a number
        (
            "{{ a-1 b -1 1-1 'a'-1 )-1 ]-1",
            "10:{{ 4:a 21:- 2:1 4:b 21:- 2:1 2:1 21:- 2:1 3:a 21:- 2:1 7:) 21:- 2:1 13:] 21:- 2:1",
        ),
        ("{{ (-1 [+2 ,-1.5 =-a", "10:{{ 6:( 2:-1 12:[ 2:+2 16:, 2:-1.5 5:= 24:- 4:a"),
        ("{{ (- 1 --1 }-1", "10:{{ 6:( 24:- 2:1 21:- 2:-1 15:} 2:-1"),
        ("{{ (-.5 -x", "10:{{ 6:( 2:-.5 21:- 4:x"),
        ("{% if -1 %}", "8:{% 4:if 21:- 2:1 9:%}"),
        ("{{ (-} (-% a", "10:{{ 6:( 21:- 15:} 6:( 21:- 22:% 4:a"),
        ("{{ (+}", "10:{{ 6:( 24:+ 15:}"),
        # comments
        ("{# a #}{#}#}{###}", "25: a  25:} 25:#"),
        ("{{ a{# b #} c", "10:{{ 4:a 25: b  1: c"),
        ("{{{# b #}", "10:{{ 25: b "),
        ("{{-{# b #}", "10:{{- 25: b "),
        ("{# a #}{# b #}", "25: a  25: b "),
        # strings
        ("{{ 'a' \"b\" 'c\"' \"d'\" ''", "10:{{ 3:a 3:b 3:c\" 3:d' 3:"),
        (r"{{ '\n\t\r\b\f\v\\\'\"'", "10:{{ 3:\n\t\r\b\f\v\\'\""),
        ("{{ 'a\nb\0}} %}\udcff\\n'", "10:{{ 3:a\nb\0}} %}\udcff\n"),
        ("{{ 'a' }}\n{{ 'b\\\\' }}", "10:{{ 3:a 11:}} 1:\n 10:{{ 3:b\\ 11:}}"),
    ],
)
def test_tokens(source: str, expected: str) -> None:
    assert " ".join(f"{type_}:{value}" for type_, value in token_values(source)) == expected


@pytest.mark.parametrize(
    ("source", "message", "code", "span"),
    [
        ("{{ $a", "unexpected character: $", "lex-unexpected-character", (3, 4)),
        ("{{ a ! b", "unexpected character: !", "lex-unexpected-character", (5, 6)),
        ("{{ \0", "unexpected character: \0", "lex-unexpected-character", (3, 4)),
        ("é{{ é", "unexpected character: \ufffd", "lex-unexpected-character", (4, 5)),
        ("{{ \udcff", "unexpected character: \ufffd", "lex-unexpected-character", (3, 4)),
        ("{{ {# a #}", "unexpected character: #", "lex-unexpected-character", (4, 5)),
        ("{{--{# a #}", "unexpected character: #", "lex-unexpected-character", (5, 6)),
        (r"{{ '\x'", r"unknown escape character \x", "lex-unknown-escape", (4, 6)),
        (r"{{ 'a\n\é'", "unknown escape character \\\ufffd", "lex-unknown-escape", (7, 9)),
        ("{{ 'a\n", "unexpected end of input during consume_while", "lex-unclosed-string", (3, 4)),
        (r"{{ 'a\'", "unexpected end of input during consume_while", "lex-unclosed-string", (3, 4)),
        ("{{ 'a\\", "unexpected end of input after escape character", "lex-unexpected-end", (5, 6)),
        ("a {# b", "missing end of comment tag", "lex-unclosed-comment", (2, 4)),
        ("{#}", "missing end of comment tag", "lex-unclosed-comment", (0, 2)),
        ("{{ a{# b", "missing end of comment tag", "lex-unclosed-comment", (4, 6)),
    ],
)
def test_errors(source: str, message: str, code: str, span: tuple[int, int]) -> None:
    with pytest.raises(TemplateSyntaxError) as caught:
        tokenize(source, LLAMA_CPP)
    error = caught.value
    assert (error.message, error.code, error.phase, error.span) == (message, code, "lex", span)


def test_places() -> None:
    text, tokens = tokenize("\r\n\r\nab \r\n{%-- set x = 'y\\n' -%}\r\n é {{- 1 }}", LLAMA_CPP)
    places = [(text[token.start : token.end], token.at) for token in tokens]
    assert places == [
        ("\n\nab", 0),
        ("{%--", 6),
        ("set", 11),
        ("x", 15),
        ("=", 17),
        ("'y\\n'", 19),
        ("-%}", 25),
        ("é", 28),
        ("{{-", 32),
        ("1", 36),
        ("}}", 38),
    ]
    assert [token.value for token in tokens if token.type == t.TEXT] == ["\n\nab", "é"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a {% raw %}{{ b }}{% endraw %} c", ["a ", "{{ b }}", " c"]),
        ("{%- raw -%} \n{% x %} {%- endraw -%} c", ["{% x %}", "c"]),
        ("{%raw%}\n\n a\n  {%endraw%}\nb", ["\n a\n", "b"]),
        ("{% raw %}{% endraw %}{% raw %}{#{% endraw %}", ["{#"]),
        ("{% rawx %}", []),
    ],
)
def test_raw_blocks(source: str, expected: list[str]) -> None:
    assert texts(source, JINJA2) == expected


def test_many_raw_blocks() -> None:
    assert texts("{% raw %}{{{% endraw %}" * 5000, JINJA2) == ["{{"] * 5000


def test_unclosed_raw_block() -> None:
    with pytest.raises(TemplateSyntaxError) as caught:
        tokenize("a{% raw %}b", JINJA2)
    error = caught.value
    assert (error.message, error.code, error.span) == ("Missing end of raw directive", "lex-unclosed-raw", (1, 10))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (LLAMA_CPP, "4:a 22:/ 22:/ 2:2 22:* 22:* 2:-3 22:* 22:* 2:4"),
        (SyntaxConfig(floor_division=True), "4:a 22:// 2:2 22:* 22:* 2:-3 22:* 22:* 2:4"),
        (SyntaxConfig(power=True), "4:a 22:/ 22:/ 2:2 22:** 2:-3 22:** 2:4"),
        (JINJA2, "4:a 22:// 2:2 22:** 2:-3 22:** 2:4"),
    ],
)
def test_more_operators(config: SyntaxConfig, expected: str) -> None:
    values = token_values("{{ a//2**-3**4 }}", config)[1:-1]
    assert " ".join(f"{type_}:{value}" for type_, value in values) == expected


@pytest.mark.parametrize(
    "source",
    [
        "a" * 2_000_000,
        "{ " * 1_000_000,
        "}" * 2_000_000,
        "\0" * 2_000_000,
        " " * 2_000_000 + "{% a %}",
        "\n" * 2_000_000,
    ],
)
def test_long_texts_are_quick(source: str) -> None:
    assert len(tokenize(source, LLAMA_CPP)[1]) <= 3
