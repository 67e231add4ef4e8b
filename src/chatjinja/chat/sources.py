"""Template sources: the built-in one, and statements that the reference disarms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

CHATML = (
    "{% for message in messages %}"
    r"{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}"
    r"{{ '<|im_start|>assistant\n' }}"
    "{% endif %}"
)
"""What is used where there is no template."""

DEFAULT = "default"
TOOL_USE = "tool_use"
"""Names of the templates that llama.cpp chooses from: this one is used when tools are given."""


class Disarmed(NamedTuple):
    """A statement that the reference replaces by ``{%- if false %}`` when it loads the default template.

    Attributes:
        name: short kebab-case name.
        marks: texts that must all stand in the source.
        statement: the statement.
    """

    name: str
    marks: tuple[str, ...]
    statement: str


DISARMED = (
    Disarmed(
        "channel-tags-in-content",
        ("<|channel|>", "in message.content or"),
        '{%- if "<|channel|>analysis<|message|>" in message.content or '
        '"<|channel|>final<|message|>" in message.content %}',
    ),
    Disarmed(
        "empty-assistant-message",
        ("[TOOL_CALLS]", "if (message['content'] is none or"),
        "{%- if (message['content'] is none or message['content'] == '' or message['content']|length == 0) and "
        "(message['tool_calls'] is not defined or message['tool_calls'] is none or "
        "message['tool_calls']|length == 0) %}",
    ),
)
"""Both statements raise an exception for messages that are in order."""


def disarm(source: str) -> tuple[str, tuple[str, ...]]:
    """The source without the statements in `DISARMED`, and the names of those found."""
    found: list[str] = []
    for entry in DISARMED:
        if entry.statement in source and all(mark in source for mark in entry.marks):
            source = source.replace(entry.statement, "{%- if false %}")
            found.append(entry.name)
    return source, tuple(found)


class Chosen(NamedTuple):
    """A source, and how it came to be used.

    Attributes:
        name: name of the template where several stand together; ``"chatml"`` for the built-in one.
        source: the text.
        why: one sentence for people.
    """

    name: str
    source: str
    why: str


def choose_default(sources: Mapping[str, str]) -> Chosen:
    """The template for requests without tools, of named ones."""
    source = sources.get(DEFAULT, "")
    if source not in ("", "chatml"):
        return Chosen(DEFAULT, source, "the default template")
    if sources.get(TOOL_USE):
        return Chosen(TOOL_USE, sources[TOOL_USE], "there is no default template, but one for tools")
    why = "the template is named, not written out" if source else "there is no template"
    return Chosen("chatml", CHATML, f"{why}: ChatML")
