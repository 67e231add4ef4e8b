"""The tree of a template. Node names are Jinja2's; `Node.reference` is llama.cpp's name for the same thing.

Every node knows three character offsets in the normalised source: `start` and `end` are its extent,
`at` is the place that llama.cpp reports for it (the operator of a binary expression, the keyword of a
statement, the first ``.`` or ``[`` of a chain of accesses, …; ``docs/positions.md`` lists them).
An extent covers the brackets around the node's operands, but not those around the node itself (those of
a `Tuple` are its own). A statement reaches from its ``{%`` to the ``%}`` of its last tag, an `Elif` to the
end of its body.

Trees can be deep on the left: ``a + b + c + …`` is 10,000 nested `BinExpr`. Whoever walks a tree must
not recurse along that spine (`chatjinja.syntax.visitor` has iterative walks).
"""

from __future__ import annotations

from typing import ClassVar


class Node:
    """Base of all nodes.

    `fields` names the attributes that hold children (a node, None, or a list of nodes); other attributes
    are plain data. Two nodes are equal if they are of one type and all fields and data are equal; places
    do not count (use `chatjinja.syntax.visitor.same_tree`, which does not recurse).
    """

    __slots__ = ("at", "end", "start")
    fields: ClassVar[tuple[str, ...]] = ()
    data: ClassVar[tuple[str, ...]] = ()
    reference: ClassVar[str] = "Statement"

    start: int
    end: int
    at: int


class Stmt(Node):
    """A piece of a body."""

    __slots__ = ()


class Expr(Node):
    """Something with a value."""

    __slots__ = ()
    reference = "Expression"


# --- expressions ---------------------------------------------------------------------------------------


class Const(Expr):
    """An integer, float or string literal (adjacent string literals are one). `at`: the first token."""

    __slots__ = ("value",)
    data = ("value",)

    def __init__(self, value: int | float | str) -> None:
        self.value = value

    @property
    def reference(self) -> str:  # type: ignore[override]  # depends on the value's type
        kind = type(self.value)
        return "StringLiteral" if kind is str else "IntegerLiteral" if kind is int else "FloatLiteral"


class Name(Expr):
    """A variable. `true`, `none`, … are names too. `at`: the token."""

    __slots__ = ("name",)
    data = ("name",)
    reference = "Identifier"

    def __init__(self, name: str) -> None:
        self.name = name


class List(Expr):
    """``[a, b]``. `at`: the bracket."""

    __slots__ = ("items",)
    fields = ("items",)
    reference = "ArrayLiteral"

    def __init__(self, items: list[Expr]) -> None:
        self.items = items


class Tuple(Expr):
    """``(a, b)`` or ``a, b`` where a list of targets or values may stand. `at`: the first item's first token."""

    __slots__ = ("items",)
    fields = ("items",)
    reference = "TupleLiteral"

    def __init__(self, items: list[Expr]) -> None:
        self.items = items


class Dict(Expr):
    """``{k: v}``; `keys` and `values` have one length. `at`: the bracket."""

    __slots__ = ("keys", "values")
    fields = ("keys", "values")
    reference = "ObjectLiteral"

    def __init__(self, keys: list[Expr], values: list[Expr]) -> None:
        self.keys = keys
        self.values = values


class UnaryExpr(Expr):
    """`op` is ``not``, ``-`` or ``+``. `at`: the operator. A signed literal is a `Const`."""

    __slots__ = ("node", "op")
    fields = ("node",)
    data = ("op",)
    reference = "UnaryExpression"

    def __init__(self, op: str, node: Expr) -> None:
        self.op = op
        self.node = node


class BinExpr(Expr):
    """`op`: or and == != < > <= >= in "not in" + - ~ * / % // **. `at`: the operator (`not` of ``not in``)."""

    __slots__ = ("left", "op", "right")
    fields = ("left", "right")
    data = ("op",)
    reference = "BinaryExpression"

    def __init__(self, op: str, left: Expr, right: Expr) -> None:
        self.op = op
        self.left = left
        self.right = right


