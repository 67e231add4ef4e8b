"""What is known about a template beyond the nine answers of a llama.cpp server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, NamedTuple

Answer = Literal["yes", "no", "probe failed"]
Shape = Literal["string", "list", "both", "neither", "unknown"]
ArgumentShape = Literal["string", "mapping", "both", "neither", "unknown"]
PromptKind = Literal["conditional", "always", "never", "unknown"]


class Evidence(NamedTuple):
    """Why an answer is what it is.

    Attributes:
        answer: ``"probe failed"`` if the template raised an error in the probe that decides, so that the
            answer says little.
        why: one sentence for people: what was rendered, and what came of it.
        lineno: the line of the template where it raised an error, if that is why.
    """

    answer: Answer
    why: str
    lineno: int | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """In which forms the content of a message is rendered.

    Attributes:
        shape: both answers in one word; ``"unknown"`` if a probe failed and none says yes.
        string: content that is text appears.
        parts: content that is a list of text parts appears, and not as printed data.
        separator: what stands between two text parts, or None if not both of them appear.
    """

    shape: Shape
    string: Evidence
    parts: Evidence
    separator: str | None


@dataclass(frozen=True, slots=True)
class Role:
    """What becomes of a message with this role.

    Attributes:
        accepted: its content appears, in the place where such a message belongs.
        is_named: the template compares roles with this name. A role that is accepted without being named
            is rendered like any other.
        content: the forms of its content.
    """

    accepted: Evidence
    is_named: bool
    content: Content


@dataclass(frozen=True, slots=True)
class Arguments:
    """How the arguments of a tool call in the history are rendered.

    Attributes:
        shape: both answers in one word; ``"unknown"`` if a probe failed and none says yes.
        string: arguments that are JSON text appear, and are not encoded a second time.
        mapping: arguments that are an object appear.
        bytes_survive: text that a model wrote, ``{"zqone":1.0,  "zqtwo":"é"}``, appears byte for byte.
        string_as: how these arguments appear when given as text; empty if they do not.
        mapping_as: how they appear when given as an object; empty if they do not.
    """

    shape: ArgumentShape
    string: Evidence
    mapping: Evidence
    bytes_survive: Evidence
    string_as: str
    mapping_as: str


@dataclass(frozen=True, slots=True)
class Tools:
    """Declarations, calls and results of tools.

    Attributes:
        declared: the name of a declared tool appears.
        bare: the same for a declaration that is the function itself, without ``{"type": "function", …}``.
        called: the name of a call in the history appears.
        parallel: both calls of one message appear.
        results: the result of a call appears.
        call_ids: the id of a call appears where it is called.
        result_ids: ``tool_call_id`` of a result appears.
        result_names: ``name`` of a result appears.
        null_content: a message with calls may have null as its content, and nothing is printed for it.
    """

    declared: Evidence
    bare: Evidence
    called: Evidence
    parallel: Evidence
    results: Evidence
    call_ids: Evidence
    result_ids: Evidence
    result_names: Evidence
    null_content: Evidence


@dataclass(frozen=True, slots=True)
class Effect:
    """What one value of a variable does.

    Attributes:
        value: the value, as JSON data.
        changes: the text differs from the one without the variable.
    """

    value: Any
    changes: Evidence


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that the template reads and does not set itself.

    Attributes:
        lines: where it is read, in order.
        uses: how, in words such as ``"tested"``, ``"printed"``, ``"compared"``.
        is_guarded: it is asked whether it is defined, or given a default.
        defaults: the expressions that stand in for it, as written in the template.
        required: without it, a conversation raises an error that it does not raise with some value.
        effects: values that were tried, and what each does.
        unset_is_like: values that give the same as no value in every probe, while others do not.
    """

    lines: tuple[int, ...]
    uses: tuple[str, ...]
    is_guarded: bool
    defaults: tuple[str, ...]
    required: Evidence
    effects: tuple[Effect, ...]
    unset_is_like: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Clock:
    """Whether prompts depend on the time.

    Attributes:
        used: two times give two texts; or, where no probe got there, the template can ask for the time.
        lines: where it asks.
    """

    used: Evidence
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GenerationPrompt:
    """How the prompt opens the model's turn.

    Attributes:
        kind: ``"conditional"``: only with ``add_generation_prompt``; ``"always"``: the text ends where the
            model's answer begins, asked or not; ``"never"``: not even if asked.
        found: why.
        text: what is appended; for ``"always"``: all that follows a question; for ``"never"``: what answers begin with.
        thinking, not_thinking: what is appended with ``enable_thinking`` true and false; empty if the variable
            makes no difference.
        is_in_history: an answer in the history is rendered with the same beginning, so that a prompt is a
            prefix of the next one.
        end_of_turn: what follows the content of an answer at the end.
    """

    kind: PromptKind
    found: Evidence
    text: str
    thinking: str
    not_thinking: str
    is_in_history: Evidence
    end_of_turn: str


@dataclass(frozen=True, slots=True)
class Media:
    """One kind of content part that is not text.

    Attributes:
        known: something appears for it that does not appear for a part of an unknown type.
        text: what appears for one part.
    """

    known: Evidence
    text: str


@dataclass(frozen=True, slots=True)
class Token:
    """Whether the template writes a special token itself.

    Attributes:
        printed: the variable appears in a conversation with two questions and two answers.
        count: how many times.
        where: in words.
    """

    printed: Evidence
    count: int
    where: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """One way to hand over the reasoning of an earlier message, and when it appears in the prompt.

    Attributes:
        earlier: in an answer that another one follows.
        previous: in the last answer, before the last question.
        with_call: in a message that calls a tool, after the last question.
        last: in an answer at the end, as in training data.
        before, after: the nearest marks, such as ``<think>``, and blanks around it where it appears.
    """

    earlier: Evidence
    previous: Evidence
    with_call: Evidence
    last: Evidence
    before: str
    after: str


def as_data(value: Any) -> Any:
    """Records as JSON data, with the names of their fields."""
    if is_dataclass(value):
        return {field.name: as_data(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Evidence):
        return value._asdict()
    if isinstance(value, Mapping):
        return {key: as_data(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_data(item) for item in value]
    return value
