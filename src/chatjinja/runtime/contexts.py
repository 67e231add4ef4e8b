"""The deep copy of the caller's context that the exact form works on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chatjinja.errors import ContextError, LimitError, TemplateError
from chatjinja.runtime.kinds import context_type_error, escape_pointer, plain, wrapped
from chatjinja.runtime.limits import exceeded
from chatjinja.runtime.marked import Marked, Source, SourcedFloat, SourcedInt, TemplateText, runs_of, template_piece
from chatjinja.runtime.objects import Array, Object, Value

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def copy_context(rt: Runtime, context: Mapping[str, Any], *, sources: bool = False) -> dict[str, Value]:
    """The context as values of the exact form: nothing is shared with the caller, nor within.

    Lists become Arrays, dicts Objects, strings one input piece each, keys template text, integers fit
    int64. In sound marking a `TemplateText` is trusted, a `Marked` has its own runs, and keys have an input run;
    with `sources` everything knows its pointer. Raises ContextError for what is no value and for data that
    contains itself, LimitError for data nested deeper than `Limits.data_depth`.
    """
    made: dict[str, Value] = {}
    _Copier(rt, sources).copy(context, made)
    return made


class _Level:
    """One container on the way to the value at hand."""

    __slots__ = ("key", "made", "members", "source")

    def __init__(self, source: Any, made: Any) -> None:
        self.source = source
        self.made = made
        is_mapping = isinstance(source, Mapping)
        self.members: Iterator[tuple[Any, Any]] = iter(source.items()) if is_mapping else enumerate(source)
        self.key: Any = None


class _Copier:
    """Copies values, without recursion; `levels` is the way to the one at hand."""

    __slots__ = ("active", "levels", "rt", "sources")

    def __init__(self, rt: Runtime, sources: bool) -> None:
        self.rt = rt
        self.sources = sources
        self.levels: list[_Level] = []
        self.active: set[int] = set()

    def copy(self, context: Mapping[str, Any], made: dict[str, Value]) -> None:
        levels = self.levels
        self._enter(context, made)
        while levels:
            level = levels[-1]
            for key, item in level.members:
                level.key = key
                if type(level.made) is Array:
                    level.made.append(self._value(item))
                else:
                    name = key if level.made is made else self._key(key)
                    level.made[name] = self._value(item)
                if levels[-1] is not level:
                    break
            else:
                levels.pop()
                self.active.discard(id(level.source))

    def _enter(self, source: Any, made: Any) -> None:
        if id(source) in self.active:
            pointer = self._pointer()
            raise ContextError(f"the context contains itself at {pointer}", code="context-cyclic", pointer=pointer)
        if len(self.levels) > self.rt.limits.data_depth:
            raise exceeded(self.rt.limits, "data_depth")
        self.active.add(id(source))
        self.levels.append(_Level(source, made))

    def _value(self, value: Any) -> Value:
        """The copy of a value; a container is made empty and entered."""
        kind = type(value)
        if kind is str:
            return self._string(value)
        if kind is bool or value is None:
            return value
        if kind is int or kind is float:
            return self._number(value)
        if kind is TemplateText:
            return self._string(str.__str__(value), False) if self.rt.sound else template_piece(str.__str__(value))
        if kind is Marked:
            return self._marked(value)
        if isinstance(value, (str, int, float)):
            return self._value(plain(self.rt, value))
        made: Value
        if isinstance(value, Mapping):
            made = Object()
        elif isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
            made = Array()
        else:
            raise context_type_error(self.rt, value)
        self._enter(value, made)
        return made

    def _number(self, value: int | float, mark: str = "") -> Value:
        # A float is a value of its own for `sameas`.
        number = wrapped(value) if type(value) is int else value * 1.0
        if not self.sources:
            return number
        sourced: SourcedInt | SourcedFloat = SourcedInt(number) if type(number) is int else SourcedFloat(number)
        sourced.source = Source(self._pointer() + mark, True)
        return sourced

    def _string(self, text: str, is_input: bool = True) -> Marked:
        self._check(text)
        if self.sources:
            return Marked(((text, True),), ((text, Source(self._pointer(), is_input)),))
        return Marked(((text, True),), None if is_input else ((text, False),))

    def _check(self, text: str) -> None:
        """Refuse lone surrogates."""
        if text.isascii():
            return
        try:
            text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            pointer = self._pointer()
            raise ContextError(
                f"the context holds a lone surrogate U+{ord(text[error.start]):04X} at {pointer}",
                code="context-encoding",
                pointer=pointer,
            ) from None

    def _marked(self, value: Marked) -> Marked:
        """A string of several origins that a caller put together; one that knows its sources keeps them."""
        self._check(value.text)
        if not self.sources:
            return Marked(value.pieces, value.runs)
        here = Source(self._pointer(), True)
        runs = [(text, here if origin is True else origin) for text, origin in runs_of(value)]
        return Marked(value.pieces, tuple(runs))

    def _key(self, key: Any) -> Value:
        canonical = plain(self.rt, key)
        if type(canonical) is str:
            if not self.rt.sound:
                return template_piece(canonical)
            origin = Source(self._pointer() + "#", True) if self.sources else True
            return Marked(((canonical, False),), ((canonical, origin),))
        if type(canonical) in (int, float):
            return self._number(canonical, "#")
        if canonical is None or type(canonical) is bool:
            return canonical
        raise context_type_error(self.rt, key)

    def _pointer(self) -> str:
        return "".join(["/" + escape_pointer(level.key) for level in self.levels])


def too_deep(rt: Runtime) -> TemplateError:
    """Why data is nested too deeply: the context contains itself, or the limit `data_depth` is just reached."""
    try:
        copy_context(rt, rt.context)
    except ContextError as error:
        if error.code == "context-cyclic":
            return error
    except LimitError:
        pass
    return exceeded(rt.limits, "data_depth")
