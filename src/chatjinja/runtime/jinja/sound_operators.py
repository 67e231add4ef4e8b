"""Operators and accesses of the sound form: those of the text form, and who wrote what they make."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.convert import note_size
from chatjinja.runtime.jinja import access, calls, loops, operators
from chatjinja.runtime.jinja.markup import Markup, escape_text
from chatjinja.runtime.jinja.sound_rules import percent
from chatjinja.runtime.jinja.sound_runs import (
    SoundMarkup,
    bare,
    cut,
    deep_bare,
    is_text,
    of_origin,
    runs_of,
    sound_text_of,
    spelled,
    text_value,
)
from chatjinja.runtime.marked import Marked, Run, Runs, TemplateText, made_number
from chatjinja.runtime.runs import only_origin
from chatjinja.runtime.state import BIG

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Binary = Callable[["Runtime", Any, Any], Any]
STRINGS = frozenset((str, TemplateText, Marked))
"""Types of strings that are no Markup."""


# --- strings put together ----------------------------------------------------------------------------------


def joined(rt: Runtime, strings: tuple[Any, ...]) -> Marked:
    """Several strings, none of them Markup, as one."""
    text = "".join([value.text if type(value) is Marked else value for value in strings])
    if len(text) > BIG:
        note_size(rt, text)
    return Marked(((text, False),), partial(_runs, strings))


def _runs(strings: Iterable[Any]) -> Runs:
    return tuple([run for value in strings for run in runs_of(value)])


def add(rt: Runtime, left: Any, right: Any) -> Any:
    """``left + right``: strings keep their runs, a sum is the template's."""
    if type(left) in STRINGS and type(right) in STRINGS:
        return joined(rt, (left, right))
    result = operators.add(rt, bare(left), bare(right))
    if not isinstance(result, Markup):
        return made_number(result)
    return text_value(result, (*_markup_runs(left), *_markup_runs(right)))


def _markup_runs(value: Any) -> Runs:
    """The runs of a string beside Markup: it is escaped."""
    runs = runs_of(value)
    return runs if isinstance(value, Markup) else escaped(runs)


def escaped(runs: Runs) -> Runs:
    """Entities belong to the character that they stand for."""
    return tuple([(escape_text(text), origin) for text, origin in runs])


def multiply(rt: Runtime, left: Any, right: Any) -> Any:
    """``left * right``"""
    result = operators.multiply(rt, bare(left), bare(right))
    if not is_text(result):
        return made_number(result)
    text, times = (left, right) if is_text(left) else (right, left)
    runs = runs_of(text)
    origin = only_origin(runs)
    return text_value(result, runs * times) if origin is None else of_origin(result, origin)


def modulo(rt: Runtime, left: Any, right: Any) -> Any:
    """``left % right``; a format on the left."""
    if is_text(left):
        return percent(rt, operators.modulo(rt, bare(left), deep_bare(rt, right)), left, right)
    return made_number(operators.modulo(rt, left, bare(right)))


def arithmetic(function: Binary) -> Binary:
    """An operator whose result is no operand: a number is the template's."""

    def apply(rt: Runtime, left: Any, right: Any) -> Any:
        return made_number(function(rt, bare(left), bare(right)))

    return apply


def sign(function: Callable[[Runtime, Any], Any]) -> Callable[[Runtime, Any], Any]:
    """`arithmetic` of one operand."""

    def apply(rt: Runtime, value: Any) -> Any:
        return made_number(function(rt, bare(value)))

    return apply


def concat(rt: Runtime, *values: Any) -> Any:
    """``a ~ b ~ …`` where nothing is escaped."""
    return joined(rt, tuple([sound_text_of(rt, value) for value in values]))


def join_markup(rt: Runtime, *values: Any) -> Any:
    """``a ~ b ~ …`` where output is escaped: if one is Markup, the others are escaped."""
    texts = [value if is_text(value) else sound_text_of(rt, value) for value in values]
    if not any(isinstance(text, Markup) for text in texts):
        return joined(rt, tuple(texts))
    runs: list[Run] = []
    for text in texts:
        runs += _markup_runs(text)
    return SoundMarkup("".join([run[0] for run in runs]), tuple(runs))


def operand(rt: Runtime, value: Any) -> Any:
    """What stands beside a string in a sum, if it is not exactly a str; what is no string at all is an error."""
    if type(value) in STRINGS:
        return value
    return operators.operand(rt, value)


# --- comparison --------------------------------------------------------------------------------------------

_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "!=": operator.ne,
        "<": operator.lt,
        "<=": operator.le,
        "==": operator.eq,
        ">": operator.gt,
        ">=": operator.ge,
    }
)


def compare(rt: Runtime, op: str, left: Any, right: Any) -> Any:
    """``left op right``"""
    if op in ("in", "not in"):
        return contains(rt, left, right) is (op == "in")
    return _COMPARISONS[op](deep_bare(rt, left), deep_bare(rt, right))


def contains(rt: Runtime, item: Any, container: Any) -> bool:
    """``item in container``"""
    return operators.contains(rt, bare(item), bare(container))


# --- parts of values ---------------------------------------------------------------------------------------


def get_attr(rt: Runtime, obj: Any, name: Any) -> Any:
    """``obj.name``"""
    return access.get_attr(rt, obj, bare(name))


def get_slice(rt: Runtime, value: Any, start: Any, stop: Any, step: Any) -> Any:
    """``value[start:stop:step]``"""
    if is_text(value) and type(value) is not str:
        return cut(value, slice(bare(start), bare(stop), bare(step)))
    return value[bare(start) : bare(stop) : bare(step)]


def iter_items(rt: Runtime, out: list[Any], value: Any) -> Iterable[Any]:
    """What a loop goes through, counted."""
    return loops.iter_items(rt, out, spelled(value))


def sized_items(rt: Runtime, out: list[Any], value: Any, is_fresh: bool) -> Any:
    """`iter_items` as a sequence."""
    return loops.sized_items(rt, out, spelled(value), is_fresh)


def filter_items(rt: Runtime, items: Any, passes: Callable[[Any], Any]) -> Iterable[Any]:
    """The items for which a loop filter is true, one by one."""
    return loops.filter_items(rt, spelled(items), passes)


def chosen_items(rt: Runtime, items: Any, passes: Callable[[Any], Any], is_fresh: bool) -> list[Any]:
    """`filter_items` as a list."""
    return loops.chosen_items(rt, spelled(items), passes, is_fresh)


def loop_context(rt: Runtime, out: list[Any], items: Any, *recursion: Any) -> loops.LoopContext:
    """The ``loop`` of a loop over `items`."""
    return loops.loop_context(rt, out, spelled(items), *recursion)


def unpack(rt: Runtime, value: Any, count: int) -> Any:
    """The items of ``a, b = value``."""
    return loops.unpack(rt, spelled(value), count)


def spread(rt: Runtime, values: Any) -> Iterable[Any]:
    """What ``*values`` passes."""
    return calls.spread(rt, spelled(values))


def spread_dict(rt: Runtime, values: Any) -> Mapping[str, Any]:
    """What ``**values`` passes."""
    return {bare(key): value for key, value in calls.spread_dict(rt, values).items()}
