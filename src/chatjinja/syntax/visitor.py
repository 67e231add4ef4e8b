"""Walks over trees. None of them recurses, so a tree may be of any depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chatjinja.syntax.nodes import Call, Expr, Getattr, Getitem, Node

Access = Getattr | Getitem | Call

DUMP_DEPTH = 200
"""How deep `dump` goes unless told otherwise; what it makes can then be written as JSON anywhere."""


def iter_child_nodes(node: Node) -> Iterator[Node]:
    """The direct children of a node, in the order of its fields."""
    for field in node.fields:
        child = getattr(node, field)
        if type(child) is list:
            yield from child
        elif child is not None:
            yield child


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it: parents first, children in order."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(list(iter_child_nodes(node))))


def access_chain(node: Expr) -> tuple[Expr, list[Access]]:
    """What a chain of accesses and calls starts from, and its links, the first one first."""
    links: list[Access] = []
    while isinstance(node, Access):
        links.append(node)
        node = node.node
    return node, links[::-1]


def same_tree(a: Node, b: Node) -> bool:
    """Whether two trees are the same but for places. ``1``, ``1.0`` and ``-0.0``, ``0.0`` are different."""
    todo = [(a, b)]
    while todo:
        a, b = todo.pop()
        if type(a) is not type(b) or any(not _same_data(getattr(a, name), getattr(b, name)) for name in a.data):
            return False
        for field in a.fields:
            ours, theirs = getattr(a, field), getattr(b, field)
            if type(ours) is list:
                if len(ours) != len(theirs):
                    return False
                todo.extend(zip(ours, theirs, strict=True))
            elif ours is not None and theirs is not None:
                todo.append((ours, theirs))
            elif ours is not theirs:
                return False
    return True


def _same_data(a: Any, b: Any) -> bool:
    return type(a) is type(b) and (repr(a) == repr(b) if type(a) is float else bool(a == b))


def dump(node: Node, *, max_depth: int = DUMP_DEPTH) -> dict[str, Any]:
    """A tree as plain data: for each node a dict of its type, place, data and fields.

    Nodes more than `max_depth` below the first have ``"cut": True`` in place of their fields.
    """
    root: dict[str, Any] = {}
    todo = [(node, root, 0)]
    while todo:
        node, into, depth = todo.pop()
        into.update(type=type(node).__name__, start=node.start, end=node.end, at=node.at)
        into.update((name, getattr(node, name)) for name in node.data)
        if depth == max_depth and node.fields:
            into["cut"] = True
            continue
        for field in node.fields:
            child = getattr(node, field)
            if type(child) is list:
                into[field] = [{} for _ in child]
                todo.extend((item, made, depth + 1) for item, made in zip(child, into[field], strict=True))
            else:
                into[field] = None if child is None else {}
                if child is not None:
                    todo.append((child, into[field], depth + 1))
    return root
