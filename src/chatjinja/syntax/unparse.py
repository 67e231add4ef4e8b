"""Tree to template source.

What `unparse` writes, parsed again with the same `SyntaxConfig`, is the same tree but for places, and
renders the same. That holds for trees that the parser made: a text that no source can express, say one
that contains ``{{`` without raw blocks, is written as it is. Brackets are added only where the source
must have had some, so nesting does not grow. Nothing here recurses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from chatjinja.syntax import nodes
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.expressions import LEVELS, NOT
from chatjinja.syntax.lexer import ESCAPES, LINE_BLANKS, OPENER, STRIPPED
from chatjinja.syntax.visitor import Access, access_chain

# What a place takes at least; above `LEVELS`. Unary signs bind more tightly than filters.
_ANY: Final = 0
_OR: Final = 1
_TEST: Final = 8
_FILTER: Final = 9
_UNARY: Final = 10
_CHAIN: Final = 11
_PRIMARY: Final = 12

# What comes behind an expression, as far as the expression must care.
_HARMLESS: Final = 0
_WORD: Final = 1  # "in", "is", "if", "not": a test without arguments would take it as its argument
_SIGN: Final = 2  # "+" or "-" between two operands: behind "}" it would be a prefix

_ESCAPED = {ord(char): "\\" + letter for letter, char in ESCAPES.items() if char not in "'\""}
_SIGN_IS_BINARY_AFTER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'\")]")


class _Sub(NamedTuple):
    """An expression to be written at a place that takes `level` or more, before what `follow` says."""

    node: nodes.Expr
    level: int = _ANY
    follow: int = _HARMLESS


_Items = Sequence["str | _Sub"]


class _Piece(NamedTuple):
    """A piece of source between which stripping happens: a tag, a comment, or (`opener` empty) text."""

    opener: str
    text: str


def unparse(template: nodes.Template, config: SyntaxConfig) -> str:
    """Source text for a tree."""
    pieces = _pieces(template, config)
    out: list[str] = []
    before = ""
    for index, (opener, text) in enumerate(pieces):
        if opener:
            out.append(text)
            before = opener
            continue
        after = pieces[index + 1] if index + 1 < len(pieces) else None
        if text.startswith("\n") and before in ("{%", "{#"):
            out.append("\n")  # for trim_blocks
        out.append(text)
        if after is None:
            out.append("\n" if text.endswith("\n") else "")  # the last one is dropped
        elif text.endswith("{") or (index == 0 and after.opener != "{{" and _would_be_lost(text, config)):
            # A dash takes the newline away again; a comment with such a text before it has one already.
            out.append("\n")
            if after.opener != "{#":
                pieces[index + 1] = _Piece(after.opener, after.opener + "-" + after.text[2:])
    return "".join(out)


def _would_be_lost(text: str, config: SyntaxConfig) -> bool:
    """Whether lstrip_blocks would drop the source's first character, which is all of this text."""
    kept = text.rstrip(LINE_BLANKS)
    return config.lstrip_drops_first_character and len(kept) <= 1 and (kept.isascii() or "\udc80" <= kept <= "\udcff")


# --- statements --------------------------------------------------------------------------------------------


def _pieces(template: nodes.Template, config: SyntaxConfig) -> list[_Piece]:
    made: list[_Piece] = []
    todo: list[nodes.Stmt | _Piece] = list(reversed(template.body))
    while todo:
        piece = todo.pop()
        if type(piece) is nodes.TemplateData:
            text = _Piece("", piece.data_text)
            if config.raw_blocks and _must_be_raw(text.text, made[-1:], todo[-1:]):
                made += [_tag("raw"), text, _tag("endraw")]
            else:
                made.append(text)
        elif isinstance(piece, _Piece):
            made.append(piece)
        elif type(piece) is nodes.Comment:
            made.append(_Piece("{#", "{#" + piece.text + "#}"))
        elif type(piece) is nodes.Output:
            made.append(_Piece("{{", _write(["{{ ", _Sub(piece.node), " }}"])))
        else:
            todo.extend(reversed(_statement(piece)))
    return made


def _must_be_raw(text: str, before: list[_Piece], after: list[nodes.Stmt | _Piece]) -> bool:
    """Whether a text can only stand in a raw block, given its neighbours, if there are any."""
    following = after[0] if after else None
    if type(following) is nodes.TemplateData or OPENER.search(text):
        return True
    if type(following) is nodes.Comment and following.text.startswith("-") and text[-1] in STRIPPED:
        return True
    return bool(before) and before[0].text.endswith("-#}") and text[0] in STRIPPED


def _tag(*items: str | _Sub) -> _Piece:
    return _Piece("{%", _write(["{% ", *items, " %}"]))


