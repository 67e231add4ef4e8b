"""`ChatTemplate`: from a request to a prompt."""

from __future__ import annotations

import json
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest

from chatjinja import ChatTemplate, Limits, RaisedError, RequestError, TemplateError, TemplateSyntaxError
from chatjinja.chat import FAMILIES
from chatjinja.chat.models import Model
from chatjinja.chat.sources import CHATML

USER = {"role": "user", "content": "Hi"}
TOOL = {"type": "function", "function": {"name": "f"}}
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
SIMPLE = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
TOKENS: dict[str, Any] = {"bos_token": "<s>", "eos_token": "</s>"}


def of_family(name: str, body: str = SIMPLE, more: str = "") -> ChatTemplate:
    family = next(family for family in FAMILIES if family.name == name)
    return ChatTemplate.from_string(f"{{# {' '.join(family.marks)}{more} #}}{body}")


# --- the prompt ----------------------------------------------------------------------------------------


def test_prompt() -> None:
    prompt = ChatTemplate.from_string(SIMPLE, **TOKENS).apply([USER])
    assert prompt.text == "<s>[user]Hi</s>[assistant]"
    assert (prompt.template_name, prompt.family, prompt.bos_was_cut) == ("default", "generic", False)
    assert prompt.context["add_generation_prompt"] is True
    assert repr(prompt) == f"ChatPrompt({prompt.text!r}, template_name='default', family='generic')"
    assert [part.text for part in prompt.parts if part.is_input] == ["Hi"]


def test_prompts_are_compared_by_what_they_say() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    first, second = chat.apply([USER], now=NOON), chat.apply([USER], now=NOON)
    assert first == second
    assert hash(first) == hash(second)
    assert first != chat.apply([USER], now=NOON, chat_template_kwargs={"x": 1})
    assert first != first.text


def test_tokens_that_the_tokenizer_adds_are_cut_once() -> None:
    chat = ChatTemplate.from_string("{{ bos_token }}" + SIMPLE, add_bos=True, add_eos=True, **TOKENS)
    prompt = chat.apply([USER], add_generation_prompt=False)
    assert (prompt.text, prompt.bos_was_cut) == ("<s>[user]Hi", True)
    silent = ChatTemplate.from_string("{{ messages[0].content }}", add_bos=True, **TOKENS)
    assert not silent.apply([USER]).bos_was_cut


def test_no_generation_prompt() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    prompt = chat.apply([USER], add_generation_prompt=False)
    assert prompt.text == "[user]Hi"
    assert "add_generation_prompt" not in prompt.context
    assert chat.apply([USER], add_generation_prompt=True).text == "[user]Hi[assistant]"


def test_variables() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    kwargs = {"preserve_reasoning": True, "x": 1, "messages": [USER, USER], "clear_thinking": 5}
    context = chat.apply([USER], tools=[TOOL], chat_template_kwargs=kwargs, reasoning_effort="low", now=NOON).context
    assert context == {
        "messages": [USER, USER],
        "bos_token": "",
        "eos_token": "",
        "enable_thinking": False,
        "tools": [{"type": "function", "function": {"name": "f", "description": "", "parameters": {}}}],
        "datetime": "Mar 04 2026",
        "date_string": "04 Mar 2026",
        "preserve_reasoning": True,
        "preserve_thinking": True,
        "clear_thinking": 5,
        "truncate_history_thinking": False,
        "drop_thinking": False,
        "reasoning_effort": "low",
        "reasoning_strength": "low",
        "x": 1,
        "add_generation_prompt": True,
    }


def test_thinking() -> None:
    chat = of_family("Kimi K2")
    body = {"messages": [USER]}

    def thinking(**fields: Any) -> Any:
        return chat.apply_request({**body, **fields}).context["enable_thinking"]

    assert thinking() is True
    assert thinking(reasoning_effort="none") is False
    assert thinking(reasoning_effort="none", chat_template_kwargs={"enable_thinking": True}) is True
    assert thinking(chat_template_kwargs={"enable_thinking": False}) is False
    assert thinking(chat_template_kwargs={"enable_thinking": 0}) == 0
    effort = chat.apply([USER], reasoning_effort="none", chat_template_kwargs={"reasoning_effort": "low"}).context
    assert "reasoning_effort" not in effort
    assert of_family("GigaChat 3").apply([USER]).context["enable_thinking"] is False
    assert of_family("Qwen3-Coder").apply([USER]).context["enable_thinking"] is False
    assert of_family("Qwen3-Coder", more="<think>").apply([USER]).context["enable_thinking"] is True


