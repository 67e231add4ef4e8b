"""Expressions: llama.cpp's grammar by operator precedence.

Nesting costs at most three Python frames per level (`parse_expression`, `parse_operand`, and one for the
bracket), and everything that only goes on and on (operators, accesses, calls, filters, tests,
conditionals) is read in a loop, so a source can be of any length, and a hostile one meets
`SyntaxConfig.max_nesting` long before Python's own limit.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final, NamedTuple

from chatjinja.syntax import nodes
from chatjinja.syntax import tokens as t
from chatjinja.syntax.reader import TokenReader

NOT: Final = 3
CONDITIONAL: Final = 0
END: Final = -1
LEVELS: Final = {
    "if": CONDITIONAL,
    "else": CONDITIONAL,
    "or": 1,
    "and": 2,
    "in": 4,
    "not": 4,  # the first word of ``not in``; the prefix has a level of its own
    "==": 4,
    "!=": 4,
    "<": 4,
    ">": 4,
    "<=": 4,
    ">=": 4,
    "+": 5,
    "-": 5,
    "~": 5,
    "*": 6,
    "/": 6,
    "%": 6,
    "//": 6,
    "**": 7,
}
"""What may follow an operand, and how strongly it binds. Equal levels group to the left."""
NOT_AN_ARGUMENT: Final = frozenset(["and", "or", "else"])
"""Any other word behind ``is NAME`` is taken as the test's argument, also ``is``, ``if`` and ``in``."""

_INT64_DIGITS = 19
_SMALLEST_NORMAL = 2.2250738585072014e-308
_OPERATOR_TYPES = frozenset([t.IDENTIFIER, t.ADDITIVE, t.MULTIPLICATIVE, t.COMPARISON])
_ARGUMENT_TYPES = frozenset([t.NUMBER, t.STRING, t.OPEN_CURLY, t.OPEN_SQUARE, t.IDENTIFIER])
_CHAIN_TYPES = frozenset([t.DOT, t.OPEN_SQUARE, t.OPEN_PAREN])


class _Pending(NamedTuple):
    """An operator whose last operand is still being read."""

    level: int
    op: str
    start: int
    at: int
    left: nodes.Expr | None
    test: nodes.Expr | None = None


class _Link(NamedTuple):
    """A ``|`` or ``is`` whose target is being read."""

    at: int
    is_test: bool
    negated: bool


