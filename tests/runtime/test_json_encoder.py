"""`tojson`."""

from __future__ import annotations

import enum
import json
import math
from collections import UserDict, UserList
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatjinja.errors import ContextError, LimitError, UnsupportedError
from chatjinja.runtime import json_encoder
from chatjinja.runtime.objects import Array, KwArg, LoopObject, Object, SparseObject, Tuple
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.undefined import UNDEFINED
from tests.runtime.support import Macro, apply, exact, fast, inp, kw, message_of, tmpl


class Role(enum.StrEnum):
    USER = "user"


TOJSON = json_encoder.do_tojson("tojson")


def tojson(value: Any, **keywords: Any) -> Any:
    return TOJSON(fast(), [value, *kw(**keywords)])


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN, st.sampled_from([None, 0, 1, 4]))
def test_plain_data_as_python_writes_it(value: Any, indent: int | None) -> None:
    expected = json.dumps(value, ensure_ascii=False, indent=indent)
    assert tojson(value, indent=indent) == expected
    assert tojson([_made(value)], indent=indent) == json.dumps([value], ensure_ascii=False, indent=indent)


def _made(value: Any) -> Any:
    """The same value as a template would make it."""
    if isinstance(value, list):
        return Array(_made(item) for item in value)
    if isinstance(value, dict):
        return Object({key: _made(item) for key, item in value.items()})
    return value


SCALARS = [
    ('é\x7f\x01\x1f\b\f\n\r\t"\\/', '"é\x7f\\u0001\\u001f\\b\\f\\n\\r\\t\\"\\\\/"'),
    (1, "1"),
    (True, "true"),
    (False, "false"),
    (None, "null"),
    (UNDEFINED, "null"),
    (Macro("m"), "null"),
    (KwArg("a", 1), "null"),
    (3.0, "3"),
    (1e21, "1e+21"),
    (1.2345678e-05, "1.23457e-05"),
    (math.inf, "inf"),
    (-math.nan, "-nan"),
    ([], "[]"),
    ({}, "{}"),
    (Tuple((1, "a")), '[1, "a"]'),
    ((1, [2.5]), "[1, [2.5]]"),
    ({1: 1, None: 3, 2.0: 4, False: 5}, '{"1": 1, "None": 3, "2.0": 4, "False": 5}'),
    ({"a": {2: []}}, '{"a": {"2": []}}'),
    ([{"a": 1.5}, {}], '[{"a": 1.5}, {}]'),
    (SparseObject(a=UNDEFINED), '{"a": null}'),
    (LoopObject(first=True), '{"first": true}'),
    ([inp("x"), {tmpl("k"): inp("v")}], '["x", {"k": "v"}]'),
    (UserDict(a=UserList([1])), '{"a": [1]}'),
    ([Role.USER], '["user"]'),
    ([UserDict()], "[{}]"),
    ({Tuple((1,)): 1}, '{"(1,)": 1}'),
]


@pytest.mark.parametrize(("value", "text"), SCALARS)
def test_values(value: Any, text: str) -> None:
    assert tojson(value) == text


def test_arguments() -> None:
    data = {"a": [1, {}], "b": "é"}
    assert tojson(data, indent=0) == '{\n"a": [\n1,\n{}\n],\n"b": "é"\n}'
    assert tojson(data, indent=-3) == '{"a": [1, {}], "b": "é"}'
    assert tojson(data, indent=True) == '{"a": [1, {}], "b": "é"}'
    assert tojson(data, indent="2") == '{"a": [1, {}], "b": "é"}'
    assert tojson(data, indent=2**32 + 1) == tojson(data, indent=1)
    assert tojson(data, separators=[",", ":"]) == '{"a":[1,{}],"b":"é"}'
    assert tojson(data, separators=Tuple((1,))) == '{"a": [11{}]1"b": "é"}'
    assert tojson(data, separators=",") == '{"a": [1, {}], "b": "é"}'
    assert tojson([1, 2.5], indent=1, separators=[" ;"]) == "[\n 1 ;\n 2.5\n]"
    assert TOJSON(fast(), ["é", True]) == '"\\u00e9"'
    assert TOJSON(fast(), ["e", True]) == '"e"'
    assert TOJSON(fast(), [[1], False, 1]) == "[\n 1\n]"