def test_schema() -> None:
    chat = of_family("DeepSeek 4")
    for form, expected in (
        ({"type": "json_object"}, {"type": "object"}),
        ({"type": "json_schema", "json_schema": {"schema": {"a": 1}}}, {"a": 1}),
    ):
        assert chat.apply([USER], response_format=form).context["response_format"] == expected
    assert "response_format" not in chat.apply([USER], json_schema=[1]).context
    assert "response_format" not in of_family("DeepSeek 3.2").apply([USER], json_schema={"a": 1}).context


def test_clock_is_read_once() -> None:
    calls = []

    def now() -> datetime:
        calls.append(1)
        return NOON

    chat = ChatTemplate.from_string("{{ strftime_now('%Y') }}{% if not add_generation_prompt %}x{% endif %}")
    assert chat.apply([USER], now=now).text == "2026"
    assert len(calls) == 1


def test_one_template_can_be_used_again_and_again() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    assert repr(chat) == "<ChatTemplate 'default' of a text, family generic>"
    assert chat.template.source.text == SIMPLE
    assert chat.family.name == "generic"
    assert chat.capabilities is chat.capabilities


# --- continuing ----------------------------------------------------------------------------------------

THOUGHT = (
    "{% for m in messages %}[{{ m.role }}]"
    "{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% if enable_thinking %}<think>{% endif %}{% endif %}"
)


def continued(chat: ChatTemplate, kind: Any = True, **message: Any) -> str:
    return chat.apply([USER, {"role": "assistant", **message}], continue_final_message=kind).text


def test_generic_continuation() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    assert continued(chat, content="We") == "[user]Hi[assistant]We"
    assert continued(chat, "reasoning_content", content="We") == "[user]Hi[assistant]"
    assert continued(chat, content="") == "[user]Hi"
    assert continued(chat, content="", name="n") == "[user]Hi[assistant]"
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": ""}, {"type": "text", "text": "b"}]
    assert continued(chat, content=parts) == "[user]Hi[assistant]a\n\n\n\nb"
    assert chat.apply([USER, {"role": "assistant", "content": "We"}]).text == "[user]Hi[assistant]We"
    assert chat.apply([], continue_final_message=True).text == ""
    assert chat.apply([USER], continue_final_message=True).text == "[assistant]Hi"


def test_continued_reasoning() -> None:
    chat = ChatTemplate.from_string(THOUGHT)
    assert continued(chat, content="", reasoning_content="hm") == "[user]Hi[assistant]<think>hm"
    assert continued(chat, content="So", reasoning_content="hm") == "[user]Hi[assistant]<think>hm</think>So"
    assert continued(chat, "reasoning_content", content="So", reasoning_content="hm") == "[user]Hi[assistant]<think>hm"
    assert continued(chat, "content", content="", reasoning_content="hm") == "[user]Hi[assistant]<think>hm</think>"


def test_the_text_of_the_continued_message_may_occur_before() -> None:
    chat = ChatTemplate.from_string("{% for m in messages %}{{ m.content|trim }}|{% endfor %}")
    messages = [{"role": "user", "content": " We "}, {"role": "assistant", "content": " We "}]
    assert chat.apply(messages).text == "We| We "


HARMONY = "<|start|>assistant<|channel|>analysis<|message|>R<|end|><|start|>assistant<|channel|>final<|message|>C"
PREFILLS = {
    "Ministral 3": "[THINK]R[/THINK]C",
    "LLM-jp Harmony": HARMONY,
    "GPT-OSS": HARMONY,
    "Muse Glimmer": "<|start|>assistant to=self<|message|>R<|eom|><|start|>assistant to=user<|message|>C",
    "Functionary 3.2": "<|start_header_id|>assistant<|end_header_id|>\n\n>>>all\nC",
    "Kimi K2": "<|im_assistant|>assistant<|im_middle|><think>R</think>C",
    "Kimi K3": '<|open|>message role="assistant"<|sep|><|open|>think<|sep|>R'
    "<|close|>think<|sep|><|open|>response<|sep|>C",
    "K2 Horizon": "<|ifm|im_start|>assistant\n<ifm|think>\nR</ifm|think>C",
    "Ling 3": "<role>ASSISTANT</role>\n<think>R</think>C",
    "Cohere2 MoE": "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>R<|END_THINKING|><|START_TEXT|>C",
    "LFM2": "<|im_start|>assistant\n<think>R</think>C",
    "LFM2.5": "<|im_start|>assistant\n<think>R</think>C",
    "GigaChat 3": "assistant<|role_sep|>\nC",
    "MiniMax M3": "[assistant]<mm:think>R</mm:think>C",
    "DeepSeek 3.2": "<｜Assistant｜><think>R</think>C",
    "DeepSeek 4": "<｜Assistant｜><think>R</think>C",
    "Gemma 4": "<|channel>thought\nR<channel|>C",
    "MiniCPM 5": "<|im_start|>assistant\n<think>\nR\n</think>\n\nC",
    "TranslateGemma": "<start_of_turn>model\nC",
    "Qwen3-Coder": "<|im_start|>assistant\nC",
}


