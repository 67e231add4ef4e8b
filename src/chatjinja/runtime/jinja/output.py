"""What a template prints, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chatjinja.errors import OperationError
from chatjinja.runtime.convert import note_size
from chatjinja.runtime.jinja.markup import Markup, escape
from chatjinja.runtime.jinja.namespaces import Namespace
from chatjinja.runtime.jinja.text import text_of
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.loops import output_text
from chatjinja.runtime.marked import MadeFloat, MadeInt, Marked, TemplateText
from chatjinja.runtime.state import BIG, Deoptimise

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

_LASTING = frozenset((str, int, float, bool, type(None), Undefined, TemplateText, Marked, MadeInt, MadeFloat))
_CONTAINERS = frozenset((list, tuple, dict))


def late_text(rt: Runtime, value: Any) -> str:
    """The text of a value that was printed a while ago; Deoptimise if it may have been another one then."""
    if isinstance(value, str):
        return value
    if not lasts(value, 0):
        raise Deoptimise
    return text_of(rt, value)


_SHOWN_BITS = 4096
"""Python refuses to show integers that are much longer."""
_DEEP = 20


def lasts(value: Any, depth: int) -> bool:
    """Whether printing `value` gives the same text at any time, and cannot fail."""
    kind = type(value)
    if kind in _LASTING:
        return kind is not int or value.bit_length() < _SHOWN_BITS
    if kind not in _CONTAINERS or depth > _DEEP:
        return False
    if kind is dict:
        return all(lasts(key, depth + 1) and lasts(item, depth + 1) for key, item in value.items())
    return all(lasts(item, depth + 1) for item in value)


def body_text(rt: Runtime, out: list[Any]) -> str:
    """A body's output as a value."""
    text = output_text(rt, out, late_text)
    if len(text) > BIG:
        note_size(rt, text)
    return text


def block_text(rt: Runtime, out: list[Any]) -> Any:
    """A block's output as a value."""
    return as_markup(rt, body_text(rt, out))


def as_markup(rt: Runtime, text: Any) -> Any:
    """A body that becomes a value; what is escaped already must not be escaped again."""
    return Markup(text) if rt.autoescape else text


def escape_text(rt: Runtime, value: Any) -> str:
    """What is printed where output is escaped."""
    return str.__str__(escape(value if isinstance(value, str) else text_of(rt, value)))


def escape_if_asked(rt: Runtime, value: Any) -> str:
    """What is printed where only the render knows whether output is escaped."""
    return escape_text(rt, value) if rt.autoescape else text_of(rt, value)


def join_markup(rt: Runtime, *values: Any) -> str:
    """``a ~ b ~ …`` where output is escaped: if one is Markup, the others are escaped."""
    texts = [value if isinstance(value, str) else text_of(rt, value) for value in values]
    if any(isinstance(text, Markup) for text in texts):
        return Markup("").join(texts)
    return "".join(texts)


def written(rt: Runtime, value: Any) -> Any:
    """The result of a filter block or call block, which is written as it is."""
    if not isinstance(value, str):
        raise TypeError(f"expected str instance, {type(value).__name__} found")
    return value


def made(rt: Runtime, text: str) -> str:
    """A big string that the template put together."""
    note_size(rt, text)
    return text


# --- namespaces --------------------------------------------------------------------------------------------


def set_attribute(rt: Runtime, target: Any, name: str, value: Any) -> None:
    """``set target.name = value``"""
    if type(target) is not Namespace:
        check_namespace(rt, target)
    Namespace.check_name(name)
    target.attrs[name] = value


def check_namespace(rt: Runtime, target: Any) -> None:
    """Raise OperationError: `target` is no namespace."""
    raise OperationError("cannot assign attribute on non-namespace object", code="not-a-namespace")
