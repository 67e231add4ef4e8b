"""Expressions: Jinja2's grammar by operator precedence.

As in llama.cpp's parser, nesting costs three Python frames per level (`parse_expression`, `parse_operand`,
and one for the bracket), and everything that only goes on and
on (operators, accesses, calls, filters, tests, conditionals) is read in a loop.

Words such as ``not``, ``if`` or ``in`` are names wherever no operator can stand: ``{{ 1 + not }}``.
"""

from __future__ import annotations

from collections.abc import Callable
from keyword import iskeyword
from typing import Final, NoReturn

from chatjinja.errors import TemplateSyntaxError
from chatjinja.source import Span
from chatjinja.syntax import tokens as t
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.jinja import nodes
from chatjinja.syntax.jinja import tokens as jt
from chatjinja.syntax.reader import TokenReader
from chatjinja.syntax.tokens import TokenTable

CONDITIONAL: Final = 0
NOT: Final = 3
COMPARE: Final = 4
CONCAT: Final = 6
END: Final = -1
LEVELS: Final = {
    "if": CONDITIONAL,
    "else": CONDITIONAL,
    "or": 1,
    "and": 2,
    "in": COMPARE,
    "not in": COMPARE,
    **dict.fromkeys(["==", "!=", "<", ">", "<=", ">="], COMPARE),
    "+": 5,
    "-": 5,
    "~": CONCAT,
    "*": 7,
    "/": 7,
    "//": 7,
    "%": 7,
    "**": 8,
}
"""What may follow an operand, and how strongly it binds. All group to the left but `COMPARE` and `CONCAT`, whose
operands stand side by side."""
CONSTANTS: Final = {"true": True, "True": True, "false": False, "False": False, "none": None, "None": None}
NOT_AN_ARGUMENT: Final = frozenset(["and", "or", "else"])
"""Any other word behind ``is NAME`` is taken as the test's argument, also ``if`` and ``in``."""

_OPERATOR_TYPES = frozenset([t.IDENTIFIER, t.ADDITIVE, t.MULTIPLICATIVE, t.COMPARISON, jt.POWER, jt.TILDE])
_ARGUMENT_TYPES = frozenset([t.IDENTIFIER, t.STRING, t.NUMBER, jt.FLOAT, t.OPEN_SQUARE, t.OPEN_CURLY])
_TUPLE_ENDS = frozenset([t.CLOSE_EXPRESSION, t.CLOSE_STATEMENT, t.CLOSE_PAREN])
_NOT_BEFORE = {"": {"=", "*", "**"}, "=": {"**"}, "*": {"*", "**"}, "**": {"**"}}
"""Which kinds of arguments must not stand before one of this kind."""
_NO_SUBSCRIPT = frozenset([t.COLON, t.COMMA, t.CLOSE_SQUARE])


class _Pending:
    """An operator whose last operand is still being read.

    `left` is None for ``not``; `test` is set once the ``else`` of a conditional was read. A comparison or a
    concatenation gathers more operators in `ops` and the operands between them in `operands`.
    """

    __slots__ = ("at", "left", "level", "op", "operands", "ops", "start", "test")

    def __init__(self, level: int, op: str, start: int, at: int, left: nodes.Expr | None) -> None:
        self.level = level
        self.op = op
        self.start = start
        self.at = at
        self.left = left
        self.test: nodes.Expr | None = None
        self.ops = [op]
        self.operands: list[nodes.Expr] = []

    def go_on(self, op: str, operand: nodes.Expr) -> None:
        """Take one more operator, which follows this operand."""
        self.ops.append(op)
        self.operands.append(operand)


