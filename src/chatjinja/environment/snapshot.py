"""Private copies of a context, in which an object tells its place.

A render with provenance works on a snapshot: the caller may do with his data what he likes, and every string and
container of it is an object of its own, so that identity tells where it stands. Where it does not (CPython has one
object for all small integers, and callers may have one in several places) a `careful` snapshot does.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Any

from chatjinja.environment.trusted import ByIndex, trusted_with_places
from chatjinja.marking import TrustPolicy
from chatjinja.runtime.kinds import escape_pointer, wrapped
from chatjinja.runtime.marked import Marked, Source, SourcedFloat, SourcedInt
from chatjinja.runtime.sourced import Unsourced

_SCALARS = frozenset((str, int, float, bool, type(None)))
_CONTAINERS = frozenset((dict, list))
_ONLY_DICTS = {dict}


def snapshot(context: dict[str, Any], names: Iterable[str], policy: TrustPolicy) -> dict[str, Any]:
    """A copy of `names` in `context`, with trusted strings as `TemplateText` that knows its place.

    Raises Unsourced if there is anything but JSON-like data of the builtin types.
    """
    made: dict[str, Any] = {}
    for name in names:
        if name in context:
            value = context[name]
            if type(value) in _SCALARS:
                made[name] = value
            elif name == "messages" and type(value) is list and set(map(type, value)) == _ONLY_DICTS:
                made[name] = _messages(value)
            else:
                made[name] = _copied(value)
    return trusted_with_places(made, policy)


def _messages(messages: list[dict[Any, Any]]) -> list[dict[Any, Any]]:
    """Messages hold strings, mostly: copying their dicts is enough, and takes a third of the time."""
    copies = list(map(dict.copy, messages))
    if not _SCALARS.issuperset(map(type, chain.from_iterable(map(dict.values, copies)))):
        for message in copies:
            for key, value in message.items():
                if type(value) not in _SCALARS:
                    message[key] = _copied(value)
    return copies


def _copied(value: Any) -> Any:
    """A deep copy in which nothing is shared, not even keys."""
    if type(value) not in _CONTAINERS:
        raise Unsourced
    try:
        return marshal.loads(marshal.dumps(value, _SHARES_NOTHING))
    except ValueError:  # a type of the caller's, or data that contains itself
        raise Unsourced from None


_SHARES_NOTHING = 0
"""Later versions of the format keep what is interned, or stands in several places, one object."""


# --- places --------------------------------------------------------------------------------------------


Found = dict[int, str | None]
_Pending = list[tuple[Any, str]]


class Places:
    """Where the strings, keys and containers of a snapshot stand, by identity.

    Containers within messages and other variables are gone through when something is not found outside of them:
    they are copies, so what they hold is nowhere else.

    Attributes:
        known: identity → JSON Pointer, or None if there are several; of what was gone through so far.
    """

    def __init__(self, context: dict[str, Any]) -> None:
        found = self.known = {}
        self._pending: _Pending = []
        for name, value in context.items():
            kind = type(value)
            if kind is str or kind in _CONTAINERS:
                found[id(value)] = None if id(value) in found else "/" + _token(name)
                if name == "messages" and kind is list and set(map(type, value)) == _ONLY_DICTS:
                    _find_in_messages(value, found, self._pending)
                elif kind in _CONTAINERS:
                    self._pending.append((value, "/" + _token(name)))

    known: Found

    def find(self, value: Any) -> str | None:
        """The pointer of an object; None if it has none, or several."""
        known = self.known
        identity = id(value)
        while identity not in known and self._pending:
            self._go_deeper()
        return known.get(identity)

    def find_all(self) -> Found:
        """`known` of everything."""
        while self._pending:
            self._go_deeper()
        return self.known

    def _go_deeper(self) -> None:
        level, self._pending = self._pending, []
        for container, pointer in level:
            if type(container) is dict:
                _find_keys(container, pointer, self.known)
                _find_values(container, pointer, self.known, self._pending)
            else:
                _find_values(dict(enumerate(container)), pointer, self.known, self._pending)


def _find_in_messages(messages: list[dict[Any, Any]], found: Found, pending: _Pending) -> None:
    knowns = _POINTERS.first(len(messages))
    values = list(chain.from_iterable(map(dict.values, messages)))
    pointers: list[str | None] = [
        known[key] for message, known in zip(messages, knowns, strict=False) for key in message
    ]
    identities = list(map(id, values))
    in_messages = dict(zip(identities, pointers, strict=True))
    if len(in_messages) < len(identities):
        for value, identity, pointer in zip(values, identities, pointers, strict=True):
            if in_messages[identity] != pointer and value is not None:
                in_messages[identity] = None
    if not found.keys().isdisjoint(in_messages):
        in_messages.update(dict.fromkeys(found.keys() & in_messages))
    found.update(in_messages)
    # Keys of messages are the caller's objects, and the same ones in all of them.
    found.update(dict.fromkeys(set(map(id, chain.from_iterable(messages)))))
    if not _CONTAINERS.isdisjoint(map(type, values)):
        pending += [
            (value, pointer or "")
            for value, pointer in zip(values, pointers, strict=True)
            if type(value) in _CONTAINERS
        ]
    found.update(zip(map(id, messages), [known.own for known in knowns], strict=False))


class _Pointers(dict[Any, str]):
    """Pointers to the entries of one message, by key; kept, because all conversations have the same ones."""

    def __init__(self, index: int) -> None:
        self.own = f"/messages/{index}"

    def __missing__(self, key: Any) -> str:
        pointer = f"{self.own}/{_token(key)}"
        if type(key) is str and len(self) < _MANY_KEYS:
            self[key] = pointer
        return pointer


_POINTERS = ByIndex(_Pointers)
_MANY_KEYS = 16


def _find_values(container: dict[Any, Any], pointer: str, found: Found, pending: _Pending) -> None:
    for key, value in container.items():
        if type(value) is str:
            found[id(value)] = None if id(value) in found else f"{pointer}/{_token(key)}"
        elif type(value) in _CONTAINERS:
            place = found[id(value)] = f"{pointer}/{_token(key)}"
            pending.append((value, place))


def _find_keys(container: dict[Any, Any], pointer: str, found: Found) -> None:
    for key in container:
        if type(key) is str:
            found[id(key)] = None if id(key) in found else f"{pointer}/{_token(key)}#"


@lru_cache(maxsize=1024, typed=True)
def _token(key: Any) -> str:
    """A key as one reference token of a JSON Pointer."""
    return escape_pointer(key.text if type(key) is Marked else key)


# --- what identity does not tell -----------------------------------------------------------------------


def careful(context: dict[str, Any]) -> tuple[dict[str, Any], dict[int, Any]]:
    """A snapshot in which what `Places` cannot tell knows its place by itself: numbers, strings of one character,
    and what the caller has in several places. Slower to render. Also, by identity of each container in it, the one
    of `context` that it is a copy of."""
    known = Places(context).find_all()
    made: dict[str, Any] = {}
    twins: dict[int, Any] = {}
    pending: list[tuple[Any, Any, str]] = [(context, made, "")]
    while pending:
        container, copy, pointer = pending.pop()
        is_dict = type(container) is dict
        for key, value in container.items() if is_dict else enumerate(container):
            place = f"{pointer}/{_token(key)}"
            item: Any
            if type(value) in _CONTAINERS:
                item = type(value)()
                twins[id(item)] = value
                pending.append((value, item, place))
            else:
                item = _placed(value, place, known)
            if is_dict:
                copy[_placed(key, place + "#", known) if pointer else key] = item
            else:
                copy.append(item)
    return made, twins


def _placed(value: Any, pointer: str, known: Found) -> Any:
    kind = type(value)
    if kind is str and (len(value) == 1 or known[id(value)] is None):
        is_key = pointer.endswith("#")
        return Marked(((value, not is_key),), ((value, Source(pointer, True)),))
    if kind is not int and kind is not float:
        return value
    number = wrapped(value) if kind is int else value
    made: SourcedInt | SourcedFloat = SourcedInt(number) if type(number) is int else SourcedFloat(number)
    made.source = Source(pointer, True)
    return made
