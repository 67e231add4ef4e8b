"""Which names a scope reads and sets. A scope of Jinja2's is a body: of the template, a loop, a macro, ….

Inside a scope each name means one variable from start to end. What it starts with follows from how the scope
meets it first, and from whether an outer scope has it:

==================  =========================  ==================
first met           an outer scope has it      no outer scope has it
==================  =========================  ==================
read                the outer variable itself  the context's value
set in a branch     a copy of the outer value  the context's value
set                 a copy of the outer value  undefined
==================  =========================  ==================

A name that is read first and set later is a copy too. Inner bodies are scopes of their own and do not count, but
the branches of an ``if`` belong to the scope around them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from chatjinja.syntax.jinja import nodes as n
from chatjinja.syntax.visitor import iter_child_nodes, walk

SET = "set"
READ = "read"
"""How a name is met: set for sure, or anything else (read, or set in a branch)."""


@dataclass(slots=True)
class Names:
    """Names of one scope.

    Attributes:
        first: name → how it was met first, in order.
        stored: names that are set somewhere in the scope, and at how many places.
    """

    first: dict[str, str] = field(default_factory=dict)
    stored: dict[str, int] = field(default_factory=dict)

    def read(self, node: n.Node | None) -> None:
        """Every name in an expression."""
        todo = [] if node is None else [node]
        first = self.first
        while todo:
            at = todo.pop()
            if isinstance(at, (n.Name, n.NSRef)):
                first.setdefault(at.name, READ)
            elif isinstance(at, n.Getattr):
                todo.append(at.node)
            elif isinstance(at, n.Keyword):
                todo.append(at.value)
            elif isinstance(at, (n.Filter, n.Test)):
                todo += n.named_target(at.target)[1]
                todo.append(at.node)
            else:
                todo.extend(iter_child_nodes(at))

    def store(self, target: n.Node, certain: bool) -> None:
        """Every name in a target."""
        if isinstance(target, n.Name):
            self.store_name(target.name, certain)
        elif isinstance(target, n.Tuple):
            for item in target.items:
                self.store(item, certain)
        else:
            self.read(target)

    def store_name(self, name: str, certain: bool) -> None:
        self.first.setdefault(name, SET if certain else READ)
        self.stored[name] = self.stored.get(name, 0) + 1

    def body(self, stmts: Iterable[n.Node], certain: bool = True) -> None:
        """Statements of the scope, or, if not `certain`, of a branch in it."""
        for stmt in stmts:
            self.statement(stmt, certain)

    def statement(self, stmt: n.Node, certain: bool) -> None:
        match stmt:
            case n.Output():
                self.read(stmt.node)
            case n.Assign():
                self.read(stmt.node)
                self.store(stmt.target, certain)
            case n.AssignBlock():
                self.store(stmt.target, certain)
            case n.If():
                self.read(stmt.test)
                self.body(stmt.body, False)
                for branch in stmt.elifs:
                    self.read(branch.test)
                    self.body(branch.body, False)
                self.body(stmt.else_, False)
            case n.For():
                self.read(stmt.iter)
            case n.Macro():
                assert isinstance(stmt.name, n.Name)
                self.store_name(stmt.name.name, certain)
            case n.CallBlock():
                self.read(stmt.call)
            case n.FilterBlock():
                self.read(stmt.filter)
            case n.With():
                for value in stmt.values:
                    self.read(value)
            case n.Import():
                self.read(stmt.template)
                self.store_name(stmt.target, certain)
            case n.FromImport():
                self.read(stmt.template)
                for _, alias in stmt.names:
                    self.store_name(alias, certain)
            case n.Extends() | n.Include():
                self.read(stmt.template)
            case _:  # text, and what is a scope of its own
                pass


def target_names(target: n.Node) -> list[str]:
    """The names that a target sets, in order."""
    return [node.name for node in walk(target) if isinstance(node, n.Name)]


def parameter_name(arg: n.Node) -> str:
    """The name of a parameter of a macro or call block."""
    name = arg.key if isinstance(arg, n.Keyword) else arg
    assert isinstance(name, n.Name)
    return name.name


_OF_CONTEXT = frozenset(("map", "reject", "rejectattr", "select", "selectattr"))
"""Filters that Jinja2 never applies while compiling."""


def is_constant(node: n.Node) -> bool:
    """Whether Jinja2 evaluates an expression while compiling."""
    if isinstance(node, (n.Filter, n.Test)):
        name, args = n.named_target(node.target)
        return name not in _OF_CONTEXT and is_constant(node.node) and all(map(is_constant, args))
    if isinstance(node, n.Getattr):
        return is_constant(node.node)
    if isinstance(node, n.Keyword):
        return is_constant(node.value)
    return not isinstance(node, (n.Name, n.Call)) and all(map(is_constant, iter_child_nodes(node)))


@dataclass(slots=True)
class Summary:
    """What a whole template contains.

    Attributes:
        names: every name that is read somewhere.
        assigned: attributes that ``set x.name = …`` changes.
        blocks: all blocks, in order.
        autoescape: escaping is switched somewhere.
    """

    names: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)
    blocks: list[n.Block] = field(default_factory=list)
    autoescape: bool = False


def summarise(template: n.Template) -> Summary:
    """One walk over the whole tree."""
    summary = Summary()
    for node in walk(template):
        if isinstance(node, n.Name):
            summary.names.add(node.name)
        elif isinstance(node, n.NSRef):
            summary.assigned.add(node.attr)
            summary.names.add(node.name)
        elif isinstance(node, n.Block):
            summary.blocks.append(node)
        elif isinstance(node, n.Autoescape):
            summary.autoescape = True
    return summary
