"""One request on its way through the chat layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from chatjinja.chat.families import GENERIC, Prefill
from chatjinja.chat.jsontext import json_type
from chatjinja.chat.marks import generation_prompt
from chatjinja.chat.messages import Message
from chatjinja.chat.prompt import Change, ChatPrompt, Step, differences
from chatjinja.chat.refusals import refused
from chatjinja.chat.requests import CONTENT, Request
from chatjinja.chat.variant import Variant
from chatjinja.chat.workarounds import Arguments, Misfit, Wishes, Workaround, text_of
from chatjinja.errors import RequestError, TemplateError

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

Log = list[tuple[Workaround, Sequence[int], list[Message], Sequence[Message | None]]]
"""What ran: the step, where its messages stood in the request, the messages before and after."""


class Job:
    """A request that passed the first checks, and the template to render it with.

    Attributes:
        log: the steps that ran so far.
        messages: the messages as they are now.
        places: where they stood in the request.
    """

    def __init__(
        self,
        request: Request,
        variant: Variant,
        *,
        thinks: bool,
        moment: datetime,
        add_bos: bool,
        add_eos: bool,
    ) -> None:
        self.request = request
        self.variant = variant
        self.family = variant.family
        self.moment = moment
        self.bos = variant.bos_token if add_bos else ""
        self.eos = variant.eos_token if add_eos else ""
        self.bos_was_cut = False
        self.thinks = thinks if request.enable_thinking is None else request.enable_thinking
        self.messages = request.messages
        self.continued: Message | None = None
        if request.continued is not None and self.messages:
            self.messages = self.messages[:-1]
            self.continued = request.messages[-1]
        self.places: Sequence[int] = range(len(self.messages))
        self.log: Log = []

    # --- steps -------------------------------------------------------------------------------------

    def run_steps(self, workarounds: Sequence[Workaround], arguments: Arguments) -> None:
        """Run the steps that apply to the template. Raises RequestError."""
        wishes = Wishes(self.request.kwargs, arguments)
        for step in self.variant.steps_of(workarounds):
            try:
                changed = step.change(self.messages, wishes)
            except Misfit as misfit:
                raise _refusal(misfit, self.places) from None
            self.log.append((step, self.places, self.messages, changed))
            if changed is not self.messages:
                self.take(changed)

    def take(self, changed: Sequence[Message | None]) -> None:
        """Go on with changed messages, without those that are gone."""
        kept = [(place, message) for place, message in zip(self.places, changed, strict=True) if message is not None]
        self.places = [place for place, _ in kept]
        self.messages = [message for _, message in kept]

    def steps(self) -> tuple[Step, ...]:
        """What the steps changed, in the request's places."""
        request = self.request
        rebuilt = list(differences(request.body["messages"], request.messages, "/messages"))
        if request.tools:
            rebuilt += differences(request.body["tools"], request.tools, "/tools")
        steps = [Step("rebuild", "Messages and tools keep their known keys, in a fixed order.", tuple(rebuilt))]
        for step, places, before, after in self.log:
            changes: list[Change] = []
            for place, old, new in zip(places, before, after, strict=True):
                if new is None:
                    changes.append(Change("removed", f"/messages/{place}", old, None))
                else:
                    changes += differences(old, new, f"/messages/{place}")
            steps.append(Step(step.name, step.what, tuple(changes)))
        return tuple(steps)

    # --- rendering ---------------------------------------------------------------------------------

    def context(self) -> dict[str, Any]:
        """The variables of the template, without ``add_generation_prompt``."""
        request, variant = self.request, self.variant
        kwargs = request.kwargs
        variables: dict[str, Any] = {}
        if kwargs:
            preserve = kwargs.get("preserve_reasoning")
            if isinstance(preserve, bool):
                variables["preserve_thinking"] = preserve
                for name in ("clear_thinking", "truncate_history_thinking", "drop_thinking"):
                    variables[name] = not preserve
            effort = kwargs.get("reasoning_effort")
            if isinstance(effort, str):
                variables["reasoning_strength"] = effort
        variables["messages"] = self.messages
        variables["bos_token"] = variant.bos_token
        variables["eos_token"] = variant.eos_token
        variables["enable_thinking"] = self.thinks
        if request.tools:
            variables["tools"] = request.tools
        month = _MONTHS[self.moment.month - 1]
        day, year = self.moment.day, self.moment.year
        variables["datetime"] = f"{month} {day:02d} {year}"
        variables["date_string"] = f"{day:02d} {month} {year}"
        variables.update(kwargs)
        if self.family.wants_schema and isinstance(request.schema, Mapping):
            variables["response_format"] = request.schema or {"type": "object"}
        return variables

    def render(self, context: Mapping[str, Any]) -> str:
        """The text without what the tokenizer adds. Raises TemplateError with `status` and `reference_message`."""
        try:
            text = self.variant.template.render(context, now=self.moment)
        except TemplateError as error:
            raise refused(error, self.variant.template.source, self.family is GENERIC) from None
        if self.bos and text.startswith(self.bos):
            self.bos_was_cut = True
            text = text[len(self.bos) :]
        if self.eos and text.endswith(self.eos):
            text = text[: -len(self.eos)]
        return text

    def prompt(self) -> ChatPrompt:
        """Render."""
        family, request = self.family, self.request
        self.check_texts(family.texts)
        context = self.context()
        with_prompt = {**context, "add_generation_prompt": True}
        wanted = request.add_generation_prompt
        used = with_prompt if wanted else context
        text = self.render(used)
        bos_was_cut = self.bos_was_cut
        added = ""
        if family.renders_generation_prompt:
            added = self.added(text, wanted, context, with_prompt)
        self.check_texts(family.texts_after)
        if not wanted and family.has_return_token:
            before, token, after = text.rpartition("<|return|>")
            text = f"{before}<|end|>{after}" if token else text
        if wanted and family.appends_model_turn and text.endswith("<turn|>\n"):
            text += "<|turn>model\n"
        if self.continued is not None:
            text += self.prefill(text, added)
        return ChatPrompt(
            text,
            steps=self.steps,
            context=used,
            template_name=self.variant.chosen.name,
            family=family.name,
            bos_was_cut=bos_was_cut,
        )

    def added(self, text: str, wanted: bool, context: Mapping[str, Any], with_prompt: Mapping[str, Any]) -> str:
        """What a generation prompt adds. The server asks for it always, so a render that raises refuses."""
        if not wanted:
            return generation_prompt(text, self.render(with_prompt))
        if not ("add_generation_prompt" in context or self.variant.is_same_without_generation_prompt):
            self.render(context)
        return ""

    def check_texts(self, names: Sequence[str]) -> None:
        """Refuse template variables that the family takes as text and that are none."""
        kwargs = self.request.kwargs
        for name in names:
            if name in kwargs and not isinstance(kwargs[name], str):
                text = f"[json.exception.type_error.302] type must be string, but is {json_type(kwargs[name])}"
                place = f"chat_template_kwargs.{name}"
                raise RequestError(400, text, f"{place}: must be text", f"/chat_template_kwargs/{name}")

    def prefill(self, text: str, added: str) -> str:
        """What is appended to continue the last message."""
        message = self.continued
        kind = self.request.continued
        assert message is not None
        assert kind is not None
        content, reasoning = message["content"], message.get("reasoning_content", "")
        if not content and len(message) == 2:
            return ""
        marks = self.variant.marks if self.family is GENERIC else None
        return self.family.prefill(
            Prefill(
                kind=kind,
                reasoning=reasoning,
                content=text_of(content, "\n\n") if kind == CONTENT or content else "",
                prompt=text,
                generation_prompt=added,
                source=self.variant.source,
                thinks=self.thinks,
                effort=str(self.request.kwargs.get("reasoning_effort", "")),
                start=marks.start if marks is not None else "",
                end=marks.end if marks is not None else "",
            )
        )


def _refusal(misfit: Misfit, places: Sequence[int]) -> RequestError:
    index, *keys = misfit.place
    keys = [places[int(index)], *keys]
    place = "messages" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    pointer = "/messages" + "".join(f"/{key}" for key in keys)
    return RequestError(misfit.status, misfit.reference, f"{place}: {misfit.message}", pointer)
