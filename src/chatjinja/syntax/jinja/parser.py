"""Statements in Jinja2's grammar: token table to tree."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Final, NamedTuple, NoReturn

from chatjinja.errors import TemplateSyntaxError
from chatjinja.source import Source, Span
from chatjinja.syntax import tokens as t
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.jinja import nodes
from chatjinja.syntax.jinja.checks import check_names
from chatjinja.syntax.jinja.expressions import CONSTANTS, ExpressionParser
from chatjinja.syntax.jinja.lexer import normalise, scan
from chatjinja.syntax.jinja.names import target_names, undeclared
from chatjinja.syntax.tokens import TokenTable

_NO_ENDS: Final[tuple[str, ...]] = ()
_FUNCTIONS: Final = frozenset(["macro", "call", "generation", "block"])
"""Tags whose bodies are functions of their own, so that no loop around them can be left from there."""
_CALLER: Final = (
    'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.'
)
_HYPHEN: Final = (
    "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead."
)


def parse(
    source: str,
    config: SyntaxConfig,
    name: str = "<template>",
    *,
    filters: Container[str] | None = None,
    tests: Container[str] | None = None,
) -> tuple[nodes.Template, Source]:
    """The tree of a template, and the normalised source that its offsets count in.

    Args:
        filters: names of all filters, if a template that uses others is to be refused where Jinja2 does so
            when it compiles it: not directly in an ``if``.
        tests: the same for tests.

    Raises:
        TemplateSyntaxError: Jinja2 cannot parse or compile the source; with `span`.
        LimitError: it is nested deeper than ``config.max_nesting``.
    """
    text = normalise(source)
    parser = Parser(text, scan(text), config)
    tree = parser.parse_template()
    known_filters = parser.filters if filters is None else filters
    known_tests = parser.tests if tests is None else tests
    if any(used not in known_filters for used in parser.filters) or any(
        used not in known_tests for used in parser.tests
    ):
        check_names(tree, known_filters, known_tests)
    return tree, Source(text, name)


class _Place(NamedTuple):
    """Where a statement stands.

    Attributes:
        top_level: in no other statement but an ``if``.
        breakable: a loop around it can be left from here.
        in_loop: in any loop, also from a macro's body.
    """

    top_level: bool
    breakable: bool
    in_loop: bool


class Parser(ExpressionParser):
    """Reads a whole template. Nesting costs four Python frames per level here.

    Methods for statements start behind the word of their tag, and leave the ``%}`` of their last tag to be taken.
    """

    def __init__(self, text: str, table: TokenTable, config: SyntaxConfig) -> None:
        super().__init__(text, table, config)
        self.spot = _Place(top_level=True, breakable=False, in_loop=False)
        self.blocks: set[str] = set()
        # The words of the tags that are open, by index, and those that may end their bodies; for messages.
        self.open_tags: list[int] = []
        self.expected: list[tuple[str, ...]] = []

    def parse_template(self) -> nodes.Template:
        """Read everything."""
        template = nodes.Template(self.parse_pieces(_NO_ENDS))
        template.start = template.at = 0
        template.end = self.starts[self.count]
        return template

    def parse_body(self, *ends: str) -> list[nodes.Stmt]:
        """Read the end of a tag, and a body up to the tag whose word is in `ends`; stops at that word."""
        if self.types[self.pos] == t.COLON:
            self.pos += 1
        self.enter(self.expect(t.CLOSE_STATEMENT))
        self.expected.append(ends)
        body = self.parse_pieces(ends)
        self.expected.pop()
        self.depth -= 1
        return body

    def parse_pieces(self, ends: tuple[str, ...]) -> list[nodes.Stmt]:
        """Read up to a tag whose word is in `ends`, or without any to the end of the source."""
        types, values, starts = self.types, self.values, self.starts
        body: list[nodes.Stmt] = []
        while True:
            pos = self.pos
            type_ = types[pos]
            self.pos = pos + 1
            if type_ == t.TEXT:
                data = nodes.TemplateData(values[pos])
                body.append(self.place(data, starts[pos], self.table.text_ats[pos]))
            elif type_ == t.OPEN_EXPRESSION:
                output = nodes.Output(self.parse_tuple())
                self.expect(t.CLOSE_EXPRESSION)
                body.append(self.place(output, starts[pos], starts[pos]))
            elif type_ == t.OPEN_STATEMENT:
                if types[pos + 1] == t.IDENTIFIER and values[pos + 1] in ends:
                    return body
                self.parse_tag(pos, body)
            elif type_ == t.COMMENT:
                body.append(self.place(nodes.Comment(values[pos]), starts[pos], starts[pos]))
            elif ends:
                self.refuse_end()
            else:
                return body

    def parse_tag(self, opening: int, body: list[nodes.Stmt]) -> None:
        """Read a statement and add it to `body`."""
        word = self.pos
        name = self.values[word]
        if self.types[word] != t.IDENTIFIER:
            self.error("tag name expected", "parse-unknown-statement", word, "parse")
        self.pos = word + 1
        if name == "print":
            self.parse_print(body)
            self.expect(t.CLOSE_STATEMENT)
            return
        parse_statement = _STATEMENTS.get(name)
        if parse_statement is None:
            self.refuse_tag(word)
        self.open_tags.append(word)
        spot = self.spot
        if name not in ("if", "extends"):
            self.spot = _Place(False, spot.breakable and name not in _FUNCTIONS, spot.in_loop)
        node = parse_statement(self)
        self.spot = spot
        self.open_tags.pop()
        self.expect(t.CLOSE_STATEMENT)
        body.append(self.place(node, self.starts[opening], self.starts[word]))

    def refuse_tag(self, word: int) -> NoReturn:
        """There is no such tag, or not here."""
        name = self.values[word]
        message = f"Encountered unknown tag {name!r}."
        if self.expected:
            looking = " or ".join(map(repr, self.expected[-1]))
            if any(name in ends for ends in self.expected):
                message += (
                    " You probably made a nesting mistake. Jinja is expecting this tag,"
                    f" but currently looking for {looking}."
                )
            else:
                message += f" Jinja was looking for the following tags: {looking}."
            message += f" The innermost block that needs to be closed is {self.values[self.open_tags[-1]]!r}."
        self.error(message, "parse-unknown-statement", word, "parse")

    def refuse_end(self) -> NoReturn:
        """The source ends inside of a block; its first tag is to blame."""
        looking = " or ".join(map(repr, self.expected[-1]))
        word = self.open_tags[-1]
        message = (
            f"Unexpected end of template. Jinja was looking for the following tags: {looking}."
            f" The innermost block that needs to be closed is {self.values[word]!r}."
        )
        span = Span(self.starts[word - 1], self.ends[self.types.index(t.CLOSE_STATEMENT, word)])
        raise TemplateSyntaxError(message, code="parse-unclosed-block", phase="parse", span=span)

    # --- targets ---------------------------------------------------------------------------------------

    def parse_target(self, attributes: bool = False) -> nodes.Expr:
        """Read what a value can be assigned to: names, also in tuples, and perhaps attributes of namespaces."""
        first = self.pos
        parse_item = self.parse_namespaced if attributes else self.parse_primary
        target = self.parse_sequence(parse_item)
        self.check_target(target, first)
        return target

    def parse_namespaced(self) -> nodes.Expr:
        """Read ``name.attr``, or any primary."""
        pos = self.pos
        node = self.parse_primary()
        if type(node) is not nodes.Name or self.types[pos] != t.IDENTIFIER or self.types[self.pos] != t.DOT:
            return node
        self.pos += 1
        attr = self.parse_word()
        return self.place(nodes.NSRef(node.name, attr.name), self.starts[pos], self.starts[pos])

    def check_target(self, target: nodes.Expr, pos: int) -> None:
        """Refuse a target that cannot be assigned to; it began with the token `pos`."""
        todo = [target]
        while todo:
            node = todo.pop()
            if isinstance(node, nodes.Tuple):
                todo += node.items
            elif not isinstance(node, nodes.Name | nodes.NSRef):
                self.refuse_target(type(target).__name__, pos)

    def check_loop_variable(self, target: nodes.Expr) -> None:
        """In a loop, nothing but the loop itself may set ``loop``."""
        if self.spot.in_loop:
            for name in target_names(target):
                if name.name == "loop":
                    message = "Can't assign to special loop variable in for-loop target"
                    self.refuse_node(message, "parse-loop-variable", name)

    def refuse_target(self, kind: str, pos: int) -> NoReturn:
        self.error(f"can't assign to {kind.lower()!r}", "parse-bad-target", pos, "parse")

    def parse_new_name(self) -> nodes.Name:
        """Read a name that is given a meaning."""
        name = self.parse_word()
        if name.name in CONSTANTS:
            self.refuse_target("name", self.pos - 1)
        return name

    def parse_signature(self) -> list[nodes.Expr]:
        """Read parameters in parentheses."""
        self.expect(t.OPEN_PAREN)
        args: list[nodes.Expr] = []
        has_defaults = False
        seen: set[str] = set()
        while self.types[self.pos] != t.CLOSE_PAREN:
            if args:
                self.expect(t.COMMA)
            name = self.parse_new_name()
            if name.name in seen:
                message = f"duplicate argument {name.name!r} in function definition"
                self.refuse_node(message, "parse-duplicate-parameter", name)
            seen.add(name.name)
            pos = self.pos
            if self.types[pos] == t.EQUALS:
                self.pos += 1
                has_defaults = True
                args.append(self.place(nodes.Keyword(name, self.parse_expression()), name.start, self.starts[pos]))
            elif has_defaults:
                message = "non-default argument follows default argument"
                self.error(message, "parse-default-order", pos, "parse")
            else:
                args.append(name)
        self.pos += 1
        return args

    # --- statements ------------------------------------------------------------------------------------

    def parse_print(self, body: list[nodes.Stmt]) -> None:
        first = self.pos
        while self.types[self.pos] != t.CLOSE_STATEMENT:
            if self.pos > first:
                self.expect(t.COMMA)
            start = self.starts[self.pos]
            body.append(self.place(nodes.Output(self.parse_expression()), start, start))

    def parse_set(self) -> nodes.Stmt:
        target = self.parse_target(attributes=True)
        self.check_loop_variable(target)
        if self.types[self.pos] == t.EQUALS:
            self.pos += 1
            return nodes.Assign(target, self.parse_tuple())
        chain = self.parse_filters() if self.types[self.pos] == t.PIPE else None
        body = self.parse_body("endset")
        self.pos += 1
        return nodes.AssignBlock(target, chain, body)

    def parse_filters(self) -> nodes.Filter:
        """Read the filters of a block, each with its bar."""
        at = self.starts[self.pos]
        node: nodes.Expr = nodes.BlockText()
        node.start = node.end = node.at = at
        while True:
            bar = self.starts[self.pos]
            self.pos += 1
            target: nodes.Expr = self.parse_dotted_name(self.filters)
            if self.types[self.pos] == t.OPEN_PAREN:
                place = self.starts[self.pos]
                target = self.place(nodes.Call(target, self.parse_args()), target.start, place)
            made = self.place(nodes.Filter(node, target), at, bar)
            if self.types[self.pos] != t.PIPE:
                return made
            node = made

    def parse_filter(self) -> nodes.Stmt:
        self.pos -= 1  # the word stands where the bar of the first filter would
        chain = self.parse_filters()
        body = self.parse_body("endfilter")
        self.pos += 1
        return nodes.FilterBlock(chain, body)

    def parse_if(self) -> nodes.Stmt:
        test = self.parse_tuple(conditional=False)
        body = self.parse_body("elif", "else", "endif")
        elifs: list[nodes.Elif] = []
        else_: list[nodes.Stmt] = []
        while self.skip_word("elif"):
            start = self.starts[self.pos - 2]
            branch_test = self.parse_tuple(conditional=False)
            branch = nodes.Elif(branch_test, self.parse_body("elif", "else", "endif"))
            self.place(branch, start, start)
            branch.end = self.ends[self.pos - 2]  # without the start of the next tag
            elifs.append(branch)
        if self.skip_word("else"):
            else_ = self.parse_body("endif")
        self.pos += 1
        return nodes.If(test, body, elifs, else_)

    def parse_for(self) -> nodes.Stmt:
        outside = self.spot
        self.spot = _Place(top_level=False, breakable=True, in_loop=True)
        target = self.parse_target()
        self.check_loop_variable(target)
        self.expect_word("in")
        iter_ = self.parse_tuple(conditional=False)
        test = self.parse_expression() if self.skip_word("if") else None
        recursive = self.skip_word("recursive")
        body = self.parse_body("endfor", "else")
        else_: list[nodes.Stmt] = []
        if self.skip_word("else"):
            self.spot = _Place(False, outside.breakable and not recursive, True)
            else_ = self.parse_body("endfor")
        self.pos += 1
        return nodes.For(target, iter_, test, body, else_, recursive)

    def parse_with(self) -> nodes.Stmt:
        targets: list[nodes.Expr] = []
        values: list[nodes.Expr] = []
        while self.types[self.pos] != t.CLOSE_STATEMENT:
            if targets:
                self.expect(t.COMMA)
            targets.append(self.parse_target())
            self.expect(t.EQUALS)
            values.append(self.parse_expression())
        body = self.parse_body("endwith")
        self.pos += 1
        return nodes.With(targets, values, body)

    def parse_autoescape(self) -> nodes.Stmt:
        value = self.parse_expression()
        body = self.parse_body("endautoescape")
        self.pos += 1
        return nodes.Autoescape(value, body)

    def parse_macro(self) -> nodes.Stmt:
        name = self.parse_new_name()
        args = self.parse_signature()
        body = self.parse_body("endmacro")
        self.check_caller(args, body)
        self.pos += 1
        return nodes.Macro(name, args, body)

    def parse_call(self) -> nodes.Stmt:
        word = self.pos - 1
        args = self.parse_signature() if self.types[self.pos] == t.OPEN_PAREN else []
        call = self.parse_expression()
        if not isinstance(call, nodes.Call):
            self.error("expected call", "parse-expected-call", word, "parse")
        self.check_keywords([nodes.Name("caller"), *_keys(call.args)])
        body = self.parse_body("endcall")
        self.check_caller(args, body)
        self.pos += 1
        return nodes.CallBlock(call, args, body)

    def parse_generation(self) -> nodes.Stmt:
        body = self.parse_body("endgeneration")
        self.pos += 1
        return nodes.GenerationBlock(body)

    def parse_break(self) -> nodes.Stmt:
        self.check_in_loop()
        return nodes.Break()

    def parse_continue(self) -> nodes.Stmt:
        self.check_in_loop()
        return nodes.Continue()

    def check_in_loop(self) -> None:
        word = self.pos - 1
        if not self.spot.breakable:
            self.error(f"'{self.values[word]}' outside loop", "parse-outside-loop", word, "parse")

    def check_caller(self, args: list[nodes.Expr], body: list[nodes.Stmt]) -> None:
        """``caller`` has a default if it is a parameter and used."""
        for arg in args:
            if isinstance(arg, nodes.Name) and arg.name == "caller" and undeclared(body, ["caller"]):
                self.refuse_node(_CALLER, "parse-caller-parameter", arg)

    # --- inheritance and imports -----------------------------------------------------------------------

    def parse_block(self) -> nodes.Stmt:
        name = self.parse_word().name
        if name in self.blocks:
            self.error(f"block {name!r} defined twice", "parse-duplicate-block", self.pos - 1, "parse")
        self.blocks.add(name)
        scoped = self.skip_word("scoped")
        required = self.skip_word("required")
        if self.types[self.pos] == t.ADDITIVE and self.values[self.pos] == "-":
            self.error(_HYPHEN, "parse-bad-block-name", self.pos, "parse")
        body = self.parse_body("endblock")
        if required and not all(_is_blank(node) for node in body):
            message = "Required blocks can only contain comments or whitespace"
            self.error(message, "parse-required-block", self.pos, "parse")
        self.pos += 1
        self.skip_word(name)
        return nodes.Block(name, body, scoped, required)

    def parse_extends(self) -> nodes.Stmt:
        if not self.spot.top_level:
            self.error("cannot use extend from a non top-level scope", "parse-misplaced-extends", self.pos - 1, "parse")
        return nodes.Extends(self.parse_expression())

    def parse_include(self) -> nodes.Stmt:
        template = self.parse_expression()
        ignore_missing = self.skip_words("ignore", "missing")
        return nodes.Include(template, ignore_missing, self.parse_context(default=True))

    def parse_import(self) -> nodes.Stmt:
        template = self.parse_expression()
        self.expect_word("as")
        target = self.parse_new_name().name
        return nodes.Import(template, target, self.parse_context(default=False))

    def parse_from(self) -> nodes.Stmt:
        template = self.parse_expression()
        self.expect_word("import")
        names: list[tuple[str, str]] = []
        while not self.at_context():
            name = self.parse_new_name()
            if name.name.startswith("_"):
                message = "names starting with an underline can not be imported"
                self.error(message, "parse-private-import", self.pos - 1, "parse")
            alias = self.parse_new_name() if self.skip_word("as") else name
            names.append((name.name, alias.name))
            if self.types[self.pos] != t.COMMA:
                break
            self.pos += 1
        return nodes.FromImport(template, tuple(names), self.parse_context(default=False))

    def skip_words(self, first: str, second: str) -> bool:
        """Take these two identifiers, if they come next."""
        pos = self.pos + 1
        found = self.is_word(first) and self.values[pos] == second and self.types[pos] == t.IDENTIFIER
        self.pos += 2 * found
        return found

    def at_context(self) -> bool:
        """Whether ``with context`` or ``without context`` comes next."""
        start = self.pos
        found = self.skip_words("with", "context") or self.skip_words("without", "context")
        self.pos = start
        return found

    def parse_context(self, default: bool) -> bool:
        """Read ``with context`` or ``without context``, if it is there."""
        if self.skip_words("with", "context"):
            return True
        return False if self.skip_words("without", "context") else default


def _keys(args: list[nodes.Expr]) -> list[nodes.Name]:
    """The names of keyword arguments."""
    return [arg.key for arg in args if isinstance(arg, nodes.Keyword) and isinstance(arg.key, nodes.Name)]


def _is_blank(node: nodes.Stmt) -> bool:
    """Whether this may stand in a required block."""
    return isinstance(node, nodes.Comment) or (isinstance(node, nodes.TemplateData) and node.data_text.isspace())


_Statement = Callable[[Parser], nodes.Stmt]
_STATEMENTS: dict[str, _Statement] = {
    "autoescape": Parser.parse_autoescape,
    "block": Parser.parse_block,
    "break": Parser.parse_break,
    "call": Parser.parse_call,
    "continue": Parser.parse_continue,
    "extends": Parser.parse_extends,
    "filter": Parser.parse_filter,
    "for": Parser.parse_for,
    "from": Parser.parse_from,
    "generation": Parser.parse_generation,
    "if": Parser.parse_if,
    "import": Parser.parse_import,
    "include": Parser.parse_include,
    "macro": Parser.parse_macro,
    "set": Parser.parse_set,
    "with": Parser.parse_with,
}