def _statement(node: nodes.Stmt) -> list[nodes.Stmt | _Piece]:
    """The tags of a statement, with its bodies between."""
    match node:
        case nodes.Break():
            return [_tag("break")]
        case nodes.Continue():
            return [_tag("continue")]
        case nodes.Generation():
            return [_tag("generation" if node.opening else "endgeneration")]
        case nodes.Assign():
            return [_tag("set ", *_sequence(node.target), " = ", *_sequence(node.node))]
        case nodes.AssignBlock():
            return [_tag("set ", *_sequence(node.target)), *node.body, _tag("endset")]
        case nodes.Macro():
            return [_tag("macro ", _Sub(node.name, _PRIMARY), *_args(node.args)), *node.body, _tag("endmacro")]
        case nodes.CallBlock():
            parameters = _args(node.args) if node.args else []
            call = [_Sub(node.call.node), *_args(node.call.args)]
            return [_tag("call", *parameters, " ", *call), *node.body, _tag("endcall")]
        case nodes.FilterBlock():
            return [_tag("filter ", *_target(node.target, _HARMLESS, of_block=True)), *node.body, _tag("endfilter")]
        case nodes.For():
            opening = _tag("for ", *_sequence(node.target, _PRIMARY), " in ", _Sub(node.iter))
            return [opening, *node.body, *_else(node.else_), _tag("endfor")]
        case _:
            assert isinstance(node, nodes.If)
            pieces: list[nodes.Stmt | _Piece] = [_tag("if ", _Sub(node.test)), *node.body]
            for branch in node.elifs:
                pieces += [_tag("elif ", _Sub(branch.test)), *branch.body]
            return [*pieces, *_else(node.else_), _tag("endif")]


def _else(body: list[nodes.Stmt]) -> list[nodes.Stmt | _Piece]:
    return [_tag("else"), *body] if body else []


# --- expressions -------------------------------------------------------------------------------------------


def _write(items: _Items) -> str:
    """Write out items: strings as they are, but for what must stand between two of them."""
    out: list[str] = []
    todo = list(reversed(items))
    last = ""
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            if _needs_blank(last, item):
                out.append(" ")
            out.append(item)
            last = item
            continue
        wrapped = item.level > _level(item.node) or _is_misread(item, last)
        inner = ["(", *_parts(item.node, _HARMLESS), ")"] if wrapped else _parts(item.node, item.follow)
        todo.extend(reversed(inner))
    return "".join(out)


def _needs_blank(last: str, item: str) -> bool:
    """Whether two pieces would run into one token: ``- 1``, ``{ {``, ``1 .0``."""
    if last in ("-", "+"):
        return item[0].isdigit()
    return (last == "{" and item == "{") or (item == "." and last[0] in "-0123456789")


def _level(node: nodes.Expr) -> int:
    """How strongly a node holds together, as in `LEVELS`."""
    match node:
        case nodes.CondExpr():
            return _ANY
        case nodes.BinExpr():
            return LEVELS[node.op] if node.op != "not in" else LEVELS["in"]
        case nodes.UnaryExpr():
            return NOT if node.op == "not" else _UNARY
        case nodes.Test():
            return _TEST
        case nodes.Filter():
            return _FILTER
        case nodes.Getattr() | nodes.Getitem() | nodes.Call():
            return _CHAIN
        case _:
            return _PRIMARY


def _is_misread(item: _Sub, last: str) -> bool:
    """Whether what stands around would change how this is read, so that it needs brackets."""
    node, _, follow = item
    match node:
        case nodes.Const():
            return _is_signed(node) and last.rstrip()[-1] in _SIGN_IS_BINARY_AFTER
        case nodes.UnaryExpr():
            return node.op != "not" and last.rstrip()[-1] in _SIGN_IS_BINARY_AFTER
        case nodes.Dict():
            return follow == _SIGN
        case nodes.Test():
            return follow == _WORD and _ends_open(node) and not _starts_with_not(node)
        case nodes.BinExpr():
            # Brackets around the test alone would make its first name the operator.
            return follow == _WORD and _ends_open(node.right) and _starts_with_not(node.right)
        case _:
            return False


def _starts_with_not(node: nodes.Expr) -> bool:
    """Whether the first word is a variable named ``not``. At the start of an expression it is the operator."""
    while True:
        match node:
            case nodes.BinExpr():
                node = node.left
            case nodes.Getattr() | nodes.Getitem() | nodes.Call() | nodes.Filter() | nodes.Test():
                node = node.node
            case _:
                return type(node) is nodes.Name and node.name == "not"


def _ends_open(node: nodes.Expr) -> bool:
    """Whether it ends with a test that would take a following word as its argument."""
    while isinstance(node, nodes.BinExpr):
        node = node.right
    return type(node) is nodes.Test and not any(type(link) is nodes.Call for link in access_chain(node.target)[1])