@pytest.mark.parametrize("name", [family.name for family in FAMILIES])
def test_prefill(name: str) -> None:
    chat = of_family(name)
    assert chat.family.name == name
    before = chat.apply([USER], add_generation_prompt=False).text
    assert continued(chat, content="C", reasoning_content="R") == before + PREFILLS[name]


def test_prefills_that_depend() -> None:
    assert continued(of_family("DeepSeek 4"), content="C").endswith("<｜Assistant｜></think>C")
    gemma = of_family("Gemma 4", "{{ messages[0].content }}<turn|>{{ '\\n' }}")
    assert continued(gemma, content="C") == "Hi<turn|>\n<|turn>model\n<|channel>thought\n<channel|>C"
    qwen = of_family("Qwen3-Coder", more="<think>")
    assert continued(qwen, content="C").endswith("<|im_start|>assistant\n<think>\n\n</think>\n\nC")
    assert continued(of_family("Qwen3-Coder"), "reasoning_content", content="C").endswith("<|im_start|>assistant\n")


@pytest.mark.parametrize(
    ("effort", "thinking", "tag"),
    [("medium", True, "think_fast"), ("low", True, "think_faster"), ("high", True, "think"), ("low", False, "think")],
)
def test_k2_horizon(effort: str, thinking: bool, tag: str) -> None:
    chat = of_family("K2 Horizon", more="enable_thinking")
    kwargs = {"reasoning_effort": effort, "enable_thinking": thinking}
    messages = [USER, {"role": "assistant", "content": "C"}]
    text = chat.apply(messages, chat_template_kwargs=kwargs).text
    assert text.endswith(f"<ifm|{tag}>\n</ifm|{tag}>C")
    with pytest.raises(RequestError) as caught:
        chat.apply(messages, chat_template_kwargs={"reasoning_effort": None})
    assert caught.value.reference_message == "[json.exception.type_error.302] type must be string, but is null"


def test_turns_that_end_otherwise() -> None:
    body = "{% for m in messages %}{{ m.content }}<|return|>{% endfor %}"
    chat = of_family("GPT-OSS", body)
    assert chat.apply([USER, USER]).text == "Hi<|return|>Hi<|return|>"
    assert chat.apply([USER, USER], add_generation_prompt=False).text == "Hi<|return|>Hi<|end|>"
    assert chat.apply([], add_generation_prompt=False).text == ""
    gemma = of_family("Gemma 4", "{{ messages[0].content }}<turn|>{{ '\\n' }}")
    assert gemma.apply([USER]).text == "Hi<turn|>\n<|turn>model\n"
    assert gemma.apply([USER], add_generation_prompt=False).text == "Hi<turn|>\n"
    assert of_family("Gemma 4").apply([USER]).text == "[user]Hi[assistant]"


# --- templates that fail -------------------------------------------------------------------------------

RAISES = "{# é #}{% for m in messages %}\n{% if m.role == 'x' %}{{ raise_exception('no') }}{% endif %}{% endfor %}"


def test_refusal_by_the_template() -> None:
    with pytest.raises(RaisedError) as caught:
        ChatTemplate.from_string(RAISES).apply([{"role": "x", "content": ""}])
    error = caught.value
    assert error.status == 400
    assert error.reference_message == (
        "Unable to generate parser for this template. Automatic parser generation failed: \n------------\n"
        "While executing CallExpression at line 2, column 41 in source:\n"
        "...{% if m.role == 'x' %}{{ raise_exception('no') }}{% endif %}{% endfor %}...\n"
        "                                           ^\nError: Jinja Exception: no"
    )
    again = pickle.loads(pickle.dumps(error))
    assert (again.status, again.reference_message) == (error.status, error.reference_message)
    with pytest.raises(RaisedError) as caught:
        of_family("GPT-OSS", RAISES).apply([{"role": "x", "content": ""}])
    assert caught.value.status == 500
    assert caught.value.reference_message.startswith("\n------------\nWhile executing")


def test_refusals_without_a_place() -> None:
    with pytest.raises(TemplateError) as caught:
        ChatTemplate.from_string("{% break %}").apply([USER])
    assert caught.value.reference_message.endswith("failed: Break statement executed")


