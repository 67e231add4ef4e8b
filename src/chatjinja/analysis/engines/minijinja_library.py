"""minijinja (Rust), which Hugging Face's servers use."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from chatjinja.analysis.engines.base import Broken, Engine, Outcome, Renderer, failed, is_installed
from chatjinja.analysis.engines.jinja2_library import RaisedByTemplateError, python_failure

if TYPE_CHECKING:
    from minijinja import Environment

_NAME = "chat"


class MinijinjaLibrary(Engine):
    """The package ``minijinja``, with its methods of Python's types switched on."""

    name = "minijinja"
    family = "minijinja"

    def missing(self) -> str | None:
        return None if is_installed("minijinja") else 'pip install "minijinja>=2.5"'

    def version(self) -> str:
        from importlib.metadata import version

        return f"minijinja {version('minijinja')}"

    def compile(self, source: str, moment: datetime) -> Renderer:
        from minijinja import Environment, TemplateError

        environment = Environment(trim_blocks=True, lstrip_blocks=True)
        environment.pycompat = True
        environment.add_global("raise_exception", _raise_exception)
        environment.add_global("strftime_now", moment.strftime)
        try:
            environment.add_template(_NAME, source)
        except TemplateError as error:
            return Broken(failed(error.message, lineno=error.line))
        return _MinijinjaRenderer(environment)


class _MinijinjaRenderer(Renderer):
    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def render(self, context: Mapping[str, Any]) -> Outcome:
        from minijinja import TemplateError

        try:
            return Outcome(self.environment.render_template(_NAME, **context))
        except TemplateError as error:
            return failed(error.message, lineno=error.line)
        except Exception as error:  # what a method of a Python object raises comes through
            return python_failure(error, _NAME)


def _raise_exception(message: str) -> None:
    raise RaisedByTemplateError(message)