def _parts(node: nodes.Expr, follow: int) -> list[str | _Sub]:
    """What a node consists of, without brackets around it."""
    match node:
        case nodes.Name():
            return [node.name]
        case nodes.Const():
            return [_literal(node.value)]
        case nodes.List():
            return ["[", *_joined(node.items), "]"]
        case nodes.Tuple():
            return ["(", *_joined(node.items), ")"]
        case nodes.Dict():
            pairs = zip(node.keys, node.values, strict=True)
            return ["{", *_separated([[_Sub(key), ": ", _Sub(value)] for key, value in pairs]), "}"]
        case nodes.UnaryExpr():
            return (
                ["not ", _Sub(node.node, NOT, follow)]
                if node.op == "not"
                else [node.op, _Sub(node.node, _UNARY, follow)]
            )
        case nodes.BinExpr():
            return _binary(node, follow)
        case nodes.CondExpr():
            value = _Sub(node.expr1, _OR, _WORD)
            if node.expr2 is None:
                return [value, " if ", _Sub(node.test, _OR)]
            return [value, " if ", _Sub(node.test, _OR), " else ", _Sub(node.expr2)]
        case nodes.Filter():
            return [_Sub(node.node, _FILTER), "|", *_target(node.target, follow)]
        case nodes.Test():
            word = " is not " if node.negated else " is "
            return [_Sub(node.node, _TEST, _WORD), word, *_target(node.target, follow)]
        case _:
            base, links = access_chain(node)
            return [_Sub(base, _PRIMARY), *_links(links)]


def _binary(node: nodes.BinExpr, follow: int) -> list[str | _Sub]:
    op, level = node.op, _level(node)
    before_op = _WORD if op in ("in", "not in") else _SIGN if op in ("+", "-") else _HARMLESS
    return [_Sub(node.left, level, before_op), f" {op} ", _Sub(node.right, level + 1, follow)]


def _links(links: list[Access]) -> list[str | _Sub]:
    items: list[str | _Sub] = []
    for link in links:
        if isinstance(link, nodes.Getattr):
            items += [".", _Sub(link.attr, _PRIMARY)]
        elif isinstance(link, nodes.Call):
            items += _args(link.args)
        else:
            items += ["[", *_subscript(link.arg), "]"]
    return items


def _subscript(arg: nodes.Expr | None) -> list[str | _Sub]:
    if not isinstance(arg, nodes.Slice):
        return [] if arg is None else [_Sub(arg)]
    start, stop, step = arg.start_expr, arg.stop, arg.step
    items: list[str | _Sub] = [":"] if start is None else [_Sub(start), ":"]
    if stop is not None:
        items.append(_Sub(stop))
    if step is not None:
        items += [":", _Sub(step)]
    return items


def _target(target: nodes.Expr, follow: int, of_block: bool = False) -> list[str | _Sub]:
    """What stands behind ``|`` or ``is``: a primary, and if a call follows directly, any chain."""
    base, links = access_chain(target)
    if not links:
        return [_Sub(target, _PRIMARY, follow)]
    calls = [index for index, link in enumerate(links) if type(link) is nodes.Call]
    if not calls or (of_block and (calls[0] > 0 or type(base) is not nodes.Name)):
        return ["(", _Sub(target), ")"]
    if type(target) is nodes.Call and len(target.args) == 1 and _starts_with_not(target.args[0]):
        return [_Sub(target.node, _PRIMARY), " ", _Sub(target.args[0], _UNARY)]
    return [_Sub(links[calls[0]].node, _PRIMARY), *_links(links[calls[0] :])]


def _args(args: list[nodes.Expr]) -> list[str | _Sub]:
    written: list[list[str | _Sub]] = []
    for arg in args:
        match arg:
            case nodes.Keyword():
                written.append([_Sub(arg.key), "=", _Sub(arg.value)])
            case nodes.Spread():
                written.append(["*", _Sub(arg.node)])
            case _:
                written.append([_Sub(arg)])
    return ["(", *_separated(written), ")"]


def _sequence(node: nodes.Expr, level: int = _ANY) -> list[str | _Sub]:
    """Targets or values with commas between."""
    return _joined(node.items, level) if isinstance(node, nodes.Tuple) else [_Sub(node, level)]


def _joined(items: list[nodes.Expr], level: int = _ANY) -> list[str | _Sub]:
    return _separated([[_Sub(item, level)] for item in items])


def _separated(groups: list[list[str | _Sub]]) -> list[str | _Sub]:
    items: list[str | _Sub] = []
    for group in groups:
        items += [", ", *group] if items else group
    return items


def _is_signed(node: nodes.Const) -> bool:
    return not isinstance(node.value, str) and math.copysign(1, node.value) < 0


def _literal(value: int | float | str) -> str:
    """A literal of this value. Floats have no exponent; their shortest digits give the same float again."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        digits = format(Decimal(repr(value)), "f")
        return digits if "." in digits else digits + ".0"
    text = value.translate(_ESCAPED)
    if "'" not in text:
        return f"'{text}'"
    return f'"{text}"' if '"' not in text else "'" + text.replace("'", "\\'") + "'"
