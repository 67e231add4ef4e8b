"""What can be said about a render without rendering."""

from __future__ import annotations

from collections.abc import Iterator

from chatjinja.syntax import nodes as n
from chatjinja.syntax.visitor import walk

_NAME = "add_generation_prompt"


def same_without_generation_prompt(template: n.Template) -> bool:
    """True if a template that renders with ``add_generation_prompt`` true also does with the variable unset.

    A llama.cpp server renders both ways and refuses a request if either raises. Here every use of the
    variable must be one that only leaves out text when it is not set, or one that sets it to something false.
    """
    harmless = sum(map(_harmless_mentions, _statements(template)))
    return harmless == sum(map(_is_name, walk(template)))


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


def _harmless_mentions(stmt: n.Stmt) -> int:
    """How many mentions of the variable in this statement do no harm; 0 if any does."""
    if isinstance(stmt, n.Output) and isinstance(stmt.node, n.CondExpr):
        choice = stmt.node
        other = choice.expr2 is None or isinstance(choice.expr2, n.Const)
        return _guard(choice.test) if other and _is_quiet(choice.expr1) else 0
    if not isinstance(stmt, n.If) or stmt.elifs or stmt.else_:
        return 0
    guarded = _guard(stmt.test) if all(map(_is_quiet, stmt.body)) else 0
    if guarded:
        return guarded
    if _tests_absence(stmt.test) and all(map(_sets_false, stmt.body)):
        return sum(map(_is_name, walk(stmt)))
    return 0


def _is_name(node: n.Node | None) -> bool:
    return isinstance(node, n.Name) and node.name == _NAME


def _is_quiet(node: n.Node) -> bool:
    """Changes nothing but the output."""
    return not any(
        isinstance(inner, (n.Assign, n.AssignBlock, n.Macro, n.Break, n.Continue, n.Call)) or _is_name(inner)
        for inner in walk(node)
    )


def _guard(test: n.Expr) -> int:
    """Number of mentions in a test that is false, and ends there, when the variable is not set or false."""
    parts = [test]
    while isinstance(parts[0], n.BinExpr) and parts[0].op == "and":
        parts[:1] = [parts[0].left, parts[0].right]
    for index, part in enumerate(parts):
        if _is_name(part):
            later = [inner for rest in parts[index + 1 :] for inner in walk(rest)]
            return 0 if any(map(_is_name, later)) else index + 1
        if not _is_defined(part):
            break
    return 0


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
