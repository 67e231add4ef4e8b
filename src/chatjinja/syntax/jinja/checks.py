"""Whether a template uses filters and tests that there are."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from chatjinja.errors import TemplateSyntaxError
from chatjinja.source import Span
from chatjinja.syntax.jinja import nodes
from chatjinja.syntax.visitor import iter_child_nodes

_SCOPES: Final = (
    nodes.AssignBlock,
    nodes.Autoescape,
    nodes.Block,
    nodes.CallBlock,
    nodes.FilterBlock,
    nodes.For,
    nodes.GenerationBlock,
    nodes.Macro,
    nodes.With,
)


def check_names(template: nodes.Template, filters: Container[str], tests: Container[str]) -> None:
    """Refuse unknown filters and tests, but not directly in an ``if``, where they are errors when used.

    Raises:
        TemplateSyntaxError: for the first finding in the order of the source.
    """
    todo: list[tuple[nodes.Node, bool]] = [(template, False)]
    while todo:
        node, is_guarded = todo.pop()
        if isinstance(node, nodes.Filter | nodes.Test) and not is_guarded:
            name, _ = nodes.named_target(node.target)
            span = Span(node.target.start, node.target.end)
            if isinstance(node, nodes.Test):
                if name not in tests:
                    raise TemplateSyntaxError(f"No test named {name!r}.", code="unknown-test", phase="parse", span=span)
            elif name not in filters:
                raise TemplateSyntaxError(f"No filter named {name!r}.", code="unknown-filter", phase="parse", span=span)
        todo += _guards(node, is_guarded)[::-1]


def _guards(node: nodes.Node, is_guarded: bool) -> list[tuple[nodes.Node, bool]]:
    """The children, and whether names in them are looked up only when used, given whether those in the node are."""
    if isinstance(node, nodes.If | nodes.Elif | nodes.CondExpr):
        return [(child, True) for child in iter_child_nodes(node)]
    if isinstance(node, nodes.BinExpr) and _is_decided(node):
        return [(node.left, is_guarded)]
    if not isinstance(node, _SCOPES):
        return [(child, is_guarded) for child in iter_child_nodes(node)]
    outer: list[nodes.Expr] = []  # what does not belong to the node's own scope
    match node:
        case nodes.For():
            outer = [node.iter]
        case nodes.CallBlock():
            outer = [node.call]
        case nodes.With():
            outer = node.values
    kept = {id(child) for child in outer}
    return [(child, is_guarded and id(child) in kept) for child in iter_child_nodes(node)]


def _is_decided(node: nodes.BinExpr) -> bool:
    """Whether the left side, a constant, settles an ``and`` or ``or``; Jinja2 then drops the right one."""
    left, truth = node.left, True
    while isinstance(left, nodes.UnaryExpr) and left.op == "not":
        left, truth = left.node, not truth
    if (
        isinstance(left, nodes.UnaryExpr)
        and isinstance(left.node, nodes.Const)
        and not isinstance(left.node.value, str)
    ):
        left = left.node
    if isinstance(left, nodes.Const):
        truth = truth == bool(left.value)
    elif isinstance(left, nodes.List | nodes.Tuple) and not left.items:
        truth = not truth
    else:
        return False
    return node.op == ("or" if truth else "and")
