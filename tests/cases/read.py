"""Reading the case files.

A file holds ``context``, the context of its cases, and ``cases``, each with ``template`` and either ``text`` or
``error``: class, message, node, line, byte column. A case may have a ``context`` of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.properties.interpreter import Outcome

FOLDER = Path(__file__).parent


class Case(NamedTuple):
    """One template and what it gives."""

    template: str
    context: dict[str, Any]
    expected: Outcome


def read_cases(name: str) -> Iterator[Case]:
    """The cases of ``NAME.json``."""
    data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    for case in data["cases"]:
        if "error" in case:
            kind, message, node, line, column = case["error"]
            expected = Outcome(message=message, place=(node, line, column) if line else None, kind=kind)
        else:
            expected = Outcome(text=case["text"])
        yield Case(case["template"], case.get("context", data["context"]), expected)


TOPICS = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
"""Names of the case files."""
