"""The engines that are compared, each set up as its users set it up."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import jinja2
import minijinja
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

import chatjinja

Render = Callable[[dict[str, Any]], str]
CLOCK = 1767225600


class TemplateRaisedError(Exception):
    """A template called ``raise_exception``."""


class GenerationTag(Extension):
    """``{% generation %}…{% endgeneration %}``, which prints its body."""

    tags = {"generation"}  # noqa: RUF012 (Jinja2 declares it so)

    def parse(self, parser: Parser) -> list[Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _raise_exception(message: str) -> str:
    raise TemplateRaisedError(message)


def _strftime_now(pattern: str) -> str:
    return datetime.fromtimestamp(CLOCK, tz=UTC).strftime(pattern)


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def chatjinja_environment(dialect: str = "llama.cpp") -> chatjinja.Environment:
    return chatjinja.Environment(dialect=dialect, now=CLOCK)


def jinja2_environment() -> jinja2.Environment:
    """Jinja2 as Hugging Face transformers sets it up."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols]
    )
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = _strftime_now
    return environment


def minijinja_environment() -> minijinja.Environment:
    """minijinja (Rust) with the methods of Python's types and its own ``tojson``.

    That ``tojson`` escapes ``<``, ``>``, ``&`` and ``'`` and takes no keyword but ``indent``, so some texts differ and
    some templates are refused. A ``tojson`` in Python would mend both, but at the price of its speed.
    """
    environment = minijinja.Environment(trim_blocks=True, lstrip_blocks=True, pycompat=True)
    environment.add_global("raise_exception", _raise_exception)
    environment.add_global("strftime_now", _strftime_now)
    return environment


def compile_chatjinja(source: str) -> Render:
    return chatjinja_environment().from_string(source).render


def compile_transformers(source: str) -> Render:
    """chatjinja's other language."""
    return chatjinja_environment("transformers").from_string(source).render


def compile_jinja2(source: str) -> Render:
    return jinja2_environment().from_string(source).render


def compile_minijinja(source: str) -> Render:
    environment = minijinja_environment()
    environment.add_template("template", source)

    def render(context: dict[str, Any]) -> str:
        return environment.render_template("template", **context)

    return render


ENGINES: dict[str, Callable[[str], Render]] = {
    "chatjinja": compile_chatjinja,
    "transformers dialect": compile_transformers,
    "jinja2": compile_jinja2,
    "minijinja": compile_minijinja,
}
