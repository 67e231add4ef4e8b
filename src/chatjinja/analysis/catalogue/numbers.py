"""Operators: arithmetic, comparison, membership."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatjinja.analysis.catalogue.base import Cause, Evidence, Example, Fix, effects, failures_only, replace, results
from chatjinja.analysis.parsed import Parsed
from chatjinja.syntax import nodes

_ORDER = ("<", ">", "<=", ">=")
_COMPARISONS = (*_ORDER, "==", "!=")


def _operations(parsed: Parsed, *ops: str) -> Iterator[tuple[nodes.BinExpr, str, str]]:
    """Operations, with their two sides ready to be used in other expressions."""
    for node in parsed.of(nodes.BinExpr):
        if node.op in ops:
            yield node, parsed.operand(node.left), parsed.operand(node.right)


def _modulo(parsed: Parsed) -> Iterator[Fix]:
    for node, left, right in _operations(parsed, "%"):
        yield replace(parsed, node.start, node.end, f"((({left} % {right}) + {right}) % {right})")


def _by_zero(parsed: Parsed) -> Iterator[Fix]:
    for node, left, right in _operations(parsed, "/", "%"):
        yield replace(parsed, node.start, node.end, f"({left} {node.op} {right} if {right} else 0)")


def _big(parsed: Parsed) -> Iterator[Fix]:
    for node, _, _ in _operations(parsed, "+", "-", "*"):
        yield replace(parsed, node.start, node.end, "0", exact=False)


def _whole_numbers(evidence: Evidence) -> bool:
    heres = evidence.heres
    return heres is None or all(here[:1].isdecimal() for here in heres)


def _chains(parsed: Parsed) -> Iterator[Fix]:
    for node, _, right in _operations(parsed, *_COMPARISONS):
        left = node.left
        if isinstance(left, nodes.BinExpr) and left.op in _COMPARISONS:
            first, middle = parsed.operand(left.left), parsed.operand(left.right)
            text = f"({first} {left.op} {middle} and {middle} {node.op} {right})"
            yield replace(parsed, node.start, node.end, text)


def _floor(parsed: Parsed) -> Iterator[Fix]:
    for node, left, right in _operations(parsed, "//"):
        yield replace(parsed, node.start, node.end, f"((({left} - {left} % {right}) / {right})|int)")


def _power(parsed: Parsed) -> Iterator[Fix]:
    for node, left, _ in _operations(parsed, "**"):
        count = node.right.value if isinstance(node.right, nodes.Const) else None
        if isinstance(count, int) and 0 < count < 9:
            yield replace(parsed, node.start, node.end, f"({' * '.join([left] * count)})")


def _equal_as_json(parsed: Parsed) -> Iterator[Fix]:
    for node, left, right in _operations(parsed, "==", "!="):
        yield replace(parsed, node.start, node.end, f"({left}|tojson {node.op} {right}|tojson)")


def _if_defined(parsed: Parsed, *ops: str) -> Iterator[Fix]:
    for node, left, right in _operations(parsed, *ops):
        for side, text in ((node.left, left), (node.right, right)):
            if not isinstance(side, nodes.Const):
                test = f"{text} is not defined or" if node.op == "not in" else f"{text} is defined and"
                yield replace(parsed, node.start, node.end, f"({test} {parsed.text(node)})")


def _membership(parsed: Parsed) -> Iterator[Fix]:
    return _if_defined(parsed, "in", "not in")


def _order(parsed: Parsed) -> Iterator[Fix]:
    return _if_defined(parsed, *_ORDER)


def _is_none(parsed: Parsed) -> Iterator[Fix]:
    for node, left, right in _operations(parsed, "==", "!="):
        word = "is" if node.op == "==" else "is not"
        for side, other in ((left, right), (right, left)):
            if other.lower() == "none":
                yield replace(parsed, node.start, node.end, f"({side} {word} none)")


def _as_texts(parsed: Parsed) -> Iterator[Fix]:
    for node, _, _ in _operations(parsed, "+"):
        yield replace(parsed, node.at, node.at + 1, "~", span=parsed.span(node))


CAUSES = (
    Cause(
        "modulo-of-negative",
        "`%` with a negative number",
        effects(
            default="has the sign of the right side",
            llama="has the sign of the left side",
            js="has the sign of the left side",
        ),
        "Bring it up first: `((x % 3) + 3) % 3`.",
        Example("{{ x % 3 }}", results("-1", "2", "2", "-1"), {"x": -7}, "{{ ((x % 3) + 3) % 3 }}", "2"),
        _modulo,
    ),
    Cause(
        "division-by-zero",
        "division by zero",
        effects(default="an error", llama="gives `inf` or `nan`", js="gives `Infinity` or `NaN`"),
        "Ask first: `x / y if y else 0`.",
        Example("{{ 1 / x }}", results("inf", None, None, "Infinity"), {"x": 0}, "{{ 1 / x if x else 0 }}", "0"),
        _by_zero,
    ),
    Cause(
        "big-integers",
        "integers beyond 64 bits",
        effects(default="exact", llama="an error, or rounded", js="rounded"),
        "Keep numbers small, or give them as texts.",
        Example(
            "{{ x + 1 }}",
            results(None, "9223372036854775808", "9223372036854775808", "9223372036854776000"),
            {"x": 9223372036854775807},
        ),
        _big,
        _whole_numbers,
        messages=(re.compile("integer overflow"),),
    ),
    Cause(
        "chained-comparison",
        "a chain of comparisons such as `1 < x < 3`",
        effects(
            default="true if each of them is",
            llama="compares the result of the first, a boolean",
            js="compares the result of the first, a boolean",
        ),
        "Join two comparisons with `and`: `1 < x and x < 3`.",
        Example(
            "{{ 'yes' if 1 < x < 3 else 'no' }}",
            results(None, "yes", "yes", None),
            {"x": 2},
            "{{ 'yes' if 1 < x and x < 3 else 'no' }}",
            "yes",
        ),
        _chains,
    ),
    Cause(
        "floor-division",
        "the operator `//`",
        effects(default="divides and rounds down", llama="is not known", plus="divides and rounds down"),
        "Spell it out: `((x - x % y) / y)|int`.",
        Example(
            "{{ x // 2 }}",
            results(None, "3", "3", "3", plus="3"),
            {"x": 7},
            "{{ ((x - x % 2) / 2)|int }}",
            "3",
        ),
        _floor,
        failures_only,
        messages=(re.compile("Unexpected token: / of type 22"),),
    ),
    Cause(
        "power",
        "the operator `**`",
        effects(default="raises to a power", llama="is not known", plus="raises to a power"),
        "Multiply: `x * x`.",
        Example("{{ x ** 2 }}", results(None, "9", "9", "9", plus="9"), {"x": 3}, "{{ x * x }}", "9"),
        _power,
        failures_only,
        messages=(re.compile(r"Unexpected token: \* of type 22"),),
    ),
    Cause(
        "undefined-equals-none",
        "`==` of none and something undefined",
        effects(default="false", js="true"),
        "Use tests: `x is none`, `x is defined`.",
        Example(
            "{{ 'yes' if x == none else 'no' }}",
            results("no", "no", "no", "yes"),
            {},
            "{{ 'yes' if x is none else 'no' }}",
            "no",
        ),
        _is_none,
    ),
    Cause(
        "container-equality",
        "`==` of lists or objects",
        effects(
            default="compares what they hold",
            llama="false if one holds a list or an object, or if keys come in another order",
            js="false unless both are the same list or object",
        ),
        "Compare the JSON: `x|tojson == y|tojson`.",
        Example(
            "{{ 'same' if x == [[1]] else 'other' }}",
            results("other", "same", "same", "other"),
            {"x": [[1]]},
            "{{ 'same' if x|tojson == '[[1]]' else 'other' }}",
            "same",
        ),
        _equal_as_json,
    ),
    Cause(
        "undefined-in",
        "`in` with something undefined",
        effects(default="false", llama="an error on the left side", js="an error on the left side"),
        "Ask first: `x is defined and x in y`.",
        Example(
            "{{ 'yes' if x in ['a'] else 'no' }}",
            results(None, "no", "no", None),
            {},
            "{{ 'yes' if x is defined and x in ['a'] else 'no' }}",
            "no",
        ),
        _membership,
        failures_only,
    ),
    Cause(
        "undefined-compared",
        "`<` or `>` with something undefined",
        effects(default="an error", mini="compares somehow"),
        "Ask first: `x is defined and x > 1`.",
        Example(
            "{{ 'yes' if x > 1 else 'no' }}",
            results(None, None, "no", None),
            {},
            "{{ 'yes' if x is defined and x > 1 else 'no' }}",
            "no",
        ),
        _order,
        failures_only,
    ),
    Cause(
        "safe-texts",
        "`+` with a text that is marked as safe HTML (`safe`, `escape`)",
        effects(default="joins the texts", jinja="escapes the other text: `<` becomes `&lt;`"),
        "Leave `safe` out, or join with `~`.",
        Example("{{ x|safe + '<' }}", results("a<", "a&lt;", "a<", "a<"), {"x": "a"}, "{{ x ~ '<' }}", "a<"),
        _as_texts,
    ),
    Cause(
        "operator-types",
        "`{name}` of values that the engine does not combine",
        effects(
            default="as in Python",
            llama="no order of texts, no repeated lists, no list in a list",
            js="no order of texts, nothing repeated, no list in a list",
            mini="as in Python, but no `%` of texts",
        ),
        "Do it before the template gets its data.",
        Example("{{ 'yes' if 'a' < x else 'no' }}", results(None, "yes", "yes", None), {"x": "b"}),
        messages=(re.compile('Unknown operator "(?P<name>[^"]+)" between'),),
    ),
)
