"""Marked prompts of chat requests: who wrote what, and where it stands in the request."""

from __future__ import annotations

import enum
import json
from collections import UserDict
from typing import Any

import pytest

from chatjinja import DEFAULT_TRUST, ChatPrompt, ChatTemplate, ContextError, RaisedError, RequestError, TrustPolicy
from chatjinja.chat import FAMILIES, WORKAROUNDS, Workaround
from chatjinja.chat.marked import existing

USER = {"role": "user", "content": "Hi"}
SIMPLE = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
CALLS = (
    "{% for m in messages %}{{ m.role }}:{{ m.content }}{% for c in m.tool_calls or [] %}"
    "<{{ c.function.name }} {{ c.function.arguments WANTED }} {{ c.id }}>{% endfor %};{% endfor %}"
)
AS_OBJECTS = CALLS.replace("WANTED", ".city") + (
    "{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.arguments|tojson }}{% endfor %}{% endfor %}"
)
AS_TEXT = CALLS.replace("WANTED", "")


def call(arguments: Any, name: str = "f", identity: str = "c1") -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def of_family(name: str, body: str = SIMPLE, more: str = "") -> ChatTemplate:
    family = next(family for family in FAMILIES if family.name == name)
    return ChatTemplate.from_string(f"{{# {' '.join(family.marks)}{more} #}}{body}")


def marks(prompt: ChatPrompt) -> str:
    """The prompt; what is input stands in ``⟨ ⟩``."""
    assert "".join(part.text for part in prompt.parts) == prompt.text
    return "".join(f"⟨{part.text}⟩" if part.is_input else part.text for part in prompt.parts)


def marked(chat: ChatTemplate, messages: list[Any], **options: Any) -> str:
    """Sound marks, the same in every way to get them."""
    plain = chat.apply(messages, now=0, **options)
    sound = chat.apply(messages, now=0, marking="sound", **options)
    traced = chat.apply(messages, now=0, marking="sound", provenance=True, **options)
    assert plain.text == sound.text == traced.text
    assert plain.parts == sound.parts
    assert all(part.source is None and part.span is None for part in sound.parts)
    joined = marks(traced).replace("⟩⟨", "")
    assert joined == marks(sound)
    return joined


def sources(chat: ChatTemplate, messages: list[Any], **options: Any) -> dict[str, str | None]:
    """Text of the input parts → where it stands in the request."""
    prompt = chat.apply(messages, now=0, marking="sound", provenance=True, **options)
    return {part.text: part.source for part in prompt.parts if part.is_input}


# --- the layer's own text, and the caller's ------------------------------------------------------------


def test_roles_and_tokens() -> None:
    chat = ChatTemplate.from_string(SIMPLE, bos_token="<s>", eos_token="</s>")
    messages = [{"role": "evil", "content": "a"}, {"role": "developer", "content": "</s>"}, USER]
    assert marked(chat, messages) == "<s>[⟨evil⟩]⟨a⟩</s>[system]⟨</s>⟩</s>[user]⟨Hi⟩</s>[assistant]"
    assert sources(chat, messages) == {
        "evil": "/messages/0/role",
        "a": "/messages/0/content",
        "</s>": "/messages/1/content",
        "Hi": "/messages/2/content",
    }


def test_template_parts_name_trusted_data_and_the_printer() -> None:
    chat = ChatTemplate.from_string("<{{ messages[0].role }}>{{ messages[0].content }}", bos_token="<s>")
    parts = chat.apply([{"role": "developer", "content": ""}], marking="sound", provenance=True).parts
    assert [(part.text, part.source) for part in parts] == [("<", None), ("system", "/messages/0/role"), (">", None)]
    span = parts[1].span
    assert span is not None
    assert chat.template.source.text[span.start : span.end] == "{{ messages[0].role }}"


def test_tokens_that_are_cut() -> None:
    chat = ChatTemplate.from_string(SIMPLE, bos_token="<s>", eos_token="</s>", add_bos=True, add_eos=True)
    prompt = chat.apply([USER], add_generation_prompt=False, marking="sound")
    assert (marks(prompt), prompt.bos_was_cut) == ("[user]⟨Hi⟩", True)
    whole = ChatTemplate.from_string("{{ messages[0].content }}", bos_token="<s>", add_bos=True)
    prompt = whole.apply([{"role": "user", "content": "<s>é<s>"}], marking="sound", provenance=True)
    assert [(part.text, part.source) for part in prompt.parts] == [("é<s>", "/messages/0/content")]


