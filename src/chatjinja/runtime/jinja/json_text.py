"""`tojson`: JSON as Python's `json.dumps` writes it.

CPython's C encoder does all there is to do, but knows no indent before Python 3.15. With an indent the encoder
here is used, which is several times as fast as the one of the standard library. What a template encodes in every
render (tools, the calls of a history) is remembered by content.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from json import encoder
from typing import TYPE_CHECKING, Any, NamedTuple

from chatjinja.runtime.convert import check_size
from chatjinja.runtime.jinja.text import READ, SMALL, measure, noted
from chatjinja.runtime.json_encoder import KnownTexts
from chatjinja.runtime.limits import spend
from chatjinja.runtime.marked import Marked

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


class Layout(NamedTuple):
    """How JSON is written.

    Attributes:
        ascii_only: other characters become ``\\uXXXX``.
        indent: what each level is indented by; None is all on one line.
        between, colon: separators of items, and of key and value.
        sort_keys: keys in order.
    """

    ascii_only: bool
    indent: str | None
    between: str
    colon: str
    sort_keys: bool


_stdlib: Any = encoder
"""Its parts in C are in no stub."""
PLAIN = Layout(False, None, ", ", ": ", False)


def do_tojson(
    rt: Runtime,
    /,
    x: Any,
    ensure_ascii: Any = False,
    indent: Any = None,
    separators: Any = None,
    sort_keys: Any = False,
) -> str:
    """The value as JSON, by Python's `json.dumps` with these arguments."""
    if not ensure_ascii and indent is None and separators is None and not sort_keys:
        return json_text(rt, x, PLAIN, content_of(x))
    return json_text(rt, x, layout_of(rt, x, ensure_ascii, indent, separators, sort_keys), content_of(x))


def layout_of(rt: Runtime, x: Any, ensure_ascii: Any, indent: Any, separators: Any, sort_keys: Any) -> Layout:
    """The layout that the arguments of `tojson` ask for. For a string `x` they may be of any type."""
    if isinstance(x, (str, Marked)):
        if separators is not None:
            _, _ = separators
        return Layout(bool(ensure_ascii), None, "", "", False)
    if indent is not None and not isinstance(indent, str):
        if isinstance(indent, int):
            check_size(rt, indent)
        indent = " " * indent
    between, colon = ", " if indent is None else ",", ": "
    if separators is not None:
        between, colon = separators
    return Layout(bool(ensure_ascii), indent, between, colon, bool(sort_keys))


def content_of(value: Any) -> bytes | None:
    """What tells plain data of the context from all other data; None for anything else.

    Holds no type of the caller's and nothing of the template's, if that is marked.
    """
    if type(value) is dict or type(value) is list:
        try:
            # Tells every two values apart (1, 1.0, true, order of keys) and is several times as fast as encoding.
            # Version 4 writes what stands in two places once, so data that contains itself does no harm.
            return marshal.dumps(value, 4)
        except ValueError:  # holds something that is no JSON or of another type, or is nested too deeply
            return None
    return None


def json_text(rt: Runtime, value: Any, layout: Layout, content: bytes | None) -> str:
    """`value` as JSON; `content` is what `content_of` says.

    LimitError if the data is nested too deeply or the text becomes too long.
    """
    if content is not None:
        known = _known_texts(layout, rt.limits.data_depth)
        if len(content) > SMALL:
            spend(rt, len(content), READ)
        text = known.get(content)
        return noted(rt, text) if text is not None else known.add(content, _encoded(rt, value, layout))
    if type(value) is str:
        measure(rt, value)
        return noted(rt, _quote(layout)(value))
    return _encoded(rt, value, layout)


@lru_cache(maxsize=8)
def _known_texts(layout: Layout, data_depth: int) -> KnownTexts:
    return KnownTexts()


