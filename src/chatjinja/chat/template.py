"""`ChatTemplate`: from a chat request to the prompt that a llama.cpp server builds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, Unpack, get_args

from chatjinja.chat import loader
from chatjinja.chat.apply import Job, Surroundings
from chatjinja.chat.capabilities import Capabilities
from chatjinja.chat.clock import Clock
from chatjinja.chat.families import Family
from chatjinja.chat.gguf import read_gguf
from chatjinja.chat.marked import Marks, prompt_of
from chatjinja.chat.models import Model
from chatjinja.chat.prompt import ChatPrompt
from chatjinja.chat.requests import check_sampling, read_request
from chatjinja.chat.sources import TOOL_USE, Chosen, choose_default, disarm
from chatjinja.chat.variant import Variant
from chatjinja.chat.workarounds import WORKAROUNDS, Arguments, Workaround
from chatjinja.environment import Environment, Now, Template
from chatjinja.environment.base import Marking
from chatjinja.errors import TemplateError
from chatjinja.marking import TrustPolicy
from chatjinja.runtime.limits import Limits


class Settings(TypedDict, total=False):
    """What can be said instead of what a model's files say, and how to compile."""

    bos_token: str
    eos_token: str
    add_bos: bool
    add_eos: bool
    dialect: str
    limits: Limits


class Origin(NamedTuple):
    """Where a chat template comes from.

    Attributes:
        where: what was read, for people.
        names: names of all templates found there.
        chosen: name of the one for requests without tools; ``"chatml"`` for the built-in one.
        why: why that one, one sentence for people.
        for_tools: name of the one for requests with tools.
        ignored: why a template for tools was found but is not used, or None.
        disarmed: names of statements taken out as llama.cpp does (`chatjinja.chat.sources.DISARMED`).
    """

    where: str
    names: tuple[str, ...]
    chosen: str
    why: str
    for_tools: str
    ignored: TemplateError | None
    disarmed: tuple[str, ...]


