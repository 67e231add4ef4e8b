"""What stands around reasoning in a template's text, found by comparing renders as llama.cpp does.

All comparing is done on bytes, held as Latin-1 text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from chatjinja.errors import TemplateError
from chatjinja.runtime.strings import BLANKS

USER = "U_USER_MSG Hello END_U"
ANSWER = "A_ASST_MSG I can help END_A"
REASON = "REASON_PART I am thinking END_R"
_ANCHOR = 64

_PARAMETERS = {
    "type": "object",
    "properties": {
        "AA_ARG_FST_AA": {"type": "string", "description": "First argument"},
        "BB_ARG_SND_BB": {"type": "string", "description": "Second argument"},
    },
    "required": [],
}
_TOOLS = [
    {"type": "function", "function": {"name": name, "description": description, "parameters": _PARAMETERS}}
    for name, description in (("FFF_FIRST_FUN_F", "Test function foo"), ("SSS_SECOND_FUN_S", "Test function bar"))
]
_CALL = {
    "id": "call00001",
    "type": "function",
    "function": {"name": "FFF_FIRST_FUN_F", "arguments": {"AA_ARG_FST_AA": "VVVV", "BB_ARG_SND_BB": "XXXX"}},
}
_ASK = {"role": "user", "content": USER}
_PLAIN = {"role": "assistant", "content": ANSWER}
_REASONED = {"role": "assistant", "content": ANSWER, "reasoning_content": REASON}
_CALLED = {"role": "assistant", "content": None, "reasoning_content": REASON, "tool_calls": [_CALL]}

Render = Callable[[list[dict[str, Any]], Mapping[str, Any]], str]
"""Renders messages with more variables; may raise TemplateError."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands around reasoning.

    Attributes:
        start, end: the texts before and after it, blanks included; empty if not known.
        thinks: whether anything was found at all.
        why: how it was found, one sentence for people.
    """

    start: str
    end: str
    thinks: bool
    why: str


# --- differences ---------------------------------------------------------------------------------------


class Segment(NamedTuple):
    """A stretch of text: a mark (``<…>`` or ``[…]``), or what stands between marks."""

    text: str
    is_mark: bool


_MARK = re.compile(r"<[^>]*>|\[[^\]]*\]")


def segments(text: str) -> list[Segment]:
    """A text cut into marks and what stands between. An opening bracket that is not closed starts a last text."""
    found: list[Segment] = []
    at = 0
    while at < len(text):
        opener = _OPENER.search(text, at)
        if opener is None:
            break
        if opener.start() > at:
            found.append(Segment(text[at : opener.start()], False))
        at = opener.start()
        mark = _MARK.match(text, at)
        if mark is None:
            break
        found.append(Segment(mark[0], True))
        at = mark.end()
    if at < len(text):
        found.append(Segment(text[at:], False))
    return found


_OPENER = re.compile(r"[<\[]")


class _Window:
    """The segments of one side that are not matched yet: from `first` to `last`."""

    def __init__(self, text: str) -> None:
        self.items = segments(text)
        self.first = 0
        self.last = len(self.items) - 1
        self.is_used = False

    @property
    def is_single(self) -> bool:
        return self.first == self.last

    def drop_last(self) -> None:
        if self.is_single:
            self.is_used = True
        else:
            self.last -= 1

    def rest(self) -> str:
        stop = self.last if self.is_used else self.last + 1
        return "".join([item.text for item in self.items[self.first : stop]])


def difference(left: str, right: str) -> tuple[str, str]:
    """What each of two texts has for itself, as llama.cpp tells them apart."""
    a, b = _Window(left), _Window(right)
    if not a.items or not b.items:
        return left, right
    _drop_equal(a, b)
    _drop_equal_to_single(a, b)
    ends_in_text = not a.items[a.last].is_mark and not b.items[b.last].is_mark
    starts_with_text = not a.items[a.first].is_mark and not b.items[b.first].is_mark
    rest_a, rest_b = a.rest(), b.rest()
    if ends_in_text:
        size = common_length(rest_a[::-1], rest_b[::-1])
        rest_a, rest_b = rest_a[: len(rest_a) - size], rest_b[: len(rest_b) - size]
    if starts_with_text:
        size = common_length(rest_a, rest_b)
        rest_a, rest_b = rest_a[size:], rest_b[size:]
    if not rest_a and rest_b and right.startswith(left):
        rest_b = right[len(left) :]
    return rest_a, rest_b


def _drop_equal(a: _Window, b: _Window) -> None:
    moved = True
    while moved and not a.is_single and not b.is_single:
        moved = False
        if a.items[a.first] == b.items[b.first]:
            a.first += 1
            b.first += 1
            moved = True
        if a.items[a.last] == b.items[b.last]:
            a.drop_last()
            b.drop_last()
            moved = True


def _drop_equal_to_single(a: _Window, b: _Window) -> None:
    if a.is_single and b.is_single:
        if a.items[a.first] == b.items[b.first] and a.items[a.first].is_mark:
            a.is_used = b.is_used = True
        return
    if not a.is_single and not b.is_single:
        return
    single, other = (a, b) if a.is_single else (b, a)
    alone = single.items[single.first]
    if alone == other.items[other.last]:
        other.last -= 1
        single.is_used = True
    elif alone == other.items[other.first]:
        other.first += 1
        single.is_used = True


def common_length(a: str, b: str) -> int:
    """Length of the common start."""
    size = min(len(a), len(b))
    if a[:size] == b[:size]:
        return size
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle
    return low


def generation_prompt(without: str, wanted: str) -> str:
    """What a generation prompt adds: `wanted` without the bytes that both texts start with."""
    if wanted.startswith(without):
        return wanted[len(without) :]
    if without.isascii() and wanted.isascii():
        return wanted[common_length(without, wanted) :]
    a, b = _bytes(without), _bytes(wanted)
    return _text(b[common_length(a, b) :])


def _bytes(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _text(data: str) -> str:
    return data if data.isascii() else data.encode("latin-1").decode("utf-8", "surrogateescape")


# --- the search ----------------------------------------------------------------------------------------

_WS = "[ \t\n\v\f\r]*"
_ANY_MARK = r"(?:<[^>]*>|\[[^\]]*\])"
_AROUND = re.compile(f"({_ANY_MARK}{_WS}){REASON}({_WS}{_ANY_MARK}{_WS})")
_AROUND_CALL = re.compile(f"({_ANY_MARK}{_WS}){REASON}{_WS}({_ANY_MARK}{_WS})")
_BEHIND = re.compile(f"{REASON}{_WS}({_ANY_MARK}{_WS})?")


class _Search:
    """Looks for marks step by step; later steps add to what earlier ones found."""

    def __init__(self, render: Render) -> None:
        self.render = render
        self.start = ""
        self.end = ""
        self.thinks = False
        self.why = "no render shows reasoning"

    def found(self, why: str) -> None:
        self.thinks = True
        self.why = why

    def pair(self, *renders: tuple[list[dict[str, Any]], Mapping[str, Any]]) -> tuple[str, str] | None:
        """Two renders to compare; None if one fails."""
        try:
            first, second = [_bytes(self.render(messages, variables)) for messages, variables in renders]
        except TemplateError:
            return None
        return first, second

    def compare_reasoning(self) -> None:
        """An answer without and with reasoning."""
        variables = {"enable_thinking": True}
        pair = self.pair(([_ASK, _PLAIN], variables), ([_ASK, _REASONED], variables))
        if pair is None or REASON not in difference(*pair)[1]:
            return
        match = _AROUND.search(pair[1])
        if match is not None:
            self.start, self.end = match[1], match[2]
        else:
            match = _BEHIND.search(pair[1])
            if match is None or not match[1]:
                return
            self.end = match[1]
        self.found("a render of reasoning shows it")

    def compare_thinking(self) -> None:
        """A generation prompt with thinking off and on."""
        pair = self.pair(
            ([_ASK], {"enable_thinking": False, "add_generation_prompt": True}),
            ([_ASK], {"enable_thinking": True, "add_generation_prompt": True}),
        )
        if pair is None:
            return
        off, on = pair
        left, right = difference(off, on)
        left_text, right_text = left.strip(BLANKS), right.strip(BLANKS)
        if not left_text and right:
            if right_text and on.endswith(right_text) and not self.start:
                self.start = right
                self.found("with enable_thinking the generation prompt ends in it")
        elif not right_text and left:
            if left_text and off.endswith(left_text) and not self.end:
                self.end_of_prompt(off, left, left_text)
        elif left_text and right_text:
            self.compare_ends(off, on)

    def end_of_prompt(self, off: str, left: str, left_text: str) -> None:
        """Without thinking, the prompt ends the reasoning at once."""
        tail = [item for item in segments(off) if item.text.strip(BLANKS)][-2:]
        if len(tail) == 2 and tail[1].text == left_text and tail[0].is_mark:
            self.start = tail[0].text
        self.end = left
        self.found("without enable_thinking the generation prompt ends in it")

    def compare_ends(self, off: str, on: str) -> None:
        """The texts differ in more places; the end of one may stand in the other, with two marks after it."""
        for base, other in ((on, off), (off, on)):
            _, anchor, rest = other.rpartition(base[-_ANCHOR:])
            if not anchor:
                continue
            tail = [item for item in segments(rest.strip(BLANKS)) if item.text.strip(BLANKS)]
            if len(tail) == 2 and tail[0].is_mark and tail[1].is_mark:
                self.start = self.start or tail[0].text
                self.end = self.end or tail[1].text
                self.found("the generation prompt has both marks, depending on enable_thinking")
                return

    def compare_calls(self) -> None:
        """Reasoning that only shows beside a tool call."""
        variables = {"enable_thinking": True, "tools": _TOOLS}
        pair = self.pair(([_ASK, _REASONED], variables), ([_ASK, _CALLED], variables))
        if pair is None or REASON in pair[0] or REASON not in pair[1]:
            return
        match = _AROUND_CALL.search(pair[1])
        if match is not None:
            self.start, self.end = match[1], match[2]
        else:
            match = _BEHIND.search(pair[1])
            self.end = (match[1] or "") if match is not None else ""
        self.found("a render of a tool call with reasoning shows it")

    def look_at_source(self, source: str) -> None:
        """Templates that llama.cpp knows by their source."""
        if (
            not self.thinks
            and "content.split('</think>')" in source
            and "reasoning_content" not in source
            and "<SPECIAL_12>" not in source
        ):
            self.start, self.end = "<think>", "</think>"
            self.found("the source splits content at </think>")
        if _GRANITE in source:
            self.start, self.end = "<think>", "</think>"
            self.found("the source asks for <think></think>")
        if all(mark in source for mark in ("<SPECIAL_10>", "<SPECIAL_11>", "<SPECIAL_12>", "<TOOL_RESPONSE>")):
            self.start, self.end = "<think>\n", "</think>"
            self.found("the source is Nemotron Nano 2's")
        if "laguna_glm_thinking" in source:
            self.start, self.end = self.start.strip(BLANKS), self.end.strip(BLANKS)


_GRANITE = "Write your thoughts between <think></think> and write your response between <response></response>"


def find_marks(render: Render, source: str, supports_tool_calls: bool) -> Marks:
    """Compare renders of a template; `render` adds what every render needs."""
    search = _Search(render)
    search.compare_reasoning()
    search.compare_thinking()
    if supports_tool_calls:
        search.compare_calls()
    search.look_at_source(source)
    return Marks(_text(search.start), _text(search.end), search.thinks, search.why)
