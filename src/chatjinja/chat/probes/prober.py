"""Rendering made-up conversations, and telling what came of it.

Everything that is looked for in a text is a word that no template has, such as `USER`.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from chatjinja.chat.probes.records import Answer, Evidence
from chatjinja.chat.probes.texts import is_data, shortened
from chatjinja.environment.template import LlamaTemplate
from chatjinja.errors import LimitError, OperationError, RaisedError, TemplateError
from chatjinja.syntax.visitor import walk

Message = dict[str, Any]

USER = "zquserzq"
ANSWER = "zqanswerzq"
SYSTEM = "zqsystemzq"
RESULT = "zqresultzq"
OTHER = "zqotherzq"
SECOND = "zqsecondzq"
TOOL = "zqtoolzq"
CALLED = "zqcalledzq"
"""Name of the tool in calls; it is not that of the declared one, so that each can be told apart."""
CALL_ID = "zqcallid1"
"""Nine letters and digits, as some templates demand."""
BOS = "<zqbos>"
EOS = "<zqeos>"
NOW = datetime(2024, 7, 26, 12, tzinfo=UTC)

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": TOOL,
            "description": "Tells a word",
            "parameters": {
                "type": "object",
                "properties": {"zqparameterzq": {"type": "number", "description": "A number"}},
                "required": ["zqparameterzq"],
            },
        },
    }
]
ARGUMENTS = {"zqone": 1.0}
TOLD = '{"zqone": 1.0}'

_SYSTEM_ROLES = frozenset(("system", "developer"))
_ANSWER_ROLES = frozenset(("assistant", "model", "gpt", "bot", "chatbot"))
_RESULT_ROLES = frozenset(
    (
        "environment",
        "function",
        "function_response",
        "ipython",
        "observation",
        "tool",
        "tool_response",
        "tool_result",
        "tool_results",
    )
)
_RAISED = "Jinja Exception: "
_LACKING = re.compile(
    r"(?:Unknown \(built-in\) filter|Unknown test|Callee is not a function: got Undefined \(hint:) '(\w+)'"
)
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_WITHOUT_REFERENCES = 2
"""Version of `marshal` in which equal data has equal bytes."""


class Result(NamedTuple):
    """What a render gave: a text, or an error and an empty text."""

    text: str
    error: TemplateError | None = None

    def shows(self, *words: str) -> bool:
        """Whether all the words are in the text."""
        return all(word in self.text for word in words)


class Placement(NamedTuple):
    """Messages around one that is tried out, in words too."""

    where: str
    before: Sequence[Message]
    after: Sequence[Message]


class Trial(NamedTuple):
    """A message with a certain role, in some place, and what came of it. `shown`: its text appears."""

    where: str
    result: Result
    shown: bool

    @property
    def is_content(self) -> bool:
        """Its text appears, and not as printed data."""
        return self.shown and not is_data(self.result.text.partition(OTHER)[0])


def parts(*texts: str) -> list[dict[str, str]]:
    """Content as a list of text parts."""
    return [{"type": "text", "text": text} for text in texts]


class _Base(NamedTuple):
    """The plainest conversation that works: one question.

    Attributes:
        is_text: content is text, not a list of parts.
        variables: variables without which it does not work.
        result: what it gave.
    """

    is_text: bool
    variables: Mapping[str, Any]
    result: Result


class Prober:
    """Renders conversations with one template. Nothing that the template does raises an error here.

    Attributes:
        template: the template.
        nodes: all nodes of its tree, in the order of the source.
    """

    def __init__(self, template: LlamaTemplate) -> None:
        self.template = template
        self.nodes = list(walk(template.tree))
        self._is_text: dict[str, bool] = {}
        self._trials: dict[tuple[str, bool], Trial] = {}
        self._limit: LimitError | None = None
        self._results: dict[bytes, Result] = {}

    # --- rendering ---------------------------------------------------------------------------------

    def render(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Any] | None = None,
        prompt: bool = True,
        now: datetime = NOW,
        variables: Mapping[str, Any] = _NOTHING,
    ) -> Result:
        """Render messages; `prompt`: with ``add_generation_prompt``, which is not set otherwise."""
        context: dict[str, Any] = {**self.base.variables, **variables}
        if tools is not None:
            context["tools"] = tools
        return self._render(messages, context, prompt, now)

    def _render(
        self, messages: Sequence[Message], variables: Mapping[str, Any], prompt: bool = True, now: datetime = NOW
    ) -> Result:
        context: dict[str, Any] = {"messages": list(messages), "bos_token": BOS, "eos_token": EOS}
        if prompt:
            context["add_generation_prompt"] = True
        context.update(variables)
        key = marshal.dumps((context, now.timestamp()), _WITHOUT_REFERENCES)
        known = self._results.get(key)
        if known is None:
            known = self._results[key] = self._rendered(context, now)
        return known

    def _rendered(self, context: dict[str, Any], now: datetime) -> Result:
        if self._limit is not None:  # a template that runs into a limit once is not run again and again
            return Result("", self._limit)
        try:
            return Result(self.template.render(context, now=now))
        except LimitError as error:
            self._limit = error
            return Result("", error)
        except TemplateError as error:
            return Result("", error)

    @cached_property
    def base(self) -> _Base:
        """A question that is rendered; if there is none, the plainest one with its error."""
        found = []
        attempts: list[dict[str, Any]] = [{}, {"tools": []}, {"tools": TOOLS}]
        for variables in attempts:
            for is_text in (True, False):
                message = {"role": "user", "content": USER if is_text else parts(USER)}
                base = _Base(is_text, variables, self._render([message], variables))
                if base.result.shows(USER):
                    return base
                found.append(base)
        return next((base for base in found if base.result.error is None), found[0])

    # --- messages ----------------------------------------------------------------------------------

    def message(self, role: str, text: str, **fields: Any) -> Message:
        """A message whose content has the form that the template wants for this role."""
        return {"role": role, "content": text if self.is_text(role) else parts(text), **fields}

    @property
    def user(self) -> Message:
        return self.message("user", USER)

    @property
    def answer(self) -> Message:
        return self.message("assistant", ANSWER)

    def call(self, arguments: Any = None, **fields: Any) -> Message:
        """An assistant's message with a tool call, its arguments in the form that the template takes."""
        if arguments is None:
            arguments = ARGUMENTS if self._takes_mappings else TOLD
        call = {"id": CALL_ID, "type": "function", "function": {"name": CALLED, "arguments": arguments}}
        return {**self.message("assistant", ""), "tool_calls": [call], **fields}

    def result(self, text: str = RESULT, **fields: Any) -> Message:
        """The result of that call; with the name of the tool only if the template wants one."""
        names = {"name": CALLED} if self.wants_names else {}
        return self.message("tool", text, tool_call_id=CALL_ID, **{**names, **fields})

    @cached_property
    def wants_names(self) -> bool:
        """Whether results of calls need the name of the tool."""
        plain = self.message("tool", RESULT, tool_call_id=CALL_ID)
        before = [self.user, self.call()]
        if self.render([*before, plain], tools=TOOLS).error is None:
            return False
        return self.render([*before, {**plain, "name": CALLED}], tools=TOOLS).error is None

    def render_call(
        self, call: Message, *words: str, answered: bool = False, variables: Mapping[str, Any] = _NOTHING
    ) -> Result:
        """Render a question and a message with a call; `answered`: and its result.

        The other of the two counts if the wanted one raises an error, or shows none of the words and the other does.
        """
        asked = [self.user, call]
        orders = [[*asked, self.result()], asked]
        wanted, other = orders if answered else orders[::-1]
        first = self.render(wanted, tools=TOOLS, variables=variables)
        if first.error is None and any(word in first.text for word in words):
            return first
        second = self.render(other, tools=TOOLS, variables=variables)
        better = second.error is None and any(word in second.text for word in words)
        return second if better or (first.error is not None and second.error is None) else first

    @cached_property
    def _takes_mappings(self) -> bool:
        """Whether calls are given with arguments as an object: unless only text works."""
        asked = [{"role": "user", "content": USER if self.base.is_text else parts(USER)}]
        tools = {**self.base.variables, "tools": TOOLS}
        mapping = self._render([*asked, self.call(ARGUMENTS)], tools)
        return mapping.shows("zqone") or not self._render([*asked, self.call(TOLD)], tools).shows("zqone")

    def is_text(self, role: str) -> bool:
        """Whether content is given as text: unless only a list of parts appears."""
        if role not in self._is_text:
            usual = self.base.is_text
            self._is_text[role] = usual  # for messages around this one
            if role != "user" and not self.trial(role, usual).is_content and self.trial(role, not usual).is_content:
                self._is_text[role] = not usual
        return self._is_text[role]

    # --- roles -------------------------------------------------------------------------------------

    def trial(self, role: str, is_text: bool) -> Trial:
        """A message with `role`, its content `OTHER`, or as parts `OTHER` and `SECOND`.

        It is rendered where such a message belongs, and if it does not appear there, in other places; if it appears
        nowhere, what counts is the place where it belongs. The form that questions do not have is tried in one place.
        """
        known = self._trials.get((role, is_text))
        if known is None:
            trials = self._try(role, is_text)
            known = next((trial for trial in trials if trial.shown), trials[0])
            self._trials[role, is_text] = known
        return known

    def _try(self, role: str, is_text: bool) -> list[Trial]:
        message: Message = {"role": role, "content": OTHER if is_text else parts(OTHER, SECOND)}
        if role in _RESULT_ROLES:
            message["tool_call_id"] = CALL_ID
        placements = self._placements(role)
        if is_text is not self.base.is_text:
            usual = self.trial(role, self.base.is_text)
            placements = [one for one in placements if one.where == usual.where]
        trials: list[Trial] = []
        for where, before, after in placements:
            tools = TOOLS if any("tool_calls" in other for other in before) else None
            result = self.render([*before, message, *after], tools=tools)
            trials.append(Trial(where, result, result.shows(OTHER) or result.shows(SECOND)))
            if trials[-1].shown or _is_settled(trials):
                break
        return trials

    def _placements(self, role: str) -> list[Placement]:
        """Where a message may stand, the place where it belongs first."""
        if role == "user":
            return [Placement("alone", (), ())]
        user = self.user
        first = Placement("before a question", (), (user,))
        if role in _SYSTEM_ROLES:
            return [first]
        answer = Placement("after a question", (user,), ())
        between = Placement("between questions", (user,), (user,))
        if role in _ANSWER_ROLES:
            return [answer, between]
        result = Placement("after a tool call", (user, self.call()), ())
        return [result, answer, between] if role in _RESULT_ROLES else [first, answer, between, result]

    # --- evidence ----------------------------------------------------------------------------------

    def judged(self, result: Result, shown: bool, what: str, *, else_works: bool = False) -> Evidence:
        """Whether `what` appears in a render that ended well, or what its error says (see `failure`)."""
        if result.error is not None:
            return self.failure(result.error, else_works=else_works)
        return Evidence("yes", f"{what} appears") if shown else Evidence("no", f"{what} does not appear")

    def failure(self, error: TemplateError, *, else_works: bool = False) -> Evidence:
        """What an error says: no, if the template refuses the data, else nothing.

        `else_works`: a conversation works that is the same without the thing in question, so an error says no to it,
        unless the engine lacks what the template uses.
        """
        if isinstance(error, RaisedError):
            return Evidence("no", f'refused: "{self.raised(error)}"', error.lineno)
        answer: Answer = "no" if else_works and not self.is_lacking(error) else "probe failed"
        return Evidence(answer, f"raises an error: {shortened(error.message)}", error.lineno)

    @staticmethod
    def raised(error: TemplateError) -> str:
        """The text that a template raised."""
        return shortened(error.message.removeprefix(_RAISED))

    def is_lacking(self, error: TemplateError) -> bool:
        """Whether an error says more about the engine than about the data: it lacks what the template uses."""
        name = _LACKING.match(error.message)
        is_missing = name is not None and name[1] not in self._known_names
        return is_missing or not isinstance(error, OperationError)

    @cached_property
    def _known_names(self) -> frozenset[str]:
        tables = self.template.dialect.tables
        return frozenset((*tables.method_names, *tables.aliases, *tables.tests))


def _is_settled(trials: list[Trial]) -> bool:
    """Whether two places gave the same error, so that another will hardly do better."""
    errors = [trial.result.error for trial in trials]
    places = {(error.lineno, error.message) for error in errors if error is not None}
    return len(places) < len(trials) and None not in errors
