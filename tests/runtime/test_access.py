"""Attributes, items, slices, calls, assignments; and applying filters."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from typing import Any

import pytest

from chatjinja.errors import OperationError, TemplateError, UnknownNameError
from chatjinja.runtime.access import MISSING, call, call_method, get_attr, get_item, get_slice, put, set_attribute
from chatjinja.runtime.filters import apply_filter
from chatjinja.runtime.marked import pieces_of
from chatjinja.runtime.objects import Array, BuiltinFunction, Function, KwArg, LoopObject, Object, SparseObject, Tuple
from chatjinja.runtime.state import Deoptimise
from chatjinja.runtime.tables import LLAMA_CPP
from chatjinja.runtime.undefined import UNDEFINED, Undefined
from tests.runtime.support import Macro, exact, fast, inp, message_of, tmpl

MACRO = Macro("m")
DATA = {"role": "user", "items": 1, "upper": 2, 3: "three", "no": None}


def hint_of(value: Any) -> str:
    assert type(value) is Undefined
    return value.hint


def test_attributes() -> None:
    rt = fast()
    assert get_attr(rt, DATA, "role") == "user"
    assert get_attr(rt, DATA, "no") is None
    assert get_attr(rt, DATA, "upper") == 2
    assert get_attr(rt, OrderedDict(a=1), "a") == 1
    assert hint_of(get_attr(rt, DATA, "missing")) == "missing"
    assert hint_of(get_attr(rt, SparseObject(a=UNDEFINED), "a")) == "a"
    assert hint_of(get_attr(rt, UNDEFINED, "x")) == "object_property"
    for value in ([], "a", 1, 1.5, None, True):
        assert hint_of(get_attr(rt, value, "nope")) == "nope"
    method = get_attr(rt, DATA, "items")
    assert type(method) is BuiltinFunction
    assert (method.name, method.bound) == ("items", DATA)
    assert type(get_attr(rt, UNDEFINED, "default")) is BuiltinFunction
    assert get_attr(rt, LoopObject(items=1), "items") == 1
    assert message_of(lambda: get_attr(rt, MACRO, "x")) == "Function has no builtins"
    assert message_of(lambda: get_attr(rt, KwArg("a", 1), "x")) == "KwArg has no builtins"


def test_items_of_objects() -> None:
    rt = fast()
    assert get_item(rt, DATA, "items") == 1
    assert get_item(rt, DATA, 3) == "three"
    assert get_item(rt, DATA, 3.0) == "three"
    assert get_item(rt, UserDict(a=1), "a") == 1
    assert type(get_item(rt, DATA, "keys")) is BuiltinFunction
    assert hint_of(get_item(rt, DATA, "x")) == "x"
    assert hint_of(get_item(rt, DATA, 7)) == "7"
    assert hint_of(get_item(rt, DATA, None)) == "None"
    assert hint_of(get_item(rt, SparseObject(a=UNDEFINED), "a")) == "a"
    assert hint_of(get_item(rt, SparseObject({1: UNDEFINED}), 1)) == "1"
    assert hint_of(get_item(rt, DATA, UNDEFINED)) == "object_property"
    assert hint_of(get_item(rt, LoopObject(), "keys")) == "keys"
    assert get_item(rt, Object({Tuple((1,)): 2}), Tuple((1,))) == 2
    assert get_item(exact(), Object({tmpl("k"): 1}), inp("k")) == 1


def test_items_of_lists_and_strings() -> None:
    rt = fast()
    assert get_item(rt, ["a", "b"], -1) == "b"
    assert get_item(rt, Array("ab"), 0) == "a"
    assert get_item(rt, Tuple("ab"), 1) == "b"
    assert get_item(rt, ("a", "b"), -2) == "a"
    assert get_item(rt, ["a", "b"], True) == "b"
    assert hint_of(get_item(rt, ["a"], 1)) == "object_property"
    assert hint_of(get_item(rt, Tuple("a"), -2)) == "object_property"
    assert hint_of(get_item(rt, ["a"], 0.0)) == "object_property"
    assert hint_of(get_item(rt, ["a"], [1])) == "object_property"
    assert type(get_item(rt, ["a"], "first")) is BuiltinFunction
    assert hint_of(get_item(rt, ["a"], "x")) == "x"
    assert get_item(rt, "ab", 1) == "b"
    assert hint_of(get_item(rt, "ab", -1)) == "object_property"
    assert hint_of(get_item(rt, "ab", 2)) == "object_property"
    assert type(get_item(rt, "ab", "upper")) is BuiltinFunction
    assert hint_of(get_item(rt, UNDEFINED, "x")) == "object_property"


def test_items_of_other_values() -> None:
    rt = fast()
    assert type(get_item(rt, 1, "abs")) is BuiltinFunction
    assert hint_of(get_item(rt, None, "x")) == "x"
    assert message_of(lambda: get_item(rt, 1, 0)) == "Cannot access property with non-string: got Integer"
    assert message_of(lambda: get_item(rt, MACRO, "x")) == "Function has no builtins"
    assert message_of(lambda: get_item(rt, DATA, MACRO)) == "Type: Function is not allowed as object key"
    assert message_of(lambda: get_item(rt, DATA, [[]])) == "Type: Array is not allowed as object key"
    assert message_of(lambda: get_item(rt, DATA, [1])) == "Object key of unhashable type: Array"
    assert message_of(lambda: get_item(rt, DATA, KwArg("a", 1))) == "KwArg is not a string value"


def test_slices() -> None:
    rt = fast()
    assert get_slice(rt, "abc", MISSING, 2, MISSING) == "ab"
    assert get_slice(rt, "abc", MISSING, MISSING, -1) == "cba"
    assert get_slice(rt, "aé", 1, MISSING, MISSING) == "é"
    assert get_slice(rt, [1, 2, 3], MISSING, MISSING, 2) == [1, 3]
    assert get_slice(rt, Tuple((1, 2)), MISSING, MISSING, -1) == Tuple((2, 1))
    assert get_slice(rt, [1, 2, 3], 2, 0, -1) == [3, 2]
    assert get_slice(exact(), inp("abc"), MISSING, MISSING, -1).pieces == (("cba", True),)
    assert message_of(lambda: get_slice(rt, [1], MISSING, 1, UNDEFINED)) == "Undefined is not an int value"
    assert message_of(lambda: get_slice(rt, [1], None, 1, MISSING)) == (
        "Function 'slice' expected value of type Integer, got None"
    )
    assert message_of(lambda: get_slice(rt, 5, 1, 2, 3)) == "Unknown (built-in) filter 'slice' for type Integer"
    assert message_of(lambda: get_slice(rt, MACRO, 1, 2, 3)) == "Function has no builtins"


def test_calls() -> None:
    rt = fast()
    assert call(rt, MACRO, [1], None) == [1]
    assert call(rt, get_attr(rt, "a", "upper"), [], None) == "A"
    assert call(rt, BuiltinFunction("range", LLAMA_CPP.globals["range"]), [2], None) == [0, 1]
    assert message_of(lambda: call(rt, Undefined("f"), [], None)) == (
        "Callee is not a function: got Undefined (hint: 'f')"
    )


def test_method_calls() -> None:
    rt = fast()
    assert call_method(rt, "a,b", "split", [","], None) == ["a", "b"]
    assert call_method(rt, {"f": MACRO}, "f", [1], {}) == [1]
    for value, name, site, message in (
        (MACRO, "x", 1, "Function has no builtins"),
        ({}, "f", 0, "Callee is not a function: got Undefined (hint: 'f')"),
        ("a", "split", 0, "empty separator"),
    ):
        with pytest.raises(TemplateError) as caught:
            call_method(rt, value, name, [""], None)
        assert (caught.value.site, caught.value.message) == (site, message)


def test_put() -> None:
    obj = Object(a=1)
    put(obj, "b", 2)
    put(obj, 1, 3)
    put(obj, True, 4)
    assert list(obj.items()) == [("a", 1), ("b", 2), (1, 4)]
    assert type(obj) is Object
    put(obj, "c", UNDEFINED)
    assert type(obj) is SparseObject
    put(obj, "d", UNDEFINED)
    loop = LoopObject()
    put(loop, "x", UNDEFINED)
    assert type(loop) is LoopObject
    with pytest.raises(OperationError, match="Object key of unhashable type: Array"):
        put(obj, Array(), 1)
    with pytest.raises(OperationError, match="Object key of unhashable type: Undefined"):
        put(obj, UNDEFINED, 1)


def test_setting_attributes() -> None:
    rt = fast()
    obj = Object()
    set_attribute(rt, obj, "a", 1)
    assert obj == {"a": 1}
    for value in ({}, UserDict()):
        with pytest.raises(Deoptimise):
            set_attribute(rt, value, "a", 1)
    assert message_of(lambda: set_attribute(rt, [], "a", 1)) == "Cannot assign to member of non-object"
    set_attribute(exact(), obj, "b", 1)
    assert pieces_of(list(obj)[1]) == (("b", False),)


def test_filters() -> None:
    rt = fast()
    assert apply_filter(rt, 5, "upper", None) == "5"
    assert apply_filter(rt, None, "trim", None) == "None"
    assert apply_filter(rt, [True], "lower", None) == "[true]"
    assert apply_filter(rt, UNDEFINED, "upper", None) == ""
    assert apply_filter(rt, " a ", "trim", None) == "a"
    assert apply_filter(rt, "", "d", ["x", True]) == "x"
    assert apply_filter(rt, [1], "count", []) == 1
    assert apply_filter(exact(), 5, "upper", None).pieces == (("5", False),)
    with pytest.raises(UnknownNameError, match="Unknown \\(built-in\\) filter 'upper' for type Integer"):
        apply_filter(rt, 5, "upper", [])
    with pytest.raises(UnknownNameError, match="Unknown \\(built-in\\) filter 'wordcount' for type String"):
        apply_filter(rt, 5, "wordcount", None)
    assert message_of(lambda: apply_filter(rt, MACRO, "upper", None)) == "Function is not a string value"


def test_function_and_keyword_have_no_truth() -> None:
    assert message_of(lambda: bool(MACRO)) == "Function is not a bool value"
    assert message_of(lambda: bool(KwArg("a", 1))) == "KwArg is not a bool value"


def test_values_that_are_no_data() -> None:
    assert repr(Undefined("x")) == "Undefined('x')"
    assert len({UNDEFINED, Undefined("x")}) == 1
    assert not UNDEFINED
    with pytest.raises(NotImplementedError):
        Function("f").invoke(fast(), [], None)
    rt = fast()
    assert rt.now is rt.now
