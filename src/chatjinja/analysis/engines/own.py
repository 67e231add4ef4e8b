"""This project's dialects."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from chatjinja.analysis.engines.base import Broken, Engine, Failure, Family, Outcome, Renderer
from chatjinja.dialects import get_dialect
from chatjinja.environment import Environment, Template
from chatjinja.errors import RaisedError, TemplateError

_FAMILIES: dict[str, Family] = {"transformers": "jinja2"}


class OwnEngine(Engine):
    """A dialect, by the name it has in `chatjinja.dialects`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.family = _FAMILIES.get(name, "llama.cpp")
        self.fills_in = name == "transformers"

    def version(self) -> str:
        return f"as {get_dialect(self.name).reference}"

    def compile(self, source: str, moment: datetime) -> Renderer:
        try:
            return OwnRenderer(Environment(self.name, now=moment, cache_size=1).from_string(source))
        except TemplateError as error:
            return Broken(Outcome(None, failure_of(error)))


class OwnRenderer(Renderer):
    """Attributes: `template`, the compiled template."""

    def __init__(self, template: Template) -> None:
        self.template = template

    def render(self, context: Mapping[str, Any]) -> Outcome:
        try:
            return Outcome(self.template.render(context))
        except TemplateError as error:
            return Outcome(None, failure_of(error))


def failure_of(error: TemplateError) -> Failure:
    """One of our errors as data."""
    raised = isinstance(error, RaisedError)
    message = error.message.removeprefix("Jinja Exception: ") if raised else error.message
    return Failure(message, raised, error.lineno, error.span)
