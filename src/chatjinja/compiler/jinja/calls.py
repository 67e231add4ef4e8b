"""Calls, filters and tests."""

from __future__ import annotations

import ast

from chatjinja.compiler import pyast as py
from chatjinja.compiler.generator import RT, Result
from chatjinja.compiler.jinja.operators import OperatorGen
from chatjinja.syntax.jinja import nodes as n
from chatjinja.syntax.visitor import iter_child_nodes

Arguments = tuple[list[ast.expr], list[ast.keyword]]

_PLAIN_METHODS = {
    "capitalize": "capitalize",
    "endswith": "endswith",
    "lower": "lower",
    "lstrip": "lstrip",
    "rstrip": "rstrip",
    "split": "split",
    "startswith": "startswith",
    "strip": "strip",
    "upper": "upper",
}
"""Methods of str that, with string literals as arguments, only cut and compare: what comes out is as much input as
what goes in."""
_PLAIN_FILTERS = {"capitalize": "capitalize", "lower": "lower", "trim": "strip", "upper": "upper"}
"""Filters that do on a str what its method does."""
_NOTHING_NEEDED = frozenset(("capitalize", "lower", "lstrip", "rstrip", "split", "strip", "upper"))
_ONE_NEEDED = frozenset(("endswith", "lstrip", "rstrip", "split", "startswith", "strip"))
SHORT = 1024
"""Work on strings shorter than this is not counted."""
_OF_VALUES = frozenset(("call", "call_method"))
"""Helpers that call what the template can make."""
_TYPE_TESTS = {"defined": ("is not", "Undefined"), "undefined": ("is", "Undefined")}


def has_default(node: n.Filter, args: list[n.Expr]) -> bool:
    """Whether ``default`` has just a literal, which may as well be evaluated late."""
    return len(args) == 1 and isinstance(args[0], n.Const)


def literal_attributes(node: n.Call) -> dict[str, n.Expr] | None:
    """Names and values of ``namespace(a=1, …)`` with nothing but literals; None if `node` is something else."""
    if not isinstance(node.node, n.Name) or node.node.name != "namespace":
        return None
    found: dict[str, n.Expr] = {}
    for arg in node.args:
        if not isinstance(arg, n.Keyword) or not is_literal(arg.value):
            return None
        assert isinstance(arg.key, n.Name)
        if arg.key.name.startswith("_"):
            return None
        found[arg.key.name] = arg.value
    return found


def is_literal(node: n.Expr) -> bool:
    """Whether making the value a second time costs nothing and shows nowhere."""
    return isinstance(node, n.Const) or (isinstance(node, (n.List, n.Dict)) and not any(iter_child_nodes(node)))


