"""A template's tree with what is needed to look around in it and to rewrite it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from chatjinja.dialects import DIALECTS
from chatjinja.environment import Environment, Template
from chatjinja.errors import TemplateError
from chatjinja.source import Source, Span
from chatjinja.syntax import nodes
from chatjinja.syntax.lexer import normalise
from chatjinja.syntax.visitor import iter_child_nodes

_Kind = TypeVar("_Kind", bound=nodes.Node)
_SIMPLE = (nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem, nodes.Call, nodes.List, nodes.Dict)
_METHODS_OF_FILTERS = {"trim": "strip"}


class Edit(NamedTuple):
    """Put `text` in place of ``source[start:end]``."""

    start: int
    end: int
    text: str


def edited(source: str, edits: Sequence[Edit]) -> str | None:
    """A source with edits made; None if they overlap."""
    out: list[str] = []
    at = 0
    for edit in sorted(edits):
        if edit.start < at:
            return None
        out += (source[at : edit.start], edit.text)
        at = edit.end
    return "".join((*out, source[at:]))


class Use(NamedTuple):
    """A filter, or a method that does the same: ``value|name(args)`` or ``value.name(args)``."""

    node: nodes.Expr
    value: nodes.Expr
    name: str
    args: list[nodes.Expr]


class Parsed:
    """A source text, and its tree if a dialect of ours can read it.

    Attributes:
        source: the text in which all places count (`chatjinja.syntax.lexer`).
        template: the compiled template, or None.
    """

    def __init__(self, text: str) -> None:
        self.template = _first_that_parses(text)
        self.source = Source(normalise(text)) if self.template is None else self.template.source
        self._parents: dict[int, nodes.Node] = {}
        self._by_kind: dict[type[nodes.Node], list[nodes.Node]] = {}
        todo: list[nodes.Node] = [] if self.template is None else [self.template.tree]
        while todo:
            node = todo.pop()
            self._by_kind.setdefault(type(node), []).append(node)
            children = list(iter_child_nodes(node))
            for child in children:
                self._parents[id(child)] = node
            todo.extend(reversed(children))

    def of(self, kind: type[_Kind]) -> list[_Kind]:
        """All nodes of a type, in the order of the source."""
        return [node for node in self._by_kind.get(kind, ()) if isinstance(node, kind)]

    def parent(self, node: nodes.Node) -> nodes.Node | None:
        """The node that has this one as a child."""
        return self._parents.get(id(node))

    def around(self, node: nodes.Node) -> Iterator[nodes.Node]:
        """What a node stands in, the innermost first."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def is_called(self, node: nodes.Node) -> bool:
        """Whether a node is what a call calls."""
        parent = self.parent(node)
        return isinstance(parent, nodes.Call) and parent.node is node

    def text(self, node: nodes.Node) -> str:
        """The source of a node."""
        return self.source.text[node.start : node.end]

    def operand(self, node: nodes.Node) -> str:
        """The source of an expression, in brackets if something may be put behind it only with them."""
        text = self.text(node)
        return text if isinstance(node, _SIMPLE) else f"({text})"

    def span(self, node: nodes.Node) -> Span:
        """The extent of a node."""
        return Span(node.start, node.end)

    def uses(self, *names: str) -> Iterator[Use]:
        """Every use of a filter, as a filter or as a method."""
        for node in self.of(nodes.Filter):
            name, arguments = called(node.target)
            if name in names:
                yield Use(node, node.node, name, arguments)
        methods = {_METHODS_OF_FILTERS.get(name, name) for name in names}
        for call in self.of(nodes.Call):
            access = call.node
            if (
                isinstance(access, nodes.Getattr)
                and isinstance(access.attr, nodes.Name)
                and access.attr.name in methods
            ):
                yield Use(call, access.node, access.attr.name, call.args)


def called(target: nodes.Expr) -> tuple[str, list[nodes.Expr]]:
    """Name and arguments of what stands behind ``|`` or ``is``; no name for anything odd."""
    callee, args = (target.node, target.args) if isinstance(target, nodes.Call) else (target, [])
    return (callee.name if isinstance(callee, nodes.Name) else ""), args


def _first_that_parses(text: str) -> Template | None:
    for name in DIALECTS:
        try:
            return Environment(name, cache_size=1).from_string(text)
        except TemplateError:
            continue
    return None
