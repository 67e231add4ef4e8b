"""The tree of a template in Jinja2's grammar.

Most nodes are those of `chatjinja.syntax.nodes`, in these forms:

* `Const` is a class of its own: ``true``, ``none`` and the like are literals here.
* `BinExpr.op` is one of: or and + - * / % // **. Comparisons are `Compare`, ``~`` is `Concat`.
* `Getattr.attr` is always a `Name`; ``x.0`` is a `Getitem` with a `Const`, ``x[]`` one with an empty `Tuple`,
  and ``x[1:2, 3]`` one with a `Tuple` that holds a `Slice`.
* `Filter.target` and `Test.target` are a `Name` (perhaps with dots in it) or a `Call` of one; see `named_target`.
* `Call.args` holds, in the order of the source, expressions, `Keyword` (its key is a `Name`), at most one
  `Spread` and at most one `SpreadDict`. Expressions come before all others.
* `Macro.name` is a `Name`; the `args` of `Macro` and `CallBlock` are `Name`, or `Keyword` for one with a default.
* A target is a `Name`, a `Tuple` of targets, or in ``set`` also an `NSRef`.
* ``{% print a, b %}`` is one `Output` for each expression, whose extents are those of the expressions.

`start`, `end` and `at` mean what they mean there. For statements `at` is the word of the tag.
"""

from __future__ import annotations

from chatjinja.syntax.nodes import (
    Assign,
    BinExpr,
    Break,
    Call,
    CallBlock,
    Comment,
    CondExpr,
    Continue,
    Dict,
    Elif,
    Expr,
    Filter,
    Getattr,
    Getitem,
    If,
    Keyword,
    List,
    Macro,
    Name,
    Node,
    Output,
    Slice,
    Spread,
    Stmt,
    Template,
    TemplateData,
    Test,
    Tuple,
    UnaryExpr,
)


class Const(Expr):
    """A literal: int, float, str (adjacent string literals are one), bool or None. `at`: the first token."""

    __slots__ = ("value",)
    data = ("value",)

    def __init__(self, value: int | float | str | None) -> None:
        self.value = value


class Compare(Expr):
    """``expr op operand op operand …``: `ops` are of == != < > <= >= in "not in", one for each of `operands`.

    `at`: the first operator.
    """

    __slots__ = ("expr", "operands", "ops")
    fields = ("expr", "operands")
    data = ("ops",)

    def __init__(self, expr: Expr, ops: tuple[str, ...], operands: list[Expr]) -> None:
        self.expr = expr
        self.ops = ops
        self.operands = operands


class Concat(Expr):
    """``a ~ b ~ c``, two items or more. `at`: the first ``~``."""

    __slots__ = ("items",)
    fields = ("items",)

    def __init__(self, items: list[Expr]) -> None:
        self.items = items


class SpreadDict(Expr):
    """``**node`` among arguments. `at`: ``**``."""

    __slots__ = ("node",)
    fields = ("node",)

    def __init__(self, node: Expr) -> None:
        self.node = node


class NSRef(Expr):
    """``name.attr`` as the target of a ``set``. `at`: the name."""

    __slots__ = ("attr", "name")
    data = ("name", "attr")

    def __init__(self, name: str, attr: str) -> None:
        self.name = name
        self.attr = attr


class BlockText(Expr):
    """What the body of the surrounding filter block or set block printed: where its filters begin.

    It takes no place in the source; its extent is empty.
    """

    __slots__ = ()


class For(Stmt):
    """``for target in iter if test recursive``; `test` may be None. `at`: ``for``."""

    __slots__ = ("body", "else_", "iter", "recursive", "target", "test")
    fields = ("target", "iter", "body", "else_", "test")
    data = ("recursive",)

    def __init__(
        self, target: Expr, iter: Expr, test: Expr | None, body: list[Stmt], else_: list[Stmt], recursive: bool
    ) -> None:
        self.target = target
        self.iter = iter
        self.test = test
        self.body = body
        self.else_ = else_
        self.recursive = recursive


class AssignBlock(Stmt):
    """``set target | filter %}…{% endset``; `filter` is None or filters around a `BlockText`."""

    __slots__ = ("body", "filter", "target")
    fields = ("target", "filter", "body")

    def __init__(self, target: Expr, filter: Filter | None, body: list[Stmt]) -> None:
        self.target = target
        self.filter = filter
        self.body = body


