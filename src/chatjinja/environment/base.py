"""What every template can do, whatever its dialect."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal

from chatjinja.dialects import Dialect
from chatjinja.environment.clock import Now
from chatjinja.errors import ContextError
from chatjinja.marking import Prompt, TrustPolicy
from chatjinja.runtime.limits import Limits
from chatjinja.source import Source
from chatjinja.syntax.nodes import Template as Tree

Marking = Literal["sound", "reference"]


class Template(ABC):
    """A compiled template. Immutable; one can be rendered by many threads at once.

    Made by `Environment.from_string`.

    Attributes:
        name: the name given to it.
        source: the normalised source, with its lines.
        tree: the tree of nodes.
        dialect: the dialect it is written in.
        limits: how much a render may use.
    """

    dialect: Dialect

    def __init__(self, source: Source, tree: Tree, limits: Limits, clock: Callable[[], datetime]) -> None:
        self.name = source.name
        self.source = source
        self.tree = tree
        self.limits = limits
        self._clock = clock

    def __repr__(self) -> str:
        return f"<Template {self.name!r} ({self.dialect.name})>"

    @abstractmethod
    def render(self, context: Mapping[str, Any] | None = None, /, *, now: Now = None) -> str:
        """Render with a context of JSON-like data; nothing of it is changed.

        `now` sets the clock for this render (see `Environment`). Raises TemplateError.
        """

    def render_with(self, /, **variables: Any) -> str:
        """`render` with the context as keyword arguments."""
        return self.render(variables)

    @abstractmethod
    def render_marked(
        self,
        context: Mapping[str, Any] | None = None,
        /,
        *,
        marking: Marking = "sound",
        trust: TrustPolicy | None = None,
        provenance: bool = False,
        now: Now = None,
    ) -> Prompt:
        """Render, and say for each character who wrote it. The text is that of `render`.

        Args:
            marking: ``"sound"``: what was copied from the context is input, unless `trust` names it;
                ``"reference"``: as the reference engine marks it, leaks included.
            trust: which context data is the application's own; default `DEFAULT_TRUST`. Not with reference marking.
            provenance: each part also names its source and what printed it. Slower. Not with reference marking.

        Raises ValueError for options that do not go together, and TemplateError as `render` does.
        """

    @abstractmethod
    def python(self, *, exact: bool = False) -> ast.Module:
        """The Python code that it is compiled to; `exact`: the form that takes over where that will not do."""


def as_dict(context: Mapping[str, Any] | None) -> dict[str, Any]:
    """The context as a dict; ContextError if it is no mapping."""
    if context is None:
        return {}
    if not isinstance(context, Mapping):
        raise ContextError(
            f"the context must be a mapping, got {type(context).__name__}", code="context-type", pointer=""
        )
    return dict(context)


def check_marking(dialect: Dialect, marking: str, trust: TrustPolicy | None, provenance: bool) -> None:
    """Raise ValueError if marking as the reference does is not possible with these options of `render_marked`."""
    if marking != "reference":
        raise ValueError(f"unknown marking {marking!r}; known: sound, reference")
    if not dialect.reference_marking:
        raise ValueError(f"the engine behind the dialect {dialect.name!r} does not mark input")
    if trust is not None or provenance:
        option = "trust" if trust is not None else "provenance"
        raise ValueError(f"{option} is for sound marking; the reference's marks know nothing of it")
