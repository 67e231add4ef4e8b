"""Every filter, test, method and global does what Jinja2's does, with any value and any arguments."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from itertools import pairwise
from types import GeneratorType, MappingProxyType
from typing import Any

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatjinja.errors import RaisedError
from chatjinja.runtime.jinja import access
from chatjinja.runtime.jinja.builtins import JINJA
from chatjinja.runtime.jinja.callables import Invocable
from chatjinja.runtime.jinja.calls import call
from chatjinja.runtime.jinja.filters_sequences import SEQUENCE_FILTERS
from chatjinja.runtime.jinja.globals import Cycler, Joiner
from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.results import Group, Lazy
from chatjinja.runtime.jinja.undefined import Undefined
from tests.runtime.jinja import values as make
from tests.runtime.jinja.support import (
    MISSING,
    NOW,
    PEER,
    Mapped,
    Safe,
    View,
    eval_context,
    ours,
    outcome,
    peer_context,
    text_form,
    theirs,
)

BY_CHANCE = frozenset(("random", "lipsum"))


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names by which arguments can be given."""
    wanted = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return tuple([name for name, one in inspect.signature(function).parameters.items() if one.kind in wanted])


def named(value: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: change(item) for name, item in value.items()}


# --- filters and tests -----------------------------------------------------------------------------------


def test_no_filter_or_test_is_missing() -> None:
    assert set(JINJA.filters) == set(PEER.filters)
    assert set(JINJA.tests) == set(PEER.tests)
    assert set(JINJA.globals) == set(PEER.globals)


@pytest.mark.parametrize("name", sorted(set(JINJA.filters) - BY_CHANCE))
@settings(max_examples=20)
@given(data=st.data())
def test_filter(name: str, data: st.DataObject) -> None:
    function = JINJA.filters[name]
    value = data.draw(make.anything if name in SEQUENCE_FILTERS else make.values)
    args, kwargs = data.draw(make.calls(parameters(function)))
    autoescape = data.draw(st.sampled_from((False, False, True)))
    expected = outcome(
        lambda: PEER.call_filter(
            name,
            theirs(value),
            [*map(theirs, args)],
            named(kwargs, theirs),
            peer_context(autoescape),
            eval_context(autoescape),
        )
    )
    found = outcome(lambda: function(text_form(autoescape), ours(value), *map(ours, args), **named(kwargs, ours)))
    assert found == expected


@pytest.mark.parametrize("name", sorted(JINJA.tests))
@settings(max_examples=20)
@given(value=make.values, call_=make.calls())
def test_test(name: str, value: Any, call_: tuple[list[Any], dict[str, Any]]) -> None:
    args, _ = call_
    expected = outcome(lambda: bool(PEER.call_test(name, theirs(value), [*map(theirs, args[:1])], {}, peer_context())))
    assert outcome(lambda: JINJA.tests[name](text_form(), ours(value), *map(ours, args[:1]))) == expected


# --- methods and attributes ------------------------------------------------------------------------------

OWNERS: dict[type, st.SearchStrategy[Any]] = {
    str: make.texts,
    Markup: make.texts.map(Safe),
    bytes: make.texts.map(lambda text: text.encode("utf-8", "surrogatepass")),
    int: st.integers(-(2**70), 2**70),
    bool: st.booleans(),
    float: st.floats(),
    complex: st.complex_numbers(),
    list: make.lists,
    tuple: make.lists.map(tuple),
    range: st.builds(range, st.integers(-3, 3), st.integers(-3, 9), st.integers(1, 3)),
    dict: make.mappings,
    type({}.keys()): st.builds(View, st.just("keys"), make.mappings),
    type({}.values()): st.builds(View, st.just("values"), make.mappings),
    type({}.items()): st.builds(View, st.just("items"), make.mappings),
    set: st.sets(st.integers(0, 5)),
    MappingProxyType: make.mappings.map(lambda mapping: MappingProxyType(mapping)),
    Lazy: st.builds(Mapped, make.lists),
    Undefined: st.just(MISSING),
    type(None): st.none(),
}
PYTHON_TYPES = {Lazy: GeneratorType, Markup: type(theirs(Safe())), Undefined: jinja2.Undefined}
NAMES = [
    (kind, name)
    for kind in OWNERS
    for name in dir(PYTHON_TYPES.get(kind, kind))
    if not name.startswith("_") and name != "intersection_update"  # changes the set that both engines get
]


