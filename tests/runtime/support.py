"""Runtimes, and short ways to apply built-ins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from chatjinja.errors import TemplateError
from chatjinja.runtime.filters import apply_filter
from chatjinja.runtime.limits import Limits
from chatjinja.runtime.marked import Marked
from chatjinja.runtime.objects import Function, KwArg
from chatjinja.runtime.state import Runtime
from chatjinja.runtime.tables import LLAMA_CPP, LLAMA_CPP_EXACT

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Macro(Function):
    """A function that is no built-in: gives back its arguments."""

    __slots__ = ()

    def invoke(self, rt: Runtime, args: list[Any], scope: dict[str, Any] | None) -> Any:
        return args


def fast(context: dict[str, Any] | None = None, **limits: int) -> Runtime:
    """A runtime of the fast form, for a template whose strings are all of one piece."""
    return Runtime(LLAMA_CPP, Limits(**limits), context or {}, lambda: NOW, single_pieces=True)


def exact(context: dict[str, Any] | None = None, **limits: int) -> Runtime:
    """A runtime of the exact form."""
    return Runtime(LLAMA_CPP_EXACT, Limits(**limits), context or {}, lambda: NOW, exact=True)


def kw(**values: Any) -> list[KwArg]:
    """Keyword arguments as values."""
    return [KwArg(key, value) for key, value in values.items()]


def apply(value: Any, name: str, *args: Any, rt: Runtime | None = None, **keywords: Any) -> Any:
    """``value|name(args, keywords)``, in the fast form if no runtime is given."""
    return apply_filter(rt or fast(), value, name, [*args, *kw(**keywords)])


def tmpl(text: str) -> Marked:
    """One piece of template text."""
    return Marked(((text, False),))


def inp(text: str) -> Marked:
    """One piece of input."""
    return Marked(((text, True),))


def message_of(action: Callable[[], Any]) -> str:
    """The message of the error that `action` raises."""
    try:
        result = action()
    except TemplateError as error:
        return error.message
    raise AssertionError(f"no error but {result!r}")
