"""`apply_chat_template`: what transformers does with a conversation, by this package's engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from chatjinja.environment import Now, Template
from chatjinja.environment.clock import clock_of
from chatjinja.integrations.continuing import Continued, continued_text, with_tag
from chatjinja.integrations.conversations import documents_of, messages_of, schemas_of, split_batch
from chatjinja.integrations.encoding import Wanted, encode, encode_safely
from chatjinja.integrations.errors import ApplyError, ApplyTypeError
from chatjinja.integrations.masks import generated_spans, warn_without_generation
from chatjinja.integrations.plain import plain_data
from chatjinja.integrations.targets import Target, choose_template, compiled, target_of
from chatjinja.integrations.versions import Version, version_named
from chatjinja.marking import DEFAULT_TRUST, Part, Prompt, TrustPolicy
from chatjinja.source import Span

Messages = Sequence[Any]

_RESERVED = frozenset(("conversations", "messages"))
"""Names that no variable may have, because the conversation has them."""


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of one call, named as in transformers; those left out have its defaults."""

    conversation: Any
    tools: Any = None
    documents: Any = None
    chat_template: Any = None
    add_generation_prompt: bool = False
    continue_final_message: bool | str = False
    tokenize: bool | None = None
    sanitize_control_tokens: bool = False
    padding: Any = False
    truncation: Any = False
    max_length: int | None = None
    return_tensors: Any = None
    return_dict: bool | None = None
    return_assistant_tokens_mask: bool = False
    tokenizer_kwargs: Mapping[str, Any] | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """How calls are answered, beyond what transformers lets its callers say.

    Attributes:
        version: whose chat layer is reproduced.
        safe: whether token ids are those of `chatjinja.tokenize`, with control tokens from the template only.
        trust: which data of the context may write control tokens too.
        now: the clock, as for `Template.render`.
    """

    version: Version
    safe: bool
    trust: TrustPolicy
    now: Now


def settings(version: str, marking: str | None, trust: TrustPolicy | None, now: Now) -> Settings:
    """Settings by what users write. Raises ValueError for what there is not."""
    if marking not in (None, "sound"):
        raise ValueError(f"unknown marking {marking!r}; known: 'sound', None")
    if trust is not None and marking is None:
        raise ValueError("`trust` is for marking='sound'; without it, all text may write control tokens")
    return Settings(version_named(version), marking is not None, DEFAULT_TRUST if trust is None else trust, now)


