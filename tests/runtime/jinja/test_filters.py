"""Filters where their arguments matter, beside Jinja2's; and what is refused before memory is used."""

from __future__ import annotations

import enum
from collections import OrderedDict, UserDict, UserList
from typing import Any

import pytest

from chatjinja.errors import ContextError, LimitError, OperationError
from chatjinja.runtime.jinja import access
from chatjinja.runtime.jinja.builtins import JINJA
from chatjinja.runtime.jinja.calls import call
from chatjinja.runtime.jinja.formatting import percent, split_name
from chatjinja.runtime.jinja.text import measure, repr_of, text_of
from tests.runtime.jinja.support import (
    MISSING,
    PEER,
    Safe,
    apply,
    canonical,
    eval_context,
    ours,
    outcome,
    peer_context,
    text_form,
    theirs,
)

ROWS = [{"n": "b", "a": {"x": 1}}, {"n": "A", "a": {"x": 0}}, {"n": "a"}, {"n": "B", "a": {"x": 1}}]
CASES: tuple[tuple[str, Any, tuple[Any, ...], dict[str, Any]], ...] = (
    # sequences
    ("groupby", ROWS, ("n",), {}),
    ("groupby", ROWS, ("n",), {"case_sensitive": True}),
    ("groupby", ROWS, ("a.x",), {"default": 5}),
    ("groupby", [["x", 1], ["y", 2]], (0,), {}),
    ("sort", ROWS, (), {"attribute": "n,a.x"}),
    ("sort", ["b", "A", "a"], (True,), {}),
    ("sort", ["b", "A", "a"], (False, True), {}),
    ("sort", [[2, 1], [1, 2]], (), {"attribute": 1}),
    ("unique", ["a", "A", "b"], (), {}),
    ("unique", ["a", "A", "b"], (True,), {}),
    ("min", ROWS, (), {"attribute": "n"}),
    ("max", [], (), {}),
    ("batch", range(7), (3,), {"fill_with": "x"}),
    ("slice", range(7), (3, "x"), {}),
    ("slice", range(7), (0,), {}),
    ("sum", [[1], [2]], (), {"start": [0]}),
    ("first", [], (), {}),
    ("last", (1, 2), (), {}),
    ("select", [], (), {}),
    ("batch", [], (3,), {}),
    ("batch", range(6), (3,), {"fill_with": 1}),
    ("sum", ["a"], (), {"start": ""}),
    ("sum", ROWS, ("n",), {"start": ()}),
    ("dictsort", {"b": 1, "A": 2}, (), {}),
    ("dictsort", {"b": 1, "A": 2}, (True, "value", True), {}),
    ("dictsort", {"b": 1}, (), {"by": "x"}),
    ("dictsort", MISSING, (), {}),
    ("dictsort", [], (), {}),
    ("items", MISSING, (), {}),
    ("items", [], (), {}),
    ("join", ROWS, (", ", "n"), {}),
    ("join", ["<", Safe("<b>"), 3], ("&",), {}),
    ("join", ["<", 3], ("&",), {}),
    ("join", ["<", 3], (Safe("&"),), {}),
    ("reverse", 5, (), {}),
    ("reverse", {1, 2}, (), {}),
    ("reverse", "abc", (), {}),
    ("last", [], (), {}),
    ("map", ["a"], (), {"attribute": "x", "default": "d"}),
    ("map", ["a"], (), {"attribute": "x", "wrong": "d"}),
    ("map", ["a"], (), {}),
    ("map", ["a"], ("nothing",), {}),
    ("map", ["a"], (MISSING,), {}),
    ("map", ["a"], ("default", "x"), {}),
    ("map", [{}], (), {"attribute": None}),
    ("select", [0, 1, ""], (), {}),
    ("select", [0, 1], ("odd",), {}),
    ("reject", [0, 1], ("nothing",), {}),
    ("selectattr", ROWS, ("a",), {}),
    ("selectattr", ROWS, ("n", "eq", "a"), {}),
    ("rejectattr", ROWS, (), {}),
    # values
    ("attr", "x", ("upper_",), {}),
    ("attr", {"keys_": 1}, ("keys_",), {}),
    ("attr", {}, (5,), {}),
    ("filesizeformat", 1, (), {}),
    ("filesizeformat", 999, (), {}),
    ("filesizeformat", 1000, (), {}),
    ("filesizeformat", 1024, (True,), {}),
    ("filesizeformat", 10**7, (), {}),
    ("filesizeformat", 10**40, (True,), {}),
    ("float", "x", (), {}),
    ("int", "0x1f", (7, 16), {}),
    ("int", "1e3", (), {}),
    ("int", "x", ("d",), {}),
    ("round", 2.675, (2,), {}),
    ("round", 2.1, (), {"method": "ceil"}),
    ("round", 27, (-1, "floor"), {}),
    ("round", 2.1, (0, "up"), {}),
    ("round", 7, (10**20,), {}),
    # text
    ("center", "ab", (7,), {}),
    ("center", "ab", ("x",), {}),
    ("replace", "aaa", ("a", "<", 2), {}),
    ("replace", "<a>", (Safe("a"), "<"), {}),
    ("replace", "<a>", ("a", Safe("<")), {}),
    ("replace", Safe("<a>"), ("a", "<"), {}),
    ("replace", "ac" * 1200, ("a", "b" * 30000, -1), {}),
    ("replace", "a" * 3000, ("a", "b" * 30000, 1), {}),
    ("format", "%s %d", ("a", 5), {}),
    ("format", "%(a)s", (), {"a": 1}),
    ("format", "%s", (1,), {"a": 1}),
    ("format", Safe("%s %r"), ("<", "<"), {}),
    ("format", Safe("%(a)s %(b)d %(b)5.1f"), (), {"a": "<", "b": 1.5}),
    ("format", Safe("%s"), ([1],), {}),
    ("format", "%((a))s%(a)", (), {"(a)": 1}),
    ("format", "%(a", (), {"a": 1}),
    ("format", "%-*d|%.*f|%%|", (5, 3, 1, 2.5), {}),
    ("format", "% d %+d %#x %05d %hd %c %a", (1, 2, 3, 4, 5, "x", "é"), {}),
    ("indent", "a\n\nb", (), {}),
    ("indent", "a\n\nb", ("> ", True, True), {}),
    ("indent", "\na\r\nb\u2028c", (2, True), {}),
    ("indent", Safe("a\nb"), ("<",), {}),
    ("indent", "a\n<", (Safe("<"),), {}),
    ("indent", "a\n<", (Safe("<"), False, True), {}),
    ("indent", [], (), {}),
    ("indent", MISSING, (), {}),
    ("truncate", "foo bar baz qux", (9,), {}),
    ("truncate", "foo bar baz qux", (9, True), {}),
    ("truncate", "foo bar baz qux", (11,), {}),
    ("truncate", "foo bar baz qux", (11, False, "…", 0), {}),
    ("truncate", "foo", (2,), {}),
    ("truncate", "foo", (5,), {"leeway": -1}),
    ("truncate", [1] * 20, (2, True, [0]), {"leeway": 0}),
    ("truncate", [1] * 20, (2, False, [0]), {"leeway": 0}),
    ("wordwrap", "aaa bbb-ccc\n\nddd", (5,), {}),
    ("wordwrap", "aaaaaaaa bbb", (5, False, "|"), {}),
    ("wordwrap", b"", (), {}),
    ("wordwrap", b"a", (), {}),
    ("wordcount", 5, (), {}),
    ("title", "foo-bar (baz) o'neil ßa", (), {}),
    # HTML
    ("e", Safe("<"), (), {}),
    ("e", "<&>\"'", (), {}),
    ("forceescape", Safe("<"), (), {}),
    ("safe", 5, (), {}),
    ("striptags", "a <b>b</b>\n<!-- <c> -->d &lt; <e", (), {}),
    ("striptags", "<!-- a", (), {}),
    ("xmlattr", {"a": "<", "b": None, "c": MISSING, "d": 1}, (), {}),
    ("xmlattr", {"a": 1}, (False,), {}),
    ("xmlattr", {"a b": 1}, (), {}),
    ("xmlattr", {}, (), {}),
    ("xmlattr", MISSING, (), {}),
    ("xmlattr", [], (), {}),
    ("urlencode", "a/b c&é", (), {}),
    ("urlencode", {"a b": "c/d", 1: None}, (), {}),
    ("urlencode", [("a", b"\xff")], (), {}),
    ("urlencode", 5, (), {}),
    ("urlize", "see (http://a.com/x_(y)), www.b.org. me@c.de mailto:d@e.fr https://[::1]/ &lt;x&gt;", (), {}),
    (
        "urlize",
        "http://long.example.com/abc xy:rest xy:",
        (10,),
        {"extra_schemes": ["xy:"], "target": "_b", "rel": "me"},
    ),
    ("urlize", "xy:rest", (), {"extra_schemes": ["tel:", "xy:"]}),
    ("urlize", "x", (), {"extra_schemes": ["no scheme"]}),
    ("urlize", "http://a.com (http://b.com", (), {"nofollow": True}),
    ("urlize", "<http://a.com> (((http://b.com)))", (), {}),
    # JSON
    ("tojson", {"a": [1, 2.5, None, True, "é\n"], "b": {}, "c": [], "d": ()}, (), {}),
    ("tojson", {"a": [1, float("nan"), float("inf"), -float("inf"), False], "b": {"c": None}}, (), {"indent": 2}),
    ("tojson", {"b": (1, {"x": 0.1}), "a": [[], {}, ()]}, (), {"indent": "\t", "sort_keys": True}),
    ("tojson", {"b": "é", "a": [1]}, (), {"indent": 0, "ensure_ascii": True}),
    ("tojson", {"b": 1, "a": [1]}, (), {"indent": -1, "separators": ("|", "=")}),
    ("tojson", {"b": 1, "a": [1, 2]}, (True, None, (",", ":"), True), {}),
    ("tojson", {1: 1, None: 2, False: 3, 1.5: 4}, (), {}),
    ("tojson", {1: 1, None: 2, False: 3, 1.5: 4, float("inf"): 5}, (), {"indent": 1}),
    ("tojson", {(1,): 1}, (), {"indent": 1}),
    ("tojson", {(1,): 1}, (), {}),
    ("tojson", [MISSING], (), {"indent": 1}),
    ("tojson", [MISSING], (), {}),
    ("tojson", {1, 2}, (), {}),
    ("tojson", b"a", (), {}),
    ("tojson", "é", (), {"indent": b"x", "ensure_ascii": 1}),
    ("tojson", "é", (), {"separators": (1, 2)}),
    ("tojson", "é", (), {"separators": (1,)}),
    ("tojson", [1], (), {"indent": 1.5}),
    ("tojson", {"a": 1, 2: 3}, (), {"sort_keys": True}),
    ("tojson", [True, False, None], (), {"indent": 1}),
    ("tojson", range(3), (), {}),
    ("tojson", OrderedDict(a=1), (), {"indent": 1}),
    ("tojson", OrderedDict(a=1), (), {}),
    ("tojson", 10**40, (), {}),
)


