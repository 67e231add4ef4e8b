"""Fewer renders than the server makes, where they provably give the same.

A server renders each request without and with a generation prompt. For most templates one render tells about both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from chatjinja.chat.needs import NAME, Opening, mentions_elsewhere, mentions_variable, opening_of
from chatjinja.compiler.scopes import analyse
from chatjinja.environment.clock import clock_of
from chatjinja.environment.environment import Environment, llama_template
from chatjinja.environment.template import LlamaTemplate
from chatjinja.syntax import nodes as n
from chatjinja.syntax.visitor import walk

_ELSEWHERE = NAME + "·"
"""A variable that no template can name, for mentions where the value matters."""
_ENOUGH = 3
_SIMPLE = frozenset((str, bool, int, float, type(None)))


class Asked(Exception):  # noqa: N818 -- never leaves the chat layer
    """A render asked for the variable where its value matters."""


class _Asking:
    """A value of which nothing is ever asked but its truth, and that refuses to tell."""

    def __bool__(self) -> NoReturn:
        raise Asked


_ASKING = _Asking()
_SWITCHES = frozenset((bool, type(None), _Asking))
"""Types of so few values that a text can be kept for each; the last one is for variables that are not there."""


class Renders:
    """How a template is rendered without and with a generation prompt.

    Attributes:
        are_equal: the template does not know the variable.
        are_alike: any render that succeeds with the variable ``add_generation_prompt`` true also does without, and
            the texts differ at most in what is left out.
        openings: texts of `opening`, by `key`.
        watching: the template, but a render raises `Asked` where this does not hold; None if there is none.
    """

    def __init__(self, template: LlamaTemplate, source: str) -> None:
        elsewhere = mentions_elsewhere(template.tree)
        self.are_equal = not mentions_variable(template.tree)
        self.are_alike = elsewhere == frozenset()
        self.watching = _watching(template, source, elsewhere) if elsewhere else None
        self.openings: dict[tuple[Any, ...], str] = {}
        self._vain = 0
        self._reads: frozenset[str] = frozenset()
        self._opening: LlamaTemplate | None = None
        if elsewhere is not None:
            tables = template.dialect.tables
            usage = analyse(template.tree, tables.method_names, frozenset(tables.globals))
            opening = opening_of(template.tree, usage.assigned)
            if opening is not None:
                self._reads = opening.reads
                self._opening = _template_of(template, opening)

    def watched(self, context: Mapping[str, Any]) -> dict[str, Any] | None:
        """The context for `watching`; None if there is none, or if it has been tried in vain a few times."""
        return None if self.watching is None or self._vain > _ENOUGH else {**context, _ELSEWHERE: _ASKING}

    def asked(self, in_vain: bool) -> None:
        """Note whether a render with `watching` raised `Asked`. Threads may miss a note; that costs only time."""
        self._vain = self._vain + 1 if in_vain else 0

    def opening(self, context: Mapping[str, Any]) -> LlamaTemplate | None:
        """A template that writes what a generation prompt adds, if only variables with simple values decide.

        It stands for renders of which `are_alike`, or `watching`, says that they are alike.
        """
        for name in self._reads:
            if name in context and type(context[name]) not in _SIMPLE:
                return None
        return self._opening

    def key(self, context: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """What the text of `opening` depends on; None if that could be anything."""
        if not self._reads:
            return ()
        values = tuple([context.get(name, _ASKING) for name in self._reads])
        return values if _SWITCHES.issuperset(map(type, values)) else None


def _watching(template: LlamaTemplate, source: str, elsewhere: frozenset[int]) -> LlamaTemplate:
    """The template once more, with the mentions at these places renamed."""
    environment = Environment(template.dialect.name, limits=template.limits, cache_size=0)
    made = llama_template(environment, source, template.name)
    for node in walk(made.tree):
        if isinstance(node, n.Name) and node.name == NAME and node.at in elsewhere:
            node.name = _ELSEWHERE
    return made


def _template_of(template: LlamaTemplate, opening: Opening) -> LlamaTemplate:
    """The opening as a template of its own."""
    tree = n.Template([opening.stmt])
    tree.start, tree.end, tree.at = template.tree.start, template.tree.end, template.tree.at
    return LlamaTemplate(template.source, tree, template.dialect, template.limits, clock_of(None))
