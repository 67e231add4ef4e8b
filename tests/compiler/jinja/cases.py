"""Templates for everything that the code generator of Jinja2's language does, by topic. Jinja2 says what they give."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.peers import jinja2_peer

_DATA = json.loads((Path(__file__).parent / "templates.json").read_text(encoding="utf-8"))
CONTEXT: dict[str, Any] = _DATA["context"]
TOPICS: dict[str, list[str]] = _DATA["topics"]
SOURCES = [source for sources in TOPICS.values() for source in sources]


@cache
def expected(source: str) -> str | None:
    """What Jinja2 gives; None for an error."""
    try:
        return jinja2_peer.environment().from_string(source).render(**CONTEXT)
    except Exception:  # of any type: Python's own pass through Jinja2
        return None