class ChatTemplate:
    """A model's chat template with everything around it. Immutable; may be used by many threads at once.

    Made by one of the class methods ``from_…``. They raise LoadError if nothing can be read, and
    TemplateSyntaxError if the template is none.

    Attributes:
        origin: where it comes from, and which template was chosen.
        sources: all templates found there, by name, as they were found.
        bos_token, eos_token: texts of the model's tokens; the template reads them under these names.
        add_bos, add_eos: whether the model's tokenizer adds them, so that the template's own are cut.
    """

    def __init__(self, model: Model, *, dialect: str = "llama.cpp", limits: Limits | None = None) -> None:
        environment = Environment(dialect, limits=limits, cache_size=2)
        chosen = choose_default(model.sources)
        source, disarmed = disarm(chosen.source)
        self.sources = dict(model.sources)
        self.bos_token = model.bos_token
        self.eos_token = model.eos_token
        self.add_bos = model.add_bos
        self.add_eos = model.add_eos
        tokens = model.bos_token, model.eos_token
        self._default = self._for_tools = Variant(chosen._replace(source=source), environment, *tokens)
        ignored: TemplateError | None = None
        if model.sources.get(TOOL_USE):
            tools = Chosen(TOOL_USE, model.sources[TOOL_USE], "the request has tools, and there is a template for them")
            try:
                self._for_tools = Variant(tools, environment, *tokens)
            except TemplateError as error:
                ignored = error
        self.origin = Origin(
            model.where,
            tuple(sorted(model.sources)),
            chosen.name,
            chosen.why,
            self._for_tools.chosen.name,
            ignored,
            disarmed,
        )

    # --- where it comes from -----------------------------------------------------------------------

    @classmethod
    def _of(cls, model: Model, settings: Settings) -> ChatTemplate:
        own = Model(
            model.sources,
            settings.get("bos_token", model.bos_token),
            settings.get("eos_token", model.eos_token),
            settings.get("add_bos", model.add_bos),
            settings.get("add_eos", model.add_eos),
            model.where,
        )
        return cls(own, dialect=settings.get("dialect", "llama.cpp"), limits=settings.get("limits"))

    @classmethod
    def from_string(cls, source: str, **settings: Unpack[Settings]) -> ChatTemplate:
        """From the text of a template. Empty, or just ``chatml``: the built-in ChatML."""
        return cls._of(Model({"default": source}, "", "", False, False, "a text"), settings)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], **settings: Unpack[Settings]) -> ChatTemplate:
        """From a file with the text of a template."""
        return cls._of(loader.read_file(path), settings)

    @classmethod
    def from_gguf(
        cls, path: str | os.PathLike[str], *, name: str | None = None, settings: Settings | None = None
    ) -> ChatTemplate:
        """From a GGUF model file; only its header is read. `name` picks one of several templates.

        A file without a template gives ChatML, as in llama.cpp; `origin` says so.
        """
        return cls._of(loader.pick(read_gguf(path), name), settings or {})

    @classmethod
    def from_pretrained(
        cls,
        name_or_path: str | os.PathLike[str],
        *,
        name: str | None = None,
        revision: str | None = None,
        settings: Settings | None = None,
    ) -> ChatTemplate:
        """From a Hugging Face model folder, or if there is none, by a hub id (needs ``huggingface_hub``)."""
        model = loader.read_pretrained(name_or_path, revision=revision)
        return cls._of(loader.pick(model, name), settings or {})

    @classmethod
    def from_tokenizer(
        cls, tokenizer: Any, *, name: str | None = None, settings: Settings | None = None
    ) -> ChatTemplate:
        """From a `transformers` tokenizer or a `llama_cpp.Llama`."""
        return cls._of(loader.pick(loader.read_object(tokenizer), name), settings or {})

    @classmethod
    def load(cls, source: str, *, name: str | None = None, settings: Settings | None = None) -> ChatTemplate:
        """From whatever `source` names: a template file, a GGUF file, a model folder, a hub id."""
        return cls._of(loader.pick(loader.read_any(source), name), settings or {})

    # --- what it is --------------------------------------------------------------------------------

    @property
    def template(self) -> Template:
        """The template for requests without tools."""
        return self._default.template

    @property
    def family(self) -> Family:
        """The family of `template`."""
        return self._default.family

    @property
    def capabilities(self) -> Capabilities:
        """What `template` can do; found out when first asked for."""
        return self._default.capabilities

    def __repr__(self) -> str:
        return f"<ChatTemplate {self.origin.chosen!r} of {self.origin.where}, family {self.family.name}>"

    # --- what it does ------------------------------------------------------------------------------

    def apply(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool | None = None,
        continue_final_message: bool | str = False,
        chat_template_kwargs: Mapping[str, Any] | None = None,
        workarounds: Iterable[str | Workaround] = WORKAROUNDS,
        arguments: Arguments = "error",
        marking: Marking | None = None,
        trust: TrustPolicy | None = None,
        provenance: bool = False,
        now: Now = None,
        **fields: Any,
    ) -> ChatPrompt:
        """The prompt for messages in OpenAI's form.

        Args:
            messages, tools, chat_template_kwargs: as in a request to a llama.cpp server. Not changed, and not to be
                changed as long as the prompt's `context`, `steps` or `parts` are read.
            add_generation_prompt: whether the model's turn is opened; by default, unless a message is continued.
            continue_final_message: continue the last message: ``"content"``, ``"reasoning_content"``, or True for
                the one of them that fits. An assistant's message at the end is continued in any case.
            workarounds: the steps between request and template, themselves or by name.
            arguments: what to do with tool arguments in the history that are not JSON.
            marking, trust, provenance: how to mark who wrote what, as for `Template.render_marked`, but sources and
                the paths of `trust` are JSON Pointers into the request (``/messages/0/content``). Without `marking`
                the parts are sound ones, made when they are first asked for.
            now: the clock, as for `Template.render`.
            **fields: other fields of a request, such as ``reasoning_effort`` or ``response_format``.

        Raises RequestError for what the server refuses, TemplateError if the template fails, ValueError for options
        that do not go together, TypeError for a field that is nearly the name of another.
        """
        if fields:
            _refuse_misspelt(fields)
        body: dict[str, Any] = {"messages": messages, **fields}
        if tools is not None:
            body["tools"] = tools
        if continue_final_message is not False:
            body["continue_final_message"] = continue_final_message
            body["add_generation_prompt"] = bool(add_generation_prompt)
        elif add_generation_prompt is not None:
            body["add_generation_prompt"] = add_generation_prompt
        if chat_template_kwargs is not None:
            body["chat_template_kwargs"] = chat_template_kwargs
        marks = Marks(marking, trust, provenance)
        return self._apply(body, workarounds, arguments, marks, now)

    def apply_request(
        self,
        body: Mapping[str, Any] | str | bytes,
        *,
        workarounds: Iterable[str | Workaround] = WORKAROUNDS,
        arguments: Arguments = "error",
        marking: Marking | None = None,
        trust: TrustPolicy | None = None,
        provenance: bool = False,
        now: Now = None,
    ) -> ChatPrompt:
        """The prompt for the body of a chat request, as data or as JSON text; otherwise as `apply`.

        Here, as in the server, ``add_generation_prompt`` is true unless the body says false.
        """
        return self._apply(body, workarounds, arguments, Marks(marking, trust, provenance), now)

    def _apply(
        self,
        body: Mapping[str, Any] | str | bytes,
        workarounds: Iterable[str | Workaround],
        arguments: Arguments,
        marks: Marks,
        now: Now,
    ) -> ChatPrompt:
        if arguments not in _POLICIES:
            raise ValueError(f"arguments is one of {', '.join(_POLICIES)}, not {arguments!r}")
        request = read_request(body)
        variant = self._for_tools if request.tools else self._default
        bos, eos = self.bos_token if self.add_bos else "", self.eos_token if self.add_eos else ""
        job = Job(request, variant, Surroundings(self._default.thinks, Clock(now), bos, eos))
        steps = WORKAROUNDS if workarounds is WORKAROUNDS else steps_named(workarounds)
        job.run_steps(steps, arguments)
        prompt = prompt_of(job, marks)
        check_sampling(request.body, bool(request.tools))
        return prompt


