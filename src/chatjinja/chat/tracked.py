"""Texts of a request that know who wrote them, on their way from the request to the template.

In a marked prompt a text of the messages is one of three types:

- a plain `str`: input, whose place in the request is not known, or not asked for;
- a `TemplateText`: written by the chat layer itself, or trusted;
- a `Tracked`: anything else.

All are `str`, so steps treat them as such. Whatever is not done by the functions here gives a plain `str` and so
counts as input, which is safe. In a prompt that is not marked all texts are plain, and so are the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import dropwhile
from json.encoder import encode_basestring
from operator import not_
from typing import Any

from chatjinja.chat.jsontext import compact, is_array, parse_json
from chatjinja.marking import escape
from chatjinja.runtime.marked import Marked, Origin, Run, Runs, Source, SourcedFloat, SourcedInt, TemplateText
from chatjinja.runtime.runs import cut_runs, size_of

Place = Callable[[str, bool], Origin]
"""The origin of what stands at a JSON Pointer of the request, input or not."""


class Tracked(str):
    """A text and the origins of its characters.

    Attributes:
        made: its runs, or what makes them.
        value: the value that it is the JSON of, if the caller gave a value instead of its JSON; else None.
        origin: of what it was as a whole, or None.
    """

    __slots__ = ("made", "origin", "value")

    made: Runs | Callable[[], Runs]
    origin: Source | None
    value: Any

    @property
    def runs(self) -> Runs:
        """Who wrote its characters."""
        made = self.made
        if callable(made):
            made = self.made = made()
        return made


class TrackedDict(dict[str, Any]):
    """An object that was parsed from a text of the request; `origin` is that text's."""

    origin: Source


class TrackedList(list[Any]):
    """An array that was parsed from a text of the request; `origin` is that text's."""

    origin: Source


KEPT = frozenset((str, TemplateText, Tracked))
"""Types of text that are kept as they are; others are subclasses of the caller's."""


def tracked(text: str, runs: Runs | Callable[[], Runs], origin: Source | None = None, value: Any = None) -> Tracked:
    """A text with its runs, which must make it up."""
    made = Tracked(text)
    made.made = runs
    made.origin = origin
    made.value = value
    return made


def located(text: str, pointer: str) -> Tracked:
    """A text that stands at `pointer` in the request."""
    plain = str.__str__(text)
    origin = Source(pointer, type(text) is not TemplateText)
    return tracked(plain, ((plain, origin),), origin)


def runs_of(text: str) -> Runs:
    """Who wrote the characters of a text of any type."""
    if type(text) is Tracked:
        return text.runs
    return ((str.__str__(text), type(text) is not TemplateText),)


# --- what steps do with texts --------------------------------------------------------------------------


def concat(texts: Iterable[str]) -> str:
    """The texts, one after the other."""
    items = [text for text in texts if text]
    if len(items) == 1:
        return items[0]
    whole = "".join(items)
    if all(type(item) is str for item in items):
        return whole
    return tracked(whole, lambda: tuple([run for item in items for run in runs_of(item)]))


def joined(texts: Iterable[str], separator: str) -> str:
    """Texts with a separator before each that has something before it."""
    items = [item for text in dropwhile(not_, texts) for item in (separator, text)]
    return concat(items[1:])


def stripped(text: str, blanks: str) -> str:
    """The text without `blanks` at both ends."""
    plain = text.strip(blanks)
    if len(plain) == len(text):
        return text
    start = len(text) - len(text.lstrip(blanks))
    return cut(text, start, start + len(plain))


def cut(text: str, start: int, stop: int) -> str:
    """``text[start:stop]``, with offsets that are not negative."""
    plain = str.__str__(text)[start:stop]
    if type(text) is not Tracked:
        return TemplateText(plain) if type(text) is TemplateText else plain
    first = size_of(text[:start])
    return _cut(text, plain, first, first + size_of(plain))


def cut_start(text: str, rest: str) -> str:
    """`text` without what stands before `rest`, the bytes at its end."""
    if type(text) is not Tracked:
        return rest
    size = size_of(text)
    return _cut(text, rest, size - size_of(rest), size)


