"""Strings: characters, case, blanks, order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatjinja.analysis.catalogue.base import (
    Cause,
    Evidence,
    Example,
    Finder,
    Fix,
    effects,
    replace,
    results,
    texts_only,
)
from chatjinja.analysis.parsed import Edit, Parsed
from chatjinja.syntax import nodes

_BLANKS = r"' \n\t\r'"


def without(*names: str, value: str = "''") -> Finder:
    """A finder that takes uses of filters out, to see whether they are to blame."""

    def find(parsed: Parsed) -> Iterator[Fix]:
        for use in parsed.uses(*names):
            yield replace(parsed, use.node.start, use.node.end, value, exact=False)

    return find


def _part_of_text(parsed: Parsed) -> Iterator[Fix]:
    for node in parsed.of(nodes.Getitem):
        is_part = isinstance(node.arg, (nodes.Slice, nodes.Const, nodes.BinExpr))
        if is_part and not isinstance(parsed.parent(node), (nodes.Getattr, nodes.Getitem, nodes.For)):
            yield replace(parsed, node.start, node.end, "''", exact=False)


def _from_the_end(parsed: Parsed) -> Iterator[Fix]:
    for node in parsed.of(nodes.Getitem):
        index = node.arg.value if isinstance(node.arg, nodes.Const) else None
        if isinstance(node.arg, nodes.Const) and isinstance(index, int) and index < 0:
            edits = (Edit(node.arg.start, node.arg.end, f"{index}:"), Edit(node.end, node.end, "[:1]"))
            yield Fix(parsed.span(node), edits[:1] if index == -1 else edits)


def _backward_slices(parsed: Parsed) -> Iterator[Fix]:
    for node in parsed.of(nodes.Getitem):
        part = node.arg
        if isinstance(part, nodes.Slice) and part.step is not None and part.stop is not None:
            yield replace(parsed, part.stop.start, part.stop.end, "", span=parsed.span(node))


def _capitalize(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("capitalize"):
        text = f"({parsed.text(use.value)})"
        yield replace(parsed, use.node.start, use.node.end, f"({text}[:1]|upper ~ {text}[1:]|lower)")


def _strip(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("trim", "strip", "lstrip", "rstrip"):
        if not use.args:
            name = "strip" if use.name == "trim" else use.name
            yield replace(parsed, use.node.start, use.node.end, f"{parsed.operand(use.value)}.{name}({_BLANKS})")
            yield replace(parsed, use.node.start, use.node.end, "''", exact=False)


def _split(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("split"):
        if not use.args:
            yield replace(parsed, use.node.start, use.node.end, f"{parsed.operand(use.value)}.split(' ')")


def _indent(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("indent"):
        text = f"{parsed.operand(use.value)}.strip('\\n')"
        yield replace(parsed, use.value.start, use.value.end, text, span=parsed.span(use.node))


def _case_sensitive(*names: str) -> Finder:
    """A finder that says so where the order depends on case."""

    def find(parsed: Parsed) -> Iterator[Fix]:
        for use in parsed.uses(*names):
            if isinstance(use.node, nodes.Filter):
                end = use.node.target.end
                text, at = (", case_sensitive=true", end - 1) if use.args else ("(case_sensitive=true)", end)
                yield replace(parsed, at, at, text, span=parsed.span(use.node))

    return find


def _percent(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("format"):
        if isinstance(use.node, nodes.Filter) and isinstance(use.value, nodes.Const):
            yield from _spelled_out(parsed, use.node, str(use.value.value), use.args)
    for node in parsed.of(nodes.BinExpr):
        if node.op == "%" and isinstance(node.left, nodes.Const) and isinstance(node.left.value, str):
            args = node.right.items if isinstance(node.right, nodes.Tuple) else [node.right]
            yield from _spelled_out(parsed, node, node.left.value, args)


def _spelled_out(parsed: Parsed, node: nodes.Expr, pattern: str, args: list[nodes.Expr]) -> Iterator[Fix]:
    """``'a%sb' % x`` as ``'a' ~ x ~ 'b'``."""
    texts = pattern.split("%s")
    if len(texts) != len(args) + 1 or any(char in text for text in texts for char in "%'\\\n"):
        yield replace(parsed, node.start, node.end, "''", exact=False)
        return
    pieces = [f"'{texts[0]}'"]
    for arg, text in zip(args, texts[1:], strict=True):
        pieces += [parsed.operand(arg), f"'{text}'"]
    yield replace(parsed, node.start, node.end, f"({' ~ '.join(pieces)})")


# --- checks --------------------------------------------------------------------------------------------


def _beyond_ascii(evidence: Evidence) -> bool:
    return evidence.non_ascii


def _letters_beyond_ascii(evidence: Evidence) -> bool:
    heres = evidence.heres
    return heres is None or any(not here[:1].isascii() for here in heres)


def _blank_there(evidence: Evidence) -> bool:
    """One of the texts goes on with a blank, or has a letter where the other has one."""
    heres = evidence.heres
    return evidence.non_ascii or (heres is not None and any(here[:1].isspace() for here in heres))


def only_case(evidence: Evidence) -> bool:
    """The texts part at an ASCII letter that is a capital on one side."""
    heres = evidence.heres
    if heres is None:
        return False
    left, right = (here[:1] for here in heres)
    return left != right and left.lower() == right.lower() and (left + right).isascii()


_FORMAT = (re.compile(r'Unknown operator "%" between String'), re.compile(r"% operator on unsupported types string"))
_UTF8 = "counts bytes of UTF-8"
_CHARACTERS = "counts characters"
CAUSES = (
    Cause(
        "byte-length",
        "the length of a text with characters beyond ASCII",
        effects(default=_CHARACTERS, llama=_UTF8),
        "Do not count. To see whether there is any text, test the text itself: `{% if x %}`.",
        Example("{{ x|length }}", results("2", "1", "1", "1"), {"x": "é"}),
        without("length", "count", value="0"),
        _beyond_ascii,
    ),
    Cause(
        "byte-slices",
        "a part of a text with characters beyond ASCII",
        effects(default=_CHARACTERS, llama="counts bytes of UTF-8, and can cut a character in two"),
        "Cut at something: `x.split('…')`, or compare the start: `x.startswith('é')`.",
        Example("{{ x[1:] }}", results("\udca9a", "a", "a", "a"), {"x": "éa"}),
        _part_of_text,
        _beyond_ascii,
    ),
    Cause(
        "negative-index-of-text",
        "a character counted from the end of a text",
        effects(default="the character", llama="undefined: negative indexes are for lists"),
        "Take a slice: `x[-1:]`.",
        Example("{{ x[-1] }}", results("", "c", "c", "c"), {"x": "abc"}, "{{ x[-1:] }}", "c"),
        _from_the_end,
    ),
    Cause(
        "backward-slices",
        "a slice that goes backwards to a given end",
        effects(
            default="as in Python",
            llama="an end of -1 means: up to the first",
            js="an end of -1 means: up to the first",
        ),
        "Leave the end out: `x[5::-1]`, or use `x|reverse`.",
        Example(
            "{{ x[5:-1:-1]|join }}",
            results("321", "", "", "321"),
            {"x": [1, 2, 3]},
            "{{ x[5::-1]|join }}",
            "321",
        ),
        _backward_slices,
    ),
    Cause(
        "case-beyond-ascii",
        "upper and lower case of letters beyond ASCII",
        effects(
            default="all letters of Unicode; `ß` becomes `SS`",
            llama="ASCII letters only",
        ),
        "Change the case of ASCII texts only, or before the template gets them.",
        Example("{{ x|upper }}", results("éA", "ÉA", "ÉA", "ÉA"), {"x": "éa"}),
        without("upper", "lower", "title", "capitalize"),
        _letters_beyond_ascii,
    ),
    Cause(
        "title-words",
        "where `title` sees a new word",
        effects(default="after blanks, `-`, `(`, `[`, `{`, `<`", llama="after blanks only"),
        "Write the text in the case that it shall have.",
        Example("{{ 'foo-bar'|title }}", results("Foo-bar", "Foo-Bar", "Foo-Bar", "Foo-Bar")),
        without("title"),
        only_case,
    ),
    Cause(
        "capitalize-pieces",
        "`capitalize` of a text",
        effects(
            default="one capital, the rest in lower case",
            llama="one capital for each piece that the text was put together from",
            js="one capital, the rest as it was",
        ),
        "Spell it out: `x[:1]|upper ~ x[1:]|lower`.",
        Example(
            "{{ ('a' ~ 'b')|capitalize }}",
            results("AB", "Ab", "Ab", "Ab"),
            {},
            "{{ ('a' ~ 'b')[:1]|upper ~ ('a' ~ 'b')[1:]|lower }}",
            "Ab",
        ),
        _capitalize,
        only_case,
    ),
    Cause(
        "blanks-beyond-ascii",
        "`trim` and `strip` of blanks beyond ASCII",
        effects(
            default="take off every blank of Unicode, such as U+00A0 and U+3000", llama="take off ASCII blanks only"
        ),
        "Name the blanks, `x.strip(' \\n\\t\\r')`, or make them plain ones first.",
        Example(
            "[{{ x|trim }}]",
            results("[a\u3000]", "[a]", "[a]", "[a]"),
            {"x": " a\u3000"},
            "[{{ x|replace('\u3000', ' ')|trim }}]",
            "[a]",
        ),
        _strip,
        _blank_there,
    ),
    Cause(
        "split-at-blanks",
        "`split` without a separator",
        effects(default="splits at any run of blanks", llama="splits at every single space"),
        "Name the separator: `x.split(' ')`.",
        Example(
            "{{ 'a  b'.split()|join(',') }}",
            results("a,,b", "a,b", "a,b", "a,b"),
            {},
            "{{ 'a  b'.split(' ')|join(',') }}",
            "a,,b",
        ),
        _split,
    ),
    Cause(
        "join-of-other-types",
        "`join` of items that are neither texts nor numbers",
        effects(default="writes their text", llama="an error"),
        "Join in a loop: `{% for i in x %}{{ i }}{{ ',' if not loop.last }}{% endfor %}`.",
        Example("{{ [true, 'a']|join(',') }}", results(None, "True,a", "True,a", "true,a")),
        without("join"),
        messages=(re.compile(r"join\(\) can only join"),),
    ),
    Cause(
        "replace-of-other-types",
        "`replace` with arguments that are no texts",
        effects(default="takes their texts", llama="an error", js="an error"),
        "Write texts: `x|replace('1', '2')`.",
        Example(
            "{{ 'a1'|replace(1, 2) }}",
            results(None, "a2", "a2", None),
            {},
            "{{ 'a1'|replace('1', '2') }}",
            "a2",
        ),
        without("replace"),
        messages=(
            re.compile("'replace' expected value of type String"),
            re.compile(r"replace\(\) arguments must be strings"),
        ),
    ),
    Cause(
        "number-from-text",
        "`int` or `float` of a text that only starts with a number, or of a large one",
        effects(
            default="the number at the start",
            llama="the number at the start; the default beyond 32 bits",
            jinja="the default, 0: the whole text must be a number",
            mini="an error",
        ),
        "Give numbers to the template as numbers.",
        Example("{{ '12px'|int }}", results("12", "0", None, "12")),
        without("int", "float", value="0"),
    ),
    Cause(
        "indent-empty-lines",
        "`indent` of a text that starts or ends with line ends",
        effects(
            default="keeps them",
            llama="drops empty lines at the start",
            mini="drops a line end at the end",
        ),
        "Take them off first: `x.strip('\\n')|indent(2)`.",
        Example(
            "{{ x|indent(2) }}",
            results("a", "\n\n  a", "\n\n  a", "\n\n  a"),
            {"x": "\n\na"},
            "{{ x.strip('\\n')|indent(2) }}",
            "a",
        ),
        _indent,
        texts_only,
    ),
    Cause(
        "percent-format",
        "`%s` in a text",
        effects(
            default="the filter `format` fills it in; the operator `%` is an error",
            llama="the filter `format` does not touch it; the operator `%` is an error",
            jinja="the filter `format` and the operator `%` fill it in",
            js="both are an error",
        ),
        "Join the texts: `'a' ~ x ~ 'b'`.",
        Example("{{ 'a%sb'|format(1) }}", results("a%sb", "a1b", "a1b", None), {}, "{{ 'a' ~ 1 ~ 'b' }}", "a1b"),
        _percent,
        messages=_FORMAT,
    ),
    Cause(
        "sort-case",
        "`sort`, `min`, `max` or `unique` of texts in upper and lower case",
        effects(default="`a` and `A` count as the same", llama="all capitals come before all small letters"),
        "Say so: `x|sort(case_sensitive=true)`.",
        Example(
            "{{ x|sort|join }}",
            results("Cab", "abC", "abC", "abC"),
            {"x": ["b", "C", "a"]},
            "{{ x|sort(case_sensitive=true)|join }}",
            "Cab",
        ),
        _case_sensitive("sort", "min", "max", "unique"),
    ),
    Cause(
        "dictsort-case",
        "`dictsort` of keys in upper and lower case",
        effects(default="`a` and `A` count as the same", llama="all capitals come before all small letters"),
        "Say so: `x|dictsort(case_sensitive=true)`.",
        Example(
            "{% for k, v in x|dictsort %}{{ k }}{% endfor %}",
            results("Ca", "aC", "aC", "aC"),
            {"x": {"C": 1, "a": 2}},
            "{% for k, v in x|dictsort(case_sensitive=true) %}{{ k }}{% endfor %}",
            "Ca",
        ),
        _case_sensitive("dictsort"),
    ),
)
