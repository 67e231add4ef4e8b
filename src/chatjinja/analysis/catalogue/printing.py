"""What values look like when they are printed or put into a text."""

from __future__ import annotations

from collections.abc import Iterator

from chatjinja.analysis.catalogue.base import (
    Cause,
    Evidence,
    Example,
    Fix,
    effects,
    failures_only,
    replace,
    results,
)
from chatjinja.analysis.parsed import Edit, Parsed
from chatjinja.analysis.texts import number_at
from chatjinja.runtime.tables import LLAMA_CPP
from chatjinja.syntax import nodes

_PYTHON_METHODS = frozenset(name for name in dir(dict) if not name.startswith("_"))
METHODS = frozenset(name for table in LLAMA_CPP.methods.values() for name in table) | _PYTHON_METHODS
"""Names that are methods of objects in one engine or another."""


def _printed(parsed: Parsed) -> Iterator[nodes.Expr]:
    """Every expression that is printed and is no literal."""
    for output in parsed.of(nodes.Output):
        if not isinstance(output.node, nodes.Const):
            yield output.node


def _none_printed(parsed: Parsed) -> Iterator[Fix]:
    for node in _printed(parsed):
        text = parsed.operand(node)
        yield replace(parsed, node.start, node.end, f"({text} if {text} is not none else '')")


def _as_json(parsed: Parsed) -> Iterator[Fix]:
    for node in _printed(parsed):
        yield replace(parsed, node.start, node.end, f"{parsed.operand(node)}|tojson")


def _object_as_json(parsed: Parsed) -> Iterator[Fix]:
    yield from _as_json(parsed)
    yield from _print_nothing(parsed)  # JSON of an undefined value is an error


