"""What happens to messages between the request and the template: a table of small steps.

A step gets the messages (never to be changed in place) and gives a list of the same length: the same object
where nothing changes, a new dict where something does, None where the message goes. If nothing changes at all,
it gives the list that it got.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from chatjinja.chat.jsontext import JsonError, json_type
from chatjinja.chat.messages import Message
from chatjinja.chat.tracked import concat, instead, joined, parsed, stripped
from chatjinja.runtime.strings import BLANKS

Arguments = Literal["error", "keep", "empty"]
"""What to do with tool arguments in the history that are not JSON: refuse the request as llama.cpp does, leave
the text as it is, or put an empty object there."""


class Subject(NamedTuple):
    """What it depends on whether a step runs.

    Attributes:
        source: the template's source.
        capabilities: what the template can do (`Capabilities.as_dict`).
        family_step: name of the step that the template's family needs, or ``""``.
    """

    source: str
    capabilities: Mapping[str, bool]
    family_step: str


class Wishes(NamedTuple):
    """What a request says about the steps.

    Attributes:
        kwargs: its ``chat_template_kwargs``.
        arguments: see `Arguments`.
        own: what to call with a text that a step writes itself, so that it does not count as input.
    """

    kwargs: Mapping[str, Any]
    arguments: Arguments
    own: Callable[[str], str] = str


class Misfit(Exception):  # noqa: N818 -- becomes a RequestError
    """A message does not suit a step; the one who runs the steps makes a RequestError of it."""

    def __init__(self, status: int, reference: str, message: str, *place: str | int) -> None:
        super().__init__(message)
        self.status = status
        self.reference = reference
        self.message = message
        self.place = place


Messages = Sequence[Message]
Change = Callable[[Messages, Wishes], Sequence[Message | None]]


class Workaround(NamedTuple):
    """A step.

    Attributes:
        name: short kebab-case name, stable.
        what: what it does and when, in one sentence.
        applies: whether it runs for a template; must not depend on the request.
        change: the step itself.
    """

    name: str
    what: str
    applies: Callable[[Subject], bool]
    change: Change


def _each(change: Callable[[Message, Wishes], Message]) -> Change:
    """A step that looks at one message at a time."""

    def change_each(messages: Messages, wishes: Wishes) -> Sequence[Message | None]:
        return [change(message, wishes) for message in messages]

    return change_each


def text_of(content: Any, separator: str) -> str:
    """A message's content as one text."""
    return content if isinstance(content, str) else joined([part["text"] for part in content], separator)


# --- every template ------------------------------------------------------------------------------------


def _wants_stripped(subject: Subject) -> bool:
    return "You have access to the following functions in JSONSchema format" in subject.source


def _strip_blanks(message: Message, wishes: Wishes) -> Message:
    content = message["content"]
    if isinstance(content, str):
        bare: Any = stripped(content, BLANKS)
    else:
        bare = [{"type": part["type"], "text": stripped(part["text"], BLANKS)} for part in content]
    made = message if bare == content else {**message, "content": bare}
    reasoning = message.get("reasoning_content")
    if reasoning is None or stripped(reasoning, BLANKS) == reasoning:
        return made
    made = {**made, "reasoning_content": stripped(reasoning, BLANKS)}
    if not made["reasoning_content"]:
        del made["reasoning_content"]
    return made


def _only_strings(subject: Subject) -> bool:
    able = subject.capabilities
    return able["supports_string_content"] and not able["supports_typed_content"]


_TEXT = frozenset({str})


def _join_parts(messages: Messages, wishes: Wishes) -> Messages:
    if {type(message["content"]) for message in messages} <= _TEXT:
        return messages
    return [
        message
        if isinstance(message["content"], str)
        else {**message, "content": text_of(message["content"], wishes.own("\n"))}
        for message in messages
    ]


def _only_lists(subject: Subject) -> bool:
    able = subject.capabilities
    return able["supports_typed_content"] and not able["supports_string_content"]


def _wrap_text(message: Message, wishes: Wishes) -> Message:
    content = message["content"]
    return {**message, "content": [_text_part(content, wishes)]} if isinstance(content, str) else message


def _text_part(text: str, wishes: Wishes) -> dict[str, str]:
    return {"type": wishes.own("text"), "text": text}


