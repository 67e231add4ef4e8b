"""Whether reasoning in the history is kept, and under which key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chatjinja.chat.probes.prober import ANSWER, Message, Prober, Result
from chatjinja.chat.probes.reads import Read
from chatjinja.chat.probes.records import Evidence, Reasoning
from chatjinja.chat.probes.texts import is_data
from chatjinja.syntax import nodes as n

REASON = "zqreasonzq"
USUAL_KEYS = ("reasoning_content", "reasoning", "thinking")
_SWITCHES = ("enable_thinking", "thinking")
_KEY = re.compile("reason|think|thought")
_CLOSING = re.compile(r"(?:<\|?/|\[/)[\w:|]*think\w*\|?[>\]]", re.IGNORECASE)
_BEFORE = re.compile(r"(?:(?:<[^<>\s]*>|\[[^\[\]\s]*\])\w*\s*)?\Z")
_AFTER = re.compile(r"\s*(?:(?:<[^<>\s]*>|\[[^\[\]\s]*\])\s*)?")
"""The nearest mark, such as ``<think>``, and blanks."""


def find_reasoning(prober: Prober, reads: Mapping[str, Read]) -> dict[str, Reasoning]:
    """What becomes of reasoning, by the way in which it is handed over.

    A key of the message; ``"content[].thinking"``: a part of the content; ``"content <think>"``: within the text,
    between the template's own tags if it has some.
    """
    ways: dict[str, dict[str, Any]] = {key: {key: REASON} for key in _keys(prober)}
    ways["content[].thinking"] = {
        "content": [{"type": "thinking", "thinking": REASON}, {"type": "text", "text": ANSWER}]
    }
    opening, inline = inline_reasoning(prober)
    ways[f"content {opening}"] = {"content": inline["content"]}
    switches = thinking_switches(reads)
    return {name: _find(prober, fields, switches) for name, fields in ways.items()}


def thinking_switches(reads: Mapping[str, Read]) -> dict[str, bool]:
    """The template's switches for thinking, switched on."""
    return {name: True for name in _SWITCHES if name in reads}


def inline_reasoning(prober: Prober) -> tuple[str, Message]:
    """An answer with reasoning within its text, and the tag that opens it."""
    opening, closing = _tags(prober.nodes)
    return opening, prober.message("assistant", f"{opening}\n{REASON}\n{closing}\n\n{ANSWER}")


def _keys(prober: Prober) -> list[str]:
    """The usual keys, and those that the template looks up and whose name says so."""
    found = dict.fromkeys(USUAL_KEYS)
    for node in prober.nodes:
        name: object = None
        if isinstance(node, n.Getattr) and isinstance(node.attr, n.Name):
            name = node.attr.name
        elif isinstance(node, n.Getitem) and isinstance(node.arg, n.Const):
            name = node.arg.value
        if isinstance(name, str) and name.isidentifier() and _KEY.search(name):
            found[name] = None
    return list(found)


def _tags(nodes: Sequence[n.Node]) -> tuple[str, str]:
    """What the template looks for around reasoning within a text."""
    for node in nodes:
        if isinstance(node, n.Const) and isinstance(node.value, str):
            closing = _CLOSING.search(node.value)
            if closing is not None:
                return closing[0].replace("/", "", 1), closing[0]
    return "<think>", "</think>"


def _find(prober: Prober, fields: dict[str, Any], switches: dict[str, bool]) -> Reasoning:
    message: Message = {**prober.answer, **fields}
    user, answer = prober.user, prober.answer
    call = {**prober.call(), **fields}
    renders: tuple[_Render, ...] = (
        lambda on: prober.render([user, message, user, answer, user], variables=on),
        lambda on: prober.render([user, message, user], variables=on),
        lambda on: prober.render_call(call, REASON, answered=True, variables=on),
        lambda on: prober.render([user, message], prompt=False, variables=on),
    )
    tried = [_tried(prober, render, switches) for render in renders]
    earlier, previous, with_call, last = (evidence for _, evidence in tried)
    shown = next((result.text for result, evidence in reversed(tried) if evidence.answer == "yes"), "")
    before, _, after = shown.partition(REASON)
    opening, closing = _BEFORE.search(before), _AFTER.match(after)
    assert opening is not None
    assert closing is not None  # both match the empty text, too
    return Reasoning(earlier, previous, with_call, last, opening[0], closing[0])


_Render = Callable[[Mapping[str, Any]], Result]


def _tried(prober: Prober, render: _Render, switches: dict[str, bool]) -> tuple[Result, Evidence]:
    """A render with thinking switched on, if the template has a switch, and what it says."""
    result = render(switches)
    if is_data(result.text.partition(REASON)[0]):
        return result, Evidence("no", "it is printed as data")
    else_works = prober.trial("assistant", prober.is_text("assistant")).shown
    evidence = prober.judged(result, result.shows(REASON), "it", else_works=else_works)
    if switches and evidence.answer == "yes" and not render({}).shows(REASON):
        evidence = evidence._replace(why=f"it appears if {' or '.join(switches)} is true")
    return result, evidence
