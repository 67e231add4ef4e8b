"""Requests on their way to a marked prompt: the same as `Job`, with texts that know who wrote them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from chatjinja.chat.apply import Job
from chatjinja.chat.jsontext import is_array
from chatjinja.chat.messages import Message, quickly_rebuilt, rebuild_message, rebuild_tools
from chatjinja.chat.prompt import ChatPrompt
from chatjinja.chat.requests import Request, schema_of
from chatjinja.chat.tracked import Place, Tracked, TrackedDict, TrackedList, encoded, located, runs_of, tracked
from chatjinja.environment.base import Marking
from chatjinja.environment.parts import reference_parts, sound_parts
from chatjinja.environment.template import LlamaTemplate
from chatjinja.environment.trusted import trusted_context
from chatjinja.errors import TemplateError
from chatjinja.marking import DEFAULT_TRUST, Part, Prompt, TrustPolicy, escape, unescape
from chatjinja.runtime.marked import Marked, Origin, Runs, Source, SourcedFloat, SourcedInt, TemplateText

_IN_REQUEST = "#"
"""Stands before a pointer into the request where pointers into the context are usual; those begin with ``/``."""
NOTHING_TRUSTED = TrustPolicy({})
"""For the template, when what is trusted was found out before the request became a context."""
_DATA = ("messages", "tools", "chat_template_kwargs", "reasoning_effort", "response_format", "json_schema", "grammar")
"""What of a request can come to stand in a prompt, or decides about it."""
_OWN_VARIABLES = ("bos_token", "eos_token", "datetime", "date_string")
"""What the model and the clock say, unless the request says something else."""
_UNTRACKED = frozenset((str, TemplateText))
_PARSED = frozenset((TrackedDict, TrackedList))


class Marks(NamedTuple):
    """How a prompt is to be marked: the arguments of `ChatTemplate.apply` of these names.

    Without `marking`, parts are made when they are asked for, in the sound way.
    """

    marking: Marking | None = None
    trust: TrustPolicy | None = None
    provenance: bool = False


# --- the request ---------------------------------------------------------------------------------------


def marked_request(request: Request, marks: Marks) -> Request:
    """The request with texts that know what the marks need: their places, or that `Marks.trust` names them."""
    place: Place = Source if marks.provenance else _flag
    policy = None if template_decides(request, marks) else marks.trust or DEFAULT_TRUST
    body = {name: request.body[name] for name in _DATA if name in request.body}
    data = body if policy is None else trusted_context(body, policy)
    if data is body and not marks.provenance:
        return request._replace(messages=_with_runs(request))
    messages = [_prepared(message, f"/messages/{at}", place) for at, message in enumerate(data["messages"])]
    given = data.get("chat_template_kwargs")
    names = given if isinstance(given, Mapping) else {}
    kwargs = {}
    for name in request.kwargs:
        pointer = place_of_variable(request, name)
        value = data["reasoning_effort"] if pointer == "/reasoning_effort" else names[name]
        kwargs[name] = located(value, pointer) if marks.provenance and isinstance(value, str) else value
    return request._replace(
        messages=[rebuild_message(message, at) for at, message in enumerate(messages)],
        tools=request.tools if data.get("tools") is body.get("tools") else rebuild_tools(data["tools"]),
        kwargs=kwargs,
        schema=schema_of(data),
    )


def template_decides(request: Request, marks: Marks) -> bool:
    """Whether the template can find out by itself what is trusted, because the default policy says the same about
    its context as about the request."""
    return marks.trust in (None, DEFAULT_TRUST) and _DECIDED.isdisjoint(request.kwargs)


_DECIDED = frozenset(pattern.split("/")[1] for pattern in DEFAULT_TRUST.paths)
"""Variables in which the default policy trusts something, but not if the request has set them."""


def _with_runs(request: Request) -> list[Message]:
    """The messages, with arguments that know what of them is JSON's punctuation."""
    made = list(request.messages)
    for at, message in enumerate(made):
        original = request.body["messages"][at]
        if "tool_calls" in message and quickly_rebuilt(original) is None:
            made[at] = rebuild_message(_prepared(original, f"/messages/{at}", _flag), at)
    return made


