"""Which roles a template takes, in which order, and with content of which form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from chatjinja.chat.probes.prober import ANSWER, OTHER, RESULT, SECOND, SYSTEM, TOOLS, USER, Message, Prober, Trial
from chatjinja.chat.probes.records import Content, Evidence, Role, Shape
from chatjinja.chat.probes.texts import is_data
from chatjinja.syntax import nodes as n

USUAL_ROLES = ("system", "developer", "user", "assistant", "tool")
ANY_ROLE = "zqrolezq"
_SHAPES: Mapping[tuple[bool, bool], Shape] = MappingProxyType(
    {(True, True): "both", (True, False): "string", (False, True): "list", (False, False): "neither"}
)


# --- roles ---------------------------------------------------------------------------------------------


def named_roles(nodes: Sequence[n.Node]) -> set[str]:
    """The texts that a template compares roles with."""
    found: set[str] = set()
    copies = set(_copies_of_role(nodes))
    for node in nodes:
        if isinstance(node, n.BinExpr) and node.op in ("==", "!=", "in", "not in"):
            for side, other in ((node.left, node.right), (node.right, node.left)):
                if _is_role(side) or (isinstance(side, n.Name) and side.name in copies):
                    items = other.items if isinstance(other, (n.List, n.Tuple)) else [other]
                    values = [item.value for item in items if isinstance(item, n.Const)]
                    found.update(value for value in values if isinstance(value, str) and value[:1].isalpha())
    return found


def _copies_of_role(nodes: Sequence[n.Node]) -> Iterator[str]:
    for stmt in nodes:
        if isinstance(stmt, n.Assign) and isinstance(stmt.target, n.Name) and _is_role(stmt.node):
            yield stmt.target.name


def _is_role(node: n.Expr) -> bool:
    if isinstance(node, n.Getattr):
        return isinstance(node.attr, n.Name) and node.attr.name == "role"
    return isinstance(node, n.Getitem) and isinstance(node.arg, n.Const) and node.arg.value == "role"


def find_roles(prober: Prober) -> dict[str, Role]:
    """What becomes of the usual roles and of those that the template names."""
    named = named_roles(prober.nodes)
    more = sorted(named.difference(USUAL_ROLES))
    return {name: find_role(prober, name, name in named) for name in (*USUAL_ROLES, *more)}


def find_role(prober: Prober, name: str, is_named: bool) -> Role:
    """What becomes of one role."""
    string, in_parts = prober.trial(name, True), prober.trial(name, False)
    better = in_parts if in_parts.shown and not string.shown else string
    return Role(_accepted(prober, better), is_named, _content(prober, string, in_parts))


def _accepted(prober: Prober, trial: Trial) -> Evidence:
    evidence = prober.judged(trial.result, trial.shown, "its content")
    return evidence._replace(why=f"{trial.where}: {evidence.why}")


def any_role(prober: Prober) -> Evidence:
    """Whether a role that no template knows is rendered like any other."""
    return _accepted(prober, prober.trial(ANY_ROLE, prober.base.is_text))


# --- content -------------------------------------------------------------------------------------------


def _content(prober: Prober, string: Trial, in_parts: Trial) -> Content:
    text = prober.judged(string.result, string.shown, "content that is text", else_works=in_parts.shown)
    listed = prober.judged(in_parts.result, in_parts.shown, "a list of text parts", else_works=string.shown)
    separator = None
    if listed.answer == "yes":
        before, _, rest = in_parts.result.text.partition(OTHER)
        if is_data(before):
            listed = Evidence("no", "a list of text parts is printed as data")
        elif not in_parts.result.shows(OTHER, SECOND):
            listed = Evidence("yes", "one part of a list of text parts appears, the other does not")
        else:
            separator = rest.partition(SECOND)[0]
    answers = (text.answer, listed.answer)
    is_unknown = "yes" not in answers and "probe failed" in answers
    shape = "unknown" if is_unknown else _SHAPES[answers[0] == "yes", answers[1] == "yes"]
    return Content(shape, text, listed, separator)


# --- rules ---------------------------------------------------------------------------------------------


_Messages = Callable[[Prober], list[Message]]


class Rule(NamedTuple):
    """A rule that templates may have for the order of messages.

    Attributes:
        what: the rule, in words.
        kept: messages that keep to it, and the words of theirs that must appear; otherwise nothing is said.
        broken: messages that break it, in words too, and the words of theirs that appear if they are accepted.
        has_tools: tools are declared.
        prompt: a generation prompt is asked for.
    """

    what: str
    kept: _Messages
    kept_words: tuple[str, ...]
    broken_what: str
    broken: _Messages
    broken_words: tuple[str, ...]
    has_tools: bool = False
    prompt: bool = True


def _system(prober: Prober, text: str = SYSTEM) -> Message:
    return prober.message("system", text)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "system-first": Rule(
            "a system message must come first",
            lambda p: [_system(p), p.user],
            (SYSTEM,),
            "a system message after an answer",
            lambda p: [p.user, p.answer, _system(p), p.user],
            (SYSTEM,),
        ),
        "one-system": Rule(
            "there may be one system message only",
            lambda p: [_system(p), p.user],
            (SYSTEM,),
            "two system messages",
            lambda p: [_system(p), _system(p, OTHER), p.user],
            (SYSTEM, OTHER),
        ),
        "user-first": Rule(
            "the first message, or the first after the system's, must be a user's",
            lambda p: [p.user, p.answer, p.user],
            (USER, ANSWER),
            "an assistant's message before a user's",
            lambda p: [p.answer, p.user],
            (USER, ANSWER),
        ),
        "user-required": Rule(
            "there must be a user's message",
            lambda p: [_system(p), p.user],
            (SYSTEM,),
            "only a system message",
            lambda p: [_system(p)],
            (SYSTEM,),
        ),
        "alternating-users": Rule(
            "two user's messages must not follow each other",
            lambda p: [p.user, p.answer, p.message("user", OTHER)],
            (USER, OTHER),
            "two user's messages in a row",
            lambda p: [p.user, p.message("user", OTHER)],
            (USER, OTHER),
        ),
        "alternating-assistants": Rule(
            "two assistant's messages must not follow each other",
            lambda p: [p.user, p.answer, p.user],
            (ANSWER,),
            "two assistant's messages in a row",
            lambda p: [p.user, p.answer, p.message("assistant", OTHER), p.user],
            (ANSWER, OTHER),
        ),
        "assistant-not-last": Rule(
            "the last message must not be an assistant's",
            lambda p: [p.user, p.answer, p.user],
            (ANSWER,),
            "an assistant's message at the end",
            lambda p: [p.user, p.answer],
            (ANSWER,),
            prompt=False,
        ),
        "result-after-call": Rule(
            "a tool's result must follow a message with a tool call",
            lambda p: [p.user, p.call(), p.result()],
            (RESULT,),
            "a result after a plain answer",
            lambda p: [p.user, p.answer, p.result()],
            (RESULT,),
            has_tools=True,
        ),
        "call-ids-of-nine": Rule(
            "ids of tool calls must have nine characters",
            lambda p: [p.user, p.call(), p.result()],
            (),
            "a longer id",
            lambda p: [p.user, *_with_long_ids(p)],
            (),
            has_tools=True,
        ),
    }
)
"""Rules by name."""


def _with_long_ids(prober: Prober) -> Iterator[Message]:
    call = prober.call()
    yield {**call, "tool_calls": [{**call["tool_calls"][0], "id": "call_zqlongerthannine"}]}
    yield {**prober.result(), "tool_call_id": "call_zqlongerthannine"}


def find_rules(prober: Prober) -> dict[str, Evidence]:
    """Which rules the template has."""
    return {name: _find_rule(prober, rule) for name, rule in RULES.items()}


def _find_rule(prober: Prober, rule: Rule) -> Evidence:
    tools = TOOLS if rule.has_tools else None
    kept = prober.render(rule.kept(prober), tools=tools)
    if kept.error is not None:
        failure = prober.failure(kept.error)
        return failure._replace(answer="probe failed", why=f"a conversation that keeps to it: {failure.why}")
    if not kept.shows(*rule.kept_words):
        return Evidence("no", "such messages do not appear in any order")
    broken = prober.render(rule.broken(prober), tools=tools, prompt=rule.prompt)
    if broken.error is not None:
        failure = prober.failure(broken.error, else_works=True)
        failure = failure._replace(why=f"{rule.broken_what}: {failure.why}")
        # The template says no to the messages, so yes, it has the rule.
        return failure._replace(answer="yes") if failure.answer == "no" else failure
    if broken.shows(*rule.broken_words):
        return Evidence("no", f"{rule.broken_what}: rendered")
    return Evidence("yes", f"{rule.broken_what}: no error, but not all of it appears")
