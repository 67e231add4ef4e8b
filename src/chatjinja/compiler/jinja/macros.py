"""Macros, call blocks, blocks, and the block of what the assistant says."""

from __future__ import annotations

import ast

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import CTX, RT, Result
from chatjinja.compiler.jinja.loops import LoopGen
from chatjinja.compiler.jinja.names import Names, parameter_name
from chatjinja.compiler.jinja.state import Frame, Function, MacroFunction
from chatjinja.syntax.jinja import nodes as n
from chatjinja.syntax.jinja.names import undeclared

_SPECIAL = ("caller", "kwargs", "varargs")


class MacroGen(LoopGen):
    """Adds functions."""

    def visit_Macro(self, stmt: n.Macro) -> None:
        assert isinstance(stmt.name, n.Name)
        self.flush()
        name = stmt.name.name
        specials = self.special_parameters(stmt.args, stmt.body)
        function = self.new_local("macro")
        local = self.object_local(name, stmt)
        certain = self.frame.toplevel and not self.uncertain and name in self.frame.set_once
        if certain and not (specials or self.summary.autoescape):
            # Whatever runs from here on, the body included, finds the macro in the variable.
            self.macros[local] = MacroFunction(function, len(stmt.args))
        made = self.macro(function, specials, stmt.args, stmt.body, name)
        self.set_variable(name, made, stmt)

    def known_macro(self, node: n.Expr) -> tuple[MacroFunction, list[ast.expr]] | None:
        """The macro that a call calls, if that is sure, and its arguments, if they are simple."""
        if not isinstance(node, n.Call) or not isinstance(node.node, n.Name):
            return None
        local = self.frame.lookup(node.node.name)
        macro = self.macros.get(local) if isinstance(local, str) else None
        if macro is None or len(node.args) > macro.parameters:
            return None
        if any(isinstance(arg, (n.Keyword, n.Spread, n.SpreadDict)) for arg in node.args):
            return None
        args = [self.value(arg) for arg in node.args]
        return macro, args + [py.name("MISSING")] * (macro.parameters - len(args))

    def expr_Call(self, node: n.Call) -> Result:
        known = self.known_macro(node)
        if known is None:
            return super().expr_Call(node)
        macro, args = known
        return py.call("macro_text", [py.name(RT), py.name(macro.function), *args], self.loc(node)), "str"

    def print(self, node: n.Expr, printer: n.Output) -> None:
        if isinstance(node, n.Call) and not self.options.eager:
            known = self.known_macro(node)
            if known is not None:
                macro, args = known
                out = py.name(self.fn.out)
                self.emit(py.expr(py.call(macro.function, [out, *args], self.loc(node))))
                return
        super().print(node, printer)

    def macro(
        self, function: str, specials: list[str], args: list[n.Expr], body: list[n.Stmt], name: str | None
    ) -> ast.expr:
        """Write the function of a macro; the expression that makes the macro of it."""
        outer, outer_frame = self.fn, self.frame
        self.fn = fn = Function()
        frame = self.inner_frame()
        params = [parameter_name(arg) for arg in args]
        names = Names()
        for arg in args:
            if isinstance(arg, n.Keyword):
                names.read(arg.value)
        names.body(body)
        # A name may be given twice only where Python would take it, which is nowhere.
        locals_ = [self.parameter(frame, param) for param in [*params, *specials]]
        uncertain, self.uncertain = self.uncertain, 1
        fn.body += self.enter_macro()
        self.open_frame(names, frame)
        self.defaults(args, frame)
        self.statements(body)
        self.flush()
        fn.body.append(py.augment_attribute(py.name(RT), "depth", py.const(-1)))
        self.fn, self.frame, self.uncertain = outer, outer_frame, uncertain
        self.fn.body.append(py.function(function, [fn.out, *locals_], fn.body))
        flags = [py.const(special in specials) for special in ("kwargs", "varargs")]
        accepts_caller = py.const("caller" in undeclared(body, frozenset(_SPECIAL)))
        shown = py.const(None) if name is None else self.literal(name)
        parameters = py.tuple_([py.const(param) for param in params])
        return py.call("Macro", [py.name(function), shown, parameters, *flags, accepts_caller])

    def enter_macro(self) -> list[ast.stmt]:
        """Count the call, and how deep it is."""
        rt = py.name(RT)
        too_many = py.compare(py.attribute(rt, "steps"), ">", py.attribute(rt, "stop_steps"))
        too_deep = py.compare(py.attribute(rt, "depth"), ">", py.attribute(rt, "stop_depth"))
        return [
            py.augment_attribute(rt, "steps", py.const(1)),
            py.augment_attribute(rt, "depth", py.const(1)),
            py.if_(py.bool_op("or", [too_many, too_deep]), [py.expr(py.call("refuse_call", [rt]))]),
        ]

    def special_parameters(self, args: list[n.Expr], body: list[n.Stmt]) -> list[str]:
        """Those of ``caller``, ``kwargs`` and ``varargs`` that the body uses and no parameter is called."""
        if self.summary.names.isdisjoint(_SPECIAL):
            return []
        params = set(map(parameter_name, args))
        used = undeclared(body, frozenset(_SPECIAL))
        return [special for special in _SPECIAL if special in used and special not in params]

    def parameter(self, frame: Frame, name: str) -> str:
        local = frame.names[name] = self.variable(name)
        return local

    def defaults(self, args: list[n.Expr], frame: Frame) -> None:
        """Parameters that got no value, one after the other; those that follow read as undefined."""
        locals_: list[str] = [str(frame.names[parameter_name(arg)]) for arg in args]
        before = self.unset
        self.unset = before | set(locals_)
        for arg, local in zip(args, locals_, strict=True):
            name = parameter_name(arg)
            if isinstance(arg, n.Keyword):
                value = self.value(arg.value)
            else:
                value = self.undefined("parameter", name, f"parameter {name!r} was not provided")
            missing = py.compare(py.name(local), "is", py.name("MISSING"))
            self.fn.body.append(py.if_(missing, [py.assign(local, value)]))
            self.fn.facts = Function().facts  # what the default has learned
            self.unset = self.unset - {local}
        self.unset = before

    def anonymous(self, args: list[n.Expr], body: list[n.Stmt]) -> ast.expr:
        """A macro without a name."""
        return self.macro(self.new_local("macro"), self.special_parameters(args, body), args, body, None)

    def visit_CallBlock(self, stmt: n.CallBlock) -> None:
        self.flush()
        caller = self.new_local("caller")
        made = self.anonymous(stmt.args, stmt.body)
        self.fn.body.append(py.assign(caller, made))
        call = stmt.call
        assert isinstance(call, n.Call)
        callee = self.value(call.node)
        positional, keywords = self.arguments(call.args, names_show=True)
        # The caller is passed before ``**`` arguments, as Jinja2 does.
        at = next((i for i, item in enumerate(keywords) if item.arg is None), len(keywords))
        keywords.insert(at, py.argument("caller", py.name(caller)))
        result = py.call_with("call", [py.name(RT), callee, *positional], keywords, self.loc(call))
        self.write(self.helper("written", [result], stmt), stmt)

    def visit_GenerationBlock(self, stmt: n.GenerationBlock) -> None:
        if not undeclared(stmt.body, frozenset(_SPECIAL)).isdisjoint(_SPECIAL):
            self.generation_macro(stmt)
            return
        outer = self.frame
        names = Names()
        names.body(stmt.body)
        self.flush()
        self.open_frame(names, self.inner_frame())
        start = self.new_local("start") if self.options.sound else ""
        if start:
            self.fn.body.append(py.assign(start, py.call("len", [py.name(self.fn.out)])))
        self.statements(stmt.body)
        self.flush()
        if start:
            self.fn.body.append(py.expr(self.helper("generation", [py.name(self.fn.out), py.name(start)], stmt)))
        self.frame = outer

    def generation_macro(self, stmt: n.GenerationBlock) -> None:
        """The block is the body of a caller in Jinja2, and this one makes use of it."""
        self.flush()
        macro = self.anonymous([], stmt.body)
        result = py.call_with("call", [py.name(RT), macro], [], self.loc(stmt))
        out = self.new_local("out")
        self.fn.body.append(py.assign(out, py.list_([self.helper("written", [result], stmt)])))
        if self.options.sound:
            self.fn.body.append(py.expr(self.helper("generation", [py.name(out), py.const(0)], stmt)))
        self.write(py.subscript(py.name(out), py.const(0)), stmt)

    # --- blocks ------------------------------------------------------------------------------------

    def visit_Block(self, stmt: n.Block) -> None:
        self.flush()
        if stmt.required:
            self.emit(py.expr(self.fail(f"Required block {stmt.name!r} not found", stmt, code="required-block")))
        context: ast.expr = py.name(CTX)
        if stmt.scoped:
            visible = self.visible_names()
            values = [py.name(local) for local in visible.values()]
            unset = [self.variable_missing(name) for name in visible]
            keys = [py.const(name) for name in visible]
            context = py.call("derived", [context, py.dict_(keys, values), py.tuple_(unset)])
        block = py.subscript(py.name("blocks"), py.const(stmt.name))
        local = self.new_local("block")
        self.emit(py.assign(local, block))
        self.emit(py.expr(py.call(local, [py.name(RT), context, py.name(self.fn.out)], self.loc(stmt))))

    def visible_names(self) -> dict[str, str]:
        """Variables that some scope around here sets: name → local."""
        found: dict[str, str] = {}
        frame: Frame | None = self.frame
        while frame is not None:
            for name, local in frame.names.items():
                assert isinstance(local, str)  # a loop around a block has an object
                found.setdefault(name, local)
            frame = frame.parent
        return found

    def home(self, function: str, body: list[n.Stmt], block: str | None = None) -> ast.stmt:
        """The function of the template or of a block: ``function(rt, ctx, out)``."""
        toplevel = block is None
        special = ("self",) if toplevel else ("self", "super")
        self.fn = Function()
        self.resolved = {}
        frame = Frame(toplevel=toplevel)
        names = Names()
        names.body(body)
        used = undeclared(body, frozenset(special)) if not self.summary.names.isdisjoint(special) else set()
        prologue: list[ast.stmt] = []
        if toplevel and self.summary.blocks:
            prologue.append(py.assign(CTX, py.call("dict", [py.name(CTX)])))
        if "self" in used:
            made: ast.expr = py.call("TemplateReference", [py.name(CTX), py.name("blocks")])
            prologue.append(py.assign(self.parameter(frame, "self"), made))
        if "super" in used:
            made = self.undefined("hint", "super", f"there is no parent block called {block!r}.")
            prologue.append(py.assign(self.parameter(frame, "super"), made))
        self.open_frame(names, frame)
        self.statements(body)
        self.flush()
        for name, local in self.resolved.items():
            missing = self.variable_missing(name) if name not in self.options.globals else self.own_global(name)
            prologue.append(py.assign(local, py.method(py.name(CTX), "get", [py.const(name), missing])))
        return py.function(function, [RT, CTX, "out"], [*prologue, *self.fn.body] or [py.pass_()])
