"""The ``for`` statement."""

from __future__ import annotations

import ast

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import RT
from chatjinja.compiler.jinja.access import CHANGING, LOOP_FIELDS, SIZED_FIELDS, key_of
from chatjinja.compiler.jinja.names import Names, target_names
from chatjinja.compiler.jinja.state import Frame, Function, Loop
from chatjinja.compiler.jinja.statements import StatementGen
from chatjinja.syntax.jinja import nodes as n
from chatjinja.syntax.jinja.names import undeclared
from chatjinja.syntax.visitor import iter_child_nodes, walk

_LOOP = frozenset(("loop",))


def loop_uses(body: list[n.Stmt]) -> set[str] | None:
    """The fields of ``loop`` that a body asks for; None if it does anything else with it."""
    fields: set[str] = set()
    todo: list[n.Node] = list(body)
    while todo:
        node = todo.pop()
        key = key_of(node) if isinstance(node, (n.Getattr, n.Getitem)) else None
        owner = node.node if isinstance(node, (n.Getattr, n.Getitem)) else None
        if key is not None and isinstance(owner, n.Name) and owner.name == "loop":
            if key not in LOOP_FIELDS:
                return None
            fields.add(key)
        elif (isinstance(node, n.Name) and node.name == "loop") or isinstance(node, n.Block):
            return None
        else:
            todo += iter_child_nodes(node)
    return fields


