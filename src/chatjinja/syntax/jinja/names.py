"""Which names a piece of a tree reads before it sets them, as Jinja2's compiler finds it out."""

from __future__ import annotations

from collections.abc import Iterable

from chatjinja.syntax.jinja import nodes
from chatjinja.syntax.visitor import iter_child_nodes

_Met = tuple[nodes.Node, bool]
"""A node, and whether it is set rather than read."""


def undeclared(body: Iterable[nodes.Node], names: Iterable[str]) -> set[str]:
    """Which of `names` the body reads, in inner scopes too, before anything sets them anywhere.

    This is how Jinja2 decides what a loop or macro has to offer. Blocks do not count.
    """
    left = set(names)
    found: set[str] = set()
    todo = _read(body)[::-1]
    while todo and left:
        node, is_set = todo.pop()
        if not isinstance(node, nodes.Name):
            todo += reversed(_in_order(node, is_set))
        elif node.name in left:
            left.discard(node.name)
            if not is_set:
                found.add(node.name)
    return found


def target_names(target: nodes.Node) -> list[nodes.Name]:
    """The names that a target sets, in order."""
    names: list[nodes.Name] = []
    todo = [target]
    while todo:
        node = todo.pop()
        if isinstance(node, nodes.Name):
            names.append(node)
        todo += reversed(list(iter_child_nodes(node)))
    return names


def parameters(args: list[nodes.Expr]) -> list[nodes.Name]:
    """The names of the parameters of a macro or call block."""
    names = [arg.key if isinstance(arg, nodes.Keyword) else arg for arg in args]
    return [name for name in names if isinstance(name, nodes.Name)]


def _in_order(node: nodes.Node, is_set: bool) -> list[_Met]:
    """Children in the order in which Jinja2 visits them. Names of filters, attributes and arguments are none."""
    match node:
        case nodes.Block():
            return []
        case nodes.Tuple():
            return [(item, is_set) for item in node.items]
        case nodes.Getattr():
            return [(node.node, False)]
        case nodes.Keyword():
            return [(node.value, False)]
        case nodes.Filter() | nodes.Test():
            return _read([node.node, *nodes.named_target(node.target)[1]])
        case nodes.For() | nodes.Assign() | nodes.AssignBlock():
            return [
                (node.target, True),
                *_read([child for child in iter_child_nodes(node) if child is not node.target]),
            ]
        case nodes.With():
            return [*((target, True) for target in node.targets), *_read([*node.values, *node.body])]
        case nodes.Macro():
            return _function(node.args, node.body)
        case nodes.CallBlock():
            return [(node.call, False), *_function(node.args, node.body)]
        case _:
            return _read(iter_child_nodes(node))


def _function(args: list[nodes.Expr], body: list[nodes.Stmt]) -> list[_Met]:
    defaults = [arg for arg in args if isinstance(arg, nodes.Keyword)]
    return [*((name, True) for name in parameters(args)), *_read(defaults), *_read(body)]


def _read(children: Iterable[nodes.Node]) -> list[_Met]:
    return [(child, False) for child in children]