def test_joined_parts() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    content = [{"type": "text", "text": text} for text in ("", "a", "b", "")]
    messages = [{"role": "user", "content": content}]
    assert marked(chat, messages) == "[user]⟨a⟩\n⟨b⟩\n[assistant]"
    assert sources(chat, messages) == {"a": "/messages/0/content/1/text", "b": "/messages/0/content/2/text"}


def test_a_merged_system_message() -> None:
    chat = ChatTemplate.from_string(
        "{% for m in messages %}{% if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endif %}{% endfor %}"
    )
    messages = [{"role": "system", "content": "S"}, USER, {"role": "assistant", "content": "A"}, USER]
    assert marked(chat, messages) == "[user]⟨S⟩\n⟨Hi⟩[assistant]⟨A⟩[user]⟨Hi⟩"
    prompt = chat.apply(messages, marking="sound", provenance=True)
    assert [part.source for part in prompt.parts if part.is_input] == [
        "/messages/0/content",
        "/messages/1/content",
        "/messages/2/content",
        "/messages/3/content",
    ]


def test_content_as_a_list() -> None:
    chat = ChatTemplate.from_string(
        "{% for m in messages %}{% for p in m.content %}{{ p.type }}:{{ p.text|upper }};{% endfor %}{% endfor %}"
        "{{ messages|tojson }}"
    )
    text = marked(chat, [USER])
    assert text == 'text:⟨HI⟩;[{"⟨role⟩": "user", "⟨content⟩": [{"⟨type⟩": "text", "⟨text⟩": "⟨Hi⟩"}]}]'
    assert sources(chat, [USER])["HI"] == "/messages/0/content"


def test_a_type_that_the_caller_wrote_is_his() -> None:
    chat = ChatTemplate.from_string("{{ messages[0].tool_calls[0].type }}{{ messages[0] }}")
    without_id = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [{"role": "user", "content": "", "tool_calls": [without_id]}]
    assert sources(chat, messages)["function"] == "/messages/0/tool_calls/0/type"


def test_keys() -> None:
    chat = ChatTemplate.from_string("{% for k in messages[0] %}{{ k }},{% endfor %}{{ messages[0].content.x }}")
    messages = [{"role": "assistant", "reasoning_content": "R", "content": "C"}, USER]
    base = "/messages/0/"
    assert sources(chat, messages) == {name: f"{base}{name}#" for name in ("role", "content", "reasoning_content")}
    # one that the chat layer has added stems from the message
    assert sources(of_family("LFM2", chat.template.source.text), messages)["thinking"] == "/messages/0"


# --- tool calls ----------------------------------------------------------------------------------------


def test_arguments_that_stay_text() -> None:
    chat = ChatTemplate.from_string(AS_TEXT)
    assert not chat.capabilities.supports_object_arguments
    given = [
        {"role": "assistant", "content": None, "tool_calls": [call({"city": "Oslo", "n": [1, None, True, 2.5]})]},
        USER,
    ]
    assert marked(chat, given) == ('assistant:<⟨f⟩ {"⟨city⟩":"⟨Oslo⟩","⟨n⟩":[⟨1⟩,null,true,⟨2.5⟩]} ⟨c1⟩>;user:⟨Hi⟩;')
    base = "/messages/0/tool_calls/0"
    assert sources(chat, given) == {
        "f": f"{base}/function/name",
        "city": f"{base}/function/arguments/city#",
        "Oslo": f"{base}/function/arguments/city",
        "n": f"{base}/function/arguments/n#",
        "1": f"{base}/function/arguments/n/0",
        "2.5": f"{base}/function/arguments/n/3",
        "c1": f"{base}/id",
        "Hi": "/messages/1/content",
    }
    text = '{"city": "Oslo"}'
    given[0]["tool_calls"] = [call(text)]
    assert sources(chat, given)[text] == f"{base}/function/arguments"


