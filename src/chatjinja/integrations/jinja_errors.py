"""Errors that handlers written for Jinja2 catch as well."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chatjinja.errors import RaisedError, TemplateError, TemplateSyntaxError

_made: dict[tuple[type[TemplateError], type[Exception]], type[TemplateError]] = {}


@contextmanager
def caught_as_jinja2() -> Iterator[None]:
    """Template errors that leave this block are Jinja2's too, of the nearest kind, if the program has loaded Jinja2.

    They keep all their fields, and stay what they are when pickled.
    """
    try:
        yield
    except TemplateError as error:
        jinja2 = sys.modules.get("jinja2")
        if jinja2 is None:
            raise
        kind: type[TemplateError] = _both(type(error), _kin(jinja2, error))
        made = kind.__new__(kind)
        made.__dict__.update(error.__dict__)
        made.args = error.args
        raise made.with_traceback(error.__traceback__) from error.__cause__


def _kin(jinja2: Any, error: TemplateError) -> type[Exception]:
    """Jinja2's exception for the same kind of failure."""
    if isinstance(error, TemplateSyntaxError):
        kind = jinja2.TemplateSyntaxError
    elif isinstance(error, RaisedError):
        kind = jinja2.TemplateError
    elif error.code == "undefined":
        kind = jinja2.UndefinedError
    else:
        kind = jinja2.TemplateRuntimeError
    found: type[Exception] = kind
    return found


def _both(own: type[TemplateError], kin: type[Exception]) -> type[TemplateError]:
    found = _made.get((own, kin))
    if found is not None:
        return found

    def reduce(self: TemplateError) -> tuple[Any, ...]:
        rebuild, (_, fields) = own.__reduce__(self)
        return rebuild, (own, fields)

    return _made.setdefault(
        (own, kin), type(own.__name__, (own, kin), {"__reduce__": reduce, "__module__": own.__module__})
    )
