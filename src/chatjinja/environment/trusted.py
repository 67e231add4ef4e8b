"""Contexts in which what a policy trusts is template text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar

from chatjinja.marking import DEFAULT_TRUST, ROLES, TrustPolicy, unescape
from chatjinja.runtime.kinds import escape_pointer
from chatjinja.runtime.limits import Limits, exceeded
from chatjinja.runtime.marked import TemplateText, made_number
from chatjinja.runtime.sourced import trusted_text

_ROLES = {role: TemplateText(role) for role in ROLES}
"""Known roles as they are to be."""
_TOKENS = frozenset(pattern[1:] for pattern in DEFAULT_TRUST.paths if pattern.count("/") == 1)


_ONLY_DICTS = {dict}
_template_text = lru_cache(maxsize=64)(TemplateText)
"""Special tokens are the same in every render."""


def trusted_context(context: dict[str, Any], policy: TrustPolicy) -> dict[str, Any]:
    """`context` with trusted strings as `TemplateText`; only what holds one is copied, nothing is changed."""
    if policy is not DEFAULT_TRUST:
        return _with_paths(context, policy, None)
    made = context.copy()
    for name in _TOKENS.intersection(made):
        value = made[name]
        made[name] = _template_text(value) if type(value) is str else _trusted(value, None)
    messages = made.get("messages")
    if type(messages) is not list:
        return made if messages is None else _with_roles(made)
    try:
        copies = list(map(dict.copy, messages))
        for message in copies:
            message["role"] = _ROLES[message["role"]]
    except (KeyError, TypeError):  # a message that is no dict, or has no role, or no known one
        return _with_roles(made)
    made["messages"] = copies
    return made


def trusted_with_places(context: dict[str, Any], policy: TrustPolicy) -> dict[str, Any]:
    """`trusted_context`, and each trusted string knows its place. For a context that may be changed on the way."""
    if policy is not DEFAULT_TRUST:
        return _with_paths(context, policy, "")
    for name in _TOKENS.intersection(context):
        value = context[name]
        context[name] = _token(value, "/" + name) if type(value) is str else _trusted(value, None, "/" + name)
    messages = context.get("messages")
    if type(messages) is not list or set(map(type, messages)) != _ONLY_DICTS:
        return context if messages is None else _with_paths(context, _ONLY_ROLES, "")
    try:
        for message, roles in zip(messages, _PLACED_ROLES.first(len(messages)), strict=False):
            message["role"] = roles[message["role"]]
    except (KeyError, TypeError):
        return _with_paths(context, _ONLY_ROLES, "")
    return context


_Made = TypeVar("_Made")


class _PlacedRoles(dict[Any, Any]):
    """Roles of one message as they are to be, made when they are first asked for."""

    def __init__(self, index: int) -> None:
        self.pointer = f"/messages/{index}/role"

    def __missing__(self, role: Any) -> Any:
        if type(role) is not str or role not in ROLES:
            return _trusted(role, ROLES, self.pointer)
        made = self[role] = trusted_text(role, self.pointer)
        return made


class ByIndex(Generic[_Made]):
    """One object for each message of a conversation, by its number; those of the first thousands are kept."""

    def __init__(self, make: Callable[[int], _Made]) -> None:
        self._make = make
        self._kept: list[_Made] = []

    def first(self, count: int) -> list[_Made]:
        """At least the first `count` of them."""
        known = self._kept
        if len(known) < count:
            known = known + [self._make(index) for index in range(len(known), count)]
            self._kept = known[:_MOST_KEPT]  # at once, so threads may do the same at the same time
        return known


_MOST_KEPT = 4096
_PLACED_ROLES = ByIndex(_PlacedRoles)
_ONLY_ROLES = TrustPolicy({"/messages/*/role": ROLES})
_token = lru_cache(maxsize=64)(trusted_text)


def _with_paths(context: dict[str, Any], policy: TrustPolicy, pointer: str | None) -> dict[str, Any]:
    for pattern, allowed in policy.paths.items():
        context = _replaced(context, [unescape(part) for part in pattern.split("/")[1:]], allowed, pointer)
    return context


def _with_roles(context: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = _replaced(context, ["messages", "*", "role"], ROLES)
    return made


def _trusted(value: Any, allowed: frozenset[str] | None, pointer: str | None = None) -> Any:
    if isinstance(value, str) and (allowed is None or value in allowed):
        text = str.__str__(value)
        return TemplateText(text) if pointer is None else trusted_text(text, pointer)
    return value


def _replaced(value: Any, keys: list[str], allowed: frozenset[str] | None, pointer: str | None = None) -> Any:
    """`value` with the strings that `keys` lead to trusted; itself if there are none. With a `pointer`, which is
    its own, they know their places."""
    if not keys:
        return _trusted(value, allowed, pointer)
    key, *rest = keys
    if isinstance(value, Mapping):
        chosen = list(value) if key == "*" else [key] if key in value else []
        changed = {
            name: made
            for name in chosen
            if (made := _replaced(value[name], rest, allowed, _below(pointer, name))) is not value[name]
        }
        return {**value, **changed} if changed else value
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        if key == "*":
            items = [_replaced(item, rest, allowed, _below(pointer, index)) for index, item in enumerate(value)]
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        if key.isdecimal() and int(key) < len(value):
            made = _replaced(value[int(key)], rest, allowed, _below(pointer, int(key)))
            if made is not value[int(key)]:
                return [*value[: int(key)], made, *value[int(key) + 1 :]]
    return value


def _below(pointer: str | None, key: Any) -> str | None:
    return None if pointer is None else f"{pointer}/{escape_pointer(key)}"


def all_trusted(context: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """`context` as if the template had written all of it, keys included."""
    return {name: _all_trusted(value, limits, 0) for name, value in context.items()}


def _all_trusted(value: Any, limits: Limits, depth: int) -> Any:
    if depth > limits.data_depth:
        raise exceeded(limits, "data_depth")
    if isinstance(value, str):
        return TemplateText(str.__str__(value))
    if isinstance(value, Mapping):
        return {
            _all_trusted(key, limits, depth + 1): _all_trusted(item, limits, depth + 1) for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        items = [_all_trusted(item, limits, depth + 1) for item in value]
        return items if isinstance(value, list) else tuple(items)
    return made_number(value)