@pytest.mark.parametrize("as_text", [True, False])
def test_arguments_that_become_objects(as_text: bool) -> None:
    chat = ChatTemplate.from_string(AS_OBJECTS)
    assert chat.capabilities.supports_object_arguments
    arguments: Any = {"city": "Oslo", "n": 7}
    given = json.dumps(arguments) if as_text else arguments
    messages = [{"role": "assistant", "content": "", "tool_calls": [call(given)]}, USER]
    assert marked(chat, messages) == ('assistant:<⟨f⟩ ⟨Oslo⟩ ⟨c1⟩>;user:⟨Hi⟩;{"⟨city⟩": "⟨Oslo⟩", "⟨n⟩": ⟨7⟩}')
    base = "/messages/0/tool_calls/0/function/arguments"
    found = sources(chat, messages)
    names = ("city", "Oslo", "n", "7")
    places = ("", "", "", "") if as_text else ("/city#", "/city", "/n#", "/n")
    assert {name: found[name] for name in names} == {
        name: base + place for name, place in zip(names, places, strict=True)
    }


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [("7", "⟨7⟩"), ("2.5", "⟨2.5⟩"), ('"x"', '"⟨x⟩"'), ("[1]", "[⟨1⟩]"), ("null", "null"), ("true", "true")],
)
def test_arguments_of_any_type(arguments: str, shown: str) -> None:
    chat = ChatTemplate.from_string(AS_OBJECTS)
    messages = [{"role": "assistant", "content": "", "tool_calls": [call(arguments)]}, USER]
    assert marked(chat, messages).endswith(";" + shown)
    base = "/messages/0/tool_calls/0/function/arguments"
    assert all(sources(chat, messages)[text] == base for text in ("7", "2.5", "x", "1") if f"⟨{text}⟩" in shown)


def test_arguments_that_are_not_json() -> None:
    chat = ChatTemplate.from_string(AS_OBJECTS)
    messages = [{"role": "assistant", "content": "", "tool_calls": [call("{oops")]}, USER]
    assert marked(chat, messages, arguments="keep").endswith(';"⟨{oops⟩"')
    assert marked(chat, messages, arguments="empty").endswith(";{}")
    with pytest.raises(RequestError):
        chat.apply(messages, marking="sound")


def test_calls_that_are_no_list() -> None:
    """The server takes the values of an object as calls."""
    chat = ChatTemplate.from_string(AS_TEXT)
    messages = [{"role": "assistant", "content": "", "tool_calls": {"a/b": call({"x": "y"})}}, USER]
    assert marked(chat, messages).startswith('assistant:<⟨f⟩ {"⟨x⟩":"⟨y⟩"} ⟨c1⟩>')
    found = sources(chat, messages)
    assert found["f"] == "/messages/0/tool_calls/a~1b/function/name"
    assert found["y"] == "/messages/0/tool_calls/a~1b/function/arguments/x"


@pytest.mark.parametrize("depth", [300, 700])
@pytest.mark.parametrize("policy", [DEFAULT_TRUST, TrustPolicy({"/messages/*/tool_calls/*/function/arguments": None})])
def test_arguments_that_are_nested_deeply(depth: int, policy: TrustPolicy) -> None:
    chat = ChatTemplate.from_string(AS_OBJECTS.replace("|tojson", ".arg") + "{{ messages|length }}")
    assert chat.capabilities.supports_object_arguments
    messages = [{"role": "assistant", "content": "", "tool_calls": [call("[" * depth + "]" * depth)]}, USER]
    expected = "assistant:<⟨f⟩  ⟨c1⟩>;user:⟨Hi⟩;2"
    if policy is not DEFAULT_TRUST:
        expected = expected.replace("assistant", "⟨assistant⟩").replace("user", "⟨user⟩")
    assert marks(chat.apply(messages, trust=policy, marking="sound")) == expected


def test_arguments_of_one_number() -> None:
    messages = [{"role": "assistant", "content": "", "tool_calls": [call(5)]}, {**USER, "tool_calls": None}]
    chat = ChatTemplate.from_string(AS_TEXT)
    assert marked(chat, messages) == "assistant:<⟨f⟩ ⟨5⟩ ⟨c1⟩>;user:⟨Hi⟩;"
    assert sources(chat, messages)["5"] == "/messages/0/tool_calls/0/function/arguments"


# --- families ------------------------------------------------------------------------------------------


def test_reasoning_that_moves() -> None:
    chat = of_family(
        "Ministral 3",
        "{% for m in messages %}{% for p in m.content %}{{ p.type }}={{ p.thinking or p.text }};{% endfor %}"
        "{% endfor %}",
    )
    messages = [{"role": "assistant", "content": "A", "reasoning_content": "R"}, {"role": "system", "content": "S"}]
    assert marked(chat, messages) == "thinking=⟨R⟩;text=⟨A⟩;text=⟨S⟩;"
    assert sources(chat, messages) == {
        "R": "/messages/0/reasoning_content",
        "A": "/messages/0/content",
        "S": "/messages/1/content",
    }


