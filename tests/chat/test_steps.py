"""The steps between a request and its template."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from chatjinja import ChatTemplate, RequestError
from chatjinja.chat import FAMILIES, WORKAROUNDS, Change, Workaround
from chatjinja.chat.prompt import differences

USER = {"role": "user", "content": "Hi"}
TEXT = "{% for m in messages %}{{ m.role }}:{{ m.content }}|{% endfor %}"
DUMP = "{% for m in messages %}{{ m|tojson }}\n{% endfor %}"
PARTS = "{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}"
CALLS = "{% for m in messages %}{% for c in m.tool_calls %}{{ c.function.arguments.arg }}{% endfor %}{% endfor %}"
OBJECTS = TEXT + CALLS


def of_family(name: str, body: str = DUMP) -> ChatTemplate:
    family = next(family for family in FAMILIES if family.name == name)
    return ChatTemplate.from_string(f"{{# {' '.join(family.marks)} #}}{body}")


def shown(chat: ChatTemplate, *messages: Any, **options: Any) -> Any:
    """The messages that the template sees; nothing of the caller's changes."""
    before = copy.deepcopy(messages)
    prompt = chat.apply(messages, **options)
    assert messages == before
    return prompt.context["messages"]


def call(arguments: Any = "{}", **fields: Any) -> dict[str, Any]:
    return {**fields, "type": "function", "function": {"name": "f", "arguments": arguments}}


def steps_of(chat: ChatTemplate, *messages: Any) -> dict[str, tuple[Change, ...]]:
    return {step.name: step.changes for step in chat.apply(messages).steps}


# --- every template ------------------------------------------------------------------------------------


def test_parts_are_joined_for_a_template_that_knows_text() -> None:
    parts = [{"type": "text", "text": text} for text in ("", "a", "", "b")]
    chat = ChatTemplate.from_string(TEXT)
    assert chat.apply([{"role": "user", "content": parts}, USER]).text == "user:a\n\nb|user:Hi|"
    assert chat.apply([{"role": "user", "content": parts}], workarounds=[]).text != "user:a\n\nb|"


def test_text_is_wrapped_for_a_template_that_knows_parts() -> None:
    chat = ChatTemplate.from_string(PARTS)
    assert shown(chat, USER, {"role": "user", "content": [{"type": "text", "text": "x"}]}) == [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
        {"role": "user", "content": [{"type": "text", "text": "x"}]},
    ]


def test_step_fun_strips_blanks() -> None:
    part = "{% if m.content is string %}{{ m.content }}{% else %}"
    part += "{% for p in m.content %}{{ p.text }}{% endfor %}{% endif %}"
    both = "{% for m in messages %}" + part + "{% endfor %}"
    chat = ChatTemplate.from_string("{# You have access to the following functions in JSONSchema format #}" + both)
    messages = [
        {"role": "user", "content": " \v\u00a0x\n"},
        {"role": "assistant", "content": "x", "reasoning_content": " r "},
        {"role": "assistant", "content": "x", "reasoning_content": " \n"},
        {"role": "user", "content": [{"type": "text", "text": " p "}]},
        USER,
    ]
    assert shown(chat, *messages) == [
        {"role": "user", "content": "\u00a0x"},
        {"role": "assistant", "content": "x", "reasoning_content": "r"},
        {"role": "assistant", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "p"}]},
        USER,
    ]


def test_developer_becomes_system() -> None:
    assert (
        ChatTemplate.from_string(TEXT).apply([{"role": "developer", "content": "x"}, USER]).text == "system:x|user:Hi|"
    )
    assert shown(of_family("GPT-OSS"), {"role": "developer", "content": "x"})[0]["role"] == "developer"


NO_SYSTEM = "{% for m in messages if m.role != 'system' %}{{ m.role }}:{{ m.content }}|{% endfor %}"


def test_system_is_merged() -> None:
    chat = ChatTemplate.from_string(NO_SYSTEM)
    system = {"role": "system", "content": "S"}
    assert chat.apply([system, USER]).text == "user:S\nHi|"
    assert chat.apply([system, system, USER]).text == "user:Hi|"
    assert chat.apply([system]).text == ""
    assert chat.apply([USER, system]).text == "user:Hi|"
    assert chat.apply([]).text == ""
    assert steps_of(chat, system, USER)["merge-system"] == (
        Change("removed", "/messages/0", system, None),
        Change("changed", "/messages/1/content", "Hi", "S\nHi"),
    )