class CondExpr(Expr):
    """``expr1 if test else expr2``; `expr2` is None without else.

    `at`: the ``else`` (reference name Ternary), without else the ``if`` (SelectExpression).
    """

    __slots__ = ("expr1", "expr2", "test")
    fields = ("test", "expr1", "expr2")

    def __init__(self, test: Expr, expr1: Expr, expr2: Expr | None) -> None:
        self.test = test
        self.expr1 = expr1
        self.expr2 = expr2

    @property
    def reference(self) -> str:  # type: ignore[override]  # depends on the shape
        return "SelectExpression" if self.expr2 is None else "Ternary"


class Filter(Expr):
    """``node|target``; `target` is a `Name`, a `Call` of one, or something that fails when run. `at`: ``|``."""

    __slots__ = ("node", "target")
    fields = ("node", "target")
    reference = "FilterExpression"

    def __init__(self, node: Expr, target: Expr) -> None:
        self.node = node
        self.target = target


class Test(Expr):
    """``node is [not] target``; `target` as in `Filter`. `at`: ``is``."""

    __slots__ = ("negated", "node", "target")
    __test__ = False  # not a test class for pytest
    fields = ("node", "target")
    data = ("negated",)
    reference = "TestExpression"

    def __init__(self, node: Expr, target: Expr, negated: bool) -> None:
        self.node = node
        self.target = target
        self.negated = negated


class Getattr(Expr):
    """``node.attr``. `attr` is a `Name` or an integer `Const`; any other primary expression fails when run.

    `at`: the first ``.`` or ``[`` of the chain that this access belongs to (a call ends a chain).
    """

    __slots__ = ("attr", "node")
    fields = ("node", "attr")
    reference = "MemberExpression"

    def __init__(self, node: Expr, attr: Expr) -> None:
        self.node = node
        self.attr = attr


class Getitem(Expr):
    """``node[arg]``; `arg` is an expression, a `Slice`, or None for ``node[]``. `at`: as for `Getattr`."""

    __slots__ = ("arg", "node")
    fields = ("node", "arg")
    reference = "MemberExpression"

    def __init__(self, node: Expr, arg: Expr | None) -> None:
        self.node = node
        self.arg = arg


class Slice(Expr):
    """``start:stop:step`` inside `Getitem`. `at`: its first token."""

    __slots__ = ("start_expr", "step", "stop")
    fields = ("start_expr", "stop", "step")
    reference = "SliceExpression"

    def __init__(self, start_expr: Expr | None, stop: Expr | None, step: Expr | None) -> None:
        self.start_expr = start_expr
        self.stop = stop
        self.step = step


class Keyword(Expr):
    """``key=value`` among arguments; a `key` that is no `Name` fails when run. `at`: ``=``."""

    __slots__ = ("key", "value")
    fields = ("key", "value")
    reference = "KeywordArgumentExpression"

    def __init__(self, key: Expr, value: Expr) -> None:
        self.key = key
        self.value = value


class Spread(Expr):
    """``*node`` among arguments. `at`: ``*``."""

    __slots__ = ("node",)
    fields = ("node",)
    reference = "SpreadExpression"

    def __init__(self, node: Expr) -> None:
        self.node = node


class Call(Expr):
    """``node(args)``. `at`: the ``(``; in a call statement the word ``call``; for ``is name arg`` the arg."""

    __slots__ = ("args", "node")
    fields = ("node", "args")
    reference = "CallExpression"

    def __init__(self, node: Expr, args: list[Expr]) -> None:
        self.node = node
        self.args = args


# --- statements ----------------------------------------------------------------------------------------


class TemplateData(Stmt):
    """Text outside tags, already stripped. `at`: where the stretch began in the source, before stripping."""

    __slots__ = ("data_text",)
    data = ("data_text",)
    reference = "StringLiteral"

    def __init__(self, data_text: str) -> None:
        self.data_text = data_text