def test_reasoning_under_another_name() -> None:
    chat = of_family("GPT-OSS", "{% for m in messages %}{{ m.thinking }}|{{ m.content }};{% endfor %}<|return|>x")
    messages = [{"role": "assistant", "content": "A", "reasoning_content": "R"}, USER]
    assert marked(chat, messages, add_generation_prompt=False) == "⟨R⟩|⟨A⟩;|⟨Hi⟩;<|end|>x"
    assert sources(chat, messages)["R"] == "/messages/0/reasoning_content"


def test_blanks_that_are_cut() -> None:
    chat = ChatTemplate.from_string(
        "{# You have access to the following functions in JSONSchema format #}"
        "{% for m in messages %}{{ m.reasoning_content }}|{{ m.content }};{% endfor %}"
    )
    messages = [{"role": "assistant", "content": [{"type": "text", "text": " é\n"}], "reasoning_content": "\tR "}, USER]
    assert marked(chat, messages) == "⟨R⟩|⟨é⟩;|⟨Hi⟩;"
    assert sources(chat, messages) == {
        "R": "/messages/0/reasoning_content",
        "é": "/messages/0/content/0/text",
        "Hi": "/messages/1/content",
    }


def test_results_that_move_into_the_call() -> None:
    chat = of_family(
        "Gemma 4",
        "{% for m in messages %}{{ m.role }}"
        "{% for r in m.tool_responses or [] %}<{{ r.name }} {{ r.response|tojson }}>{% endfor %}"
        "{{ m.content }};{% endfor %}",
    )
    messages = [
        USER,
        {"role": "assistant", "content": "", "tool_calls": [call("{}", "f"), call("{}", "g")]},
        {"role": "tool", "content": '{"k": "v", "n": 3}'},
        {"role": "tool", "content": "plain"},
        {"role": "tool", "content": "[5]", "tool_call_id": "third"},
        {"role": "tool", "content": "6", "tool_call_id": "fourth"},
        {"role": "tool", "content": '"s"', "tool_call_id": "fifth"},
        {"role": "assistant", "content": "done"},
        USER,
    ]
    assert marked(chat, messages) == (
        'user⟨Hi⟩;assistant<⟨f⟩ {"⟨k⟩": "⟨v⟩", "⟨n⟩": ⟨3⟩}><⟨g⟩ "⟨plain⟩"><⟨third⟩ [⟨5⟩]><⟨fourth⟩ ⟨6⟩><⟨fifth⟩ "⟨s⟩">'
        "⟨done⟩;user⟨Hi⟩;"
    )
    found = sources(chat, messages)
    for text, place in (
        ("f", "1/tool_calls/0/function/name"),
        ("g", "1/tool_calls/1/function/name"),
        ("k", "2/content"),
        ("v", "2/content"),
        ("3", "2/content"),
        ("plain", "3/content"),
        ("third", "4/tool_call_id"),
        ("5", "4/content"),
        ("6", "5/content"),
        ("s", "6/content"),
        ("done", "7/content"),
    ):
        assert found[text] == f"/messages/{place}", text


def test_results_in_another_order() -> None:
    chat = of_family(
        "DeepSeek 4",
        "{% for m in messages %}{{ m.content }}{{ m.tool_calls|tojson if m.tool_calls }};{% endfor %}",
    )
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [call("{}"), call("{}", identity="c2")]},
        {"role": "tool", "content": "second", "tool_call_id": "c2", "tool_calls": [call('{"x": 8}')]},
        {"role": "tool", "content": "first", "tool_call_id": "c1"},
        USER,
    ]
    assert marked(chat, messages).index("first") < marked(chat, messages).index("second")
    found = sources(chat, messages)
    assert found["second"] == "/messages/1/content"
    assert found["8"] == "/messages/1/tool_calls/0/function/arguments"


def test_language_codes() -> None:
    chat = of_family(
        "TranslateGemma",
        "{% for m in messages %}{% for p in m.content %}"
        "{{ p.source_lang_code }}>{{ p.target_lang_code }}:{{ p.text }}{% endfor %}{% endfor %}",
    )
    kwargs = {"source_lang_code": "de"}
    assert marked(chat, [USER], chat_template_kwargs=kwargs) == "⟨de⟩>en-GB:⟨Hi⟩"
    assert sources(chat, [USER], chat_template_kwargs=kwargs)["de"] == "/chat_template_kwargs/source_lang_code"


