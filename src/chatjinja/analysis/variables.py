"""What templates are given: a runtime does not pass a conversation on unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_REASONING = ("reasoning_content", "thinking", "reasoning")


class Habits(NamedTuple):
    """What transformers 5 does to variables before a template sees them; all of it, unless told otherwise.

    Attributes:
        always_set: `tools` and `documents` are None where there are none, instead of undefined.
        drops_none: keys of messages whose value is None are left out.
        aliases: reasoning is passed as `reasoning_content` and as `thinking`, whatever name it came under.
    """

    always_set: bool = True
    drops_none: bool = True
    aliases: bool = True


ALL_HABITS = Habits()
NO_HABITS = Habits(False, False, False)


def as_transformers(context: Mapping[str, Any], habits: Habits = ALL_HABITS) -> dict[str, Any]:
    """The variables that transformers gives to a template; `context` is not changed."""
    values = dict(context)
    if habits.always_set:
        values = {"tools": None, "documents": None, "add_generation_prompt": False, **values}
    messages = values.get("messages")
    if isinstance(messages, list):
        values["messages"] = [_message(message, habits) for message in messages]
    return values


def _message(message: Any, habits: Habits) -> Any:
    if not isinstance(message, Mapping):
        return message
    kept = {key: value for key, value in message.items() if value is not None or not habits.drops_none}
    if habits.aliases:
        reasoning = next((kept[key] for key in _REASONING if kept.get(key) is not None), None)
        if reasoning is not None:
            kept = {"thinking": reasoning, **kept, "reasoning_content": reasoning}
    return kept