def _knows_no_developer(subject: Subject) -> bool:
    return "<|channel|>" not in subject.source


def _developer_to_system(messages: Messages, wishes: Wishes) -> Messages:
    if "developer" not in [message["role"] for message in messages]:
        return messages
    return [
        {**message, "role": instead(message["role"], "system")} if message["role"] == "developer" else message
        for message in messages
    ]


def _knows_no_system(subject: Subject) -> bool:
    return not subject.capabilities["supports_system_role"]


def _merge_system(messages: Messages, wishes: Wishes) -> Sequence[Message | None]:
    if not messages or messages[0]["role"] != "system":
        return messages
    if len(messages) == 1:
        return [None]
    for index, message in enumerate(messages[:2]):
        if not isinstance(message["content"], str):
            kind = json_type(message["content"])
            reference = f"[json.exception.type_error.302] type must be string, but is {kind}"
            text = "must be text: the template knows no system role, so it is merged with its neighbour"
            raise Misfit(400, reference, text, index, "content")
    content = concat((messages[0]["content"], wishes.own("\n"), messages[1]["content"]))
    merged = {**messages[1], "content": content}
    return [None, merged, *messages[2:]]


def _wants_objects(subject: Subject) -> bool:
    return subject.capabilities["supports_object_arguments"]


def _parse_arguments(messages: Messages, wishes: Wishes) -> Messages:
    calling = [index for index, message in enumerate(messages) if "tool_calls" in message]
    if not calling:
        return messages
    made = list(messages)
    for index in calling:
        calls = enumerate(messages[index]["tool_calls"])
        parsed = [_parsed_call(call, wishes.arguments, index, number) for number, call in calls]
        made[index] = {**messages[index], "tool_calls": parsed}
    return made


def _parsed_call(call: dict[str, Any], policy: Arguments, index: int, number: int) -> dict[str, Any]:
    function = call["function"]
    arguments: Any = function["arguments"]
    try:
        arguments = parsed(arguments)
    except JsonError as error:
        if policy == "error":
            reference = f"Failed to parse tool call arguments as JSON: {error.reference}"
            where = "" if error.position is None else f" at character {error.position}"
            place = index, "tool_calls", number, "function", "arguments"
            raise Misfit(500, reference, f"not valid JSON{where}: {error}", *place) from None
        if policy == "empty":
            arguments = {}
    return {**call, "function": {**function, "arguments": arguments}}


# --- single families -----------------------------------------------------------------------------------


def _typed_thinking(message: Message, wishes: Wishes) -> Message:
    if message["role"] not in ("system", "assistant"):
        return message
    made = {key: value for key, value in message.items() if key != "reasoning_content"}
    parts: list[dict[str, str]] = []
    if "reasoning_content" in message:
        parts.append({"type": wishes.own("thinking"), "thinking": message["reasoning_content"]})
    content = message["content"]
    parts += [_text_part(content, wishes)] if isinstance(content, str) else content
    return {**made, "content": parts}


def _add_thinking(message: Message, wishes: Wishes) -> Message:
    if "reasoning_content" not in message:
        return message
    return {**message, "thinking": message["reasoning_content"]}


def _harmony_thinking(message: Message, wishes: Wishes) -> Message:
    made = _add_thinking(message, wishes)
    if "thinking" in made and "tool_calls" in made:
        return {key: value for key, value in made.items() if key != "content"}
    return made


def _empty_reasoning(message: Message, wishes: Wishes) -> Message:
    if message["role"] != "assistant" or "reasoning_content" in message:
        return message
    return {**message, "reasoning_content": ""}


def _language_codes(message: Message, wishes: Wishes) -> Message:
    if message["role"] != "user":
        return message
    english = wishes.own("en-GB")
    part = {
        **_text_part(text_of(message["content"], wishes.own("\n")), wishes),
        "source_lang_code": wishes.kwargs.get("source_lang_code", english),
        "target_lang_code": wishes.kwargs.get("target_lang_code", english),
    }
    return {**message, "content": [part]}


def _order_results(messages: Messages, wishes: Wishes) -> list[Message | None]:
    made: list[Message | None] = list(messages)
    order: dict[str, int] = {}
    run: list[int] = []
    for index, message in enumerate([*messages, {"role": ""}]):
        role = message["role"]
        if role == "tool":
            run.append(index)
        elif role != "user":
            for place, result in zip(
                run, sorted(run, key=lambda at: order.get(_call_id(messages[at]), 0)), strict=True
            ):
                made[place] = messages[result]
            run = []
            if role == "assistant":
                calls = message.get("tool_calls")
                if calls:
                    order = {call["id"]: number for number, call in enumerate(calls) if "id" in call}
    return made


