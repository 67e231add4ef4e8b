"""Sample data that ships with the package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def conversation() -> dict[str, Any]:
    """A context with all that chat templates ask for: messages, tools, calls, special tokens; a fresh copy."""
    text = files(__name__).joinpath("conversation.json").read_text(encoding="utf-8")
    context: dict[str, Any] = json.loads(text)
    return context
