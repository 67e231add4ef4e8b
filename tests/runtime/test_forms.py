"""The fast and the exact form of built-ins and operators say the same, or the fast one steps back."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chatjinja.errors import TemplateError
from chatjinja.runtime import operators
from chatjinja.runtime.contexts import copy_context
from chatjinja.runtime.convert import print_text, repr_text
from chatjinja.runtime.filters import apply_filter
from chatjinja.runtime.objects import Array, KwArg
from chatjinja.runtime.state import Deoptimise, Runtime
from chatjinja.runtime.tables import LLAMA_CPP
from chatjinja.runtime.tests import apply_test
from tests.runtime.support import exact, fast

TEXT = st.text(st.sampled_from("aB é😀\n\t{}'\"1.-e"), max_size=6)
SCALAR = (
    TEXT
    | st.integers(-3, 12)
    | st.sampled_from([2**53 + 1, 2**63 - 1, -(2**63)])
    | st.floats(width=16)
    | st.booleans()
    | st.none()
)
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)
NAMES = st.sampled_from(sorted(LLAMA_CPP.method_names - {"append", "pop"}))
KEYWORDS = st.sampled_from(
    ["attribute", "default", "boolean", "reverse", "by", "indent", "width", "first", "blank", "chars", "d", "base"]
)
OPERATORS = st.sampled_from(
    [
        operators.add,
        operators.concat,
        operators.subtract,
        operators.multiply,
        operators.divide,
        operators.modulo,
        operators.less,
        operators.greater_equal,
        operators.equal,
        operators.contains,
        operators.not_contains,
    ]
)


def _outcome(rt: Runtime, action: Any, values: list[Any]) -> str:
    try:
        result = action(rt, values)
        return print_text(rt, result) + repr_text(rt, Array([result]))
    except TemplateError as error:
        return error.message


def _compare(action: Any, *values: Any) -> None:
    context = {str(number): value for number, value in enumerate(values)}
    copied = list(copy_context(exact(), context).values())
    try:
        quick = _outcome(fast(), action, list(values))
    except Deoptimise:
        return
    assert quick == _outcome(exact(), action, copied)


@given(NAMES, VALUE, st.lists(VALUE, max_size=3))
def test_filters(name: str, value: Any, args: list[Any]) -> None:
    _compare(lambda rt, values: apply_filter(rt, values[0], name, values[1:]), value, *args)


@given(NAMES, VALUE, KEYWORDS, VALUE)
def test_filters_with_keywords(name: str, value: Any, key: str, arg: Any) -> None:
    _compare(lambda rt, values: apply_filter(rt, values[0], name, [KwArg(key, values[1])]), value, arg)


@given(NAMES, VALUE)
def test_filters_without_parentheses(name: str, value: Any) -> None:
    _compare(lambda rt, values: apply_filter(rt, values[0], name, None), value)


@given(OPERATORS, VALUE, VALUE)
def test_operators(operator: Any, left: Any, right: Any) -> None:
    _compare(lambda rt, values: operator(rt, *values), left, right)


@given(st.sampled_from(sorted(LLAMA_CPP.tests)), VALUE, VALUE)
def test_tests(name: str, left: Any, right: Any) -> None:
    _compare(lambda rt, values: apply_test(rt, name, values), left, right)