def test_no_method_is_missing() -> None:
    """Every public name of every type is given out or refused."""
    for kind in OWNERS:
        python = PYTHON_TYPES.get(kind, kind)
        members = JINJA.members(kind)
        known = {*members.methods, *members.attributes, *members.refused}
        assert not {name for name in dir(python) if not name.startswith("_")} - known, kind


def member_of_theirs(value: Any, name: str, by_item: bool, args: list[Any], kwargs: dict[str, Any]) -> Any:
    member = PEER.getitem(theirs(value), name) if by_item else PEER.getattr(theirs(value), name)
    if not callable(member) or isinstance(member, jinja2.Undefined):
        return member
    return peer_context().call(member, *map(theirs, args), **named(kwargs, theirs))


def member_of_ours(value: Any, name: str, by_item: bool, args: list[Any], kwargs: dict[str, Any]) -> Any:
    rt = text_form()
    member = (access.get_item if by_item else access.get_attr)(rt, ours(value), name)
    if not isinstance(member, Invocable):
        return member
    return call(rt, member, *map(ours, args), **named(kwargs, ours))


@pytest.mark.parametrize(("kind", "name"), NAMES, ids=[f"{kind.__name__}.{name}" for kind, name in NAMES])
@settings(max_examples=10)
@given(
    data=st.data(), call_=make.calls(("sep", "encoding", "maxsplit", "keepends", "length", "a")), by_item=st.booleans()
)
def test_member(
    kind: type, name: str, data: st.DataObject, call_: tuple[list[Any], dict[str, Any]], by_item: bool
) -> None:
    """The same value, or the same method with the same result."""
    value = data.draw(OWNERS[kind])
    expected = outcome(lambda: member_of_theirs(value, name, by_item, *call_))
    assert outcome(lambda: member_of_ours(value, name, by_item, *call_)) == expected


@pytest.mark.parametrize("kind", OWNERS, ids=[kind.__name__ for kind in OWNERS])
@settings(max_examples=3)
@given(data=st.data())
def test_underscores(kind: type, data: st.DataObject) -> None:
    """What Python keeps for itself is refused; what it does not have can be an item."""
    value = data.draw(OWNERS[kind])
    python = PYTHON_TYPES.get(kind, kind)
    for name in [*filter(lambda name: name.startswith("_"), dir(python)), "__foo__", "_x", "mro", "foo", "key"]:
        for by_item in (False, True):
            expected = outcome(lambda: member_of_theirs(value, name, by_item, [], {}))  # noqa: B023
            assert outcome(lambda: member_of_ours(value, name, by_item, [], {})) == expected, name  # noqa: B023


# --- globals ---------------------------------------------------------------------------------------------

CALLS = {
    "range": (
        (3,),
        (2, 5),
        (5, 1, -2),
        (0,),
        (),
        (100_000,),
        (100_001,),
        (10**30,),
        ("a",),
        (1.5,),
        (MISSING,),
        (0, 1, 0),
    ),
    "dict": ((), ({"a": 1},), ([("a", 1), ("b", 2)],), (MISSING,), ("ab",), (5,), ({}, {})),
    "namespace": ((), ({"a": 1},), ([("a", 1)],), ({"_a": 1},), ({1: 2},), (MISSING,)),
    "cycler": ((1, 2), ("a",), ()),
    "joiner": ((), (" ",), (None,), (1, 2)),
    "raise_exception": (("no",), (), ("a", "b")),
    "strftime_now": (("%d %b %Y %H:%M:%S %z|%Z|%j",), ("",), (5,), (), ("a", "b")),
    "lipsum": (("a",), (1, True, 5, 2), (1, False, 0, 0), (0,), (0, False), (1, 2, 3, 4, 5)),
}


@pytest.mark.parametrize("name", CALLS)
def test_global(name: str) -> None:
    for args in CALLS[name]:
        for kwargs in ({}, {"a": 1}, {"sep": "x"}, {"format": "%y"}, {"self": 1}, {"_x": 1}):
            expected = outcome(lambda: peer_context().call(PEER.globals[name], *map(theirs, args), **kwargs))  # noqa: B023
            found = outcome(lambda: call(text_form(), JINJA.globals[name], *map(ours, args), **kwargs))  # noqa: B023
            if name == "joiner" and expected != "error":  # prints an address
                expected = found if "Joiner" in found else None
            assert found == expected, (args, kwargs)