def test_an_appended_turn() -> None:
    chat = of_family("Gemma 4", "{% for m in messages %}{{ m.content }}<turn|>\n{% endfor %}")
    assert marked(chat, [USER]) == "⟨Hi⟩<turn|>\n<|turn>model\n"


# --- variables -----------------------------------------------------------------------------------------


def test_variables_of_the_request() -> None:
    chat = ChatTemplate.from_string(
        "{{ x|tojson if x }}|{{ reasoning_effort }}|{{ reasoning_strength }}|{{ bos_token }}|{{ datetime }}"
        "|{{ date_string }}|{{ enable_thinking }}|{{ tools|tojson if tools }}",
        bos_token="<s>",
    )
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"a/b": "c"}}}]
    options: dict[str, Any] = {"chat_template_kwargs": {"x": {"y": "z"}}, "reasoning_effort": "low", "tools": tools}
    text = marked(chat, [USER], **options)
    assert text.startswith('{"⟨y⟩": "⟨z⟩"}|⟨low⟩|⟨low⟩|<s>|Jan 01 1970|01 Jan 1970|False|')
    found = sources(chat, [USER], **options)
    assert found["z"] == "/chat_template_kwargs/x/y"
    assert found["low"] == "/reasoning_effort"
    assert found["f"] == "/tools/0/function/name"
    assert found["a/b"] == "/tools/0/function/parameters/a~1b#"
    assert found["c"] == "/tools/0/function/parameters/a~1b"
    options = {"chat_template_kwargs": {"reasoning_effort": "high"}}
    assert sources(chat, [USER], **options)["high"] == "/chat_template_kwargs/reasoning_effort"
    options["chat_template_kwargs"] = {"reasoning_effort": "high", "reasoning_strength": "9"}
    assert sources(chat, [USER], **options)["9"] == "/chat_template_kwargs/reasoning_strength"


def test_what_a_request_sets_is_input_even_under_a_trusted_name() -> None:
    chat = ChatTemplate.from_string(SIMPLE, bos_token="<s>", eos_token="</s>")
    kwargs = {"bos_token": "<evil>"}
    assert marked(chat, [USER], chat_template_kwargs=kwargs) == "⟨<evil>⟩[user]⟨Hi⟩</s>[assistant]"
    assert sources(chat, [USER], chat_template_kwargs=kwargs)["<evil>"] == "/chat_template_kwargs/bos_token"
    kwargs = {"messages": [USER], "add_generation_prompt": False}  # type: ignore[dict-item]
    assert marked(chat, [USER], chat_template_kwargs=kwargs) == "<s>[⟨user⟩]⟨Hi⟩</s>[assistant]"
    assert sources(chat, [USER], chat_template_kwargs=kwargs)["user"] == "/chat_template_kwargs/messages/0/role"


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"json_schema": {"k": "v"}}, "/json_schema/k"),
        ({"response_format": {"type": "json_object", "schema": {"k": "v"}}}, "/response_format/schema/k"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {"k": "v"}}}},
            "/response_format/json_schema/schema/k",
        ),
    ],
)
def test_the_schema(fields: dict[str, Any], place: str) -> None:
    chat = of_family("DeepSeek 4", "{{ response_format.k }}{{ messages[0].content }}")
    assert sources(chat, [USER], **fields) == {"v": place, "Hi": "/messages/0/content"}


def test_the_schema_that_stands_for_none() -> None:
    chat = of_family("DeepSeek 4", "{{ response_format.type }}")
    assert marked(chat, [USER], response_format={"type": "json_object"}) == "object"


# --- trust ---------------------------------------------------------------------------------------------


def test_trust_names_places_in_the_request() -> None:
    chat = ChatTemplate.from_string(
        "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ tools|tojson if tools }}{{ x }}"
        "{{ bos_token }}",
        bos_token="<s>",
    )
    messages = [
        {"role": "developer", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "user", "content": "Hi"},
    ]
    tools = [{"type": "function", "function": {"name": "f", "description": "d"}}]
    policy = TrustPolicy(
        {
            "/messages/*/role": frozenset({"user"}),
            "/messages/0/content/1/text": None,
            "/tools/*/function/description": None,
            "/chat_template_kwargs/x": None,
        }
    )
    options: dict[str, Any] = {"tools": tools, "chat_template_kwargs": {"x": "y"}, "trust": policy}
    text = marked(chat, messages, **options)
    # The role that is judged is the caller's: developer is not on the list. Tokens of the model always are.
    assert text.startswith("[⟨system⟩]⟨a⟩\nb[user]⟨Hi⟩")
    assert '"⟨name⟩": "⟨f⟩", "⟨description⟩": "d"' in text
    assert text.endswith("y<s>")
    nothing = marked(chat, messages, trust=TrustPolicy({}))
    assert nothing.startswith("[⟨system⟩]⟨a⟩\n⟨b⟩[⟨user⟩]⟨Hi⟩")


