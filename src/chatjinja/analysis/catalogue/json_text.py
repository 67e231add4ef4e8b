"""`tojson`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatjinja.analysis.catalogue.base import Cause, Evidence, Example, Fix, effects, replace, results
from chatjinja.analysis.catalogue.printing import same_number
from chatjinja.analysis.parsed import Parsed
from chatjinja.syntax import nodes

_ESCAPES = re.compile(r"\\?u00(3c|3e|26|27)")
_SAME_EVERYWHERE = ("indent",)


def _without(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("tojson"):
        yield replace(parsed, use.node.start, use.node.end, "''", exact=False)


def _escaped_html(evidence: Evidence) -> bool:
    heres = evidence.heres
    return heres is not None and any(_ESCAPES.match(here) for here in heres)


def _without_options(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("tojson"):
        kept = [arg for arg in use.args if _keyword(arg) in _SAME_EVERYWHERE]
        if len(kept) < len(use.args):
            args = f"({', '.join(parsed.text(arg) for arg in kept)})" if kept else ""
            yield replace(parsed, use.node.start, use.node.end, f"{parsed.operand(use.value)}|tojson{args}")


def _keyword(arg: nodes.Expr) -> str | None:
    return arg.key.name if isinstance(arg, nodes.Keyword) and isinstance(arg.key, nodes.Name) else None


def _indent_as_number(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("tojson"):
        for arg in use.args:
            if isinstance(arg, nodes.Keyword) and _keyword(arg) == "indent":
                yield replace(parsed, arg.value.start, arg.value.end, "4", span=parsed.span(use.node))


def _undefined_as_null(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("tojson"):
        value = parsed.operand(use.value)
        text = f"({value} if {value} is defined else none)"
        yield replace(parsed, use.value.start, use.value.end, text, span=parsed.span(use.node))


def _keys_as_text(parsed: Parsed) -> Iterator[Fix]:
    words = {"none": "null", "true": "true", "false": "false"}
    for node in parsed.of(nodes.Dict):
        for key in node.keys:
            if isinstance(key, nodes.Name) and key.name.lower() in words:
                yield replace(parsed, key.start, key.end, f"'{words[key.name.lower()]}'")
            elif isinstance(key, nodes.Const) and not isinstance(key.value, str):
                yield replace(parsed, key.start, key.end, f"'{key.value}'")


def _delete_character(evidence: Evidence) -> bool:
    heres = evidence.heres
    return heres is not None and any(here.startswith(("\x7f", "\\u007f")) for here in heres)


CAUSES = (
    Cause(
        "tojson-html",
        "`tojson` and the characters `<`, `>`, `&`, `'`",
        effects(default="writes them as they are", mini="writes `\\u003c` and so on, to be safe in HTML"),
        "minijinja's host can replace the filter; a template can only undo it: "
        "`x|tojson|replace('\\\\u003c', '<')`, and so on for the other three.",
        Example(
            "{{ x|tojson }}",
            results('"<b>"', '"<b>"', '"\\u003cb\\u003e"', '"<b>"'),
            {"x": "<b>"},
            "{{ x|tojson|replace('\\\\u003c', '<')|replace('\\\\u003e', '>') }}",
            '"<b>"',
        ),
        _without,
        _escaped_html,
    ),
    Cause(
        "tojson-float",
        "`tojson` of a float",
        effects(
            default="the shortest digits, with `.0` for whole numbers and an exponent where Python has one",
            llama="six significant digits, whole numbers without `.0`",
            mini="the shortest digits, never an exponent",
            js="as JavaScript writes it, whole numbers without `.0`",
        ),
        "Hand it over as a text, or as an integer: engines have no number format in common.",
        Example("{{ x|tojson }}", results("1.23457e+07", "12345678.0", "12345678.0", "12345678"), {"x": 12345678.0}),
        _without,
        same_number,
    ),
    Cause(
        "tojson-delete",
        "`tojson(ensure_ascii=true)` and the character U+007F",
        effects(default="writes `\\u007f`", llama="writes it as it is", mini="refuses the option"),
        "Leave `ensure_ascii` out.",
        Example(
            "{{ x|tojson(ensure_ascii=true) }}",
            results('"\x7f"', '"\\u007f"', None, '"\\u007f"'),
            {"x": "\x7f"},
            "{{ x|tojson }}",
            '"\x7f"',
        ),
        _without_options,
        _delete_character,
    ),
    Cause(
        "tojson-options",
        "`tojson` with options",
        effects(
            default="knows `ensure_ascii`, `indent`, `separators` and `sort_keys`",
            llama="refuses `sort_keys`",
            plus="knows `ensure_ascii`, `indent`, `separators` and `sort_keys`",
            mini="knows `indent` only",
        ),
        "Use no option but `indent`, and sort keys before the template gets them.",
        Example(
            "{{ x|tojson(sort_keys=true) }}",
            results(None, '{"a": 2, "b": 1}', None, '{"a": 2, "b": 1}', plus='{"a": 2, "b": 1}'),
            {"x": {"b": 1, "a": 2}},
            "{{ x|tojson }}",
            '{"b": 1, "a": 2}',
        ),
        _without_options,
        messages=(
            re.compile("tojson sort_keys=true not implemented"),
            re.compile("unknown keyword argument '(sort_keys|ensure_ascii|separators)'"),
        ),
    ),
    Cause(
        "tojson-indent",
        "`tojson` with an indent that is no number",
        effects(
            default="indents with that text",
            llama="does not indent",
            mini="an error",
            js="an error",
        ),
        "Give a number of blanks: `tojson(indent=4)`.",
        Example(
            "{{ x|tojson(indent='  ') }}",
            results("[1]", "[\n  1\n]", None, None),
            {"x": [1]},
            "{{ x|tojson(indent=2) }}",
            "[\n  1\n]",
        ),
        _indent_as_number,
    ),
    Cause(
        "tojson-undefined",
        "`tojson` of something undefined",
        effects(default="an error", mini="writes `null`", js="writes `null`"),
        "Give it a value: `(x if x is defined else none)|tojson`.",
        Example(
            "{{ x|tojson }}",
            results(None, None, "null", "null"),
            {},
            "{{ (x if x is defined else none)|tojson }}",
            "null",
        ),
        _undefined_as_null,
    ),
    Cause(
        "object-keys",
        "an object with keys that are no texts",
        effects(
            default="`tojson` writes them as JSON would: `null`, `true`",
            llama="`tojson` writes them as Python would: `None`, `True`",
            mini="`tojson` refuses keys that are neither texts nor numbers",
            js="refuses keys that are no texts",
        ),
        "Write keys as texts: `{'1': x}`.",
        Example(
            "{{ {none: 1}|tojson }}",
            results('{"None": 1}', '{"null": 1}', None, None),
            {},
            "{{ {'null': 1}|tojson }}",
            '{"null": 1}',
        ),
        _keys_as_text,
    ),
)
