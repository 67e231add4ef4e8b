"""The checks that a request passes before its messages are looked at in detail, in the server's order.

The first check that fails decides. A key whose value is null, or of a type that does not fit, counts as
absent wherever a check does not say otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from chatjinja.chat.jsontext import JsonError, NotJsonError, is_array, json_type, parse_json
from chatjinja.chat.messages import Message, quickly_rebuilt, rebuild_message, rebuild_tools
from chatjinja.errors import RequestError
from chatjinja.runtime.kinds import escape_pointer

CONTENT = "content"
REASONING = "reasoning_content"


class Request(NamedTuple):
    """A request that passed the checks.

    Attributes:
        body: the request as it came.
        messages: the messages, rebuilt: keys in a fixed order, nothing unknown. One that needs no rebuilding is
            the caller's own.
        tools: the tools, rebuilt; None if there are none.
        add_generation_prompt: whether a generation prompt is wanted.
        continued: what of the last message is continued (`CONTENT` or `REASONING`); None if nothing is.
        kwargs: ``chat_template_kwargs``, with the field ``reasoning_effort`` merged in.
        enable_thinking: what the request says about it, or None.
        schema: the JSON schema of the answer, or None.
    """

    body: Mapping[str, Any]
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None
    add_generation_prompt: bool
    continued: str | None
    kwargs: Mapping[str, Any]
    enable_thinking: bool | None
    schema: Any


def read_request(body: Mapping[str, Any] | str | bytes) -> Request:
    """Check a request, given as data or as JSON text. Raises RequestError."""
    data = _load(body) if isinstance(body, (str, bytes, bytearray)) else body
    if not isinstance(data, Mapping):
        raise _error(400, "the request is not a JSON object", "the request", "")
    try:
        return _checked(data)
    except RecursionError:
        raise _error(400, "the request is nested too deeply", "the request", "") from None
    except NotJsonError as error:
        raise _error(400, str(error), "the request", "") from None


_USUAL = frozenset(("messages", "tools", "add_generation_prompt", "continue_final_message"))
"""Keys of a request that sets nothing else, of which all other checks need not be made."""


def _checked(data: Mapping[str, Any]) -> Request:
    is_usual = data.keys() <= _USUAL
    schema = None if is_usual else schema_of(data)
    rebuilt = _messages(data)
    tools = rebuild_tools(data.get("tools"))
    tool_choice = "auto" if is_usual else _tool_choice(data)
    continued, add_generation_prompt = _continuation(data, rebuilt)
    if is_usual:
        return Request(data, rebuilt, tools, add_generation_prompt, continued, {}, None, None)
    _check_reasoning_format(data)
    if tools and tool_choice != "none" and "grammar" in data:
        raise _error(400, "Cannot use custom grammar constraints with tools.", "grammar", "/grammar")
    kwargs, enable_thinking = _template_arguments(data)
    return Request(data, rebuilt, tools, add_generation_prompt, continued, kwargs, enable_thinking, schema)


def check_sampling(body: Mapping[str, Any], has_tools: bool) -> None:
    """The checks that the server makes after rendering. Raises RequestError."""
    logprobs = body.get("logprobs") is True
    if logprobs and has_tools and body.get("stream") is True:
        raise _error(400, "logprobs is not supported with tools + stream", "logprobs", "/logprobs")
    if not logprobs and body.get("top_logprobs") is not None:
        raise _error(400, "top_logprobs requires logprobs to be set to true", "top_logprobs", "/top_logprobs")


def _error(status: int, reference: str, place: str, pointer: str) -> RequestError:
    return RequestError(status, reference, f"{place}: {reference}", pointer)


def _load(text: str | bytes | bytearray) -> Any:
    try:
        return parse_json(text if isinstance(text, str) else bytes(text).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _error(400, "the request is not UTF-8", f"byte {error.start} of the request", "") from None
    except JsonError as error:
        where = "the request" if error.position is None else f"character {error.position} of the request"
        raise _error(400, f"the request is not JSON: {error}", where, "") from None


def schema_of(body: Mapping[str, Any]) -> Any:
    schema = body.get("json_schema")
    grammar = body.get("grammar")
    if schema is not None and isinstance(grammar, str) and grammar:
        raise _error(500, "Cannot use both json_schema and grammar", "json_schema", "/json_schema")
    wanted = body.get("response_format")
    kind = wanted.get("type") if isinstance(wanted, Mapping) else None
    if not isinstance(kind, str) or kind in ("", "text"):
        return schema
    assert isinstance(wanted, Mapping)
    if kind == "json_object":
        return _or_empty(wanted.get("schema"))
    if kind == "json_schema":
        wrapper = wanted.get("json_schema")
        return _or_empty(wrapper.get("schema") if isinstance(wrapper, Mapping) else None)
    reference = f'response_format type must be one of "text" or "json_object", but got: {kind}'
    raise _error(400, reference, "response_format.type", "/response_format/type")


def _or_empty(schema: Any) -> Any:
    return {} if schema is None else schema


# --- messages ------------------------------------------------------------------------------------------


def _messages(body: Mapping[str, Any]) -> list[Message]:
    if "messages" not in body:
        raise _error(400, "'messages' is required", "messages", "/messages")
    messages = body["messages"]
    if not is_array(messages):
        raise _error(400, "Expected 'messages' to be an array", "messages", "/messages")
    # Most messages are of role and text only, and are taken as they are: what is asked here takes half of the time
    # that a call would.
    quick = [
        message
        if type(message) is dict
        and tuple(message) == _PLAIN
        and type(message["role"]) is str
        and type(message["content"]) is str
        else quickly_rebuilt(message)
        for message in messages
    ]
    if None not in quick:
        return cast(list[Message], quick)
    odd = [(index, messages[index]) for index, message in enumerate(quick) if message is None]
    for index, message in odd:
        _check_content(message if isinstance(message, Mapping) else {}, index)
    for index, message in odd:
        quick[index] = rebuild_message(message, index)
    return cast(list[Message], quick)


_PLAIN = ("role", "content")


def _check_content(message: Mapping[str, Any], index: int) -> None:
    content = message.get("content")
    if content is None:
        if "content" in message:
            return
        if message.get("role") != "assistant":
            text = "All non-assistant messages must contain 'content'"
        elif "tool_calls" not in message:
            text = "Assistant message must contain either 'content' or 'tool_calls'!"
        else:
            return
        raise _error(400, text, f"messages[{index}]", f"/messages/{index}")
    if isinstance(content, str):
        return
    place, pointer = f"messages[{index}].content", f"/messages/{index}/content"
    if not is_array(content):
        raise _error(400, "Expected 'content' to be a string or an array", place, pointer)
    for number, part in enumerate(content):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind != "text":
            media = _MEDIA.get(kind) if isinstance(kind, str) else None
            if media is None:
                raise _error(400, "unsupported content[].type", f"{place}[{number}]", f"{pointer}/{number}")
            text = f"{media} input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
            raise _error(500, text, f"{place}[{number}]", f"{pointer}/{number}")


_MEDIA = {"image_url": "image", "input_audio": "audio", "input_video": "video", "video_url": "video"}


# --- options -------------------------------------------------------------------------------------------


def _tool_choice(body: Mapping[str, Any]) -> str:
    choice = body.get("tool_choice")
    if not isinstance(choice, str):
        return "auto"
    if choice not in ("auto", "none", "required"):
        raise _error(400, f"Invalid tool_choice: {choice}", "tool_choice", "/tool_choice")
    return choice


def _continuation(body: Mapping[str, Any], rebuilt: list[Message]) -> tuple[str | None, bool]:
    """What is continued, and whether a generation prompt is wanted."""
    asked = body.get("continue_final_message")
    if not (asked is None or isinstance(asked, bool) or (isinstance(asked, str) and asked in (CONTENT, REASONING))):
        text = 'Invalid continue_final_message: expected a boolean, "content" or "reasoning_content"'
        raise _error(400, text, "continue_final_message", "/continue_final_message")
    wanted = body.get("add_generation_prompt") is not False
    last = f"/messages/{len(rebuilt) - 1}"
    if asked is None or asked is False:
        if not rebuilt or rebuilt[-1]["role"] != "assistant":
            return None, wanted
        if len(rebuilt) > 1 and rebuilt[-2]["role"] == "assistant":
            text = "Cannot have 2 or more assistant messages at the end of the list."
            raise _error(400, text, f"messages[{len(rebuilt) - 1}]", last)
        wanted, asked = False, True
    if wanted:
        text = "Cannot set both add_generation_prompt and continue_final_message to true."
        raise _error(400, text, "add_generation_prompt", "/add_generation_prompt")
    if not rebuilt:
        return CONTENT, False
    message = rebuilt[-1]
    if message["role"] == "assistant" and "tool_calls" in message:
        text = "Cannot continue an assistant message that contains tool calls."
        raise _error(400, text, f"messages[{len(rebuilt) - 1}].tool_calls", f"{last}/tool_calls")
    if asked is not True:
        return str(asked), False
    return (REASONING if REASONING in message and not message["content"] else CONTENT), False


def _check_reasoning_format(body: Mapping[str, Any]) -> None:
    if "reasoning_format" not in body:
        return
    form = body["reasoning_format"]
    place, pointer = "reasoning_format", "/reasoning_format"
    if not isinstance(form, str):
        text = f"[json.exception.type_error.302] type must be string, but is {json_type(form)}"
        raise _error(400, text, place, pointer)
    if form not in ("none", "auto", "deepseek", "deepseek-legacy"):
        raise _error(500, f"Unknown reasoning format: {form}", place, pointer)


def _template_arguments(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool | None]:
    """``chat_template_kwargs`` with the field ``reasoning_effort``, and what is said about thinking."""
    given = body.get("chat_template_kwargs")
    kwargs: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    effort = body.get("reasoning_effort")
    if isinstance(effort, str) and effort:
        kwargs = {name: value for name, value in kwargs.items() if effort != "none" or name != "reasoning_effort"}
        if effort != "none":
            kwargs["reasoning_effort"] = effort
    thinking = kwargs.get("enable_thinking")
    if isinstance(thinking, str):
        pointer = f"/chat_template_kwargs/{escape_pointer('enable_thinking')}"
        text = 'invalid type for "enable_thinking" (expected boolean, got string)'
        raise _error(400, text, "chat_template_kwargs.enable_thinking", pointer)
    if isinstance(thinking, bool):
        return kwargs, thinking
    return kwargs, False if effort == "none" else None
