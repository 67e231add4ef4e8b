"""Strings of the sound form: who wrote each of their characters.

A string is a plain `str` (all of it is input), a `TemplateText` (all of it is the template's) or a `Marked` (a
mixture: one piece that is the whole text, and runs beside it). Markup that is not all input is `SoundMarkup`. With
provenance, origins are no plain truth values, and all strings are `Marked` or `SoundMarkup`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from chatjinja.runtime import marked
from chatjinja.runtime.jinja.callables import BoundMethod, Builtin, Invocable
from chatjinja.runtime.jinja.globals import Cycler
from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.namespaces import Namespace
from chatjinja.runtime.jinja.results import Group, Lazy
from chatjinja.runtime.jinja.text import measure, members, text_of
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.marked import NUMBERS, MadeInt, Marked, Origin, Run, Runs, Source, TemplateText, number_origin
from chatjinja.runtime.runs import fitting, only_origin

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

KEYS: type = type({}.keys())
VALUES: type = type({}.values())
ITEMS: type = type({}.items())
"""Types of views of a dict."""


class SoundMarkup(Markup):
    """Markup that knows who wrote it. What Python makes of it is plain Markup, which is input."""

    __slots__ = ("runs",)

    runs: Runs

    def __new__(cls, text: str, runs: Runs) -> SoundMarkup:
        made = str.__new__(cls, text)
        made.runs = runs
        return made


# --- from and to strings ---------------------------------------------------------------------------------


def is_text(value: Any) -> bool:
    """Whether a value is a string of any kind."""
    return isinstance(value, str) or type(value) is Marked


def plain_text(value: Any) -> str:
    """The text of a string."""
    return value.text if type(value) is Marked else str.__str__(value)


def runs_of(value: Any) -> Runs:
    """The runs of a string."""
    kind = type(value)
    if kind is Marked or kind is TemplateText:
        return marked.runs_of(value)
    return value.runs if kind is SoundMarkup else ((str.__str__(value), True),)


def text_value(text: str, runs: Runs) -> Any:
    """A string with these runs; all input if they do not make it up. Markup stays Markup."""
    if isinstance(text, Markup):
        bare_text = str.__str__(text)
        return SoundMarkup(bare_text, fitting(runs, bare_text))
    origin = only_origin(runs)
    if origin is None:
        return Marked(((text, False),), fitting(runs, text)) if text else TemplateText()
    return of_origin(text, origin)


def of_origin(text: str, origin: Origin) -> Any:
    """A string all of one origin."""
    if isinstance(text, Markup):
        return SoundMarkup(str.__str__(text), ((str.__str__(text), origin),))
    if origin is True:
        return text
    return TemplateText(text) if origin is False else Marked(((text, False),), ((text, origin),))


def bare(value: Any) -> Any:
    """A string or number without marks; anything else as it is."""
    kind = type(value)
    if kind is Marked:
        return value.text
    if kind is TemplateText:
        return str.__str__(value)
    if kind in NUMBERS:
        return int(value) if isinstance(value, int) else float(value)
    return value


def deep_bare(rt: Runtime, value: Any) -> Any:
    """A value without marks; itself if there are none in it."""
    if type(value) not in _CONTAINERS:
        return bare(value)
    measure(rt, value)
    return _bare(value)


_CONTAINERS = frozenset((list, tuple, set, dict, Group, Namespace, KEYS, VALUES, ITEMS))


def _bare(value: Any) -> Any:
    kind = type(value)
    if kind not in _CONTAINERS:
        return bare(value)
    if kind is dict:
        made = {_bare(key): _bare(item) for key, item in value.items()}
        return made if any(map(_differ, made.items(), value.items())) else value
    if kind is Namespace:
        return Namespace(_bare(value.attrs))
    if kind is ITEMS:
        return dict(map(_bare, value)).items()
    if kind is KEYS:
        return dict.fromkeys(map(_bare, value)).keys()
    if kind is VALUES:
        return dict(enumerate(map(_bare, value))).values()
    items = list(map(_bare, value))
    if not any(map(_is_other, items, value)):
        return value
    return items if kind is list else kind(items)


def _is_other(made: Any, given: Any) -> bool:
    return made is not given


def _differ(made: tuple[Any, Any], given: tuple[Any, Any]) -> bool:
    return made[0] is not given[0] or made[1] is not given[1]


def has_input(value: Any) -> bool:
    """Whether anything in a value is input; what is nested very deeply, or unknown, counts as input."""
    return any(map(bool, _origins(value, 0)))


def blended(values: Iterable[Any]) -> Origin:
    """The origin of a text that several values were made into: if any of them holds input, all of it is. With
    provenance the place of that input, if there is only one."""
    found: Origin = False
    for value in values:
        for origin in _origins(value, 0):
            if origin and origin is not found:
                if type(origin) is not Source or found:
                    return True
                found = origin
    return found


def _origins(value: Any, depth: int) -> Iterator[Origin]:
    """The origins of all that a value holds."""
    if is_text(value):
        for _, origin in runs_of(value):
            yield origin
    elif isinstance(value, (int, float)):
        if not isinstance(value, bool):
            yield number_origin(value)
    elif value is None or isinstance(value, (range, Builtin)) or type(value) is Undefined:
        return
    elif depth > _DEEP or type(value) not in _CONTAINERS:
        yield True
    else:
        for item in members(value):
            yield from _origins(item, depth + 1)


_DEEP = 50


# --- cutting and joining ---------------------------------------------------------------------------------


def spread(runs: Runs) -> list[Origin]:
    """The origin of each character."""
    out: list[Origin] = []
    for text, origin in runs:
        out += [origin] * len(text)
    return out


def gather(text: str, origins: Sequence[Origin]) -> Runs:
    """Runs of text whose characters have these origins; they must be as many."""
    out: list[Run] = []
    at = 0
    for _, group in groupby(origins, key=id):
        same = list(group)
        out.append((text[at : at + len(same)], same[0]))
        at += len(same)
    return tuple(out)


def cut_runs(runs: Runs, start: int, end: int) -> Runs:
    """The runs of the characters from `start` to before `end`."""
    out: list[Run] = []
    at = 0
    for text, origin in runs:
        first, last = max(start - at, 0), min(end - at, len(text))
        if first < last:
            out.append((text[first:last], origin))
        at += len(text)
    return tuple(out)


def cut(value: Any, places: slice | int) -> Any:
    """``value[places]`` of a string."""
    text = plain_text(value)
    part = text[places]
    if isinstance(value, Markup):
        part = Markup(part)
    runs = runs_of(value)
    origin = only_origin(runs)
    if origin is not None:
        return of_origin(part, origin)
    origins = spread(runs)[places] if isinstance(places, slice) else [spread(runs)[places]]
    return text_value(part, gather(str.__str__(part), origins))


_RANGES = (range, type(reversed(range(0))), type(reversed(range(2**70))))


def spelled(value: Any) -> Any:
    """What iterating over a value gives: characters with their runs, numbers of a range as the template's."""
    if type(value) is str:
        return value
    if isinstance(value, _RANGES):
        return list(map(MadeInt, value))
    if not is_text(value):
        return value
    origin = only_origin(runs_of(value))
    text = plain_text(value)
    origins = spread(runs_of(value)) if origin is None else [origin] * len(text)
    return [of_origin(char, origin) for char, origin in zip(text, origins, strict=True)]


