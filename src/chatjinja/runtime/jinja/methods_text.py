"""Methods of strings and bytes. All of Python's, because none of them changes anything."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from chatjinja.runtime.convert import check_items, check_size
from chatjinja.runtime.jinja.callables import Function
from chatjinja.runtime.jinja.filters_text import WORDS, replaced
from chatjinja.runtime.jinja.formatting import format_text
from chatjinja.runtime.jinja.markup import Markup, escape
from chatjinja.runtime.jinja.text import READ, SMALL, noted, soft_text
from chatjinja.runtime.limits import LARGE, spend

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Made = TypeVar("Made")


def made(rt: Runtime, value: Made) -> Made:
    """`value`, counted if it is a string."""
    if isinstance(value, str):
        noted(rt, value)
    return value


def method(name: str) -> Function:
    """Python's method of that name, as it is; the work that a long text is counts."""

    def call(rt: Runtime, self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self, (str, bytes)) and len(self) > SMALL:
            spend(rt, len(self), READ)
        return made(rt, getattr(self, name)(*args, **kwargs))

    call.__doc__ = f"Python's method `{name}`."
    return call


def text_title(rt: Runtime, self: Any, /) -> Any:
    """Words start with an upper case letter, the others are lower case."""
    spend(rt, len(self), WORDS)
    return made(rt, self.title())


def _splitting(name: str) -> Function:
    """`split` or `rsplit`, which stops where the list is too long."""

    def split(rt: Runtime, self: Any, /, sep: Any = None, maxsplit: Any = -1) -> list[Any]:
        if len(self) <= SMALL:
            return getattr(self, name)(sep, maxsplit)
        spend(rt, len(self), READ)
        most = rt.limits.items
        is_limit = isinstance(maxsplit, int) and not 0 <= maxsplit <= most
        items: list[Any] = getattr(self, name)(sep, most if is_limit else maxsplit)
        check_items(rt, len(items))
        spend(rt, len(items), 4)
        return items

    split.__doc__ = f"Python's method `{name}`."
    return split


_LINE_ENDS = ("\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")


