"""Generation prompt, special tokens and clock."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from chatjinja.chat.marks import common_length
from chatjinja.chat.probes.prober import (
    ANSWER,
    BOS,
    EOS,
    NOW,
    OTHER,
    SYSTEM,
    TOOLS,
    USER,
    Message,
    Prober,
    Result,
)
from chatjinja.chat.probes.reads import Read
from chatjinja.chat.probes.records import Clock, Evidence, GenerationPrompt, PromptKind, Token
from chatjinja.chat.probes.texts import mark_start, quoted, rest, told_change
from chatjinja.syntax import nodes as n

LATER = NOW + timedelta(days=1234, hours=5, minutes=6)
_TIME_VARIABLES = ("date_string", "datetime")
"""Variables that the chat layer sets from the clock."""


# --- generation prompt ---------------------------------------------------------------------------------


class _Answers(NamedTuple):
    """How answers are rendered.

    Attributes:
        before: the text before one that follows a question, or None if answers do not appear.
        end: what follows one at the end of a conversation; empty if it does not appear there.
        between: what stands between one and the next question.
    """

    before: str | None
    end: str
    between: str


def find_generation_prompt(prober: Prober, reads_thinking: bool) -> GenerationPrompt:
    """How the prompt opens the model's turn."""
    wanted = prober.render([prober.user])
    without = prober.render([prober.user], prompt=False)
    for result in (wanted, without):
        if result.error is not None:
            failed = prober.failure(result.error)._replace(answer="probe failed")
            return GenerationPrompt("unknown", failed, "", "", "", failed, "")
    answers = _answers(prober)
    kind, found, text = _kind(wanted.text, without.text, answers)
    thinking, not_thinking = _thinking(prober) if reads_thinking else ("", "")
    end = answers.end
    if kind == "always" and answers.between:  # the next prompt begins there, too
        end = end[: mark_start(end, common_length(end, answers.between))]
    return GenerationPrompt(kind, found, text, thinking, not_thinking, _in_history(wanted.text, answers), end)


def _answers(prober: Prober) -> _Answers:
    last = prober.render([prober.user, prober.answer], prompt=False).text
    asked = prober.render([prober.user, prober.answer, prober.message("user", OTHER)], prompt=False).text
    before = next((text.partition(ANSWER)[0] for text in (last, asked) if ANSWER in text), None)
    return _Answers(before, last.partition(ANSWER)[2], asked.partition(ANSWER)[2].partition(OTHER)[0])


def _kind(wanted: str, without: str, answers: _Answers) -> tuple[PromptKind, Evidence, str]:
    if wanted != without:
        if wanted.startswith(without):
            text = wanted[len(without) :]
            return "conditional", Evidence("yes", f"add_generation_prompt adds {quoted(text)}"), text
        why = f"with add_generation_prompt: {told_change(without, wanted)}"
        return "conditional", Evidence("yes", why), rest(wanted, without)
    if answers.before is None:
        return "unknown", Evidence("probe failed", "add_generation_prompt changes nothing; answers do not appear"), ""
    turn = without.rpartition(USER)[2]
    opening = rest(answers.end, answers.between) if answers.between else ""
    if not answers.before.startswith(without):
        opening = rest(without, answers.before)
    elif not answers.before[len(without) :].strip():
        return "always", Evidence("yes", "the text ends where the answer begins, asked or not"), turn
    if opening.strip() and without.endswith(opening):
        return "always", Evidence("yes", f"the text always ends with {quoted(opening)}"), turn
    gap = rest(answers.before, without)
    why = f"add_generation_prompt changes nothing, but answers begin with {quoted(gap)}"
    return "never", Evidence("no", why), gap


def _thinking(prober: Prober) -> tuple[str, str]:
    texts = []
    for value in (True, False):
        switch = {"enable_thinking": value}
        wanted = prober.render([prober.user], variables=switch)
        without = prober.render([prober.user], prompt=False, variables=switch)
        texts.append(rest(wanted.text, without.text))
    return (texts[0], texts[1]) if texts[0] != texts[1] else ("", "")


def _in_history(wanted: str, answers: _Answers) -> Evidence:
    if answers.before is None:
        return Evidence("probe failed", "answers do not appear")
    if answers.before.startswith(wanted):
        return Evidence("yes", "answers in the history begin with the prompt")
    after, here = rest(wanted, answers.before), rest(answers.before, wanted)
    return Evidence("no", f"the prompt ends with {quoted(after)} where the history has {quoted(here)}")


# --- special tokens ------------------------------------------------------------------------------------


def find_tokens(prober: Prober) -> dict[str, Token]:
    """Whether the template writes BOS and EOS itself."""
    user, answer = prober.user, prober.answer
    result = prober.render([user, answer, user, answer], prompt=False)
    if result.error is not None:
        result = prober.render([user, answer, user])
    if result.error is not None:
        result = prober.render([user])
    return {"bos_token": _token(prober, result, BOS), "eos_token": _token(prober, result, EOS)}


def _token(prober: Prober, result: Result, token: str) -> Token:
    if result.error is not None:
        return Token(prober.failure(result.error), 0, "")
    text = result.text
    count = text.count(token)
    if not count:
        here = f"begins with {quoted(text[:30])}" if token == BOS else f"ends with {quoted(text[-30:])}"
        return Token(Evidence("no", f"the variable does not appear; the text {here}"), 0, "")
    places = []
    if text.startswith(token):
        places.append("at the start")
    after = text.split(ANSWER)[1:]
    if any(token in following[: len(token) + 40] for following in after):
        places.append("after answers")
    where = " and ".join(places) or "elsewhere"
    return Token(Evidence("yes", f"{count} times, {where}" if count > 1 else f"once, {where}"), count, where)


# --- clock ---------------------------------------------------------------------------------------------


def find_clock(prober: Prober, reads: dict[str, Read]) -> Clock:
    """Whether prompts depend on the time."""
    lines = _clock_lines(prober, reads)
    messages = [[prober.user], [prober.message("system", SYSTEM), prober.user]]
    for conversation in messages:
        for tools in (None, TOOLS):
            then = _at(prober, conversation, tools, NOW)
            later = _at(prober, conversation, tools, LATER)
            if then.text != later.text:
                why = f"a later time: {told_change(then.text, later.text)}"
                return Clock(Evidence("yes", why), lines)
    if lines:
        return Clock(Evidence("yes", f"line {lines[0]} asks for the time, though no probe got there"), lines)
    return Clock(Evidence("no", "nothing asks for the time"), ())


def _at(prober: Prober, messages: list[Message], tools: list[Any] | None, now: datetime) -> Result:
    variables = {"date_string": now.strftime("%d %b %Y"), "datetime": now.strftime("%b %d %Y")}
    return prober.render(messages, tools=tools, now=now, variables=variables)


def _clock_lines(prober: Prober, reads: dict[str, Read]) -> tuple[int, ...]:
    offsets = [
        node.start
        for node in prober.nodes
        if isinstance(node, n.Call) and isinstance(node.node, n.Name) and node.node.name == "strftime_now"
    ]
    offsets += [offset for name in _TIME_VARIABLES if name in reads for offset in reads[name].positions]
    source = prober.template.source
    return tuple(sorted({source.position(offset).lineno for offset in offsets}))
