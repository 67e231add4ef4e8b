"""Template families: what llama.cpp knows about them, recognised by texts in the source.

To add a family, add a row to `FAMILIES`. The first row that matches is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from chatjinja.chat.requests import CONTENT
from chatjinja.chat.tracked import concat, cut


class Prefill(NamedTuple):
    """The message that is continued, and what the text before it looks like.

    Attributes:
        kind: what is continued, ``"content"`` or ``"reasoning_content"``.
        reasoning: its reasoning so far.
        content: its content so far, as one text.
        prompt: the rendered other messages.
        generation_prompt: what a generation prompt would add to `prompt`.
        source: the template's source.
        thinks: whether thinking is on.
        effort: the variable ``reasoning_effort``, or an empty text.
        start, end: what stands around reasoning in the template's own renders; only in the generic family,
            and empty if not known.
        own: what to call with texts that are written around those of the request.
    """

    kind: str
    reasoning: str
    content: str
    prompt: str
    generation_prompt: str
    source: str
    thinks: bool
    effort: str
    start: str = ""
    end: str = ""
    own: Callable[[str], str] = str

    def written(self, opening: str, closing: str, before: str = "") -> str:
        """Opening, reasoning and, when the content is continued, closing and content; all behind `before`."""
        texts = [before, self.own(opening), self.reasoning]
        if self.kind == CONTENT:
            texts += [self.own(closing), self.content]
        return concat(texts)


Written = Callable[[Prefill], str]


@dataclass(frozen=True, slots=True)
class Family:
    """One row.

    Attributes:
        name: what people call it.
        marks: texts that must all stand in the source.
        absent: texts that must not.
        thinks: whether ``enable_thinking`` is true by default; for the generic family None: by comparing renders.
        step: name of the step in `chatjinja.chat.workarounds` that its messages need, or ``""``.
        prefill: writes what is appended when a message is continued.
        renders_generation_prompt: whether the server also renders to find the generation prompt; an error
            there refuses the request.
        has_return_token: when no generation prompt is wanted, the last ``<|return|>`` becomes ``<|end|>``.
        appends_model_turn: with a generation prompt wanted, ``<|turn>model`` follows a text that ends a turn.
        wants_schema: a schema of the answer, if it is an object, is handed to the template as ``response_format``.
        texts, texts_after: template variables that must be text if they are given; checked before and after
            rendering.
    """

    name: str
    marks: tuple[str, ...]
    prefill: Written
    absent: tuple[str, ...] = ()
    thinks: bool | Callable[[str], bool] | None = True
    step: str = ""
    renders_generation_prompt: bool = True
    has_return_token: bool = False
    appends_model_turn: bool = False
    wants_schema: bool = False
    texts: tuple[str, ...] = ()
    texts_after: tuple[str, ...] = ()

    def matches(self, source: str) -> bool:
        """Whether a template is of this family."""
        return all(mark in source for mark in self.marks) and not any(mark in source for mark in self.absent)


def _between(opening: str, closing: str) -> Written:
    return lambda prefill: prefill.written(opening, closing)


def _after(opening: str) -> Written:
    """Families without reasoning: opening and content, whatever is continued."""
    return lambda prefill: concat((prefill.own(opening), prefill.content))


def _k2_horizon(prefill: Prefill) -> str:
    tag = "ifm|think"
    if prefill.thinks or "enable_thinking" not in prefill.source:
        tag += {"medium": "_fast", "low": "_faster"}.get(prefill.effort, "")
    return prefill.written(f"<|ifm|im_start|>assistant\n<{tag}>\n", f"</{tag}>")


def _minimax_m3(prefill: Prefill) -> str:
    return prefill.written("<mm:think>", "</mm:think>", before=prefill.generation_prompt)


def _deepseek_4(prefill: Prefill) -> str:
    if prefill.reasoning:
        return prefill.written("<｜Assistant｜><think>", "</think>")
    return prefill.written("<｜Assistant｜></think>", "")


def _gemma_4(prefill: Prefill) -> str:
    opening = "<|turn>model\n" if prefill.prompt.endswith("<turn|>\n") else ""
    return prefill.written(opening + "<|channel>thought\n", "<channel|>")


def _qwen3_coder(prefill: Prefill) -> str:
    opening = "<|im_start|>assistant\n"
    if "<think>" in prefill.source:
        return prefill.written(opening + "<think>\n", "\n</think>\n\n")
    return concat((prefill.own(opening), prefill.content if prefill.kind == CONTENT else ""))


_HARMONY = _between(
    "<|start|>assistant<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"
)
_LFM2 = _between("<|im_start|>assistant\n<think>", "</think>")

FAMILIES: tuple[Family, ...] = (
    Family(
        "Ministral 3",
        ("[SYSTEM_PROMPT]", "[TOOL_CALLS]", "[ARGS]"),
        _between("[THINK]", "[/THINK]"),
        absent=("[CALL_ID]",),
        step="typed-thinking",
    ),
    Family(
        "LLM-jp Harmony",
        ("chat_format=llm-jp-harmony-v1",),
        _HARMONY,
        step="harmony-thinking",
        has_return_token=True,
    ),
    Family("GPT-OSS", ("<|channel|>",), _HARMONY, step="harmony-thinking", has_return_token=True),
    Family(
        "Muse Glimmer",
        ("<atem:function_calls>", "<|eom|>"),
        _between("<|start|>assistant to=self<|message|>", "<|eom|><|start|>assistant to=user<|message|>"),
        renders_generation_prompt=False,
    ),
    Family(
        "Functionary 3.2",
        (">>>all", ">>>${recipient}"),
        _after("<|start_header_id|>assistant<|end_header_id|>\n\n>>>all\n"),
        thinks=False,
    ),
    Family(
        "Kimi K2",
        ("<|tool_calls_section_begin|>", "<|tool_call_begin|>"),
        _between("<|im_assistant|>assistant<|im_middle|><think>", "</think>"),
    ),
    Family(
        "Kimi K3",
        ("<|open|>", "<|close|>", "<|end_of_msg|>"),
        _between(
            '<|open|>message role="assistant"<|sep|><|open|>think<|sep|>',
            "<|close|>think<|sep|><|open|>response<|sep|>",
        ),
    ),
    Family(
        "K2 Horizon",
        ("<|ifm|im_start|>", "<ifm|tool_calls>"),
        _k2_horizon,
        step="empty-reasoning",
        texts_after=("reasoning_effort",),
    ),
    Family("Ling 3", ("<role>ASSISTANT</role>", "<arg_key>"), _between("<role>ASSISTANT</role>\n<think>", "</think>")),
    Family(
        "Cohere2 MoE",
        ("<|START_TEXT|>", "<|START_ACTION|>"),
        _between("<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>", "<|END_THINKING|><|START_TEXT|>"),
    ),
    Family("LFM2", ("<|tool_list_start|>", "<|tool_list_end|>"), _LFM2, step="add-thinking"),
    Family("LFM2.5", ("List of tools: [",), _LFM2, absent=("<|tool_list_start|>",), step="add-thinking"),
    Family(
        "GigaChat 3",
        ("<|role_sep|>", "<|message_sep|>"),
        _after("assistant<|role_sep|>\n"),
        absent=("<|function_call|>",),
        thinks=False,
    ),
    Family("MiniMax M3", ("]<]minimax[>[", "<tool_call>", "<invoke name="), _minimax_m3),
    Family(
        "DeepSeek 3.2",
        ("dsml_token", "DSML", "function_calls"),
        _between("<｜Assistant｜><think>", "</think>"),
    ),
    Family("DeepSeek 4", ("dsml_token", "DSML", "tool_calls"), _deepseek_4, step="order-results", wants_schema=True),
    Family("Gemma 4", ("'<|tool_call>call:'",), _gemma_4, step="gather-responses", appends_model_turn=True),
    Family(
        "MiniCPM 5",
        ("Tool usage guidelines:", '<function name="', '<param name="'),
        _between("<|im_start|>assistant\n<think>\n", "\n</think>\n\n"),
    ),
    Family(
        "TranslateGemma",
        ("[source_lang_code]", "[target_lang_code]"),
        _after("<start_of_turn>model\n"),
        thinks=False,
        step="language-codes",
        texts=("source_lang_code", "target_lang_code"),
    ),
    Family(
        "Qwen3-Coder",
        ("<tool_call>", "<function=", "<parameter="),
        _qwen3_coder,
        absent=("'<tool_call><function=' ~ tool_call.name ~ '>'",),
        thinks=lambda source: "<think>" in source,
    ),
)
"""All known families, in the order in which they are looked for."""


def _generic(prefill: Prefill) -> str:
    if prefill.start:
        before = prefill.generation_prompt.partition(prefill.start)[0]
        return prefill.written(prefill.start, prefill.end, cut(prefill.generation_prompt, 0, len(before)))
    return concat((prefill.generation_prompt, prefill.content if prefill.kind == CONTENT else ""))


GENERIC = Family("generic", (), _generic, thinks=None)
"""Every other template: how it marks reasoning is found by comparing renders."""


def family_of(source: str) -> Family:
    """The family of a template."""
    return next((family for family in FAMILIES if family.matches(source)), GENERIC)