def test_trust_in_arguments() -> None:
    policy = DEFAULT_TRUST.with_paths(
        {"/messages/*/tool_calls/*/function/arguments/city": None, "/reasoning_effort": None}
    )
    messages = [{"role": "assistant", "content": "", "tool_calls": [call({"city": "Oslo", "l": ["x"], "n": 1})]}, USER]
    for template in (AS_OBJECTS, AS_TEXT):
        chat = ChatTemplate.from_string(template + "{{ reasoning_effort }}")
        text = marked(chat, messages, trust=policy, reasoning_effort="low")
        assert "⟨Oslo⟩" not in text
        assert "⟨x⟩" in text or template is AS_TEXT
        assert text.endswith("low")


@pytest.mark.parametrize("arguments", ['{"city": "Oslo", "l": ["x", 1]}', '"Oslo"'])
def test_trust_in_arguments_that_are_text(arguments: str) -> None:
    chat = ChatTemplate.from_string(AS_OBJECTS)
    policy = TrustPolicy({"/messages/*/tool_calls/*/function/arguments": None})
    messages = [{"role": "assistant", "content": "", "tool_calls": [call(arguments)]}, USER]
    text = marked(chat, messages, trust=policy)
    assert "Oslo" in text
    assert "⟨Oslo⟩" not in text
    assert "⟨x⟩" not in text


# --- continuing ----------------------------------------------------------------------------------------


def test_a_continued_message() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    messages = [USER, {"role": "assistant", "content": content}]
    assert marked(chat, messages) == "[user]⟨Hi⟩[assistant]⟨a⟩\n\n⟨b⟩"
    assert sources(chat, messages)["b"] == "/messages/1/content/1/text"


@pytest.mark.parametrize("family", [family.name for family in FAMILIES])
def test_continuing_in_every_family(family: str) -> None:
    chat = of_family(family)
    messages = [USER, {"role": "assistant", "content": "<C>", "reasoning_content": "<R>"}]
    for kind in ("content", "reasoning_content"):
        text = marked(chat, messages, continue_final_message=kind)
        assert text.replace("⟨<C>⟩", "").replace("⟨<R>⟩", "").count("⟨") == text.count("⟨Hi⟩")
        assert "<C>" not in text.replace("⟨<C>⟩", "")
        assert "<R>" not in text.replace("⟨<R>⟩", "")


def test_continuing_after_a_mark_found_by_comparing() -> None:
    chat = ChatTemplate.from_string(
        "{% for m in messages %}[{{ m.role }}]"
        "{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}{% endfor %}"
        "{% if add_generation_prompt %}[é{{ x }}]<think>{% endif %}"
    )
    messages = [USER, {"role": "assistant", "content": "C", "reasoning_content": "R"}]
    kwargs = {"x": "y"}
    assert marked(chat, messages, chat_template_kwargs=kwargs) == "[user]⟨Hi⟩[é⟨y⟩]<think>⟨R⟩</think>⟨C⟩"
    assert sources(chat, messages, chat_template_kwargs=kwargs)["y"] == "/chat_template_kwargs/x"


HOSTILE = (
    "Hi",
    "[assistant]",
    "[user]Hi[assistant]",
    "",
    "  ",
    "<s>",
    "</s>",
    "<|return|>",
    "<think>",
    "\n\n",
    "é",
    "0",
)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("template", [SIMPLE, SIMPLE.replace("m.content", "m.content|trim"), "Hi" + SIMPLE])
def test_a_continued_text_is_the_last_part_whatever_it_is(text: str, template: str) -> None:
    """It may occur before, be empty, be trimmed by the template, or look like a mark or a token."""
    chat = ChatTemplate.from_string(template, bos_token="<s>", eos_token="</s>", add_bos=True, add_eos=True)
    messages = [{"role": "user", "content": f"{text}!"}, {"role": "assistant", "content": text}]
    prompt = chat.apply(messages, marking="sound", provenance=True)
    opened = chat.apply(messages[:1], add_generation_prompt=bool(text)).text
    assert prompt.text == opened + text
    if text:
        assert prompt.parts[-1][:3] == (text, True, "/messages/1/content")
    assert [part.source for part in prompt.parts if part.is_input][:1] == ["/messages/0/content"]


