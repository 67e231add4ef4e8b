"""Statements: template node → Python statements of the function in the making."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable

from chatjinja.compiler import pyast as py
from chatjinja.compiler.codegen_base import INTEGERS
from chatjinja.compiler.codegen_calls import CallGen
from chatjinja.compiler.codegen_operators import merge_constants
from chatjinja.compiler.generator import LONG_ELIF, RT, Result
from chatjinja.compiler.groups import Group, Write, printed_items
from chatjinja.compiler.scopes import target_names
from chatjinja.compiler.state import Loop
from chatjinja.syntax import nodes as n

_GETTER_WORTH = 3
"""A variable with at least so many different attributes gets an attribute getter of its own."""


class StmtGen(CallGen):
    """Adds everything but loops and functions."""

    @property
    def deferred(self) -> bool:
        """Whether a printed list may still change before the body ends in which it is printed."""
        return self.options.exact or self.lists_change

    # --- emission ----------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write out what is waiting to be appended to the output."""
        fn = self.fn
        writes, fn.writes = fn.writes, []
        fn.body.extend(self.write_out(writes))

    def write(self, values: list[ast.expr], printer: n.Node) -> None:
        """Have values appended to the output; `printer` is the part of the template that prints them."""
        self.fn.writes += [(value, printer) for value in values]

    def write_out(self, writes: list[Write]) -> list[ast.stmt]:
        """The statement that appends to the output, if there is anything to append."""
        out = self.fn.out
        values = [value for value, _ in writes]
        if self.options.sourced:
            values = self.grouped(writes)
        elif values and not self.options.exact:
            values = self.merged(values)
        if len(values) > 1:
            return [py.augment(out, py.tuple_(values))]
        if values and isinstance(values[0], ast.Starred):
            return [py.augment(out, values[0].value)]
        if not values or (isinstance(values[0], ast.Constant) and values[0].value == ""):
            return []
        return [py.expr(py.method(py.name(out), "append", values))]

    def merged(self, writes: list[ast.expr]) -> list[ast.expr]:
        """Writes with neighbouring literals joined. The marked form joins them only if no piece can show, and
        then makes them values."""
        if not self.options.marked:
            return merge_constants(writes)
        if not self.pieces_show:
            writes = merge_constants(writes)
        return [self.printable(write) for write in writes]

    def grouped(self, writes: list[Write]) -> list[ast.expr]:
        """Writes as a group: one of the values tells which group it is."""
        printed = [(self.literal_text(value), value, printer) for value, printer in writes]
        items = printed_items(printed, join=not self.pieces_show)
        if not items:
            return []
        group = Group.of([pieces for _, pieces in items])
        name = py.name(f"w_{len(self.groups)}")
        self.groups.append(group)
        values = [self.printable(value) for value, _ in items]
        if len(values) < len(group.items):
            return [name, *values]
        values[group.marker] = name
        return values

    def literal_text(self, value: ast.expr) -> str | None:
        """The text of a value that is a literal; None for every other value."""
        if isinstance(value, ast.Constant):
            return str(value.value)
        if isinstance(value, ast.Name) and value.id.startswith("k_"):
            literal = self.literals[int(value.id[2:])]
            return literal if isinstance(literal, str) else None
        return None

    def printable(self, write: ast.expr) -> ast.expr:
        """What is written, with a literal made a value."""
        if self.options.marked and isinstance(write, ast.Constant) and isinstance(write.value, str):
            return self.made_constant(write.value)
        return write

    @property
    def pieces_show(self) -> bool:
        """Whether the number of pieces of a string may matter, be they of one origin or empty."""
        return (
            not self.options.sound
            or self.usage.functions_as_values
            or not {"capitalize", "title"}.isdisjoint(self.usage.mentions)
        )

    def emit(self, stmt: ast.stmt) -> None:
        self.flush()
        self.fn.body.append(stmt)

    def set_local(self, local: str, value: ast.expr) -> None:
        self.emit(py.assign(local, value))
        self.fn.facts.forget(local)
        self.fn.changed.append(local)

    def block(self, stmts: list[n.Stmt]) -> list[ast.stmt]:
        """Statements for a nested body; the caller puts them into place."""
        fn = self.fn
        self.flush()
        outer, fn.body = fn.body, []
        for stmt in stmts:
            getattr(self, f"visit_{type(stmt).__name__}")(stmt)
        self.flush()
        inner, fn.body = fn.body, outer
        return inner

    def branch(self, stmts: list[n.Stmt]) -> list[ast.stmt]:
        """`block` for a body that may not run: what it learns is forgotten, what it sets is too."""
        fn = self.fn
        facts = fn.facts
        inner_facts = facts.copy()
        fn.facts = inner_facts
        start = len(fn.changed)
        inner = self.block(stmts)
        fn.facts = facts
        for local in set(fn.changed[start:]):
            facts.forget(local)
        return inner

    def visit_Comment(self, stmt: n.Comment) -> None:
        """Prints nothing."""

    def visit_Generation(self, stmt: n.Generation) -> None:
        """Prints nothing: the mark is for trainers."""

    # --- output ------------------------------------------------------------------------------------

    def visit_TemplateData(self, stmt: n.TemplateData) -> None:
        text = stmt.data_text
        self.write([self.traced(self.literal(text), stmt) if self.options.exact else py.const(text)], stmt)

    def traced(self, value: ast.expr, printer: n.Node) -> ast.expr:
        """What is printed, and what prints it."""
        if not self.options.traced:
            return value
        return py.call("Printed", [value, py.const(printer.start), py.const(printer.end)])

    def visit_Output(self, stmt: n.Output) -> None:
        node = stmt.node
        if self.options.exact:
            self.write([self.traced(self.value(node), stmt)], stmt)
            return
        if isinstance(node, n.Call) and self.print_macro(node, stmt):
            return
        self.write(self.print_pieces(node), stmt)

    @abstractmethod
    def print_macro(self, node: n.Call, printer: n.Node) -> bool:
        """Print a call of a macro that is known; False if `node` is something else."""

    def print_pieces(self, node: n.Expr) -> list[ast.expr]:
        """Values whose printing one after the other is the printing of `node`."""
        known, value = self.constant_value(node)
        if known:
            if isinstance(value, float):
                text = self.helper("print_text", [py.const(value)], node)
                return [py.call("TemplateText", [text]) if self.options.marked else text]
            if value is None:
                return [py.name("NOTHING") if self.options.marked else py.const("")]
            return [py.const(str(value))]
        if isinstance(node, n.BinExpr) and node.op in ("+", "~"):
            pieces = self.concat_pieces(node, printed=True)
            return [self.printed(pieces)] if isinstance(pieces, tuple) else pieces
        if isinstance(node, n.CondExpr):
            return [self.print_condition(node)]
        if isinstance(node, n.Getattr):
            return [self.printed(self.getattr_(node, self.nothing))]
        if isinstance(node, n.Getitem):
            return [self.printed(self.getitem(node, self.nothing))]
        return [self.printed(self.expr(node))]

    @property
    def nothing(self) -> ast.expr:
        """What prints nothing."""
        return py.name("NOTHING") if self.options.marked else py.const("")

    def printed(self, result: Result) -> ast.expr:
        expr, tag = result
        if tag in INTEGERS:
            return py.call("TemplateText" if self.options.marked else "str", [expr])
        if tag == "bool":
            return py.if_exp(expr, self.literal("True"), self.literal("False"))
        return expr

    def print_condition(self, node: n.CondExpr) -> ast.expr:
        if self.is_long(node):
            return self.value(node)
        test, if_true, if_false = self.cond_test(node)
        after = self.fn.facts
        self.fn.facts = if_true
        body = self.print_one(node.expr1)
        self.fn.facts = if_false
        orelse = self.nothing if node.expr2 is None else self.print_one(node.expr2)
        self.fn.facts = after
        return py.if_exp(test, body, orelse)

    def print_one(self, node: n.Expr) -> ast.expr:
        if isinstance(node, n.BinExpr) and node.op in ("+", "~"):
            return self.printed(self.concatenation(node))
        return self.printable(self.print_pieces(node)[0])

    # --- conditions --------------------------------------------------------------------------------

    def visit_If(self, stmt: n.If) -> None:
        fn = self.fn
        self.flush()
        loop = self.own_loop()
        mark = self.mark_start(stmt, loop)
        if loop is not None:
            loop.marks.append(mark)
        if len(stmt.elifs) >= LONG_ELIF:
            self.long_if(stmt)
        else:
            self.short_if(stmt)
        if loop is not None:
            loop.marks.pop()
        if mark and self.deferred and prints_values(stmt):
            fn.body.append(self.settle(mark))

    def short_if(self, stmt: n.If) -> None:
        """Python's own if … elif … else."""
        fn = self.fn
        branches = [(stmt, stmt.test, stmt.body), *((e, e.test, e.body) for e in stmt.elifs)]
        saved = fn.facts
        start = len(fn.changed)
        made: list[tuple[ast.expr, list[ast.stmt]]] = []
        first_facts = None
        for asker, test, body in branches:
            expr, if_true, if_false = self.condition(test, asker)
            if first_facts is None:
                first_facts = fn.facts  # the first test is always evaluated
            fn.facts = if_true
            made.append((expr, self.branch(body)))
            fn.facts = if_false
        orelse = self.branch(stmt.else_)
        fn.facts = first_facts or saved
        for local in set(fn.changed[start:]):
            fn.facts.forget(local)
        for expr, body_stmts in reversed(made):
            orelse = [py.if_(expr, body_stmts or [py.pass_()], orelse)]
        fn.body.extend(orelse)

    def long_if(self, stmt: n.If) -> None:
        """A flat form: Python nests ``elif``, and its compiler recurses on them."""
        fn = self.fn
        taken = self.new_local("taken")
        fn.body.append(py.assign(taken, py.const(False)))
        before = fn.facts.copy()
        start = len(fn.changed)
        branches = [(stmt, stmt.test, stmt.body), *((e, e.test, e.body) for e in stmt.elifs)]
        for asker, test, body in branches:
            fn.facts = before.copy()
            expr, if_true, _ = self.condition(test, asker)
            fn.facts = if_true
            inner = self.branch(body)
            chosen = py.if_(expr, [py.assign(taken, py.const(True)), *inner])
            fn.body.append(py.if_(py.not_(py.name(taken)), [chosen]))
        fn.facts = before.copy()
        orelse = self.branch(stmt.else_)
        if orelse:
            fn.body.append(py.if_(py.not_(py.name(taken)), orelse))
        fn.facts = before
        for local in set(fn.changed[start:]):
            before.forget(local)

    # --- marks: what a body has printed so far -----------------------------------------------------

    def own_loop(self) -> Loop | None:
        """The innermost loop, if what is printed here goes straight to its output."""
        fn = self.fn
        return fn.loops[-1] if fn.loops and fn.loops[-1].out == fn.out else None

    def mark_start(self, stmt: n.Stmt, loop: Loop | None) -> str:
        """Remember the length of the output where the end of `stmt` or a jump out of it needs it."""
        leaves = loop is not None and not loop.marks and prints_and_leaves(stmt)
        if not leaves and not (self.deferred and prints_values(stmt)):
            return ""
        return self.mark_here()

    def mark_here(self) -> str:
        mark = self.new_local("mark")
        self.emit(py.assign(mark, py.call("len", [py.name(self.fn.out)])))
        return mark

    def settle(self, mark: str) -> ast.stmt:
        """The end of a body: what it printed is turned into text now."""
        return py.expr(py.call("settle", [py.name(RT), py.name(self.fn.out), py.name(mark)]))

    def visit_Break(self, stmt: n.Break) -> None:
        self.leave(stmt, "Break", py.break_())

    def visit_Continue(self, stmt: n.Continue) -> None:
        self.leave(stmt, "Continue", py.continue_())

    def leave(self, stmt: n.Stmt, kind: str, jump: ast.stmt) -> None:
        fn = self.fn
        if not fn.loops:
            self.emit(py.expr(self.helper("raise_signal", [py.const(kind)], stmt)))
            return
        loop = fn.loops[-1]
        marks = [mark for mark in loop.marks if mark]
        if marks:
            self.emit(py.delete_from(loop.out, marks[0]))
        self.emit(jump)

    # --- set ---------------------------------------------------------------------------------------

    def visit_Assign(self, stmt: n.Assign) -> None:
        target, node = stmt.target, stmt.node
        if isinstance(target, n.Name):
            if isinstance(node, (n.Getattr, n.Getitem)) and not self.options.exact:
                self.set_from_path(target.name, node)
            else:
                self.set_variable(target.name, *self.expr(node))
        else:
            self.set_target(stmt, target, *self.expr(node))

    def set_from_path(self, name: str, node: n.Getattr | n.Getitem) -> None:
        """``set name = a.b``: fetch it with the variable's own Undefined as default."""
        missing = self.variable_missing(name)
        value, tag = self.getattr_(node, missing) if isinstance(node, n.Getattr) else self.getitem(node, missing)
        self.set_variable(name, value, "defined" if fetches(value, missing) else tag)

    def set_variable(self, name: str, value: ast.expr, tag: str) -> None:
        local = self.fn.scope[name]
        value = self.kept((value, tag))
        if may_be_undefined(value, tag):
            first, again = self.twice(value)
            undefined = self.type_is(first, "Undefined")
            value = py.if_exp(undefined, self.variable_missing(name), again)
        self.set_local(local, value)
        if tag == "str":
            self.fn.facts.strings |= {local}
        self.make_getter(name, local)

    def make_getter(self, name: str, local: str) -> None:
        """Fetching many attributes of one variable: bind its ``get`` once."""
        attributes = self.usage.attributes.get(name)
        if self.options.exact or attributes is None or len(attributes) < _GETTER_WORTH:
            return
        if name in self.usage.objects:
            return
        getter = f"g_{local}"
        bound = py.attribute(py.name(local), "get")
        slow = py.call("getter", [py.name(RT), py.name(local)])
        self.emit(py.assign(getter, py.if_exp(self.type_is(py.name(local), "dict"), bound, slow)))
        self.fn.facts.getters[local] = getter

    def set_target(self, stmt: n.Stmt, target: n.Expr, value: ast.expr, tag: str) -> None:
        """Everything but a plain name."""
        value = self.kept((value, tag))
        if isinstance(target, n.Tuple):
            self.unpack(stmt, target, value)
            return
        if not isinstance(target, (n.Getattr, n.Getitem)):
            message = f"Invalid LHS inside assignment expression: {target.reference}"
        elif isinstance(target, n.Getitem):
            message = "Cannot assign to computed member"
        elif not isinstance(target.attr, n.Name):
            message = "Cannot assign to member with non-identifier property"
        else:
            self.set_member(stmt, target, target.attr.name, value, tag)
            return
        self.emit(py.expr(value))
        self.emit(py.expr(self.fail(message, stmt)))

    def set_member(self, stmt: n.Stmt, target: n.Getattr, name: str, value: ast.expr, tag: str) -> None:
        first, again = self.twice(value)
        if isinstance(first, ast.NamedExpr):
            self.emit(py.expr(first))
        obj = self.value(target.node)
        slow = py.expr(self.helper("set_attribute", [obj, py.const(name), again], stmt))
        if self.options.exact or not isinstance(obj, ast.Name):
            self.emit(slow)
            return
        test: ast.expr = self.type_is(obj, "Object")
        if may_be_undefined(value, tag):
            defined = py.compare(py.call("type", [again]), "is not", py.name("Undefined"))
            test = py.bool_op("and", [test, defined])
        self.emit(py.if_(test, [py.set_item(obj, self.literal(name), again)], [slow]))

    def unpack(self, stmt: n.Stmt, target: n.Tuple, value: ast.expr) -> None:
        missing = [
            self.variable_missing(item.name) if isinstance(item, n.Name) else py.const(None) for item in target.items
        ]
        unpacked = self.helper("unpack_set", [value, py.tuple_(missing)], stmt)
        bad = next((item for item in target.items if not isinstance(item, n.Name)), None)
        if bad is not None:
            self.emit(py.expr(unpacked))
            message = f"Cannot unpack to non-identifier in set: {bad.reference}"
            self.emit(py.expr(self.fail(message, stmt)))
            return
        names = target_names(target)
        locals_ = [self.fn.scope[name] for name in names]
        self.emit(py.assign_tuple(locals_, unpacked))
        for name, local in zip(names, locals_, strict=True):
            self.fn.facts.forget(local)
            self.fn.changed.append(local)
            self.make_getter(name, local)

    # --- bodies that become strings ----------------------------------------------------------------

    def captured(self, stmts: list[n.Stmt]) -> ast.expr:
        """Run a body now; expression for its text."""
        fn = self.fn
        self.flush()
        outer, fn.out = fn.out, self.new_local("out")
        fn.body.append(py.assign(fn.out, py.list_([])))
        fn.body.extend(self.block(stmts))
        made, fn.out = fn.out, outer
        return py.call("body_text", [py.name(RT), py.name(made)])

    def visit_AssignBlock(self, stmt: n.AssignBlock) -> None:
        text = self.captured(stmt.body)
        if isinstance(stmt.target, n.Name):
            self.set_variable(stmt.target.name, text, self.string_tag)
        else:
            self.set_target(stmt, stmt.target, text, "defined")

    def visit_FilterBlock(self, stmt: n.FilterBlock) -> None:
        text = self.captured(stmt.body)
        value, tag = self.apply_filter(stmt, stmt.target, text, self.string_tag)
        self.write([self.traced(value, stmt) if self.options.exact else self.printed((value, tag))], stmt)


