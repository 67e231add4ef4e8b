"""``text % values`` and ``text.format(…)`` inside the sandbox: with limits, and attributes by its rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from string import Formatter
from typing import TYPE_CHECKING, Any, NamedTuple

from chatjinja.runtime.convert import check_size
from chatjinja.runtime.jinja.access import get_attr, get_item
from chatjinja.runtime.jinja.markup import Markup, escape
from chatjinja.runtime.jinja.sound_access import sound_item
from chatjinja.runtime.jinja.sound_runs import deep_bare
from chatjinja.runtime.jinja.text import measure, noted, repr_of, text_of
from chatjinja.runtime.limits import spend

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

# --- % ---------------------------------------------------------------------------------------------------

_REST = re.compile(r"[-+ #0]*(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?[hlL]?(?P<kind>.?)", re.DOTALL)


class Placeholder(NamedTuple):
    """A ``%`` in a text.

    Attributes:
        start, end: its place.
        name: the key between parentheses, or None.
        width, precision: digits, ``*`` or nothing.
        kind: the last character; empty if the text ends before.
    """

    start: int
    end: int
    name: str | None
    width: str
    precision: str
    kind: str


def placeholders(text: str) -> Iterator[Placeholder]:
    """What ``text % values`` replaces."""
    end = 0
    while (start := text.find("%", end)) >= 0:
        name = None
        at = start + 1
        if text.startswith("(", at):
            close = _closing(text, at)
            name = text[at + 1 : close]
            at = close + 1
        match = _REST.match(text, at)
        assert match is not None  # it can match nothing
        end = match.end()
        yield Placeholder(start, end, name, match["width"], match["precision"] or "", match["kind"])


def _closing(text: str, at: int) -> int:
    """Where the parenthesis ends that starts at `at`; the end of the text if it does not."""
    depth = 0
    for match in _PARENTHESIS.finditer(text, at):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return len(text)


_PARENTHESIS = re.compile("[()]")


def percent(rt: Runtime, text: Any, values: Any) -> Any:
    """``text % values`` of a str or bytes. LimitError where a width or a value would make it too long."""
    given = values if isinstance(values, tuple) else (values,)
    size = len(text) + sum([measure(rt, value) for value in given])
    form = text if isinstance(text, str) else text.decode("latin-1")
    if _GROWS.search(form) is not None:
        size += _growth(rt, form, values, given)
    check_size(rt, size)
    made = text % values
    return noted(rt, made) if isinstance(made, str) else made


_GROWS = re.compile(r"[0-9*(]")
"""Without any of these, no width is given and no value used twice."""


_TEXT_KINDS = frozenset("sra")


def _growth(rt: Runtime, form: str, values: Any, given: tuple[Any, ...]) -> int:
    """How much longer widths, and values used by name, can make the text."""
    size = 0
    for place in placeholders(form):
        spend(rt, 1, 1)
        # Of a text, a precision only cuts something off.
        for field in (place.width, "" if place.kind in _TEXT_KINDS else place.precision):
            if field == "*":
                size += max([abs(value) for value in given if isinstance(value, int)], default=0)
            elif field:
                size += _number(field)
        if place.name is not None and isinstance(values, Mapping):
            size += measure(rt, values.get(place.name))
    return size


def _number(digits: str) -> int:
    return int(digits[:20])


# --- format ----------------------------------------------------------------------------------------------


class Field(NamedTuple):
    """One piece of a formatted text.

    Attributes:
        text: what the result has there.
        value: the value that was formatted; `LITERAL` for text of the format itself.
        is_plain: the text is that of the value, without conversion or format spec.
    """

    text: str
    value: Any
    is_plain: bool


LITERAL: Any = object()
"""Stands for no value."""
_NESTING = 2
"""A format spec may hold fields, but these none whose spec holds any."""


def format_text(rt: Runtime, text: str, args: Any, kwargs: Any) -> str:
    """``text.format(*args, **kwargs)``; Markup escapes what it is given."""
    made = "".join([field.text for field in format_fields(rt, text, args, kwargs)])
    return Markup(made) if isinstance(text, Markup) else made


def format_fields(rt: Runtime, text: str, args: Any, kwargs: Any) -> list[Field]:
    """The pieces of a formatted text. LimitError if they become too long."""
    change = _escaped if isinstance(text, Markup) else _formatted
    fields: list[Field] = []
    size = 0
    for field in _Formatting(rt, args, kwargs, change).fields(str.__str__(text), _NESTING):
        spend(rt, 1, 1)
        size += len(field.text)
        check_size(rt, size)
        fields.append(field)
    return fields


class _Formatting:
    """One call of `format`; counts the fields that have no name."""

    __slots__ = ("args", "change", "kwargs", "next", "rt")

    def __init__(self, rt: Runtime, args: Any, kwargs: Any, change: Callable[[Runtime, Any, str], str]) -> None:
        self.rt = rt
        self.args = args
        self.kwargs = kwargs
        self.change = change
        self.next: int | None = 0

    def fields(self, text: str, depth: int) -> Iterator[Field]:
        """The pieces of `text`, which may hold fields `depth` levels deep."""
        if depth < 0:
            raise ValueError("Max string recursion exceeded")
        for literal, name, spec, conversion in Formatter().parse(text):
            if literal:
                yield Field(literal, LITERAL, False)
            if name is not None:
                value = self.value(self.numbered(name))
                shown = deep_bare(self.rt, value)
                if conversion is not None:
                    shown = _converted(self.rt, shown, conversion)
                made = "".join([field.text for field in self.fields(spec or "", depth - 1)])
                check_spec(self.rt, shown, made)
                yield Field(self.change(self.rt, shown, made), value, not made and conversion is None)

    def numbered(self, name: str) -> str:
        """The name of a field; the next number if it has none."""
        if name == "":
            if self.next is None:
                raise ValueError("cannot switch from manual field specification to automatic field numbering")
            name = str(self.next)
            self.next += 1
        elif name.isdigit():
            if self.next:
                raise ValueError("cannot switch from automatic field numbering to manual field specification")
            self.next = None
        return name

    def value(self, name: str) -> Any:
        """The value that a field names, with the attributes and items behind it."""
        first, steps = split_name(name)
        value = self.args[first] if isinstance(first, int) else self.kwargs[first]
        read = sound_item if self.rt.sound else get_item
        for is_attribute, step in steps:
            value = get_attr(self.rt, value, step) if is_attribute else read(self.rt, value, step)
        return value


def split_name(name: str) -> tuple[int | str, list[tuple[bool, Any]]]:
    """``user.names[0]`` as ``('user', [(True, 'names'), (False, 0)])``."""
    match = _FIRST.match(name)
    first = match[0] if match else ""
    at = len(first)
    steps: list[tuple[bool, Any]] = []
    while at < len(name):
        if name[at] == ".":
            match = _FIRST.match(name, at + 1)
            part = match[0] if match else ""
            end = at + 1 + len(part)
        elif name[at] == "[":
            end = name.find("]", at)
            if end < 0:
                raise ValueError("Missing ']' in format string")
            part = name[at + 1 : end]
            end += 1
        else:
            raise ValueError("Only '.' or '[' may follow ']' in format field specifier")
        if not part:
            raise ValueError("Empty attribute in format string")
        is_attribute = name[at] == "."
        steps.append((is_attribute, part if is_attribute else _index(part)))
        at = end
    return _index(first), steps


_FIRST = re.compile(r"[^.\[]+")


def _index(part: str) -> int | str:
    return int(part) if part.isdecimal() else part


def _converted(rt: Runtime, value: Any, conversion: str) -> str:
    if conversion == "s":
        return text_of(rt, value)
    if conversion == "r":
        return repr_of(rt, value)
    if conversion == "a":
        return repr_of(rt, value).encode("ascii", "backslashreplace").decode("ascii")
    raise ValueError(f"Unknown conversion specifier {conversion}")


_NUMBERS = re.compile(r"\d+")
_WIDTH = re.compile(r"(?<![\d.])\d+")


def check_spec(rt: Runtime, value: Any, spec: str) -> None:
    """Raise LimitError if a format spec asks for a text that must not be made."""
    for match in (_WIDTH if isinstance(value, str) else _NUMBERS).finditer(spec):  # a precision cuts a text off
        check_size(rt, _number(match[0]))


def _formatted(rt: Runtime, value: Any, spec: str) -> str:
    return format(value, spec) if spec else text_of(rt, value)


def _escaped(rt: Runtime, value: Any, spec: str) -> str:
    if isinstance(value, Markup):
        if spec:
            raise ValueError("Unsupported format specification for Markup.")
        return value
    return escape(_formatted(rt, value, spec))
