"""What `apply_chat_template` can be given: a template in any form, a tokenizer, a processor."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from chatjinja.chat import ChatTemplate
from chatjinja.environment import Environment, Template
from chatjinja.integrations.errors import ApplyError, ApplyTypeError
from chatjinja.integrations.versions import Version

TOOL_USE = "tool_use"


class Target(NamedTuple):
    """What to render with, before one of several templates is chosen.

    Attributes:
        templates: the template, several by name, or None.
        special_tokens: variables that the template gets: ``bos_token`` and so on.
        tokenizer: what makes token ids, or None.
        prefers_tool_use: whether a template of that name is taken when there are tools.
    """

    templates: Any
    special_tokens: Mapping[str, Any]
    tokenizer: Any
    prefers_tool_use: bool = True


def target_of(target: Any, tokenizer: Any = None) -> Target:
    """Look at the first argument of a call. Raises ApplyTypeError if it is of no known kind."""
    if tokenizer is not None and not callable(tokenizer):
        raise ApplyTypeError(
            f"`tokenizer` is one of transformers, not {type(tokenizer).__name__}; `chatjinja.tokenize` takes others"
        )
    tokens = getattr(tokenizer, "special_tokens_map", {})
    if isinstance(target, (str, Template)):
        return Target(target, tokens, tokenizer)
    if isinstance(target, ChatTemplate):
        own = {"bos_token": target.bos_token, "eos_token": target.eos_token}
        templates = {**target.sources}
        if target.origin.chosen == "chatml":  # the built-in one, because the model has none
            templates["default"] = target.template.source.text
        return Target(templates, {**{name: text for name, text in own.items() if text}, **tokens}, tokenizer)
    if not hasattr(target, "chat_template"):
        raise ApplyTypeError(
            "expected a template, a tokenizer or a processor (an object with a `chat_template`), "
            f"not {type(target).__name__}"
        )
    if tokenizer is not None:
        raise ApplyTypeError(f"`tokenizer` is for templates; a {type(target).__name__} has its own")
    inner = getattr(target, "tokenizer", None)
    if inner is not None:  # a processor: it alone can encode images and sound along with the text
        return Target(target.chat_template, inner.special_tokens_map, None, prefers_tool_use=False)
    return Target(target.chat_template, target.special_tokens_map, target)


def choose_template(target: Target, wanted: Any, has_tools: bool) -> str | Template:
    """The template of a call: `wanted` itself or by name, else the target's own. Raises ApplyError."""
    templates = target.templates
    if not isinstance(templates, Mapping):
        chosen = templates if wanted is None else wanted
        if chosen is None:
            raise ApplyError("there is no chat template: the tokenizer has none, and `chat_template` was not given")
    elif wanted is not None:
        chosen = templates.get(wanted, wanted) if isinstance(wanted, str) else wanted
    elif has_tools and target.prefers_tool_use and TOOL_USE in templates:
        chosen = templates[TOOL_USE]
    elif "default" in templates:
        chosen = templates["default"]
    else:
        raise ApplyError(
            f"several chat templates and none is the default; name one by `chat_template`: {sorted(templates)}"
        )
    if not isinstance(chosen, (str, Template)):
        raise ApplyTypeError(f"a chat template is a text or a Template, not {type(chosen).__name__}")
    return chosen


def compiled(template: str | Template, version: Version) -> Template:
    """The template, compiled in the dialect of the version if it is a text."""
    return template if isinstance(template, Template) else _environment(version.dialect).from_string(template)


@cache
def _environment(dialect: str) -> Environment:
    return Environment(dialect)
