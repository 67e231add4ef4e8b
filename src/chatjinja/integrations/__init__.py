"""`apply_chat_template` as transformers has it, and tokenizers that use it."""

from chatjinja.integrations.apply import apply_chat_template
from chatjinja.integrations.errors import ApplyError, ApplyTypeError, ToolSchemaError
from chatjinja.integrations.patching import Patch, patch, unpatch
from chatjinja.integrations.schemas import tool_schema

__all__ = [
    "ApplyError",
    "ApplyTypeError",
    "Patch",
    "ToolSchemaError",
    "apply_chat_template",
    "patch",
    "tool_schema",
    "unpatch",
]