class ExpressionParser(TokenReader):
    """Reads expressions from a table of tokens."""

    def expect(self, type_: int, shown: str) -> None:
        """Take a token of this type; `shown` is how the message calls it."""
        pos = self.pos
        if self.types[pos] != type_:
            message = f"Parser Error: Expected {shown} (Got {self.values[pos]})"
            self.error(message, "parse-expected-token", pos, "parse")
        self.pos = pos + 1

    # --- operators -------------------------------------------------------------------------------------

    def parse_expression(self) -> nodes.Expr:
        """Read one expression, conditionals included."""
        types, values, starts = self.types, self.values, self.starts
        stack: list[_Pending] = []
        while True:
            while values[self.pos] == "not" and types[self.pos] == t.IDENTIFIER:
                if stack and stack[-1].level > NOT:
                    break  # behind a comparison and the like it is a name
                self.enter(self.pos)
                stack.append(_Pending(NOT, "not", starts[self.pos], starts[self.pos], None))
                self.pos += 1
            start = starts[self.pos]
            node = self.parse_operand()
            op, level = self.next_operator()
            floor = level or 1  # a conditional waits for the whole of what follows it
            while stack and stack[-1].level >= floor:
                start = stack[-1].start
                node = self.reduce(stack.pop(), node)
            if level == CONDITIONAL:
                in_test = bool(stack) and stack[-1].op == "if"
                if in_test and op == "else":
                    start, left = stack[-1].start, stack.pop().left
                    stack.append(_Pending(level, op, start, starts[self.pos], left, node))
                    self.pos += 1
                    continue
                if in_test or op == "else":
                    level = END
                    while stack:
                        node = self.reduce(stack.pop(), node)
            if level == END:
                return node
            stack.append(_Pending(level, op, start, starts[self.pos], node))
            self.pos += 2 if op == "not in" else 1

    def next_operator(self) -> tuple[str, int]:
        """The operator at the next token and its level; END if there is none."""
        pos = self.pos
        if self.types[pos] not in _OPERATOR_TYPES:
            return "", END
        op = self.values[pos]
        if op == "not":
            is_not_in = self.values[pos + 1] == "in" and self.types[pos + 1] == t.IDENTIFIER
            return ("not in", LEVELS["in"]) if is_not_in else ("", END)
        return op, LEVELS.get(op, END)

    def reduce(self, pending: _Pending, node: nodes.Expr) -> nodes.Expr:
        """Make the node of an operator whose last operand is `node`."""
        _, op, start, at, left, test = pending
        made: nodes.Expr
        if left is None:
            self.depth -= 1
            made = nodes.UnaryExpr(op, node)
        elif test is not None:
            made = nodes.CondExpr(test, left, node)
        elif op == "if":
            made = nodes.CondExpr(node, left, None)
        else:
            made = nodes.BinExpr(op, left, node)
        return self.place(made, start, at)

    # --- operands --------------------------------------------------------------------------------------

    def parse_operand(self, unfiltered: bool = False) -> nodes.Expr:
        """Read prefix signs, a primary, its accesses and calls, and unless `unfiltered` filters and tests."""
        types, starts = self.types, self.starts
        first = self.pos
        while types[self.pos] == t.UNARY:
            self.enter(self.pos)
            self.pos += 1
        chain = self.pos
        node = _PRIMARIES[types[chain]](self)
        operand: nodes.Expr | None = None  # what the filter or test applies to whose target is being read
        link: _Link | None = None
        while True:
            chain_at = -1
            while (type_ := types[self.pos]) in _CHAIN_TYPES:
                here = starts[self.pos]
                if type_ == t.OPEN_PAREN:
                    access: nodes.Expr = nodes.Call(node, self.parse_args())
                    chain_at = -1
                else:
                    here = chain_at = here if chain_at < 0 else chain_at
                    self.pos += 1
                    if type_ == t.DOT:
                        access = nodes.Getattr(node, _PRIMARIES[types[self.pos]](self))
                    else:
                        access = nodes.Getitem(node, self.parse_subscript())
                node = self.place(access, starts[chain], here)
            if operand is not None and link is not None:
                node = self.attach(operand, node, link, starts[first])
            else:
                node = self.finish_unary(node, first, chain)
                if unfiltered:
                    return node
            operand = None
            while operand is None:
                link = self.next_link(link)
                if link is None:
                    return node
                chain = self.pos
                target = _PRIMARIES[types[chain]](self)
                if types[self.pos] == t.OPEN_PAREN:
                    operand, node = node, target
                else:
                    if link.is_test:
                        target = self.parse_bare_argument(target, chain)
                    node = self.attach(node, target, link, starts[first])

    def finish_unary(self, node: nodes.Expr, first: int, prefixed: int) -> nodes.Expr:
        """Put the prefix signs at the tokens `first` to `prefixed` around a node."""
        for pos in range(prefixed - 1, first - 1, -1):
            at = self.starts[pos]
            node = self.place(nodes.UnaryExpr(self.values[pos], node), at, at)
        self.depth -= prefixed - first
        return node

    def next_link(self, previous: _Link | None) -> _Link | None:
        """Take a ``|`` or ``is [not]``, if that comes next. No filter can follow a test."""
        pos = self.pos
        if self.types[pos] == t.PIPE and (previous is None or not previous.is_test):
            self.pos += 1
            return _Link(self.starts[pos], False, False)
        if not self.is_word("is"):
            return None
        self.pos += 1
        negated = self.is_word("not")
        self.pos += negated
        return _Link(self.starts[pos], True, negated)

    def attach(self, node: nodes.Expr, target: nodes.Expr, link: _Link, start: int) -> nodes.Expr:
        """The node of a filter or test."""
        made = nodes.Test(node, target, link.negated) if link.is_test else nodes.Filter(node, target)
        return self.place(made, start, link.at)

    def parse_bare_argument(self, name: nodes.Expr, pos: int) -> nodes.Expr:
        """Read the argument of ``is NAME ARGUMENT``, if there is one; `name` begins at the token `pos`."""
        type_, at = self.types[self.pos], self.starts[self.pos]
        if type_ not in _ARGUMENT_TYPES or (type_ == t.IDENTIFIER and self.values[self.pos] in NOT_AN_ARGUMENT):
            return name
        self.enter(self.pos)
        call = nodes.Call(name, [self.parse_operand(unfiltered=True)])
        self.depth -= 1
        return self.place(call, self.starts[pos], at)

    def parse_args(self) -> list[nodes.Expr]:
        """Read arguments or parameters in parentheses."""
        types, starts = self.types, self.starts
        self.expect(t.OPEN_PAREN, "(")
        self.enter(self.pos - 1)
        args: list[nodes.Expr] = []
        while types[self.pos] != t.CLOSE_PAREN:
            pos = self.pos
            start = starts[pos]
            if self.values[pos] == "*" and types[pos] == t.MULTIPLICATIVE:
                self.pos += 1
                arg: nodes.Expr = self.place(nodes.Spread(self.parse_expression()), start, start)
            else:
                arg = self.parse_expression()
                if types[self.pos] == t.EQUALS:
                    at = starts[self.pos]
                    self.pos += 1
                    arg = self.place(nodes.Keyword(arg, self.parse_expression()), start, at)
            args.append(arg)
            self.skip_comma()
        self.pos += 1
        self.depth -= 1
        return args

    def parse_subscript(self) -> nodes.Expr | None:
        """Read what stands in ``[…]`` behind an operand, and the closing bracket.

        Expressions and colons may come in any order. Every expression, and every colon that does not
        directly follow one, fills the next of the places start, stop and step; what is more is dropped.
        """
        types = self.types
        first = self.pos
        self.enter(first - 1)
        filled: list[nodes.Expr | None] = []
        is_slice = False
        while types[self.pos] != t.CLOSE_SQUARE:
            filled.append(None if types[self.pos] == t.COLON else self.parse_expression())
            if types[self.pos] == t.COLON:
                self.pos += 1
                is_slice = True
        node = filled[0] if filled else None
        if is_slice:
            start, stop, step = (*filled, None, None)[:3]
            at = self.starts[first]
            node = self.place(nodes.Slice(start, stop, step), at, at)
        self.pos += 1
        self.depth -= 1
        return node

    def skip_comma(self) -> None:
        """Take a comma if there is one; between items they are optional."""
        if self.types[self.pos] == t.COMMA:
            self.pos += 1

    # --- primaries -------------------------------------------------------------------------------------

    def parse_primary(self) -> nodes.Expr:
        """Read a literal, a name or something in brackets, and nothing that follows it."""
        return _PRIMARIES[self.types[self.pos]](self)

    def parse_name(self) -> nodes.Expr:
        pos = self.pos
        self.pos = pos + 1
        return self.place(nodes.Name(self.values[pos]), self.starts[pos], self.starts[pos])

    def parse_string(self) -> nodes.Expr:
        first = self.pos
        self.pos += 1
        while self.types[self.pos] == t.STRING:
            self.pos += 1
        value = self.values[first] if self.pos == first + 1 else "".join(self.values[first : self.pos])
        return self.place(nodes.Const(value), self.starts[first], self.starts[first])

    def parse_number(self) -> nodes.Expr:
        pos = self.pos
        text = self.values[pos]
        value = _float_value(text) if "." in text else _int_value(text)
        if value is None:
            self.error("stod" if "." in text else "stoll", "number-out-of-range", pos)
        self.pos = pos + 1
        return self.place(nodes.Const(value), self.starts[pos], self.starts[pos])

    def parse_parenthesised(self) -> nodes.Expr:
        pos = self.pos
        self.enter(pos)
        self.pos = pos + 1
        node = self.parse_expression()
        if self.types[self.pos] != t.COMMA:
            self.expect(t.CLOSE_PAREN, ")")
            self.depth -= 1
            return node
        items = [node]
        while self.types[self.pos] == t.COMMA:
            self.pos += 1
            items.append(self.parse_expression())
        self.expect(t.CLOSE_PAREN, ")")
        self.depth -= 1
        return self.place(nodes.Tuple(items), self.starts[pos], self.starts[pos + 1])

    def parse_list(self) -> nodes.Expr:
        pos = self.pos
        self.enter(pos)
        self.pos = pos + 1
        items: list[nodes.Expr] = []
        while self.types[self.pos] != t.CLOSE_SQUARE:
            items.append(self.parse_expression())
            self.skip_comma()
        self.pos += 1
        self.depth -= 1
        return self.place(nodes.List(items), self.starts[pos], self.starts[pos])

    def parse_dict(self) -> nodes.Expr:
        pos = self.pos
        self.enter(pos)
        self.pos = pos + 1
        keys: list[nodes.Expr] = []
        items: list[nodes.Expr] = []
        while self.types[self.pos] != t.CLOSE_CURLY:
            keys.append(self.parse_expression())
            self.expect(t.COLON, ":")
            items.append(self.parse_expression())
            self.skip_comma()
        self.pos += 1
        self.depth -= 1
        return self.place(nodes.Dict(keys, items), self.starts[pos], self.starts[pos])

    def parse_nothing(self) -> nodes.Expr:
        """No operand starts with this token."""
        pos = self.pos
        if pos >= self.count:
            self.error("Parser Error: Unexpected EOF", "parse-unexpected-end", pos, "parse")
        message = f"Unexpected token: {self.values[pos]} of type {self.types[pos]}"
        self.error(message, "parse-unexpected-token", pos)


