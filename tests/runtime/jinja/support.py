"""Runtimes, values as Jinja2 and as the project holds them, and a form in which both can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from datetime import UTC, datetime
from types import GeneratorType
from typing import Any

import jinja2
import markupsafe
from jinja2.nodes import EvalContext

from chatjinja.runtime.jinja.builtins import JINJA
from chatjinja.runtime.jinja.callables import Invocable
from chatjinja.runtime.jinja.globals import Cycler
from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.namespaces import Namespace
from chatjinja.runtime.jinja.results import Lazy
from chatjinja.runtime.jinja.sound_builtins import JINJA_SOUND
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.limits import Limits
from chatjinja.runtime.state import Runtime
from tests.peers import jinja2_peer

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PEER = jinja2_peer.environment(NOW.timestamp())


def text_form(autoescape: bool = False, **limits: int) -> Runtime:
    """A runtime of the text form."""
    rt = Runtime(JINJA, Limits(**limits), {}, lambda: NOW)
    rt.autoescape = autoescape
    return rt


def sound_form(autoescape: bool = False, **limits: int) -> Runtime:
    """A runtime of the sound form."""
    rt = Runtime(JINJA_SOUND, Limits(**limits), {}, lambda: NOW, exact=True, sound=True, copied=False)
    rt.autoescape = autoescape
    return rt


def apply(value: Any, name: str, *args: Any, rt: Runtime | None = None, **kwargs: Any) -> Any:
    """``value|name(…)``, in the text form if no runtime is given."""
    rt = rt or text_form()
    return rt.tables.filters[name](rt, value, *args, **kwargs)


# --- values ----------------------------------------------------------------------------------------------


class Missing:
    """Stands for an undefined value."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


class Safe(str):
    """Stands for Markup."""


class View:
    """Stands for a view of a dict."""

    def __init__(self, name: str, of: dict[Any, Any]) -> None:
        self.name = name
        self.of = of

    def __repr__(self) -> str:
        return f"{self.of!r}.{self.name}()"


class Mapped:
    """Stands for the generator of ``|map('string')``."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __repr__(self) -> str:
        return f"{self.items!r}|map('string')"


def theirs(value: Any) -> Any:
    """A value as Jinja2 has it."""
    if value is MISSING:
        return PEER.undefined(name="missing")
    if type(value) is Safe:
        return markupsafe.Markup(str.__str__(value))
    if type(value) is View:
        return getattr(theirs(value.of), value.name)()
    if type(value) is Mapped:
        return PEER.call_filter("map", theirs(value.items), ["string"], context=peer_context())
    return _inside(value, theirs)


def ours(value: Any) -> Any:
    """A value as the text form has it."""
    if value is MISSING:
        return Undefined(name="missing")
    if type(value) is Safe:
        return Markup(str.__str__(value))
    if type(value) is View:
        return getattr(ours(value.of), value.name)()
    if type(value) is Mapped:
        return apply(ours(value.items), "map", "string")
    return _inside(value, ours)


def _inside(value: Any, change: Callable[[Any], Any]) -> Any:
    if type(value) in (list, tuple):
        return type(value)(map(change, value))
    if type(value) is dict:
        return {change(key): change(item) for key, item in value.items()}
    return value


def peer_context(autoescape: bool = False) -> jinja2.runtime.Context:
    """A context of Jinja2's, as filters get it."""
    context = PEER.from_string("").new_context()
    context.eval_ctx.autoescape = autoescape
    return context


def eval_context(autoescape: bool) -> EvalContext:
    """An evaluation context of Jinja2's, as filters get it."""
    made = EvalContext(PEER)
    made.autoescape = autoescape
    return made


# --- comparing -------------------------------------------------------------------------------------------

_ADDRESS = re.compile("0x[0-9a-f]+", re.IGNORECASE)


def canonical(value: Any, depth: int = 0) -> Any:
    """A value of either engine in a form that is equal for equal values, types included. Runs through iterators."""
    assert depth < 20
    if isinstance(value, (Undefined, jinja2.Undefined)):
        return "undefined"
    if isinstance(value, (markupsafe.Markup, Markup)):
        return "Markup", _ADDRESS.sub("", str.__str__(value))
    if isinstance(value, (list, tuple, KeysView, ItemsView, ValuesView)):
        kind = "tuple" if isinstance(value, tuple) else type(value).__name__
        return kind, [canonical(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return "dict", [(canonical(key), canonical(item, depth + 1)) for key, item in value.items()]
    if isinstance(value, (Lazy, GeneratorType)):
        return _ADDRESS.sub("", repr(value)), [canonical(item, depth + 1) for item in value]
    if isinstance(value, Iterator):
        return type(value).__name__, [canonical(item, depth + 1) for item in value]
    if isinstance(value, (Cycler, jinja2.utils.Cycler)):
        return "Cycler", value.items, value.pos
    if isinstance(value, (Namespace, jinja2.utils.Namespace, Invocable)) or callable(value):
        return _ADDRESS.sub("", repr(value))
    return type(value).__name__, _ADDRESS.sub("", repr(value))


def outcome(action: Callable[[], Any]) -> Any:
    """What an action gives in canonical form, or that it fails."""
    try:
        return canonical(action())
    except (MemoryError, RecursionError, NameError):
        raise
    except Exception:
        return "error"
