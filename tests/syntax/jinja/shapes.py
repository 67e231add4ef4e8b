"""Trees of Jinja2 and of our parser in one neutral form, for comparison."""

from __future__ import annotations

from typing import Any

from jinja2 import nodes as j

from chatjinja.syntax.jinja import nodes as n

_UNARY = {j.Not: "not", j.Neg: "-", j.Pos: "+"}
_BINARY = {
    j.And: "and",
    j.Or: "or",
    j.Add: "+",
    j.Sub: "-",
    j.Mul: "*",
    j.Div: "/",
    j.FloorDiv: "//",
    j.Mod: "%",
    j.Pow: "**",
}
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "lteq": "<=", "gteq": ">=", "in": "in", "notin": "not in"}

Shape = Any


def theirs(node: Any) -> Shape:
    """The form of a node of Jinja2 (or of a list of nodes, or None)."""
    if isinstance(node, list):
        return [shape for item in node for shape in _pieces_of(item)]
    if node is None:
        return None
    return _THEIRS[type(node)](node)


def _pieces_of(item: Any) -> list[Shape]:
    """Statements: what one Output prints are several of ours."""
    if not isinstance(item, j.Output):
        return [theirs(item)]
    return [
        ("data", part.data) if isinstance(part, j.TemplateData) else ("output", theirs(part)) for part in item.nodes
    ]


def _exprs(items: Any) -> list[Shape]:
    return [theirs(item) for item in items]


def _their_args(node: Any) -> Shape:
    keywords = [(item.key, theirs(item.value)) for item in node.kwargs]
    return (_exprs(node.args), keywords, theirs(node.dyn_args), theirs(node.dyn_kwargs))


def _their_params(node: Any) -> Shape:
    plain = len(node.args) - len(node.defaults)
    return [(arg.name, None if i < plain else theirs(node.defaults[i - plain])) for i, arg in enumerate(node.args)]


def _their_not(node: Any) -> Shape:
    return ("unary", "not", theirs(node.node))


def _their_scope(node: Any) -> Shape:
    (inner,) = node.body
    return ("autoescape", theirs(inner.options[0].value), theirs(inner.body))


def _their_call_block(node: Any) -> Shape:
    if isinstance(node.call.node, j.ExtensionAttribute):
        return ("generation", theirs(node.body))
    return ("callblock", theirs(node.call), _their_params(node), theirs(node.body))


def _const(value: object) -> Shape:
    return ("const", type(value).__name__, repr(value))


_THEIRS: dict[type, Any] = {
    j.Template: lambda node: ("template", theirs(node.body)),
    j.Const: lambda node: _const(node.value),
    j.Name: lambda node: ("name", node.name),
    j.NSRef: lambda node: ("nsref", node.name, node.attr),
    j.List: lambda node: ("list", _exprs(node.items)),
    j.Tuple: lambda node: ("tuple", _exprs(node.items)),
    j.Dict: lambda node: ("dict", [(theirs(pair.key), theirs(pair.value)) for pair in node.items]),
    j.Not: _their_not,
    j.Neg: lambda node: ("unary", "-", theirs(node.node)),
    j.Pos: lambda node: ("unary", "+", theirs(node.node)),
    **dict.fromkeys(_BINARY, lambda node: ("binary", _BINARY[type(node)], theirs(node.left), theirs(node.right))),
    j.Compare: lambda node: ("compare", theirs(node.expr), [(_COMPARE[op.op], theirs(op.expr)) for op in node.ops]),
    j.Concat: lambda node: ("concat", _exprs(node.nodes)),
    j.CondExpr: lambda node: ("cond", theirs(node.test), theirs(node.expr1), theirs(node.expr2)),
    j.Filter: lambda node: ("filter", theirs(node.node), node.name, _their_args(node)),
    j.Test: lambda node: ("test", theirs(node.node), node.name, _their_args(node)),
    j.Call: lambda node: ("call", theirs(node.node), _their_args(node)),
    j.Getattr: lambda node: ("attr", theirs(node.node), node.attr),
    j.Getitem: lambda node: ("item", theirs(node.node), theirs(node.arg)),
    j.Slice: lambda node: ("slice", theirs(node.start), theirs(node.stop), theirs(node.step)),
    j.For: lambda node: (
        "for",
        theirs(node.target),
        theirs(node.iter),
        theirs(node.test),
        node.recursive,
        theirs(node.body),
        theirs(node.else_),
    ),
    j.If: lambda node: (
        "if",
        theirs(node.test),
        theirs(node.body),
        [(theirs(branch.test), theirs(branch.body)) for branch in node.elif_],
        theirs(node.else_),
    ),
    j.Assign: lambda node: ("set", theirs(node.target), theirs(node.node)),
    j.AssignBlock: lambda node: ("setblock", theirs(node.target), theirs(node.filter), theirs(node.body)),
    j.FilterBlock: lambda node: ("filterblock", theirs(node.filter), theirs(node.body)),
    j.Macro: lambda node: ("macro", node.name, _their_params(node), theirs(node.body)),
    j.CallBlock: _their_call_block,
    j.With: lambda node: ("with", _exprs(node.targets), _exprs(node.values), theirs(node.body)),
    j.Scope: _their_scope,
    j.Block: lambda node: ("block", node.name, node.scoped, node.required, theirs(node.body)),
    j.Extends: lambda node: ("extends", theirs(node.template)),
    j.Include: lambda node: ("include", theirs(node.template), node.ignore_missing, node.with_context),
    j.Import: lambda node: ("import", theirs(node.template), node.target, node.with_context),
    j.FromImport: lambda node: (
        "from",
        theirs(node.template),
        [(name, name) if isinstance(name, str) else tuple(name) for name in node.names],
        node.with_context,
    ),
    j.Break: lambda node: ("break",),
    j.Continue: lambda node: ("continue",),
}


