"""Templates from a small grammar. Every decision is a number, so hypothesis and a plain random generator can
both make them, and shrink them.

Expressions are loosely typed: most of what is made renders, some of it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Choose = Callable[[int], int]
"""``choose(n)``: a number from 0 to n-1; 0 is the simplest."""

CONTEXT: dict[str, Any] = {
    "s": "Hello",
    "u": "né\U0001f600",
    "n": 3,
    "f": 1.5,
    "flag": True,
    "nothing": None,
    "list": [1, "two", None, [3], {"role": "x"}],
    "words": ["b", "a", "c"],
    "pairs": [["k", 1], ["l", 2]],
    "d": {"role": "user", "content": "Hi", "x": {"y": {"z": 1}}, "items": 5, "1": "one", "list": [1, 2]},
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi é", "name": None},
        {"role": "assistant", "content": None, "calls": [{"name": "f", "x": {"y": 1}}]},
    ],
}
"""What the names of the grammar stand for."""

VARIABLES: tuple[str, ...] = (
    "a",
    "b",
    "s",
    "d",
    "messages",
    "m",
    "x",
    "n",
    "list",
    "words",
    "ns",
    "u",
    "f",
    "flag",
    "nothing",
    "nope",
)
RARE_VARIABLES: tuple[str, ...] = ("pairs", "loop", "none", "true", "caller", "mac", "range")
TARGETS: tuple[str, ...] = (
    "a",
    "b",
    "x",
    "m",
    "a",
    "b",
    "x",
    "m",
    "d",
    "s",
    "n",
    "list",
    "messages",
    "loop",
    "true",
    "range",
    "mac",
)
ATTRIBUTES: tuple[str, ...] = ("role", "content", "x", "y", "name", "calls", "list", "nope", "role", "content", "z")
RARE_ATTRIBUTES: tuple[str, ...] = ("items", "append", "get", "first", "length", "keys")
STRINGS: tuple[str, ...] = (
    "s",
    "u",
    "'a'",
    "'é'",
    "d.role",
    "m.role",
    "d.content",
    "m.content",
    "words[0]",
    "u[0]",
    "u[1]",
    "u[:2]",
)
STRINGS += ("''", "messages[0].role", "messages[n - 2]['role']", "ns.role", "a", "x", "b", "d[s]", "list[1]", "u[2:]")
NUMBERS: tuple[str, ...] = (
    "1",
    "n",
    "0",
    "loop.index",
    "loop.index0",
    "2",
    "(-1)",
    "loop.length",
    "loop.revindex",
    "f",
    "2.5",
    "d.x.y.z",
)
LISTS: tuple[str, ...] = (
    "words",
    "list",
    "messages",
    "[]",
    "d.list",
    "pairs",
    "messages[1:]",
    "a",
    "range(3)",
    "m.calls",
    "words[::-1]",
)
DICTS: tuple[str, ...] = (
    "d",
    "m",
    "d.x",
    "messages[0]",
    "ns",
    "messages[-1]",
    "{}",
    "a",
    "loop",
    "m.calls[0]",
    "d.x.y",
)
LITERALS: tuple[str, ...] = (
    "1",
    "'a'",
    "0",
    "'é'",
    "(-1)",
    "''",
    "2.5",
    "'role'",
    "[]",
    "{}",
    "[1, 'a']",
    "(1, 'a')",
    "{'role': 1}",
)
LOOP_FIELDS: tuple[str, ...] = (
    "index",
    "index0",
    "first",
    "last",
    "length",
    "revindex",
    "revindex0",
    "previtem",
    "nextitem",
    "nope",
)
STRING_FILTERS: tuple[str, ...] = (
    "trim",
    "upper",
    "string",
    "tojson",
    "capitalize",
    "title",
    "lower",
    "safe",
    "strip",
    "indent",
)
STRING_FILTERS += ("replace('l', 'é')", "default('q')", "d(s, true)", "length", "count", "rstrip", "int", "float")
LIST_FILTERS: tuple[str, ...] = (
    "length",
    "first",
    "last",
    "list",
    "reverse",
    "tojson",
    "string",
    "join(',')",
    "map(attribute='role')",
)
LIST_FILTERS += ("selectattr('role')", "rejectattr('role')", "selectattr('role', 'eq', 'user')", "sort", "max")
DICT_FILTERS: tuple[str, ...] = ("items", "length", "tojson", "string", "dictsort", "list", "default(s)")
TESTS: tuple[str, ...] = (
    "defined",
    "undefined",
    "none",
    "string",
    "mapping",
    "iterable",
    "true",
    "false",
    "number",
    "callable",
    "odd",
)
TESTS += ("eq(1)", "in(list)", "sameas(s)", "sequence", "boolean", "divisibleby(2)", "integer", "ne('a')", "nope")
STRING_METHODS: tuple[str, ...] = (
    "strip()",
    "split(' ')",
    "split('')",
    "startswith('H')",
    "upper()",
    "lstrip('H')",
    "rstrip()",
    "lower()",
)
STRING_METHODS += (
    "endswith(s)",
    "replace('l', 'L')",
    "split(' ', 1)",
    "title()",
    "strip('é')",
    "split(s)[0]",
    "strip(u)",
)
STRING_METHODS += ("split('l')[-1]", "startswith(d.role)", "rsplit('l', 1)", "capitalize()", "length()", "format(s)")
LIST_METHODS: tuple[str, ...] = (
    "append(1)",
    "append(s)",
    "pop()",
    "pop(0)",
    "append(d)",
    "join(s)",
    "length()",
    "first()",
    "append(list)",
)
DICT_METHODS: tuple[str, ...] = (
    "items()",
    "keys()",
    "get('role')",
    "get('x', s)",
    "get(nope)",
    "values()",
    "get('content', none)",
    "nope()",
)
DICT_METHODS += ("get('nope', d.x)", "get(s)", "get(m.role, n)", "length()", "get('x').y", "get('role', 'é') ~ s")
TEXTS: tuple[str, ...] = ("t", " ", "\n", "é", "-", "  \n ", "<|im_start|>")
MACROS: tuple[str, ...] = ("mac", "mac2", "mac3")
ITERATED: tuple[str, ...] = (
    "messages",
    "messages",
    "list",
    "words",
    "d",
    "range(3)",
    "d.x",
    "nope",
    "messages[1:]",
    "a",
    "x",
    "pairs",
)
ITERATED += ("range(1, n)", "d.keys()", "messages|reverse", "messages|selectattr('role')", "[1, nope, s]", "m.calls")
ITERATED += ("[a, b]", "(m, x)", "range(n) if loop.first", "d.list", "['x', 'role', s]", "range(n - 1, -1, -1)")
PAIRS: tuple[str, ...] = (
    "d.items()",
    "d|items",
    "pairs",
    "d",
    "messages[0]",
    "a",
    "d.x.items()",
    "m.items()",
    "d|dictsort",
    "m|items",
)
PARAMETERS: tuple[str, ...] = ("", "a", "a, b=1", "x=s", "a=nope, b=a", "d, x=d.role", "s", "a, b", "m=messages[0]")


class Grammar:
    """Makes one template."""

    def __init__(self, choose: Choose, depth: int = 4) -> None:
        self.choose = choose
        self.depth = depth
        self.macros: list[str] = []
        self.has_namespace = False
        self.in_loop = 0

    def one_of(self, options: Sequence[str]) -> str:
        return options[self.choose(len(options))]

    def rarely(self) -> bool:
        return self.choose(16) == 15

    def template(self) -> str:
        return self.body(self.depth, 1 + self.choose(6))

    def body(self, depth: int, count: int | None = None) -> str:
        count = 1 + self.choose(3) if count is None else count
        return "".join([self.statement(depth - 1) for _ in range(count)])

    # --- statements --------------------------------------------------------------------------------

    def statement(self, depth: int) -> str:
        simple = (self.text, self.output, self.output, self.output, self.assign, self.assign, self.assign_member)
        if depth <= 0:
            return simple[self.choose(len(simple))]()
        compound = (self.if_, self.if_, self.for_, self.for_, self.macro, self.set_block, self.filter_block, self.call)
        every: tuple[Callable[..., str], ...] = simple + compound + (self.call_block, self.jump, self.call, self.for_)
        chosen = self.choose(len(every))
        return every[chosen]() if chosen < len(simple) else every[chosen](depth)

    def text(self) -> str:
        return self.one_of(TEXTS)

    def output(self) -> str:
        return "{{ " + self.expression(3) + self.one_of((" }}", " }}", " -}}"))

    def assign(self) -> str:
        if self.rarely():
            return "{% set a, b = " + self.one_of(("pairs", "1, s", "(m, x)", "[nope, a]", "pairs[0]", "a")) + " %}"
        return "{% set " + self.one_of(TARGETS) + " = " + self.expression(2) + " %}"

    def assign_member(self) -> str:
        if not self.choose(2) or not (self.has_namespace or self.rarely()):
            self.has_namespace = True
            return "{% set ns = namespace(x=" + self.expression(2) + ", role='r') %}"
        name = "ns" if self.choose(4) else self.one_of(("d", "a", "m", "x", "messages[0]", "ns.x"))
        return "{% set " + name + "." + self.one_of(("x", "role", "content")) + " = " + self.expression(2) + " %}"

    def if_(self, depth: int) -> str:
        made = "{% if " + self.expression(2) + " %}" + self.body(depth)
        for _ in range(self.choose(3)):
            made += "{% elif " + self.expression(2) + " %}" + self.body(depth)
        if self.choose(2):
            made += "{% else %}" + self.body(depth)
        return made + "{% endif %}"

    def for_(self, depth: int) -> str:
        if self.choose(4):
            target, source = self.one_of(("m", "m", "x", "a", "d", "b")), self.one_of(ITERATED)
        else:
            target, source = self.one_of(("a, b", "x, m")), self.one_of(PAIRS)
        if not self.choose(4) and " if " not in source:
            source += " if " + self.expression(2)
        self.in_loop += 1
        made = "{% for " + target + " in " + source + " %}" + self.body(depth)
        self.in_loop -= 1
        if not self.choose(3):
            made += "{% else %}" + self.body(depth)
        return made + "{% endfor %}"

    def macro(self, depth: int) -> str:
        name = self.one_of(MACROS)
        made = "{% macro " + name + "(" + self.one_of(PARAMETERS) + ") %}" + self.body(depth) + "{% endmacro %}"
        self.macros.append(name)
        return made

    def set_block(self, depth: int) -> str:
        return "{% set " + self.one_of(TARGETS) + " %}" + self.body(depth) + "{% endset %}"

    def filter_block(self, depth: int) -> str:
        return "{% filter " + self.one_of(STRING_FILTERS) + " %}" + self.body(depth) + "{% endfilter %}"

    def call(self, depth: int) -> str:
        return "{{ " + self.macro_call() + " }}" if self.macros or self.rarely() else self.output()

    def macro_call(self) -> str:
        if self.rarely():
            return self.one_of(MACROS) + "(" + self.arguments() + ")"
        if not self.macros:
            return self.one_of(("namespace(x={})", "range({})", "dict(role={}, x=1)")).format(self.number(1))
        return self.one_of(self.macros) + "(" + self.arguments() + ")"

    def arguments(self) -> str:
        made = [self.expression(1) for _ in range(1 + self.choose(3))]
        made += [self.one_of(("b", "a", "x", "d")) + "=" + self.expression(1) for _ in range(self.choose(2))]
        return ", ".join(made)

    def call_block(self, depth: int) -> str:
        if not self.macros and not self.rarely():
            return self.macro(depth)
        parameters = self.one_of(("", "", "(a)", "(x, a=1)"))
        return "{% call" + parameters + " " + self.macro_call() + " %}" + self.body(depth) + "{% endcall %}"

    def jump(self, depth: int) -> str:
        if not self.in_loop and not self.rarely():
            return self.output()
        return self.one_of(("{% break %}", "{% continue %}"))

    # --- expressions -------------------------------------------------------------------------------

    def expression(self, depth: int) -> str:
        """An expression of any type that can stand as an operand."""
        atoms = (self.path, self.path, self.literal, self.loop_field, self.string_atom, self.path)
        chosen = self.choose(20)
        if depth <= 0 or chosen < 5:
            return atoms[chosen % len(atoms)]()
        shapes: tuple[Callable[[int], str], ...] = (
            self.string,
            self.string,
            self.number,
            self.list,
            self.dict,
            self.test,
            self.condition,
            self.condition,
            self.comparison,
            self.comparison,
            self.logical,
            self.logical,
            self.member,
            self.odd_one,
            lambda depth: "(not " + self.expression(depth) + ")",
        )
        return shapes[chosen - 5](depth - 1)

    def string(self, depth: int) -> str:
        if self.rarely():
            return self.expression(depth)
        if depth <= 0:
            return self.string_atom()
        shapes: tuple[Callable[[], str], ...] = (
            self.string_atom,
            lambda: f"({self.string(depth - 1)} ~ {self.expression(depth - 1)})",
            lambda: f"({self.string(depth - 1)} + {self.string(depth - 1)})",
            lambda: f"({self.string(depth - 1)} ~ '' ~ {self.path()})",
            lambda: f"({self.string(depth - 1)}|{self.one_of(STRING_FILTERS)})",
            lambda: f"{self.string_atom()}.{self.one_of(STRING_METHODS)}",
            lambda: f"({self.string(depth - 1)}).{self.one_of(STRING_METHODS)}",
            lambda: f"({self.string(depth - 1)})[{self.bound()}:{self.bound()}]",
            lambda: f"({self.string(depth - 1)} * {self.one_of(('2', '0', 'n'))})",
            self.if_caller,
        )
        return shapes[self.choose(len(shapes))]()

    def if_caller(self) -> str:
        return f"(caller({self.one_of(('', 's', 'd', 'n, x=s'))}) if caller is defined else '')"

    def number(self, depth: int) -> str:
        if self.rarely():
            return self.expression(depth)
        if depth <= 0 or not self.choose(2):
            return self.one_of(NUMBERS)
        operator = self.one_of(("+", "-", "*", "%", "/"))
        return f"({self.number(depth - 1)} {operator} {self.number(depth - 1)})"

    def list(self, depth: int) -> str:
        if self.rarely():
            return self.expression(depth)
        shapes: tuple[Callable[[], str], ...] = (
            lambda: self.one_of(LISTS),
            lambda: f"({self.one_of(LISTS)}|{self.one_of(LIST_FILTERS)})",
            lambda: f"{self.one_of(LISTS)}.{self.one_of(LIST_METHODS)}",
            lambda: f"({self.one_of(LISTS)})[{self.bound()}:{self.bound()}:{self.one_of(('1', '-1', '2', 'n'))}]",
            lambda: f"[{self.expression(depth - 1)}, {self.expression(depth - 1)}]",
            lambda: f"({self.one_of(LISTS)} + {self.one_of(LISTS)})",
            lambda: f"({self.one_of(LISTS)})[{self.number(depth - 1)}]",
        )
        return shapes[self.choose(len(shapes))]()

    def dict(self, depth: int) -> str:
        shapes: tuple[Callable[[], str], ...] = (
            lambda: self.one_of(DICTS),
            lambda: f"({self.one_of(DICTS)}|{self.one_of(DICT_FILTERS)})",
            lambda: f"{self.one_of(DICTS)}.{self.one_of(DICT_METHODS)}",
            lambda: f"({self.one_of(DICTS)})[{self.string(depth - 1)}]",
            lambda: f"{{'role': {self.expression(depth - 1)}, {self.string_atom()}: {self.expression(depth - 1)}}}",
            lambda: f"namespace(x={self.expression(depth - 1)})",
        )
        return shapes[self.choose(len(shapes))]()

    def test(self, depth: int) -> str:
        return f"(({self.expression(depth)}) is {self.one_of(('', 'not '))}{self.one_of(TESTS)})"

    def condition(self, depth: int) -> str:
        made = f"{self.expression(depth)} if {self.expression(depth)}"
        return f"({made} else {self.expression(depth)})" if self.choose(2) else f"({made})"

    def comparison(self, depth: int) -> str:
        chosen = self.choose(4)
        if chosen == 0:
            return f"({self.path()} {self.one_of(('==', '!='))} {self.string_atom()})"
        if chosen == 1:
            return f"({self.expression(depth)} {self.one_of(('==', '!='))} {self.expression(depth)})"
        if chosen == 2:
            return f"({self.number(depth)} {self.one_of(('<', '<=', '>', '>='))} {self.number(depth)})"
        container = self.one_of((*LISTS, *DICTS, *STRINGS, "['a', 'user']", "('x', s)"))
        return f"({self.string(depth)} {self.one_of(('in', 'not in'))} {container})"

    def logical(self, depth: int) -> str:
        operator = self.one_of(("and", "or"))
        made = f"{self.expression(depth)} {operator} {self.expression(depth)}"
        return f"({made})" if self.choose(2) else f"({made} {self.one_of(('and', 'or'))} {self.expression(depth)})"

    def member(self, depth: int) -> str:
        key = self.one_of(("[0]", ".role", "[n]", "['x']", ".x", "[loop.index0]", f"[{self.string_atom()}]", "[a]"))
        return f"({self.expression(depth)}){key}"

    def odd_one(self, depth: int) -> str:
        shapes: tuple[Callable[[], str], ...] = (
            self.macro_call,
            lambda: f"(-({self.number(depth)}))",
            lambda: f"range({self.number(0)})",
            lambda: f"({self.expression(depth)}, {self.expression(depth)})",
            lambda: self.one_of(RARE_VARIABLES),
            lambda: f"{self.one_of(VARIABLES)}.{self.one_of(RARE_ATTRIBUTES if self.rarely() else ATTRIBUTES)}",
            lambda: f"({self.expression(depth)} {self.one_of(('+', '~', '-', '*', '<'))} {self.expression(depth)})",
            lambda: f"({self.expression(depth)}|{self.one_of(('length', 'tojson', 'string', 'default(1)', 'nope'))})",
        )
        return shapes[self.choose(len(shapes))]()

    def bound(self) -> str:
        return self.one_of(("", "", "1", "0", "-1", "2", "n", "9"))

    def literal(self) -> str:
        return self.one_of(LITERALS)

    def string_atom(self) -> str:
        return self.one_of(STRINGS)

    def loop_field(self) -> str:
        return "loop." + self.one_of(LOOP_FIELDS)

    def path(self) -> str:
        made = self.one_of(VARIABLES)
        for _ in range(self.choose(3)):
            name = self.one_of(ATTRIBUTES)
            made += f".{name}" if self.choose(3) else f"['{name}']"
        return made
