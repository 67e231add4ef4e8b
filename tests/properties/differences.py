"""Finding templates for which the ways to render disagree."""

from __future__ import annotations

from typing import Any

from chatjinja import TemplateError
from tests.properties.outcomes import environment, exact, fast, interpreted, is_limit

_ENVIRONMENT = environment()
_WAYS = {"fast": fast, "exact": exact, "interpreter": interpreted}


def of(source: str, context: dict[str, Any]) -> str | None:
    """What is wrong with a template: a crash, a changed context, two ways that disagree; None if nothing is.

    A source that does not parse is fine, and so is one that reaches a limit.
    """
    try:
        template = _ENVIRONMENT.from_string(source)
    except TemplateError:
        return None
    before = repr(context)
    outcomes = {}
    for name, way in _WAYS.items():
        try:
            outcomes[name] = way(template, context)
        except Exception as error:
            return f"crash in the {name}: {type(error).__name__}: {error}"
        if repr(context) != before:
            return f"context changed by the {name}"
    if any(map(is_limit, outcomes.values())):
        return None
    if outcomes["exact"] != outcomes["interpreter"]:
        return f"exact form and interpreter differ:\n  {outcomes['exact']}\n  {outcomes['interpreter']}"
    if outcomes["fast"] != outcomes["exact"]:
        return f"fast and exact form differ:\n  {outcomes['fast']}\n  {outcomes['exact']}"
    return None