class ExpressionParser(TokenReader):
    """Reads expressions from a table of tokens, and notes which filters and tests they use."""

    def __init__(self, text: str, table: TokenTable, config: SyntaxConfig) -> None:
        super().__init__(text, table, config)
        self.filters: set[str] = set()
        self.tests: set[str] = set()

    # --- helpers ---------------------------------------------------------------------------------------

    def described(self, pos: int) -> str:
        """How messages call a token."""
        if self.types[pos] == t.IDENTIFIER:
            return self.values[pos]
        return jt.DESCRIPTIONS.get(self.types[pos], self.values[pos])

    def expect(self, type_: int) -> int:
        """Take a token of this type; its index."""
        pos = self.pos
        if self.types[pos] != type_:
            self.refuse(jt.DESCRIPTIONS[type_])
        self.pos = pos + 1
        return pos

    def expect_word(self, word: str) -> None:
        """Take this identifier."""
        if not self.skip_word(word):
            self.refuse(word)

    def refuse(self, expected: str) -> NoReturn:
        """The next token is not what has to stand here."""
        if self.types[self.pos] == t.EOF:
            message = f"unexpected end of template, expected {expected!r}."
            self.error(message, "parse-unexpected-end", self.pos, "parse")
        message = f"expected token {expected!r}, got {self.described(self.pos)!r}"
        self.error(message, "parse-expected-token", self.pos, "parse")

    def refuse_node(self, message: str, code: str, node: nodes.Node) -> NoReturn:
        """What was read cannot stand here."""
        raise TemplateSyntaxError(message, code=code, phase="parse", span=Span(node.start, node.end))

    def skip_word(self, word: str) -> bool:
        """Take this identifier, if it comes next."""
        found = self.is_word(word)
        self.pos += found
        return found

    def parse_word(self) -> nodes.Name:
        """Read any identifier as a name."""
        pos = self.expect(t.IDENTIFIER)
        return self.place(nodes.Name(self.values[pos]), self.starts[pos], self.starts[pos])

    # --- operators -------------------------------------------------------------------------------------

    def parse_expression(self, conditional: bool = True) -> nodes.Expr:
        """Read one expression; unless `conditional`, a free ``if`` or ``else`` ends it."""
        types, values, starts = self.types, self.values, self.starts
        stack: list[_Pending] = []
        while True:
            while values[self.pos] == "not" and types[self.pos] == t.IDENTIFIER:
                if stack and stack[-1].level > NOT:
                    break
                self.enter(self.pos)
                stack.append(_Pending(NOT, "not", starts[self.pos], starts[self.pos], None))
                self.pos += 1
            start = starts[self.pos]
            node = self.parse_operand()
            op, level = self.next_operator(conditional)
            binds_from = level + (level in (COMPARE, CONCAT))
            while stack and stack[-1].level >= max(binds_from, 1):
                start = stack[-1].start
                node = self.reduce(stack.pop(), node)
            if stack and stack[-1].level == level and level != CONDITIONAL:
                stack[-1].go_on(op, node)
            elif level > CONDITIONAL:
                stack.append(_Pending(level, op, start, starts[self.pos], node))
            elif not self.go_on_conditional(op, start, node, stack):
                while stack:
                    node = self.reduce(stack.pop(), node)
                return node
            self.pos += 2 if op == "not in" else 1

    def go_on_conditional(self, op: str, start: int, node: nodes.Expr, stack: list[_Pending]) -> bool:
        """Put the ``if`` or ``else`` that comes next on the stack. False if the expression ends here."""
        before = stack[-1] if stack and stack[-1].op == "if" else None
        if op == "if":
            if before is not None:  # which has no else
                start = before.start
                node = self.reduce(stack.pop(), node)
            stack.append(_Pending(CONDITIONAL, op, start, self.starts[self.pos], node))
            return True
        if op == "else" and before is not None:
            before.op, before.at, before.test = op, self.starts[self.pos], node
            return True
        return False

    def next_operator(self, conditional: bool) -> tuple[str, int]:
        """The operator at the next token and its level; END if there is none."""
        pos = self.pos
        if self.types[pos] not in _OPERATOR_TYPES:
            return "", END
        op = self.values[pos]
        if op == "not" and self.values[pos + 1] == "in" and self.types[pos + 1] == t.IDENTIFIER:
            return "not in", COMPARE
        level = LEVELS.get(op, END)
        return ("", END) if level == CONDITIONAL and not conditional else (op, level)

    def reduce(self, pending: _Pending, node: nodes.Expr) -> nodes.Expr:
        """Make the node of an operator whose last operand is `node`."""
        made: nodes.Expr
        if pending.left is None:
            self.depth -= 1
            made = nodes.UnaryExpr("not", node)
        elif pending.test is not None:
            made = nodes.CondExpr(pending.test, pending.left, node)
        elif pending.op == "if":
            made = nodes.CondExpr(node, pending.left, None)
        elif pending.level == COMPARE:
            made = nodes.Compare(pending.left, tuple(pending.ops), [*pending.operands, node])
        elif pending.level == CONCAT:
            made = nodes.Concat([pending.left, *pending.operands, node])
        else:
            made = nodes.BinExpr(pending.op, pending.left, node)
        return self.place(made, pending.start, pending.at)

    # --- operands --------------------------------------------------------------------------------------

    def parse_operand(self, filtered: bool = True) -> nodes.Expr:
        """Read a primary, its accesses and its calls, and if `filtered` also signs before it and filters behind it."""
        types, starts = self.types, self.starts
        first = self.pos
        while filtered and types[self.pos] == t.ADDITIVE:
            self.enter(self.pos)
            self.pos += 1
        start = self.pos
        node = _PRIMARIES[types[start]](self)
        while True:
            pos = self.pos
            type_ = types[pos]
            if type_ == t.DOT:
                access = self.parse_dotted(node)
            elif type_ == t.OPEN_SQUARE:
                access = nodes.Getitem(node, self.parse_subscript())
            elif type_ == t.OPEN_PAREN:
                access = nodes.Call(node, self.parse_args())
            else:
                break
            node = self.place(access, starts[start], starts[pos])
        if start > first:
            node = self.finish_signs(node, first, start)
        while filtered:
            pos = self.pos
            type_ = types[pos]
            if type_ == t.PIPE or (type_ == t.IDENTIFIER and self.values[pos] == "is"):
                self.pos = pos + 1
                is_test = type_ != t.PIPE
                negated = is_test and self.skip_word("not")
                target: nodes.Expr = self.parse_dotted_name(self.tests if is_test else self.filters)
                at = starts[self.pos]
                if types[self.pos] == t.OPEN_PAREN:
                    target = self.place(nodes.Call(target, self.parse_args()), target.start, at)
                elif is_test and self.at_bare_argument():
                    self.enter(self.pos)
                    arg = self.parse_operand(filtered=False)
                    self.depth -= 1
                    target = self.place(nodes.Call(target, [arg]), target.start, at)
                made = nodes.Test(node, target, negated) if is_test else nodes.Filter(node, target)
                node = self.place(made, starts[first], starts[pos])
            elif type_ == t.OPEN_PAREN:
                node = self.place(nodes.Call(node, self.parse_args()), starts[first], starts[pos])
            else:
                break
        return node

    def finish_signs(self, node: nodes.Expr, first: int, start: int) -> nodes.Expr:
        """Put the signs at the tokens from `first` to `start` around a node."""
        for pos in range(start - 1, first - 1, -1):
            self.depth -= 1
            node = self.place(nodes.UnaryExpr(self.values[pos], node), self.starts[pos], self.starts[pos])
        return node

    def parse_dotted(self, node: nodes.Expr) -> nodes.Expr:
        """Read the dot and what follows it."""
        self.pos += 1
        pos = self.pos
        if self.types[pos] == t.NUMBER:
            return nodes.Getitem(node, self.parse_integer())
        if self.types[pos] != t.IDENTIFIER:
            self.error("expected name or number", "parse-expected-name", pos, "parse")
        return nodes.Getattr(node, self.parse_word())

    def parse_subscript(self) -> nodes.Expr:
        """Read what stands in ``[…]`` behind an operand: expressions and slices, and several make a tuple."""
        types = self.types
        opening = self.pos
        self.enter(opening)
        self.pos += 1
        items: list[nodes.Expr] = []
        while types[self.pos] != t.CLOSE_SQUARE:
            if items:
                self.expect(t.COMMA)
            start = self.starts[self.pos]
            parts: list[nodes.Expr | None] = [None]
            while True:
                if types[self.pos] == t.COLON and len(parts) < 3:
                    self.pos += 1
                    parts.append(None)
                elif parts[-1] is None and (len(parts) == 1 or types[self.pos] not in _NO_SUBSCRIPT):
                    parts[-1] = self.parse_expression()
                else:
                    break
            items.append(self.subscript(parts, start))
        node = items[0] if len(items) == 1 else self.subscripts(items, self.ends[opening])
        self.pos += 1
        self.depth -= 1
        return node

    def subscript(self, parts: list[nodes.Expr | None], start: int) -> nodes.Expr:
        """The node for what stands between colons."""
        if len(parts) == 1 and parts[0] is not None:
            return parts[0]
        lower, upper, step = (*parts, None)[:3]
        return self.place(nodes.Slice(lower, upper, step), start, start)

    def subscripts(self, items: list[nodes.Expr], start: int) -> nodes.Expr:
        """The node for what stands between commas, of which slices cannot be a part."""
        for item in items:
            if isinstance(item, nodes.Slice):
                self.refuse_node("a slice cannot stand beside other subscripts", "parse-slice-in-tuple", item)
        return self.place(nodes.Tuple(items), start, start)

    def at_bare_argument(self) -> bool:
        """Whether an argument of a test comes next that has no brackets around it."""
        pos = self.pos
        if self.types[pos] not in _ARGUMENT_TYPES:
            return False
        if self.types[pos] != t.IDENTIFIER:
            return True
        if self.values[pos] == "is":
            self.error("You cannot chain multiple tests with is", "parse-chained-tests", pos, "parse")
        return self.values[pos] not in NOT_AN_ARGUMENT

    def parse_dotted_name(self, used: set[str]) -> nodes.Name:
        """Read ``a.b.c`` as one name, and add it to those that are `used`."""
        name = self.parse_word()
        while self.types[self.pos] == t.DOT:
            self.pos += 1
            name.name += "." + self.parse_word().name
            name.end = self.ends[self.pos - 1]
        used.add(name.name)
        return name

    def parse_args(self) -> list[nodes.Expr]:
        """Read arguments in parentheses."""
        opening = self.expect(t.OPEN_PAREN)
        self.enter(opening)
        args: list[nodes.Expr] = []
        kinds: set[str] = set()
        keys: list[nodes.Name] = []
        while self.types[self.pos] != t.CLOSE_PAREN:
            if args:
                self.expect(t.COMMA)
                if self.types[self.pos] == t.CLOSE_PAREN:
                    break
            pos = self.pos
            kind = self.kind_of_argument()
            if kinds & _NOT_BEFORE[kind]:
                message = "invalid syntax for function call expression"
                self.error(message, "parse-argument-order", opening, "parse")
            kinds.add(kind)
            key = self.parse_word() if kind == "=" else None
            self.pos += kind != ""
            arg = self.parse_expression()
            if key is not None:
                keys.append(key)
                arg = self.place(nodes.Keyword(key, arg), key.start, self.starts[pos + 1])
            elif kind:
                made = nodes.Spread(arg) if kind == "*" else nodes.SpreadDict(arg)
                arg = self.place(made, self.starts[pos], self.starts[pos])
            args.append(arg)
        if len(keys) > 1:
            self.check_keywords(keys)
        self.pos += 1
        self.depth -= 1
        return args

    def check_keywords(self, keys: list[nodes.Name]) -> None:
        """No name is given twice. Jinja2 does not see it if one of them is a keyword of Python's."""
        seen: set[str] = set()
        for key in keys:
            if key.name in seen and not any(iskeyword(other.name) for other in keys):
                self.refuse_node(f"keyword argument repeated: {key.name}", "parse-duplicate-argument", key)
            seen.add(key.name)

    def kind_of_argument(self) -> str:
        """``=``, ``*`` or ``**`` by what the next argument is; empty for an expression."""
        pos = self.pos
        value = self.values[pos]
        if self.types[pos] == t.IDENTIFIER:
            return "=" if self.types[pos + 1] == t.EQUALS else ""
        return value if value in ("*", "**") and self.types[pos] in (t.MULTIPLICATIVE, jt.POWER) else ""

    # --- tuples ----------------------------------------------------------------------------------------

    def parse_tuple(self, conditional: bool = True) -> nodes.Expr:
        """Read one expression, or several with commas between as a tuple."""
        return self.parse_sequence(lambda: self.parse_expression(conditional))

    def parse_sequence(self, parse_item: Callable[[], nodes.Expr]) -> nodes.Expr:
        """Read one item, or several with commas between as a tuple."""
        start = self.starts[self.pos]
        items: list[nodes.Expr] = []
        is_tuple = False
        while self.types[self.pos] not in _TUPLE_ENDS:
            items.append(parse_item())
            if self.types[self.pos] != t.COMMA:
                break
            is_tuple = True
            self.pos += 1
        if is_tuple:
            return self.place(nodes.Tuple(items), start, start)
        if not items:
            message = f"Expected an expression, got {self.described(self.pos)!r}"
            self.error(message, "parse-expected-expression", self.pos, "parse")
        return items[0]

    # --- primaries -------------------------------------------------------------------------------------

    def parse_primary(self) -> nodes.Expr:
        """Read a literal, a name or something in brackets, and nothing that follows it."""
        return _PRIMARIES[self.types[self.pos]](self)

    def parse_name(self) -> nodes.Expr:
        pos = self.pos
        self.pos = pos + 1
        value = self.values[pos]
        node = nodes.Const(CONSTANTS[value]) if value in CONSTANTS else nodes.Name(value)
        return self.place(node, self.starts[pos], self.starts[pos])

    def parse_string(self) -> nodes.Expr:
        first = self.pos
        self.pos += 1
        while self.types[self.pos] == t.STRING:
            self.pos += 1
        value = self.values[first] if self.pos == first + 1 else "".join(self.values[first : self.pos])
        return self.place(nodes.Const(value), self.starts[first], self.starts[first])

    def parse_integer(self) -> nodes.Expr:
        pos = self.pos
        self.pos = pos + 1
        try:
            value = int(self.values[pos].replace("_", ""), 0)
        except ValueError:  # Python does not read very long ones
            self.error("integer literal too large", "number-out-of-range", pos, "parse")
        return self.place(nodes.Const(value), self.starts[pos], self.starts[pos])

    def parse_float(self) -> nodes.Expr:
        pos = self.pos
        self.pos = pos + 1
        text = self.values[pos]
        if not text.isascii():
            self.error("invalid float literal", "parse-bad-number", pos, "parse")
        return self.place(nodes.Const(float(text.replace("_", ""))), self.starts[pos], self.starts[pos])

    def parse_parenthesised(self) -> nodes.Expr:
        pos = self.pos
        self.enter(pos)
        self.pos = pos + 1
        items: list[nodes.Expr] = []
        is_tuple = False
        while self.types[self.pos] not in _TUPLE_ENDS:
            items.append(self.parse_expression())
            if self.types[self.pos] != t.COMMA:
                break
            is_tuple = True
            self.pos += 1
        self.expect(t.CLOSE_PAREN)
        self.depth -= 1
        if items and not is_tuple:
            return items[0]
        return self.place(nodes.Tuple(items), self.starts[pos], self.starts[pos])

    def parse_list(self) -> nodes.Expr:
        pos = self.pos
        self.enter(pos)
        self.pos = pos + 1
        items: list[nodes.Expr] = []
        while self.types[self.pos] != t.CLOSE_SQUARE:
            if items:
                self.expect(t.COMMA)
                if self.types[self.pos] == t.CLOSE_SQUARE:
                    break
            items.append(self.parse_expression())
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
            if keys:
                self.expect(t.COMMA)
                if self.types[self.pos] == t.CLOSE_CURLY:
                    break
            keys.append(self.parse_expression())
            self.expect(t.COLON)
            items.append(self.parse_expression())
        self.pos += 1
        self.depth -= 1
        return self.place(nodes.Dict(keys, items), self.starts[pos], self.starts[pos])

    def parse_nothing(self) -> nodes.Expr:
        """No operand starts with this token."""
        pos = self.pos
        if self.types[pos] == t.EOF:
            self.error("unexpected 'end of template'", "parse-unexpected-end", pos, "parse")
        self.error(f"unexpected {self.described(pos)!r}", "parse-unexpected-token", pos, "parse")


_Primary = Callable[[ExpressionParser], nodes.Expr]
_PRIMARY_OF_TYPE: dict[int, _Primary] = {
    t.NUMBER: ExpressionParser.parse_integer,
    jt.FLOAT: ExpressionParser.parse_float,
    t.STRING: ExpressionParser.parse_string,
    t.IDENTIFIER: ExpressionParser.parse_name,
    t.OPEN_PAREN: ExpressionParser.parse_parenthesised,
    t.OPEN_SQUARE: ExpressionParser.parse_list,
    t.OPEN_CURLY: ExpressionParser.parse_dict,
}
_PRIMARIES: list[_Primary] = [
    _PRIMARY_OF_TYPE.get(type_, ExpressionParser.parse_nothing) for type_ in range(jt.TYPE_COUNT)
]