def text_splitlines(rt: Runtime, self: Any, /, keepends: Any = False) -> list[Any]:
    """The lines."""
    if len(self) > LARGE:
        spend(rt, len(self), READ // len(_LINE_ENDS))
        ends: Iterable[Any] = _LINE_ENDS if isinstance(self, str) else (b"\n", b"\r")
        check_items(rt, sum([self.count(end) for end in ends]))
    lines: list[Any] = self.splitlines(keepends)
    return lines


def _padding(name: str) -> Function:
    """A method whose first argument is the length of the result."""

    def pad(rt: Runtime, self: Any, width: Any, /, *fill: Any) -> Any:
        if isinstance(width, int):
            check_size(rt, width)
        return made(rt, getattr(self, name)(width, *fill))

    pad.__doc__ = f"Python's method `{name}`."
    return pad


def text_expandtabs(rt: Runtime, self: Any, /, tabsize: Any = 8) -> Any:
    """Tabs as blanks up to the next multiple of `tabsize`."""
    if isinstance(tabsize, int):
        tab: Any = "\t" if isinstance(self, str) else b"\t"
        check_size(rt, len(self) + self.count(tab) * tabsize)
    return made(rt, self.expandtabs(tabsize))


def text_join(rt: Runtime, self: Any, iterable: Any, /) -> Any:
    """The strings of a list as one, with this between them."""
    items = list(iterable)
    size = sum([len(item) for item in items if isinstance(item, (str, bytes))])
    check_size(rt, size + len(self) * len(items))
    if len(items) > LARGE:
        spend(rt, len(items), 1)
    return made(rt, self.join(items))


def str_replace(rt: Runtime, self: Any, old: Any, new: Any, count: Any = -1, /) -> Any:
    """With `new` in place of the first `count` occurrences of `old`, or of all."""
    return replaced(rt, self, old, new, count)


def bytes_replace(rt: Runtime, self: Any, old: Any, new: Any, count: Any = -1, /) -> Any:
    """With `new` in place of the first `count` occurrences of `old`, or of all."""
    if isinstance(old, bytes) and isinstance(new, bytes) and len(new) > len(old):
        check_size(rt, len(self) + self.count(old) * len(new))
    return self.replace(old, new, count)


def str_translate(rt: Runtime, self: Any, table: Any, /) -> Any:
    """Each character replaced by what `table` has for its number."""
    if isinstance(table, Mapping):
        longest = max([len(item) for item in table.values() if isinstance(item, str)], default=1)
        if longest > 1:
            sizes = {chr(key): len(item) for key, item in table.items() if isinstance(key, int) and _is_text(key, item)}
            check_size(rt, len(self) + sum([self.count(key) * size for key, size in sizes.items()]))
    return made(rt, self.translate(table))


def _is_text(key: int, item: Any) -> bool:
    return isinstance(item, str) and 0 <= key <= 0x10FFFF


def str_format(rt: Runtime, self: Any, /, *args: Any, **kwargs: Any) -> str:
    """The arguments in place of the ``{}``."""
    return made(rt, format_text(rt, self, args, kwargs))


def str_format_map(rt: Runtime, self: Any, mapping: Any, /) -> str:
    """As `format`, with the items of a mapping."""
    return made(rt, format_text(rt, self, (), mapping))


def markup_escape(rt: Runtime, self: Any, s: Any, /) -> Markup:
    """Another value as Markup."""
    return made(rt, escape(soft_text(rt, s)))


_SLOW_CODECS = frozenset(("idna", "punycode"))


def _coded(name: str) -> Function:
    """`encode` or `decode`."""

    def code(rt: Runtime, self: Any, /, encoding: Any = "utf-8", errors: Any = "strict") -> Any:
        if len(self) > LARGE:
            spend(rt, len(self), READ)
        if len(self) > LARGE and isinstance(encoding, str) and codecs.lookup(encoding).name in _SLOW_CODECS:
            spend(rt, len(self) ** 2, 100)
        return made(rt, getattr(self, name)(encoding, errors))

    code.__doc__ = f"Python's method `{name}`."
    return code


def _all(names: Iterable[str], kind: type) -> dict[str, Function]:
    """Those methods that the running Python has."""
    return {name: method(name) for name in names if hasattr(kind, name)}


_COMMON = (
    *("capitalize", "count", "endswith", "find", "index", "isalnum", "isalpha", "isascii", "isdigit", "islower"),
    *("isspace", "istitle", "isupper", "lower", "lstrip", "maketrans", "partition", "removeprefix", "removesuffix"),
    *("rfind", "rindex", "rpartition", "rstrip", "startswith", "strip", "swapcase", "upper"),
)
_COMMON_LIMITED: Mapping[str, Function] = {
    "center": _padding("center"),
    "expandtabs": text_expandtabs,
    "join": text_join,
    "ljust": _padding("ljust"),
    "rjust": _padding("rjust"),
    "rsplit": _splitting("rsplit"),
    "split": _splitting("split"),
    "splitlines": text_splitlines,
    "title": text_title,
    "zfill": _padding("zfill"),
}
STR_METHODS: Mapping[str, Function] = MappingProxyType(
    {
        **_all((*_COMMON, "casefold", "isdecimal", "isidentifier", "isnumeric", "isprintable"), str),
        **_COMMON_LIMITED,
        "encode": _coded("encode"),
        "format": str_format,
        "format_map": str_format_map,
        "replace": str_replace,
        "translate": str_translate,
    }
)
"""Methods of a string by name."""
MARKUP_METHODS: Mapping[str, Function] = MappingProxyType(
    {**STR_METHODS, "escape": markup_escape, "striptags": method("striptags"), "unescape": method("unescape")}
)
"""Methods of Markup by name."""
BYTES_METHODS: Mapping[str, Function] = MappingProxyType(
    {
        **_all((*_COMMON, "fromhex", "hex", "translate"), bytes),
        **_COMMON_LIMITED,
        "decode": _coded("decode"),
        "replace": bytes_replace,
    }
)
"""Methods of bytes by name."""