def test_errors() -> None:
    assert message_of(lambda: TOJSON(fast(), [])) == "Function 'tojson' expected between 1 and 5 arguments, got 0"
    assert message_of(lambda: apply(1, "safe", 1, 2, 3, 4, 5)) == (
        "Function 'safe' expected between 1 and 5 arguments, got 6"
    )
    with pytest.raises(UnsupportedError, match="NotImplemented: tojson sort_keys=true not implemented"):
        tojson({}, sort_keys=True)
    assert TOJSON(fast(), kw(indent=2)) == "null"


ASCII = [
    ("é", "\\u00e9"),
    ("😀", "\\ud83d\\ude00"),
    ("\x7f\n", "\x7f\\n"),
    ("\udcff", "\\ufffd"),
    ("\udce4\udcb8", "\\ufffd\\ufffd"),
    ("\udcc0\udcaf", "\\u002f"),
    ("\udced\udca0\udc80", "\\ud800"),
    ("\udcf7\udcbf\udcbf\udcbf", "\\udbbf\\udfff"),
    ("\udcc3é", "\\ufffd\\u00e9"),
]


@pytest.mark.parametrize(("text", "escaped"), ASCII)
def test_ensure_ascii(text: str, escaped: str) -> None:
    assert tojson(text, ensure_ascii=True) == f'"{escaped}"'


def test_ensure_ascii_leaves_separators_alone() -> None:
    assert tojson(["é", "ü"], ensure_ascii=True, separators=["é"]) == '["\\u00e9"é"\\u00fc"]'
    assert tojson(["é", 1], ensure_ascii=True, separators=['"é']) == '["\\u00e9""\\u00e91]'


def test_exact_form_gives_template_text() -> None:
    assert TOJSON(exact(), [inp("a")]).pieces == (('"a"', False),)


def test_integers_beyond_int64() -> None:
    for value in (2**63, [2**63], {"a": 2**63}):
        with pytest.raises(Deoptimise):
            tojson(value)
    assert TOJSON(exact(), [[2**63, 2**65]]).text == "[-9223372036854775808, 3.68935e+19]"


def _nested(depth: int, leaf: Any = None) -> Any:
    value: Any = [leaf]
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("leaf", [None, 1.5])
@pytest.mark.parametrize("indent", [None, 2])
def test_depth(leaf: Any, indent: int | None) -> None:
    assert tojson(_nested(200, leaf), indent=indent).count("[") == 200
    with pytest.raises(LimitError) as caught:
        tojson(_nested(201, leaf), indent=indent)
    assert caught.value.limit == "data_depth"


def test_data_that_contains_itself() -> None:
    loop: dict[str, Any] = {}
    loop["a"] = [loop, loop]
    for indent in (None, 1):
        with pytest.raises(ContextError) as caught:
            TOJSON(fast({"x": loop}), [loop, *kw(indent=indent)])
        assert caught.value.pointer == "/x/a/0"
    with pytest.raises(LimitError):
        TOJSON(fast({"y": _nested(300)}), [_nested(300)])


def test_size() -> None:
    wide: Any = Array(["x"])
    for _ in range(40):
        wide = Array([wide, wide])
    for indent in (None, 2):
        with pytest.raises(LimitError) as caught:
            TOJSON(fast(value=100_000), [wide, *kw(indent=indent)])
        assert caught.value.limit == "value"
    deep: Any = Object(a="x")
    for _ in range(40):
        deep = Object(a=deep, b=deep)
    with pytest.raises(LimitError):
        TOJSON(fast(value=100_000), [deep])
    with pytest.raises(LimitError):
        TOJSON(fast(value=100_000), [Array(["x" * 60_000] * 2)])
    with pytest.raises(LimitError):
        tojson([1], indent=2**30)
    with pytest.raises(LimitError):
        TOJSON(fast(value=30_000), ["é" * 20_000, True])
    assert len(tojson(Object(a="x" * 20_000))) == 20_009
    assert len(TOJSON(fast(items=5), [[[]] * 6])) == 24


def test_a_wide_indent_is_not_remembered() -> None:
    assert tojson([1], indent=20_000) == "[\n" + " " * 20_000 + "1\n]"


def test_many_and_long_keys() -> None:
    data = {f"key {number}": number for number in range(3000)} | {"k" * 100: None}
    assert tojson(data, indent=1) == json.dumps(data, indent=1)
    many = Array(range(70_000))
    assert tojson([many, 1.5, [2.5]]).endswith("69999], 1.5, [2.5]]")
