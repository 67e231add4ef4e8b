"""Which tokens a model generated, from the ``{% generation %}`` blocks of its template."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

from chatjinja.environment import Now, Template
from chatjinja.integrations.errors import ApplyError
from chatjinja.source import Span

_log = logging.getLogger(__name__)
_GENERATION = re.compile(r"\{%[-+]?\s*generation\s*[-+]?%\}")


@lru_cache(maxsize=64)
def warn_without_generation(source: str) -> None:
    """Say in the log, once for each template, that a mask will be empty."""
    if _GENERATION.search(source) is None:
        _log.warning("the assistant mask will be empty: the template has no {% generation %} block")


@runtime_checkable
class _TellsGeneration(Protocol):
    """A template whose language has ``generation`` blocks."""

    def render_generation(self, context: Mapping[str, Any], /, *, now: Now) -> tuple[str, list[Span]]: ...


def generated_spans(template: Template, context: Mapping[str, Any], now: Now) -> list[Span]:
    """Where in the prompt ``{% generation %}`` blocks stand. ApplyError if the dialect has no such blocks."""
    if not isinstance(template, _TellsGeneration):
        raise ApplyError(f"there are no generation blocks in the dialect {template.dialect.name!r}")
    return template.render_generation(context, now=now)[1]


def token_mask(spans: Iterable[Span], offsets: Sequence[tuple[int, int]]) -> list[int]:
    """1 for each token that stands for at least one character in `spans`, else 0."""
    marks = bytearray(max((end for _, end in offsets), default=0))
    for start, end in spans:
        end = min(end, len(marks))
        marks[start:end] = b"\1" * (end - start)
    find = marks.find
    return [int(find(1, start, end) >= 0) for start, end in offsets]