def _call_id(message: Message) -> str:
    identity: str = message.get("tool_call_id", "")
    return identity


def _gather_responses(messages: Messages, wishes: Wishes) -> list[Message | None]:
    made: list[Message | None] = list(messages)
    at = 0
    while at < len(messages):
        message = messages[at]
        start, at = at, at + 1
        if message["role"] != "assistant" or "tool_calls" not in message:
            continue
        whole: Message = {"role": message["role"], "tool_calls": message["tool_calls"]}
        responses: list[dict[str, Any]] = []
        while at < len(messages) and messages[at]["role"] == "tool":
            responses.append(_response(messages[at], len(responses), message["tool_calls"]))
            made[at] = None
            at += 1
        if responses:
            whole["tool_responses"] = responses
        if at < len(messages):
            last = messages[at]
            if last["role"] == "assistant" and last["content"] and "tool_calls" not in last:
                whole["content"] = last["content"]
                made[at] = None
                at += 1
        if "reasoning_content" in message:
            whole["reasoning_content"] = message["reasoning_content"]
        made[start] = whole
    return made


def _response(message: Message, number: int, calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    name = calls[number]["function"]["name"] if number < len(calls) else message.get("tool_call_id", "")
    response: Any = message["content"]
    if isinstance(response, str):
        try:
            response = parsed(response)
        except JsonError:
            response = message["content"]
    return {"name": name, "response": response}


def _family(name: str) -> Callable[[Subject], bool]:
    return lambda subject: subject.family_step == name


WORKAROUNDS: tuple[Workaround, ...] = (
    Workaround(
        "strip-blanks",
        "StepFun: blanks at both ends of content and reasoning are cut.",
        _wants_stripped,
        _each(_strip_blanks),
    ),
    Workaround(
        "join-parts",
        "The template knows content as text only: parts are joined with newlines.",
        _only_strings,
        _join_parts,
    ),
    Workaround(
        "wrap-text",
        "The template knows content as a list of parts only: text becomes a list of one part.",
        _only_lists,
        _each(_wrap_text),
    ),
    Workaround(
        "developer-to-system",
        "The role developer becomes system, unless the template knows channels.",
        _knows_no_developer,
        _developer_to_system,
    ),
    Workaround(
        "merge-system",
        "The template knows no system role: a first system message goes into the next one.",
        _knows_no_system,
        _merge_system,
    ),
    Workaround(
        "parse-arguments",
        "The template wants tool arguments as objects: their text is parsed as JSON.",
        _wants_objects,
        _parse_arguments,
    ),
    Workaround(
        "typed-thinking",
        "Ministral 3: content of system and assistant messages becomes parts, reasoning one of them.",
        _family("typed-thinking"),
        _each(_typed_thinking),
    ),
    Workaround(
        "harmony-thinking",
        "GPT-OSS: reasoning also stands in `thinking`; with tool calls the content goes.",
        _family("harmony-thinking"),
        _each(_harmony_thinking),
    ),
    Workaround(
        "empty-reasoning",
        "K2 Horizon: assistant messages without reasoning get an empty one.",
        _family("empty-reasoning"),
        _each(_empty_reasoning),
    ),
    Workaround(
        "add-thinking",
        "LFM2: reasoning also stands in `thinking`.",
        _family("add-thinking"),
        _each(_add_thinking),
    ),
    Workaround(
        "order-results",
        "DeepSeek 4: tool messages get the order of the calls they answer.",
        _family("order-results"),
        _order_results,
    ),
    Workaround(
        "gather-responses",
        "Gemma 4 before its official template: tool messages go into the assistant message that called.",
        lambda subject: (
            subject.family_step == "gather-responses" and "{#- OpenAI Chat Completions:" not in subject.source
        ),
        _gather_responses,
    ),
    Workaround(
        "language-codes",
        "TranslateGemma: user content becomes one part with language codes.",
        _family("language-codes"),
        _each(_language_codes),
    ),
)
"""All steps, in the order in which they run."""