def apply_chat_template(
    target: Any,
    conversation: Any,
    tools: Any = None,
    documents: Any = None,
    chat_template: Any = None,
    add_generation_prompt: bool = False,
    continue_final_message: bool | str = False,
    tokenize: bool | None = None,
    sanitize_control_tokens: bool = False,
    padding: Any = False,
    truncation: Any = False,
    max_length: int | None = None,
    return_tensors: Any = None,
    return_dict: bool | None = None,
    return_assistant_tokens_mask: bool = False,
    tokenizer_kwargs: Mapping[str, Any] | None = None,
    *,
    tokenizer: Any = None,
    version: str = "5",
    marking: Literal["sound"] | None = None,
    trust: TrustPolicy | None = None,
    now: Now = None,
    **variables: Any,
) -> Any:
    """Render a conversation, or several, and make token ids of it, with the results of `transformers`.

    Args:
        target: a template (a text, a `Template`, a `ChatTemplate`), a tokenizer of transformers, or a processor.
        conversation: messages, or a list of conversations. Messages are dicts, dataclasses or pydantic models.
        tools: JSON schemas, or functions, which are described by their type hints and docstrings.
        documents: dicts for templates that cite documents.
        chat_template: another template than the target's own, or the name of one of them.
        add_generation_prompt: open the model's turn.
        continue_final_message: leave the final message open; a text names the field to continue.
        tokenize: give token ids. By default, if there is a tokenizer.
        sanitize_control_tokens: as ``marking="sound"``, for this call.
        padding, truncation, max_length, return_tensors, tokenizer_kwargs: handed to the tokenizer.
        return_dict: give all that the tokenizer gives, not the ids alone. By default as in `version`.
        return_assistant_tokens_mask: also say which tokens ``{% generation %}`` blocks printed.
        tokenizer: for a target that is a template: makes the token ids, and its special tokens become variables.
        version: the transformers whose chat layer is reproduced: ``"5"`` (5.24) or ``"4.57"`` (4.57.6).
        marking: ``"sound"``: only the template can write control tokens. By default the tokenizer's own ids.
        trust: with marking, which data of the context may write them too; default `DEFAULT_TRUST`, and the special
            tokens of the tokenizer.
        now: the clock for ``strftime_now``, asked once.
        **variables: further variables of the template; they replace special tokens of the same name.

    Returns text (``tokenize=False``), a list of ids, or with ``return_dict`` what the tokenizer returns; for a list of
    conversations, lists of them.

    Raises TemplateError if the template fails, ApplyError (a ValueError) or ApplyTypeError (a TypeError) for what
    transformers refuses, and ToolSchemaError for a function that cannot be described.
    """
    call = Call(
        conversation,
        tools,
        documents,
        chat_template,
        add_generation_prompt,
        continue_final_message,
        tokenize,
        sanitize_control_tokens,
        padding,
        truncation,
        max_length,
        return_tensors,
        return_dict,
        return_assistant_tokens_mask,
        tokenizer_kwargs,
        variables,
    )
    return answer(target_of(target, tokenizer), call, settings(version, marking, trust, now))


def answer(target: Target, call: Call, how: Settings) -> Any:
    """The result of a call."""
    tokenizes, returns_dict = _results(target, call, how.version)
    chosen = choose_template(target, call.chat_template, call.tools is not None)
    conversations, is_batched = split_batch(call.conversation)
    _check(call, tokenizes)
    template = compiled(chosen, how.version)
    source = chosen if isinstance(chosen, str) else template.source.text
    try:
        chats = [messages_of(conversation, how.version) for conversation in conversations]
        job = _Job(template, source, target.special_tokens, call, how)
        if not tokenizes:
            texts = [job.text(messages) for messages in chats]
            return texts if is_batched else texts[0]
        encoded = _encoded(job, target.tokenizer, chats, is_batched)
    except RecursionError:
        raise ApplyError("the data is nested too deeply, or it contains itself") from None
    return encoded if returns_dict else encoded["input_ids"]


def _results(target: Target, call: Call, version: Version) -> tuple[bool, bool]:
    """Whether the call is to give tokens, and whether as a dict."""
    tokenizes = target.tokenizer is not None if call.tokenize is None else bool(call.tokenize)
    returns_dict = version.returns_dict if call.return_dict is None else bool(call.return_dict)
    if not tokenizes:
        if returns_dict and not version.returns_dict:
            raise ApplyError("`return_dict=True` needs `tokenize=True`: a text has no dict around it")
        returns_dict = False
    if call.return_assistant_tokens_mask and not (returns_dict and tokenizes):
        raise ApplyError("`return_assistant_tokens_mask=True` needs `return_dict=True` and `tokenize=True`")
    if tokenizes and target.tokenizer is None:
        raise ApplyError(
            "there is no tokenizer: give a template one by `tokenizer`, a processor the text (`tokenize=False`)"
        )
    return tokenizes, returns_dict


def _check(call: Call, tokenizes: bool) -> None:
    """Refuse arguments that do not go together."""
    if call.continue_final_message:
        if call.add_generation_prompt:
            raise ApplyError(
                "`continue_final_message` leaves the final message open and `add_generation_prompt` starts a new one; "
                "give one of them"
            )
        if call.return_assistant_tokens_mask:
            raise ApplyError("`continue_final_message` does not go with `return_assistant_tokens_mask`")
    if call.sanitize_control_tokens and (not tokenizes or call.return_assistant_tokens_mask):
        raise ApplyError(
            "`sanitize_control_tokens=True` needs `tokenize=True` and does not go with `return_assistant_tokens_mask`"
        )
    for name in sorted(_RESERVED.intersection(call.variables)):
        raise ApplyTypeError(f"a variable of the template cannot be named {name!r}; the conversation is")


