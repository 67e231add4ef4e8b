"""The whole template: from tree to code object."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import CTX, ROOT, RT, CompiledModule
from chatjinja.compiler.groups import Group
from chatjinja.compiler.outline import OutlineGen
from chatjinja.compiler.scopes import Usage, analyse, assigned_in_scope
from chatjinja.compiler.state import FunctionState, Options
from chatjinja.source import Source
from chatjinja.syntax import nodes as n
from chatjinja.syntax.visitor import walk


@dataclass(frozen=True, slots=True)
class Compiled(CompiledModule):
    """A template of llama.cpp's language as Python code.

    Attributes:
        builtins: names that get a global ``b_NAME``: the global function itself.
        hints: names that get a global ``h_NAME``: an Undefined with that hint.
        groups: what is printed together, in the sourced form; the value that tells number N is the global ``w_N``.
        names: variables of the context that the template may read.
        single_pieces: no string that the template works on has several pieces.
        may_fail_late: unchecked code may miss an error that comes before the one it raises.
    """

    builtins: frozenset[str]
    hints: frozenset[str]
    groups: tuple[Group, ...]
    names: tuple[str, ...]
    single_pieces: bool
    may_fail_late: bool


class CodeGen(OutlineGen):
    """The complete generator."""

    def __init__(self, source: Source, usage: Usage, options: Options) -> None:
        super().__init__(source, usage, options)
        self._macro_ids = {}
        self._kept = []

    def template(self, template: n.Template) -> ast.Module:
        names = self.usage.root.reads | assigned_in_scope(template.body)
        scope = {name: f"v_{name}" for name in sorted(names)}
        self.fn = FunctionState(scope)
        body: list[ast.stmt] = []
        for name, local in scope.items():
            if name in self.options.constants:
                missing: ast.expr = py.const(self.options.constants[name])
            else:
                missing = self.variable_missing(name)
            body.append(py.assign(local, py.method(py.name(CTX), "get", [py.const(name), missing])))
        mark = self.mark_here() if self.deferred else ""
        self.flush()
        prologue, self.fn.body = self.fn.body, []
        statements = self.block(template.body)
        if mark:
            statements.append(self.settle(mark))
        root = py.function(ROOT, [RT, CTX, "out"], [*body, *prologue, *statements] or [py.pass_()])
        return py.module([*self.functions, root])


def makes_single_pieces(template: n.Template, usage: Usage) -> bool:
    """True if no string that the template works on can have several pieces: all that it concatenates, it
    prints at once."""
    if "format" in usage.mentions:
        return False
    printed = {id(node.node) for node in walk(template) if isinstance(node, n.Output)}
    for node in walk(template):
        if isinstance(node, n.BinExpr) and node.op in ("+", "~", "*"):
            if id(node) not in printed:
                return False
            printed |= {id(node.left), id(node.right)}
        elif isinstance(node, (n.AssignBlock, n.FilterBlock, n.Macro, n.CallBlock)):
            return False
    return True


def compile_template(template: n.Template, source: Source, options: Options) -> Compiled:
    """Generate the Python module of a template."""
    fixed = options.global_names.union(options.constants) if options.fold_names else frozenset()
    usage = analyse(template, options.method_names, options.global_names, fixed)
    generator = CodeGen(source, usage, options)
    tree = generator.template(template)
    return Compiled(
        tree=tree,
        variables=frozenset(generator.variables),
        builtins=frozenset(generator.builtins),
        hints=frozenset(generator.hints),
        literals=tuple(generator.literals),
        groups=tuple(generator.groups),
        names=tuple(sorted(usage.root.reads | assigned_in_scope(template.body))),
        sites=generator.sites.by_loc,
        single_pieces=makes_single_pieces(template, usage),
        may_fail_late=usage.functions_as_values and not options.checked and not options.exact,
    )
