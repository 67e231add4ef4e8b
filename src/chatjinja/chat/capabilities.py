"""What a template can do, found out by rendering probes.

Nine answers are llama.cpp's, found by watching which values of its own probes a template uses. The others come from
`chatjinja.chat.probes`. Each has its evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from chatjinja.chat.probes.media import find_media
from chatjinja.chat.probes.prober import Prober
from chatjinja.chat.probes.prompt import find_clock, find_generation_prompt, find_tokens
from chatjinja.chat.probes.reads import find_reads
from chatjinja.chat.probes.reasoning import find_reasoning
from chatjinja.chat.probes.records import (
    Arguments,
    Clock,
    Evidence,
    GenerationPrompt,
    Media,
    Reasoning,
    Role,
    Token,
    Tools,
    Variable,
    as_data,
)
from chatjinja.chat.probes.roles import any_role, find_roles, find_rules
from chatjinja.chat.probes.tools import find_arguments, find_tools
from chatjinja.chat.probes.variables import find_variables
from chatjinja.environment.template import LlamaTemplate
from chatjinja.environment.traced import Trace, Tracer


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """The nine capabilities, as a llama.cpp server reports them in ``chat_template_caps``.

    Attributes:
        evidence: name → why.
    """

    supports_string_content: bool = True
    supports_typed_content: bool = False
    supports_tools: bool = True
    supports_tool_calls: bool = True
    supports_parallel_tool_calls: bool = True
    supports_system_role: bool = True
    supports_preserve_reasoning: bool = False
    supports_reasoning_effort: bool = False
    supports_object_arguments: bool = False
    evidence: Mapping[str, Evidence] = field(default_factory=dict, compare=False)

    def as_dict(self) -> dict[str, bool]:
        """The nine answers by name."""
        return {name: getattr(self, name) for name in NAMES}


NAMES = tuple(name for name in ServerCapabilities.__dataclass_fields__ if name != "evidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities(ServerCapabilities):
    """The nine capabilities, and what more there is to know about a template.

    The nine tell what a llama.cpp server takes the template for, which decides how it reshapes requests. The rest
    is about the template itself, rendered as it is: no step of the chat layer comes in between.

    Attributes:
        roles: the usual roles and those that the template names.
        any_role: a role that no template knows is rendered like any other.
        rules: name of a rule for the order of messages (`chatjinja.chat.probes.roles.RULES`) → whether it holds.
        arguments: how arguments of tool calls are rendered.
        tools: declarations, calls and results of tools.
        reasoning: ways to hand over earlier reasoning, and when it appears.
        generation_prompt: how the prompt opens the model's turn.
        media: types of content parts that are not text.
        tokens: ``bos_token`` and ``eos_token``: whether the template writes them.
        clock: whether prompts depend on the time.
        variables: what the template reads beyond messages, tools, special tokens and ``add_generation_prompt``.
    """

    roles: Mapping[str, Role]
    any_role: Evidence
    rules: Mapping[str, Evidence]
    arguments: Arguments
    tools: Tools
    reasoning: Mapping[str, Reasoning]
    generation_prompt: GenerationPrompt
    media: Mapping[str, Media]
    tokens: Mapping[str, Token]
    clock: Clock
    variables: Mapping[str, Variable]

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON data: ``"server"`` has the nine with their evidence, the other keys are the fields."""
        server = {name: {"value": value, **self.evidence[name]._asdict()} for name, value in self.as_dict().items()}
        return {"server": server, **{name: as_data(getattr(self, name)) for name in _MORE}}


_MORE = tuple(name for name in Capabilities.__dataclass_fields__ if name not in (*NAMES, "evidence"))

_USER = {"role": "user", "content": "User message"}
_MARKER = "STRING_MARKER"
_PLACEHOLDER = "<REASONING_CONTENT_PLACEHOLDER>"
_TOOLS = [
    {
        "name": "tool",
        "type": "function",
        "function": {
            "name": "tool1",
            "description": "Tool description",
            "parameters": {
                "type": "object",
                "properties": {"arg": {"type": "string", "description": "Arg description"}},
                "required": ["arg"],
            },
        },
    }
]
_AS_LIST = frozenset({"selectattr", "array_access"})


def _calls(arguments: Any, count: int) -> list[dict[str, Any]]:
    calls = [
        {"id": f"call0000{number}", "type": "function", "function": {"name": "tool1", "arguments": arguments}}
        for number in range(1, count + 1)
    ]
    return [
        _USER,
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "Tool response", "tool_call_id": "call00001"},
        {"role": "assistant", "content": "The tool response was 'tool response'"},
        _USER,
    ]


_ARGUMENT = ("messages", 1, "tool_calls", 0, "function", "arguments", "arg")
_OBJECT = {"arg": "value"}
_STRING = '{"arg": "value"}'


