"""A plain interpreter of the dialect: slow, without compiling, scopes are real copies of dicts.

It shares the built-ins with the engine, but nothing of the compiler: neither the analysis of scopes nor any
caching or specialised code. What it gives is what the compiled forms must give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chatjinja import Template, TemplateError
from chatjinja.errors import OperationError
from chatjinja.runtime import operators
from chatjinja.runtime.access import MISSING, call, get_attr, get_item, get_slice, put, set_attribute
from chatjinja.runtime.contexts import copy_context
from chatjinja.runtime.filters import apply_filter
from chatjinja.runtime.helpers import truth
from chatjinja.runtime.limits import exceeded
from chatjinja.runtime.loops import body_pieces, fail, iter_items, loop_object, unpack_items, unpack_set
from chatjinja.runtime.macros import check_callee
from chatjinja.runtime.marked import template_piece
from chatjinja.runtime.objects import Array, BuiltinFunction, Function, KwArg, Object, Tuple
from chatjinja.runtime.state import Runtime
from chatjinja.runtime.tests import apply_test
from chatjinja.runtime.undefined import UNDEFINED, Undefined
from chatjinja.syntax import nodes as n

Scope = dict[str, Any]
_BINARY = {
    "+": operators.add,
    "~": operators.concat,
    "-": operators.subtract,
    "*": operators.multiply,
    "/": operators.divide,
    "%": operators.modulo,
    "<": operators.less,
    "<=": operators.less_equal,
    ">": operators.greater,
    ">=": operators.greater_equal,
    "in": operators.contains,
    "not in": operators.not_contains,
    "==": operators.equal,
}


@dataclass(frozen=True)
class Outcome:
    """What a render gave: a text, or the message and place (node, line, byte column) of an error."""

    text: str | None = None
    message: str | None = None
    place: tuple[str | None, int | None, int | None] | None = None
    kind: str | None = None


class _Leave(Exception):  # noqa: N818 -- control flow
    """``break`` or ``continue`` on its way to the loop."""

    def __init__(self, word: str, stmt: n.Stmt) -> None:
        super().__init__(word)
        self.word = word
        self.stmt = stmt


class _Function(Function):
    """A macro, or a call block's body (then `captured` holds the variables at the ``call``)."""

    __slots__ = ("args", "body", "captured", "owner")

    def __init__(self, name: str, stmt: n.Macro | n.CallBlock, owner: Interpreter, captured: Scope | None) -> None:
        self.name = name
        self.args = stmt.args
        self.body = stmt
        self.captured = captured
        self.owner = owner

    def invoke(self, rt: Runtime, args: list[Any], scope: Scope | None) -> Any:
        assert scope is not None
        values = dict(self.captured if self.captured is not None else scope)
        bound = {}
        for index, parameter in enumerate(self.args):
            name, value = self.argument(parameter, index, args, scope)
            bound[name] = value
        values.update(bound)
        return self.owner.function_text(self.body, values)

    def argument(self, parameter: n.Expr, index: int, args: list[Any], scope: Scope) -> tuple[str, Any]:
        default = parameter.value if isinstance(parameter, n.Keyword) else None
        name = parameter.key if isinstance(parameter, n.Keyword) else parameter
        if not isinstance(name, n.Name):
            if isinstance(parameter, n.Keyword):
                raise OperationError(f"Keyword argument key must be an identifier in '{self.name}'")
            if index < len(args):
                raise OperationError(f"Invalid parameter type in '{self.name}'")
        elif index < len(args):
            named = [arg.value for arg in args if type(arg) is KwArg and arg.key == name.name]
            if named and type(named[0]) is not Undefined:
                return name.name, named[0]
            return name.name, UNDEFINED if type(args[index]) is KwArg else args[index]
        elif default is not None:
            return name.name, self.owner.eval(default, scope)
        raise OperationError(f"Not enough arguments provided to '{self.name}'")