def ours(node: Any) -> Shape:
    """The form of a node of ours (or of a list of nodes, or None)."""
    if isinstance(node, list):
        return [ours(item) for item in node if not isinstance(item, n.Comment)]
    if node is None or isinstance(node, n.BlockText):
        return None
    return _OURS[type(node)](node)


def _our_args(args: list[n.Expr]) -> Shape:
    plain = [ours(arg) for arg in args if not isinstance(arg, n.Keyword | n.Spread | n.SpreadDict)]
    keywords = [(arg.key.name, ours(arg.value)) for arg in args if isinstance(arg, n.Keyword)]
    spread = [ours(arg.node) for arg in args if isinstance(arg, n.Spread)]
    spread_dict = [ours(arg.node) for arg in args if isinstance(arg, n.SpreadDict)]
    return (plain, keywords, *(spread or [None]), *(spread_dict or [None]))


def _our_params(args: list[n.Expr]) -> Shape:
    return [(arg.key.name, ours(arg.value)) if isinstance(arg, n.Keyword) else (arg.name, None) for arg in args]


def _our_test(node: n.Test) -> Shape:
    name, args = n.named_target(node.target)
    shape = ("test", ours(node.node), name, _our_args(args))
    return ("unary", "not", shape) if node.negated else shape


def _our_filter(node: n.Filter) -> Shape:
    name, args = n.named_target(node.target)
    return ("filter", ours(node.node), name, _our_args(args))


_OURS: dict[type, Any] = {
    n.Template: lambda node: ("template", ours(node.body)),
    n.TemplateData: lambda node: ("data", node.data_text),
    n.Output: lambda node: ("output", ours(node.node)),
    n.Const: lambda node: _const(node.value),
    n.Name: lambda node: ("name", node.name),
    n.NSRef: lambda node: ("nsref", node.name, node.attr),
    n.List: lambda node: ("list", ours(node.items)),
    n.Tuple: lambda node: ("tuple", ours(node.items)),
    n.Dict: lambda node: (
        "dict",
        [(ours(key), ours(value)) for key, value in zip(node.keys, node.values, strict=True)],
    ),
    n.UnaryExpr: lambda node: ("unary", node.op, ours(node.node)),
    n.BinExpr: lambda node: ("binary", node.op, ours(node.left), ours(node.right)),
    n.Compare: lambda node: (
        "compare",
        ours(node.expr),
        [(op, ours(operand)) for op, operand in zip(node.ops, node.operands, strict=True)],
    ),
    n.Concat: lambda node: ("concat", ours(node.items)),
    n.CondExpr: lambda node: ("cond", ours(node.test), ours(node.expr1), ours(node.expr2)),
    n.Filter: _our_filter,
    n.Test: _our_test,
    n.Call: lambda node: ("call", ours(node.node), _our_args(node.args)),
    n.Getattr: lambda node: ("attr", ours(node.node), node.attr.name),
    n.Getitem: lambda node: ("item", ours(node.node), ours(node.arg)),
    n.Slice: lambda node: ("slice", ours(node.start_expr), ours(node.stop), ours(node.step)),
    n.For: lambda node: (
        "for",
        ours(node.target),
        ours(node.iter),
        ours(node.test),
        node.recursive,
        ours(node.body),
        ours(node.else_),
    ),
    n.If: lambda node: (
        "if",
        ours(node.test),
        ours(node.body),
        [(ours(branch.test), ours(branch.body)) for branch in node.elifs],
        ours(node.else_),
    ),
    n.Assign: lambda node: ("set", ours(node.target), ours(node.node)),
    n.AssignBlock: lambda node: ("setblock", ours(node.target), ours(node.filter), ours(node.body)),
    n.FilterBlock: lambda node: ("filterblock", ours(node.filter), ours(node.body)),
    n.Macro: lambda node: ("macro", node.name.name, _our_params(node.args), ours(node.body)),
    n.CallBlock: lambda node: ("callblock", ours(node.call), _our_params(node.args), ours(node.body)),
    n.GenerationBlock: lambda node: ("generation", ours(node.body)),
    n.With: lambda node: ("with", ours(node.targets), ours(node.values), ours(node.body)),
    n.Autoescape: lambda node: ("autoescape", ours(node.value), ours(node.body)),
    n.Block: lambda node: ("block", node.name, node.scoped, node.required, ours(node.body)),
    n.Extends: lambda node: ("extends", ours(node.template)),
    n.Include: lambda node: ("include", ours(node.template), node.ignore_missing, node.with_context),
    n.Import: lambda node: ("import", ours(node.template), node.target, node.with_context),
    n.FromImport: lambda node: ("from", ours(node.template), list(node.names), node.with_context),
    n.Break: lambda node: ("break",),
    n.Continue: lambda node: ("continue",),
}
