"""Statements: template node → Python statements of the function in the making."""

from __future__ import annotations

import ast

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import CTX, LONG_CHAIN, LONG_ELIF, RT, Result
from chatjinja.compiler.jinja.calls import CallGen
from chatjinja.compiler.jinja.chains import is_long
from chatjinja.compiler.jinja.names import Names, target_names
from chatjinja.compiler.jinja.state import Loop
from chatjinja.syntax.jinja import nodes as n
from chatjinja.syntax.visitor import walk


def _printing(node: n.Expr, printer: n.Output) -> n.Output:
    """A statement that prints another expression, and passes for `printer`."""
    made = n.Output(node)
    made.start, made.end, made.at = printer.start, printer.end, printer.at
    return made


class StatementGen(CallGen):
    """Adds everything but loops, macros and blocks."""

    def statements(self, stmts: list[n.Stmt]) -> None:
        for stmt in stmts:
            getattr(self, f"visit_{type(stmt).__name__}")(stmt)

    def nested(self, stmts: list[n.Stmt]) -> list[ast.stmt]:
        """Statements for a nested body; the caller puts them into place."""
        fn = self.fn
        self.flush()
        outer, fn.body = fn.body, []
        self.statements(stmts)
        self.flush()
        inner, fn.body = fn.body, outer
        return inner

    def branch(self, stmts: list[n.Stmt]) -> list[ast.stmt]:
        """`nested` for a body that may not run: what it learns is forgotten, what it sets is too."""
        fn = self.fn
        facts = fn.facts
        fn.facts = facts.copy()
        start = len(fn.changed)
        self.uncertain += 1
        inner = self.nested(stmts)
        self.uncertain -= 1
        fn.facts = facts
        for local in set(fn.changed[start:]):
            facts.forget(local)
        return inner

    def visit_Comment(self, stmt: n.Comment) -> None:
        """Prints nothing."""

    # --- output ------------------------------------------------------------------------------------

    def visit_TemplateData(self, stmt: n.TemplateData) -> None:
        self.write(py.const(stmt.data_text), stmt)

    def visit_Output(self, stmt: n.Output) -> None:
        self.print(stmt.node, stmt)

    def print(self, node: n.Expr, printer: n.Output) -> None:
        """`printer` prints the value of an expression."""
        if self.frame.escape is not False:
            helper = "escape" if self.frame.escape else "escape_if_asked"
            self.write(self.helper(helper, [self.value(node)], node), printer)
        elif isinstance(node, n.Const):
            self.write(py.const(str(node.value)), printer)
        elif isinstance(node, n.Concat) and not self.options.eager:
            for item in node.items:
                self.print(item, printer)
        elif isinstance(node, n.BinExpr) and node.op == "+" and not self.options.eager:
            for piece in self.printed_sum(node):
                self.write(piece, printer)
        elif isinstance(node, n.CondExpr) and self.splits(node):
            self.print_condition(node, printer)
        else:
            self.write(self.printed(self.expr(node), node), printer)

    def printed(self, result: Result, node: n.Expr) -> ast.expr:
        """What is added to the output for a value."""
        if self.options.eager or result[1] in ("int", "bool", "none"):
            return self.as_text(result, node)
        return result[0]

    def printed_sum(self, node: n.BinExpr) -> list[ast.expr]:
        """``a + b + c``: if it is one of strings, each is printed for itself."""
        chain: list[n.BinExpr] = []
        at: n.Expr = node
        while isinstance(at, n.BinExpr) and at.op == "+":
            chain.append(at)
            at = at.left
        chain.reverse()
        results = [self.expr(at), *(self.expr(link.right) for link in chain)]
        first = next((i for i, (_, tag) in enumerate(results[:LONG_CHAIN]) if tag == "str"), None)
        if first is None:
            if len(results) > LONG_CHAIN:
                return [self.printed(self.expr(node), node)]
            first = len(results)
        value = results[0]
        for link, right in zip(chain[: max(first, 1) - 1], results[1:], strict=False):
            left = value
            if left[1] == right[1] == "int":
                value = self.small_arithmetic("+", left[0], right[0]), "int"
            else:
                value = self.helper("add", [self.kept(left), self.kept(right)], link), "any"
        if first == len(results):
            return [self.printed(value, node)]
        start = max(first, 1)
        operands = [at, *(link.right for link in chain)]
        pieces = [self.piece(value, operands[0] if start == 1 else chain[start - 2], chain[start - 1])]
        for result, operand, link in zip(results[start:], operands[start:], chain[start - 1 :], strict=True):
            pieces.append(self.piece(result, operand, link))
        return pieces

    def piece(self, result: Result, node: n.Expr, link: n.Expr) -> ast.expr:
        """An operand of a sum of strings, to be printed."""
        if isinstance(node, n.Const) and isinstance(node.value, str):
            return py.const(node.value)
        return result[0] if result[1] == "str" else self.operand(result, link)

    def splits(self, node: n.CondExpr) -> bool:
        """Whether a conditional prints several strings, so that a statement is better."""
        return not (self.options.eager or is_long(node)) and any(
            isinstance(part, n.Concat) or (isinstance(part, n.BinExpr) and part.op == "+")
            for part in (node.expr1, node.expr2)
        )

    def print_condition(self, node: n.CondExpr, printer: n.Output) -> None:
        self.flush()
        test, if_true, if_false = self.condition(node.test)
        after = self.fn.facts
        bodies: list[list[ast.stmt]] = []
        for part, facts in ((node.expr1, if_true), (node.expr2, if_false)):
            self.fn.facts = facts
            bodies.append([] if part is None else self.nested([_printing(part, printer)]))
        self.fn.facts = after
        self.fn.body.append(py.if_(test, bodies[0] or [py.pass_()], bodies[1]))

    # --- conditions --------------------------------------------------------------------------------

    def visit_If(self, stmt: n.If) -> None:
        self.flush()
        if len(stmt.elifs) >= LONG_ELIF:
            self.long_if(stmt)
        else:
            self.short_if(stmt)

    def branches(self, stmt: n.If) -> list[tuple[n.Expr, list[n.Stmt]]]:
        return [(stmt.test, stmt.body), *((branch.test, branch.body) for branch in stmt.elifs)]

    def short_if(self, stmt: n.If) -> None:
        """Python's own if … elif … else."""
        fn = self.fn
        start = len(fn.changed)
        made: list[tuple[ast.expr, list[ast.stmt]]] = []
        after = None
        for test, body in self.branches(stmt):
            expr, if_true, if_false = self.condition(test)
            if after is None:
                after = fn.facts  # the first test is always evaluated
            fn.facts = if_true
            made.append((expr, self.branch(body)))
            fn.facts = if_false
        orelse = self.branch(stmt.else_)
        assert after is not None
        fn.facts = after
        for local in set(fn.changed[start:]):
            after.forget(local)
        for expr, inner in reversed(made):
            orelse = [py.if_(expr, inner or [py.pass_()], orelse)]
        fn.body.extend(orelse)

    def long_if(self, stmt: n.If) -> None:
        """A flat form: Python nests ``elif``, and its compiler recurses on them."""
        fn = self.fn
        taken = self.new_local("taken")
        fn.body.append(py.assign(taken, py.const(False)))
        before = fn.facts
        start = len(fn.changed)
        for test, body in self.branches(stmt):
            fn.facts = before.copy()
            expr, if_true, _ = self.condition(test)
            fn.facts = if_true
            chosen = py.if_(expr, [py.assign(taken, py.const(True)), *self.branch(body)])
            fn.body.append(py.if_(py.not_(py.name(taken)), [chosen]))
        fn.facts = before.copy()
        orelse = self.branch(stmt.else_)
        if orelse:
            fn.body.append(py.if_(py.not_(py.name(taken)), orelse))
        fn.facts = before
        for local in set(fn.changed[start:]):
            before.forget(local)

    def visit_Break(self, stmt: n.Break) -> None:
        self.emit(py.break_())

    def visit_Continue(self, stmt: n.Continue) -> None:
        self.emit(py.continue_())

    # --- set ---------------------------------------------------------------------------------------

    def visit_Assign(self, stmt: n.Assign) -> None:
        target = stmt.target
        for node in walk(target):
            if isinstance(node, n.NSRef):
                self.check_namespace(self.object_local(node.name, stmt), stmt)
        if isinstance(target, n.Name):
            self.set_variable(target.name, self.value(stmt.node), target)
        else:
            self.set_target(target, self.value(stmt.node), stmt)

    def check_namespace(self, local: str, stmt: n.Stmt) -> None:
        """Fail unless a variable holds a namespace."""
        self.flush()
        facts = self.fn.facts
        if local in facts.namespaces:
            return
        failure = py.expr(self.helper("check_namespace", [py.name(local)], stmt))
        self.emit(py.if_(py.not_(self.type_is(py.name(local), "Namespace")), [failure]))
        facts.namespaces |= {local}

    def object_local(self, name: str, node: n.Node) -> str:
        """Local of a variable that ``set`` changes; never a loop without an object."""
        local = self.local(name, node)
        assert not isinstance(local, Loop)
        return local

    def set_variable(self, name: str, value: ast.expr, node: n.Node) -> None:
        local = self.object_local(name, node)
        self.assign(local, value)
        self.export([name])

    def set_target(self, target: n.Expr, value: ast.expr, node: n.Node) -> None:
        """Everything that can be assigned to."""
        if isinstance(target, n.Name):
            self.set_variable(target.name, value, node)
        elif isinstance(target, n.NSRef):
            local = self.object_local(target.name, node)
            if local in self.fn.facts.namespaces and not target.attr.startswith("_"):
                self.emit(py.set_item(py.attribute(py.name(local), "attrs"), py.const(target.attr), value))
            else:
                self.emit(py.expr(self.helper("set_attribute", [py.name(local), self.key(target.attr), value], node)))
        else:
            assert isinstance(target, n.Tuple)
            self.unpack(target, value, node)

    def unpack(self, target: n.Tuple, value: ast.expr, node: n.Node) -> None:
        """``a, b = value``."""
        whole = self.new_local("t")
        count = py.const(len(target.items))
        self.emit(py.assign(whole, self.helper("unpack", [value, count], node)))
        for index, item in enumerate(target.items):
            self.set_target(item, py.subscript(py.name(whole), py.const(index)), node)

    def export(self, names: list[str]) -> None:
        """Let blocks see what was set."""
        if not self.frame.toplevel or not self.summary.blocks:
            return
        for name in names:
            local = py.name(self.object_local(name, n.Name(name)))
            self.emit(py.set_item(py.name(CTX), py.const(name), local))

    def visit_AssignBlock(self, stmt: n.AssignBlock) -> None:
        outer = self.frame
        names = Names()
        names.body(stmt.body)
        self.flush()
        self.open_frame(names, self.inner_frame())
        out = self.capture(stmt.body)
        value = self.captured(out) if stmt.filter is None else self.filtered(stmt.filter, out)
        self.frame = outer
        if self.summary.autoescape:
            value = py.call("as_markup", [py.name(RT), value])
        self.set_target(stmt.target, value, stmt)

    def capture(self, stmts: list[n.Stmt]) -> str:
        """Run a body whose output goes to a list of its own; the local that holds it."""
        fn = self.fn
        self.flush()
        outer, fn.out = fn.out, self.new_local("out")
        fn.body.append(py.assign(fn.out, py.list_([])))
        self.statements(stmts)
        self.flush()
        inner, fn.out = fn.out, outer
        return inner

    def captured(self, out: str) -> ast.expr:
        """The text of a captured body."""
        text = py.call("body_text", [py.name(RT), py.name(out)])
        return text

    def filtered(self, filter: n.Filter, out: str) -> ast.expr:
        """Filters around a captured body."""
        self._block_text = out
        return self.value(filter)

    _block_text = ""

    def expr_BlockText(self, node: n.BlockText) -> Result:
        text = self.captured(self._block_text)
        if self.frame.escape is False:
            return text, "any"
        return py.call("as_markup", [py.name(RT), text]), "any"

    def visit_FilterBlock(self, stmt: n.FilterBlock) -> None:
        outer = self.frame
        names = Names()
        names.body(stmt.body)
        names.read(stmt.filter)
        self.flush()
        self.open_frame(names, self.inner_frame())
        out = self.capture(stmt.body)
        value = self.filtered(stmt.filter, out)
        self.write(self.helper("written", [value], stmt), stmt)
        self.frame = outer

    # --- scopes ------------------------------------------------------------------------------------

    def visit_With(self, stmt: n.With) -> None:
        outer = self.frame
        inner = self.inner_frame()
        names = Names()
        names.body(stmt.body)
        for target in stmt.targets:
            for name in target_names(target):
                inner.names[name] = self.variable(name)
        # Every value is an outer one, so the targets must not be seen before all of them are set.
        self.flush()
        for target, value in zip(stmt.targets, stmt.values, strict=True):
            self.frame = outer
            made = self.value(value)
            self.frame = inner
            self.set_target(target, made, stmt)
        self.frame = outer
        self.open_frame(names, inner)
        self.statements(stmt.body)
        self.flush()
        self.frame = outer

    def visit_Autoescape(self, stmt: n.Autoescape) -> None:
        outer = self.frame
        names = Names()
        names.read(stmt.value)
        names.body(stmt.body)
        self.flush()
        self.open_frame(names, self.inner_frame())
        before = self.new_local("escape")
        rt_flag = py.attribute(py.name(RT), "autoescape")
        self.emit(py.assign(before, rt_flag))
        self.emit(py.expr(py.call("setattr", [py.name(RT), py.const("autoescape"), self.value(stmt.value)])))
        known = isinstance(stmt.value, n.Const)
        self.frame.escape = bool(stmt.value.value) if isinstance(stmt.value, n.Const) and known else None
        self.statements(stmt.body)
        self.emit(py.expr(py.call("setattr", [py.name(RT), py.const("autoescape"), py.name(before)])))
        self.frame = outer

    # --- other templates, of which there are none --------------------------------------------------

    def visit_Extends(self, stmt: n.Extends) -> None:
        self.emit(py.expr(self.helper("get_template", [self.value(stmt.template)], stmt)))

    def visit_Include(self, stmt: n.Include) -> None:
        self.emit(py.expr(self.helper("include", [self.value(stmt.template), py.const(stmt.ignore_missing)], stmt)))

    def visit_Import(self, stmt: n.Import) -> None:
        self.emit(py.expr(self.helper("get_template", [self.value(stmt.template)], stmt)))

    def visit_FromImport(self, stmt: n.FromImport) -> None:
        self.emit(py.expr(self.helper("get_template", [self.value(stmt.template)], stmt)))
