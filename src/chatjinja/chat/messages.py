"""Messages and tools, rebuilt: known keys only, in a fixed order, checked on the way.

Nothing of the caller's is changed; strings and schemas are taken over as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from chatjinja.chat.jsontext import NotJsonError, compact, indented, is_array, json_type
from chatjinja.chat.tracked import KEPT
from chatjinja.errors import RequestError

Message = dict[str, Any]


class _Flaw(Exception):  # noqa: N818 -- becomes a RequestError
    """Something is missing or of the wrong type. `place` is a list of keys below the message or tool."""

    def __init__(self, reference: str, *place: str | int) -> None:
        super().__init__(reference)
        self.reference = reference
        self.place = place


def _refusal(prefix: str, suffix: str, flaw: _Flaw, *root: str | int) -> RequestError:
    keys = [*root, *flaw.place]
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")
    pointer = "".join(f"/{key}" for key in keys)
    message = f"{place}: {_plain(flaw.reference)}"
    return RequestError(500, f"{prefix}{flaw.reference}{suffix}", message, pointer)


def _plain(reference: str) -> str:
    """The reference's text for people: without the name of its JSON parser's exception, and not too long."""
    text = reference.partition("] ")[2] if reference.startswith("[json.exception.") else reference
    return text if len(text) <= 200 else text[:199] + "…"


def _text(value: Any, *place: str | int) -> str:
    """A value that must be a string."""
    if type(value) in KEPT:
        text: str = value
        return text
    if isinstance(value, str):
        return str.__str__(value)
    raise _Flaw(f"[json.exception.type_error.302] type must be string, but is {json_type(value)}", *place)


def _member(value: Any, key: str, *place: str | int) -> Any:
    """The value of a key that must exist."""
    if not isinstance(value, Mapping):
        raise _Flaw(f"[json.exception.type_error.304] cannot use at() with {json_type(value)}", *place)
    if key not in value:
        raise _Flaw(f"[json.exception.out_of_range.403] key '{key}' not found", *place)
    return value[key]


# --- messages ------------------------------------------------------------------------------------------


_TEXTS = ("reasoning_content", "name", "tool_call_id")
"""Keys of a message that hold text and come after role and content, in their order."""


def quickly_rebuilt(message: Any) -> Message | None:
    """What `rebuild_message` gives for a message of the usual form; None for any other."""
    if type(message) is not dict:
        return None
    role, content = message.get("role"), message.get("content")
    if type(role) is not str or type(content) is not str:
        return None
    made: Message = {"role": role, "content": content}
    for key in _TEXTS:
        if key in message:
            text = message[key]
            if type(text) is not str:
                return None
            if text:
                made[key] = text
    if "tool_calls" in message:
        calls = message["tool_calls"]
        rebuilt = list(map(_quick_call, calls)) if type(calls) is list else [None]
        if None in rebuilt:
            return None
        if rebuilt:
            made["tool_calls"] = rebuilt
    return made


def _quick_call(call: Any) -> dict[str, Any] | None:
    """What `_call` gives for a call of the usual form; None for any other."""
    if type(call) is not dict or call.get("type") != "function":
        return None
    function, identity = call.get("function"), call.get("id", "")
    if type(function) is not dict or type(identity) is not str:
        return None
    name, arguments = function.get("name"), function.get("arguments")
    if type(name) is not str or type(arguments) is not str:
        return None
    made: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    if identity:
        made["id"] = identity
    return made


def rebuild_message(message: Mapping[str, Any], index: int) -> Message:
    """The message with its known keys in order: role, content, then those that are not empty.

    Arguments of tool calls become text. Raises RequestError for number `index` of the messages.
    """
    try:
        return _message(message)
    except _Flaw as flaw:
        raise _refusal("Failed to parse messages: ", "", flaw, "messages", index) from None
    except NotJsonError as error:
        place, pointer = f"messages[{index}]", f"/messages/{index}"
        raise RequestError(400, str(error), f"{place}: {error}", pointer) from None


def _message(message: Mapping[str, Any]) -> Message:
    if "role" not in message:
        raise _Flaw(f"Missing 'role' in message: {compact(message)}")
    made: Message = {"role": _text(message["role"], "role")}
    content = message.get("content")
    if content is None:
        made["content"] = ""
    elif isinstance(content, str):
        made["content"] = _text(content)
    else:
        made["content"] = [_part(part, number) for number, part in enumerate(content)] or ""
    calls = None
    if "tool_calls" in message:
        calls = [_call(call, number) for number, call in enumerate(_elements(message["tool_calls"]))]
    for key in _TEXTS:
        if key in message:
            text = _text(message[key], key)
            if text:
                made[key] = text
    if calls:
        made["tool_calls"] = calls
    return made


def _part(part: Mapping[str, Any], number: int) -> dict[str, str]:
    return {"type": "text", "text": _text(_member(part, "text", "content", number), "content", number, "text")}


def _elements(value: Any) -> Iterable[Any]:
    """What the reference's loop over a JSON value sees."""
    if value is None:
        return ()
    if isinstance(value, Mapping):
        return value.values()
    return value if is_array(value) else (value,)


