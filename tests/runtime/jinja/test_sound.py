"""The laws of sound marking, for every built-in of the tables.

Input is written in an alphabet of its own, so that each character of a result shows who wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatjinja.runtime.jinja.builtins import JINJA
from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.results import Group, Lazy
from chatjinja.runtime.jinja.sound_access import sound_item
from chatjinja.runtime.jinja.sound_builtins import JINJA_SOUND
from chatjinja.runtime.jinja.sound_operators import concat
from chatjinja.runtime.jinja.sound_runs import (
    SoundMarkup,
    bare,
    cut,
    is_text,
    plain_text,
    runs_of,
    sound_text_of,
    text_value,
)
from chatjinja.runtime.jinja.text import text_of
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.marked import MadeFloat, MadeInt, TemplateText
from tests.runtime.jinja.support import outcome, sound_form, text_form

# --- marked values ---------------------------------------------------------------------------------------

_FIRST = 0x4E00
_CANARY = re.compile("[\u4e00-\u4e7f]|\\\\u4e[0-7]|%E4%B[89]")
_LETTERS = re.compile("[A-Za-z]")
_ESCAPES = re.compile(r"\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrt\"'\\])|&(?:#34|#39|lt|gt|amp);|%[0-9A-F]{2}", re.IGNORECASE)


def canary(text: str) -> str:
    """`text` with its letters in the alphabet of input."""
    return re.sub("[A-Za-z]", lambda match: chr(_FIRST + ord(match[0])), text)


def built(pieces: list[tuple[str, bool]]) -> Any:
    """A string of pieces, each of them input or not."""
    runs = tuple([(canary(text) if is_input else text, is_input) for text, is_input in pieces])
    return text_value("".join([text for text, _ in runs]), runs)


SNIPPETS = (
    *("lit", "a b", " x-y ", "<b>'q'", 'say "it"', "\n", "one\n\ntwo\r\n", "{}", "%s", "+", " ", "  ", "", "a,b", "\\"),
    *("{0}{a}", "aa", "\t", "&amp;", "name", "key"),
)
texts = st.lists(st.tuples(st.sampled_from(SNIPPETS), st.booleans()), max_size=4).map(built)
scalars = st.one_of(
    texts,
    texts,
    st.integers(0, 12),
    st.integers(0, 12).map(MadeInt),
    st.sampled_from((0.5, MadeFloat(2.5), True, False, None)),
    st.builds(Undefined),
    texts.map(lambda text: SoundMarkup(plain_text(text), runs_of(text))),
)
keys = st.one_of(st.sampled_from(("name", "key", "a")).map(TemplateText), texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.lists(inner, max_size=3).map(tuple), st.dictionaries(keys, inner, max_size=3)
    ),
    max_leaves=6,
)
arguments = st.one_of(
    texts,
    values,
    st.sampled_from((0, 1, 2, 5, 30, -1, True, False, None)),
    st.sampled_from(("name", "upper", "string", "eq", "defined", "value", ", ", " ", "a", "default")).map(TemplateText),
)


def unmarked(value: Any) -> Any:
    """A value of the sound form as the text form has it."""
    if isinstance(value, SoundMarkup):
        return Markup(str.__str__(value))
    if type(value) in (list, tuple, Group):
        return type(value)(map(unmarked, value))
    if type(value) is dict:
        return {unmarked(key): unmarked(item) for key, item in value.items()}
    if type(value) in (type({}.keys()), type({}.values()), type({}.items())):
        return type(value).__name__, [*map(unmarked, value)]
    return bare(value)


def still(value: Any) -> Any:
    """A value in which no iterator is left."""
    if isinstance(value, (Lazy, Iterator)):
        return TemplateText(type(value).__name__), [*map(still, value)]
    if type(value) in (list, tuple, Group):
        return type(value)(map(still, value))
    return value


def strings_in(value: Any) -> list[Any]:
    """All strings in a value."""
    if is_text(value):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in strings_in(item)]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in strings_in(item)]
    return []


def check(name: str, sound: Any, plain: Any, args: list[Any], exact: bool) -> None:
    """The same text; no input in a template run; if the rule is exact, no template text in an input run."""
    made: list[Any] = []

    def run_sound() -> Any:
        made.append(still(sound(sound_form(), *args)))
        return unmarked(made[0])

    expected = outcome(lambda: unmarked(still(plain(text_form(), *map(unmarked, args)))))
    assert outcome(run_sound) == expected, name
    for text in strings_in(made):
        assert "".join([part for part, _ in runs_of(text)]) == plain_text(text)
        for is_input, group in groupby(runs_of(text), key=lambda run: bool(run[1])):
            part = "".join([run[0] for run in group])
            if not is_input:
                assert not _CANARY.search(part), (name, runs_of(text))
            elif exact:
                assert not _LETTERS.search(_ESCAPES.sub("", part)), (name, runs_of(text))


BLENDED_FILTERS = frozenset(("striptags", "urlencode", "urlize", "wordwrap", "xmlattr", "pprint"))
"""Filters without a rule of their own: what they make is all input or not at all."""
MIXED = frozenset(("format", "replace", "indent", "join", "truncate", "center", "ljust", "rjust"))
"""Where a mixture, or Markup, among the arguments can make all of the result input."""
BLENDED_METHODS = frozenset(("expandtabs", "translate", "maketrans", "encode", "format_map"))


def is_simple(value: Any) -> bool:
    return type(value) in (str, TemplateText, int, MadeInt, bool, type(None))


@pytest.mark.parametrize("name", sorted(set(JINJA.filters) - {"random"}))
@settings(max_examples=30)
@given(value=values, args=st.lists(arguments, max_size=3))
def test_filter(name: str, value: Any, args: list[Any]) -> None:
    mixed = name in MIXED and not all(is_simple(arg) for arg in (value, *args))

    exact = name not in BLENDED_FILTERS and not mixed
    check(name, JINJA_SOUND.filters[name], JINJA.filters[name], [value, *args], exact)


@pytest.mark.parametrize("name", sorted(JINJA.tests))
@settings(max_examples=20)
@given(value=values, args=st.lists(arguments, max_size=1))
def test_test(name: str, value: Any, args: list[Any]) -> None:
    if name == "sameas" and not is_text(value):
        args = []  # `unmarked` makes another list
    check(name, JINJA_SOUND.tests[name], JINJA.tests[name], [value, *args], True)


STR_METHODS = sorted(JINJA.methods[str])


@pytest.mark.parametrize("name", STR_METHODS)
@settings(max_examples=30)
@given(value=texts, args=st.lists(arguments, max_size=3))
def test_method_of_str(name: str, value: Any, args: list[Any]) -> None:
    sound = JINJA_SOUND.members(type(value)).methods[name]
    mixed = name in MIXED and not all(is_simple(arg) for arg in (value, *args))
    check(name, sound, JINJA.methods[str][name], [value, *args], name not in BLENDED_METHODS and not mixed)


DATA_METHODS = [(kind, name) for kind in (list, tuple, dict, int, float) for name in sorted(JINJA.methods[kind])]


@pytest.mark.parametrize(("kind", "name"), DATA_METHODS, ids=[f"{kind.__name__}.{name}" for kind, name in DATA_METHODS])
@settings(max_examples=20)
@given(data=st.data(), args=st.lists(arguments, max_size=2))
def test_method_of_data(kind: type, name: str, data: st.DataObject, args: list[Any]) -> None:
    value = data.draw(
        {
            list: st.lists(values, max_size=3),
            tuple: st.lists(values, max_size=3).map(tuple),
            dict: st.dictionaries(keys, values, max_size=3),
            int: st.one_of(st.integers(0, 300), st.integers(0, 300).map(MadeInt)),
            float: st.one_of(st.floats(), st.floats().map(MadeFloat)),
        }[kind]
    )
    sound = JINJA_SOUND.members(type(value)).methods[name]
    check(name, sound, JINJA.methods[kind][name], [value, *args], False)


@settings(max_examples=200)
@given(value=values)
def test_text_of_any_value(value: Any) -> None:
    check("text", sound_text_of, text_of, [value], True)
    check("repr", lambda rt, given: sound_text_of(rt, [given]), lambda rt, given: str([given]), [value], True)


@settings(max_examples=100)
@given(value=texts, start=st.one_of(st.none(), st.integers(-9, 9)), stop=st.integers(-9, 9), step=st.integers(1, 3))
def test_slices(value: Any, start: int | None, stop: int, step: int) -> None:
    for places in (slice(start, stop), slice(start, stop, step), slice(None, None, -step), slice(start, None)):
        check("slice", lambda rt, given: cut(given, places), lambda rt, given: given[places], [value], True)  # noqa: B023
    for place in (0, -1, stop):
        check("item", lambda rt, given: sound_item(rt, given, place), _item(place), [value], True)  # noqa: B023


def _item(place: int) -> Any:
    return lambda rt, given: given[place] if -len(given) <= place < len(given) else Undefined()


@settings(max_examples=100)
@given(parts=st.lists(values, max_size=4))
def test_concat(parts: list[Any]) -> None:
    check("~", concat, lambda rt, *args: "".join(map(str, args)), parts, True)