def fetches(value: ast.expr, missing: ast.expr) -> bool:
    """True if `value` fetches something with `missing` as default."""
    if isinstance(value, ast.IfExp):
        value = value.body
    return isinstance(value, ast.Call) and missing in value.args


def may_be_undefined(value: ast.expr, tag: str) -> bool:
    """False if `value` can never be Undefined."""
    if tag not in ("any", "undefined"):
        return False
    if isinstance(value, ast.Constant):
        return False
    made = value.func if isinstance(value, ast.Call) else None
    return not (isinstance(made, ast.Name) and made.id in ("Array", "Tuple", "Object", "new_object"))


def prints_values(stmt: n.Node) -> bool:
    """True if a body of `stmt` may print a value that is not a str literal."""
    return _occurs(stmt, lambda node: isinstance(node, (n.Output, n.FilterBlock, n.CallBlock)))


def prints_and_leaves(stmt: n.Node) -> bool:
    """True if `stmt` may print and then break or continue the loop that it stands in."""
    return _occurs(stmt, lambda node: isinstance(node, (n.Break, n.Continue)), loops=False) and _occurs(
        stmt, lambda node: isinstance(node, (n.Output, n.FilterBlock, n.CallBlock, n.TemplateData))
    )


def _occurs(stmt: n.Node, wanted: Callable[[n.Node], bool], *, loops: bool = True) -> bool:
    pending: list[n.Node] = [stmt]
    while pending:
        node = pending.pop()
        if wanted(node):
            return True
        if isinstance(node, n.If):
            pending += [*node.body, *node.else_, *(inner for branch in node.elifs for inner in branch.body)]
        elif isinstance(node, n.For):
            pending += node.else_
            if loops:
                pending += node.body
        elif isinstance(node, (n.AssignBlock, n.FilterBlock)):
            pending += node.body
    return False