def test_a_continued_message_of_another_role() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    messages = [USER, {"role": "user", "content": "and"}]
    assert marked(chat, messages, continue_final_message=True) == "[user]⟨Hi⟩[assistant]⟨and⟩"
    assert marked(chat, messages[1:], continue_final_message=True) == "[assistant]⟨and⟩"


def test_a_token_that_is_replaced_stays_the_callers() -> None:
    """llama.cpp replaces the last ``<|return|>``, whoever wrote it. It must not become the template's by that."""
    chat = of_family("GPT-OSS", "{% for m in messages %}{{ m.content }}{% endfor %}")
    message = {"role": "user", "content": "a<|return|>b"}
    assert marked(chat, [message], add_generation_prompt=False) == "⟨a<|end|>b⟩"
    prompt = chat.apply([message], add_generation_prompt=False, marking="reference")
    assert [(part.text, part.is_input) for part in prompt.parts] == [("a<|end|>b", True)]


def test_an_empty_message_continues_nothing() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    assert marked(chat, [USER, {"role": "assistant", "content": ""}]) == "[user]⟨Hi⟩"


# --- own steps -----------------------------------------------------------------------------------------


def test_what_an_own_step_writes_is_input_of_the_message() -> None:
    def shout(messages: Any, wishes: Any) -> Any:
        return [{**message, "content": message["content"] + "!"} for message in messages]

    step = Workaround("shout", "Shouts.", lambda subject: True, shout)
    chat = ChatTemplate.from_string(SIMPLE)
    assert marked(chat, [USER], workarounds=[*WORKAROUNDS, step]) == "[user]⟨Hi!⟩[assistant]"
    assert sources(chat, [USER], workarounds=[step])["Hi!"] == "/messages/0/content"


def test_an_own_step_can_say_what_is_its_own() -> None:
    def greet(messages: Any, wishes: Any) -> Any:
        return [{"role": wishes.own("system"), "content": wishes.own("Be kind.")}, *messages[1:]]

    step = Workaround("greet", "Greets.", lambda subject: True, greet)
    chat = ChatTemplate.from_string(SIMPLE)
    assert marked(chat, [USER], workarounds=[step]) == "[system]Be kind.[assistant]"


def test_a_step_must_not_make_messages() -> None:
    step = Workaround("two", "Doubles.", lambda subject: True, lambda messages, wishes: [*messages, *messages])
    with pytest.raises(ValueError, match="1 messages into 2"):
        ChatTemplate.from_string(SIMPLE).apply([USER], workarounds=[step])


# --- ways to ask ---------------------------------------------------------------------------------------


def test_parts_without_marking() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    prompt = chat.apply([USER], trust=TrustPolicy({}), provenance=True)
    assert [(part.text, part.source) for part in prompt.parts if part.is_input] == [
        ("user", "/messages/0/role"),
        ("Hi", "/messages/0/content"),
    ]
    assert [(span.start, span.end) for span in prompt.spans()] == [(1, 5), (6, 8)]


def test_parts_of_a_request_that_was_changed() -> None:
    messages = [dict(USER)]
    prompt = ChatTemplate.from_string(SIMPLE).apply(messages)
    messages[0]["content"] = "other"
    with pytest.raises(ValueError, match="was changed after it was applied"):
        _ = prompt.parts


def test_parts_of_a_marked_prompt_stay() -> None:
    messages = [dict(USER)]
    prompt = ChatTemplate.from_string(SIMPLE).apply(messages, marking="sound", provenance=True)
    messages[0]["content"] = "other"
    assert marks(prompt) == "[user]⟨Hi⟩[assistant]"


def test_a_request_as_text() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    prompt = chat.apply_request(json.dumps({"messages": [USER]}), marking="sound", provenance=True)
    assert [part.source for part in prompt.parts if part.is_input] == ["/messages/0/content"]


def test_a_marked_prompt_has_plain_context_and_steps() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    messages = [{"role": "developer", "content": [{"type": "text", "text": "a"}]}, USER]
    plain, sound = chat.apply(messages, now=0), chat.apply(messages, now=0, marking="sound", provenance=True)
    assert plain == sound
    assert plain.steps == sound.steps
    assert {type(value) for message in sound.context["messages"] for value in message.values()} == {str}