def _flag(pointer: str, is_input: bool) -> bool:
    return is_input


def place_of_variable(request: Request, name: str) -> str:
    """Where the request has a variable of `Request.kwargs`."""
    effort = request.body.get("reasoning_effort")
    if name == "reasoning_effort" and isinstance(effort, str) and effort:
        return "/reasoning_effort"
    return f"/chat_template_kwargs/{escape(str(name))}"


def place_of_schema(body: Mapping[str, Any]) -> str:
    """Where the request has the schema of the answer."""
    wanted = body.get("response_format")
    kind = wanted.get("type") if isinstance(wanted, Mapping) else None
    if kind == "json_object":
        return "/response_format/schema"
    return "/response_format/json_schema/schema" if kind == "json_schema" else "/json_schema"


def _prepared(message: Mapping[str, Any], pointer: str, place: Place) -> Mapping[str, Any]:
    """The message with its texts located, if `place` is `Source`, and with arguments as JSON text."""
    made = dict(message)
    if place is Source:
        for key in ("role", "content", "reasoning_content", "name", "tool_call_id"):
            if isinstance(made.get(key), str):
                made[key] = located(made[key], f"{pointer}/{key}")
        content: Any = made.get("content")
        if is_array(content):
            made["content"] = [
                {**part, "text": located(part["text"], f"{pointer}/content/{number}/text")}
                for number, part in enumerate(content)
            ]
    calls: Any = made.get("tool_calls")
    if isinstance(calls, Mapping):
        made["tool_calls"] = [
            _call(call, f"{pointer}/tool_calls/{escape(str(key))}", place) for key, call in calls.items()
        ]
    elif is_array(calls):
        made["tool_calls"] = [_call(call, f"{pointer}/tool_calls/{number}", place) for number, call in enumerate(calls)]
    return made


def _call(call: Mapping[str, Any], pointer: str, place: Place) -> dict[str, Any]:
    function = dict(call["function"])
    inner = f"{pointer}/function"
    arguments = function["arguments"]
    if not isinstance(arguments, str):
        function["arguments"] = encoded(arguments, f"{inner}/arguments", place)
    made = {**call, "function": function}
    if place is Source:
        for key in ("name", "arguments"):
            if type(function[key]) is not Tracked:
                function[key] = located(function[key], f"{inner}/{key}")
        if "id" in made:
            made["id"] = located(made["id"], f"{pointer}/id")
    return made


# --- the context ---------------------------------------------------------------------------------------