def _encoded(job: _Job, tokenizer: Any, chats: Sequence[Messages], is_batched: bool) -> Any:
    call = job.call
    wanted = Wanted(
        call.padding,
        call.truncation,
        call.max_length,
        call.return_tensors,
        dict(call.tokenizer_kwargs or {}),
        is_batched,
    )
    masked = None
    if call.return_assistant_tokens_mask:
        warn_without_generation(job.source)
        masked = [job.generated(messages) for messages in chats]
    if job.how.safe or call.sanitize_control_tokens:
        prompts = [job.prompt(messages) for messages in chats]
        return encode_safely(tokenizer, prompts, wanted, masked)
    return encode(tokenizer, [job.text(messages) for messages in chats], wanted, masked)


class _Job:
    """One call and what is the same for all of its conversations."""

    def __init__(
        self, template: Template, source: str, special_tokens: Mapping[str, Any], call: Call, how: Settings
    ) -> None:
        self.template = template
        self.source = source
        self.call = call
        self.how = how
        self._now = clock_of(how.now)()  # a mask must fit the text of another render
        variables = {**special_tokens, **call.variables}
        self._shared: dict[str, Any] = {
            "tools": schemas_of(call.tools, how.version),
            "documents": documents_of(call.documents, how.version),
            "add_generation_prompt": call.add_generation_prompt,
            **(plain_data(variables) if how.version.plain_data else variables),
        }
        self._tokens = [
            f"/{name}/*" if isinstance(token, (list, tuple)) else f"/{name}"
            for name, token in special_tokens.items()
            if name not in call.variables
        ]

    def _context(self, messages: Messages) -> dict[str, Any]:
        return {"messages": messages, **self._shared}

    def _continued(self, messages: Messages) -> Continued | None:
        wanted = self.call.continue_final_message
        if not wanted:
            return None
        field = wanted if isinstance(wanted, str) and self.how.version.plain_data else "content"
        return with_tag(messages, field, self.source, self.how.version)

    def text(self, messages: Messages) -> str:
        """The prompt for one conversation."""
        chat = self._continued(messages)
        if chat is None:
            return self.template.render(self._context(messages), now=self._now)
        return continued_text(self.template, self._context(chat.messages), chat, self._now)

    def prompt(self, messages: Messages) -> Prompt:
        """The prompt with marks."""
        chat = self._continued(messages)
        context = self._context(messages if chat is None else chat.messages)
        prompt = self.template.render_marked(context, trust=self._trust(), now=self._now)
        if chat is None:
            return prompt
        return _beginning(prompt, len(continued_text(self.template, context, chat, self._now)))

    def _trust(self) -> TrustPolicy:
        """The caller's policy; what the tokenizer itself calls special tokens is trusted, unless it was replaced."""
        missing = [path for path in self._tokens if path not in self.how.trust.paths]
        return self.how.trust.with_paths(dict.fromkeys(missing)) if missing else self.how.trust

    def generated(self, messages: Messages) -> list[Span]:
        """Where ``{% generation %}`` blocks stand in the prompt."""
        return generated_spans(self.template, self._context(messages), self._now)


def _beginning(prompt: Prompt, end: int) -> Prompt:
    """The first `end` characters of a prompt."""
    text = prompt.text[:end]
    parts = []
    at = 0
    for start, stop in prompt.spans():
        if start >= end:
            break
        if start > at:
            parts.append(Part(text[at:start], False))
        parts.append(Part(text[start:stop], True))
        at = min(stop, end)
    if at < end:
        parts.append(Part(text[at:], False))
    return Prompt(text, parts)