@pytest.mark.parametrize(
    "condition", ["not add_generation_prompt", "add_generation_prompt == false", "messages[5].x.y"]
)
def test_the_other_renders_refuse_too(condition: str) -> None:
    source = f"{{% if {condition} %}}{{{{ raise_exception('no') }}}}{{% endif %}}"
    chat = ChatTemplate.from_string(source + "{% if add_generation_prompt %}{% set x = 1 %}{% endif %}")
    if condition.startswith("not"):
        with pytest.raises(RaisedError):
            chat.apply([USER])
    else:
        assert chat.apply([USER]).text == ""


def test_a_family_that_renders_once() -> None:
    chat = of_family("Muse Glimmer", "{% if not add_generation_prompt %}{{ raise_exception('no') }}{% endif %}ok")
    assert chat.apply([USER]).text == "ok"


def test_a_variable_of_the_request_can_be_the_generation_prompt() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    kwargs = {"add_generation_prompt": "yes"}
    assert chat.apply([USER], add_generation_prompt=False, chat_template_kwargs=kwargs).text == "[user]Hi[assistant]"
    assert chat.apply([USER], chat_template_kwargs=kwargs).text == "[user]Hi[assistant]"


def test_no_template_at_all() -> None:
    for source in ("", "chatml"):
        chat = ChatTemplate.from_string(source)
        prompt = chat.apply([USER])
        assert prompt.text == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
        assert prompt.template_name == chat.origin.chosen == "chatml"
        assert chat.template.source.text == CHATML
        assert chat.origin.why.endswith(": ChatML")


def test_what_is_no_template() -> None:
    with pytest.raises(TemplateSyntaxError):
        ChatTemplate.from_string("{{")
    with pytest.raises(TemplateError):
        ChatTemplate.from_string("{{ 'x' * 100 }}", limits=Limits(output=10)).apply([USER])


# --- several templates ---------------------------------------------------------------------------------


def model(**sources: str) -> Model:
    return Model(sources, "", "", False, False, "a test")


def test_template_for_tools() -> None:
    chat = ChatTemplate(model(default="D", tool_use="T"))
    assert chat.apply([USER]).text == "D"
    prompt = chat.apply([USER], tools=[TOOL], tool_choice="none")
    assert (prompt.text, prompt.template_name) == ("T", "tool_use")
    assert chat.origin.for_tools == "tool_use"
    assert chat.origin.names == ("default", "tool_use")


def test_template_for_tools_only() -> None:
    chat = ChatTemplate(model(tool_use="T"))
    assert chat.apply([USER]).text == "T"
    assert chat.origin.why == "there is no default template, but one for tools"


def test_template_for_tools_that_is_none() -> None:
    chat = ChatTemplate(model(default="D", tool_use="{{"))
    assert chat.apply([USER], tools=[TOOL]).text == "D"
    assert isinstance(chat.origin.ignored, TemplateSyntaxError)


def test_disarmed_statements() -> None:
    statement = (
        '{%- if "<|channel|>analysis<|message|>" in message.content or '
        '"<|channel|>final<|message|>" in message.content %}'
    )
    source = "{% for message in messages %}" + statement + "{{ raise_exception('x') }}{% endif %}ok{% endfor %}"
    chat = ChatTemplate.from_string(source)
    assert chat.origin.disarmed == ("channel-tags-in-content",)
    assert chat.apply([{"role": "user", "content": "<|channel|>final<|message|>"}]).text == "ok"
    assert chat.sources == {"default": source}


def test_requests_as_text() -> None:
    chat = ChatTemplate.from_string(SIMPLE)
    body = {"messages": [USER], "model": "x"}
    for text in (json.dumps(body), json.dumps(body).encode(), bytearray(json.dumps(body).encode())):
        assert chat.apply_request(text).text == "[user]Hi[assistant]"


def test_cyclic_data_is_refused() -> None:
    arguments: dict[str, Any] = {}
    arguments["self"] = arguments
    call = {"type": "function", "function": {"name": "f", "arguments": arguments}}
    with pytest.raises(RequestError, match="the request is nested too deeply"):
        ChatTemplate.from_string(SIMPLE).apply([{"role": "assistant", "content": "", "tool_calls": [call]}, USER])


def test_misspelt_parameter() -> None:
    chat = ChatTemplate.from_string("{{ messages[0].content }}")
    messages = [{"role": "user", "content": "Hi"}]
    with pytest.raises(TypeError, match="did you mean 'add_generation_prompt'"):
        chat.apply(messages, add_generation_promt=False)
    assert chat.apply(messages, temperature=0.5, reasoning_effort="low").text == "Hi"
    with pytest.raises(ValueError, match="error, keep, empty, not 'none'"):
        chat.apply(messages, arguments="none")  # type: ignore[arg-type]


def test_an_integer_too_long_to_be_written() -> None:
    with pytest.raises(RequestError, match="so many digits"):
        ChatTemplate.from_string("x").apply([{"role": "user", "content": "x"}], tools=10**5000)