def _int_value(text: str) -> int | None:
    """The value of an integer literal, or None if it does not fit into int64."""
    if len(text) >= _INT64_DIGITS and len(text.lstrip("+-").lstrip("0")) > _INT64_DIGITS:
        return None  # and Python refuses to read very long ones
    value = int(text)
    return value if -(2**63) <= value < 2**63 else None


def _float_value(text: str) -> float | None:
    """The value of a float literal, or None where C's strtod reports that it is out of range."""
    value = float(text)
    if value in (inf, -inf):
        return None
    # An underflow counts only if it loses something.
    if abs(value) < _SMALLEST_NORMAL and _is_inexact(text, value):
        return None
    return value


def _is_inexact(text: str, value: float) -> bool:
    if not text.strip("+-0."):
        return False  # zero itself
    from decimal import Decimal  # takes long to import and is hardly ever needed

    return Decimal(text) != Decimal(value)


_Primary = Callable[[ExpressionParser], nodes.Expr]
_PRIMARY_OF_TYPE: dict[int, _Primary] = {
    t.NUMBER: ExpressionParser.parse_number,
    t.STRING: ExpressionParser.parse_string,
    t.IDENTIFIER: ExpressionParser.parse_name,
    t.OPEN_PAREN: ExpressionParser.parse_parenthesised,
    t.OPEN_SQUARE: ExpressionParser.parse_list,
    t.OPEN_CURLY: ExpressionParser.parse_dict,
}
_PRIMARIES: list[_Primary] = [
    _PRIMARY_OF_TYPE.get(type_, ExpressionParser.parse_nothing) for type_ in range(t.TYPE_COUNT)
]
