"""Renders of one template by the three ways there are: the fast form, the exact form, the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chatjinja import Environment, LimitError, Limits, Template, TemplateError
from tests.properties.interpreter import Interpreter, Outcome

LIMITS = Limits(steps=3000, value=20_000, output=20_000, recursion=30)
"""Small, so that generated templates that explode end soon."""


def environment() -> Environment:
    return Environment(now=1767225600, limits=LIMITS, cache_size=4)


def outcome(render: Callable[[], str]) -> Outcome:
    """Text or error of a render. Anything but a TemplateError passes."""
    try:
        return Outcome(text=render())
    except TemplateError as error:
        place = (error.node, error.lineno, error.colno) if error.phase == "run" else None
        return Outcome(message=error.message, place=place, kind=type(error).__name__)


def fast(template: Template, context: dict[str, Any]) -> Outcome:
    return outcome(lambda: template.render(context))


def exact(template: Template, context: dict[str, Any]) -> Outcome:
    return outcome(lambda: template._render_exact(context, template._clock).text)


def interpreted(template: Template, context: dict[str, Any]) -> Outcome:
    return Interpreter(template, context).run()


def is_limit(found: Outcome) -> bool:
    """Whether a limit ended the render; the forms may reach it at different places."""
    return found.kind == LimitError.__name__
