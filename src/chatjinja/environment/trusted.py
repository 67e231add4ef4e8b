"""Contexts in which what a policy trusts is template text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from chatjinja.marking import DEFAULT_TRUST, ROLES, TrustPolicy, unescape
from chatjinja.runtime.marked import TemplateText


class _Roles(dict[Any, Any]):
    """Roles as they are to be: known ones trusted, others as they were."""

    def __missing__(self, role: Any) -> Any:
        return role


_ROLES = _Roles({role: TemplateText(role) for role in ROLES})
_TOKENS = frozenset(pattern[1:] for pattern in DEFAULT_TRUST.paths if pattern.count("/") == 1)


_ONLY_DICTS = {dict}
_template_text = lru_cache(maxsize=64)(TemplateText)
"""Special tokens are the same in every render."""


def trusted_context(context: dict[str, Any], policy: TrustPolicy) -> dict[str, Any]:
    """`context` with trusted strings as `TemplateText`; only what holds one is copied, nothing is changed."""
    if policy is not DEFAULT_TRUST:
        for pattern, allowed in policy.paths.items():
            context = _replaced(context, [unescape(part) for part in pattern.split("/")[1:]], allowed)
        return context
    made = context.copy()
    for name in _TOKENS.intersection(made):
        value = made[name]
        made[name] = _template_text(value) if type(value) is str else _trusted(value, None)
    messages = made.get("messages")
    if type(messages) is not list or set(map(type, messages)) != _ONLY_DICTS:
        return made if messages is None else _with_roles(made)
    try:
        copies = list(map(dict.copy, messages))
        for message in copies:
            message["role"] = _ROLES[message["role"]]
    except (KeyError, TypeError):  # a message of another type, or without a role, or with an odd one
        return _with_roles(made)
    made["messages"] = copies
    return made


def _with_roles(context: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = _replaced(context, ["messages", "*", "role"], ROLES)
    return made


def _trusted(value: Any, allowed: frozenset[str] | None) -> Any:
    if isinstance(value, str) and (allowed is None or value in allowed):
        return TemplateText(str.__str__(value))
    return value


def _replaced(value: Any, keys: list[str], allowed: frozenset[str] | None) -> Any:
    """`value` with the strings that `keys` lead to trusted; itself if there are none."""
    if not keys:
        return _trusted(value, allowed)
    key, *rest = keys
    if isinstance(value, Mapping):
        chosen = list(value) if key == "*" else [key] if key in value else []
        changed = {name: made for name in chosen if (made := _replaced(value[name], rest, allowed)) is not value[name]}
        return {**value, **changed} if changed else value
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        if key == "*":
            items = [_replaced(item, rest, allowed) for item in value]
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        if key.isdecimal() and int(key) < len(value):
            made = _replaced(value[int(key)], rest, allowed)
            if made is not value[int(key)]:
                return [*value[: int(key)], made, *value[int(key) + 1 :]]
    return value
