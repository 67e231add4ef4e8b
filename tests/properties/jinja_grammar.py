"""Templates in Jinja2's language from a grammar that covers all of it: statements, operators, built-ins, methods.

Every decision is a number, as in `tests.properties.grammar`. Expressions are loosely typed: about half of what is
made renders, the rest fails somewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tests.peers.jinja2_peer import environment
from tests.properties.grammar import CONTEXT as _CONTEXT
from tests.properties.grammar import Choose

CONTEXT: dict[str, Any] = {
    **_CONTEXT,
    "e": "",
    "html": "<a href='x'>&amp; \"q\"</a>",
    "text": "  The quick\n brown fox, it's http://example.com/?a=1 done.\n\n",
    "mixed": [3, 1.5, True, -2, 0],
    "names": ["b", "A", "a", "B", "", "é"],
    "rows": [{"k": "x", "v": 2}, {"k": "X", "v": 1}, {"k": "y", "v": None}, {"k": "x", "v": 3}],
    "big": 12345678901234567890,
    "neg": -7,
    "zero": 0,
    "dict": {"b": 1, "A": 2, "a": [1], "keys": "own", "_private": 1},
}
"""What the names of the grammar stand for; one of them hides a global."""

_LEAVES = (
    "s",
    "n",
    "d",
    "list",
    "words",
    "messages",
    "m",
    "a",
    "b",
    "text",
    "html",
    "u",
    "e",
    "f",
    "flag",
    "nothing",
    "missing",
    "pairs",
    "mixed",
    "names",
    "rows",
    "neg",
    "zero",
    "loop",
    "ns",
    "caller",
    "varargs",
    "kwargs",
    "f1",
    "range",
    "namespace",
    "cycler",
    "joiner",
    "self",
    "'x'",
    "'Ab c'",
    "''",
    "'%s-%s'",
    "'{}|{x}'",
    "'\\n\\u00e9\\''",
    "0",
    "1",
    "2",
    "-1",
    "10",
    "1.0",
    "2.5",
    "1e3",
    "0x1F",
    "1_000",
    "true",
    "false",
    "none",
    "[]",
    "()",
    "{}",
    "'v'",
    "'k'",
    "','",
    "' '",
    "dict",
)
_LEAVES = _LEAVES[:27] * 4 + _LEAVES  # those that fail more often come less often
_NAMES = _LEAVES[:27]
_TARGETS = ("a", "b", "m", "s", "x", "a, b", "(a, b)", "a, (b, m)", "ns.a", "ns.b, a", "d")
_OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "~", "and", "or", "==", "!=", "<", ">", "<=", ">=", "in", "not in")
_ATTRIBUTES = (
    "role",
    "content",
    "x",
    "y",
    "a",
    "b",
    "k",
    "v",
    "items",
    "list",
    "index",
    "index0",
    "revindex",
    "revindex0",
    "first",
    "last",
    "length",
    "depth",
    "depth0",
    "previtem",
    "nextitem",
    "name",
    "arguments",
    "caller",
    "catch_kwargs",
    "current",
    "real",
    "imag",
    "numerator",
    "denominator",
    "start",
    "stop",
    "step",
    "__class__",
    "_private",
    "missing",
    "0",
    "1",
    "append",
    "pop",
)
_METHODS = tuple(
    sorted(
        {
            name
            for kind in (str, list, dict, tuple, int, float, bytes, range)
            for name in dir(kind)
            if not name.startswith("_")
        }
        | {"cycle", "changed", "next", "reset", "fromkeys", "x"}
    )
)
_CALLABLE = ("range", "namespace", "dict", "cycler", "joiner", "f1", "loop.cycle", "loop.changed", "caller")
_RANDOM = frozenset(["random"])
FILTERS = tuple(sorted(set(environment().filters) - _RANDOM))
TESTS = tuple(sorted(environment().tests))
_KEYWORDS = (
    "attribute",
    "default",
    "default_value",
    "boolean",
    "reverse",
    "case_sensitive",
    "by",
    "indent",
    "sort_keys",
    "separators",
    "ensure_ascii",
    "width",
    "first",
    "blank",
    "length",
    "end",
    "killwords",
    "leeway",
    "fill_with",
    "d",
    "start",
    "method",
    "precision",
    "binary",
    "sep",
    "maxsplit",
    "x",
    "old",
    "new",
    "count",
    "class",
    "wrapstring",
    "break_long_words",
    "autospace",
    "keepends",
    "encoding",
)


_STRINGS = ("s", "u", "text", "html", "e", "'a-b'", "'Ab c'", "''", "m.role", "d.content", "'%s'")
_NUMBERS = ("n", "f", "neg", "zero", "1", "2", "10", "0", "2.5", "flag", "big % 7")
_LISTS = ("list", "words", "mixed", "names", "pairs", "rows", "messages", "range(4)", "(1, 'b', 2)", "[s, n]", "d.list")
_OF_STRING = (
    *(
        "S|upper",
        "S|lower",
        "S|title",
        "S|capitalize",
        "S|trim",
        "S|trim(S)",
        "S|replace(S, S)",
        "S|replace('a', S, N)",
    ),
    *(
        "S|indent",
        "S|indent(N, B)",
        "S|indent(width=S, first=B, blank=B)",
        "S|center(N)",
        "S|truncate(N)",
        "S|escape",
        "S|e",
    ),
    *(
        "S|truncate(N, B, S, N)",
        "S|wordwrap(N)",
        "S|wordwrap(N, B, S)",
        "S|safe",
        "S|striptags",
        "S|urlize",
        "S|urlencode",
    ),
    *(
        "S|urlize(N, nofollow=B, target=S)",
        "S|string",
        "S|reverse",
        "S|default(S)",
        "S|default(S, B)",
        "S|format(S, N)",
        "S|d",
    ),
    *(
        "A|tojson",
        "A|tojson(indent=N)",
        "A|tojson(sort_keys=B, ensure_ascii=B)",
        "A|string",
        "A|pprint",
        "S|forceescape",
    ),
    *(
        "L|join(S)",
        "L|join",
        "L|join(S, attribute='k')",
        "S ~ S",
        "S + S",
        "S * N",
        "S % S",
        "S[N]",
        "s[N:N]",
        "S[::-1]",
    ),
    *(
        "S.upper()",
        "S.strip(S)",
        "S.replace(S, S)",
        "S.title()",
        "S.center(N)",
        "S.join(L)",
        "S.lstrip()",
        "S.zfill(N)",
    ),
    *("S.format(S, N)", "'{0}{x:>5}'.format(S, x=N)", "'{:{}}'.format(S, N)", "S.expandtabs()", "S.removeprefix(S)"),
    *(
        "S if B else S",
        "(S|safe) ~ S",
        "(S|safe) + S",
        "(S|safe).upper()",
        "(S|safe) % S",
        "(S|safe).join(L)",
        "S|xmlattr",
    ),
    *(
        "N|filesizeformat",
        "N|filesizeformat(B)",
        "N|string",
        "S.swapcase()",
        "S.partition(S)",
        "S.ljust(N, 'x')",
        "S|first",
    ),
    *("{'a': S, 'b': none}|xmlattr(B)", "S.casefold()", "S.encode()", "S.encode().decode()", "S.translate({65: 'x'})"),
)
_OF_NUMBER = (
    *(
        "S|length",
        "L|length",
        "S|wordcount",
        "A|count",
        "S|int",
        "S|int(N)",
        "S|int(N, 16)",
        "N|float",
        "N|abs",
        "N|round",
    ),
    *(
        "N|round(N)",
        "N|round(1, 'floor')",
        "L|sum(attribute='v')",
        "mixed|sum",
        "mixed|min",
        "mixed|max",
        "N + N",
        "N - N",
    ),
    *(
        "N * N",
        "N / N",
        "N // N",
        "N % N",
        "-N",
        "loop.index",
        "loop.revindex0",
        "loop.depth",
        "S.count(S)",
        "S.find(S)",
    ),
    *(
        "N if B else N",
        "N|int",
        "L|first",
        "L|last",
        "N.bit_length()",
        "N.real",
        "N.is_integer()",
        "S.index(S)",
        "L.count(A)",
    ),
)
_OF_LIST = (
    *(
        "L|sort",
        "L|sort(reverse=B)",
        "L|sort(attribute='k')",
        "L|sort(B, B, attribute='v')",
        "L|unique|list",
        "L|reverse|list",
    ),
    *(
        "L|batch(N)|list",
        "L|batch(N, A)|list",
        "L|slice(2)|list",
        "L|slice(N, A)|list",
        "L|map('upper')|list",
        "L|list",
    ),
    *("L|map('string')|map('replace', S, S)|list", "L|map(attribute='k')|list", "L|map(attribute='v', default=A)|list"),
    *(
        "L|select|list",
        "L|select('string')|list",
        "L|reject('none')|list",
        "L|selectattr('k')|list",
        "L|unique(B, 'k')|list",
    ),
    *(
        "L|selectattr('v', 'gt', N)|list",
        "L|rejectattr('v', 'none')|list",
        "rows|groupby('k')",
        "rows|groupby('v', default=N)",
    ),
    *(
        "d|dictsort",
        "dict|dictsort(B, 'value')",
        "dict|dictsort(B, reverse=B)",
        "d|items|list",
        "d.items()|list",
        "L + L",
        "L * 2",
    ),
    *(
        "d.keys()",
        "d.values()|list",
        "words[N:]",
        "L[::-1]",
        "list[:N]",
        "S.split(S)",
        "S.split()",
        "S.splitlines()",
        "S|list",
        "[A, A]",
    ),
    *(
        "range(N)|list",
        "L|groupby(0)",
        "L if B else L",
        "(A, A)",
        "S.rsplit(S, N)",
        "d|list",
        "L|select('in', L)|list",
        "L|map('int')|list",
    ),
)
_OF_BOOL = (
    *(
        "B and B",
        "not B",
        "B or B",
        "A is defined",
        "A is none",
        "S is string",
        "N is odd",
        "N is divisibleby(2)",
        "A == A",
    ),
    *(
        "N < N",
        "N <= N < N",
        "S < S",
        "S in S",
        "A in L",
        "A not in L",
        "S == S",
        "A is mapping",
        "A is iterable",
        "L is sequence",
    ),
    *(
        "A is sameas(A)",
        "A is callable",
        "S is upper",
        "A is in(L)",
        "S.startswith(S)",
        "S.isdigit()",
        "A is escaped",
        "A is number",
    ),
    *(
        "loop.first",
        "loop.last",
        "loop.changed(A)",
        "A is eq(A)",
        "N is gt N",
        "S is filter",
        "A is undefined",
        "flag",
        "true",
    ),
)


class JinjaGrammar:
    """Makes one template."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        self._left = 60
        """How many more expressions and statements there may be; then only leaves come."""
        self._blocks = 0

    def pick(self, options: Sequence[str]) -> str:
        return options[self._choose(len(options))]

    def template(self) -> str:
        return self.body(3)

    # --- statements ------------------------------------------------------------------------------------

    def body(self, most: int) -> str:
        return "".join(self.statement() for _ in range(1 + self._choose(most)))

    def statement(self) -> str:
        self._left -= 1
        if self._left < 0:
            return "."
        kind = self._choose(len(_STATEMENTS) + 14)
        if kind < 8:
            return self.tag("{{", self.expression(), "}}")
        if kind < 14:
            return self.pick(
                ("x", " ", "\n", "  \n", "\n  ", "a\n", "{# c #}", "\n{#- c -#}\n", "{% raw %}{{{% endraw %}")
            )
        return _STATEMENTS[kind - 14](self)

    def tag(self, opening: str, inner: str, closing: str) -> str:
        signs = ("", "", "", "", "-", "+")
        before = self.pick(signs)
        after = self.pick(signs)
        if after == "+" and opening == "{{":
            after = ""
        return f"{opening}{before} {inner} {after}{closing}"

    def block(self, inner: str) -> str:
        return self.tag("{%", inner, "%}")

    def output(self) -> str:
        return self.block(f"print {self.expression()}, {self.expression()}")

    def if_(self) -> str:
        parts = [self.block(f"if {self.expression()}"), self.body(2)]
        if self._choose(3) == 1:
            parts += [self.block(f"elif {self.expression()}"), self.body(2)]
        if self._choose(2):
            parts += [self.block("else"), self.body(2)]
        return "".join([*parts, self.block("endif")])

    def for_(self) -> str:
        target = self.pick(("m", "m", "m", "a, b", "x", "a, (b, m)"))
        test = self.pick(("", "", "", f" if {self.expression()}"))
        recursive = self.pick(("", "", "", " recursive"))
        source = self.pick(("list", "words", "messages", "d", "pairs", "range(3)", "d.items()", "rows", self.operand()))
        parts = [self.block(f"for {target} in {source}{test}{recursive}"), self.body(3)]
        if recursive and self._choose(2):
            parts.append(
                self.block("if m is iterable and m is not string and loop.depth < 4") + "{{ loop(m) }}{% endif %}"
            )
        if self._choose(4) == 1:
            parts.append(
                self.block(f"if {self.expression()}") + self.pick(("{% break %}", "{% continue %}")) + "{% endif %}"
            )
        if self._choose(4) == 1:
            parts += [self.block("else"), self.body(2)]
        return "".join([*parts, self.block("endfor")])

    def set_(self) -> str:
        value = self.pick((self.expression(), "namespace(a=1, b='y')", f"{self.operand()}, {self.operand()}"))
        return self.block(f"set {self.pick(_TARGETS)} = {value}")

    def set_block(self) -> str:
        filters = "".join(f"|{self.filter()}" for _ in range(self._choose(2)))
        return self.block(f"set {self.pick(('a', 'b', 'ns.a', 'x'))}{filters}") + self.body(2) + self.block("endset")

    def with_(self) -> str:
        return self.block(f"with a = {self.expression()}, b = {self.operand()}") + self.body(2) + self.block("endwith")

    def filter_block(self) -> str:
        more = f"|{self.filter()}" if self._choose(3) == 1 else ""
        return self.block(f"filter {self.filter()}{more}") + self.body(2) + self.block("endfilter")

    def autoescape(self) -> str:
        value = self.pick(("true", "false", "flag", "missing"))
        return self.block(f"autoescape {value}") + self.body(2) + self.block("endautoescape")

    def macro(self) -> str:
        signature = self.pick(("", "a", "a, b=1", "a=s, b=a", "x, caller=none", "m"))
        call = self.tag("{{", f"f1({self.args(2)})", "}}")
        return self.block(f"macro f1({signature})") + self.body(3) + self.block("endmacro") + call

    def call_block(self) -> str:
        signature = self.pick(("", "", "(a)", "(a, b=2)"))
        callee = self.pick(("f1", "f1", "f1", "cycler", "dict", self.operand()))
        return self.block(f"call{signature} {callee}({self.args(2)})") + self.body(2) + self.block("endcall")

    def inheritance(self) -> str:
        self._blocks += 1
        words = self.pick(("", "", " scoped"))
        again = self.pick(("", f"{{{{ self.b{self._blocks}() }}}}"))
        return self.block(f"block b{self._blocks}{words}") + self.body(2) + self.block("endblock") + again

    def generation(self) -> str:
        return self.block("generation") + self.body(2) + self.block("endgeneration")

    def loading(self) -> str:
        return self.block(
            self.pick(
                (
                    "include 'x' ignore missing",
                    "include ['x', 'y']",
                    "import 'x' as a",
                    "from 'x' import a, b as m with context",
                    "extends 'x'",
                )
            )
        )

    # --- expressions -----------------------------------------------------------------------------------

    def fitting(self, kind: str) -> str:
        """An expression that most likely works: of a string, number, list or truth value, or of any of these (A)."""
        self._left -= 1
        if kind == "A":
            kind = self.pick(("S", "N", "L", "B", "S"))
        leaves, rules = _RULES[kind]
        if self._left < 0 or self._choose(3) == 0:
            return self.pick(leaves)
        parts = re.split(r"\b([SNLBA])\b", self.pick(rules))
        made = "".join(self.fitting(part) if index % 2 else part for index, part in enumerate(parts))
        return f"({made})"

    def expression(self) -> str:
        self._left -= 1
        if self._left < 0:
            return self.pick(_LEAVES)
        if self._choose(4):
            return self.fitting("A")
        kind = self._choose(14)
        if kind < 6:
            return self.operand()
        if kind < 10:
            return f"{self.operand()} {self.pick(_OPERATORS)} {self.operand()}"
        if kind == 10:
            return f"{self.operand()} if {self.expression()}" + self.pick((f" else {self.operand()}", ""))
        if kind == 11:
            return f"not {self.expression()}"
        if kind == 12:
            first, second = self.pick(("<", "==", "in", "!=")), self.pick(("<=", ">", "not in"))
            return f"{self.operand()} {first} {self.operand()} {second} {self.operand()}"
        return f"{self.operand()} ~ {self.operand()} ~ {self.operand()}"

    def operand(self) -> str:
        self._left -= 1
        if self._left < 0:
            return self.pick(_LEAVES)
        kind = self._choose(20)
        if kind < 6:
            return self.pick(_LEAVES)
        if kind < 9:
            return f"{self.operand()}|{self.filter()}"
        if kind < 11:
            return f"{self.operand()} is {self.pick(('', 'not '))}{self.test()}"
        if kind == 11:
            return f"{self.operand()}.{self.pick(_ATTRIBUTES)}"
        if kind == 12:
            # What is constant is not sliced: see the deviation "constant-slices".
            subscript = self.subscript()
            return f"{self.pick(_NAMES) if ':' in subscript else self.operand()}[{subscript}]"
        if kind < 15:
            return f"{self.operand()}.{self.pick(_METHODS)}({self.args(2)})"
        if kind == 15:
            return f"({self.expression()})"
        if kind == 16:
            return self.pick(("-", "+")) + self.operand()
        if kind == 17:
            return self.display()
        if kind == 18:
            return f"{self.pick(_CALLABLE)}({self.args(3)})"
        return f"{self.pick(('s', 'text', 'words', 'd', 'messages', 'rows'))}|{self.filter()}"

    def display(self) -> str:
        one, two = self.operand(), self.operand()
        return self.pick(
            (f"[{one}, {two}]", f"({one}, {two})", f"({one},)", f"{{{one}: {two}}}", f"{{'a': {one}, 'b': {two}}}")
        )

    def subscript(self) -> str:
        kind = self._choose(6)
        if kind < 3:
            return self.operand()
        if kind == 3:
            return self.pick(("0", "-1", "'x'", "'items'", "'role'", "1:", ":1", "::-1", ":", "0:2", "::2"))
        return f"{self.pick(('', self.operand()))}:{self.pick(('', self.operand()))}"

    def args(self, most: int) -> str:
        args = [self.operand() for _ in range(self._choose(most + 1))]
        kind = self._choose(10)
        if kind == 1:
            args.append(f"{self.pick(_KEYWORDS)}={self.operand()}")
        elif kind == 2:
            args.append(f"*{self.operand()}")
        elif kind == 3:
            args.append(self.pick(("**d", "**dict", "**missing", "**kwargs", "**rows")))
        return ", ".join(args)

    def filter(self) -> str:
        name = self.pick(FILTERS)
        kind = self._choose(6)
        if kind < 2:
            return name
        if name in ("map", "select", "reject", "selectattr", "rejectattr"):
            first = {"map": FILTERS, "select": TESTS, "reject": TESTS}.get(name, ("k", "v", "role", "x.y"))
            chosen = self.pick(("attribute='k'", "attribute='v', default=0")) if name == "map" and kind == 2 else ""
            more = self.pick(("", f", {self.operand()}", f", {self.pick(TESTS)!r}"))
            return f"{name}({chosen or repr(self.pick(first))}{more})"
        if kind == 2:
            return f"{name}({self.pick(_KEYWORDS)}={self.operand()})"
        return f"{name}({self.args(3)})"

    def test(self) -> str:
        name = self.pick(TESTS)
        if not name.isidentifier():
            name = "eq"
        kind = self._choose(4)
        if kind < 2:
            return name
        return f"{name}({self.args(1)})" if kind == 2 else f"{name} {self.pick(_LEAVES)}"


_RULES = {
    "S": (_STRINGS, _OF_STRING),
    "N": (_NUMBERS, _OF_NUMBER),
    "L": (_LISTS, _OF_LIST),
    "B": (("flag", "true", "false", "nothing"), _OF_BOOL),
}
"""For each kind of value: leaves, and rules in which a letter stands for an expression of that kind."""

_STATEMENTS = (
    JinjaGrammar.if_,
    JinjaGrammar.for_,
    JinjaGrammar.set_,
    JinjaGrammar.for_,
    JinjaGrammar.macro,
    JinjaGrammar.set_block,
    JinjaGrammar.with_,
    JinjaGrammar.filter_block,
    JinjaGrammar.call_block,
    JinjaGrammar.inheritance,
    JinjaGrammar.output,
    JinjaGrammar.autoescape,
    JinjaGrammar.generation,
    JinjaGrammar.loading,
)
