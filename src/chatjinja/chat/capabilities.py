"""What a template can do, found out by rendering probes and watching which values it uses.

The nine answers are llama.cpp's. Each comes with its evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from chatjinja.environment.template import Template
from chatjinja.environment.traced import Trace, Tracer

Answer = Literal["yes", "no", "probe failed"]


class Evidence(NamedTuple):
    """Why a capability is what it is.

    Attributes:
        answer: ``"probe failed"`` if the template raised an error in the probe that decided, so that the
            answer says little.
        why: one sentence for people.
    """

    answer: Answer
    why: str


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The nine capabilities, as a llama.cpp server reports them in ``chat_template_caps``."""

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


NAMES = tuple(name for name in Capabilities.__dataclass_fields__ if name != "evidence")

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
        self.found: dict[str, bool] = Capabilities().as_dict()
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
            self.evidence[name] = Evidence("probe failed", f"{why}: {failed.error.message}")
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


def find_capabilities(template: Template) -> Capabilities:
    """Probe a template. What it raises is part of the answer, never an error."""
    probes = _Probes(Tracer(template))
    probes.content()
    probes.system()
    probes.tools()
    probes.parallel()
    probes.reasoning()
    probes.effort()
    return Capabilities(**probes.found, evidence=probes.evidence)