def test_system_in_parts_cannot_be_merged() -> None:
    parts = [{"type": "text", "text": "x"}]
    workarounds = ["merge-system"]
    no_system = ChatTemplate.from_string(NO_SYSTEM)
    with pytest.raises(RequestError) as caught:
        no_system.apply(
            [{"role": "system", "content": "S"}, {"role": "user", "content": parts}], workarounds=workarounds
        )
    assert (caught.value.status, caught.value.pointer) == (400, "/messages/1/content")
    assert caught.value.reference_message == "[json.exception.type_error.302] type must be string, but is array"
    assert caught.value.message.startswith("messages[1].content: must be text")


def test_arguments_are_parsed() -> None:
    chat = ChatTemplate.from_string(OBJECTS)
    seen = shown(
        chat, USER, {"role": "assistant", "content": "", "tool_calls": [call('{"a": 1}'), call({"a": 2})]}, USER
    )
    assert [item["function"]["arguments"] for item in seen[1]["tool_calls"]] == [{"a": 1}, {"a": 2}]


def test_broken_arguments() -> None:
    chat = ChatTemplate.from_string(NO_SYSTEM + CALLS)
    messages = [
        {"role": "system", "content": "S"},
        USER,
        {"role": "assistant", "content": "", "tool_calls": [call(), call('{"a": ')]},
        {"role": "tool", "content": ""},
    ]
    with pytest.raises(RequestError) as caught:
        chat.apply(messages)
    error = caught.value
    assert error.status == 500
    assert error.pointer == "/messages/2/tool_calls/1/function/arguments"
    assert error.message == (
        "messages[2].tool_calls[1].function.arguments: not valid JSON at character 6: Expecting value"
    )
    assert error.reference_message.startswith(
        "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] "
    )
    for policy, expected in (("keep", '{"a": '), ("empty", {})):
        seen = shown(chat, *messages, arguments=policy)
        assert seen[1]["tool_calls"][1]["function"]["arguments"] == expected


def test_a_lone_surrogate_has_no_place() -> None:
    chat = ChatTemplate.from_string(OBJECTS)
    message = {"role": "assistant", "content": "", "tool_calls": [call('"\\ud800"')]}
    with pytest.raises(RequestError, match=r"arguments: not valid JSON: a surrogate stands alone"):
        chat.apply([message, USER])


# --- families ------------------------------------------------------------------------------------------


def test_ministral() -> None:
    chat = of_family("Ministral 3", TEXT)
    messages = [
        {"role": "system", "content": "S"},
        {"role": "assistant", "content": [{"type": "text", "text": "x"}], "reasoning_content": "r", "name": "n"},
        {"role": "assistant", "content": ""},
        USER,
    ]
    assert shown(chat, *messages, workarounds=["typed-thinking"]) == [
        {"role": "system", "content": [{"type": "text", "text": "S"}]},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "r"}, {"type": "text", "text": "x"}],
            "name": "n",
        },
        {"role": "assistant", "content": [{"type": "text", "text": ""}]},
        USER,
    ]


def test_gpt_oss() -> None:
    calling = {"role": "assistant", "content": "x", "reasoning_content": "r", "tool_calls": [call()]}
    seen = shown(of_family("GPT-OSS"), calling, {"role": "assistant", "content": "y", "reasoning_content": "q"}, USER)
    assert list(seen[0]) == ["role", "reasoning_content", "tool_calls", "thinking"]
    assert seen[1] == {"role": "assistant", "content": "y", "reasoning_content": "q", "thinking": "q"}


def test_lfm2_and_k2_horizon() -> None:
    messages = [
        {"role": "assistant", "content": "x", "reasoning_content": "r"},
        {"role": "assistant", "content": "y"},
        USER,
    ]
    assert [m.get("thinking") for m in shown(of_family("LFM2"), *messages)] == ["r", None, None]
    assert [m.get("reasoning_content") for m in shown(of_family("K2 Horizon"), *messages)] == ["r", "", None]


def test_translate_gemma() -> None:
    chat = of_family("TranslateGemma")
    seen = shown(chat, {"role": "system", "content": "S"}, USER, chat_template_kwargs={"source_lang_code": "cs"})
    assert seen[1]["content"] == [{"type": "text", "text": "Hi", "source_lang_code": "cs", "target_lang_code": "en-GB"}]
    assert seen[0]["content"] == "S"
    with pytest.raises(RequestError) as caught:
        chat.apply([USER], chat_template_kwargs={"target_lang_code": 3})
    assert (caught.value.status, caught.value.pointer) == (400, "/chat_template_kwargs/target_lang_code")


