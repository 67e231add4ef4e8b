"""Expressions too long for Python's compiler: sums of 10,000 operands, chains of filters or accesses, of
``… if … else …``. Each becomes a function that goes through the chain step by step."""

from __future__ import annotations

import ast
import copy

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import DEPTH_STEP, Result
from chatjinja.compiler.jinja.chains import inner_of, is_long
from chatjinja.compiler.jinja.macros import MacroGen
from chatjinja.compiler.jinja.state import Function
from chatjinja.syntax.jinja import nodes as n


class Evaluated(n.Expr):
    """Stands for an operand whose value is in a local already."""

    __slots__ = ("local",)

    def __init__(self, local: str) -> None:
        self.local = local
        self.start = self.end = self.at = 0


def with_inner(node: n.Expr, inner: n.Expr) -> n.Expr:
    """A copy of a node that applies the same to another operand."""
    clone = copy.copy(node)
    if isinstance(clone, n.BinExpr):
        clone.left = inner
    else:
        assert isinstance(clone, (n.Filter, n.Test, n.Getattr, n.Getitem, n.Call))
        clone.node = inner
    return clone


class OutlineGen(MacroGen):
    """Adds the step-by-step form of long chains."""

    _depth = 0

    def expr(self, node: n.Expr) -> Result:
        self._depth += 1
        try:
            if self._depth % DEPTH_STEP == 0 and is_long(node):
                return self.outlined(node), "any"
            return super().expr(node)
        finally:
            self._depth -= 1

    def expr_Evaluated(self, node: Evaluated) -> Result:
        return py.name(node.local), "any"

    def outlined(self, node: n.Expr) -> ast.expr:
        outer = self.fn
        function = self.new_local("chain")
        self.fn = Function(out=outer.out)
        if isinstance(node, n.CondExpr):
            self.condition_steps(node)
        else:
            self.operand_steps(node)
        body, self.fn = self.fn.body, outer
        outer.body.append(py.function(function, [], body))
        return py.call(function, [])

    def condition_steps(self, node: n.CondExpr) -> None:
        at: n.Expr | None = node
        last = node
        body = self.fn.body
        while isinstance(at, n.CondExpr):
            last = at
            test, if_true, if_false = self.condition(at.test)
            self.fn.facts = if_true
            body.append(py.if_(test, [py.return_(self.value(at.expr1))]))
            self.fn.facts = if_false
            at = at.expr2
        body.append(py.return_(self.no_else(last) if at is None else self.value(at)))

    def operand_steps(self, node: n.Expr) -> None:
        """The innermost operand first, then what is applied to it."""
        chain: list[n.Expr] = []
        at: n.Expr | None = node
        while at is not None:
            chain.append(at)
            at = inner_of(at)
        body = self.fn.body
        local = self.new_local("step")
        body.append(py.assign(local, self.value(chain.pop())))
        for step in reversed(chain):
            body.append(py.assign(local, self.value(with_inner(step, Evaluated(local)))))
            self.fn.facts.forget(local)
        body.append(py.return_(py.name(local)))