class LoopGen(StatementGen):
    """Adds loops."""

    def visit_For(self, stmt: n.For) -> None:
        self.flush()
        if stmt.recursive:
            self.recursive_loop(stmt)
            return
        watched = self.watches_loop(stmt)
        iterable = self.iterable(stmt.iter)
        fields = loop_uses(stmt.body) if watched else set()
        at_once = stmt.test is None or self.is_steady(stmt.test)
        if watched and (self.options.eager or fields is None or (fields and not at_once)):
            self.watched_loop(stmt, iterable)
        elif fields:
            self.counted_loop(stmt, iterable, fields)
        else:
            self.plain_loop(stmt, iterable)

    def iterable(self, node: n.Expr) -> ast.expr:
        """What is looped over. The items of a dict need no iterator of their own."""
        if not isinstance(node, n.Filter) or n.named_target(node.target) != ("items", []):
            return self.value(node)
        first, again = self.twice(self.value(node.node))
        slow = self.filter(node, "items", [again], [])
        return py.if_exp(self.type_is(first, "dict"), py.method(again, "items", []), slow)

    def is_steady(self, test: n.Expr) -> bool:
        """Whether a loop filter gives the same for an item before and after the passes for others."""
        return not any(
            isinstance(node, n.Call) or (isinstance(node, (n.Getattr, n.Getitem)) and self.may_change(node))
            for node in walk(test)
        )

    def may_change(self, node: n.Getattr | n.Getitem) -> bool:
        key = key_of(node)
        return key in CHANGING or key in self.summary.assigned or (key is None and bool(self.summary.assigned))

    def watches_loop(self, stmt: n.For) -> bool:
        """Whether the loop has a ``loop`` variable at all."""
        if any(isinstance(node, n.Block) and node.scoped for node in walk(stmt)):
            return True
        return "loop" in self.summary.names and "loop" in undeclared(stmt.body, _LOOP)

    # --- three kinds of loops ----------------------------------------------------------------------

    def plain_loop(self, stmt: n.For, iterable: ast.expr) -> None:
        """Nobody asks for ``loop``."""
        items = self.helper("iter_items", [py.name(self.fn.out), iterable], stmt)
        frame, target = self.loop_frame(stmt)
        done = self.completion(stmt)
        body = self.loop_body(stmt, frame, done)
        tests = self.inline_test(stmt, frame)
        self.fn.body.append(py.for_(target, items, [*self.unpacking(stmt, frame, target), *tests, *body]))
        self.loop_else(stmt, done)

    def inline_test(self, stmt: n.For, frame: Frame) -> list[ast.stmt]:
        """The loop filter, in a scope of its own that has the targets."""
        if stmt.test is None:
            return []
        names = Names()
        names.read(stmt.test)
        fn, outer = self.fn, self.frame
        facts = fn.facts
        fn.facts = facts.copy()
        statements, fn.body = fn.body, []
        inner = self.inner_frame()
        inner.names.update((name, frame.names[name]) for name in target_names(stmt.target))
        self.open_frame(names, inner)
        test = self.condition(stmt.test)[0]
        fn.body.append(py.if_(py.not_(test), [py.continue_()]))
        made, fn.body = fn.body, statements
        fn.facts, self.frame = facts, outer
        return made

    def counted_loop(self, stmt: n.For, iterable: ast.expr, fields: set[str]) -> None:
        """``loop`` is only asked for plain fields: no object is needed."""
        fn = self.fn
        items, index = self.new_local("items"), self.new_local("i")
        is_fresh = py.const(isinstance(stmt.iter, n.Filter))
        if stmt.test is not None:
            iterable = self.helper("chosen_items", [iterable, self.filter_function(stmt), is_fresh], stmt)
        made = self.helper("sized_items", [py.name(fn.out), iterable, is_fresh], stmt)
        fn.body.append(py.assign(items, made))
        length = ""
        if not fields.isdisjoint(SIZED_FIELDS):
            length = self.new_local("n")
            fn.body.append(py.assign(length, py.call("len", [py.name(items)])))
        frame, target = self.loop_frame(stmt)
        frame.names["loop"] = Loop(index, length, items)
        done = self.completion(stmt)
        body = [*self.unpacking(stmt, frame, target), *self.loop_body(stmt, frame, done)]
        both = py.targets([py.store(index), target])
        fn.body.append(py.for_(both, py.call("enumerate", [py.name(items)]), body))
        self.loop_else(stmt, done)

    def watched_loop(self, stmt: n.For, iterable: ast.expr) -> None:
        """``loop`` is an object."""
        if stmt.test is not None:
            iterable = self.helper("filter_items", [iterable, self.filter_function(stmt)], stmt)
        watch = self.helper("loop_context", [py.name(self.fn.out), iterable], stmt)
        done = self.completion(stmt)
        self.loop_with_object(stmt, watch, done)
        self.loop_else(stmt, done)

    def loop_with_object(self, stmt: n.For, watch: ast.expr, done: str) -> None:
        frame, target = self.loop_frame(stmt)
        local = frame.names["loop"] = self.variable("loop")
        body = [*self.unpacking(stmt, frame, target), *self.loop_body(stmt, frame, done)]
        self.fn.body.append(py.for_(py.targets([target, py.store(local)]), watch, body))

    def filter_function(self, stmt: n.For) -> ast.expr:
        """The loop filter as a function."""
        assert stmt.test is not None
        function = self.new_local("passes")
        names = Names()
        names.read(stmt.test)
        outer, outer_frame = self.fn, self.frame
        self.fn = Function(out=outer.out)
        inner = self.inner_frame()
        item = self.new_local("item")
        self.assign_target(stmt.target, inner, py.name(item), stmt)
        self.open_frame(names, inner)
        test = self.condition(stmt.test)[0]
        body = [*self.fn.body, py.return_(test)]
        self.fn, self.frame = outer, outer_frame
        self.fn.body.append(py.function(function, [item], body))
        return py.name(function)

    def assign_target(self, target: n.Expr, frame: Frame, value: ast.expr, node: n.Node) -> None:
        """Give the targets of a loop new locals, and values."""
        outer, self.frame = self.frame, frame
        for name in target_names(target):
            frame.names[name] = self.variable(name)
        self.set_target(target, value, node)
        self.frame = outer

    def recursive_loop(self, stmt: n.For) -> None:
        """The loop is a function that ``loop(…)`` calls again."""
        function = self.new_local("loop")
        iterable = self.value(stmt.iter)
        outer, outer_frame = self.fn, self.frame
        self.fn = fn = Function()
        fn.body.append(py.assign(fn.out, py.list_([])))
        items: ast.expr = py.name("reciter")
        if stmt.test is not None:
            items = self.helper("filter_items", [items, self.filter_function(stmt)], stmt)
        args = [py.name(fn.out), items, py.name("again"), py.name("depth")]
        done = self.completion(stmt)
        self.loop_with_object(stmt, self.helper("loop_context", args, stmt), done)
        self.loop_else(stmt, done)
        self.flush()
        text = py.call("body_text", [py.name(RT), py.name(fn.out)])
        if self.frame.escape is not False:
            text = py.call("as_markup", [py.name(RT), text])
        fn.body.append(py.return_(text))
        self.fn, self.frame = outer, outer_frame
        self.fn.body.append(py.function(function, ["reciter", "again", "depth"], fn.body))
        start = self.helper("recurse", [py.name(function), iterable, py.const(0)], stmt)
        self.write(start, stmt)

    # --- parts -------------------------------------------------------------------------------------

    def loop_frame(self, stmt: n.For) -> tuple[Frame, ast.expr]:
        """The scope of the body with the loop's targets, and the Python target."""
        frame = self.inner_frame()
        for name in target_names(stmt.target):
            frame.names[name] = self.variable(name)
        if isinstance(stmt.target, n.Tuple) and self.options.sound:
            return frame, py.store(self.new_local("item"))
        return frame, self.python_target(stmt.target, frame)

    def unpacking(self, stmt: n.For, frame: Frame, target: ast.expr) -> list[ast.stmt]:
        """In the sound form, statements that unpack each item, which may be a string: its characters keep their
        marks only if it is not Python that unpacks it."""
        if not (isinstance(stmt.target, n.Tuple) and self.options.sound):
            return []
        assert isinstance(target, ast.Name)
        fn, outer = self.fn, self.frame
        statements, fn.body, self.frame = fn.body, [], frame
        self.unpack(stmt.target, py.name(target.id), stmt)
        made, fn.body, self.frame = fn.body, statements, outer
        return made

    def python_target(self, target: n.Expr, frame: Frame) -> ast.expr:
        if isinstance(target, n.Name):
            local = frame.names[target.name]
            assert isinstance(local, str)
            return py.store(local)
        assert isinstance(target, n.Tuple)
        made = py.targets([self.python_target(item, frame) for item in target.items])
        return py.place(made, self.loc(target))

    def completion(self, stmt: n.For) -> str:
        """A local that tells whether a pass ran to its end, if the ``else`` asks for it."""
        if not stmt.else_:
            return ""
        done = self.new_local("done")
        self.fn.body.append(py.assign(done, py.const(False)))
        return done

    def loop_body(self, stmt: n.For, frame: Frame, done: str) -> list[ast.stmt]:
        fn, outer = self.fn, self.frame
        facts = fn.facts
        fn.facts = facts.copy()
        statements, fn.body = fn.body, []
        names = Names()
        names.body(stmt.body)
        self.open_frame(names, frame)
        self.uncertain += 1
        self.statements(stmt.body)
        self.uncertain -= 1
        self.flush()
        if done:
            fn.body.append(py.assign(done, py.const(True)))
        body, fn.body = fn.body, statements
        fn.facts, self.frame = facts, outer
        return body or [py.pass_()]

    def loop_else(self, stmt: n.For, done: str) -> None:
        if not done:
            return
        outer = self.frame
        fn = self.fn
        facts = fn.facts
        fn.facts = facts.copy()
        statements, fn.body = fn.body, []
        names = Names()
        names.body(stmt.else_)
        self.open_frame(names, self.inner_frame())
        self.statements(stmt.else_)
        self.flush()
        body, fn.body = fn.body, statements
        fn.facts, self.frame = facts, outer
        fn.body.append(py.if_(py.not_(py.name(done)), body or [py.pass_()]))