def tool(identity: str, content: str = "") -> dict[str, str]:
    return {"role": "tool", "content": content or identity, "tool_call_id": identity}


def test_deepseek_orders_results() -> None:
    chat = of_family("DeepSeek 4")
    calling = {"role": "assistant", "content": "", "tool_calls": [call(id="a"), call(id="b"), call()]}
    plain = {"role": "assistant", "content": "ok"}
    messages = [calling, tool("b"), USER, tool("a"), tool("?"), plain, tool("b"), tool("a"), {**USER, "role": "x"}]
    seen = [m.get("tool_call_id", m["role"]) for m in shown(chat, *messages)]
    assert seen == ["assistant", "a", "user", "?", "b", "assistant", "a", "b", "x"]


def test_gemma_gathers_responses() -> None:
    chat = of_family("Gemma 4")
    calling = {"role": "assistant", "content": "gone", "reasoning_content": "r", "tool_calls": [call()]}
    answer = {"role": "assistant", "content": "It rains."}
    parts = [{"type": "text", "text": "x"}]
    messages = [
        USER,
        calling,
        {"role": "tool", "content": '{"a": 1}'},
        {"role": "tool", "content": "rain", "tool_call_id": "id2"},
        answer,
        {"role": "assistant", "content": "", "tool_calls": [call()]},
        {"role": "tool", "content": parts},
        USER,
        {"role": "assistant", "content": "", "tool_calls": [call()]},
        {"role": "assistant", "content": "", "tool_calls": [call()]},
    ]
    prompt = chat.apply([*messages, USER], workarounds=["gather-responses"])
    seen = prompt.context["messages"]
    assert seen[1] == {
        "role": "assistant",
        "tool_calls": [call()],
        "tool_responses": [{"name": "f", "response": {"a": 1}}, {"name": "id2", "response": "rain"}],
        "content": "It rains.",
        "reasoning_content": "r",
    }
    assert seen[2]["tool_responses"] == [{"name": "f", "response": parts}]
    assert [m["role"] for m in seen] == ["user", "assistant", "assistant", "user", "assistant", "assistant", "user"]
    assert "tool_responses" not in seen[4]
    alone = chat.apply([USER, calling, {"role": "tool", "content": "x"}])
    assert len(alone.context["messages"]) == 2


# --- choosing steps, and what they report --------------------------------------------------------------


def test_names_are_unique_and_described() -> None:
    assert len({step.name for step in WORKAROUNDS}) == len(WORKAROUNDS)
    assert all(step.what.endswith(".") for step in WORKAROUNDS)
    used = {family.step for family in FAMILIES} - {""}
    assert used <= {step.name for step in WORKAROUNDS}


def test_own_steps() -> None:
    shout = Workaround(
        "shout",
        "Everything is shouted.",
        lambda subject: True,
        lambda messages, wishes: [{**message, "content": message["content"].upper()} for message in messages],
    )
    prompt = ChatTemplate.from_string(TEXT).apply([USER], workarounds=[*WORKAROUNDS, shout])
    assert prompt.text == "user:HI|"
    assert prompt.steps[-1].changes == (Change("changed", "/messages/0/content", "Hi", "HI"),)
    assert prompt.steps is prompt.steps


def test_unknown_step() -> None:
    with pytest.raises(ValueError, match="no workaround is named 'x'; known: strip-blanks, "):
        ChatTemplate.from_string(TEXT).apply([USER], workarounds=["x"])


def test_differences() -> None:
    before = {"a": [1, {"b": 2}], "c": 3, "d/e": 4, "s": [1], "t": 1}
    after = {"a": [1, {"b": 5}], "d/e": None, "s": [1, 2], "t": True, "n": 6}
    assert list(differences(before, after, "")) == [
        Change("changed", "/a/1/b", 2, 5),
        Change("removed", "/c", 3, None),
        Change("changed", "/d~1e", 4, None),
        Change("changed", "/s", [1], [1, 2]),
        Change("changed", "/t", 1, True),
        Change("added", "/n", None, 6),
    ]


def test_what_is_equal_is_no_difference() -> None:
    assert not list(differences({"a": [1.5, "b"]}, {"a": [float("1.5"), "".join(("b",))]}, ""))
