"""Statements: token table to tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from chatjinja.errors import TemplateSyntaxError
from chatjinja.source import Source, Span
from chatjinja.syntax import nodes
from chatjinja.syntax import tokens as t
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.expressions import ExpressionParser
from chatjinja.syntax.lexer import normalise, scan

_TOP_LEVEL: Final = -1
_END_OF_IF: Final = frozenset(["elif", "else", "endif"])
_ENDIF: Final = frozenset(["endif"])
_END_OF_FOR: Final = frozenset(["else", "endfor"])
_ENDFOR: Final = frozenset(["endfor"])
_ENDSET: Final = frozenset(["endset"])
_ENDMACRO: Final = frozenset(["endmacro"])
_ENDCALL: Final = frozenset(["endcall"])
_ENDFILTER: Final = frozenset(["endfilter"])


def parse(source: str, config: SyntaxConfig, name: str = "<template>") -> tuple[nodes.Template, Source]:
    """The tree of a template, and the normalised source that its offsets count in.

    Raises:
        TemplateSyntaxError: the source is no template; with `span`, and `phase` as llama.cpp has it.
        LimitError: it is nested deeper than ``config.max_nesting``.
    """
    text = normalise(source)
    parser = Parser(text, scan(text, config), config)
    return parser.parse_template(), Source(text, name)


class Parser(ExpressionParser):
    """Reads a whole template. Nesting costs three Python frames per level here too.

    Methods for statements get `opening`, the index of the ``{%`` of their tag, and start behind its word.
    """

    def parse_template(self) -> nodes.Template:
        """Read everything."""
        template = nodes.Template(self.parse_body(_TOP_LEVEL, frozenset()))
        template.start = template.at = 0
        template.end = self.starts[self.count]
        return template

    def parse_body(self, opening: int, ends: frozenset[str]) -> list[nodes.Stmt]:
        """Read the end of the tag that began at `opening`, and a body up to a tag whose word is in `ends`.

        Stops at that tag's ``{%``. The top level has no opening and goes to the end of the source.
        """
        if opening != _TOP_LEVEL:
            self.expect(t.CLOSE_STATEMENT, "%}")
            self.enter(opening)
        types, values, starts = self.types, self.values, self.starts
        body: list[nodes.Stmt] = []
        while True:
            pos = self.pos
            type_ = types[pos]
            if type_ == t.OPEN_STATEMENT:
                if types[pos + 1] == t.IDENTIFIER and values[pos + 1] in ends:
                    self.depth -= 1
                    return body
                body.append(self.parse_tag())
            elif type_ == t.OPEN_EXPRESSION:
                self.pos = pos + 1
                output = nodes.Output(self.parse_expression())
                self.expect(t.CLOSE_EXPRESSION, "}}")
                body.append(self.place(output, starts[pos], starts[pos]))
            elif type_ == t.TEXT:
                self.pos = pos + 1
                data = nodes.TemplateData(values[pos])
                body.append(self.place(data, starts[pos], self.table.text_ats[pos]))
            elif type_ == t.COMMENT:
                self.pos = pos + 1
                body.append(self.place(nodes.Comment(values[pos]), starts[pos], starts[pos]))
            elif pos >= self.count and opening == _TOP_LEVEL:
                return body
            else:
                self.refuse_piece(pos, opening)

    def refuse_piece(self, pos: int, opening: int) -> NoReturn:
        """Nothing in a body starts with this token; at the end of the source blame the unclosed block."""
        message = "Unexpected token type"
        if pos < self.count:
            self.error(message, "parse-unexpected-token", pos)
        end = self.types.index(t.CLOSE_STATEMENT, opening)
        span = Span(self.starts[opening], self.ends[end])
        raise TemplateSyntaxError(message, code="parse-unclosed-block", span=span)

    def parse_tag(self) -> nodes.Stmt:
        """Read a statement."""
        opening = self.pos
        word = opening + 1
        if self.types[word] != t.IDENTIFIER:
            self.error("Unknown statement", "parse-unknown-statement", word)
        parse_statement = _STATEMENTS.get(self.values[word])
        if parse_statement is None:
            self.error(f"Unknown statement: {self.values[word]}", "parse-unknown-statement", word)
        self.pos = word + 1
        return self.place(parse_statement(self, opening), self.starts[opening], self.starts[word])

    def next_word(self) -> str:
        """The word of the tag that comes next."""
        return self.values[self.pos + 1]

    def finish(self) -> None:
        """Take a closing tag: ``{%``, its word, ``%}``."""
        self.pos += 2
        self.expect(t.CLOSE_STATEMENT, "%}")

    def parse_sequence(self, parse_item: Callable[[], nodes.Expr]) -> nodes.Expr:
        """Read one item, or a tuple of several with commas between."""
        start = self.starts[self.pos]
        first = parse_item()
        if self.types[self.pos] != t.COMMA:
            return first
        items = [first]
        while self.types[self.pos] == t.COMMA:
            self.pos += 1
            items.append(parse_item())
        return self.place(nodes.Tuple(items), start, start)

    # --- statements ------------------------------------------------------------------------------------

    def parse_set(self, opening: int) -> nodes.Stmt:
        target = self.parse_sequence(self.parse_expression)
        if self.types[self.pos] == t.EQUALS:
            self.pos += 1
            node = self.parse_sequence(self.parse_expression)
            self.expect(t.CLOSE_STATEMENT, "%}")
            return nodes.Assign(target, node)
        body = self.parse_body(opening, _ENDSET)
        self.finish()
        return nodes.AssignBlock(target, body)

    def parse_if(self, opening: int) -> nodes.Stmt:
        test = self.parse_expression()
        body = self.parse_body(opening, _END_OF_IF)
        elifs: list[nodes.Elif] = []
        else_: list[nodes.Stmt] = []
        while self.next_word() == "elif":
            start = self.starts[self.pos]
            self.pos += 2
            branch_test = self.parse_expression()
            branch = nodes.Elif(branch_test, self.parse_body(opening, _END_OF_IF))
            elifs.append(self.place(branch, start, start))
        if self.next_word() == "else":
            self.pos += 2
            else_ = self.parse_body(opening, _ENDIF)
        self.finish()
        return nodes.If(test, body, elifs, else_)

    def parse_for(self, opening: int) -> nodes.Stmt:
        target = self.parse_sequence(self.parse_primary)
        if not self.is_word("in"):
            self.error("Expected 'in'", "parse-expected-in", self.pos)
        self.pos += 1
        iter_ = self.parse_expression()
        body = self.parse_body(opening, _END_OF_FOR)
        else_: list[nodes.Stmt] = []
        if self.next_word() == "else":
            self.pos += 2
            else_ = self.parse_body(opening, _ENDFOR)
        self.finish()
        return nodes.For(target, iter_, body, else_)

    def parse_macro(self, opening: int) -> nodes.Stmt:
        name = self.parse_primary()
        args = self.parse_args()
        body = self.parse_body(opening, _ENDMACRO)
        self.finish()
        return nodes.Macro(name, args, body)

    def parse_call(self, opening: int) -> nodes.Stmt:
        args = self.parse_args() if self.types[self.pos] == t.OPEN_PAREN else []
        callee = self.pos
        node = self.parse_primary()
        if type(node) is not nodes.Name:
            self.error("Expected identifier", "parse-expected-name", callee)
        call = nodes.Call(node, self.parse_args())
        self.place(call, self.starts[callee], self.starts[opening + 1])
        body = self.parse_body(opening, _ENDCALL)
        self.finish()
        return nodes.CallBlock(call, args, body)

    def parse_filter(self, opening: int) -> nodes.Stmt:
        first = self.pos
        target = self.parse_primary()
        if type(target) is nodes.Name and self.types[self.pos] == t.OPEN_PAREN:
            self.pos = first
            target = self.parse_operand(unfiltered=True)
        body = self.parse_body(opening, _ENDFILTER)
        self.finish()
        return nodes.FilterBlock(target, body)

    def parse_break(self, opening: int) -> nodes.Stmt:
        self.expect(t.CLOSE_STATEMENT, "%}")
        return nodes.Break()

    def parse_continue(self, opening: int) -> nodes.Stmt:
        self.expect(t.CLOSE_STATEMENT, "%}")
        return nodes.Continue()

    def parse_generation(self, opening: int) -> nodes.Stmt:
        self.pos += 1  # whatever it is, or the end of the source: llama.cpp does not look
        return nodes.Generation(self.values[opening + 1] == "generation")


_Statement = Callable[[Parser, int], nodes.Stmt]
_STATEMENTS: dict[str, _Statement] = {
    "set": Parser.parse_set,
    "if": Parser.parse_if,
    "for": Parser.parse_for,
    "macro": Parser.parse_macro,
    "call": Parser.parse_call,
    "filter": Parser.parse_filter,
    "break": Parser.parse_break,
    "continue": Parser.parse_continue,
    "generation": Parser.parse_generation,
    "endgeneration": Parser.parse_generation,
}
