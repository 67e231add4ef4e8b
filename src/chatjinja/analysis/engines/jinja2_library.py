"""Jinja2, set up as transformers sets it up."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from chatjinja.analysis.engines.base import Broken, Engine, Outcome, Renderer, failed, is_installed

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from jinja2.utils import Namespace


class Jinja2Library(Engine):
    """The package ``jinja2``."""

    name = "jinja2"
    family = "jinja2"
    fills_in = True

    def missing(self) -> str | None:
        return None if is_installed("jinja2") else 'pip install "jinja2>=3.1.6"'

    def version(self) -> str:
        from importlib.metadata import version

        return f"Jinja2 {version('jinja2')}"

    def compile(self, source: str, moment: datetime) -> Renderer:
        from jinja2 import TemplateSyntaxError

        try:
            return _Jinja2Renderer(environment(moment).from_string(source))
        except TemplateSyntaxError as error:
            return Broken(failed(error.message or "", lineno=error.lineno))
        except Exception as error:  # its compiler raises Python's errors for some sources
            return Broken(failed(f"{type(error).__name__}: {error}"))


class _Jinja2Renderer(Renderer):
    def __init__(self, template: Template) -> None:
        self.template = template

    def render(self, context: Mapping[str, Any]) -> Outcome:
        try:
            return Outcome(self.template.render(context))
        except Exception as error:  # templates can raise anything
            return python_failure(error, "<template>")


class RaisedByTemplateError(Exception):
    """A template called ``raise_exception``."""


def python_failure(error: Exception, filename: str) -> Outcome:
    """A Python error as an outcome; the line is that of the innermost frame of the template."""
    if isinstance(error, RaisedByTemplateError):
        return failed(str(error), raised=True, lineno=_line(error, filename))
    kind = type(error).__name__
    message = str(error) if kind in ("UndefinedError", "SecurityError", "TemplateRuntimeError") else f"{kind}: {error}"
    return failed(message, lineno=_line(error, filename))


def _line(error: Exception, filename: str) -> int | None:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename]
    return lines[-1] if lines else None


def environment(moment: datetime) -> Environment:
    """An environment like that of transformers, with a clock that stands still."""
    from jinja2.ext import Extension, loopcontrols
    from jinja2.nodes import CallBlock, Node
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class GenerationTag(Extension):
        tags = {"generation"}  # noqa: RUF012 (Jinja2 declares it so)

        def parse(self, parser: Parser) -> Node:
            lineno = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return CallBlock(self.call_method("body"), [], [], body).set_lineno(lineno)

        def body(self, caller: Callable[[], str]) -> str:
            return caller()

    def raise_exception(message: str) -> None:
        raise RaisedByTemplateError(message)

    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols], cache_size=0
    )
    made.filters["tojson"] = _tojson
    made.globals["namespace"] = _namespace_class()
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = moment.strftime
    return made


@cache
def _namespace_class() -> type[Namespace]:
    """A namespace like that of transformers 5: names with an underscore at the start are refused."""
    from jinja2.exceptions import SecurityError
    from jinja2.utils import Namespace

    class TemplateNamespace(Namespace):
        def __init__(self, /, *args: Any, **values: Any) -> None:
            Namespace.__init__(self)
            for name, value in dict(*args, **values).items():
                self[name] = value

        def __setitem__(self, name: str, value: Any) -> None:
            if str(name).startswith("_"):
                raise SecurityError(f"a namespace cannot hold {name!r}: it starts with an underscore")
            super().__setitem__(name, value)

    return TemplateNamespace


def _tojson(
    x: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
