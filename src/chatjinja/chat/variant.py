"""One template with everything that is known about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from chatjinja.chat.capabilities import (
    Capabilities,
    ServerCapabilities,
    find_capabilities,
    find_server_capabilities,
)
from chatjinja.chat.families import family_of
from chatjinja.chat.marks import Marks, find_marks
from chatjinja.chat.renders import Renders
from chatjinja.chat.sources import Chosen
from chatjinja.chat.workarounds import WORKAROUNDS, Subject, Workaround
from chatjinja.environment.environment import Environment, llama_template


class Variant:
    """A compiled template, its family, and what probing it tells. Nothing is probed before it is asked for.

    Attributes:
        chosen: which source this is, and why.
        template: the compiled template.
        source: its source as compiled: newlines normalised.
        family: the family it belongs to.
        bos_token, eos_token: texts of the model's tokens.
    """

    def __init__(self, chosen: Chosen, environment: Environment, bos_token: str, eos_token: str) -> None:
        self.chosen = chosen
        self.template = llama_template(environment, chosen.source, chosen.name)
        self.source = self.template.source.text
        self.family = family_of(self.source)
        self.bos_token = bos_token
        self.eos_token = eos_token

    @cached_property
    def server_capabilities(self) -> ServerCapabilities:
        """The nine capabilities; all that `apply` needs."""
        return find_server_capabilities(self.template)

    @cached_property
    def capabilities(self) -> Capabilities:
        """Everything that probes tell."""
        return find_capabilities(self.template, self.server_capabilities)

    @cached_property
    def able(self) -> Mapping[str, bool]:
        """The nine answers by name."""
        return self.server_capabilities.as_dict()

    @cached_property
    def marks(self) -> Marks:
        """What stands around reasoning, by comparing renders; only the generic family asks for it."""
        return find_marks(self._probe, self.source, self.able["supports_tool_calls"])

    @cached_property
    def thinks(self) -> bool:
        """What ``enable_thinking`` is where a request does not say."""
        thinks = self.family.thinks
        if thinks is None:
            return self.marks.thinks
        return thinks if isinstance(thinks, bool) else thinks(self.source)

    @cached_property
    def renders(self) -> Renders:
        """What renders without and with a generation prompt have in common."""
        return Renders(self.template, self.chosen.source)

    @cached_property
    def _usual_steps(self) -> tuple[Workaround, ...]:
        return self._applying(WORKAROUNDS)

    def steps_of(self, workarounds: Sequence[Workaround]) -> Sequence[Workaround]:
        """Those of the steps that apply to this template."""
        return self._usual_steps if workarounds is WORKAROUNDS else self._applying(workarounds)

    def _applying(self, workarounds: Sequence[Workaround]) -> tuple[Workaround, ...]:
        subject = Subject(self.source, self.able, self.family.step)
        return tuple(step for step in workarounds if step.applies(subject))

    def _probe(self, messages: list[dict[str, Any]], variables: Mapping[str, Any]) -> str:
        if self.able["supports_typed_content"] and not self.able["supports_string_content"]:
            messages = [
                {**message, "content": [{"type": "text", "text": message["content"]}]}
                if isinstance(message["content"], str)
                else message
                for message in messages
            ]
        return self.template.render(
            {"messages": messages, "bos_token": self.bos_token, "eos_token": self.eos_token, **variables}
        )
