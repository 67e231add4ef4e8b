"""The whole template: from tree to code object."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import ROOT, CompiledModule
from chatjinja.compiler.jinja.names import summarise
from chatjinja.compiler.jinja.outline import OutlineGen
from chatjinja.compiler.jinja.state import Options
from chatjinja.source import Source, Span
from chatjinja.syntax.jinja import nodes as n


@dataclass(frozen=True, slots=True)
class Compiled(CompiledModule):
    """A template of Jinja2's language as Python code.

    Attributes:
        globals: names that get a global ``g_NAME``: the dialect's own global.
        hints: globals that hold an Undefined, and what it says (`chatjinja.runtime.jinja.helpers.fixed_undefined`).
        printed_literals: template strings that get a global ``p_INDEX``, and what prints them (sourced form only).
        filters, tests: global name → name in the dialect's tables.
    """

    globals: frozenset[str]
    hints: dict[str, tuple[str, str | None, str]]
    printed_literals: tuple[tuple[str, Span], ...]
    filters: dict[str, str]
    tests: dict[str, str]

    @property
    def context_names(self) -> frozenset[str]:
        """Everything that the template looks for in the context."""
        return self.variables | self.globals


class CodeGen(OutlineGen):
    """The complete generator."""

    def template(self, template: n.Template) -> ast.Module:
        functions: list[ast.stmt] = [self.home(ROOT, template.body)]
        made: dict[str, str] = {}
        for block in self.summary.blocks:
            made[block.name] = self.new_local("block")
            functions.append(self.home(made[block.name], block.body, block.name))
        if made or "self" in self.summary.names:
            keys: list[ast.expr] = [py.const(name) for name in made]
            functions.append(py.assign("blocks", py.dict_(keys, [py.name(local) for local in made.values()])))
        return py.module(functions)


def compile_template(template: n.Template, source: Source, options: Options) -> Compiled:
    """Generate the Python module of a template."""
    generator = CodeGen(source, options, summarise(template))
    tree = generator.template(template)
    return Compiled(
        tree=tree,
        variables=frozenset(generator.variables),
        globals=frozenset(generator.globals),
        hints=generator.hints,
        literals=tuple(generator.literals),
        printed_literals=tuple(generator.printed_literals),
        filters=generator.filters,
        tests=generator.tests,
        sites=generator.sites.by_loc,
    )