def _call(call: Any, number: int) -> dict[str, Any]:
    place = "tool_calls", number
    if not isinstance(call, Mapping) or "type" not in call:
        raise _Flaw(f"Missing tool call type: {compact(call)}", *place)
    if call["type"] != "function":
        raise _Flaw(f"Unsupported tool call type: {compact(call)}", *place, "type")
    if "function" not in call:
        raise _Flaw(f"Missing tool call function: {compact(call)}", *place)
    function = call["function"]
    if not isinstance(function, Mapping) or "name" not in function:
        raise _Flaw(f"Missing tool call name: {compact(call)}", *place, "function")
    name = _text(function["name"], *place, "function", "name")
    arguments = _member(function, "arguments", *place, "function")
    text = arguments if isinstance(arguments, str) else compact(arguments)
    made: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": text}}
    if "id" in call:
        identity = _text(call["id"], *place, "id")
        if identity:
            made["id"] = identity
    return made


# --- tools ---------------------------------------------------------------------------------------------


_TOOLS = "Failed to parse tools: "


def rebuild_tools(tools: Any) -> list[dict[str, Any]] | None:
    """The tools with their known keys in order; None if there are none. Raises RequestError."""
    if tools is None:
        return None
    if not is_array(tools):
        flaw = _Flaw(f"Expected 'tools' to be an array, got {compact(tools)}")
        raise _refusal(_TOOLS, f"; tools = {indented(tools)}", flaw, "tools")
    made: list[dict[str, Any]] = []
    try:
        for tool in tools:
            made.append(_quick_tool(tool) or _tool(tool))
    except _Flaw as flaw:
        raise _refusal(_TOOLS, f"; tools = {indented(tools)}", flaw, "tools", len(made)) from None
    return made or None


def _quick_tool(tool: Any) -> dict[str, Any] | None:
    """What `_tool` gives for a tool of the usual form; None for any other."""
    function = tool.get("function") if type(tool) is dict and tool.get("type") == "function" else None
    if type(function) is not dict:
        return None
    name, description = function.get("name"), function.get("description", "")
    if type(name) is not str or type(description) is not str:
        return None
    inner = {"name": name, "description": description, "parameters": function.get("parameters", {})}
    return {"type": "function", "function": inner}


def _tool(tool: Any) -> dict[str, Any]:
    if not isinstance(tool, Mapping) or "type" not in tool:
        raise _Flaw(f"Missing tool type: {compact(tool)}")
    if tool["type"] != "function":
        raise _Flaw(f"Unsupported tool type: {compact(tool)}", "type")
    if "function" not in tool:
        raise _Flaw(f"Missing tool function: {compact(tool)}")
    function = tool["function"]
    name = _text(_member(function, "name", "function"), "function", "name")
    description = _text(function.get("description", ""), "function", "description")
    inner = {"name": name, "description": description, "parameters": function.get("parameters", {})}
    return {"type": "function", "function": inner}