class Interpreter:
    """Runs one template once."""

    def __init__(self, template: Template, context: dict[str, Any]) -> None:
        self.template = template
        self.tables = template.dialect.exact_tables
        self.rt = Runtime(self.tables, template.limits, context, template._clock, exact=True)
        self.context = context
        self.calls = self.depth = 0
        self.places: dict[int, tuple[TemplateError, n.Node]] = {}
        self.expressions: dict[type[n.Node], Callable[[Any, Scope], Any]] = {
            n.Const: self.const,
            n.Name: self.name,
            n.List: lambda node, scope: Array([self.eval(item, scope) for item in node.items]),
            n.Tuple: lambda node, scope: Tuple([self.eval(item, scope) for item in node.items]),
            n.Dict: self.dict,
            n.UnaryExpr: self.unary,
            n.BinExpr: self.binary,
            n.CondExpr: self.conditional,
            n.Filter: lambda node, scope: self.filtered(self.eval(node.node, scope), node.target, scope),
            n.Test: self.test,
            n.Getattr: self.getattr,
            n.Getitem: self.getitem,
            n.Call: self.call,
            n.Keyword: self.keyword,
            n.Spread: lambda node, scope: fail(self.rt, "cannot exec SpreadExpression"),
        }
        self.statements: dict[type[n.Node], Callable[[Any, Scope], Any]] = {
            n.TemplateData: lambda stmt, scope: template_piece(stmt.data_text),
            n.Comment: lambda stmt, scope: None,
            n.Generation: lambda stmt, scope: None,
            n.Output: lambda stmt, scope: self.eval(stmt.node, scope),
            n.If: self.if_,
            n.For: self.for_,
            n.Assign: lambda stmt, scope: self.set(stmt.target, self.eval(stmt.node, scope), scope),
            n.AssignBlock: lambda stmt, scope: self.set(stmt.target, self.body(stmt.body, scope), scope),
            n.FilterBlock: lambda stmt, scope: self.filtered(self.body(stmt.body, scope), stmt.target, scope),
            n.Macro: self.macro,
            n.CallBlock: self.call_block,
            n.Break: lambda stmt, scope: self.leave("Break", stmt),
            n.Continue: lambda stmt, scope: self.leave("Continue", stmt),
        }

    def run(self) -> Outcome:
        """Render the template."""
        try:
            scope = {**dict(self.template.dialect.semantics.constants), **copy_context(self.rt, self.context)}
            return Outcome(text=self.body(self.template.tree.body, scope).text)
        except TemplateError as error:
            return self.failed(error)
        except _Leave as leave:
            return Outcome(message=f"{leave.word} statement executed", kind="OperationError")

    def failed(self, error: TemplateError) -> Outcome:
        kind = type(error).__name__
        known = self.places.get(id(error))
        if known is None or kind == "UnsupportedError":
            return Outcome(message=error.message, kind=kind)
        position = self.template.source.position(known[1].at)
        return Outcome(message=error.message, place=(known[1].reference, position.lineno, position.colno), kind=kind)

    def framed(self, node: n.Node, action: Callable[[], Any]) -> Any:
        """Run `action`; an error without place gets `node` as its place."""
        try:
            return action()
        except TemplateError as error:
            self.places.setdefault(id(error), (error, node))
            raise

    def eval(self, node: n.Expr, scope: Scope) -> Any:
        return self.framed(node, lambda: self.expressions[type(node)](node, scope))

    def body(self, stmts: list[n.Stmt], scope: Scope) -> Any:
        out: list[Any] = []
        for stmt in stmts:
            out.append(self.exec(stmt, scope))
        return body_pieces(self.rt, out)

    def exec(self, stmt: n.Stmt, scope: Scope) -> Any:
        if isinstance(stmt, n.Output):
            return self.statements[n.Output](stmt, scope)
        return self.framed(stmt, lambda: self.statements[type(stmt)](stmt, scope))

    # --- expressions -------------------------------------------------------------------------------

    def const(self, node: n.Const, scope: Scope) -> Any:
        return template_piece(node.value) if isinstance(node.value, str) else node.value

    def name(self, node: n.Name, scope: Scope) -> Any:
        value = scope.get(node.name, UNDEFINED)
        if type(value) is not Undefined:
            return value
        builtin = self.tables.globals.get(node.name)
        return Undefined(node.name) if builtin is None else BuiltinFunction(node.name, builtin)

    def dict(self, node: n.Dict, scope: Scope) -> Any:
        made = Object()
        for key, value in zip(node.keys, node.values, strict=True):
            put(made, self.eval(key, scope), self.eval(value, scope))
        return made

    def truth(self, value: Any) -> bool:
        return truth(self.rt, value)

    def unary(self, node: n.UnaryExpr, scope: Scope) -> Any:
        value = self.eval(node.node, scope)
        if node.op == "not":
            return not self.truth(value)
        return (operators.negate if node.op == "-" else operators.plus)(self.rt, value)

    def binary(self, node: n.BinExpr, scope: Scope) -> Any:
        left = self.eval(node.left, scope)
        if node.op in ("and", "or"):
            return self.eval(node.right, scope) if self.truth(left) == (node.op == "and") else left
        right = self.eval(node.right, scope)
        if node.op == "!=":
            return not operators.equal(self.rt, left, right)
        return _BINARY[node.op](self.rt, left, right)

    def conditional(self, node: n.CondExpr, scope: Scope) -> Any:
        if node.expr2 is not None:
            return self.eval(node.expr1 if self.truth(self.eval(node.test, scope)) else node.expr2, scope)
        # Condition and value have no frame of their own here.
        if self.truth(self.expressions[type(node.test)](node.test, scope)):
            return self.expressions[type(node.expr1)](node.expr1, scope)
        return UNDEFINED

    def filtered(self, value: Any, target: n.Expr, scope: Scope) -> Any:
        if isinstance(target, n.Name):
            return apply_filter(self.rt, value, target.name, None)
        if not isinstance(target, n.Call):
            return fail(self.rt, "Invalid filter expression")
        if not isinstance(target.node, n.Name):
            return fail(self.rt, "Filter callee must be an identifier")
        return apply_filter(self.rt, value, target.node.name, [self.eval(arg, scope) for arg in target.args])

    def test(self, node: n.Test, scope: Scope) -> Any:
        value = self.eval(node.node, scope)
        target = node.target
        args: list[Any] = []
        if isinstance(target, n.Call):
            if not isinstance(target.node, n.Name):
                return fail(self.rt, "Test callee must be an identifier")
            args = [self.eval(arg, scope) for arg in target.args]
            target = target.node
        if not isinstance(target, n.Name):
            return fail(self.rt, "Invalid test expression")
        return bool(apply_test(self.rt, target.name, [value, *args])) != node.negated

    def getattr(self, node: n.Getattr, scope: Scope) -> Any:
        value = self.eval(node.node, scope)
        attr = node.attr
        if isinstance(attr, n.Name):
            return get_attr(self.rt, value, attr.name)
        if not isinstance(attr, n.Const) or type(attr.value) is not int:
            return fail(self.rt, "Static member property must be an identifier")
        if attr.value < 0:
            return fail(self.rt, "Static member property cannot be negative")
        return get_item(self.rt, value, attr.value)

    def getitem(self, node: n.Getitem, scope: Scope) -> Any:
        value = self.eval(node.node, scope)
        arg = node.arg
        if not isinstance(arg, n.Slice):
            return get_item(self.rt, value, UNDEFINED if arg is None else self.eval(arg, scope))
        step, start, stop = (
            MISSING if part is None else self.eval(part, scope) for part in (arg.step, arg.start_expr, arg.stop)
        )
        return get_slice(self.rt, value, start, stop, step)

    def call(self, node: n.Call, scope: Scope) -> Any:
        args = [self.eval(arg, scope) for arg in node.args]
        return call(self.rt, self.eval(node.node, scope), args, scope)

    def keyword(self, node: n.Keyword, scope: Scope) -> Any:
        if not isinstance(node.key, n.Name):
            return fail(self.rt, "Keyword argument key must be identifiers")
        return KwArg(node.key.name, self.eval(node.value, scope))

    # --- statements --------------------------------------------------------------------------------

    def if_(self, stmt: n.If, scope: Scope) -> Any:
        if self.truth(self.eval(stmt.test, scope)):
            return self.body(stmt.body, scope)
        return self.elifs(stmt.elifs, stmt.else_, scope)

    def elifs(self, elifs: list[n.Elif], else_: list[n.Stmt], scope: Scope) -> Any:
        for branch in elifs:
            if self.framed(branch, lambda branch=branch: self.truth(self.eval(branch.test, scope))):
                return self.framed(branch, lambda branch=branch: self.body(branch.body, scope))
        return self.body(else_, scope)

    def for_(self, stmt: n.For, scope: Scope) -> Any:
        source, test = stmt.iter, None
        if isinstance(source, n.CondExpr) and source.expr2 is None:
            source, test = source.expr1, source.test
        value = self.eval(source, scope)
        targets = stmt.target.items if isinstance(stmt.target, n.Tuple) else [stmt.target]
        if isinstance(stmt.target, n.Tuple):
            items = unpack_items(self.rt, value, (UNDEFINED,) * len(targets))
        else:
            items = [(item,) for item in iter_items(self.rt, value, UNDEFINED)]
        if items:
            self.check_targets(stmt.target)
        names = [target.name for target in targets if isinstance(target, n.Name)]
        if test is not None:
            items = [
                item for item in items if self.truth(self.eval(test, {**scope, **dict(zip(names, item, strict=True))}))
            ]
        shown = items if isinstance(stmt.target, n.Tuple) else [item[0] for item in items]
        return self.passes(stmt, names, items, shown, scope)

    def check_targets(self, target: n.Expr) -> None:
        if isinstance(target, n.Tuple):
            for item in target.items:
                if not isinstance(item, n.Name):
                    fail(self.rt, f"Cannot unpack non-identifier type: {item.reference}")
        elif not isinstance(target, n.Name):
            fail(self.rt, f"Invalid loop variable(s): {target.reference}")

    def passes(self, stmt: n.For, names: list[str], items: list[Any], shown: list[Any], scope: Scope) -> Any:
        out: list[Any] = []
        inner = dict(scope)
        completed = False
        for index, item in enumerate(items):
            inner["loop"] = loop_object(shown, index)
            inner.update(zip(names, item, strict=True))
            try:
                for part in stmt.body:
                    out.append(self.exec(part, inner))
            except _Leave as leave:
                if leave.word == "Break":
                    break
                continue
            completed = True
        if not completed:
            out.append(self.body(stmt.else_, scope))
        return body_pieces(self.rt, out)

    def set(self, target: n.Expr, value: Any, scope: Scope) -> None:
        if isinstance(target, n.Name):
            scope[target.name] = value
        elif isinstance(target, n.Tuple):
            values = unpack_set(self.rt, value, (UNDEFINED,) * len(target.items))
            for item, part in zip(target.items, values, strict=True):
                if not isinstance(item, n.Name):
                    fail(self.rt, f"Cannot unpack to non-identifier in set: {item.reference}")
                scope[item.name] = part
        elif isinstance(target, n.Getitem):
            fail(self.rt, "Cannot assign to computed member")
        elif not isinstance(target, n.Getattr):
            fail(self.rt, f"Invalid LHS inside assignment expression: {target.reference}")
        elif not isinstance(target.attr, n.Name):
            fail(self.rt, "Cannot assign to member with non-identifier property")
        else:
            set_attribute(self.rt, self.eval(target.node, scope), target.attr.name, value)

    def macro(self, stmt: n.Macro, scope: Scope) -> None:
        if not isinstance(stmt.name, n.Name):
            fail(self.rt, "Macro name must be an identifier")
        scope[stmt.name.name] = _Function(stmt.name.name, stmt, self, None)

    def function_text(self, stmt: n.Macro | n.CallBlock, scope: Scope) -> Any:
        self.calls += 1
        self.depth += 1
        try:
            if self.depth > self.rt.limits.recursion or self.calls > self.rt.limits.steps:
                raise exceeded(self.rt.limits, "recursion")
            return self.body(stmt.body, scope)
        finally:
            self.depth -= 1

    def call_block(self, stmt: n.CallBlock, scope: Scope) -> Any:
        caller = _Function("caller", stmt, self, dict(scope))
        function = check_callee(self.rt, self.eval(stmt.call.node, scope))
        args = [self.eval(arg, scope) for arg in stmt.call.args]
        return function.invoke(self.rt, args, {**scope, "caller": caller})

    def leave(self, word: str, stmt: n.Stmt) -> None:
        raise _Leave(word, stmt)