class _Probes:
    """The probes in their order; later ones build on what earlier ones found."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.found: dict[str, bool] = ServerCapabilities().as_dict()
        self.evidence: dict[str, Evidence] = {}

    def trace(self, messages: list[dict[str, Any]], tools: list[Any] | None = None, **variables: Any) -> Trace:
        context = {
            "messages": messages,
            "tools": tools or [],
            "bos_token": "",
            "eos_token": "",
            "add_generation_prompt": True,
            **variables,
        }
        return self.tracer.render(context)

    def conclude(self, name: str, value: bool, why: str, failed: Trace | None = None) -> None:
        """Set an answer. With `failed`, a trace with an error, the answer is only what is assumed then."""
        self.found[name] = value
        if failed is not None and failed.error is not None:
            self.evidence[name] = Evidence("probe failed", f"{why}: {failed.error.message}", failed.error.lineno)
        else:
            self.evidence[name] = Evidence("yes" if value else "no", why)

    def content(self) -> None:
        trace = self.trace([{"role": "user", "content": _MARKER}])
        operations = trace.operations("messages", 0, "content") or frozenset()
        as_list = not _AS_LIST.isdisjoint(operations)
        self.conclude("supports_typed_content", as_list, _CONTENT[as_list])
        if trace.error is not None:
            self.conclude("supports_string_content", False, "content that is text raises an error", trace)
        elif as_list and _MARKER not in trace.text:
            self.conclude("supports_string_content", False, "content that is text does not appear")
        else:
            self.conclude("supports_string_content", True, "content that is text is rendered")
        if "test_is_string" in operations:
            again = self.trace([{"role": "user", "content": []}])
            operations = again.operations("messages", 0, "content") or frozenset()
            if again.error is None and not _AS_LIST.isdisjoint(operations):
                self.conclude("supports_typed_content", True, _CONTENT[True])

    def system(self) -> None:
        trace = self.trace([{"role": "system", "content": "System message"}, _USER])
        used = trace.uses("messages", 0, "content")
        why = f"the content of a system message is {'used' if used else 'not used'}"
        self.conclude("supports_system_role", used, why, None if used else trace)

    def tools(self) -> None:
        trace = self.trace(_calls(_OBJECT, 1), _TOOLS)
        if trace.error is not None:
            self.conclude("supports_object_arguments", False, "arguments as an object raise an error", trace)
        else:
            self.conclude_tools(trace)
            used = self.found["supports_tool_calls"] and trace.uses(*_ARGUMENT)
            why = f"an argument within an object is {'used' if used else 'not used'}"
            self.conclude("supports_object_arguments", used, why)
        if not self.found["supports_object_arguments"]:
            text = self.trace(_calls(_STRING, 1), _TOOLS)
            if text.error is not None:
                for name in ("supports_tools", "supports_tool_calls"):
                    self.conclude(name, False, "a conversation with a tool call raises an error", text)
            else:
                self.conclude_tools(text)

    def conclude_tools(self, trace: Trace) -> None:
        """Whether tools and calls are used; a second probe can only take back."""
        for name, what, used in (
            ("supports_tools", "the name of a tool", trace.uses("tools", 0, "function", "name")),
            ("supports_tool_calls", "a message's tool calls", trace.uses("messages", 1, "tool_calls")),
        ):
            if used and not self.found[name]:
                continue
            self.conclude(name, used, f"{what} {'is' if what[0] == 't' else 'are'} {'used' if used else 'not used'}")

    def parallel(self) -> None:
        arguments = _OBJECT if self.found["supports_object_arguments"] else _STRING
        trace = self.trace(_calls(arguments, 2), _TOOLS)
        if trace.error is not None:
            self.conclude("supports_parallel_tool_calls", False, "two calls in one message raise an error", trace)
            return
        used = trace.uses("messages", 1, "tool_calls", 1, "function")
        self.conclude("supports_parallel_tool_calls", used, f"the second call is {'used' if used else 'not used'}")

    def reasoning(self) -> None:
        answer = {"role": "assistant", "content": "Assistant message"}
        trace = self.trace(
            [
                _USER,
                {**answer, "reasoning_content": _PLACEHOLDER},
                _USER,
                {**answer, "reasoning_content": "Reasoning content"},
                _USER,
            ],
            enable_thinking=True,
            preserve_thinking=True,
            clear_thinking=False,
            truncate_history_thinking=False,
            drop_thinking=False,
        )
        shown = _PLACEHOLDER in trace.text
        why = f"reasoning of an earlier turn {'appears' if shown else 'does not appear'}"
        self.conclude("supports_preserve_reasoning", shown, why, trace)

    def effort(self) -> None:
        trace = self.trace([_USER], enable_thinking=True, reasoning_effort="low", reasoning_strength="low")
        used = trace.uses("reasoning_effort") or trace.uses("reasoning_strength")
        why = f"the variable reasoning_effort is {'used' if used else 'not used'}"
        self.conclude("supports_reasoning_effort", used, why, None if used else trace)


_CONTENT = {True: "content is used as a list", False: "content is never used as a list"}


def find_server_capabilities(template: LlamaTemplate, tracer: Tracer | None = None) -> ServerCapabilities:
    """Probe a template as a llama.cpp server does. What it raises is part of the answer, never an error.

    `tracer`: the template's traced form, if it is made already.
    """
    probes = _Probes(Tracer(template) if tracer is None else tracer)
    probes.content()
    probes.system()
    probes.tools()
    probes.parallel()
    probes.reasoning()
    probes.effort()
    return ServerCapabilities(**probes.found, evidence=MappingProxyType(probes.evidence))


def find_capabilities(template: LlamaTemplate, server: ServerCapabilities) -> Capabilities:
    """Everything about a template whose nine capabilities are known."""
    prober = Prober(template)
    reads = find_reads(template, prober.nodes)
    return Capabilities(
        **server.as_dict(),
        evidence=server.evidence,
        roles=MappingProxyType(find_roles(prober)),
        any_role=any_role(prober),
        rules=MappingProxyType(find_rules(prober)),
        arguments=find_arguments(prober),
        tools=find_tools(prober),
        reasoning=MappingProxyType(find_reasoning(prober, reads)),
        generation_prompt=find_generation_prompt(prober, "enable_thinking" in reads),
        media=MappingProxyType(find_media(prober)),
        tokens=MappingProxyType(find_tokens(prober)),
        clock=find_clock(prober, reads),
        variables=MappingProxyType(find_variables(prober, reads)),
    )