def steps_named(wanted: Iterable[str | Workaround]) -> tuple[Workaround, ...]:
    """Workarounds given themselves or by name. ValueError for a name that does not exist."""
    known = {step.name: step for step in WORKAROUNDS}
    found = []
    for item in wanted:
        step = known.get(item) if isinstance(item, str) else item
        if step is None:
            raise ValueError(f"no workaround is named {item!r}; known: {', '.join(known)}")
        found.append(step)
    return tuple(found)


_POLICIES = get_args(Arguments)
_FIELDS = (
    *("messages", "tools", "tool_choice", "parallel_tool_calls", "add_generation_prompt", "continue_final_message"),
    *("chat_template_kwargs", "reasoning_effort", "reasoning_format", "response_format", "json_schema", "grammar"),
    *("workarounds", "arguments", "marking", "trust", "provenance", "now", "stream", "logprobs", "top_logprobs"),
)
"""What `ChatTemplate.apply` takes and looks at. A server ignores all other fields, so they are no mistake."""


def _refuse_misspelt(fields: Mapping[str, Any]) -> None:
    """TypeError for a name that nobody looks at, but is nearly one of `_FIELDS`."""
    from difflib import get_close_matches  # takes a while to import

    for name in fields:
        meant = [] if name in _FIELDS else get_close_matches(name, _FIELDS, 1, 0.85)
        if meant:
            raise TypeError(f"apply() has no parameter {name!r}; did you mean {meant[0]!r}?")