# --- values as text --------------------------------------------------------------------------------------


def sound_text_of(rt: Runtime, value: Any) -> Any:
    """``str(value)``: what printing shows."""
    kind = type(value)
    if kind is str or kind is TemplateText or kind is Marked:
        return value
    if isinstance(value, Markup):
        return text_value(str.__str__(value), runs_of(value))
    return text_value(text_of(rt, deep_bare(rt, value)), text_runs(rt, value))


def text_runs(rt: Runtime, value: Any) -> Runs:
    """The runs of ``str(value)``."""
    if is_text(value):
        return runs_of(value)
    return repr_runs(rt, value)


def repr_runs(rt: Runtime, value: Any) -> Runs:
    """The runs of ``repr(value)``."""
    text = repr(deep_bare(rt, value))
    out: list[Run] = []
    _repr(value, out)
    return fitting(tuple(out), text)


def _repr(value: Any, out: list[Run]) -> None:
    kind = type(value)
    if is_text(value):
        _quoted(value, out)
    elif kind is dict:
        _enclosed("{", value.items(), "}", out)
    elif kind is list:
        _enclosed("[", value, "]", out)
    elif kind is set and value:
        _enclosed("{", value, "}", out)
    elif kind is tuple or kind is Group:
        _enclosed("(", value, ",)" if len(value) == 1 else ")", out)
    elif kind is Namespace:
        _enclosed("<Namespace {", value.attrs.items(), "}>", out)
    elif kind is KEYS or kind is VALUES or kind is ITEMS:
        _enclosed(f"{kind.__name__}([", list(value), "])", out)
    elif isinstance(value, (int, float)) and kind is not bool:
        out.append((repr(value), number_origin(value)))
    else:
        shown = value.owner if isinstance(value, BoundMethod) and isinstance(value.owner, Markup) else value
        out.append((repr(value), not isinstance(shown, _SILENT) and has_input(shown)))


_SILENT = (Lazy, Cycler, Invocable)
"""Their repr shows nothing of what they hold."""


def _enclosed(start: str, items: Any, end: str, out: list[Run]) -> None:
    is_mapping = type(items) is ITEMS
    out.append((start, False))
    for number, item in enumerate(items):
        if number:
            out.append((", ", False))
        if is_mapping:
            key, item = item
            _repr(key, out)
            out.append((": ", False))
        _repr(item, out)
    out.append((end, False))


def _quoted(value: Any, out: list[Run]) -> None:
    """A string between quotes. Python chooses them by all of the text, so each run is given what leads to them."""
    start, end = ("Markup(", ")") if isinstance(value, Markup) else ("", "")
    quote = repr(plain_text(value))[0]
    out.append((start + quote, False))
    for text, origin in runs_of(value):
        out.append((repr(text + '"')[1:-2] if quote == "'" else repr("'" + text)[2:-1], origin))
    out.append((quote + end, False))
