"""One request on its way through the chat layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from chatjinja.chat.clock import Clock
from chatjinja.chat.families import GENERIC, Prefill
from chatjinja.chat.jsontext import json_type
from chatjinja.chat.marks import generation_prompt
from chatjinja.chat.messages import Message
from chatjinja.chat.prompt import Change, Step, differences
from chatjinja.chat.refusals import refused
from chatjinja.chat.renders import Asked
from chatjinja.chat.requests import CONTENT, Request
from chatjinja.chat.tracked import concat, cut, cut_start, instead
from chatjinja.chat.variant import Variant
from chatjinja.chat.workarounds import Arguments, Misfit, Wishes, Workaround, text_of
from chatjinja.environment.template import LlamaTemplate
from chatjinja.errors import RequestError, TemplateError

Log = list[tuple[Workaround, Sequence[int], list[Message], Sequence[Message | None]]]
"""What ran: the step, where its messages stood in the request, the messages before and after."""


class Surroundings(NamedTuple):
    """What the model and the moment add to a request.

    Attributes:
        thinks: what ``enable_thinking`` is where the request does not say.
        clock: the time that the template sees.
        bos, eos: texts that the tokenizer adds and that are cut, or ``""``.
    """

    thinks: bool
    clock: Clock
    bos: str
    eos: str


class Job:
    """A request that passed the first checks, and the template to render it with.

    Texts are plain `str` here; what changes them is written such that a `MarkedJob` can put in texts that know
    who wrote them.

    Attributes:
        workarounds, arguments: what `run_steps` was called with.
        log: the steps that ran so far.
        messages: the messages as they are now.
        places: where they stood in the request.
        without_prompt, with_prompt: the template's variables, without and with ``add_generation_prompt``.
        are_alike: rendering with either succeeds if the other does, and the texts differ only by what is left out.
        bos_was_cut: whether a BOS was cut from the prompt.
    """

    def __init__(self, request: Request, variant: Variant, around: Surroundings) -> None:
        self.request = request
        self.variant = variant
        self.family = variant.family
        self.around = around
        self.workarounds: Sequence[Workaround] = ()
        self.arguments: Arguments = "error"
        self.bos_was_cut = False
        self.thinks = around.thinks if request.enable_thinking is None else request.enable_thinking
        self.messages = request.messages
        self.continued: Message | None = None
        if request.continued is not None and self.messages:
            self.messages = self.messages[:-1]
            self.continued = request.messages[-1]
        self.places: Sequence[int] = range(len(self.messages))
        self.without_prompt: dict[str, Any] = {}
        self.with_prompt: dict[str, Any] = {}
        self.are_alike = False
        self.log: Log = []

    def own(self, text: str) -> str:
        """A text that the chat layer writes itself."""
        return text

    # --- steps -------------------------------------------------------------------------------------

    def run_steps(self, workarounds: Sequence[Workaround], arguments: Arguments) -> None:
        """Run the steps that apply to the template. Raises RequestError."""
        self.workarounds, self.arguments = workarounds, arguments
        wishes = Wishes(self.request.kwargs, arguments, self.own)
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
        if len(changed) != len(self.messages):
            raise ValueError(f"a step turned {len(self.messages)} messages into {len(changed)}; one that goes is None")
        if None not in changed:
            self.messages = cast(list[Message], changed)
            return
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

    def variables(self) -> dict[str, Any]:
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
        variables["datetime"], variables["date_string"] = self.around.clock.dates
        variables.update(kwargs)
        if self.family.wants_schema and isinstance(request.schema, Mapping):
            variables["response_format"] = request.schema or {"type": self.own("object")}
        return variables

    def prepare(self) -> None:
        """Make the variables. The steps must have run."""
        self.without_prompt = self.variables()
        self.with_prompt = {**self.without_prompt, "add_generation_prompt": True}
        self.are_alike = self.variant.renders.are_alike and "add_generation_prompt" not in self.without_prompt

    @property
    def context(self) -> dict[str, Any]:
        """The variables that the prompt is rendered with."""
        return self.with_prompt if self.request.add_generation_prompt else self.without_prompt

    def rendered(self, template: LlamaTemplate, context: Mapping[str, Any]) -> str:
        """A template's text. Raises TemplateError."""
        return template.render(context, now=self.around.clock)

    def render(self, context: Mapping[str, Any]) -> str:
        """The template's text. Raises TemplateError with `status` and `reference_message`."""
        try:
            return self.rendered(self.variant.template, context)
        except TemplateError as error:
            raise refused(error, self.variant.template.source, self.family is GENERIC) from None

    def render_watching(self) -> str | None:
        """As `render` with `context`, if that shows that it does not matter whether a generation prompt is wanted."""
        renders = self.variant.renders
        context = renders.watched(self.context)
        if renders.watching is None or context is None or "add_generation_prompt" in self.without_prompt:
            return None
        try:
            text = self.rendered(renders.watching, context)
        except (Asked, TemplateError) as error:
            renders.asked(in_vain=isinstance(error, Asked))
            return None
        renders.asked(in_vain=False)
        return text

    def without_tokens(self, text: str) -> str:
        """A rendered text without what the tokenizer adds."""
        bos, eos = self.around.bos, self.around.eos
        if bos and text.startswith(bos):
            text = cut(text, len(bos), len(text))
        if eos and text.endswith(eos):
            text = cut(text, 0, len(text) - len(eos))
        return text

    def text(self) -> str:
        """The prompt. Raises RequestError and TemplateError."""
        family, wanted = self.family, self.request.add_generation_prompt
        self.check_texts(family.texts)
        self.prepare()
        whole = self.render_watching()
        if whole is None:
            whole = self.render(self.context)
        else:
            self.are_alike = True
        text = self.without_tokens(whole)
        self.bos_was_cut = self.around.bos != "" and whole.startswith(self.around.bos)
        added = ""
        if family.renders_generation_prompt:
            if not wanted:
                added = self.added(whole, text)
            elif not self.are_alike:
                self.check()
        self.check_texts(family.texts_after)
        if not wanted and family.has_return_token:
            text = self.with_end_token(text)
        if wanted and family.appends_model_turn and text.endswith("<turn|>\n"):
            text = concat((text, self.own("<|turn>model\n")))
        if self.continued is not None:
            text = concat((text, self.prefill(text, added)))
        return text

    def check(self) -> None:
        """Render without a generation prompt, only because the server refuses the request if that raises."""
        self.render(self.without_prompt)

    def added(self, whole: str, text: str) -> str:
        """What a generation prompt would add to `text`, which is `whole` without what the tokenizer adds."""
        if self.variant.renders.are_equal:
            return ""
        added = self.opening(whole) if self.are_alike else None
        if added is not None:
            return added
        longer = self.without_tokens(self.render(self.with_prompt))
        return cut_start(longer, generation_prompt(text, longer))

    def opening(self, whole: str) -> str | None:
        """The same by rendering only what writes it, where that is sure to be the same."""
        template = self.variant.renders.opening(self.without_prompt)
        around = self.around
        # At the border nothing may grow together: a token that is cut, or the bytes of a character.
        if template is None or around.eos or len(whole) < len(around.bos) or "\udc80" <= whole[-1:] <= "\udcff":
            return None
        added = self.opening_text(template)
        return None if added is None or len(whole) + len(added) > template.limits.output else added

    def opening_text(self, template: LlamaTemplate) -> str | None:
        """What an opening writes; None if it raises."""
        renders = self.variant.renders
        key = renders.key(self.without_prompt)
        added = None if key is None else renders.openings.get(key)
        if added is None:
            try:
                added = self.rendered(template, self.with_prompt)
            except TemplateError:
                return None
            if key is not None:
                renders.openings[key] = added
        return added

    def with_end_token(self, text: str) -> str:
        """The last ``<|return|>`` becomes ``<|end|>``."""
        at = text.rfind(_RETURN)
        if at < 0:
            return text
        end = instead(cut(text, at, at + len(_RETURN)), "<|end|>")
        return concat((cut(text, 0, at), end, cut(text, at + len(_RETURN), len(text))))

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
                content=text_of(content, self.own("\n\n")) if kind == CONTENT or content else "",
                prompt=text,
                generation_prompt=added,
                source=self.variant.source,
                thinks=self.thinks,
                effort=str(self.request.kwargs.get("reasoning_effort", "")),
                start=marks.start if marks is not None else "",
                end=marks.end if marks is not None else "",
                own=self.own,
            )
        )


_RETURN = "<|return|>"


def _refusal(misfit: Misfit, places: Sequence[int]) -> RequestError:
    index, *keys = misfit.place
    keys = [places[int(index)], *keys]
    place = "messages" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    pointer = "/messages" + "".join(f"/{key}" for key in keys)
    return RequestError(misfit.status, misfit.reference, f"{place}: {misfit.message}", pointer)
