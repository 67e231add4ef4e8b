"""Expressions too long for Python's compiler: ``a + b + …`` with 10,000 operands, filter or attribute
chains, chains of ``… if … else …``. Each becomes a function that goes through the chain step by step."""

from __future__ import annotations

import ast
import copy

from chatjinja.compiler import pyast as py
from chatjinja.compiler.codegen_base import left_child
from chatjinja.compiler.codegen_macros import MacroGen
from chatjinja.compiler.generator import RT, Result
from chatjinja.compiler.state import FunctionState
from chatjinja.syntax import nodes as n


class Evaluated(n.Expr):
    """Stands for an operand whose value is in a local already."""

    __slots__ = ("local",)

    def __init__(self, local: str) -> None:
        self.local = local
        self.start = self.end = self.at = 0


class OutlineGen(MacroGen):
    """Adds the step-by-step form of long chains."""

    def expr_Evaluated(self, node: Evaluated) -> Result:
        return py.name(node.local), "any"

    def outlined(self, node: n.Expr) -> ast.expr:
        outer = self.fn
        function = self.new_local("chain")
        params = [RT, *self.visible_locals()]
        self.fn = FunctionState(scope=outer.scope, loop=outer.loop)
        if isinstance(node, n.CondExpr):
            self.condition_steps(node)
        else:
            self.operand_steps(node)
        body, self.fn = self.fn.body, outer
        self.functions.append(py.function(function, params, body))
        return py.call(function, [py.name(param) for param in params])

    def condition_steps(self, node: n.CondExpr) -> None:
        at: n.Expr | None = node
        while isinstance(at, n.CondExpr):
            test, if_true, if_false = self.cond_test(at)
            self.fn.facts = if_true
            then = py.return_(self.value(at.expr1))
            self.fn.facts = if_false
            self.fn.body.append(py.if_(test, [then]))
            at = at.expr2
        self.fn.body.append(py.return_(py.name("UNDEFINED") if at is None else self.value(at)))

    def operand_steps(self, node: n.Expr) -> None:
        """Innermost operand first; arguments of calls before their callees, from the outside in."""
        body = self.fn.body
        chain: list[n.Expr] = []
        at: n.Expr | None = node
        while at is not None and not isinstance(at, Evaluated):
            chain.append(at)
            at = left_child(at)
        steps: list[n.Expr] = []
        for step in chain[:-1]:
            clone = copy.copy(step)
            if isinstance(step, n.Call) and isinstance(clone, n.Call):
                clone.args = [self.evaluated(arg) for arg in step.args]
            self.report.by_id[id(clone)] = self.report(step)
            self._kept.append(clone)
            steps.append(clone)
        local = self.new_local("step")
        body.append(py.assign(local, self.value(chain[-1])))
        for step in reversed(steps):
            if isinstance(step, n.BinExpr):
                step.left = Evaluated(local)
            else:
                step.node = Evaluated(local)  # type: ignore[attr-defined]  # every other chain node has one
            body.append(py.assign(local, self.value(step)))
            self.fn.facts.forget(local)
        body.append(py.return_(py.name(local)))

    _kept: list[n.Node]

    def evaluated(self, arg: n.Expr) -> n.Expr:
        if isinstance(arg, (n.Keyword, n.Spread, n.Const)):
            return arg
        local = self.new_local("arg")
        self.fn.body.append(py.assign(local, self.value(arg)))
        return Evaluated(local)