def _encoded(rt: Runtime, value: Any, layout: Layout) -> str:
    measure(rt, value)
    if layout.indent is None:
        return noted(rt, "".join(_encoder(layout)(value, 0)))
    writer = _Writer(rt, layout)
    writer.value(value, 0)
    return noted(rt, "".join(writer.out))


def json_string(text: str, layout: Layout) -> str:
    """What stands between the quotes of a string."""
    return _quote(layout)(text)[1:-1]


def _quote(layout: Layout) -> Callable[[str], str]:
    quote: Callable[[str], str] = _stdlib.encode_basestring_ascii if layout.ascii_only else _stdlib.encode_basestring
    return quote


@lru_cache(maxsize=16)
def _encoder(layout: Layout) -> Callable[[Any, int], Iterable[str]]:
    # No markers: `measure` has refused data that contains itself.
    make: Callable[[Any, int], Iterable[str]] = _stdlib.c_make_encoder(
        None,
        encoder.JSONEncoder().default,
        _quote(layout),
        None,
        layout.colon,
        layout.between,
        layout.sort_keys,
        False,
        True,
    )
    return make


class _Writer:
    """Writes a value with an indent."""

    __slots__ = ("layout", "out", "quote", "rt", "starts")

    def __init__(self, rt: Runtime, layout: Layout) -> None:
        self.rt = rt
        self.layout = layout
        self.quote = _quote(layout)
        self.out: list[str] = []
        self.starts: list[str] = []

    def start(self, depth: int) -> str:
        """The line break and indent of a level. There are not too many: `measure` has looked."""
        while len(self.starts) <= depth + 1:
            self.starts.append("\n" + (self.layout.indent or "") * len(self.starts))
            check_size(self.rt, len(self.starts[-1]))
        return self.starts[depth + 1]

    def value(self, value: Any, depth: int) -> None:
        """Write any value; `depth` is that of the line that it stands on."""
        if isinstance(value, str):
            self.out.append(self.quote(value))
        elif isinstance(value, dict):
            self.mapping(value, depth)
        elif isinstance(value, (list, tuple)):
            self.sequence(value, depth)
        else:
            self.out.append(json_scalar(value))

    def mapping(self, value: Mapping[Any, Any], depth: int) -> None:
        """Write a dict."""
        if not value:
            self.out.append("{}")
            return
        inner = self.start(depth)
        between, colon = self.layout.between + inner, self.layout.colon
        self.check(len(value) * len(between))
        add, lead = self.out.append, "{" + inner
        for key, item in sorted(value.items()) if self.layout.sort_keys else value.items():
            add(lead)
            add(self.quote(key if isinstance(key, str) else _key(key)))
            add(colon)
            lead = between
            self.value(item, depth + 1)
        add(self.starts[depth] + "}")

    def sequence(self, value: list[Any] | tuple[Any, ...], depth: int) -> None:
        """Write a list or tuple."""
        if not value:
            self.out.append("[]")
            return
        inner = self.start(depth)
        between = self.layout.between + inner
        self.check(len(value) * len(between))
        add, lead = self.out.append, "[" + inner
        for item in value:
            add(lead)
            lead = between
            self.value(item, depth + 1)
        add(self.starts[depth] + "]")

    def check(self, size: int) -> None:
        """Raise LimitError if blanks alone make the text too long."""
        if size > _WIDE:
            check_size(self.rt, size + sum(map(len, self.out)))


_WIDE = 65536


def json_scalar(value: Any) -> str:
    """JSON of what holds nothing; TypeError for what has none."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _float(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _float(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (_INFINITY, -_INFINITY):
        return "Infinity" if value > 0 else "-Infinity"
    return float.__repr__(value)


_INFINITY = float("inf")


def _key(key: Any) -> str:
    """A key that is no string; TypeError for what can be none."""
    if key is None or isinstance(key, (int, float)):
        return json_scalar(key)
    raise TypeError(f"keys must be str, int, float, bool or None, not {type(key).__name__}")
