"""The conversations that templates are tried on: built-in ones, and the user's own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

Given = Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""A request object (`messages`, `tools`, …), or just its list of messages."""
DEFAULTS: Mapping[str, Any] = {"bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": True}


class Conversation(NamedTuple):
    """A name for people, and the variables of the template."""

    name: str
    context: dict[str, Any]


@cache
def _built_in() -> tuple[tuple[str, str], ...]:
    text = files("chatjinja.analysis").joinpath("conversations.json").read_text(encoding="utf-8")
    return tuple((name, json.dumps(context)) for name, context in json.loads(text).items())


def built_in_conversations() -> list[Conversation]:
    """The conversations that ship with the package; fresh copies.

    They have what real templates branch on: roles, tools, calls, reasoning, typed content, other scripts, odd values.
    """
    return [Conversation(name, {**DEFAULTS, **json.loads(text)}) for name, text in _built_in()]


def as_conversations(given: Iterable[Given | Conversation] | Mapping[str, Given]) -> list[Conversation]:
    """Conversations from plain data; a mapping gives them names. ValueError for what is none."""
    if not isinstance(given, Iterable):
        raise ValueError(f"conversations: expected a list or a mapping, got {type(given).__name__}")
    items = (
        given.items() if isinstance(given, Mapping) else ((f"#{index + 1}", item) for index, item in enumerate(given))
    )
    return [item if isinstance(item, Conversation) else _conversation(name, item) for name, item in items]


def _conversation(name: str, given: Any) -> Conversation:
    if isinstance(given, Mapping) and isinstance(given.get("messages"), list):
        values = dict(given)
        extra = values.pop("chat_template_kwargs", None)
        values.update(extra if isinstance(extra, Mapping) else {})
        return Conversation(name, {**DEFAULTS, **values})
    if _is_messages(given):
        return Conversation(name, {**DEFAULTS, "messages": list(given)})
    raise ValueError(f"{name} is neither a list of messages nor an object with one under 'messages'")


def _is_messages(given: Any) -> bool:
    return (
        isinstance(given, Sequence)
        and not isinstance(given, str)
        and bool(given)
        and all(isinstance(message, Mapping) and "role" in message for message in given)
    )


def parse_conversations(text: str) -> list[Conversation]:
    """Conversations from JSON or JSONL: one of them, a list of them, an object of named ones, or one a line.

    Raises ValueError for what is none of these.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        return as_conversations(dict(_lines(text)))
    if _is_messages(data) or (isinstance(data, dict) and "messages" in data):
        return as_conversations([data])
    if not isinstance(data, (list, dict)):
        raise ValueError("neither a conversation nor a list of conversations")
    if not data:
        raise ValueError("there is no conversation in it")
    return as_conversations(data)


def _lines(text: str) -> Iterator[tuple[str, Any]]:
    """The values of JSONL, each under the name of its line."""
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except json.JSONDecodeError as error:
                raise json.JSONDecodeError(error.msg, text, start + error.pos) from None
        start += len(line) + 1
