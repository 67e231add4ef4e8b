"""What `compare` asks of an engine."""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, NamedTuple

from chatjinja.errors import ChatJinjaError
from chatjinja.source import Span

Family = Literal["llama.cpp", "jinja2", "minijinja", "huggingface.js"]
"""Engines of one family follow one language, so that what is known of one holds for all."""


class EngineError(ChatJinjaError, ValueError):
    """An engine does not exist, is not installed, or cannot be started."""


class Failure(NamedTuple):
    """Why an engine gave no text.

    Attributes:
        message: in the engine's own words.
        raised: the template called ``raise_exception``; `message` is its text.
        lineno: 1-based line of the template, if the engine says.
        span: half-open character offsets in the normalised source, if the engine says.
    """

    message: str
    raised: bool = False
    lineno: int | None = None
    span: Span | None = None


class Outcome(NamedTuple):
    """What an engine made of a template and a context: a text, or a failure."""

    text: str | None
    failure: Failure | None = None

    def same(self, other: Outcome) -> bool:
        """Whether both are one text, or both failed: with one text if both called ``raise_exception``."""
        if self.failure is None or other.failure is None:
            return self.text == other.text and self.failure is other.failure
        return not (self.failure.raised and other.failure.raised) or self.failure.message == other.failure.message


def failed(message: str, *, raised: bool = False, lineno: int | None = None) -> Outcome:
    """The outcome of a failure."""
    return Outcome(None, Failure(message.strip() or "no message", raised, lineno))


class Renderer(ABC):
    """A template in one engine. A context manager, because some engines run in a process of their own."""

    @abstractmethod
    def render(self, context: Mapping[str, Any]) -> Outcome:
        """Render; whatever the engine raises becomes a failure."""

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what the engine holds."""
        return


class Broken(Renderer):
    """A template that the engine refused to compile."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def render(self, context: Mapping[str, Any]) -> Outcome:
        return self.outcome


class Engine(ABC):
    """An engine.

    Attributes:
        name: what users write.
        family: whose language it follows.
        fills_in: it is given what transformers gives to templates (see `chatjinja.analysis.variables`).
        twins: names of dialects that stand in for it when fixes are tried out, because a render takes it long.
    """

    name: str
    family: Family
    fills_in: bool = False
    twins: tuple[str, ...] = ()

    def missing(self) -> str | None:
        """What to install so that it can run here, or None."""
        return None

    @abstractmethod
    def version(self) -> str:
        """The version of what runs, for people."""

    @abstractmethod
    def compile(self, source: str, moment: datetime) -> Renderer:
        """A template, ready to render at `moment`; what is wrong with it shows when it is rendered."""


def is_installed(module: str) -> bool:
    """Whether a package can be imported, without doing so."""
    return importlib.util.find_spec(module) is not None
