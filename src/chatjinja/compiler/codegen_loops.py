"""The ``for`` statement."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from chatjinja.compiler import pyast as py
from chatjinja.compiler.codegen_stmt import StmtGen
from chatjinja.compiler.generator import RT
from chatjinja.compiler.scopes import assigned_in_scope, called_name, target_names
from chatjinja.compiler.state import Facts, FunctionState, Loop
from chatjinja.syntax import nodes as n
from chatjinja.syntax.visitor import walk

_MAX_BLOCKS = 14
"""CPython allows 20 nested blocks in a function; deeper loops go into functions of their own."""


@dataclass(slots=True)
class LoopPlan:
    """A ``for`` statement taken apart.

    Attributes:
        names: target names, in order; `several` if they stand in a tuple.
        test: the loop filter.
        fields: which fields of ``loop`` the body reads.
        materialised: ``loop`` must be a real object.
    """

    stmt: n.For
    source: n.Expr
    test: n.Expr | None
    names: list[str]
    several: bool
    bad_target: str | None
    fields: set[str]
    materialised: bool


def bad_target(target: n.Expr) -> str | None:
    """Error text for a target that cannot be set."""
    if isinstance(target, n.Name):
        return None
    if not isinstance(target, n.Tuple):
        return f"Invalid loop variable(s): {target.reference}"
    bad = next((item for item in target.items if not isinstance(item, n.Name)), None)
    return None if bad is None else f"Cannot unpack non-identifier type: {bad.reference}"


def loop_uses(body: list[n.Stmt]) -> tuple[set[str], bool]:
    """(fields of ``loop`` that `body` reads, whether it uses ``loop`` in any other way)."""
    fields: set[str] = set()
    bases: set[int] = set()
    other = False
    pending: list[n.Node] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, n.For):
            pending += [node.iter, *node.else_]
        elif isinstance(node, n.Macro):
            continue
        elif isinstance(node, n.Stmt):
            pending += children_of(node)
        else:
            for inner in walk(node):
                if isinstance(inner, (n.Getattr, n.Getitem)) and is_loop(inner.node):
                    field = static_key(inner)
                    if field is not None:
                        bases.add(id(inner.node))
                        fields.add(field)
                elif isinstance(inner, n.Name) and inner.name == "loop":
                    other = other or id(inner) not in bases
    return fields, other


def children_of(stmt: n.Stmt) -> list[n.Node]:
    """Parts of a statement, bodies flattened; an `Elif` gives its test and body."""
    found: list[n.Node] = []
    for name in stmt.fields:
        child = getattr(stmt, name)
        for part in child if isinstance(child, list) else [child]:
            if isinstance(part, n.Elif):
                found += [part.test, *part.body]
            elif part is not None:
                found.append(part)
    return found


def is_loop(node: n.Expr) -> bool:
    return isinstance(node, n.Name) and node.name == "loop"


def static_key(node: n.Getattr | n.Getitem) -> str | None:
    if isinstance(node, n.Getattr):
        return node.attr.name if isinstance(node.attr, n.Name) else None
    return node.arg.value if isinstance(node.arg, n.Const) and isinstance(node.arg.value, str) else None


class LoopGen(StmtGen):
    """Adds ``for``."""

    def plan(self, stmt: n.For) -> LoopPlan:
        source: n.Expr = stmt.iter
        test: n.Expr | None = None
        if isinstance(source, n.CondExpr) and source.expr2 is None:
            test, source = source.test, source.expr1
        fields, other = loop_uses(stmt.body)
        materialised = (
            other
            or self.options.exact
            or "loop" in self.usage.dynamic_names
            or "loop" in assigned_in_scope(stmt.body)
            or "loop" in target_names(stmt.target)
            or self.fn.depth >= _MAX_BLOCKS - 1
        )
        return LoopPlan(
            stmt,
            source,
            test,
            target_names(stmt.target),
            isinstance(stmt.target, n.Tuple),
            bad_target(stmt.target),
            fields,
            materialised,
        )

    def visit_For(self, stmt: n.For) -> None:
        fn = self.fn
        self.flush()
        plan = self.plan(stmt)
        outer = self.own_loop()
        mark = self.mark_start(stmt, outer)
        items = self.items(plan)
        completed = self.outlined_loop(plan, items) if fn.depth >= _MAX_BLOCKS else self.loop(plan, items)
        if stmt.else_:
            if outer is not None:
                outer.marks.append(mark)  # a jump out of the else loses what this statement has printed
            self.else_body(stmt, items, completed)
            if outer is not None:
                outer.marks.pop()
        if mark and self.deferred and prints(stmt):
            self.emit(self.settle(mark))

    def else_body(self, stmt: n.For, items: str, completed: str | None) -> None:
        orelse = self.branch(stmt.else_)
        if orelse:
            self.emit(py.if_(py.not_(py.name(completed or items)), orelse))

    # --- what is iterated --------------------------------------------------------------------------

    def items(self, plan: LoopPlan) -> str:
        """Local that holds the items, checked and fixed."""
        items = self.new_local("items")
        exact = self.options.exact or self.deferred
        if not exact and self.iterates_pairs(plan):
            self.pairs(plan, items)
            return items
        value = self.iterated(plan)
        missing = [self.variable_missing(name) for name in plan.names]
        if plan.several:
            assert isinstance(plan.stmt.target, n.Tuple)
            while len(missing) < len(plan.stmt.target.items):
                missing.append(py.const(None))
            self.emit(py.assign(items, self.helper("unpack_items", [value, py.tuple_(missing)], plan.stmt)))
        else:
            missing = missing or [py.name("UNDEFINED")]
            self.emit(py.assign(items, value))
            if called_name(plan.source) == "range" and self.is_own_global("range"):
                return items  # a fresh list of integers
            made = py.assign(items, self.helper("iter_items", [py.name(items), missing[0]], plan.stmt))
            if exact:
                self.emit(made)
            elif self.options.marked and not self.options.sound:
                self.emit(py.if_(py.not_(self.type_is(py.name(items), "list")), [made]))  # keys are template text
            else:
                keys = py.assign(items, py.call("list", [py.name(items)]))
                other = py.if_(self.type_is(py.name(items), "dict"), [keys], [made])
                self.emit(py.if_(py.not_(self.type_is(py.name(items), "list")), [other]))
        if plan.bad_target is not None:
            failure = py.expr(self.fail(plan.bad_target, plan.stmt))
            self.emit(py.if_(py.name(items), [failure]))
        return items

    def iterated(self, plan: LoopPlan) -> ast.expr:
        """The value to go through. A loop variable that only ever is a number needs no numbers that know who
        made them."""
        source = plan.source
        counts = isinstance(source, n.Call) and called_name(source) == "range" and self.is_own_global("range")
        if counts and self.options.sound and not plan.materialised and not plan.fields & {"previtem", "nextitem"}:
            assert isinstance(source, n.Call)
            if self.usage.numbers.issuperset(plan.names):
                args = [self.expr(arg)[0] for arg in source.args]
                return self.helper("range_items", [py.list_(args)], source)
        return self.value(source)

    def iterates_pairs(self, plan: LoopPlan) -> bool:
        """``for k, v in x.items()`` or ``x|items``: can run on the dict's own view."""
        if not plan.several or plan.bad_target or plan.test is not None or plan.materialised:
            return False
        if self.options.marked and not self.options.sound:
            return False
        if len(set(plan.names)) != 2 or len(plan.names) != 2 or plan.fields & {"previtem", "nextitem"}:
            return False
        source = plan.source
        if isinstance(source, n.Call):
            callee = source.node
            if not isinstance(callee, n.Getattr) or static_key(callee) != "items":
                return False
            return not source.args and not is_loop(callee.node)
        return isinstance(source, n.Filter) and isinstance(source.target, n.Name) and source.target.name == "items"

    def pairs(self, plan: LoopPlan, items: str) -> None:
        source = plan.source
        missing = py.tuple_([self.variable_missing(name) for name in plan.names])
        if isinstance(source, n.Filter):
            first, again = self.twice(self.value(source.node))
            slow = self.helper("apply_filter", [again, py.const("items"), py.const(None)], source)
        else:
            assert isinstance(source, n.Call)
            assert isinstance(source.node, n.Getattr)
            first, again = self.twice(self.value(source.node.node))
            slow = self.slow_method(source, source.node, "items", again)
        unpacked = self.helper("unpack_items", [slow, missing], plan.stmt)
        view = py.method(again, "items", [])
        self.emit(py.assign(items, py.if_exp(self.type_is(first, "dict"), view, unpacked)))

    # --- the loop itself ---------------------------------------------------------------------------

    def loop(self, plan: LoopPlan, items: str) -> str | None:
        """Write the loop; the local that tells whether a pass ran to its end, if ``else`` needs it."""
        fn = self.fn
        if plan.test is not None and plan.bad_target is None:
            self.filter_items(plan, items)
        outer_scope, outer_loop, outer_facts = fn.scope, fn.loop, fn.facts
        names = plan.names if plan.bad_target is None else []
        loop = self.enter(plan, items, names)
        body = self.loop_body(plan, loop, names)
        iterated: ast.expr = py.name(items)
        targets = [fn.scope[name] for name in names] or [self.new_local("item")]
        target: ast.expr = py.tuple_store(targets) if plan.several and names else py.store(targets[0])
        if loop.index:
            iterated = py.call("enumerate", [iterated])
            target = py.targets([py.store(loop.index), target])
        fn.body.append(py.for_(target, iterated, body or [py.pass_()]))
        fn.loops.pop()
        fn.depth -= 1
        fn.scope, fn.loop, fn.facts = outer_scope, outer_loop, outer_facts
        return loop.completed

    def enter(self, plan: LoopPlan, items: str, names: list[str]) -> Loop:
        """Count the passes, give the loop's variables locals of their own, prepare ``loop``."""
        fn = self.fn
        counted = plan.materialised or bool(plan.fields)
        loop = Loop(
            index=self.new_local("i") if counted else "",
            length=self.new_local("n"),
            items=items,
            materialised=plan.materialised,
            out=fn.out,
            signals=self.usage.stray_signals,
        )
        self.emit(py.assign(loop.length, py.call("len", [py.name(items)])))
        self.emit(py.augment_attribute(py.name(RT), "steps", py.name(loop.length)))
        rt = py.name(RT)
        too_many = py.compare(py.attribute(rt, "steps"), ">", py.attribute(rt, "stop_steps"))
        too_long = py.compare(py.call("len", [py.name(fn.out)]), ">", py.attribute(rt, "watch"))
        check = self.helper("check_progress", [py.name(fn.out)], plan.stmt)
        self.emit(py.if_(py.bool_op("or", [too_many, too_long]), [py.expr(check)]))
        self.new_scope(plan, names)
        if self.options.else_without_completed_pass and plan.stmt.else_ and leaves_early(plan.stmt, loop.signals):
            loop.completed = self.new_local("completed")
            self.emit(py.assign(loop.completed, py.const(False)))
        fn.loop = loop
        fn.loops.append(loop)
        fn.depth += 2 if loop.signals else 1
        return loop

    def new_scope(self, plan: LoopPlan, names: list[str]) -> None:
        fn = self.fn
        outer = fn.scope
        fn.scope = dict(outer)
        for name in sorted(assigned_in_scope(plan.stmt.body)):
            local = self.new_local(f"v_{name}")
            if name not in names:
                before = py.name(outer[name]) if name in outer else self.variable_missing(name)
                self.emit(py.assign(local, before))
            fn.scope[name] = local
        for name in names:
            fn.scope[name] = self.new_local(f"v_{name}")
            if name in self.usage.numbers and self.is_own_global("range"):
                fn.integers.add(fn.scope[name])
        if plan.materialised and "loop" not in names:
            fn.scope["loop"] = self.new_local("v_loop")
        fn.facts = fn.facts.copy()

    def loop_body(self, plan: LoopPlan, loop: Loop, names: list[str]) -> list[ast.stmt]:
        fn = self.fn
        outer, fn.body = fn.body, []
        if plan.materialised and "loop" not in names:
            made = py.call("loop_object", [py.name(loop.items), py.name(loop.index)])
            fn.body.append(py.assign(fn.scope["loop"], made))
        for name in names:
            self.make_getter(name, fn.scope[name])
        if loop.signals:
            self.guarded_body(plan, loop)
        else:
            fn.body.extend(self.block(plan.stmt.body))
        if loop.completed is not None:
            fn.body.append(py.assign(loop.completed, py.const(True)))
        body, fn.body = fn.body, outer
        return body

    def guarded_body(self, plan: LoopPlan, loop: Loop) -> None:
        """A body in which a macro may break or continue this loop: what the statement that called it
        had printed is lost, what stood before stays."""
        fn = self.fn
        depth = self.new_local("depth")
        mark = self.new_local("mark")
        fn.body.append(py.assign(depth, py.attribute(py.name(RT), "depth")))
        inner: list[ast.stmt] = []
        for stmt in plan.stmt.body:
            inner.append(py.assign(mark, py.call("len", [py.name(loop.out)])))
            inner.extend(self.block([stmt]))
        undo = [
            py.delete_from(loop.out, mark),
            py.expr(py.call("setattr", [py.name(RT), py.const("depth"), py.name(depth)])),
        ]
        handlers = [("BreakSignal", [*undo, py.break_()]), ("ContinueSignal", [*undo, py.continue_()])]
        fn.body.append(py.try_(inner or [py.pass_()], handlers))

    def filter_items(self, plan: LoopPlan, items: str) -> None:
        """Test all items before the first pass, each in a scope of its own."""
        fn = self.fn
        assert plan.test is not None
        kept, item = self.new_local("kept"), self.new_local("item")
        outer_scope, outer_facts = fn.scope, fn.facts
        fn.scope, fn.facts = dict(outer_scope), outer_facts.copy()
        locals_ = [self.new_local(f"v_{name}") for name in plan.names]
        fn.scope.update(zip(plan.names, locals_, strict=True))
        self.emit(py.assign(kept, py.list_([])))
        outer, fn.body = fn.body, []
        source = py.name(item)
        if plan.several:
            fn.body.append(py.assign_tuple(locals_, source))
        else:
            fn.body.append(py.assign(locals_[0], source))
        expr, _, _ = self.condition(plan.test, plan.stmt)
        fn.body.append(py.if_(expr, [py.expr(py.method(py.name(kept), "append", [py.name(item)]))]))
        body, fn.body = fn.body, outer
        fn.scope, fn.facts = outer_scope, outer_facts
        self.emit(py.for_(py.store(item), py.name(items), body))
        self.emit(py.assign(items, py.name(kept)))

    # --- loops too deep for one Python function ----------------------------------------------------

    def outlined_loop(self, plan: LoopPlan, items: str) -> str | None:
        fn = self.fn
        self.flush()
        function = self.new_local("loop")
        params = [RT, fn.out, items, *self.visible_locals()]
        inner = FunctionState(scope=fn.scope, out=fn.out, loop=fn.loop, facts=Facts())
        self.fn = inner
        completed = self.loop(plan, items)
        self.flush()
        inner.body.append(py.return_(py.const(True) if completed is None else py.name(completed)))
        self.fn = fn
        self.functions.append(py.function(function, params, inner.body))
        called = py.call(function, [py.name(param) for param in params])
        result = self.new_local("completed")
        self.emit(py.assign(result, called))
        return result if completed is not None else None

    def visible_locals(self) -> list[str]:
        """Every local that code at this point may read."""
        fn = self.fn
        found = set(fn.scope.values())
        if fn.loop is not None and not fn.loop.materialised:
            found |= {fn.loop.index, fn.loop.length, fn.loop.items} - {""}
        return sorted(found)


def prints(stmt: n.For) -> bool:
    """True if a body of the loop prints anything but text."""
    pending: list[n.Node] = [*stmt.body, *stmt.else_]
    while pending:
        node = pending.pop()
        if isinstance(node, (n.Output, n.FilterBlock, n.CallBlock)):
            return True
        if isinstance(node, (n.If, n.For, n.AssignBlock)):
            pending += [child for child in children_of(node) if isinstance(child, n.Stmt)]
    return False


def leaves_early(stmt: n.For, signals: bool) -> bool:
    """True if a pass of the loop may end before its end."""
    if signals:
        return True
    pending: list[n.Node] = list(stmt.body)
    while pending:
        node = pending.pop()
        if isinstance(node, (n.Break, n.Continue)):
            return True
        if isinstance(node, n.For):
            pending += node.else_
        elif isinstance(node, (n.If, n.AssignBlock, n.FilterBlock)):
            pending += [child for child in children_of(node) if isinstance(child, n.Stmt)]
    return False
