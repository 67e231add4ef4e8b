"""Text that is safe in HTML, with Markup's rules: what joins it is escaped, what comes of it is Markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def escape_text(text: str) -> str:
    """`text` with entities for the five characters that HTML gives a meaning."""
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&#34;").replace("'", "&#39;")
    )


def escape(value: Any) -> Markup:
    """Any value as Markup; Markup stays as it is."""
    if isinstance(value, Markup):
        return Markup(value)
    return Markup(escape_text(value if type(value) is str else str(value)))


def _kept(method: Callable[..., str]) -> Any:
    """A method of str whose result is Markup."""

    def kept(self: Markup, *args: Any, **kwargs: Any) -> Markup:
        return Markup(method(self, *args, **kwargs))

    return kept


def _kept_all(method: Callable[..., Any]) -> Any:
    """A method of str whose result is a list or tuple, here of Markup."""

    def kept_all(self: Markup, *args: Any, **kwargs: Any) -> Any:
        found = method(self, *args, **kwargs)
        return type(found)(map(Markup, found))

    return kept_all


def _padded(method: Callable[..., str]) -> Any:
    """A method that puts a given character around the text."""

    def padded(self: Markup, width: Any, fillchar: Any = " ", /) -> Markup:
        return Markup(method(self, width, escape(fillchar)))

    return padded


class Markup(str):
    """Text that needs no escaping. Operators and methods escape what they are given, and give Markup."""

    __slots__ = ()

    def __add__(self, other: Any, /) -> Markup:
        return Markup(str.__add__(self, escape(other))) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: Any, /) -> Markup:
        return escape(other) + self if isinstance(other, str) else NotImplemented

    def __mul__(self, count: Any, /) -> Markup:
        return Markup(str.__mul__(self, count))

    __rmul__ = __mul__

    def __mod__(self, values: Any, /) -> Markup:
        given: Any
        if isinstance(values, tuple):
            given = tuple(map(_Escaped, values))
        elif hasattr(type(values), "__getitem__") and not isinstance(values, str):
            given = _Escaped(values)
        else:
            given = (_Escaped(values),)
        return Markup(str.__mod__(self, given))

    def __getitem__(self, key: Any, /) -> Markup:
        return Markup(str.__getitem__(self, key))

    def __repr__(self) -> str:
        return f"Markup({str.__repr__(self)})"

    def join(self, items: Iterable[Any], /) -> Markup:
        return Markup(str.join(self, map(escape, items)))

    def replace(self, old: Any, new: Any, count: Any = -1, /) -> Markup:
        return Markup(str.replace(self, old, escape(new), count))

    def unescape(self) -> str:
        """The text with characters in place of entities; no longer Markup."""
        from html import unescape

        return unescape(str.__str__(self))

    def striptags(self) -> str:
        """The text without tags and comments, blanks collapsed, unescaped."""
        return Markup(" ".join("".join(_outside_tags(str.__str__(self))).split())).unescape()

    center = _padded(str.center)
    ljust = _padded(str.ljust)
    rjust = _padded(str.rjust)
    capitalize = _kept(str.capitalize)
    casefold = _kept(str.casefold)
    expandtabs = _kept(str.expandtabs)
    lower = _kept(str.lower)
    lstrip = _kept(str.lstrip)
    removeprefix = _kept(str.removeprefix)
    removesuffix = _kept(str.removesuffix)
    rstrip = _kept(str.rstrip)
    strip = _kept(str.strip)
    swapcase = _kept(str.swapcase)
    title = _kept(str.title)
    translate = _kept(str.translate)
    upper = _kept(str.upper)
    zfill = _kept(str.zfill)
    partition = _kept_all(str.partition)
    rpartition = _kept_all(str.rpartition)
    rsplit = _kept_all(str.rsplit)
    split = _kept_all(str.split)
    splitlines = _kept_all(str.splitlines)


def _outside_tags(text: str) -> Iterable[str]:
    """The stretches of `text` between its tags and comments; what is never closed is text."""
    at = 0
    while (start := text.find("<", at)) >= 0:
        close = "-->" if text.startswith("<!--", start) else ">"
        end = text.find(close, start + 4 if close == "-->" else start)
        if end < 0:
            break
        yield text[at:start]
        at = end + len(close)
    yield text[at:]


class _Escaped:
    """An operand of ``Markup % …``: shows itself escaped."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getitem__(self, key: Any) -> _Escaped:
        return _Escaped(self.value[key])

    def __str__(self) -> str:
        return escape(self.value)

    def __repr__(self) -> str:
        return escape(repr(self.value))

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)