class CallGen(OperatorGen):
    """Adds everything that calls something."""

    def arguments(self, args: list[n.Expr], *, names_show: bool = False) -> Arguments:
        """Arguments, made in the order in which Python evaluates them: ``*`` before keywords, ``**`` last.

        If `names_show`, what is called may keep the names: with sound marks they have to be the template's.
        """
        plain = [arg for arg in args if not isinstance(arg, (n.Keyword, n.Spread, n.SpreadDict))]
        positional = [self.value(arg) for arg in plain]
        for arg in args:
            if isinstance(arg, n.Spread):
                positional.append(py.starred(self.helper("spread", [self.value(arg.node)], arg)))
        keywords: list[ast.keyword] = []
        named: dict[str, ast.expr] = {}
        for arg in args:
            if isinstance(arg, n.Keyword):
                assert isinstance(arg.key, n.Name)
                named[arg.key.name] = self.value(arg.value)
        if names_show and self.options.sound and named:
            names = [self.literal(name) for name in named]
            keywords.append(py.argument(None, py.dict_(names, list(named.values()))))
        else:
            keywords += [py.argument(name, value) for name, value in named.items()]
        for arg in args:
            if isinstance(arg, n.SpreadDict):
                keywords.append(py.argument(None, self.helper("spread_dict", [self.value(arg.node)], arg)))
        return positional, keywords

    def apply(self, function: str, first: list[ast.expr], args: list[n.Expr], node: n.Node) -> ast.expr:
        """Call of a helper with the arguments of the template behind its own."""
        positional, keywords = self.arguments(args, names_show=function in _OF_VALUES)
        return py.call_with(function, [py.name(RT), *first, *positional], keywords, self.loc(node))

    # --- calls -------------------------------------------------------------------------------------

    def expr_Call(self, node: n.Call) -> Result:
        callee = node.node
        if isinstance(callee, n.Getattr) and self.loop_of(callee.node) is None:
            assert isinstance(callee.attr, n.Name)
            return self.method(node, callee.node, callee.attr.name)
        function = self.value(callee)
        made = self.apply("call", [function], node.args, node)
        attributes = literal_attributes(node)
        if attributes is None or not isinstance(function, ast.Name):
            return made, "any"
        keys = [self.literal(name) for name in attributes]
        attrs = py.dict_(keys, [self.value(value) for value in attributes.values()])
        is_own = py.compare(function, "is", self.own_global("namespace"))
        return py.if_exp(is_own, py.call("Namespace", [attrs]), made), "any"

    def method(self, node: n.Call, owner: n.Expr, name: str) -> Result:
        base = self.value(owner)
        args = node.args
        if name in _PLAIN_METHODS and self.are_literals(name, args):
            first, again = self.twice(base)
            literals = [py.const(arg.value) for arg in args if isinstance(arg, n.Const)]
            fast = py.call_with(f"str_{name}", [again, *literals], [], self.loc(node))
            slow = self.apply("call_method", [again, self.key(name)], args, node)
            return py.if_exp(self.is_short(first, again), fast, slow), "any"
        if name in ("items", "keys", "values") and not args:
            first, again = self.twice(base)
            slow = self.helper("call_method", [again, self.key(name)], node)
            return py.if_exp(self.type_is(first, "dict"), py.method(again, name, []), slow), "any"
        if name == "get" and 1 <= len(args) <= 2 and all(isinstance(arg, n.Const) for arg in args):
            first, again = self.twice(base)
            fast = py.method(again, "get", [self.bare(args[0])[0], *(self.value(arg) for arg in args[1:])])
            slow = self.apply("call_method", [again, self.key(name)], args, node)
            return py.if_exp(self.type_is(first, "dict"), fast, slow), "any"
        return self.apply("call_method", [base, self.key(name)], args, node), "any"

    def is_short(self, first: ast.expr, again: ast.expr) -> ast.expr:
        """Whether a value is a string so short that work on it need not be counted."""
        fits = py.compare(py.call("len", [again]), "<", py.const(SHORT))
        return py.bool_op("and", [self.type_is(first, "str"), fits])

    def are_literals(self, name: str, args: list[n.Expr]) -> bool:
        """Whether a method of str has just what it may take: nothing, or a string literal that is not empty."""
        if not args:
            return name in _NOTHING_NEEDED
        if name == "split" and len(args) == 2 and isinstance(args[1], n.Const) and type(args[1].value) is int:
            args = args[:1]
        if len(args) > 1 or name not in _ONE_NEEDED:
            return False
        arg = args[0]
        return isinstance(arg, n.Const) and isinstance(arg.value, str) and arg.value != ""

    # --- filters -----------------------------------------------------------------------------------

    def expr_Filter(self, node: n.Filter) -> Result:
        name, args = n.named_target(node.target)
        value = self.expr(node.node)
        if not args:
            fast = self.plain_filter(node, name, value)
            if fast is not None:
                return fast
        if name in ("default", "d") and has_default(node, args):
            first, again = self.twice(self.kept(value))
            undefined = self.type_is(first, "Undefined")
            return py.if_exp(undefined, self.value(args[0]), again), "any"
        return self.filter(node, name, [self.kept(value)], args), "str" if name == "tojson" else "any"

    def plain_filter(self, node: n.Filter, name: str, value: Result) -> Result | None:
        """A filter without arguments of the usual kind of value; None if there is nothing to gain."""
        if name in _PLAIN_FILTERS:
            first, again = self.twice(self.kept(value))
            fast = py.call_with(f"str_{_PLAIN_FILTERS[name]}", [again], [], self.loc(node))
            slow = self.filter(node, name, [again], [])
            return py.if_exp(self.is_short(first, again), fast, slow), "any"
        if name in ("length", "count"):
            first, again = self.twice(self.kept(value))
            slow = self.filter(node, name, [again], [])
            return py.if_exp(self.type_is(first, "list"), py.call("len", [again]), slow), "int"
        if name == "string":
            first, again = self.twice(self.kept(value))
            return py.if_exp(self.type_is(first, "str"), again, self.filter(node, name, [again], [])), "any"
        return None

    def filter(self, node: n.Filter, name: str, value: list[ast.expr], args: list[n.Expr]) -> ast.expr:
        """Call of the filter itself."""
        if name not in self.options.filters:
            positional, keywords = self.arguments(args)
            message = py.const(f"No filter named {name!r} found.")
            return py.call_with("unknown", [py.name(RT), message, *value, *positional], keywords, self.loc(node))
        function = f"f_{_safe(name)}"
        self.filters[function] = name
        return self.apply(function, value, args, node)

    # --- tests -------------------------------------------------------------------------------------

    def expr_Test(self, node: n.Test) -> Result:
        found = self.test(node)
        return (py.not_(found) if node.negated else found), "bool"

    def test(self, node: n.Test) -> ast.expr:
        name, args = n.named_target(node.target)
        value = self.value(node.node)
        if not args:
            if name in _TYPE_TESTS:
                op, kind = _TYPE_TESTS[name]
                return py.compare(py.call("type", [value]), op, py.name(kind))
            if name == "none":
                return py.compare(value, "is", py.const(None))
            if name in ("string", "mapping"):
                first, again = self.twice(value)
                kind = "str" if name == "string" else "dict"
                return py.bool_op("or", [self.type_is(first, kind), self.call_test(node, name, again, [])])
        return self.call_test(node, name, value, args)

    def call_test(self, node: n.Test, name: str, value: ast.expr, args: list[n.Expr]) -> ast.expr:
        if name not in self.options.tests:
            positional, keywords = self.arguments(args)
            message = py.const(f"No test named {name!r} found.")
            return py.call_with("unknown", [py.name(RT), message, value, *positional], keywords, self.loc(node))
        function = f"t_{_safe(name)}"
        self.tests[function] = name
        return self.apply(function, [value], args, node)


def _safe(name: str) -> str:
    """A name as part of a Python name: some tests are operators."""
    return "".join(char if char.isalnum() else f"_{ord(char):x}" for char in name)