def test_globals_print_as_they_do() -> None:
    for name in ("cycler", "joiner", "lipsum", "range"):
        assert outcome(lambda: JINJA.globals[name]) == outcome(lambda: PEER.globals[name])  # noqa: B023


def test_fromkeys_of_the_global_dict() -> None:
    member = access.get_attr(text_form(), JINJA.globals["dict"], "fromkeys")
    assert call(text_form(), member, "ab", 1) == {"a": 1, "b": 1}
    assert call(text_form(), member, ["x"]) == {"x": None}


def test_raise_exception() -> None:
    with pytest.raises(RaisedError, match=r"^not today$"):
        call(text_form(), JINJA.globals["raise_exception"], "not today")


def test_cycler() -> None:
    rt = text_form()
    cycler = call(rt, JINJA.globals["cycler"], "a", "b")
    peer = PEER.globals["cycler"]("a", "b")
    for name in ("current", "next", "next", "pos", "next", "items", "reset", "current", "__next__", "foo"):
        found, expected = access.get_attr(rt, cycler, name), PEER.getattr(peer, name)
        if name in ("next", "reset"):
            assert call(rt, found) == expected()
        else:
            assert outcome(lambda: found) == outcome(lambda: expected)  # noqa: B023
    assert repr(access.get_attr(rt, cycler, "next")).startswith("<bound method Cycler.next of <jinja2.utils.Cycler")


def test_joiner() -> None:
    rt = text_form()
    joiner = call(rt, JINJA.globals["joiner"])
    assert [call(rt, joiner) for _ in range(3)] == ["", ", ", ", "]
    assert access.get_attr(rt, joiner, "sep") == ", "
    assert access.get_attr(rt, joiner, "used") is True
    assert isinstance(joiner, Joiner)


def test_random_and_lipsum() -> None:
    rt = text_form()
    assert JINJA.filters["random"](rt, "aaa") == "a"
    assert type(JINJA.filters["random"](rt, [])) is Undefined
    assert {JINJA.filters["random"](rt, [1, 2, 3]) for _ in range(200)} == {1, 2, 3}
    known = set(jinja2.constants.LOREM_IPSUM_WORDS.split())
    random.seed(4)
    for html in (True, False):
        text = call(rt, JINJA.globals["lipsum"], 3, html)
        assert isinstance(text, Markup) is html
        paragraphs = text.split("\n" if html else "\n\n")
        assert len(paragraphs) == 3
        for paragraph in paragraphs:
            words = paragraph.removeprefix("<p>").removesuffix("</p>").split(" ")
            assert 20 <= len(words) < 100
            assert words[-1].endswith(".")
            assert words[0] == words[0].capitalize()
            assert {word.strip(",.").lower() for word in words} <= known
            assert all(one.strip(",.").lower() != other.strip(",.").lower() for one, other in pairwise(words))


def test_group() -> None:
    groups = JINJA.filters["groupby"](text_form(), [{"a": "X"}, {"a": "x"}, {"a": "b"}], "a")
    assert [type(group) for group in groups] == [Group, Group]
    assert access.get_attr(text_form(), groups[1], "grouper") == "X"
    assert access.get_attr(text_form(), groups[1], "list") == [{"a": "X"}, {"a": "x"}]
    assert repr(groups[0]) == "('b', [{'a': 'b'}])"


def test_clock_is_the_runtimes() -> None:
    assert call(text_form(), JINJA.globals["strftime_now"], "%Y-%m-%d %H:%M") == NOW.strftime("%Y-%m-%d %H:%M")


def test_how_callables_print() -> None:
    rt = text_form()
    for value in ("x", b"x", [], {}, 1, 1.5, Safe("x")):
        for name in ("upper", "format", "copy", "bit_length", "hex"):
            found, expected = access.get_attr(rt, ours(value), name), PEER.getattr(theirs(value), name)
            if isinstance(found, Invocable) and not isinstance(value, Safe):
                assert outcome(lambda: found) == outcome(lambda: expected), (value, name)  # noqa: B023
    upper = access.get_attr(rt, "x", "upper")
    assert upper == access.get_attr(rt, "x", "upper")
    assert hash(upper) == hash(access.get_attr(rt, "x", "upper"))
    assert upper != access.get_attr(rt, "x", "lower")
    assert upper != "x"
    assert isinstance(Cycler(1), Cycler)
