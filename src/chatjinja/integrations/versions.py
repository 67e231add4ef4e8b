"""The versions of `transformers` whose chat layer is reproduced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Version:
    """What the chat layer of one version does.

    Attributes:
        name: what users write.
        parameters: the parameters of `apply_chat_template` in their order.
        plain_data: templates get plain data only: message objects become dicts, keys whose value is None are left out
            of messages, reasoning gets its aliases, and what is no data becomes the name of its type.
        returns_dict: ``return_dict`` where the caller does not say.
        dialect: the dialect of its templates.
        strict_schemas: types that JSON does not know are refused in tools and not called objects; enumerations,
            methods and types in docstrings are understood.
    """

    name: str
    parameters: tuple[str, ...]
    plain_data: bool
    returns_dict: bool
    dialect: str
    strict_schemas: bool


_PARAMETERS = (
    "conversation",
    "tools",
    "documents",
    "chat_template",
    "add_generation_prompt",
    "continue_final_message",
    "tokenize",
    "sanitize_control_tokens",
    "padding",
    "truncation",
    "max_length",
    "return_tensors",
    "return_dict",
    "return_assistant_tokens_mask",
    "tokenizer_kwargs",
)

VERSIONS: Mapping[str, Version] = MappingProxyType(
    {
        version.name: version
        for version in (
            Version("5", _PARAMETERS, plain_data=True, returns_dict=True, dialect="transformers", strict_schemas=True),
            Version(
                "4.57",
                tuple(name for name in _PARAMETERS if name != "sanitize_control_tokens"),
                plain_data=False,
                returns_dict=False,
                dialect="transformers",
                strict_schemas=False,
            ),
        )
    }
)
"""``"5"`` is 5.24, ``"4.57"`` is 4.57.6."""


def version_named(name: str) -> Version:
    """The version of that name. ValueError if there is none."""
    version = VERSIONS.get(name)
    if version is None:
        raise ValueError(f"no version of transformers is named {name!r} here; known: {', '.join(VERSIONS)}")
    return version
