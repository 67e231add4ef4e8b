"""Chains of expressions: what is nested along one operand, perhaps 10,000 levels deep."""

from __future__ import annotations

from chatjinja.compiler.generator import is_long_chain
from chatjinja.syntax.jinja import nodes as n


def inner_of(node: n.Expr) -> n.Expr | None:
    """The operand that a node applies something to: what long chains are nested along."""
    if isinstance(node, n.BinExpr):
        return None if node.op in ("and", "or") else node.left
    if isinstance(node, (n.Filter, n.Test, n.Getattr, n.Getitem, n.Call)):
        return node.node
    return None


def is_long(node: n.Expr) -> bool:
    """True if `node` starts a chain that is too long to nest in Python."""
    return is_long_chain(node, inner_of)
