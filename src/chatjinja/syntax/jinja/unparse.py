"""Tree of Jinja2's grammar to template source.

What `unparse` writes is the same tree again but for places, and renders the same. That holds for trees that
the parser made. Brackets are added only where the source must have had some, so nesting does not grow.
Nothing here recurses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from chatjinja.syntax.jinja import nodes
from chatjinja.syntax.jinja.escapes import literal
from chatjinja.syntax.jinja.expressions import COMPARE, CONCAT, LEVELS, NOT
from chatjinja.syntax.jinja.lexer import OPENER
from chatjinja.syntax.visitor import Access, access_chain

# What a place takes at least; above `LEVELS`.
_ANY: Final = 0
_OR: Final = 1
_ADD: Final = 5
_MULTIPLY: Final = 7
_FILTER: Final = 9
_UNARY: Final = 10
_POSTFIX: Final = 11
_PRIMARY: Final = 12

_INF: Final = "1e999"
_DIGITS: Final = 1000
"""Integers of more digits are written in hexadecimal, because Python does not read very long decimal ones."""


class _Sub(NamedTuple):
    """An expression to be written at a place that takes `level` or more.

    `before_word`: a word follows, which a test without arguments would take as its argument.
    """

    node: nodes.Expr
    level: int = _ANY
    before_word: bool = False


_Items = Sequence["str | _Sub"]
_Parts = list["str | _Sub"]


class _Piece(NamedTuple):
    """A piece of source: a tag or comment (`opener` and `text` between its marks), or text without an opener."""

    opener: str
    text: str


_CLOSERS: Final = {"{%": "%}", "{{": "}}", "{#": "#}"}


def unparse(template: nodes.Template) -> str:
    """Source text for a tree."""
    pieces = _pieces(template)
    out: list[str] = []
    for index, (opener, text) in enumerate(pieces):
        if not opener:
            out.append(text)
            continue
        before = pieces[index - 1] if index else None
        after = pieces[index + 1] if index + 1 < len(pieces) else None
        out.append(opener)
        if _would_be_stripped(opener, before, index == 1) or (opener == "{#" and text.startswith(("-", "+"))):
            out.append("+")
        out.append(text)
        keeps_newline = after is not None and not after.opener and after.text.startswith("\n")
        if opener != "{{" and text != _RAW and (keeps_newline or (opener == "{#" and text.endswith(("-", "+")))):
            out.append("+")
        out.append(_CLOSERS[opener])
    if pieces and not pieces[-1].opener and pieces[-1].text.endswith("\n"):
        out.append("\n")  # the last one is dropped
    return "".join(out)


def _would_be_stripped(opener: str, before: _Piece | None, is_second: bool) -> bool:
    """Whether lstrip_blocks would take blanks away between this tag and what stands before it."""
    if opener == "{{" or before is None or before.opener:
        return False
    _, newline, line = before.text.rpartition("\n")
    return line.isspace() and (bool(newline) or is_second)


# --- statements --------------------------------------------------------------------------------------------

_RAW: Final = " raw "
_Tagged = list["nodes.Stmt | _Piece"]


def _pieces(template: nodes.Template) -> list[_Piece]:
    made: list[_Piece] = []
    todo: _Tagged = list(reversed(template.body))
    while todo:
        piece = todo.pop()
        if isinstance(piece, nodes.TemplateData):
            text = _Piece("", piece.data_text)
            is_raw = bool(OPENER.search(text.text)) or (bool(todo) and text.text.endswith("{"))
            if is_raw or (made and not made[-1].opener):
                made += [_Piece("{%", _RAW), text, _tag("endraw")]
            else:
                made.append(text)
        elif isinstance(piece, _Piece):
            made.append(piece)
        elif isinstance(piece, nodes.Comment):
            made.append(_Piece("{#", piece.text))
        elif isinstance(piece, nodes.Output):
            made.append(_Piece("{{", _write([" ", _Sub(piece.node), " "])))
        else:
            todo.extend(reversed(_statement(piece)))
    return made


def _tag(*items: str | _Sub) -> _Piece:
    return _Piece("{%", _write([" ", *items, " "]))


def _statement(node: nodes.Stmt) -> _Tagged:
    """The tags of a statement, with its bodies between."""
    match node:
        case nodes.Break():
            return [_tag("break")]
        case nodes.Continue():
            return [_tag("continue")]
        case nodes.Assign():
            return [_tag("set ", *_target(node.target), " = ", _Sub(node.node))]
        case nodes.AssignBlock():
            filters = [] if node.filter is None else ["|", *_filters(node.filter)]
            return [_tag("set ", *_target(node.target), *filters), *node.body, _tag("endset")]
        case nodes.FilterBlock():
            return [_tag("filter ", *_filters(node.filter)), *node.body, _tag("endfilter")]
        case nodes.With():
            pairs = zip(node.targets, node.values, strict=True)
            groups: list[_Parts] = [[*_target(target), " = ", _Sub(value)] for target, value in pairs]
            return [_tag("with ", *_separated(groups)), *node.body, _tag("endwith")]
        case nodes.Autoescape():
            return [_tag("autoescape ", _Sub(node.value)), *node.body, _tag("endautoescape")]
        case nodes.GenerationBlock():
            return [_tag("generation"), *node.body, _tag("endgeneration")]
        case nodes.Macro():
            return [_tag("macro ", _Sub(node.name), *_args(node.args)), *node.body, _tag("endmacro")]
        case nodes.CallBlock():
            call = _write([_Sub(node.call)])
            parameters = _args(node.args) if node.args or call.startswith("(") else []
            return [_tag("call", *parameters, " ", call), *node.body, _tag("endcall")]
        case nodes.For():
            return _for(node)
        case nodes.If():
            pieces: _Tagged = [_tag("if ", _Sub(node.test, _OR)), *node.body]
            for branch in node.elifs:
                pieces += [_tag("elif ", _Sub(branch.test, _OR)), *branch.body]
            return [*pieces, *_else(node.else_), _tag("endif")]
        case nodes.Block():
            words = ["block ", node.name, " scoped" * node.scoped, " required" * node.required]
            return [_tag(*words), *node.body, _tag("endblock")]
        case _:
            return [_tag(*_loading(node))]


def _for(node: nodes.For) -> _Tagged:
    items: _Parts = ["for ", *_target(node.target), " in "]
    items.append(_Sub(node.iter, _OR, node.test is not None or node.recursive))
    if node.test is not None:
        items += [" if ", _Sub(node.test, before_word=node.recursive)]
    return [_tag(*items, " recursive" * node.recursive), *node.body, *_else(node.else_), _tag("endfor")]


def _else(body: list[nodes.Stmt]) -> _Tagged:
    return [_tag("else"), *body] if body else []


def _loading(node: nodes.Stmt) -> _Parts:
    """What stands in a tag that names another template."""
    match node:
        case nodes.Include():
            missing = " ignore missing" * node.ignore_missing
            context = "" if node.with_context else " without context"
            return ["include ", _Sub(node.template, before_word=bool(missing or context)), missing, context]
        case nodes.Import():
            context = " with context" * node.with_context
            return ["import ", _Sub(node.template, before_word=True), " as ", node.target, context]
        case nodes.FromImport():
            names = ", ".join(name if name == alias else f"{name} as {alias}" for name, alias in node.names)
            context = " with context" if node.with_context else "" if names else " without context"
            return ["from ", _Sub(node.template, before_word=True), " import ", names, context]
        case _:
            assert isinstance(node, nodes.Extends)
            return ["extends ", _Sub(node.template)]


# --- expressions -------------------------------------------------------------------------------------------


def _write(items: _Items) -> str:
    """Write out items."""
    out: list[str] = []
    todo = list(reversed(items))
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
        else:
            wrapped = _is_wrapped(item)
            inner = ["(", *_parts(item.node, False), ")"] if wrapped else _parts(item.node, item.before_word)
            todo.extend(reversed(inner))
    return "".join(out)


def _is_wrapped(item: _Sub) -> bool:
    """Whether a node needs brackets where it stands."""
    node, level, before_word = item
    if level > _level(node):
        return True
    return before_word and isinstance(node, nodes.Test) and not isinstance(node.target, nodes.Call)


def _has_bare_argument(node: nodes.Test) -> bool:
    """Whether the argument of a test is a variable called ``not``: in brackets that word would be the operator."""
    args = nodes.named_target(node.target)[1]
    return len(args) == 1 and _starts_with_not(args[0])


def _starts_with_not(node: nodes.Expr) -> bool:
    """Whether a chain of accesses and calls starts from a variable called ``not``."""
    base, _ = access_chain(node)
    return isinstance(base, nodes.Name) and base.name == "not"


def _level(node: nodes.Expr) -> int:
    """How strongly a node holds together, as in `LEVELS`."""
    match node:
        case nodes.CondExpr():
            return _ANY
        case nodes.BinExpr():
            return LEVELS[node.op]
        case nodes.Compare():
            return COMPARE
        case nodes.Concat():
            return CONCAT
        case nodes.UnaryExpr():
            return NOT if node.op == "not" else _UNARY
        case nodes.Filter() | nodes.Test():
            return _FILTER
        case nodes.Getattr() | nodes.Getitem() | nodes.Call():
            base, links = access_chain(node)
            return _FILTER if _is_filter_called(base, links) else _POSTFIX
        case _:
            return _PRIMARY


def _is_filter_called(base: nodes.Expr, links: list[Access]) -> bool:
    """Whether a chain can be written without brackets around the filter or test that it calls.

    It must have arguments already, and nothing but calls may follow.
    """
    if not isinstance(base, nodes.Filter | nodes.Test) or not isinstance(base.target, nodes.Call):
        return False
    if isinstance(base, nodes.Test) and _has_bare_argument(base):
        return False
    return all(isinstance(link, nodes.Call) for link in links)


def _parts(node: nodes.Expr, before_word: bool) -> _Parts:
    """What a node consists of, without brackets around it."""
    match node:
        case nodes.Name():
            return [node.name]
        case nodes.NSRef():
            return [f"{node.name}.{node.attr}"]
        case nodes.Const():
            return [_constant(node.value)]
        case nodes.List():
            return ["[", *_joined(node.items), "]"]
        case nodes.Tuple():
            return ["(", *_joined(node.items), "," * (len(node.items) == 1), ")"]
        case nodes.Dict():
            pairs = zip(node.keys, node.values, strict=True)
            return ["{", *_separated([[_Sub(key), ": ", _Sub(value)] for key, value in pairs]), "}"]
        case nodes.UnaryExpr():
            if node.op == "not":
                return ["not ", _Sub(node.node, NOT, before_word)]
            return [node.op, _Sub(node.node, _UNARY)]
        case nodes.BinExpr() | nodes.Compare() | nodes.Concat():
            return _operators(node, before_word)
        case nodes.CondExpr():
            return _conditional(node, before_word)
        case nodes.Filter():
            return [_Sub(node.node, _FILTER), "|", *_named(node.target)]
        case nodes.Test():
            word = " is not " if node.negated else " is "
            target = _named(node.target)
            if _has_bare_argument(node):
                name, args = nodes.named_target(node.target)
                target = [name, " ", _Sub(args[0], _POSTFIX)]
            return [_Sub(node.node, _FILTER, True), word, *target]
        case _:
            return _accesses(node)


def _operators(node: nodes.Expr, before_word: bool) -> _Parts:
    """Operands with operators between; only the last one stands before what follows."""
    if isinstance(node, nodes.BinExpr):
        level = LEVELS[node.op]
        ops, operands, first, others = [node.op], [node.left, node.right], level, level + 1
    elif isinstance(node, nodes.Compare):
        ops, operands, first, others = [*node.ops], [node.expr, *node.operands], _ADD, _ADD
    else:
        assert isinstance(node, nodes.Concat)
        ops, operands, first, others = ["~"] * (len(node.items) - 1), node.items, _MULTIPLY, _MULTIPLY
    parts: _Parts = [_Sub(operands[0], first, ops[0] in ("in", "not in"))]
    for index, op in enumerate(ops):
        follows = ops[index + 1] in ("in", "not in") if index + 1 < len(ops) else before_word
        parts += [f" {op} ", _Sub(operands[index + 1], others, follows)]
    return parts


def _conditional(node: nodes.CondExpr, before_word: bool) -> _Parts:
    chained = isinstance(node.expr1, nodes.CondExpr) and node.expr1.expr2 is None
    value = _Sub(node.expr1, _ANY if chained else _OR, True)
    if node.expr2 is None:
        return [value, " if ", _Sub(node.test, _OR, before_word)]
    return [value, " if ", _Sub(node.test, _OR), " else ", _Sub(node.expr2, _ANY, before_word)]


def _accesses(node: nodes.Expr) -> _Parts:
    base, links = access_chain(node)
    parts: _Parts = [_Sub(base, _FILTER if _is_filter_called(base, links) else _PRIMARY)]
    for link in links:
        if isinstance(link, nodes.Getattr):
            parts += [".", _Sub(link.attr)]
        elif isinstance(link, nodes.Call):
            parts += _args(link.args)
        else:
            parts += ["[", *_subscript(link.arg), "]"]
    return parts


def _subscript(arg: nodes.Expr | None) -> _Parts:
    assert arg is not None  # in this grammar
    if not isinstance(arg, nodes.Slice):
        return [_Sub(arg)]
    parts: _Parts = [":"] if arg.start_expr is None else [_Sub(arg.start_expr), ":"]
    if arg.stop is not None:
        parts.append(_Sub(arg.stop))
    return parts if arg.step is None else [*parts, ":", _Sub(arg.step)]


def _named(target: nodes.Expr) -> _Parts:
    """A filter or test with its arguments."""
    name, args = nodes.named_target(target)
    return [name, *_args(args)] if isinstance(target, nodes.Call) else [name]


def _filters(chain: nodes.Filter) -> _Parts:
    """The filters of a block, the first one first."""
    links: list[_Parts] = []
    node: nodes.Expr = chain
    while isinstance(node, nodes.Filter):
        links.append(_named(node.target))
        node = node.node
    return _separated(links[::-1], "|")


def _args(args: list[nodes.Expr]) -> _Parts:
    written: list[_Parts] = []
    for arg in args:
        match arg:
            case nodes.Keyword():
                written.append([_Sub(arg.key), "=", _Sub(arg.value)])
            case nodes.Spread():
                written.append(["*", _Sub(arg.node)])
            case nodes.SpreadDict():
                written.append(["**", _Sub(arg.node)])
            case _:
                written.append([_Sub(arg)])
    return ["(", *_separated(written), ")"]


def _target(node: nodes.Expr) -> _Parts:
    """Targets with commas between; a tuple in a tuple has brackets."""
    if not isinstance(node, nodes.Tuple) or not node.items:
        return [_Sub(node)]
    groups: list[_Parts] = [[_Sub(item)] for item in node.items]
    return [*_separated(groups), "," * (len(groups) == 1)]


def _joined(items: list[nodes.Expr]) -> _Parts:
    return _separated([[_Sub(item)] for item in items])


def _separated(groups: list[_Parts], separator: str = ", ") -> _Parts:
    items: _Parts = []
    for group in groups:
        items += [separator, *group] if items else group
    return items


def _constant(value: int | float | str | None) -> str:
    """A literal of this value."""
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if value.bit_length() < 3 * _DIGITS else hex(value)
    return _INF if math.isinf(value) else repr(value)