@pytest.mark.parametrize(
    ("name", "value", "args", "kwargs"), CASES, ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)]
)
def test_as_jinja2_does(name: str, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    for autoescape in (False, True):
        context, eval_ctx = peer_context(autoescape), eval_context(autoescape)
        expected = outcome(
            lambda: PEER.call_filter(
                name,
                theirs(value),
                [*map(theirs, args)],
                {key: theirs(item) for key, item in kwargs.items()},
                context,  # noqa: B023
                eval_ctx,  # noqa: B023
            )
        )
        named = {key: ours(item) for key, item in kwargs.items()}
        found = outcome(lambda: apply(ours(value), name, *map(ours, args), rt=text_form(autoescape), **named))  # noqa: B023
        assert found == expected


def test_keyword_arguments_may_have_any_name() -> None:
    assert JINJA.filters["format"](text_form(), "%(rt)s", rt=1) == "1"
    assert list(JINJA.filters["map"](text_form(), ["%(rt)s"], "format", rt=1)) == ["1"]


@pytest.mark.parametrize(
    "source",
    [
        *(
            "{}",
            "{0}{a}",
            "{0[0]}{a[x]}",
            "{a.x}",
            "{!r:>6}{a!s}{a!a}",
            "{:{w}}|{0:>{w}}",
            "{{}}",
            "{0.upper}",
            "{.real}",
        ),
        *(
            "{",
            "}",
            "{a!x}",
            "{}{0}",
            "{0}{}",
            "{:{:{}}}",
            "{0:{0:{0}}}",
            "{a.}",
            "{a[}",
            "{a[0}",
            "{a[x]y}",
            "{b}",
            "{7}",
        ),
        "{0.real}{0.__class__}",
    ],
)
def test_format(source: str) -> None:
    for text in (source, Safe(source)):
        for args in (("é<", 5), (Safe("<"), 7), (5, 6), (MISSING, [1])):
            kwargs = {"a": {"x": "<y>"}, "w": 4}

            def of_theirs() -> Any:
                return PEER.getattr(theirs(text), "format")(*map(theirs, args), **kwargs)  # noqa: B023

            def of_ours() -> Any:
                rt = text_form()
                return call(rt, access.get_attr(rt, ours(text), "format"), *map(ours, args), **kwargs)  # noqa: B023

            assert outcome(of_ours) == outcome(of_theirs), args


def method(value: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    rt = text_form()
    return call(rt, access.get_attr(rt, value, name), *args, **kwargs)


def test_names_of_fields() -> None:
    assert split_name("user.names[0][x]") == ("user", [(True, "names"), (False, 0), (False, "x")])
    for name in ("a[0", "a[]", "a.", "a[0]b"):
        with pytest.raises(ValueError, match="format"):
            split_name(name)


MEMBERS: tuple[tuple[Any, str, tuple[Any, ...]], ...] = (
    (Safe("a"), "center", (5, "<")),
    (Safe("a"), "ljust", (5,)),
    (Safe("a<"), "replace", ("<", ">")),
    (Safe("a,b"), "split", (",",)),
    (Safe("a-b"), "partition", ("-",)),
    (Safe("&lt;"), "unescape", ()),
    (Safe(","), "join", (["<", Safe("<")],)),
    ("a", "center", (5, "-")),
    ("a", "center", ("x",)),
    ("a\tb", "expandtabs", (3,)),
    ("a\tb", "expandtabs", ("x",)),
    ("a", "replace", ("a", 5)),
    ("-", "join", (["a"] * 5000,)),
    ("abc", "translate", ({97: "xx", 98: None, "c": 1},)),
    ("abc", "translate", ({97: "x"},)),
    ("abc", "translate", ("xyz",)),
    (b"aa", "replace", (b"a", b"bc")),
    (b"aa", "replace", (b"aa", b"b", 1)),
    ("ü", "encode", ("latin-1",)),
    ("ü" * 5000, "encode", ("punycode",)),
    (b"\xfc", "decode", ("latin-1",)),
    (b"\xfc", "decode", ()),
    (5, "to_bytes", (2, "big")),
    (5, "to_bytes", ("x", "big")),
    (5, "from_bytes", (b"xy", "little")),
    (5, "from_bytes", ([1, 2],)),
    (5, "from_bytes", (7,)),
    (True, "from_bytes", (b"xy",)),
    (True, "from_bytes", (b"\0",)),
    ([1], "copy", ()),
    ({"a": 1}, "fromkeys", ("ab", 1)),
    ({"a": 1}, "get", ("b", 2)),
)


@pytest.mark.parametrize(("owner", "name", "args"), MEMBERS)
def test_methods(owner: Any, name: str, args: tuple[Any, ...]) -> None:
    expected = outcome(lambda: PEER.getattr(theirs(owner), name)(*map(theirs, args)))
    assert outcome(lambda: method(ours(owner), name, *map(ours, args))) == expected


def test_operators_of_markup() -> None:
    for action in (
        lambda markup: markup + "<",
        lambda markup: "<" + markup,
        lambda markup: markup + 1,
        lambda markup: 1 + markup,
        lambda markup: markup * 2,
        lambda markup: 2 * markup,
        lambda markup: markup[1:],
        lambda markup: markup % 5,
        lambda markup: markup % "<",
        lambda markup: repr(markup),
    ):
        expected = outcome(lambda: action(theirs(Safe("<%s>"))))  # noqa: B023
        assert outcome(lambda: action(ours(Safe("<%s>")))) == expected  # noqa: B023


def test_generators() -> None:
    rt = text_form()
    lazy = apply("abc", "map", "upper")
    assert next(lazy) == "A"
    assert method(lazy, "send", None) == "B"
    assert method(lazy, "close") is None
    assert list(lazy) == []
    with pytest.raises(TypeError, match="exceptions must be classes"):
        method(lazy, "throw", "x")
    assert access.get_attr(rt, lazy, "gi_running") is False
    assert repr(access.get_attr(rt, lazy, "close")) == "<built-in method close of generator object at 0x7f0000000000>"
    assert access.get_attr(rt, lazy, "gi_yieldfrom") is None
    assert text_of(rt, reversed([1])) == "<list_reverseiterator object at 0x7f0000000000>"


# --- values of the caller's ------------------------------------------------------------------------------


class Color(str, enum.Enum):  # noqa: UP042 -- prints in another way
    RED = "red"


class Words(UserList[str]):
    pass


@pytest.mark.parametrize("value", [Color.RED, OrderedDict(a=[1]), UserDict(a=1), Words(["a", "b"])])
def test_classes_of_the_caller(value: Any) -> None:
    for name in ("upper", "list", "first", "string", "length", "join", "dictsort", "items", "trim", "pprint", "escape"):
        expected = outcome(lambda: PEER.call_filter(name, value, context=peer_context()))  # noqa: B023
        assert outcome(lambda: apply(value, name)) == expected, name  # noqa: B023
    for name in ("upper", "keys", "get", "count", "pop", "append", "__class__", "foo"):
        found, expected = access.get_attr(text_form(), value, name), PEER.getattr(value, name)
        assert (canonical(found) == "undefined") is (canonical(expected) == "undefined"), name


# --- limits ----------------------------------------------------------------------------------------------

HUGE = 10**9


def nested(levels: int) -> list[Any]:
    """A list that is small and whose text is not."""
    made: list[Any] = []
    for _ in range(levels):
        made = [made, made]
    return made


REFUSED = {
    "center": lambda: apply("x", "center", HUGE),
    "indent": lambda: apply("x\ny", "indent", HUGE),
    "many lines": lambda: apply("x\n" * 1000, "indent", 10**6),
    "format": lambda: apply("%99999999d", "format", 1),
    "precision": lambda: apply("%.999999999f", "format", 1),
    "star": lambda: apply("%*d", "format", HUGE, 1),
    "nested parentheses": lambda: apply("%((a)b)99999999d", "format", **{"(a)b": 1}),
    "named": lambda: apply("%(a)s" * 1000, "format", a="x" * 100_000),
    "bytes": lambda: percent(text_form(), b"%99999999d", 1),
    "replace": lambda: apply("x" * 10**5, "replace", "x", "y" * 10**5),
    "replace nothing": lambda: apply("x" * 10**5, "replace", "", "y" * 10**5),
    "join": lambda: apply(["x" * 10**5] * 1000, "join"),
    "separator": lambda: apply([1] * 10**4, "join", "x" * 10**5),
    "wordwrap": lambda: apply("a\n" * 10**4, "wordwrap", 5, True, "x" * 10**5),
    "urlencode": lambda: apply([("x" * 10**6, "")] * 100, "urlencode"),
    "tojson": lambda: apply([["a"] * 10**4], "tojson", indent=10**5),
    "tojson indent": lambda: apply([1], "tojson", indent=HUGE),
    "tojson separators": lambda: apply([1] * 10**4, "tojson", indent=1, separators=("x" * 10**5, ":")),
    "tojson nested": lambda: apply(nested(40), "tojson"),
    "string nested": lambda: apply(nested(40), "string"),
    "pprint nested": lambda: apply(nested(40), "pprint"),
    "batch": lambda: list(apply("x", "batch", HUGE, "y")),
    "sum": lambda: apply([[1]] * 10**5, "sum", start=[]),
    "round": lambda: apply(5, "round", -HUGE),
    "ceil": lambda: apply(5.5, "round", HUGE, "ceil"),
    "lipsum": lambda: call(text_form(), JINJA.globals["lipsum"], HUGE),
    "urlize": lambda: apply("a@" * 10**6, "urlize"),
    "{}": lambda: method("{:99999999}", "format", 1),
    "{} nested": lambda: method("{:{}}", "format", 1, HUGE),
    "{} many": lambda: method("{0}" * 1000, "format", "x" * 10**5),
    "ljust": lambda: method("x", "ljust", HUGE),
    "zfill": lambda: method(b"x", "zfill", HUGE),
    "expandtabs": lambda: method("\t", "expandtabs", HUGE),
    "expandtabs of bytes": lambda: method(b"\t", "expandtabs", HUGE),
    "str.join": lambda: method("x" * 10**5, "join", ["a"] * 1000),
    "bytes.replace": lambda: method(b"x" * 10**5, "replace", b"x", b"y" * 10**5),
    "translate": lambda: method("x" * 10**5, "translate", {120: "y" * 10**5}),
    "int": lambda: apply("f" * 10**6, "int", 0, 16),
    "from_bytes": lambda: method(5, "from_bytes", b"f" * 10**6, "big"),
    "to_bytes": lambda: method(5, "to_bytes", HUGE, "big"),
    "idna": lambda: method("x" * 10**6, "encode", "idna"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_before_memory_is_used(name: str) -> None:
    with pytest.raises(LimitError):
        REFUSED[name]()


def test_steps_are_counted() -> None:
    for action in (
        lambda rt: list(apply(range(100), "map", "string", rt=rt)),
        lambda rt: list(apply(range(100), "select", rt=rt)),
        lambda rt: list(apply(range(100), "unique", rt=rt)),
        lambda rt: apply([0] * 5000, "list", rt=rt),
        lambda rt: apply(["x"] * 5000, "join", rt=rt),
        lambda rt: text_of(rt, [[0] * 5000]),
        lambda rt: JINJA.methods[str]["format"](rt, "{}" * 100, *range(100)),
        lambda rt: apply("%1d" * 100, "format", *range(100), rt=rt),
    ):
        with pytest.raises(LimitError) as caught:
            action(text_form(steps=50))
        assert caught.value.limit == "steps"


def test_items_are_counted() -> None:
    with pytest.raises(LimitError) as caught:
        apply(range(9000), "list", rt=text_form(items=5000))
    assert caught.value.limit == "items"
    with pytest.raises(LimitError):
        text_of(text_form(items=5000), [[[]] * 6000])


def test_depth() -> None:
    deep: list[Any] = []
    for _ in range(150):
        deep = [deep]
    rt = text_form(data_depth=100)
    for action in (
        lambda: text_of(rt, deep),
        lambda: repr_of(rt, deep),
        lambda: apply(deep, "tojson", rt=rt),
        lambda: apply(deep, "tojson", rt=rt, indent=1),
        lambda: apply(deep, "pprint", rt=rt),
    ):
        with pytest.raises(LimitError) as caught:
            action()
        assert caught.value.limit == "data_depth"
    assert text_of(text_form(), deep) == str(deep)
    assert apply(deep, "tojson", indent=1) == PEER.filters["tojson"](deep, indent=1)


def test_data_that_contains_itself() -> None:
    endless: list[Any] = []
    endless.append(endless)
    rt = text_form()
    rt.context = {"a": endless}
    with pytest.raises(ContextError):
        text_of(rt, endless)
    with pytest.raises(ContextError):
        apply(endless, "tojson", rt=rt)


def test_long_text_is_counted() -> None:
    rt = text_form(value=100_000)
    apply("ß" * 60_000, "lower", rt=rt)
    with pytest.raises(LimitError):
        apply("ß" * 60_000, "upper", rt=rt)


def test_measure() -> None:
    rt = text_form()
    assert measure(rt, "abc") == 3
    assert measure(rt, 5) == 0
    assert measure(rt, {"ab": ["c", Safe("d")], 1: b"x"}) == 4 + 4 + 2 * (4 + 2)
    assert measure(rt, ["\n" * 20_000, "x" * 20_000, 10**100]) == 200_000 + 20_000 + 333 // 3 + 2 * 3
    assert measure(rt, range(10)) == 0


def test_unknown_names_at_run_time() -> None:
    with pytest.raises(OperationError, match="No filter named 'nothing'"):
        list(apply([1], "map", "nothing"))
    with pytest.raises(OperationError, match="'missing' is undefined; did you forget to quote the callable name"):
        list(apply([1], "select", ours(MISSING)))
    assert list(apply([], "map", "nothing")) == []


def test_kinds_of_values() -> None:
    for name in (
        "sequence",
        "iterable",
        "mapping",
        "number",
        "string",
        "callable",
        "escaped",
        "integer",
        "float",
        "in",
    ):
        for value in (5, 1.5, None, True, "x", Safe("x"), [], (), {}, {1}, range(2), b"x", MISSING):
            args = [[5, "x"]] if name == "in" else []
            expected = outcome(lambda: PEER.call_test(name, theirs(value), args, {}, peer_context()))  # noqa: B023
            assert outcome(lambda: JINJA.tests[name](text_form(), ours(value), *args)) == expected, value  # noqa: B023


def test_many_classes_of_the_caller() -> None:
    for number in range(1100):
        kind = type(f"Text{number}", (str,), {})
        assert method(kind("a"), "upper") == "A"
