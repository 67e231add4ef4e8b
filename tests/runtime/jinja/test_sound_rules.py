"""Who wrote what, case by case. Input stands in ``⟨ ⟩``."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any

import pytest

from chatjinja.errors import OperationError, RaisedError
from chatjinja.runtime.jinja.access import get_attr
from chatjinja.runtime.jinja.builtins import JINJA
from chatjinja.runtime.jinja.calls import call
from chatjinja.runtime.jinja.globals import Cycler
from chatjinja.runtime.jinja.namespaces import Namespace
from chatjinja.runtime.jinja.sound_access import sound_item
from chatjinja.runtime.jinja.sound_builtins import JINJA_SOUND
from chatjinja.runtime.jinja.sound_runs import (
    SoundMarkup,
    bare,
    deep_bare,
    has_input,
    is_text,
    plain_text,
    runs_of,
    sound_text_of,
    spelled,
    text_value,
)
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.marked import MadeFloat, MadeInt, Marked, Source, TemplateText
from tests.runtime.jinja.support import sound_form

_PARTS = re.compile("⟨(.*?)⟩|([^⟨⟩]+)", re.DOTALL)


def T(text: str) -> Any:  # noqa: N802
    """A string; input stands in ``⟨ ⟩``."""
    runs = tuple([(match[1], True) if match[2] is None else (match[2], False) for match in _PARTS.finditer(text)])
    return text_value("".join([part for part, _ in runs]), runs)


def safe(text: str) -> SoundMarkup:
    """The same as Markup."""
    value = T(text)
    return SoundMarkup(plain_text(value), runs_of(value))


def shown(value: Any) -> str:
    """A value in that notation; neighbours of one origin joined."""
    text = sound_text_of(sound_form(), value)
    whole = "".join([f"⟨{part}⟩" if origin else part for part, origin in runs_of(text) if part])
    return whole.replace("⟩⟨", "")


def filtered(value: Any, name: str, *args: Any, **kwargs: Any) -> str:
    made = JINJA_SOUND.filters[name](sound_form(), value, *args, **kwargs)
    return shown(made if is_text(made) or not hasattr(made, "__next__") else list(made))


def method(value: Any, name: str, *args: Any, **kwargs: Any) -> str:
    rt = sound_form()
    return shown(call(rt, get_attr(rt, value, name), *args, **kwargs))


CALL_ARGUMENTS = dict[str, Any]
FILTERS: list[tuple[Any, str, tuple[Any, ...], CALL_ARGUMENTS, str]] = [
    # parts and spellings
    (T("a⟨b⟩"), "upper", (), {}, "A⟨B⟩"),
    (T("ab"), "upper", (), {}, "AB"),
    (-1, "abs", (), {}, "1"),
    (T("a⟨ß⟩b"), "upper", (), {}, "A⟨SS⟩B"),
    (T("ßa⟨b⟩"), "capitalize", (), {}, "⟨Ssab⟩"),
    (T("a⟨b c⟩d"), "title", (), {}, "A⟨b C⟩d"),
    (T("  a⟨b ⟩ "), "trim", (), {}, "a⟨b⟩"),
    (T("xxa⟨xb⟩x"), "trim", (T("x"),), {}, "a⟨xb⟩"),
    (T("a⟨bc⟩"), "reverse", (), {}, "⟨cb⟩a"),
    ([T("a"), T("⟨b⟩")], "reverse", (), {}, "['⟨b⟩', 'a']"),
    (T("a⟨bc⟩"), "first", (), {}, "a"),
    (T("a⟨bc⟩"), "last", (), {}, "⟨c⟩"),
    (T(""), "last", (), {}, ""),
    (safe("a⟨b⟩"), "last", (), {}, "⟨b⟩"),
    (T("a⟨b⟩"), "list", (), {}, "['a', '⟨b⟩']"),
    (T("a⟨b⟩"), "string", (), {}, "a⟨b⟩"),
    (7, "string", (), {}, "⟨7⟩"),
    (MadeInt(7), "string", (), {}, "7"),
    (T("foo ⟨bar⟩ baz"), "truncate", (8,), {"leeway": 0}, "foo..."),
    (T("foo ⟨bar⟩ baz"), "truncate", (8, True, T("⟨!⟩")), {"leeway": 0}, "foo ⟨bar!⟩"),
    (T("foo ⟨bar⟩"), "truncate", (), {}, "foo ⟨bar⟩"),
    (safe("foo ⟨bar⟩ baz"), "truncate", (7, True, T("⟨<⟩"), 0), {}, "foo ⟨ba&lt;⟩"),
    ([T("⟨a⟩"), T("b")], "truncate", (5,), {}, "['⟨a⟩', 'b']"),
    # something put in
    (T("a-⟨b-⟩"), "replace", (T("-"), T("+")), {}, "a+⟨b⟩+"),
    (T("a-⟨b-⟩"), "replace", (T("-"), T("⟨+⟩"), 1), {}, "a⟨+b-⟩"),
    (T("⟨a⟩b"), "replace", (T(""), T("-")), {}, "-⟨a⟩-b-"),
    (T("⟨a⟩"), "replace", (T("⟨a⟩"), T("⟨b⟩")), {}, "⟨b⟩"),
    (5, "replace", (T("5"), T("6")), {}, "6"),
    (T("a⟨b\nc⟩\nd"), "indent", (2, True), {}, "  a⟨b\n⟩  ⟨c⟩\n  d"),
    (T("a\r\n⟨\r\nb⟩"), "indent", (T("⟨>⟩"),), {"blank": True}, "a\n⟨>\n>b⟩"),
    ("a\nb", "center", (7,), {}, "  ⟨a\nb⟩  "),
    (T("a⟨b⟩"), "center", (5,), {}, "  a⟨b⟩ "),
    # several values
    ([T("a"), "b", 3, MadeInt(4)], "join", (T(", "),), {}, "a, ⟨b⟩, ⟨3⟩, 4"),
    ([{"k": T("a")}, {"k": "b"}], "join", (T("⟨,⟩"), T("k")), {}, "a⟨,b⟩"),
    ([safe("⟨<⟩"), T("<")], "join", (), {}, "⟨<⟩<"),
    (T("%s-%d|%5.1f|%%|%*d"), "format", (T("a⟨b⟩"), 3, MadeFloat(2.5), MadeInt(3), MadeInt(1)), {},
     "a⟨b⟩-⟨3⟩|  2.5|%|  1"),
    (T("%(a)s-%(b)r"), "format", (), {"a": T("⟨x⟩"), "b": T("y")}, "⟨x⟩-'y'"),
    (T("⟨%s⟩-"), "format", (T("a"),), {}, "⟨a-⟩"),
    (T("⟨%s⟩"), "format", (T("a"),), {}, "a"),
    (safe("<%s>"), "format", (T("⟨<⟩"),), {}, "⟨<&lt;>⟩"),
    # repr, JSON, HTML
    ({"a": T("⟨b⟩")}, "pprint", (), {}, "{'⟨a⟩': '⟨b⟩'}"),
    ([T("⟨b⟩") for _ in range(40)] + [T("x")], "pprint", (), {},
     "⟨[" + "'b',\n ".replace("b", "b") * 40 + "'x']⟩"),
    (T("a⟨<⟩&"), "e", (), {}, "a⟨&lt;⟩&amp;"),
    (safe("a⟨<⟩"), "e", (), {}, "a⟨<⟩"),
    (safe("a⟨<⟩"), "forceescape", (), {}, "a⟨&lt;⟩"),
    ([T("⟨<⟩")], "escape", (), {}, "[&#39;⟨&lt;⟩&#39;]"),
    (T("a⟨<⟩"), "safe", (), {}, "a⟨<⟩"),
    ({"k": ["v", 1, True, None]}, "tojson", (), {}, '{"⟨k⟩": ["⟨v⟩", ⟨1⟩, true, null]}'),
    ({T("k"): [T("⟨v⟩w"), MadeInt(1), 2, {}], "x": ()}, "tojson", (), {"indent": 1},
     '{\n "k": [\n  "⟨v⟩w",\n  1,\n  ⟨2⟩,\n  {}\n ],\n "⟨x⟩": []\n}'),
    ({2: T("b"), T("1"): 1}, "tojson", (), {"separators": (T("|"), T("="))}, '{"⟨2⟩"="b"|"1"=⟨1⟩}'),
    ({"b": T("x"), "a": 1}, "tojson", (), {"sort_keys": True, "ensure_ascii": True}, '{"⟨a⟩": ⟨1⟩, "⟨b⟩": "x"}'),
    ({"a": T("x")}, "tojson", (), {"separators": (T("⟨|⟩"), T(":"))}, '{"⟨a⟩":"x"}'),
    ({"a": T("x"), "b": 1}, "tojson", (), {"separators": (T("⟨|⟩"), T(":")), "indent": T("-⟨-⟩")},
     '{\n-⟨-⟩"⟨a⟩":"x"⟨|⟩\n-⟨-⟩"⟨b⟩":⟨1⟩\n}'),
    ([float("nan"), float("-inf")], "tojson", (), {}, "[⟨NaN⟩, ⟨-Infinity⟩]"),
    ("v", "tojson", (), {}, '"⟨v⟩"'),
    (5, "tojson", (), {}, "⟨5⟩"),
    # numbers
    (T("⟨5⟩"), "int", (), {}, "5"),
    (T("⟨x⟩"), "int", (), {}, "0"),
    (T("⟨x⟩"), "int", (7,), {}, "⟨7⟩"),
    (T("⟨5⟩"), "float", (), {}, "5.0"),
    (T("⟨x⟩"), "float", (T("⟨y⟩"),), {}, "⟨y⟩"),
    ([1, 2], "sum", (), {}, "3"),
    ([1, 2], "length", (), {}, "2"),
    (range(2), "list", (), {}, "[0, 1]"),
    (T("⟨a b⟩"), "wordcount", (), {}, "2"),
    ("1000", "filesizeformat", (), {}, "1.0 kB"),
    # passed on
    ({"b": 1, T("a"): T("⟨x⟩")}, "dictsort", (), {}, "[('a', '⟨x⟩'), ('⟨b⟩', ⟨1⟩)]"),
    ([T("⟨b⟩"), T("a")], "sort", (), {}, "['a', '⟨b⟩']"),
    ([T("⟨b⟩c"), T("⟨b⟩a"), T("B")], "sort", (), {}, "['B', '⟨b⟩a', '⟨b⟩c']"),
    ([T("⟨a⟩b"), "ab", T("AB")], "unique", (), {}, "['⟨a⟩b']"),
    ([{T("⟨k⟩"): T("⟨a⟩b")}], "map", (), {"attribute": T("⟨k⟩")}, "['⟨a⟩b']"),
    ([T("⟨a⟩b")], "map", (T("upper"),), {}, "['⟨A⟩B']"),
    ([T("⟨a⟩b")], "map", (), {"attribute": T("0")}, "['⟨a⟩']"),
    ([T("⟨a⟩b"), "x"], "select", (T("eq"), T("ab")), {}, "['⟨a⟩b']"),
    ([{"k": T("⟨a⟩b")}], "groupby", (Marked((("k", True),)),), {}, "[('⟨a⟩b', [{'⟨k⟩': '⟨a⟩b'}])]"),
    ([{"k": T("⟨a⟩b")}], "sort", (), {"attribute": Marked((("k", True),))}, "[{'⟨k⟩': '⟨a⟩b'}]"),
    (Undefined(), "default", (T("⟨a⟩b"),), {}, "⟨a⟩b"),
    ([T("⟨a⟩b"), "c"], "batch", (1,), {}, "[['⟨a⟩b'], ['⟨c⟩']]"),
    # blended
    (T("a <b>⟨c⟩"), "striptags", (), {}, "⟨a c⟩"),
    (T("a <b>"), "striptags", (), {}, "a"),
    ({T("a"): T("⟨b⟩")}, "xmlattr", (), {}, '⟨ a="b"⟩'),
    ([(T("a"), T("b c"))], "urlencode", (), {}, "a=b+c"),
]  # fmt: skip
METHODS: list[tuple[Any, str, tuple[Any, ...], CALL_ARGUMENTS, str]] = [
    (T("a,⟨b,c⟩"), "split", (T(","),), {}, "['a', '⟨b⟩', '⟨c⟩']"),
    (T(" a ⟨ b⟩c "), "split", (), {}, "['a', '⟨b⟩c']"),
    (T(" a ⟨b⟩c"), "rsplit", (None, 1), {}, "[' a', '⟨b⟩c']"),
    (T("a,⟨b⟩,c"), "rsplit", (T(","),), {"maxsplit": 1}, "['a,⟨b⟩', 'c']"),
    (T("a\n⟨b⟩\r\nc"), "splitlines", (), {}, "['a', '⟨b⟩', 'c']"),
    (T("a\n⟨b⟩\n"), "splitlines", (True,), {}, "['a\\n', '⟨b⟩\\n']"),
    (T("a⟨-b⟩"), "partition", (T("-"),), {}, "('a', '⟨-⟩', '⟨b⟩')"),
    (T("a⟨-b⟩"), "rpartition", (T("+"),), {}, "('', '', 'a⟨-b⟩')"),
    (T("a⟨b⟩"), "ljust", (4,), {}, "a⟨b⟩  "),
    (T("a⟨b⟩"), "rjust", (4, T("⟨.⟩")), {}, "⟨..⟩a⟨b⟩"),
    (T("a⟨b⟩"), "center", (5, T("⟨.⟩")), {}, "⟨..⟩a⟨b.⟩"),
    (T("a⟨b⟩"), "rjust", (1,), {}, "a⟨b⟩"),
    (T("⟨-5⟩"), "zfill", (4,), {}, "⟨-⟩00⟨5⟩"),
    (T("5⟨5⟩"), "zfill", (4,), {}, "005⟨5⟩"),
    (T("a⟨b⟩c"), "removeprefix", (T("a"),), {}, "⟨b⟩c"),
    (T("a⟨b⟩c"), "removesuffix", (T("c"),), {}, "a⟨b⟩"),
    (T("  a⟨b ⟩"), "lstrip", (), {}, "a⟨b ⟩"),
    (T("  a⟨b ⟩"), "rstrip", (), {}, "  a⟨b⟩"),
    (T("a⟨B⟩"), "swapcase", (), {}, "A⟨b⟩"),
    (T("⟨, ⟩"), "join", ([T("a"), "b"],), {}, "a⟨, b⟩"),
    (T(","), "join", (T("a⟨b⟩"),), {}, "a,⟨b⟩"),
    (safe(","), "join", ([T("a"), "<"],), {}, "a,⟨&lt;⟩"),
    (T("{0} {a!r} {0:>3}"), "format", (T("⟨x⟩y"),), {"a": T("z")}, "⟨x⟩y ⟨'z'⟩ ⟨ xy⟩"),
    (T("⟨{}⟩{}"), "format", (T("x"), T("y")), {}, "⟨xy⟩"),
    (T("{a[0]} {b.k}"), "format", (), {"a": T("⟨x⟩y"), "b": {"k": T("⟨z⟩")}}, "⟨x⟩ ⟨z⟩"),
    (safe("{}"), "format", (T("⟨<⟩"),), {}, "⟨&lt;⟩"),
    (T("{a}"), "format_map", ({"a": T("⟨x⟩y")},), {}, "⟨x⟩y"),
    (T("{a}"), "format_map", ({T("a"): T("⟨x⟩y")},), {}, "⟨xy⟩"),
    (T("a⟨b⟩"), "find", (T("b"),), {}, "1"),
    (T("a⟨b⟩"), "startswith", ((T("⟨a⟩b"), T("x")),), {}, "True"),
    ("ab", "count", ("a",), {}, "1"),
    ("ab", "encode", (), {}, "⟨b'ab'⟩"),
    ([T("⟨a⟩b")], "index", ("ab",), {}, "0"),
    ([T("⟨a⟩b")], "copy", (), {}, "['⟨a⟩b']"),
    ({T("⟨a⟩b"): 1}, "get", ("ab",), {}, "⟨1⟩"),
    ({"a": T("x")}, "items", (), {}, "dict_items([('⟨a⟩', 'x')])"),
    ({"a": T("⟨x⟩y")}, "values", (), {}, "dict_values(['⟨x⟩y'])"),
    ({T("⟨x⟩y"): 1}, "keys", (), {}, "dict_keys(['⟨x⟩y'])"),
    ({}, "fromkeys", (T("a⟨b⟩"), T("x")), {}, "{'a': 'x', '⟨b⟩': 'x'}"),
    (5, "bit_length", (), {}, "3"),
    (1.5, "hex", (), {}, "⟨0x1.8000000000000p+0⟩"),
    (2.5, "as_integer_ratio", (), {}, "(5, 2)"),
    (T("a⟨b⟩"), "maketrans", (T("x"), T("y")), {}, "{120: 121}"),
    (T("a⟨b⟩"), "maketrans", ({T("x"): T("⟨y⟩")},), {}, "{120: '⟨y⟩'}"),
    (T("a⟨b⟩"), "ljust", (4, Marked((("x", True),))), {}, "a⟨bxx⟩"),
    (T("⟨ab⟩"), "splitlines", (), {}, "['⟨ab⟩']"),
    (T("⟨{}⟩"), "format", ("x",), {}, "⟨x⟩"),
    (T("{:>{w}}"), "format", (T("x"),), {"w": 3}, "⟨  x⟩"),
    (T("{:>{w}}"), "format", (T("x"),), {"w": MadeInt(3)}, "  x"),
]


@pytest.mark.parametrize(("value", "name", "args", "kwargs", "expected"), FILTERS)
def test_filter(value: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], expected: str) -> None:
    assert filtered(value, name, *args, **kwargs) == expected


@pytest.mark.parametrize(("value", "name", "args", "kwargs", "expected"), METHODS)
def test_method(value: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], expected: str) -> None:
    assert method(value, name, *args, **kwargs) == expected


def test_every_builtin_says_what_it_does() -> None:
    for tables in (JINJA, JINJA_SOUND):
        functions = {name: builtin.function for name, builtin in tables.globals.items()}
        for row in (tables.filters, tables.tests, functions, tables.methods[str], tables.methods[dict]):
            for name, function in row.items():
                assert function.__doc__, name


def test_reprs() -> None:
    both = T('it\'s ⟨"q"⟩')
    assert shown([both]) == "['it\\'s ⟨\"q\"⟩']"
    assert shown([T("it's ⟨q\n⟩")]) == '["it\'s ⟨q\\n⟩"]'
    assert shown((safe("⟨a⟩b"),)) == "(Markup('⟨a⟩b'),)"
    assert shown(Namespace({T("k"): "v"})) == "<Namespace {'k': '⟨v⟩'}>"
    assert shown([Undefined(), None, True, Cycler("a")]).startswith("[Undefined, None, True, <jinja2.utils.Cycler")
    assert shown(OrderedDict(a=T("b"))).startswith("⟨OrderedDict(")
    assert shown([get_attr(sound_form(), "x", "upper")]).startswith("[<built-in method upper of str object")
    assert shown(get_attr(sound_form(), safe("a"), "upper")) == "<bound method Markup.upper of Markup('a')>"
    assert shown(get_attr(sound_form(), safe("⟨a⟩"), "upper")) == "⟨<bound method Markup.upper of Markup('a')>⟩"
    assert shown(range(3)) == "range(0, 3)"


def test_bare() -> None:
    rt = sound_form()
    mixed, plain = T("a⟨b⟩"), {"a": ["b", (1, {"c": None})]}
    assert deep_bare(rt, plain) is plain
    assert deep_bare(rt, [mixed, (MadeInt(1),), Namespace({"a": mixed})])[:2] == ["ab", (1,)]
    assert type(deep_bare(rt, [T("x")])[0]) is str
    assert type(bare(MadeFloat(1.0))) is float
    assert list(deep_bare(rt, {mixed: mixed}.items())) == [("ab", "ab")]
    assert [type(item) for item in deep_bare(rt, {mixed: mixed}.values())] == [str]
    assert [type(item) for item in deep_bare(rt, {mixed: mixed}.keys())] == [str]
    assert deep_bare(rt, Namespace({"a": mixed})).attrs == {"a": "ab"}


def test_has_input() -> None:
    deep: Any = T("x")
    for _ in range(60):
        deep = [deep]
    for value in (T("⟨a⟩b"), "a", [T("x"), 1], {"a": T("x")}, b"x", 1j, {1}, Cycler(1), deep, Namespace({"a": 1})):
        assert has_input(value)
    for value in (T("a"), None, True, MadeInt(1), [T("x"), (MadeFloat(1.0),)], Undefined(), range(3), {T("a"): T("b")}):
        assert not has_input(value)
    assert not has_input(JINJA.globals["range"])


def test_items_of_strings_and_ranges() -> None:
    rt = sound_form()
    assert shown(sound_item(rt, T("a⟨b⟩"), -1)) == "⟨b⟩"
    assert shown(sound_item(rt, T("ab"), 1)) == "b"
    assert shown(sound_item(rt, T("a⟨bc⟩d"), slice(1, None, 2))) == "⟨b⟩d"
    assert type(sound_item(rt, T("a"), 5)) is Undefined
    assert type(sound_item(rt, range(3), 1)) is MadeInt
    assert type(sound_item(rt, [1], 0)) is int
    assert sound_item(rt, {"k": 1}, T("⟨k⟩")) == 1
    assert spelled([1]) == [1]
    assert spelled("ab") == "ab"
    assert list(map(type, spelled(T("a⟨b⟩")))) == [TemplateText, str]
    assert list(map(type, spelled(T("ab")))) == [TemplateText, TemplateText]


def test_origins_with_provenance_are_kept() -> None:
    source = Source("/a", True)
    value = text_value("ab", (("a", source), ("b", False)))
    made = JINJA_SOUND.filters["upper"](sound_form(), value)
    assert runs_of(made) == (("A", source), ("B", False))
    assert runs_of(text_value("a", (("a", source),))) == (("a", source),)
    assert runs_of(spelled(value)[0]) == (("a", source),)


def test_markup_methods() -> None:
    rt = sound_form()
    assert method(safe("⟨a⟩b"), "upper") == "⟨A⟩B"
    assert type(call(rt, get_attr(rt, safe("⟨a⟩b"), "upper"))) is SoundMarkup
    assert method(safe("⟨a⟩ <b>"), "striptags") == "⟨a⟩"
    assert method(safe("a"), "escape", "<") == "⟨&lt;⟩"
    assert filtered(safe("a⟨b⟩"), "replace", T("x"), T("y")) == "a⟨b⟩"
    assert filtered(T("a⟨b⟩"), "replace", T("x"), safe("y")) == "a⟨b⟩"
    rt.autoescape = True
    assert shown(JINJA_SOUND.filters["replace"](rt, safe("a⟨b⟩"), T("a"), T("<"))) == "⟨&lt;b⟩"
    assert shown(JINJA_SOUND.filters["replace"](rt, safe("a⟨b⟩"), T("x"), T("<"))) == "a⟨b⟩"
    assert shown(JINJA_SOUND.filters["join"](rt, [safe("a⟨<⟩"), T("⟨<⟩<"), 5], T("&"))) == "a⟨<⟩&amp;⟨&lt;⟩&lt;&amp;⟨5⟩"


def test_attributes_of_numbers() -> None:
    rt = sound_form()
    assert shown(get_attr(rt, 5, "real")) == "⟨5⟩"
    assert shown(get_attr(rt, MadeInt(5), "numerator")) == "5"
    assert shown(get_attr(rt, MadeFloat(5.5), "real")) == "5.5"
    assert shown(get_attr(rt, 1j, "imag")) == "1.0"
    assert shown(get_attr(rt, range(7), "stop")) == "7"
    assert shown(get_attr(rt, Cycler("a"), "pos")) == "0"


def test_members_of_marked_strings() -> None:
    rt = sound_form()
    for value in (T("a⟨b⟩"), T("a"), "a", safe("a"), MadeInt(1)):
        assert type(get_attr(rt, value, "__class__")) is Undefined
        assert type(get_attr(rt, value, "__add__")) is Undefined
    assert JINJA_SOUND.filters["attr"](rt, T("a⟨b⟩"), T("⟨upper⟩")).invoke(rt) == "AB"


def test_tests() -> None:
    rt = sound_form()
    value = T("a⟨b⟩")
    tests = JINJA_SOUND.tests
    assert tests["string"](rt, value)
    assert tests["sequence"](rt, value)
    assert tests["iterable"](rt, value)
    assert tests["in"](rt, value, T("xab"))
    assert tests["in"](rt, "ab", [value])
    assert tests["eq"](rt, value, "ab")
    assert tests["lower"](rt, [value])
    assert not tests["upper"](rt, value)
    assert tests["sameas"](rt, value, value)
    assert not tests["sameas"](rt, Undefined(), Undefined())
    assert tests["sameas"](rt, MadeInt(1), 1)
    assert not tests["sameas"](rt, value, 1)
    assert tests["divisibleby"](rt, MadeInt(4), num=2)
    assert tests["lower"](rt, value=value)


def test_globals() -> None:
    rt = sound_form()
    made = JINJA_SOUND.globals
    assert shown(call(rt, made["range"], MadeInt(3))) == "range(0, 3)"
    joiner = call(rt, made["joiner"])
    assert [shown(call(rt, joiner)), shown(call(rt, joiner))] == ["", ", "]
    assert shown(call(rt, call(rt, made["joiner"], "x")) or "") == ""
    assert shown(call(rt, made["strftime_now"], T("%Y"))) == "2026"
    assert shown(call(rt, made["strftime_now"], T("⟨%Y⟩"))) == "⟨2026⟩"
    assert not has_input(call(rt, made["lipsum"], MadeInt(1)))
    assert shown(call(rt, made["namespace"], {T("a"): "x"})) == "<Namespace {'a': '⟨x⟩'}>"
    with pytest.raises(OperationError):
        call(rt, made["namespace"], {T("_⟨a⟩"): 1})
    with pytest.raises(RaisedError, match=r"^ab$"):
        call(rt, made["raise_exception"], T("a⟨b⟩"))
    fromkeys = get_attr(rt, made["dict"], "fromkeys")
    assert shown(call(rt, fromkeys, T("a⟨b⟩"))) == "{'a': None, '⟨b⟩': None}"


def test_lazy_arguments() -> None:
    rt = sound_form()
    pairs = JINJA_SOUND.filters["map"](rt, [[T("a"), T("⟨b⟩")]], T("list"))
    assert shown(JINJA_SOUND.filters["urlencode"](rt, [])) == ""
    assert shown(JINJA_SOUND.filters["urlencode"](rt, JINJA_SOUND.filters["items"](rt, {T("a"): T("⟨b⟩")}))) == "⟨a=b⟩"
    assert shown(JINJA_SOUND.filters["join"](rt, pairs)) == "['a', '⟨b⟩']"