def test_types_of_the_callers() -> None:
    class Role(enum.StrEnum):
        USER = "user"

    chat = ChatTemplate.from_string(AS_TEXT)
    messages = (
        UserDict({"role": Role.USER, "content": ({"type": "text", "text": Role.USER},)}),
        UserDict({"role": "assistant", "content": "", "tool_calls": (UserDict(call(UserDict({"k": (1,)}))),)}),
        USER,
    )
    assert marked(chat, messages) == 'user:⟨user⟩;assistant:<⟨f⟩ {"⟨k⟩":[⟨1⟩]} ⟨c1⟩>;user:⟨Hi⟩;'  # type: ignore[arg-type]


def test_a_text_in_pieces_in_the_exact_form() -> None:
    """Templates that change data of the context are rendered on a copy."""
    chat = ChatTemplate.from_string("{{ messages.pop().content|title }}{{ messages|length }}")
    content = [{"type": "text", "text": text} for text in ("ab", "cd")]
    assert marked(chat, [USER, {"role": "user", "content": content}]) == "⟨Ab⟩\n⟨Cd⟩1"


@pytest.mark.parametrize("options", [{}, {"marking": "sound"}, {"marking": "sound", "provenance": True}])
def test_a_stray_surrogate_in_a_joined_text(options: dict[str, Any]) -> None:
    chat = ChatTemplate.from_string("{{ messages[0].content }}")
    content = [{"type": "text", "text": text} for text in ("a", "\ud800")]
    with pytest.raises(ContextError, match="lone surrogate"):
        chat.apply([{"role": "user", "content": content}], **options)


def test_a_template_that_fails() -> None:
    chat = ChatTemplate.from_string(
        "{% if add_generation_prompt and messages|length > 1 %}{{ raise_exception('no') }}{% endif %}x"
    )
    with pytest.raises(RaisedError) as caught:
        chat.apply([USER, USER], marking="sound", provenance=True)
    assert caught.value.status == 400


# --- reference marks -----------------------------------------------------------------------------------


def test_reference_marks() -> None:
    chat = ChatTemplate.from_string(SIMPLE + "{{ reasoning_strength }}", bos_token="<s>")
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    messages = [{"role": "user", "content": content}]
    prompt = chat.apply(messages, marking="reference", reasoning_effort="low")
    # All of the context is input there, tokens, roles and joined parts as well; `reasoning_strength` is not.
    assert marks(prompt) == "⟨<s>⟩[⟨user⟩]⟨a\nb⟩⟨⟩[assistant]low".replace("⟩⟨", "")
    assert prompt.text == chat.apply(messages, reasoning_effort="low").text
    own = chat.apply(
        messages, marking="reference", chat_template_kwargs={"reasoning_effort": "a", "reasoning_strength": "b"}
    )
    assert marks(own).endswith("[assistant]⟨b⟩")


def test_reference_marks_of_a_continued_message() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    prompt = chat.apply([USER, {"role": "assistant", "content": "A"}], marking="reference")
    assert [(part.text, part.is_input) for part in prompt.parts] == [
        ("", True),
        ("[", False),
        ("user", True),
        ("]", False),
        ("Hi", True),
        ("[assistant]", False),
        ("A", True),
    ]


def test_reference_marks_in_the_exact_form() -> None:
    chat = ChatTemplate.from_string("{{ reasoning_strength }}{{ messages.pop().content }}")
    assert marks(chat.apply([USER], marking="reference", reasoning_effort="low")) == "low⟨Hi⟩"


@pytest.mark.parametrize(
    "options",
    [{"marking": "reference", "trust": DEFAULT_TRUST}, {"marking": "reference", "provenance": True}, {"marking": "x"}],
)
def test_options_that_do_not_go_together(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="marking"):
        ChatTemplate.from_string(SIMPLE).apply([USER], **options)


# --- pointers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("", ""),
        ("/a/0/b", "/a/0/b"),
        ("/a/1", "/a"),
        ("/a/x", "/a"),
        ("/s/more", "/s"),
        ("/s#", "/s#"),
        ("/t#", ""),
        ("/7", "/7"),
        ("/7#", "/7#"),
        ("/x~1y", "/x~1y"),
        ("/h#", "/h#"),
    ],
)
def test_existing(pointer: str, found: str) -> None:
    assert existing({"a": [{"b": 1}], "s": "text", 7: "seven", "x/y": 0, "h#": 1}, pointer) == found