class FilterBlock(Stmt):
    """``filter f | g %}…{% endfilter``; `filter` is filters around a `BlockText`."""

    __slots__ = ("body", "filter")
    fields = ("body", "filter")

    def __init__(self, filter: Filter, body: list[Stmt]) -> None:
        self.filter = filter
        self.body = body


class With(Stmt):
    """``with target = value, …``; `targets` and `values` have one length. All values are outer ones."""

    __slots__ = ("body", "targets", "values")
    fields = ("targets", "values", "body")

    def __init__(self, targets: list[Expr], values: list[Expr], body: list[Stmt]) -> None:
        self.targets = targets
        self.values = values
        self.body = body


class Autoescape(Stmt):
    """``autoescape value``: a scope of its own in which escaping is on or off."""

    __slots__ = ("body", "value")
    fields = ("value", "body")

    def __init__(self, value: Expr, body: list[Stmt]) -> None:
        self.value = value
        self.body = body


class Block(Stmt):
    """``block name [scoped] [required]``. Names are unique in a template."""

    __slots__ = ("body", "name", "required", "scoped")
    fields = ("body",)
    data = ("name", "scoped", "required")

    def __init__(self, name: str, body: list[Stmt], scoped: bool, required: bool) -> None:
        self.name = name
        self.body = body
        self.scoped = scoped
        self.required = required


class GenerationBlock(Stmt):
    """``generation``…``endgeneration``: what is printed inside is the assistant's. A scope like a call block's."""

    __slots__ = ("body",)
    fields = ("body",)

    def __init__(self, body: list[Stmt]) -> None:
        self.body = body


class Extends(Stmt):
    """``extends template``; never inside another statement but an ``if``."""

    __slots__ = ("template",)
    fields = ("template",)

    def __init__(self, template: Expr) -> None:
        self.template = template


class Include(Stmt):
    """``include template [ignore missing] [with|without context]``."""

    __slots__ = ("ignore_missing", "template", "with_context")
    fields = ("template",)
    data = ("ignore_missing", "with_context")

    def __init__(self, template: Expr, ignore_missing: bool, with_context: bool) -> None:
        self.template = template
        self.ignore_missing = ignore_missing
        self.with_context = with_context


class Import(Stmt):
    """``import template as target [with|without context]``."""

    __slots__ = ("target", "template", "with_context")
    fields = ("template",)
    data = ("target", "with_context")

    def __init__(self, template: Expr, target: str, with_context: bool) -> None:
        self.template = template
        self.target = target
        self.with_context = with_context


class FromImport(Stmt):
    """``from template import name [as alias], …``; `names` holds pairs of name and alias (often the same)."""

    __slots__ = ("names", "template", "with_context")
    fields = ("template",)
    data = ("names", "with_context")

    def __init__(self, template: Expr, names: tuple[tuple[str, str], ...], with_context: bool) -> None:
        self.template = template
        self.names = names
        self.with_context = with_context


def named_target(target: Expr) -> tuple[str, list[Expr]]:
    """Name and arguments of the target of a `Filter` or `Test`."""
    if isinstance(target, Call):
        assert isinstance(target.node, Name)
        return target.node.name, target.args
    assert isinstance(target, Name)
    return target.name, []


__all__ = [
    "Assign",
    "AssignBlock",
    "Autoescape",
    "BinExpr",
    "Block",
    "BlockText",
    "Break",
    "Call",
    "CallBlock",
    "Comment",
    "Compare",
    "Concat",
    "CondExpr",
    "Const",
    "Continue",
    "Dict",
    "Elif",
    "Expr",
    "Extends",
    "Filter",
    "FilterBlock",
    "For",
    "FromImport",
    "GenerationBlock",
    "Getattr",
    "Getitem",
    "If",
    "Import",
    "Include",
    "Keyword",
    "List",
    "Macro",
    "NSRef",
    "Name",
    "Node",
    "Output",
    "Slice",
    "Spread",
    "SpreadDict",
    "Stmt",
    "Template",
    "TemplateData",
    "Test",
    "Tuple",
    "UnaryExpr",
    "With",
    "named_target",
]