def _text_of_container(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("string"):
        yield replace(parsed, use.node.start, use.node.end, f"({parsed.operand(use.value)}|tojson)")
    for node in _joins(parsed, "~"):
        for item in (node.left, node.right):
            if _may_be_anything(item):
                text = f"({parsed.operand(item)}|tojson)"
                yield replace(parsed, item.start, item.end, text, span=parsed.span(node))


def _joins(parsed: Parsed, *ops: str) -> Iterator[nodes.BinExpr]:
    return (node for node in parsed.of(nodes.BinExpr) if node.op in ops)


def _may_be_anything(node: nodes.Expr) -> bool:
    return not isinstance(node, (nodes.Const, nodes.BinExpr))


def _none_in_text(parsed: Parsed) -> Iterator[Fix]:
    for node in _joins(parsed, "~", "+"):
        edits = tuple(
            Edit(item.start, item.end, f"({parsed.operand(item)} if {parsed.operand(item)} is not none else '')")
            for item in (node.left, node.right)
            if _may_be_anything(item)
        )
        if edits:
            yield Fix(parsed.span(node), edits)


def _plus(parsed: Parsed) -> Iterator[Fix]:
    for node in _joins(parsed, "+"):
        yield replace(parsed, node.at, node.at + 1, "~", span=parsed.span(node))


def _numbers_joined(parsed: Parsed) -> Iterator[Fix]:
    for node in _joins(parsed, "~"):
        edits = tuple(
            Edit(item.start, item.end, f"({parsed.operand(item)}|string)")
            for item in (node.left, node.right)
            if not isinstance(item, nodes.BinExpr)
        )
        yield Fix(parsed.span(node), edits)


def _print_nothing(parsed: Parsed) -> Iterator[Fix]:
    for node in _printed(parsed):
        yield replace(parsed, node.start, node.end, "''", exact=False)


def _as_word(parsed: Parsed) -> Iterator[Fix]:
    for node in _printed(parsed):
        yield replace(parsed, node.start, node.end, f"('True' if {parsed.operand(node)} else 'False')")


def _hidden_keys(parsed: Parsed) -> Iterator[Fix]:
    for node in parsed.of(nodes.Getattr):
        if isinstance(node.attr, nodes.Name) and node.attr.name in METHODS:
            base = parsed.source.text[node.start : node.node.end]
            if not parsed.is_called(node):
                yield replace(parsed, node.start, node.end, f"{_closed(parsed, node, base)}['{node.attr.name}']")


def _closed(parsed: Parsed, node: nodes.Getattr, base: str) -> str:
    """The base of an access with the brackets around it."""
    return base + parsed.source.text[node.node.end : node.attr.start].rpartition(".")[0]


def same_number(evidence: Evidence) -> bool:
    """Both sides have the same number there, spelled in two ways."""
    left, right = evidence.left_excerpt, evidence.right_excerpt
    if left is None or right is None:
        return False
    numbers = number_at(left.before, left.here), number_at(right.before, right.here)
    if numbers[0] is None or numbers[1] is None or numbers[0] == numbers[1]:
        return False
    if numbers[0].lstrip("+-").isdigit() and numbers[1].lstrip("+-").isdigit():
        return False
    first, second = (float(number) for number in numbers if number is not None)
    return abs(first - second) <= 1e-5 * max(abs(first), abs(second), 0.1)


def _starts_with(evidence: Evidence, *beginnings: str) -> bool:
    return evidence.heres is not None and any(here.startswith(beginnings) for here in evidence.heres)


def _shows_none(evidence: Evidence) -> bool:
    return evidence.heres is None or _starts_with(evidence, "None")


def _looks_like_object(evidence: Evidence) -> bool:
    shown = evidence.left_excerpt
    return _starts_with(evidence, "{") or (shown is not None and shown.before.endswith("{"))


def _looks_like_list(evidence: Evidence) -> bool:
    shown = evidence.left_excerpt
    return _starts_with(evidence, "[", "(", "<", "range") or (shown is not None and bool({*shown.before} & {*"[{("}))


def _truth_words(evidence: Evidence) -> bool:
    heres = evidence.heres
    return heres is not None and any(here[:4].lower() == "true" or here[:5].lower() == "false" for here in heres)


_ANY_CONTAINER = "its repr: `['a', 1]`"
CAUSES = (
    Cause(
        "none-printed",
        "None is printed",
        effects(default="prints `None`", llama="prints nothing", js="prints nothing"),
        "Say what None shall look like: `{{ x if x is not none else '' }}`.",
        Example(
            "[{{ x }}]",
            results("[]", "[None]", "[None]", "[]"),
            {"x": None},
            "[{{ x if x is not none else '' }}]",
            "[]",
        ),
        _none_printed,
        _shows_none,
    ),
    Cause(
        "none-in-text",
        "None is put together with a text",
        effects(
            default="`~` writes `None`, `+` is an error",
            llama="None counts as an empty text",
            js="both are an error",
        ),
        "Say what None shall look like before joining: `'a' ~ (x if x is not none else '')`.",
        Example(
            "{{ 'a' ~ x }}",
            results("a", "aNone", "aNone", None),
            {"x": None},
            "{{ 'a' ~ (x if x is not none else '') }}",
            "a",
        ),
        _none_in_text,
        _shows_none,
    ),
    Cause(
        "plus-of-other-types",
        "`+` of a text and something that is no text",
        effects(
            default="an error",
            llama="joins their texts; undefined counts as empty",
            js="joins numbers and booleans, refuses undefined",
        ),
        "Join texts with `~`.",
        Example("{{ 'a' + 1 }}", results("a1", None, None, "a1"), {}, "{{ 'a' ~ 1 }}", "a1"),
        _plus,
        failures_only,
    ),
    Cause(
        "numbers-joined",
        "`~` of two numbers",
        effects(default="joins their texts", llama="an error: one side must be a text"),
        "Make one of them a text: `1|string ~ 2`.",
        Example("{{ x ~ 2 }}", results(None, "12", "12", "12"), {"x": 1}, "{{ x ~ '' ~ 2 }}", "12"),
        _numbers_joined,
        failures_only,
    ),
    Cause(
        "object-printed",
        "an object is printed",
        effects(default="prints its repr: `{'a': 1}`", llama="prints nothing", js="prints JSON"),
        "Print JSON: `{{ x|tojson }}`.",
        Example(
            "{{ x }}",
            results("", "{'a': 1}", "{'a': 1}", '{"a": 1}'),
            {"x": {"a": 1}},
            "{{ x|tojson }}",
            '{"a": 1}',
        ),
        _object_as_json,
        _looks_like_object,
    ),
    Cause(
        "list-printed",
        "a list is printed",
        effects(
            default=f"prints {_ANY_CONTAINER}", llama="prints the items with nothing between them", js="prints JSON"
        ),
        "Print JSON, `{{ x|tojson }}`, or join the items, `{{ x|join(', ') }}`.",
        Example(
            "{{ x }}",
            results("a1", "['a', 1]", "['a', 1]", '["a", 1]'),
            {"x": ["a", 1]},
            "{{ x|join(', ') }}",
            "a, 1",
        ),
        _as_json,
        _looks_like_list,
    ),
    Cause(
        "container-as-text",
        "a list or object is made a text",
        effects(
            default="its repr, as Python writes it",
            llama="its repr, with strings unescaped between `'`",
            js="`string` writes JSON, `~` something else",
        ),
        "Make it JSON: `x|tojson`.",
        Example(
            "{{ x|string }}",
            results("['a\n']", "['a\\n']", "['a\\n']", '["a\\n"]'),
            {"x": ["a\n"]},
            "{{ x|tojson }}",
            '["a\\n"]',
        ),
        _text_of_container,
        _looks_like_list,
    ),
    Cause(
        "float-printed",
        "a float is printed",
        effects(
            default="the shortest digits, an exponent for large and small ones: `1e+21`",
            llama="at most six digits after the point, never an exponent",
            mini="the shortest digits, never an exponent",
            js="as JavaScript writes it",
        ),
        "Hand it over as a text, or as an integer of a smaller unit: engines have no number format in common.",
        Example("{{ x }}", results("0.000013", "1.25e-05", "0.0000125", "0.0000125"), {"x": 0.0000125}),
        _print_nothing,
        same_number,
    ),
    Cause(
        "boolean-printed",
        "a boolean is printed",
        effects(default="prints `True` and `False`", js="prints `true` and `false`"),
        "Write the words yourself: `{{ 'true' if x else 'false' }}`.",
        Example(
            "{{ x }}",
            results("True", "True", "True", "true"),
            {"x": True},
            "{{ 'true' if x else 'false' }}",
            "true",
        ),
        _as_word,
        _truth_words,
    ),
    Cause(
        "method-hides-key",
        "`x.name` where the object has a key and a method of that name",
        effects(
            default="the key's value",
            llama="the method, if llama.cpp has one of that name (`items`, `keys`, `length`, `list`, …)",
            jinja="the method, if Python's dict has one of that name (`items`, `keys`, `copy`, `pop`, …)",
        ),
        "Ask for the key: `x['length']`.",
        Example(
            "{{ x.length }}",
            results("", "5", "5", "5"),
            {"x": {"length": 5}},
            "{{ x['length'] }}",
            "5",
        ),
        _hidden_keys,
    ),
)