class Comment(Stmt):
    """``{# text #}``. Prints nothing, but text before and after it are two pieces. `at`: the ``{#``."""

    __slots__ = ("text",)
    data = ("text",)
    reference = "Comment"

    def __init__(self, text: str) -> None:
        self.text = text


class Output(Stmt):
    """``{{ node }}``. `at`: the ``{{``."""

    __slots__ = ("node",)
    fields = ("node",)

    def __init__(self, node: Expr) -> None:
        self.node = node


class Generation(Stmt):
    """``{% generation %}`` or ``{% endgeneration %}`` (`opening` tells). `at`: the word."""

    __slots__ = ("opening",)
    data = ("opening",)
    reference = "Noop"

    def __init__(self, opening: bool) -> None:
        self.opening = opening


class Break(Stmt):
    """`at`: the word."""

    __slots__ = ()
    reference = "Break"


class Continue(Stmt):
    """`at`: the word."""

    __slots__ = ()
    reference = "Continue"


class Elif(Node):
    """One ``elif`` branch of an `If`. `at`: the ``{%`` of its tag."""

    __slots__ = ("body", "test")
    fields = ("test", "body")
    reference = "If"

    def __init__(self, test: Expr, body: list[Stmt]) -> None:
        self.test = test
        self.body = body


class If(Stmt):
    """`at`: the word ``if``."""

    __slots__ = ("body", "elifs", "else_", "test")
    fields = ("test", "body", "elifs", "else_")
    reference = "If"

    def __init__(self, test: Expr, body: list[Stmt], elifs: list[Elif], else_: list[Stmt]) -> None:
        self.test = test
        self.body = body
        self.elifs = elifs
        self.else_ = else_


class For(Stmt):
    """``for target in iter``. A loop filter is an `iter` that is a `CondExpr` without else. `at`: ``for``.

    `target` is a primary expression or a `Tuple` of them.
    """

    __slots__ = ("body", "else_", "iter", "target")
    fields = ("target", "iter", "body", "else_")
    reference = "For"

    def __init__(self, target: Expr, iter: Expr, body: list[Stmt], else_: list[Stmt]) -> None:
        self.target = target
        self.iter = iter
        self.body = body
        self.else_ = else_


class Assign(Stmt):
    """``set target = node``; `target` is any expression (a `Tuple` for several). `at`: ``set``."""

    __slots__ = ("node", "target")
    fields = ("target", "node")
    reference = "Set"

    def __init__(self, target: Expr, node: Expr) -> None:
        self.target = target
        self.node = node


class AssignBlock(Stmt):
    """``set target %}…{% endset``. `at`: ``set``."""

    __slots__ = ("body", "target")
    fields = ("target", "body")
    reference = "Set"

    def __init__(self, target: Expr, body: list[Stmt]) -> None:
        self.target = target
        self.body = body


class Macro(Stmt):
    """``macro name(args)``; `name` and `args` are expressions that may fail when run. `at`: ``macro``."""

    __slots__ = ("args", "body", "name")
    fields = ("name", "args", "body")
    reference = "Macro"

    def __init__(self, name: Expr, args: list[Expr], body: list[Stmt]) -> None:
        self.name = name
        self.args = args
        self.body = body


class CallBlock(Stmt):
    """``call(args) call``; `args` are the caller's parameters. `at`: ``call``."""

    __slots__ = ("args", "body", "call")
    fields = ("call", "args", "body")
    reference = "CallStatement"

    def __init__(self, call: Call, args: list[Expr], body: list[Stmt]) -> None:
        self.call = call
        self.args = args
        self.body = body


class FilterBlock(Stmt):
    """``filter target``; `target` as in `Filter`. `at`: ``filter``."""

    __slots__ = ("body", "target")
    fields = ("target", "body")
    reference = "FilterStatement"

    def __init__(self, target: Expr, body: list[Stmt]) -> None:
        self.target = target
        self.body = body


class Template(Node):
    """The whole template."""

    __slots__ = ("body",)
    fields = ("body",)
    reference = "Program"

    def __init__(self, body: list[Stmt]) -> None:
        self.body = body
