"""What can be wrong with a call of `apply_chat_template`, apart from the template.

Each is of the family that `transformers` raises in the same situation, so handlers written for it go on working.
"""

from __future__ import annotations

from chatjinja.errors import ChatJinjaError


class ApplyError(ChatJinjaError, ValueError):
    """Arguments that do not go together, or a conversation that cannot be rendered as asked."""


class ApplyTypeError(ChatJinjaError, TypeError):
    """An argument, a message or a document is of the wrong type."""


class ToolSchemaError(ChatJinjaError):
    """A function cannot be described to a model: a type hint or its docstring is missing or says too little."""
