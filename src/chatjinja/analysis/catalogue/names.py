"""Names: what is defined, and which filters, tests, methods and functions there are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatjinja.analysis.catalogue.base import Cause, Evidence, Example, Fix, effects, failures_only, replace, results
from chatjinja.analysis.parsed import Edit, Parsed, called
from chatjinja.syntax import nodes

_LAZY = ("map", "select", "reject", "selectattr", "rejectattr", "reverse", "batch", "slice", "items")
_VIEWS = ("keys", "values", "items")


# --- undefined ---------------------------------------------------------------------------------------------


def _access_of_undefined(parsed: Parsed) -> Iterator[Fix]:
    accesses: list[nodes.Getattr | nodes.Getitem] = [*parsed.of(nodes.Getattr), *parsed.of(nodes.Getitem)]
    for node in accesses:
        if isinstance(node.node, (nodes.Name, nodes.Getattr, nodes.Getitem)):
            empty = "''" if parsed.is_called(node) else "{}"
            text = f"({parsed.text(node.node)} or {empty})"
            yield replace(parsed, node.node.start, node.node.end, text, span=parsed.span(node))


def _default_for_none(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("default", "d"):
        if len(use.args) == 1 and isinstance(use.node, nodes.Filter):
            end = use.args[0].end
            yield replace(parsed, end, end, ", true", span=parsed.span(use.node))


def _default_by_position(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("default", "d"):
        edits = tuple(
            Edit(arg.start, arg.end, parsed.text(arg.value)) for arg in use.args if isinstance(arg, nodes.Keyword)
        )
        if edits:
            yield Fix(parsed.span(use.node), edits)


# --- lists that are none -----------------------------------------------------------------------------------


def _make_list(parsed: Parsed) -> Iterator[Fix]:
    for node in parsed.of(nodes.Filter):
        name, _ = called(node.target)
        if name in _LAZY and not _is_listed(parsed, node):
            yield replace(parsed, node.start, node.end, f"({parsed.text(node)}|list)")
    for call in parsed.of(nodes.Call):
        access = call.node
        if isinstance(access, nodes.Getattr) and isinstance(access.attr, nodes.Name) and access.attr.name in _VIEWS:
            yield replace(parsed, call.start, call.end, f"({parsed.text(call)}|list)")


def _is_listed(parsed: Parsed, node: nodes.Expr) -> bool:
    parent = parsed.parent(node)
    return isinstance(parent, nodes.Filter) and parent.node is node and called(parent.target)[0] == "list"


def _selected_by_value(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("selectattr", "rejectattr", "select", "reject"):
        name = parsed.text(use.args[1]).strip("'\"") if len(use.args) == 2 else ""
        if name == "defined":
            start, end = use.args[0].end, use.args[1].end
            yield replace(parsed, start, end, "", span=parsed.span(use.node))
        else:
            yield replace(parsed, use.node.start, use.node.end, "[]", exact=False)


def _path_of_attributes(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("map"):
        path = (
            parsed.text(use.args[0].value).strip("'\"") if use.args and isinstance(use.args[0], nodes.Keyword) else ""
        )
        if "." in path:
            chain = "".join(f"|map(attribute='{name}')" for name in path.split("."))
            yield replace(parsed, use.node.start, use.node.end, parsed.operand(use.value) + chain)


def _appended(parsed: Parsed) -> Iterator[Fix]:
    for use in parsed.uses("append"):
        statement = parsed.parent(use.node)
        is_place = isinstance(use.value, (nodes.Name, nodes.Getattr))
        if is_place and len(use.args) == 1 and isinstance(statement, (nodes.Assign, nodes.Output)):
            opening, closing = _tag(parsed, statement)
            base = parsed.text(use.value)
            text = f"{opening} set {base} = {base} + [{parsed.text(use.args[0])}] {closing}"
            yield replace(parsed, statement.start, statement.end, text)


def _tag(parsed: Parsed, node: nodes.Stmt) -> tuple[str, str]:
    """How the tag of a statement opens and closes, with its dashes."""
    text = parsed.text(node)
    return "{%-" if text[2:3] == "-" else "{%", "-%}" if text[-3:-2] == "-" else "%}"


def _clock(parsed: Parsed) -> Iterator[Fix]:
    for call in parsed.of(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "strftime_now":
            yield replace(parsed, call.start, call.end, "''", exact=False)


def _underscores(parsed: Parsed) -> Iterator[Fix]:
    names = {
        node.attr.name: None
        for node in parsed.of(nodes.Getattr)
        if isinstance(node.attr, nodes.Name) and node.attr.name.startswith("_")
    }
    for name in names:
        places = [
            *(node.attr for node in parsed.of(nodes.Getattr) if isinstance(node.attr, nodes.Name)),
            *(node.key for node in parsed.of(nodes.Keyword) if isinstance(node.key, nodes.Name)),
        ]
        same = [place for place in places if place.name == name]
        yield Fix(parsed.span(same[0]), tuple(Edit(p.start, p.end, f"{name.strip('_')}_") for p in same))


# --- tests -------------------------------------------------------------------------------------------------


def _tests(parsed: Parsed, *names: str) -> Iterator[tuple[nodes.Test, str, str]]:
    for node in parsed.of(nodes.Test):
        name, _ = called(node.target)
        if name in names:
            yield node, name, parsed.operand(node.node)


def _negated(node: nodes.Test, text: str) -> str:
    return f"(not ({text}))" if node.negated else f"({text})"


def _number_test(parsed: Parsed) -> Iterator[Fix]:
    for node, _, value in _tests(parsed, "number"):
        yield replace(parsed, node.start, node.end, _negated(node, f"{value} is number and {value} is not boolean"))


def _case_test(parsed: Parsed) -> Iterator[Fix]:
    for node, name, value in _tests(parsed, "lower", "upper"):
        yield replace(parsed, node.start, node.end, _negated(node, f"{value}|{name} == {value}"))


def _iterable_test(parsed: Parsed) -> Iterator[Fix]:
    for node, name, value in _tests(parsed, "iterable", "sequence"):
        text = f"{value} is defined and {value} is not none and {value} is {name}"
        yield replace(parsed, node.start, node.end, _negated(node, text))


def _defined_test(parsed: Parsed) -> Iterator[Fix]:
    for node, _, value in _tests(parsed, "defined"):
        yield replace(parsed, node.start, node.end, _negated(node, f"{value} is defined and {value} is not none"))


def _same_test(parsed: Parsed) -> Iterator[Fix]:
    for node, _, value in _tests(parsed, "sameas"):
        _, args = called(node.target)
        if len(args) == 1:
            word = "!=" if node.negated else "=="
            yield replace(parsed, node.start, node.end, f"({value} {word} {parsed.operand(args[0])})")


_OPERATORS = {
    **dict.fromkeys(("eq", "equalto", "sameas"), "=="),
    "ne": "!=",
    **dict.fromkeys(("lt", "lessthan"), "<"),
    **dict.fromkeys(("gt", "greaterthan"), ">"),
    "le": "<=",
    "ge": ">=",
    "in": "in",
}


def _as_operator(parsed: Parsed) -> Iterator[Fix]:
    for node, name, value in _tests(parsed, *_OPERATORS, "divisibleby"):
        _, args = called(node.target)
        if len(args) == 1:
            other = parsed.operand(args[0])
            text = f"{value} % {other} == 0" if name == "divisibleby" else f"{value} {_OPERATORS[name]} {other}"
            yield replace(parsed, node.start, node.end, _negated(node, text))


def _odd_directives(evidence: Evidence) -> bool:
    return evidence.heres is None or any(here[:1] in "%0123456789" for here in evidence.heres)


HABITS_CAUSES = {
    "always_set": Cause(
        "always-set",
        "`tools` or `documents` where there are none",
        effects(default="are undefined", jinja="are None: transformers always passes them"),
        "Test the value, not whether it is defined: `{% if tools %}`.",
        Example(
            "{{ 'T' if tools is defined else '-' }}",
            results("-", "T", "-", "-"),
            {"messages": []},
            "{{ 'T' if tools else '-' }}",
            "-",
        ),
        _defined_test,
    ),
    "drops_none": Cause(
        "none-keys-dropped",
        "keys of a message whose value is None",
        effects(default="are there, and None", jinja="are left out: transformers 5 drops them"),
        "Test the value: `{% if message.content %}`.",
        Example(
            "{{ 'N' if messages[0].content is none else '-' }}",
            results("N", "-", "N", "N"),
            {"messages": [{"role": "assistant", "content": None}]},
            "{{ '-' if messages[0].content else 'N' }}",
            "N",
        ),
        _defined_test,
    ),
    "aliases": Cause(
        "reasoning-aliases",
        "the names of reasoning in a message",
        effects(
            default="are those of the request",
            jinja="are `reasoning_content` and `thinking`, whatever the request says: transformers 5 sets both",
        ),
        "Read all three: `m.reasoning_content or m.thinking or m.reasoning`.",
        Example(
            "{{ messages[0].thinking }}",
            results("", "r", "", ""),
            {"messages": [{"role": "assistant", "content": "x", "reasoning_content": "r"}]},
            "{{ messages[0].reasoning_content or messages[0].thinking }}",
            "r",
        ),
    ),
}
"""What transformers does to variables (`chatjinja.analysis.variables.Habits`), by name of the habit."""

CAUSES = (
    *HABITS_CAUSES.values(),
    Cause(
        "access-of-undefined",
        "`.name`, `[…]` or a method of something undefined",
        effects(
            default="an error",
            llama="undefined again; common methods of undefined give an empty text",
            js="undefined again",
        ),
        "Put something in its place: `(x.y or {}).z`, `(x.y or '').strip()`.",
        Example("{{ x.y.z }}-", results("-", None, None, "-"), {"x": {}}, "{{ (x.y or {}).z }}-", "-"),
        _access_of_undefined,
        failures_only,
    ),
    Cause(
        "default-of-none",
        "`default` of None",
        effects(default="stays None", llama="is replaced, as something undefined is"),
        "Replace whatever is empty: `x|default('d', true)`, or `x or 'd'`.",
        Example(
            "{{ x|default('d') }}",
            results("d", "None", "None", ""),
            {"x": None},
            "{{ x|default('d', true) }}",
            "d",
        ),
        _default_for_none,
    ),
    Cause(
        "default-by-keyword",
        "`default(default_value=…)`",
        effects(default="takes it", llama="prints nothing", mini="an error", js="prints nothing"),
        "Give it by position: `x|default('d', true)`.",
        Example(
            "{{ x|default(default_value='d') }}",
            results("", "d", None, ""),
            {},
            "{{ x|default('d') }}",
            "d",
        ),
        _default_by_position,
    ),
    Cause(
        "lazy-lists",
        "what `map`, `selectattr`, `reverse`, `keys()` and the like give",
        effects(
            default="a list", jinja="a generator or view: no length, no index, no last item, printed as `<generator …>`"
        ),
        "Make a list of it: `x|selectattr('a')|list|length`.",
        Example(
            "{{ x|selectattr('a')|length }}",
            results("1", None, "1", "1"),
            {"x": [{"a": 1}, {"a": 0}]},
            "{{ x|selectattr('a')|list|length }}",
            "1",
        ),
        _make_list,
        messages=(re.compile("generator' (has no len|object)|object of type '(generator|dict_\\w+)'"),),
    ),
    Cause(
        "select-by-test",
        "`select`, `selectattr`, `reject`, `rejectattr` with a test",
        effects(
            default="`select('odd')` and `selectattr('a', 'defined')` test each item, or its attribute",
            llama="one argument is an attribute, two are a test and its argument",
            js="no `select`, and only texts as arguments",
        ),
        "Filter in the loop: `{% for i in x if i.a is defined %}`.",
        Example(
            "{{ x|selectattr('a', 'defined')|list|length }}",
            results(None, "1", "1", "1"),
            {"x": [{"a": 1}, {}]},
            "{{ x|selectattr('a')|list|length }}",
            "1",
        ),
        _selected_by_value,
        failures_only,
        messages=(
            re.compile("(select|reject)(attr)?: unknown test"),
            re.compile("Function '(select|reject)"),
            re.compile("arguments of `selectattr` must be strings"),
        ),
    ),
    Cause(
        "attribute-path",
        "`map(attribute='a.b')`",
        effects(default="follows the path", llama="asks for a key that is called `a.b`"),
        "Take one step after the other: `x|map(attribute='a')|map(attribute='b')`.",
        Example(
            "{{ x|map(attribute='a.b')|join }}",
            results(None, "1", "1", "1"),
            {"x": [{"a": {"b": 1}}]},
            "{{ x|map(attribute='a')|map(attribute='b')|join }}",
            "1",
        ),
        _path_of_attributes,
    ),
    Cause(
        "change-in-place",
        "a method that changes a list or an object: `append`, `pop`, `update`",
        effects(
            default="there is no such method",
            llama="`append` and `pop` work",
            jinja="the sandbox refuses it",
        ),
        "Make a new list: `{% set l = l + [x] %}`; in a loop keep it in a namespace.",
        Example(
            "{% set l = [] %}{% set _ = l.append(1) %}{{ l|length }}",
            results("1", None, None, None),
            {},
            "{% set l = [] %}{% set l = l + [1] %}{{ l|length }}",
            "1",
        ),
        _appended,
        messages=(
            re.compile("access to attribute '(?P<name>append|pop|update|insert|extend|clear|remove)' of"),
            re.compile("has no method named (append|pop)"),
        ),
    ),
    Cause(
        "set-attribute",
        "`{% set x.y = … %}` where x is no namespace",
        effects(default="an error", llama="changes the object"),
        "Copy what you need into a namespace: `{% set ns = namespace(y=x.y) %}`.",
        Example("{% set x.y = 1 %}{{ x.y }}", results("1", None, None, None), {"x": {"y": 0}}),
        messages=(re.compile("cannot assign attribute on non-namespace|can only assign to namespaces"),),
    ),
    Cause(
        "strftime-format",
        "`strftime_now` with formats that C does not know, with an empty one, or with another clock",
        effects(default="as in Python: `%f` are microseconds", llama="as in C", js="knows few formats"),
        "Use `%Y`, `%m`, `%d`, `%H`, `%M`, `%S`, `%A`, `%B` only.",
        Example("{{ strftime_now('%f')|length }}", results("2", "6", "6", "2")),
        _clock,
        _odd_directives,
    ),
    Cause(
        "underscore-attributes",
        "an attribute of a namespace that starts with an underscore",
        effects(default="is there", jinja="is refused by transformers 5"),
        "Choose another name.",
        Example(
            "{% set ns = namespace(_a=1) %}{{ ns._a }}",
            results("1", None, "1", "1"),
            {},
            "{% set ns = namespace(a=1) %}{{ ns.a }}",
            "1",
        ),
        _underscores,
        messages=(re.compile("underscore-prefixed attributes|starts with an underscore"),),
    ),
    Cause(
        "number-test",
        "`is number` of a boolean",
        effects(default="true", llama="false", js="false"),
        "Ask for both: `x is number and x is not boolean`.",
        Example(
            "{{ 'N' if x is number else '-' }}",
            results("-", "N", "N", "-"),
            {"x": True},
            "{{ 'N' if x is number and x is not boolean else '-' }}",
            "-",
        ),
        _number_test,
    ),
    Cause(
        "case-test",
        "`is lower` and `is upper` of a text without letters",
        effects(default="false", llama="true", js="true"),
        "Compare: `x|lower == x`.",
        Example(
            "{{ 'L' if x is lower else '-' }}",
            results("L", "-", "-", "L"),
            {"x": "12"},
            "{{ 'L' if x|lower == x else '-' }}",
            "L",
        ),
        _case_test,
    ),
    Cause(
        "iterable-test",
        "`is iterable` and `is sequence` of undefined and None",
        effects(default="true for undefined, false for None", mini="true for both", js="false for both"),
        "Ask first: `x is defined and x is not none and x is iterable`.",
        Example(
            "{{ 'I' if x is iterable else '-' }}",
            results("-", "-", "I", "-"),
            {"x": None},
            "{{ 'I' if x is defined and x is not none and x is iterable else '-' }}",
            "-",
        ),
        _iterable_test,
    ),
    Cause(
        "sameas-test",
        "`is sameas`",
        effects(
            default="whether both are the same object: for texts and numbers that is chance",
            mini="for texts and numbers, whether they are equal",
            js="is not known with an argument like this",
        ),
        "Compare with `==`, or use `is none`, `is true`.",
        Example(
            "{{ 'S' if 1000 is sameas(x) else '-' }}",
            results("-", "-", "S", None),
            {"x": 1000},
            "{{ 'S' if 1000 == x else '-' }}",
            "S",
        ),
        _same_test,
    ),
    Cause(
        "test-arguments",
        "a test with arguments: `x is eq(1)`, `x is divisibleby 2`",
        effects(default="is known", js="is not known"),
        "Use operators: `x == 1`, `x % 2 == 0`, `x in y`.",
        Example(
            "{{ 'y' if x is divisibleby(2) else 'n' }}",
            results("y", "y", "y", None),
            {"x": 4},
            "{{ 'y' if x % 2 == 0 else 'n' }}",
            "y",
        ),
        _as_operator,
        messages=(re.compile("(OpenParen|NumericLiteral|StringLiteral|Identifier) !== Close"),),
    ),
    Cause(
        "not-implemented",
        "`{name}`",
        effects(default="works", llama="is known and refused", plus="works", js="is not known"),
        "Do it in a loop, or before the template gets its data.",
        Example("{{ 'abc'|join('-') }}", results(None, "a-b-c", "a-b-c", "a-b-c", plus="a-b-c")),
        messages=(
            re.compile("NotImplemented: (?P<name>.*?) (builtin )?not implemented"),
            re.compile("NotImplemented: (?P<name>.*)"),
            re.compile("`(?P<name>map)` expressions without"),
        ),
    ),
    Cause(
        "missing-filter",
        "the filter `{name}`",
        effects(
            default="is there for the types that it makes sense for",
            llama="a list of its own, by type of value (`chatjinja filters`)",
            mini="a list of its own",
            js="a list of its own, by type of value",
        ),
        "Use filters that all engines have: `chatjinja filters` lists those of llama.cpp.",
        Example("{{ 'a b'|wordcount }}", results(None, "2", None, None)),
        messages=(
            re.compile(r"Unknown \(built-in\) filter '(?P<name>\w+)'"),
            re.compile("No filter named '(?P<name>[^']+)'"),
            re.compile(r"filter (?P<name>\w+) is unknown"),
            re.compile(r"Unknown \w+ filter: (?P<name>\w+)"),
            re.compile(r'Cannot apply filter "(?P<name>\w+)"'),
        ),
    ),
    Cause(
        "missing-test",
        "the test `{name}`",
        effects(default="is there", llama="a list of its own", mini="a list of its own", js="a list of its own"),
        "Use tests that all engines have: defined, none, string, mapping, number, boolean, true, false, odd, even.",
        Example(
            "{{ 'y' if 1 is le(2) else 'n' }}", results(None, "y", "y", None), {}, "{{ 'y' if 1 <= 2 else 'n' }}", "y"
        ),
        messages=(
            re.compile("Unknown test '(?P<name>[^']+)'"),
            re.compile("No test named '(?P<name>[^']+)'"),
            re.compile(r"test (?P<name>\w+) is unknown"),
            re.compile(r"Unknown test: (?P<name>\w+)"),
        ),
    ),
    Cause(
        "missing-function",
        "the function or method `{name}`",
        effects(
            default="is there",
            llama="a list of its own, by type of value (`chatjinja filters`)",
            mini="a list of its own",
            js="a list of its own",
        ),
        "Use what all engines have: strip, split, startswith, endswith, replace, upper, lower, items, range.",
        Example("{{ 'ab'.find('b') }}", results(None, "1", "1", None)),
        messages=(
            re.compile(r"Callee is not a function: got Undefined \(hint: '(?P<name>[^']+)'\)"),
            re.compile(r"'[^']*' has no attribute '(?P<name>\w+)'"),
            re.compile(r"has no method named (?P<name>\w+)"),
            re.compile(r"unknown function: (?P<name>\w+)"),
            re.compile("Cannot call something that is not a function"),
        ),
    ),
    Cause(
        "refused-arguments",
        "the arguments of `{name}`",
        effects(
            default="may be anything that makes sense",
            llama="must be of certain types, and not too many",
            mini="must be of certain types, and not too many",
        ),
        "Give what all engines take: texts for texts, by position.",
        Example("{{ 'y' if x.startswith(('a', 'b')) else 'n' }}", results(None, "y", "y", "y"), {"x": "bc"}),
        messages=(
            re.compile("Function '(?P<name>[^']+)' expected"),
            re.compile("(?P<name>too many arguments)"),
            re.compile("Function (?P<name>.*) got"),
        ),
    ),
)