class Places:
    """Which pointer into the request belongs to a pointer into the context.

    Attributes:
        body: the request.
        known: pointer into the context → pointer into the request; what is below the one is below the other.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = body
        self.known: dict[str, str | None] = {}
        self._found: dict[str, str | None] = {}

    def find(self, pointer: str | None) -> str | None:
        """The place in the request; None for what does not stem from it."""
        if pointer is None:
            return None
        if pointer not in self._found:
            self._found[pointer] = self._find(pointer)
        return self._found[pointer]

    def _find(self, pointer: str) -> str | None:
        if pointer.startswith(_IN_REQUEST):
            return pointer[len(_IN_REQUEST) :]
        above = pointer
        while above:
            target = self.known.get(above)
            if target is not None:
                return existing(self.body, target + pointer[len(above) :])
            above = above.rpartition("/")[0]
        return None


def existing(data: Any, pointer: str) -> str:
    """`pointer`, or as much of it as leads to something: the value that holds what it was made of."""
    found = ""
    for token in pointer.split("/")[1:]:
        key: Any = unescape(token)
        if isinstance(data, Mapping):
            if key not in data and token.endswith("#") and unescape(token[:-1]) in map(str, data):
                return f"{found}/{token}"
            key = next((other for other in data if str(other) == key), None) if key not in data else key
            if key not in data:
                break
        elif is_array(data) and key.isdecimal() and int(key) < len(data):
            key = int(key)
        else:
            break
        data = data[key]
        found += f"/{token}"
    return found


class MarkedJob(Job):
    """A request that becomes a marked prompt. Its text is that of `plain`, character by character.

    Its steps run when it is made.

    Attributes:
        plain: the same request without marks, whose steps have run.
        marks: how it is marked.
        sources: places in the request.
        template_decides: as the function of this name.
    """

    def __init__(self, plain: Job, marks: Marks) -> None:
        self.is_sound = marks.marking != "reference"
        request = marked_request(plain.request, marks) if self.is_sound else plain.request
        super().__init__(request, plain.variant, plain.around)
        self.plain = plain
        self.marks = marks
        self.sources = Places(request.body)
        self.template_decides = template_decides(request, marks)
        self.run_steps(plain.workarounds, plain.arguments)
        plain.prepare()

    def own(self, text: str) -> str:
        return TemplateText(text)

    def take(self, changed: Sequence[Message | None]) -> None:
        at_home = {id(message): place for place, message in zip(self.places, self.messages, strict=True)}
        here = zip(self.places, self.messages, changed, strict=True)
        places = [place if new is old else at_home.get(id(new), place) for place, old, new in here if new is not None]
        super().take(changed)
        self.places = places

    # --- to the template ---------------------------------------------------------------------------

    def variables(self) -> dict[str, Any]:
        context = super().variables()
        kwargs = self.request.kwargs
        if not self.is_sound:
            if "reasoning_strength" in context and "reasoning_strength" not in kwargs:
                # llama.cpp sets this one beside the others, and never marks it.
                context["reasoning_strength"] = TemplateText(context["reasoning_strength"])
            return context
        for name in () if self.template_decides else _OWN_VARIABLES:
            if name not in kwargs:
                context[name] = TemplateText(context[name])
        for name in kwargs:
            self.sources.known[f"/{escape(str(name))}"] = place_of_variable(self.request, name)
            if type(context[name]) is Tracked:
                context[name] = self.text_value(context[name], f"/{escape(str(name))}")
        self.note_copies(context)
        if "messages" not in kwargs:
            context["messages"] = self.marked_messages()
        return context

    def note_copies(self, context: dict[str, Any]) -> None:
        """Say where variables come from that have another name in the request."""
        known, kwargs = self.sources.known, self.request.kwargs
        known.setdefault("/tools", "/tools")
        if "reasoning_strength" in context and "reasoning_strength" not in kwargs:
            known["/reasoning_strength"] = known["/reasoning_effort"]
            context["reasoning_strength"] = context["reasoning_effort"]
        if self.family.wants_schema and isinstance(self.request.schema, Mapping):
            known["/response_format"] = place_of_schema(self.request.body)

    def marked_messages(self) -> list[Message]:
        """The messages as the template gets them."""
        if not self.marks.provenance:
            return [
                message if _UNTRACKED.issuperset(map(type, message.values())) else self.marked_message(message, "")
                for message in self.messages
            ]
        made = []
        for at, (place, message) in enumerate(zip(self.places, self.messages, strict=True)):
            self.note(f"/messages/{at}", f"/messages/{place}")
            made.append(self.marked_message(message, f"/messages/{at}"))
        return made

    def marked_message(self, message: Message, pointer: str) -> Message:
        """A message as the template gets it."""
        try:
            made: Message = self.value(message, pointer)
        except RecursionError:  # arguments that are nested very deeply; all of it counts as input
            return message
        return made

    def note(self, pointer: str, origin: str | None) -> None:
        """What stands at `pointer` in the context comes from `origin` in the request."""
        self.sources.known[pointer] = origin

    def value(self, value: Any, pointer: str) -> Any:
        """A value for the context, where it stands at `pointer`; notes where it stems from."""
        kind = type(value)
        if kind is dict:
            if _UNTRACKED.issuperset(map(type, value.values())):
                return value
            return {key: self.value(item, pointer and f"{pointer}/{escape(str(key))}") for key, item in value.items()}
        if kind is list:
            return [self.value(item, pointer and f"{pointer}/{number}") for number, item in enumerate(value)]
        if kind is Tracked:
            return self.text_value(value, pointer)
        if kind in _PARSED:
            self.note(pointer, value.origin.pointer)
            return dict(value) if kind is TrackedDict else list(value)
        if kind is SourcedInt or kind is SourcedFloat:
            self.note(pointer, value.source.pointer)
            return value + 0
        return value

    def text_value(self, value: Tracked, pointer: str) -> Any:
        """A text for the context: one of several origins becomes a string in pieces."""
        text, runs = str.__str__(value), value.runs
        if len(runs) == 1:
            origin = runs[0][1]
            if type(origin) is Source:
                self.note(pointer, origin.pointer)
            return text if origin else TemplateText(text)
        return Marked(((text, True),), tuple([(part, _in_context(origin)) for part, origin in runs]))

    # --- from the template -------------------------------------------------------------------------

    def rendered(self, template: LlamaTemplate, context: Mapping[str, Any]) -> str:
        marking, trust, provenance = self.marks
        if self.is_sound:
            trust = None if self.template_decides else NOTHING_TRUSTED
        prompt = template.render_marked(
            context, marking=marking or "sound", trust=trust, provenance=provenance, now=self.around.clock
        )
        return tracked(prompt.text, lambda: self.runs(prompt))

    def render_watching(self) -> None:
        """What is watched cannot be marked."""

    def opening_text(self, template: LlamaTemplate) -> str | None:
        try:
            return self.rendered(template, self.with_prompt)
        except TemplateError:
            return None

    def check(self) -> None:
        self.plain.check()

    def runs(self, prompt: Prompt) -> Runs:
        """The runs of a rendered prompt, with places in the request."""
        if not self.marks.provenance:
            return tuple([(part.text, part.is_input) for part in prompt.parts])
        find = self.sources.find
        return tuple([(part.text, Source(find(part.source), part.is_input, part.span)) for part in prompt.parts])

    def parts(self, text: str) -> list[Part]:
        """The parts of the prompt that `text` returned."""
        runs = runs_of(text)
        if not self.is_sound:
            return reference_parts([Marked(tuple([(part, bool(origin)) for part, origin in runs]))])
        return sound_parts([Marked(((str.__str__(text), True),), runs)])


def _in_context(origin: Origin) -> Origin:
    """An origin in the request, for a string in the context."""
    return Source(f"{_IN_REQUEST}{origin.pointer}", origin.is_input) if type(origin) is Source else origin


# --- the prompt ----------------------------------------------------------------------------------------


def prompt_of(job: Job, marks: Marks) -> ChatPrompt:
    """The prompt of a request whose steps have run. Raises RequestError and TemplateError."""
    parts: Callable[[], Sequence[Part]]
    if marks.marking is None:
        rendered, text = job, job.text()
        parts = partial(_parts_later, job, marks, text)
    else:
        rendered = marked = MarkedJob(job, marks)
        tracked_text = marked.text()
        text, parts = str.__str__(tracked_text), partial(marked.parts, tracked_text)
    return ChatPrompt(
        text,
        parts,
        steps=job.steps,
        context=job.context,
        template_name=job.variant.chosen.name,
        family=job.family.name,
        bos_was_cut=rendered.bos_was_cut,
    )


def _parts_later(job: Job, marks: Marks, text: str) -> list[Part]:
    marked = MarkedJob(job, marks)
    found = marked.text()
    if found != text:
        raise ValueError("the request was changed after it was applied, so the parts of its prompt are not known")
    return marked.parts(found)