def _cut(text: Tracked, plain: str, start: int, stop: int) -> Tracked:
    """The part of a text between two offsets in bytes."""
    marked = Marked(((str.__str__(text), True),), lambda: text.runs)
    return tracked(plain, lambda: cut_runs(marked, slice(start, stop)), text.origin)


def instead(old: str, new: str) -> str:
    """`new` in the place of `old`: the template's if all of `old` is, else input from where that came."""
    if type(old) is not Tracked:
        return TemplateText(new) if type(old) is TemplateText else new
    origins = [origin for text, origin in old.runs if text]
    origin = next((origin for origin in origins if origin), origins[0] if origins else True)
    return tracked(new, ((new, origin),), origin if type(origin) is Source else None)


# --- JSON ----------------------------------------------------------------------------------------------


def encoded(value: Any, pointer: str, place: Place) -> str:
    """The compact JSON of a value at `pointer` in the request; its punctuation is the chat layer's."""
    text = compact(value)
    runs: list[Run] = []
    _encode(value, pointer, place, runs)
    origin = place(pointer, True)
    return tracked(text, tuple(runs), origin if type(origin) is Source else None, value)


def _encode(value: Any, pointer: str, place: Place, out: list[Run]) -> None:
    if isinstance(value, str):
        _encode_text(value, place(pointer, type(value) is not TemplateText), out)
    elif isinstance(value, Mapping):
        out.append(("{", False))
        for number, (key, item) in enumerate(value.items()):
            inner = f"{pointer}/{escape(str(key))}"
            out.append((",", False) if number else ("", False))
            _encode_text(str(key), place(inner + "#", True), out)
            out.append((":", False))
            _encode(item, inner, place, out)
        out.append(("}", False))
    elif is_array(value):
        out.append(("[", False))
        for number, item in enumerate(value):
            out.append((",", False) if number else ("", False))
            _encode(item, f"{pointer}/{number}", place, out)
        out.append(("]", False))
    else:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        out.append((compact(value), place(pointer, True) if is_number else False))


def _encode_text(text: str, origin: Origin, out: list[Run]) -> None:
    out += [('"', False), (encode_basestring(text)[1:-1], origin), ('"', False)]


def parsed(text: str) -> Any:
    """The value of a JSON text of the request. Raises JsonError.

    Where the places of input are asked for, the value knows that it comes from this text.
    """
    value = parse_json(text)
    if type(text) is str:
        return value
    given, origin = (text.value, text.origin) if type(text) is Tracked else (None, None)
    if type(text) is TemplateText or (given is None and origin is not None and not origin.is_input):
        given = _EVERYTHING
    if given is not None:
        with suppress(RecursionError):  # nested very deeply: all of it counts as input
            value = _trusted(value, given)
    return value if origin is None else _with_origin(value, origin)


_EVERYTHING = TemplateText()
"""Stands for a value in which all texts are trusted."""


def _trusted(value: Any, given: Any) -> Any:
    """`value` with those texts trusted that are trusted in `given`, which it is a copy of."""
    if isinstance(value, str):
        return TemplateText(value) if type(given) is TemplateText else value
    if isinstance(value, dict):
        return {key: _trusted(item, _member(given, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_trusted(item, _member(given, number)) for number, item in enumerate(value)]
    return value


def _member(given: Any, key: Any) -> Any:
    if given is _EVERYTHING:
        return given
    if isinstance(given, Mapping):
        return given.get(key)
    return given[key] if is_array(given) else None


def _with_origin(value: Any, origin: Source) -> Any:
    if isinstance(value, str):
        return tracked(value, ((str.__str__(value), origin),), origin)
    made: Any
    if isinstance(value, dict):
        made = TrackedDict(value)
        made.origin = origin
    elif isinstance(value, list):
        made = TrackedList(value)
        made.origin = origin
    elif value is None or isinstance(value, bool):
        return value
    else:
        made = SourcedInt(value) if isinstance(value, int) else SourcedFloat(value)
        made.source = origin
    return made
