"""Conversations as callers pass them, and as templates get them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chatjinja.integrations.errors import ApplyError, ApplyTypeError
from chatjinja.integrations.plain import plain_data
from chatjinja.integrations.schemas import tool_schema
from chatjinja.integrations.versions import Version

Message = dict[Any, Any]

REASONING = ("reasoning_content", "thinking", "reasoning")
"""Keys under which messages carry reasoning. Templates read the first; gpt-oss reads the second."""


def split_batch(conversation: Any) -> tuple[list[Any], bool]:
    """The conversations of a call, and whether it was a list of them."""
    if not isinstance(conversation, (list, tuple)):
        return [conversation], False
    if not conversation:
        raise ApplyError("the conversation is empty; a template needs at least one message")
    first = conversation[0]
    if isinstance(first, (list, tuple)) or hasattr(first, "messages"):
        return list(conversation), True
    return [conversation], False


def messages_of(conversation: Any, version: Version) -> Sequence[Any]:
    """The messages of one conversation, as the template gets them."""
    messages = getattr(conversation, "messages", conversation)
    if not isinstance(messages, Iterable):
        raise ApplyTypeError(f"a conversation is a list of messages, not {type(messages).__name__}")
    if not version.plain_data:
        return messages if isinstance(messages, (list, tuple)) else list(messages)
    return [_with_reasoning(_without_nones(message)) for message in plain_data(list(messages))]


def _without_nones(message: Any) -> Message:
    """OpenAI's clients send `content: null` beside tool calls; templates are written for a missing key."""
    if type(message) is not dict:
        raise ApplyTypeError(f"a message is a dict, a dataclass or a pydantic model, not {message!r}")
    return {key: value for key, value in message.items() if value is not None} if None in message.values() else message


def _with_reasoning(message: Message) -> Message:
    """With its reasoning under the names that templates read."""
    for key in REASONING:
        if key in message:
            reasoning = message[key]
            return {"thinking": reasoning, **message, "reasoning_content": reasoning}
    return message


def schemas_of(tools: Any, version: Version) -> list[Any] | None:
    """Tools as JSON schemas; functions are described by their type hints and docstrings."""
    if tools is None:
        return None
    schemas = []
    for tool in _items(tools, "tools"):
        if isinstance(tool, dict):
            schemas.append(tool)
        elif inspect.isfunction(tool) or (version.strict_schemas and inspect.ismethod(tool)):
            schemas.append(tool_schema(tool, version))
        else:
            raise ApplyError(
                f"a tool is a JSON schema (a dict) or a function with type hints and a docstring, not {tool!r}"
            )
    return [plain_data(schema) for schema in schemas] if version.plain_data else schemas


def documents_of(documents: Any, version: Version) -> Any:
    """Documents as the template gets them."""
    if documents is None:
        return None
    documents = _items(documents, "documents")
    for document in documents:
        if not isinstance(document, dict):
            raise ApplyTypeError(f"a document is a dict with a title and a text, not {document!r}")
    return plain_data(documents) if version.plain_data else documents


def _items(value: Any, what: str) -> list[Any] | tuple[Any, ...]:
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise ApplyTypeError(f"{what}: expected a list, got {type(value).__name__}")
    return list(value)
