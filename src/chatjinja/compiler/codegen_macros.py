"""Macros and call blocks.

A macro becomes a Python function ``macro(rt, out, *parameters, *needs)`` that writes to `out`. `needs`
are the names that it reads from its caller: the scope is dynamic, so whoever calls it passes the values
that these names have *there*. A call whose callee is known binds its arguments while compiling; others
go through `chatjinja.runtime.macros`.
"""

from __future__ import annotations

import ast

from chatjinja.compiler import pyast as py
from chatjinja.compiler.codegen_loops import LoopGen
from chatjinja.compiler.generator import RT, Result
from chatjinja.compiler.scopes import assigned_in_scope, names_read, parameter_names
from chatjinja.compiler.state import FunctionState
from chatjinja.syntax import nodes as n


class MacroGen(LoopGen):
    """Adds ``macro`` and ``call``."""

    def macro_id(self, owner: n.Node) -> str:
        known = self._macro_ids.get(id(owner))
        if known is None:
            known = self._macro_ids[id(owner)] = str(len(self._macro_ids))
        return known

    _macro_ids: dict[int, str]

    # --- definitions -------------------------------------------------------------------------------

    def visit_Macro(self, stmt: n.Macro) -> None:
        if not isinstance(stmt.name, n.Name):
            self.emit(py.expr(self.fail("Macro name must be an identifier", stmt)))
            return
        self.flush()
        self.body_function(stmt, stmt.args, stmt.body)
        made = py.call("Macro", self.macro_arguments(stmt, stmt.name.name, stmt.args))
        constant = f"m_{self.macro_id(stmt)}"
        self.functions.append(py.assign(constant, made))
        self.set_local(self.fn.scope[stmt.name.name], py.name(constant))

    def macro_arguments(self, owner: n.Node, name: str, args: list[n.Expr]) -> list[ast.expr]:
        """Arguments for the runtime's `Macro`: name, function, parameters, needs."""
        parameters = [self.parameter(owner, i, arg) for i, arg in enumerate(args)]
        needs = [py.const(need) for need in self.needs_of(owner, args)]
        function = py.name(f"f_{self.macro_id(owner)}")
        return [py.const(name), function, py.tuple_(parameters), py.tuple_(needs)]

    def parameter(self, owner: n.Node, index: int, arg: n.Expr) -> ast.expr:
        """``(name, default function, names it reads)``; the name is None for what is no parameter."""
        if isinstance(arg, n.Name):
            return py.tuple_([py.const(arg.name), py.const(None), py.const(None)])
        if not isinstance(arg, n.Keyword):
            return py.tuple_([py.const(None), py.const(None), py.const(None)])
        if not isinstance(arg.key, n.Name):
            return py.tuple_([py.const(None), py.const(True), py.const(None)])
        function = f"d_{self.macro_id(owner)}_{index}"
        reads = names_read(arg.value)
        scope = {name: f"v_{name}" for name in {*reads, *self.usage.dynamic_names}}
        outer, self.fn = self.fn, FunctionState(scope)
        value = self.value(arg.value)
        self.fn.body.append(py.return_(value))
        body = self.fn.body
        self.fn = outer
        names = sorted(scope)
        self.functions.append(py.function(function, [RT, *(scope[name] for name in names)], body))
        return py.tuple_([py.const(arg.key.name), py.name(function), py.tuple_([py.const(name) for name in names])])

    def needs_of(self, owner: n.Node, args: list[n.Expr]) -> list[str]:
        bound = set(parameter_names(args))
        return [name for name in self.usage.needs[owner] if name not in bound]

    def body_function(self, owner: n.Macro | n.CallBlock, args: list[n.Expr], body: list[n.Stmt]) -> None:
        """The Python function of a macro or call body."""
        parameters = [f"p{i}_{name}" for i, name in enumerate(parameter_names(args))]
        needs = self.needs_of(owner, args)
        scope = {name: f"v_{name}" for name in assigned_in_scope(body)}
        scope.update((name, f"v_{name}") for name in needs)
        scope.update(zip(parameter_names(args), parameters, strict=True))
        outer, self.fn = self.fn, FunctionState(scope)
        fn = self.fn
        rt = py.name(RT)
        fn.body.append(py.augment_attribute(rt, "steps", py.const(1)))
        fn.body.append(py.augment_attribute(rt, "depth", py.const(1)))
        too_deep = py.compare(py.attribute(rt, "depth"), ">", py.attribute(rt, "stop_depth"))
        too_many = py.compare(py.attribute(rt, "steps"), ">", py.attribute(rt, "stop_steps"))
        refuse = py.expr(self.helper("refuse_call", [], owner))
        fn.body.append(py.if_(py.bool_op("or", [too_deep, too_many]), [refuse]))
        for name in sorted(assigned_in_scope(body).difference(needs, parameter_names(args))):
            fn.body.append(py.assign(scope[name], self.variable_missing(name)))
        for name, local in zip(parameter_names(args), parameters, strict=True):
            missing = self.variable_missing(name)
            fn.body.append(py.if_(self.type_is(py.name(local), "Undefined"), [py.assign(local, missing)]))
            self.make_getter(name, local)
        mark = self.mark_here() if self.deferred else ""
        fn.body.extend(self.block(body))
        if mark:
            fn.body.append(self.settle(mark))
        fn.body.append(py.augment_attribute(py.name(RT), "depth", py.const(-1)))
        self.fn = outer
        params = [RT, "out", *parameters, *(f"v_{name}" for name in needs)]
        self.functions.append(py.function(f"f_{self.macro_id(owner)}", params, fn.body))

    # --- calls whose callee is known ---------------------------------------------------------------

    def can_call_directly(self, macro: n.Macro, node: n.Call) -> bool:
        """True if the arguments can be bound to the parameters now."""
        return (
            not self.usage.stray_signals
            and len(parameter_names(macro.args)) == len(macro.args)
            and not any(isinstance(arg, n.Spread) for arg in node.args)
            and all(isinstance(arg.key, n.Name) for arg in node.args if isinstance(arg, n.Keyword))
        )

    def bind(self, node: n.Call, macro: n.Macro) -> tuple[list[ast.expr], list[ast.expr], list[ast.expr]]:
        """(evaluations, arguments of the function, arguments of a general call)."""
        made: list[ast.expr] = []
        values: list[ast.expr] = []
        for arg in node.args:
            value = self.value(arg.value if isinstance(arg, n.Keyword) else arg)
            if not isinstance(value, ast.Constant | ast.Name):
                first, value = self.twice(value)
                made.append(first)
            values.append(value)
        general = [
            py.call("KwArg", [py.const(arg.key.name), value])
            if isinstance(arg, n.Keyword) and isinstance(arg.key, n.Name)
            else value
            for arg, value in zip(node.args, values, strict=True)
        ]
        bound = [self.argument(node, macro, i, values) for i in range(len(macro.args))]
        bound += [py.name(self.fn.scope[name]) for name in self.needs_of(macro, macro.args)]
        return made, bound, general

    def argument(self, node: n.Call, macro: n.Macro, index: int, values: list[ast.expr]) -> ast.expr:
        """What parameter number `index` gets (`docs/dialects.md` explains these odd rules)."""
        parameter = macro.args[index]
        if index >= len(node.args):
            if isinstance(parameter, n.Keyword):
                return self.value(parameter.value)
            assert isinstance(macro.name, n.Name)
            return self.fail(f"Not enough arguments provided to '{macro.name.name}'", node)
        name = parameter_names([parameter])[0]
        positional: ast.expr = py.name("UNDEFINED")
        if not isinstance(node.args[index], n.Keyword):
            positional = values[index]
        for arg, value in zip(node.args, values, strict=True):
            if isinstance(arg, n.Keyword) and isinstance(arg.key, n.Name) and arg.key.name == name:
                if isinstance(value, ast.Constant):
                    return value
                return py.if_exp(self.type_is(value, "Undefined"), positional, value)
        return positional

    def call_macro(self, node: n.Call, macro: n.Macro, name: str) -> Result:
        made, bound, general = self.bind(node, macro)
        callee = py.name(self.fn.scope[name])
        identity = self.macro_id(macro)
        direct = py.call("macro_text", [py.name(RT), py.name(f"f_{identity}"), *bound])
        other = self.helper("call", [callee, py.list_(general), py.const(None)], node)
        chosen = py.if_exp(py.compare(callee, "is", py.name(f"m_{identity}")), direct, other)
        return (self.after(made, chosen) if made else chosen), "any"

    def print_macro(self, node: n.Call, printer: n.Node) -> bool:
        """``{{ macro(…) }}`` writes straight to the output."""
        callee = node.node
        macro = self.usage.macros.get(callee.name) if isinstance(callee, n.Name) else None
        if macro is None or not isinstance(callee, n.Name) or not self.can_call_directly(macro, node):
            return False
        made, bound, general = self.bind(node, macro)
        for value in made:
            self.emit(py.expr(value))
        local = py.name(self.fn.scope[callee.name])
        identity = self.macro_id(macro)
        out = py.name(self.fn.out)
        direct = py.expr(py.call(f"f_{identity}", [py.name(RT), out, *bound]))
        other = self.helper("call", [local, py.list_(general), py.const(None)], node)
        test = py.compare(local, "is", py.name(f"m_{identity}"))
        self.emit(py.if_(test, [direct], self.write_out([(other, printer)])))
        return True

    # --- call blocks -------------------------------------------------------------------------------

    def visit_CallBlock(self, stmt: n.CallBlock) -> None:
        self.flush()
        self.body_function(stmt, stmt.args, stmt.body)
        constant = f"m_{self.macro_id(stmt)}"
        made = py.call("Macro", self.macro_arguments(stmt, "caller", stmt.args))
        self.functions.append(py.assign(constant, made))
        captured = [py.name(self.fn.scope[name]) for name in self.needs_of(stmt, stmt.args)]
        callee, caller = self.new_local("callee"), self.new_local("caller")
        self.emit(py.assign(caller, py.call("Caller", [py.name(constant), py.tuple_(captured)])))
        checked = self.helper("check_callee", [self.value(stmt.call.node)], stmt)
        self.emit(py.assign(callee, checked))
        args = self.arguments(stmt.call.args)
        scope = self.scope_argument()
        called = self.helper("call_with_caller", [py.name(callee), args, scope, py.name(caller)], stmt)
        self.write([self.traced(called, stmt)], stmt)
