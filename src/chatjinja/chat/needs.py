"""What can be said about a render without rendering.

A llama.cpp server renders each request without and with ``add_generation_prompt``. Here the tree of a template tells
when one of the two says all about the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chatjinja.compiler.scopes import names_read
from chatjinja.syntax import nodes as n
from chatjinja.syntax.visitor import walk

NAME = "add_generation_prompt"


class Opening(NamedTuple):
    """The last statement of a template, which writes what a generation prompt adds, all of it and nothing else.

    Attributes:
        stmt: the statement.
        reads: names of the variables that it reads; none of them is set by the template.
    """

    stmt: n.Stmt
    reads: frozenset[str]


def mentions_variable(template: n.Template) -> bool:
    """Whether the variable occurs in a template."""
    return any(map(_is_name, walk(template)))


def mentions_elsewhere(template: n.Template) -> frozenset[int] | None:
    """Where (`Node.at`) a template asks for the variable such that its value matters in another way.

    If a render, with the variable or without, reaches none of them, it renders both ways and the texts differ at
    most in what is left out. None if one of the mentions does more than ask whether the variable is true.
    """
    mentions = {id(node): node for node in walk(template) if _is_name(node)}
    harmless = {id(node) for stmt in _statements(template) for node in _harmless_mentions(stmt)}
    others = [node for key, node in mentions.items() if key not in harmless]
    asked = _asked_for_truth(template) if others else set()
    return frozenset(node.at for node in others) if all(id(node) in asked for node in others) else None


def _asked_for_truth(template: n.Template) -> set[int]:
    """The expressions of which nothing but their truth is asked."""
    found: set[int] = set()
    for node in walk(template):
        if isinstance(node, (n.If, n.Elif, n.CondExpr)):
            found.add(id(node.test))
        elif isinstance(node, n.UnaryExpr) and node.op == "not":
            found.add(id(node.node))
        elif isinstance(node, n.BinExpr) and node.op in ("and", "or"):
            found.add(id(node.left))
            if id(node) in found:
                found.add(id(node.right))
    return found


def opening_of(template: n.Template, assigned: set[str]) -> Opening | None:
    """The opening of a template that sets the names `assigned`, for renders that reach no mention elsewhere."""
    body = [stmt for stmt in template.body if not isinstance(stmt, n.Comment)]
    if not body or not all(isinstance(node, _PLAIN_NODES) for node in walk(body[-1])):
        return None
    *others, last = body
    writers = [stmt for stmt in _statements(n.Template(others)) if _harmless_mentions(stmt) and not _is_silent(stmt)]
    reads = names_read(last) - {NAME}
    if writers or not _harmless_mentions(last) or not reads.isdisjoint(assigned):
        return None
    return Opening(last, frozenset(reads))


_PLAIN_NODES = (
    *(n.If, n.Elif, n.Output, n.TemplateData, n.Comment),
    *(n.Name, n.Const, n.CondExpr, n.UnaryExpr, n.BinExpr, n.Filter, n.Test),
)
"""What gives the same whenever its variables hold the same simple values, and changes nothing."""


def _is_silent(stmt: n.Stmt) -> bool:
    """Writes nothing itself: it only sets the variable."""
    return isinstance(stmt, n.If) and all(isinstance(inner, (n.Assign, n.Comment)) for inner in stmt.body)


def _statements(template: n.Template) -> Iterator[n.Stmt]:
    """The statements that print right into the output: not those of macros and the like, whose text is a value."""
    todo: list[n.Stmt] = list(template.body)
    while todo:
        stmt = todo.pop()
        yield stmt
        if isinstance(stmt, n.If):
            todo += [*stmt.body, *stmt.else_, *(inner for branch in stmt.elifs for inner in branch.body)]
        elif isinstance(stmt, n.For):
            todo += [*stmt.body, *stmt.else_]


def _harmless_mentions(stmt: n.Stmt) -> list[n.Node]:
    """The mentions of the variable in the statement's test, and those that set it, if they do no harm."""
    if isinstance(stmt, n.Output) and isinstance(stmt.node, n.CondExpr):
        choice = stmt.node
        other = choice.expr2 is None or isinstance(choice.expr2, n.Const)
        return _guards(choice.test) if other and _is_quiet(choice.expr1) else []
    if not isinstance(stmt, n.If) or stmt.elifs or stmt.else_:
        return []
    guards = _guards(stmt.test) if all(map(_is_quiet, stmt.body)) else []
    if guards:
        return guards
    if _tests_absence(stmt.test) and all(map(_sets_false, stmt.body)):
        return [node for node in walk(stmt) if _is_name(node)]
    return []


def _is_name(node: n.Node | None) -> bool:
    return isinstance(node, n.Name) and node.name == NAME


def _is_quiet(node: n.Node) -> bool:
    """Changes nothing but the output."""
    return not any(
        isinstance(inner, (n.Assign, n.AssignBlock, n.Macro, n.Break, n.Continue, n.Call))
        or (isinstance(inner, n.Name) and inner.name in _LOUD)
        for inner in walk(node)
    )


_LOUD = frozenset((NAME, "append", "pop"))
"""The variable itself, and the filters that change what they are given."""


def _guards(test: n.Expr) -> list[n.Node]:
    """The mentions in a test that is false, and ends there, when the variable is not set or false."""
    parts = [test]
    while isinstance(parts[0], n.BinExpr) and parts[0].op == "and":
        parts[:1] = [parts[0].left, parts[0].right]
    for index, part in enumerate(parts):
        if _is_name(part):
            later = [inner for rest in parts[index + 1 :] for inner in walk(rest)]
            found = [inner for guard in parts[: index + 1] for inner in walk(guard) if _is_name(inner)]
            return [] if any(map(_is_name, later)) else found
        if not _is_defined(part):
            break
    return []


def _is_defined(test: n.Expr) -> bool:
    return _tests(test, "defined", negated=False)


def _tests_absence(test: n.Expr) -> bool:
    if isinstance(test, n.UnaryExpr) and test.op == "not":
        return _is_defined(test.node)
    return _tests(test, "defined", negated=True) or _tests(test, "undefined", negated=False)


def _tests(test: n.Expr, name: str, *, negated: bool) -> bool:
    return (
        isinstance(test, n.Test)
        and _is_name(test.node)
        and isinstance(test.target, n.Name)
        and test.target.name == name
        and test.negated is negated
    )


def _sets_false(stmt: n.Stmt) -> bool:
    if isinstance(stmt, n.Assign):
        return _is_name(stmt.target) and isinstance(stmt.node, n.Name) and stmt.node.name in ("false", "False")
    return isinstance(stmt, (n.TemplateData, n.Comment))
