"""Calls, filters and tests."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable

from chatjinja.compiler import pyast as py
from chatjinja.compiler.codegen_base import is_plain_key
from chatjinja.compiler.codegen_operators import OperatorGen
from chatjinja.compiler.generator import RT, Result
from chatjinja.syntax import nodes as n

_STRIPS = {"strip": "strip", "trim": "strip", "lstrip": "lstrip", "rstrip": "rstrip"}
_BLANKS = " \t\n\v\f\r"
_LIKELY_TYPES = {"mapping": "dict", "iterable": "list", "sequence": "list"}


class CallGen(OperatorGen):
    """Adds what applies something by name."""

    def arguments(self, args: list[n.Expr]) -> ast.expr:
        return py.list_([self.value(arg) for arg in args])

    def after(self, before: list[ast.expr], then: ast.expr) -> ast.expr:
        """Evaluate `before`, then `then`; the value of `then`."""
        return py.subscript(py.tuple_([*before, then]), py.const(len(before)))

    def scope_argument(self) -> ast.expr:
        """The caller's variables that a macro may read, or None if no macro reads any."""
        names = [name for name in self.usage.dynamic_names if name in self.fn.scope]
        if not names:
            return py.const(None)
        return py.dict_([py.const(name) for name in names], [py.name(self.fn.scope[name]) for name in names])

    # --- calls -------------------------------------------------------------------------------------

    def expr_Call(self, node: n.Call) -> Result:
        callee = node.node
        if isinstance(callee, n.Name):
            return self.call_name(node, callee)
        if isinstance(callee, n.Getattr) and self.loop_meant_by(callee.node) is None:
            name = path_key(callee)
            if name is not None:
                return self.call_method(node, callee, name)
        return self.call_value(node, lambda: self.value(callee), pure=self.is_pure(callee))

    def call_value(self, node: n.Call, callee: Callable[[], ast.expr], *, pure: bool) -> Result:
        """Arguments first, then the callee."""
        scope = self.scope_argument()
        if pure or all(self.is_pure(arg) for arg in node.args):
            return self.helper("call", [callee(), self.arguments(node.args), scope], node), "any"
        args, again = self.twice(self.arguments(node.args))
        return self.after([args], self.helper("call", [callee(), again, scope], node)), "any"

    def call_name(self, node: n.Call, callee: n.Name) -> Result:
        name = callee.name
        macro = self.usage.macros.get(name)
        if macro is not None and not self.options.exact and self.can_call_directly(macro, node):
            return self.call_macro(node, macro, name)
        if self.is_own_global(name):
            args = [arg for arg in node.args if isinstance(arg, n.Keyword) and isinstance(arg.key, n.Name)]
            if name in ("namespace", "dict") and len(args) == len(node.args) and not self.options.exact:
                return self.new_namespace(args)
            self.builtins.add(name)
            return self.helper(f"b_{name}", [self.arguments(node.args)], node), "any"
        return self.call_value(node, lambda: self.value(callee), pure=True)

    def new_namespace(self, args: list[n.Keyword]) -> Result:
        """``namespace(a=…)``."""
        keys = [self.literal(arg.key.name) for arg in args if isinstance(arg.key, n.Name)]
        results = [self.expr(arg.value) for arg in args]
        made = "new_object" if any(tag in ("any", "undefined") for _, tag in results) else "Object"
        return py.call(made, [py.dict_(keys, [self.kept(result) for result in results])] if args else []), "object"

    @abstractmethod
    def can_call_directly(self, macro: n.Macro, node: n.Call) -> bool:
        """True if the arguments can be bound to the parameters now."""

    @abstractmethod
    def call_macro(self, node: n.Call, macro: n.Macro, name: str) -> Result:
        """Call of a macro that is known."""

    def call_method(self, node: n.Call, callee: n.Getattr, name: str) -> Result:
        args = node.args
        if not all(self.is_pure(arg) for arg in args):
            made, again = self.twice(self.arguments(args))
            value = self.value(callee.node)
            helper = [value, py.const(name), again, self.method_scope(name)]
            return self.after([made], self.helper("call_method", helper, node, callee)), "any"
        if not self.options.exact:
            fast = self.fast_method(node, callee, name)
            if fast is not None:
                return fast
        value = self.value(callee.node)
        return self.slow_method(node, callee, name, value), "any"

    def slow_method(self, node: n.Call, callee: n.Getattr, name: str, value: ast.expr) -> ast.expr:
        args = [value, py.const(name), self.arguments(node.args), self.method_scope(name)]
        return self.helper("call_method", args, node, callee)

    def method_scope(self, name: str) -> ast.expr:
        """Built-in methods need no scope; a macro kept in an object does."""
        if name in self.options.method_names and not self.usage.macros_as_values:
            return py.const(None)
        return self.scope_argument()

    def fast_method(self, node: n.Call, callee: n.Getattr, name: str) -> Result | None:
        """The common string and mapping methods with literal arguments."""
        literals = [arg.value for arg in node.args if isinstance(arg, n.Const)]
        if len(literals) != len(node.args):
            return self.fast_get(node, callee) if name == "get" else None
        strings = [value for value in literals if isinstance(value, str)]
        if name in _STRIPS and name != "trim":
            chars = strings[0] if strings else _BLANKS
            if len(literals) <= 1 and len(strings) == len(literals) and chars.isascii():
                expr, tag = self.guarded(node, callee, name, "str", [py.const(chars)])
                return expr, tag
        elif name in ("startswith", "endswith") and len(literals) == len(strings) == 1:
            if is_well_formed(strings[0]):
                expr, _ = self.guarded(node, callee, name, "str", [py.const(strings[0])])
                return expr, "any"
        elif name == "split" and len(literals) == len(strings) == 1 and strings[0]:
            if is_well_formed(strings[0]) and (self.options.sound or not self.options.marked):
                return self.fast_split(node, callee, strings[0])
        elif name == "get":
            return self.fast_get(node, callee)
        return None

    def guarded(self, node: n.Call, callee: n.Getattr, name: str, kind: str, args: list[ast.expr]) -> Result:
        value, tag = self.expr(callee.node)
        if tag == kind == "str":
            return py.method(value, name, args), "any"
        first, again = self.twice(value)
        slow = self.slow_method(node, callee, name, again)
        fast = self.stripped(again, name, args) if name in _STRIPS else py.method(again, name, args)
        return py.if_exp(self.type_is(first, kind), fast, slow), "any"

    def stripped(self, value: ast.expr, name: str, args: list[ast.expr]) -> ast.expr:
        """A plain str stripped. In the reference no piece is left of a blank one."""
        made = py.method(value, name, args)
        if self.options.sourced:
            return py.call("derived", [py.name(RT), value, made])
        return py.bool_op("or", [made, py.name("EMPTY")]) if self.options.marked else made

    def fast_split(self, node: n.Call, callee: n.Getattr, separator: str) -> Result:
        first, again = self.twice(self.value(callee.node))
        fits = py.compare(py.call("len", [again]), "<", py.const(self.options.max_items))
        slow = self.slow_method(node, callee, "split", again)
        test = py.bool_op("and", [self.type_is(first, "str"), fits])
        fast = py.method(again, "split", [py.const(separator)])
        if self.options.sourced:
            fast = py.call("derived_items", [py.name(RT), again, fast])
        return py.if_exp(test, fast, slow), "any"

    def fast_get(self, node: n.Call, callee: n.Getattr) -> Result | None:
        if len(node.args) not in (1, 2) or not isinstance(node.args[0], n.Const):
            return None
        if not isinstance(node.args[-1], (n.Const, n.Name)):
            return None  # its evaluation must not depend on the branch taken
        if not isinstance(node.args[0].value, str):
            return None
        first, again = self.twice(self.value(callee.node))
        args = [self.key_literal(node.args[0]) or self.value(node.args[0]), *map(self.value, node.args[1:])]
        fast = py.method(again, "get", args)
        slow = self.slow_method(node, callee, "get", again)
        return py.if_exp(self.type_is(first, "dict"), fast, slow), "any"

    # --- filters -----------------------------------------------------------------------------------

    def expr_Filter(self, node: n.Filter) -> Result:
        value, tag = self.expr(node.node)
        return self.apply_filter(node, node.target, value, tag)

    def apply_filter(self, node: n.Node, target: n.Expr, value: ast.expr, tag: str) -> Result:
        """The filter `target` on a value that is evaluated already; `node` reports."""
        value = self.kept((value, tag))
        if isinstance(target, n.Call):
            if not isinstance(target.node, n.Name):
                failure = self.fail("Filter callee must be an identifier", node)
                return self.after([value], failure), "any"
            name = target.node.name
            args: ast.expr = self.arguments(target.args)
        elif isinstance(target, n.Name):
            name = target.name
            args = py.const(None)
            if not self.options.exact:
                fast = self.fast_filter(node, name, value, tag)
                if fast is not None:
                    return fast
        else:
            return self.after([value], self.fail("Invalid filter expression", node)), "any"
        return self.helper("apply_filter", [value, py.const(name), args], node), "any"

    def fast_filter(self, node: n.Node, name: str, value: ast.expr, tag: str) -> Result | None:
        if name in _STRIPS or name in ("string", "safe"):
            fast_tag, kind = "any", "str"
        elif name in ("length", "count"):
            fast_tag, kind = "int", "list"
        elif name == "tojson":
            return self.helper("tojson", [value], node), self.string_tag
        else:
            return None
        if tag == "str" and kind == "str":
            return (py.method(value, _STRIPS[name], [py.const(_BLANKS)]) if name in _STRIPS else value), "str"
        first, again = self.twice(value)
        if name in _STRIPS:
            fast: ast.expr = self.stripped(again, _STRIPS[name], [py.const(_BLANKS)])
        elif kind == "list":
            fast = py.call("len", [again])
        else:
            fast = again
        slow = self.helper("apply_filter", [again, py.const(name), py.const(None)], node)
        return py.if_exp(self.type_is(first, kind), fast, slow), fast_tag

    # --- tests -------------------------------------------------------------------------------------

    def expr_Test(self, node: n.Test) -> Result:
        target = node.target
        if isinstance(target, n.Name) and not self.options.exact:
            fast = self.fast_test(node, target.name)
            if fast is not None:
                return py.not_(fast) if node.negated else fast, "bool"
        value = self.value(node.node)
        if isinstance(target, n.Call):
            if not isinstance(target.node, n.Name):
                failure = self.fail("Test callee must be an identifier", node)
                return self.after([value], failure), "any"
            name, args = target.node.name, [self.value(arg) for arg in target.args]
        elif isinstance(target, n.Name):
            name, args = target.name, []
        else:
            return self.after([value], self.fail("Invalid test expression", node)), "any"
        test = self.helper("apply_test", [py.const(name), py.list_([value, *args])], node)
        return py.not_(test) if node.negated else test, "bool"

    def fast_test(self, node: n.Test, name: str) -> ast.expr | None:
        if name in ("defined", "undefined"):
            undefined = self.is_undefined(node.node)
            return py.not_(undefined) if name == "defined" else undefined
        if name == "none":
            return py.compare(self.value(node.node), "is", py.const(None))
        if name == "string":
            value, tag = self.expr(node.node)
            if tag == self.string_tag and isinstance(value, ast.Constant | ast.Name):
                return py.const(True)
            return py.call("isinstance", [value, py.name("STRINGS" if self.options.marked else "str")])
        if name in ("true", "false"):
            return py.compare(self.value(node.node), "is", py.const(name == "true"))
        if name in _LIKELY_TYPES:
            first, again = self.twice(self.value(node.node))
            slow = self.helper("apply_test", [py.const(name), py.list_([again])], node)
            return py.if_exp(self.type_is(first, _LIKELY_TYPES[name]), py.const(True), slow)
        return None

    def is_undefined(self, node: n.Expr) -> ast.expr:
        if isinstance(node, n.Name) and not self.constant_value(node)[0] and self.loop_meant_by(node) is None:
            if self.is_own_global(node.name):
                return py.const(False)
            if node.name in self.options.global_names:
                return py.const(False)  # an unset variable of that name reads as the global function
            # Variables are set to this very object when they are set to something undefined.
            missing = self.variable_missing(node.name)
            return py.compare(py.name(self.fn.scope[node.name]), "is", missing)
        first, again = self.twice(self.value(node))
        general = py.compare(py.call("type", [again]), "is", py.name("Undefined"))
        key = path_key(node)
        if key is None or isinstance(first, ast.Constant) or not is_plain_key(key):
            return py.compare(py.call("type", [first]), "is", py.name("Undefined"))
        return py.bool_op("or", [py.compare(first, "is", self.hint(key)), general])


def path_key(node: n.Expr) -> str | None:
    """The key that ``a.key`` or ``a['key']`` reads."""
    if isinstance(node, n.Getattr) and isinstance(node.attr, n.Name):
        return node.attr.name
    if isinstance(node, n.Getitem) and isinstance(node.arg, n.Const) and isinstance(node.arg.value, str):
        return node.arg.value
    return None


def is_well_formed(text: str) -> bool:
    """True if `text` is valid UTF-8, so that finding it by characters and by bytes is the same."""
    return not any("\ud800" <= char <= "\udfff" for char in text)
