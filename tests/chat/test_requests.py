"""What a request must look like: the server's checks, in its order, with its words."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from chatjinja import ChatTemplate, RequestError

USER = {"role": "user", "content": "Hi"}
CALL = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
TOOL = {"type": "function", "function": {"name": "f"}}
CHAT = ChatTemplate.from_string("{{ messages|tojson }}{{ tools|tojson if tools else '' }}")
TYPE = "[json.exception.type_error.302] type must be string, but is "


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"messages": list(messages or (USER,)), **fields}


def assistant(**fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "x", **fields}


def calling(*calls: Any) -> dict[str, Any]:
    return assistant(tool_calls=list(calls))


REFUSALS: list[tuple[Any, int, str, str]] = [
    # request, status, reference message, place
    ([], 400, "the request is not a JSON object", ""),
    ("{", 400, "the request is not JSON: Expecting property name enclosed in double quotes", ""),
    ("NaN", 400, "the request is not JSON: NaN is not a JSON number", ""),
    (b"\xff", 400, "the request is not UTF-8", ""),
    (body(json_schema={}, grammar="g"), 500, "Cannot use both json_schema and grammar", "/json_schema"),
    (
        body(response_format={"type": "x"}),
        400,
        'response_format type must be one of "text" or "json_object", but got: x',
        "/response_format/type",
    ),
    ({}, 400, "'messages' is required", "/messages"),
    ({"messages": {}}, 400, "Expected 'messages' to be an array", "/messages"),
    (body("x"), 400, "All non-assistant messages must contain 'content'", "/messages/0"),
    (body(USER, {"role": "user"}), 400, "All non-assistant messages must contain 'content'", "/messages/1"),
    (
        body({"role": "assistant"}),
        400,
        "Assistant message must contain either 'content' or 'tool_calls'!",
        "/messages/0",
    ),
    (body(assistant(content=3)), 400, "Expected 'content' to be a string or an array", "/messages/0/content"),
    (body(assistant(content=["x"])), 400, "unsupported content[].type", "/messages/0/content/0"),
    (body(assistant(content=[{"type": 3}])), 400, "unsupported content[].type", "/messages/0/content/0"),
    (
        body(assistant(content=[{"type": "text", "text": ""}, {"type": "video_url"}])),
        500,
        "video input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
        "/messages/0/content/1",
    ),
    (
        body({"content": "x"}),
        500,
        'Failed to parse messages: Missing \'role\' in message: {"content":"x"}',
        "/messages/0",
    ),
    (body({"role": 3, "content": ""}), 500, f"Failed to parse messages: {TYPE}number", "/messages/0/role"),
    (
        body(assistant(content=[{"type": "text"}])),
        500,
        "Failed to parse messages: [json.exception.out_of_range.403] key 'text' not found",
        "/messages/0/content/0",
    ),
    (
        body(assistant(content=[{"type": "text", "text": None}])),
        500,
        f"Failed to parse messages: {TYPE}null",
        "/messages/0/content/0/text",
    ),
    (body(calling({})), 500, "Failed to parse messages: Missing tool call type: {}", "/messages/0/tool_calls/0"),
    (
        body(assistant(tool_calls="x")),
        500,
        'Failed to parse messages: Missing tool call type: "x"',
        "/messages/0/tool_calls/0",
    ),
    (
        body(assistant(tool_calls={"a": CALL, "b": 1})),
        500,
        "Failed to parse messages: Missing tool call type: 1",
        "/messages/0/tool_calls/1",
    ),
    (
        body(calling({"type": "x"})),
        500,
        'Failed to parse messages: Unsupported tool call type: {"type":"x"}',
        "/messages/0/tool_calls/0/type",
    ),
    (
        body(calling({"type": "function"})),
        500,
        'Failed to parse messages: Missing tool call function: {"type":"function"}',
        "/messages/0/tool_calls/0",
    ),
    (
        body(calling({"type": "function", "function": 3})),
        500,
        'Failed to parse messages: Missing tool call name: {"type":"function","function":3}',
        "/messages/0/tool_calls/0/function",
    ),
    (
        body(calling({"type": "function", "function": {"name": 3}})),
        500,
        f"Failed to parse messages: {TYPE}number",
        "/messages/0/tool_calls/0/function/name",
    ),
    (
        body(calling({"type": "function", "function": {"name": "f"}})),
        500,
        "Failed to parse messages: [json.exception.out_of_range.403] key 'arguments' not found",
        "/messages/0/tool_calls/0/function",
    ),
    (body(calling({**CALL, "id": 3})), 500, f"Failed to parse messages: {TYPE}number", "/messages/0/tool_calls/0/id"),
    (body({**USER, "name": None}), 500, f"Failed to parse messages: {TYPE}null", "/messages/0/name"),
    (
        body(tools="x"),
        500,
        'Failed to parse tools: Expected \'tools\' to be an array, got "x"; tools = "x"',
        "/tools",
    ),
    (body(tools=[{}]), 500, "Failed to parse tools: Missing tool type: {}; tools = [\n  {}\n]", "/tools/0"),
    (
        body(tools=[{"type": "x"}]),
        500,
        'Failed to parse tools: Unsupported tool type: {"type":"x"}; tools = [\n  {\n    "type": "x"\n  }\n]',
        "/tools/0/type",
    ),
    (
        body(tools=[{"type": "function"}]),
        500,
        'Failed to parse tools: Missing tool function: {"type":"function"}; '
        'tools = [\n  {\n    "type": "function"\n  }\n]',
        "/tools/0",
    ),
    (
        body(tools=[{"type": "function", "function": 3}]),
        500,
        "Failed to parse tools: [json.exception.type_error.304] cannot use at() with number; tools = "
        '[\n  {\n    "type": "function",\n    "function": 3\n  }\n]',
        "/tools/0/function",
    ),
    (body(tool_choice="x"), 400, "Invalid tool_choice: x", "/tool_choice"),
    (
        body(continue_final_message="x"),
        400,
        'Invalid continue_final_message: expected a boolean, "content" or "reasoning_content"',
        "/continue_final_message",
    ),
    (
        body(assistant(), assistant()),
        400,
        "Cannot have 2 or more assistant messages at the end of the list.",
        "/messages/1",
    ),
    (
        body(assistant(), continue_final_message=True),
        400,
        "Cannot set both add_generation_prompt and continue_final_message to true.",
        "/add_generation_prompt",
    ),
    (
        body(calling(CALL)),
        400,
        "Cannot continue an assistant message that contains tool calls.",
        "/messages/0/tool_calls",
    ),
    (body(reasoning_format=None), 400, f"{TYPE}null", "/reasoning_format"),
    (body(reasoning_format="x"), 500, "Unknown reasoning format: x", "/reasoning_format"),
    (
        body(tools=[TOOL], grammar=None),
        400,
        "Cannot use custom grammar constraints with tools.",
        "/grammar",
    ),
    (
        body(chat_template_kwargs={"enable_thinking": "yes"}),
        400,
        'invalid type for "enable_thinking" (expected boolean, got string)',
        "/chat_template_kwargs/enable_thinking",
    ),
    (
        body(tools=[TOOL], logprobs=True, stream=True),
        400,
        "logprobs is not supported with tools + stream",
        "/logprobs",
    ),
    (body(top_logprobs=3), 400, "top_logprobs requires logprobs to be set to true", "/top_logprobs"),
]


@pytest.mark.parametrize(("request_", "status", "reference", "pointer"), REFUSALS)
def test_refusals(request_: Any, status: int, reference: str, pointer: str) -> None:
    with pytest.raises(RequestError) as caught:
        CHAT.apply_request(request_)
    error = caught.value
    assert (error.status, error.reference_message, error.pointer) == (status, reference, pointer)
    assert str(error) == error.message


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            body(USER, calling(CALL, {**CALL, "id": 3})),
            "messages[1].tool_calls[1].id: type must be string, but is number",
        ),
        (body(assistant(content=3)), "messages[0].content: Expected 'content' to be a string or an array"),
        ("[1, 2", "character 5 of the request: the request is not JSON: Expecting ',' delimiter"),
        ("NaN", "the request: the request is not JSON: NaN is not a JSON number"),
        (b'{"a": "\xff"}', "byte 7 of the request: the request is not UTF-8"),
        (
            body(USER, calling({"type": "function", "function": {"name": "f", "arguments": {"x": b""}}})),
            "messages[1]: a bytes is no JSON value",
        ),
        (body(tools=[{"x": {1}}]), "the request: a set is no JSON value"),
        (body(tools=[{"x": "y" * 300}]), 'tools[0]: Missing tool type: {"x":"' + "y" * 174 + "…"),
    ],
)
def test_messages_name_the_place(request_: Any, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        CHAT.apply_request(request_)
    assert caught.value.message == message


def test_errors_can_be_pickled() -> None:
    with pytest.raises(RequestError) as caught:
        CHAT.apply_request({})
    again = pickle.loads(pickle.dumps(caught.value))
    assert vars(again) == vars(caught.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_choice": None},
        {"tool_choice": {}},
        {"tool_choice": "required", "tools": [TOOL]},
        {"tool_choice": "none", "tools": [TOOL], "grammar": "g"},
        {"add_generation_prompt": 0},
        {"add_generation_prompt": None},
        {"response_format": "json"},
        {"response_format": {"type": ""}},
        {"response_format": {"type": "json_object"}},
        {"response_format": {"type": "json_schema", "json_schema": 3}},
        {"json_schema": {}, "grammar": ""},
        {"json_schema": {}, "grammar": 3},
        {"reasoning_format": "deepseek-legacy"},
        {"chat_template_kwargs": [1]},
        {"continue_final_message": None},
        {"logprobs": True, "top_logprobs": 3},
        {"logprobs": True, "stream": True},
        {"enable_thinking": "nobody looks here"},
        {"tools": []},
        {"tools": None},
    ],
)
def test_accepted(fields: dict[str, Any]) -> None:
    text = CHAT.apply_request(body(**fields)).text
    assert text.startswith('[{"role": "user", "content": "Hi"}]')
    assert CHAT.apply_request(json.dumps(body(**fields))).text == text


def test_messages_are_rebuilt() -> None:
    chat = ChatTemplate.from_string("{% for p in messages[0].content %}{% endfor %}{{ messages|tojson }}")
    messages = [
        {"content": [{"type": "text", "text": "a", "x": 1}], "role": "user", "thinking": "gone"},
        {
            "tool_calls": [
                {"index": 0, "id": "1", **CALL},
                {**CALL, "id": "", "function": {"name": "g", "arguments": [1.0]}},
            ],
            "tool_call_id": "",
            "name": "n",
            "reasoning_content": "r",
            "role": "assistant",
        },
        {"role": "tool", "content": [], "tool_call_id": "1"},
        {"role": "user", "content": None},
        {"role": "assistant", "content": "x", "tool_calls": None},
        USER,
    ]
    before = copy.deepcopy(messages)
    prompt = chat.apply(messages, workarounds=[])
    assert json.loads(prompt.text) == [
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "r",
            "name": "n",
            "tool_calls": [
                {"type": "function", "function": {"name": "f", "arguments": "{}"}, "id": "1"},
                {"type": "function", "function": {"name": "g", "arguments": "[1.0]"}},
            ],
        },
        {"role": "tool", "content": "", "tool_call_id": "1"},
        {"role": "user", "content": ""},
        {"role": "assistant", "content": "x"},
        {"role": "user", "content": "Hi"},
    ]
    assert messages == before


class Text(str):
    """A text of the caller's own type."""


def test_values_of_the_callers_types() -> None:
    message = {"role": Text("user"), "content": Text("Hi")}
    assert CHAT.apply((message,)).text == '[{"role": "user", "content": "Hi"}]'


def test_tools_are_rebuilt() -> None:
    tools = [{"function": {"parameters": None, "name": "f", "strict": True}, "type": "function"}, TOOL]
    prompt = CHAT.apply([], tools=tools)
    assert prompt.context["tools"] == [
        {"type": "function", "function": {"name": "f", "description": "", "parameters": None}},
        {"type": "function", "function": {"name": "f", "description": "", "parameters": {}}},
    ]
    assert list(prompt.context["tools"][0]["function"]) == ["name", "description", "parameters"]
    assert [change.pointer for change in prompt.steps[0].changes][:2] == [
        "/tools/0/function/strict",
        "/tools/0/function/description",
    ]


def test_what_is_empty_goes() -> None:
    message = {"role": "user", "content": "", "name": "", "tool_calls": []}
    messages = ChatTemplate.from_string("x").apply([message, {"content": "Hi", "role": "user"}]).context["messages"]
    assert [list(message.items()) for message in messages] == [
        [("role", "user"), ("content", "")],
        [("role", "user"), ("content", "Hi")],
    ]
