"""Variables, loops and macros."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatjinja.analysis.catalogue.base import Cause, Example, Fix, effects, failures_only, replace, results
from chatjinja.analysis.parsed import Edit, Parsed
from chatjinja.source import Span
from chatjinja.syntax import nodes

_BLOCKS = (nodes.For, nodes.AssignBlock, nodes.FilterBlock, nodes.CallBlock)
_SCOPE = "scope"
_LOOP_FIELDS = ("cycle", "changed", "depth", "depth0")


# --- set ---------------------------------------------------------------------------------------------------


def _in_namespace(parsed: Parsed, kinds: tuple[type[nodes.Node], ...]) -> Iterator[Fix]:
    """Variables that are set inside of blocks, moved into a namespace of their own."""
    tried: set[str] = set()
    for assign in parsed.of(nodes.Assign):
        name = assign.target.name if isinstance(assign.target, nodes.Name) else None
        inside = next((above for above in parsed.around(assign) if isinstance(above, kinds)), None)
        if name is not None and inside is not None and name not in tried:
            tried.add(name)
            head = f"{{% set {_SCOPE} = namespace({name}={name}) %}}"
            head += "\n" if parsed.source.text.startswith("\n") else ""
            edits = [Edit(0, 0, head)]
            edits += [
                Edit(node.start, node.end, f"{_SCOPE}.{name}")
                for node in parsed.of(nodes.Name)
                if node.name == name and _is_variable(parsed, node)
            ]
            yield Fix(parsed.span(assign), tuple(edits))


def _is_variable(parsed: Parsed, node: nodes.Name) -> bool:
    """Not the name of a key, an argument, a filter or a test."""
    parent = parsed.parent(node)
    if isinstance(parent, nodes.Call) and parent.node is node:
        parent = parsed.parent(parent)
        return not isinstance(parent, (nodes.Filter, nodes.Test))
    if isinstance(parent, (nodes.Filter, nodes.Test, nodes.FilterBlock)):
        return getattr(parent, "target", None) is not node
    if isinstance(parent, nodes.Getattr):
        return parent.attr is not node
    return not (isinstance(parent, nodes.Keyword) and parent.key is node)


def _set_in_loop(parsed: Parsed) -> Iterator[Fix]:
    return _in_namespace(parsed, (nodes.For,))


def _set_in_block(parsed: Parsed) -> Iterator[Fix]:
    return _in_namespace(parsed, _BLOCKS[1:])


# --- macros ------------------------------------------------------------------------------------------------


def _macros(parsed: Parsed) -> Iterator[tuple[nodes.Macro, str, list[nodes.Call]]]:
    """Macros with their names and the calls of them."""
    for macro in parsed.of(nodes.Macro):
        if isinstance(macro.name, nodes.Name):
            name = macro.name.name
            calls = [
                call for call in parsed.of(nodes.Call) if isinstance(call.node, nodes.Name) and call.node.name == name
            ]
            yield macro, name, calls


def _parameters(macro: nodes.Macro) -> list[str]:
    keys = [arg.key if isinstance(arg, nodes.Keyword) else arg for arg in macro.args]
    return [key.name for key in keys if isinstance(key, nodes.Name)]


def _insert(parsed: Parsed, after: int, text: str, more: bool) -> Edit:
    """`text` as the first of what stands in the brackets that open behind `after`."""
    at = parsed.source.text.index("(", after) + 1
    return Edit(at, at, text + (", " if more else ""))


def _macro_sees_caller(parsed: Parsed) -> Iterator[Fix]:
    for macro, _, calls in _macros(parsed):
        bound = {*_parameters(macro), *_names_set_in(parsed, macro)}
        read = {
            node.name: None
            for node in parsed.of(nodes.Name)
            if macro.start < node.start < macro.end and node.name not in bound and _is_variable(parsed, node)
        }
        local = _names_set_in_loops(parsed)
        for name in (name for name in read if name in local):
            edits = [_insert(parsed, macro.name.end, name, bool(macro.args))]
            edits += [_insert(parsed, call.node.end, name, bool(call.args)) for call in calls]
            yield Fix(parsed.span(macro), tuple(edits))


def _names_set_in(parsed: Parsed, outer: nodes.Node) -> set[str]:
    found: set[str] = set()
    binders: list[nodes.Assign | nodes.AssignBlock | nodes.For] = [*parsed.of(nodes.Assign), *parsed.of(nodes.For)]
    binders += parsed.of(nodes.AssignBlock)
    for node in binders:
        if outer.start < node.start < outer.end:
            found.update(_targets(node.target))
    return found


def _targets(target: nodes.Expr) -> list[str]:
    items = target.items if isinstance(target, nodes.Tuple) else [target]
    return [item.name for item in items if isinstance(item, nodes.Name)]


def _names_set_in_loops(parsed: Parsed) -> set[str]:
    """Names that are bound by loops, by macros, or inside of them."""
    found = {"loop"}
    for loop in parsed.of(nodes.For):
        found |= {*_targets(loop.target), *_names_set_in(parsed, loop)}
    for macro in parsed.of(nodes.Macro):
        found |= {*_parameters(macro), *_names_set_in(parsed, macro)}
    return found


def _surplus_arguments(parsed: Parsed) -> Iterator[Fix]:
    for macro, _, calls in _macros(parsed):
        for call in calls:
            surplus = call.args[len(macro.args) :]
            if surplus and not any(isinstance(arg, (nodes.Keyword, nodes.Spread)) for arg in call.args):
                start = call.args[len(macro.args) - 1].end if macro.args else surplus[0].start
                yield replace(parsed, start, surplus[-1].end, "", span=parsed.span(call))


def _missing_arguments(parsed: Parsed) -> Iterator[Fix]:
    for macro, _, _ in _macros(parsed):
        edits = tuple(Edit(arg.end, arg.end, "=''") for arg in macro.args if isinstance(arg, nodes.Name))
        if edits:
            yield Fix(parsed.span(macro), edits)


def _skipped_arguments(parsed: Parsed) -> Iterator[Fix]:
    for macro, _, calls in _macros(parsed):
        defaults = {
            arg.key.name: parsed.text(arg.value)
            for arg in macro.args
            if isinstance(arg, nodes.Keyword) and isinstance(arg.key, nodes.Name)
        }
        for call in calls:
            given = [arg for arg in call.args if not isinstance(arg, nodes.Keyword)]
            named = {parsed.text(arg.key) for arg in call.args if isinstance(arg, nodes.Keyword)}
            missing = [name for name in _parameters(macro)[len(given) :] if name not in named and name in defaults]
            if missing and call.args:
                end = call.args[-1].end
                text = "".join(f", {name}={defaults[name]}" for name in missing)
                yield replace(parsed, end, end, text, span=parsed.span(call))


# --- loops -------------------------------------------------------------------------------------------------


def _lost_output(parsed: Parsed) -> Iterator[Fix]:
    for kind in (nodes.Continue, nodes.Break):
        for node in parsed.of(kind):
            parent = parsed.parent(node)
            if isinstance(parent, nodes.If) and node in parent.body and parent.body[0] is not node:
                tag = f"{{% endif %}}{{% if {parsed.text(parent.test)} %}}"
                yield replace(parsed, node.start, node.start, tag, span=Span(parent.start, node.end))


def _skipped_rest(parsed: Parsed) -> Iterator[Fix]:
    """``{% if c %}a{% continue %}{% endif %}b`` as ``{% if c %}a{% else %}b{% endif %}``."""
    for node in parsed.of(nodes.Continue):
        parent = parsed.parent(node)
        if not isinstance(parent, nodes.If) or parent.elifs or parent.else_ or node is not parent.body[-1]:
            continue
        loop = parsed.parent(parent)
        if isinstance(loop, nodes.For) and parent is not loop.body[-1]:
            end = loop.body[-1].end
            edits = (Edit(node.start, parent.end, "{% else %}"), Edit(end, end, "{% endif %}"))
            yield Fix(Span(parent.start, node.end), edits)


def _kept_output(parsed: Parsed) -> Iterator[Fix]:
    yield from _lost_output(parsed)
    yield from _skipped_rest(parsed)


def _else_of_loop(parsed: Parsed) -> Iterator[Fix]:
    for loop in parsed.of(nodes.For):
        if loop.else_ and not isinstance(loop.iter, nodes.CondExpr):
            body = parsed.source.text[loop.else_[0].start : loop.else_[-1].end]
            before = loop.body[-1].end if loop.body else loop.iter.end
            tag = parsed.source.text.find("{%", before)
            text = f"{{% endfor %}}{{% if not {parsed.operand(loop.iter)} %}}{body}{{% endif %}}"
            yield replace(parsed, tag, loop.end, text, span=parsed.span(loop))


def _loop_fields(parsed: Parsed) -> Iterator[Fix]:
    for node in parsed.of(nodes.Getattr):
        base, attr = node.node, node.attr
        if (
            isinstance(base, nodes.Name)
            and base.name == "loop"
            and isinstance(attr, nodes.Name)
            and attr.name in _LOOP_FIELDS
        ):
            call = parsed.parent(node)
            if attr.name == "cycle" and isinstance(call, nodes.Call):
                items = ", ".join(parsed.text(arg) for arg in call.args)
                text = f"[{items}][loop.index0 % {len(call.args)}]"
                yield replace(parsed, call.start, call.end, text)
            else:
                whole = call if isinstance(call, nodes.Call) else node
                yield replace(parsed, whole.start, whole.end, "''", exact=False)


def _or_nothing(parsed: Parsed) -> Iterator[Fix]:
    for loop in parsed.of(nodes.For):
        if not isinstance(loop.iter, (nodes.CondExpr, nodes.Call, nodes.List)):
            yield replace(parsed, loop.iter.start, loop.iter.end, f"({parsed.text(loop.iter)} or [])")


def _pairs(parsed: Parsed) -> Iterator[Fix]:
    for loop in parsed.of(nodes.For):
        if isinstance(loop.target, nodes.Tuple) and not isinstance(loop.iter, nodes.Call):
            yield replace(parsed, loop.iter.start, loop.iter.end, f"{parsed.operand(loop.iter)}.items()")


def _without_loop(parsed: Parsed) -> Iterator[Fix]:
    for loop in parsed.of(nodes.For):
        yield replace(parsed, loop.iter.start, loop.iter.end, "[]", exact=False)


_KEEPS = "a namespace that is made before the block: `{% set ns = namespace(x=0) %}`, `{% set ns.x = 1 %}`"
CAUSES = (
    Cause(
        "set-in-loop",
        "a variable that is set in a loop",
        effects(
            default="is forgotten at the end of each pass",
            llama="stays until the loop ends",
            js="stays until the loop ends",
        ),
        f"If later passes shall see it, keep it in {_KEEPS}; if not, give it a name that nothing else has.",
        Example(
            "{% set x = 0 %}{% for i in [1, 2] %}{% set x = x + i %}{{ x }}{% endfor %}",
            results("13", "12", "12", "13"),
            {},
            "{% set ns = namespace(x=0) %}{% for i in [1, 2] %}{% set ns.x = ns.x + i %}{{ ns.x }}{% endfor %}",
            "13",
        ),
        _set_in_loop,
    ),
    Cause(
        "set-in-block",
        "a variable that is set in a `filter`, `call` or `set` block",
        effects(default="is still there behind the block", jinja="is forgotten at the end of the block"),
        f"Set it before the block, or keep it in {_KEEPS}.",
        Example(
            "{% filter upper %}{% set x = 1 %}{% endfilter %}{{ x }}",
            results("1", "", "1", "1"),
            {},
            "{% set ns = namespace(x=0) %}{% filter upper %}{% set ns.x = 1 %}{% endfilter %}{{ ns.x }}",
            "1",
        ),
        _set_in_block,
    ),
    Cause(
        "macro-sees-caller",
        "a macro that reads a variable of the place where it is called",
        effects(default="does not see it", llama="sees it", js="sees it"),
        "Give it to the macro as an argument.",
        Example(
            "{% macro m() %}{{ i }}{% endmacro %}{% for i in [1, 2] %}{{ m() }}{% endfor %}",
            results("12", "", "", "12"),
            {},
            "{% macro m(i) %}{{ i }}{% endmacro %}{% for i in [1, 2] %}{{ m(i) }}{% endfor %}",
            "12",
        ),
        _macro_sees_caller,
    ),
    Cause(
        "macro-surplus-arguments",
        "a macro that is called with too many arguments",
        effects(default="an error", llama="what is too much is ignored"),
        "Give it no more than it takes.",
        Example(
            "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}",
            results("1", None, None, None),
            {},
            "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1) }}",
            "1",
        ),
        _surplus_arguments,
        failures_only,
    ),
    Cause(
        "macro-missing-arguments",
        "a macro that is called without an argument that it has no default for",
        effects(default="the parameter is undefined", llama="an error"),
        "Give every parameter a default: `{% macro m(a='') %}`.",
        Example(
            "{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m() }}",
            results(None, "[]", "[]", "[]"),
            {},
            "{% macro m(a='') %}[{{ a }}]{% endmacro %}{{ m() }}",
            "[]",
        ),
        _missing_arguments,
        failures_only,
        messages=(re.compile("Not enough arguments provided to"),),
    ),
    Cause(
        "macro-skipped-arguments",
        "a macro call that names an argument and leaves out one before it",
        effects(
            default="the one left out has its default", llama="arguments are counted: the wrong ones have defaults"
        ),
        "Name them all, or none.",
        Example(
            "{% macro m(a, b=1, c=2) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(0, c=5) }}",
            results("02", "015", "015", "015"),
            {},
            "{% macro m(a, b=1, c=2) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(0, b=1, c=5) }}",
            "015",
        ),
        _skipped_arguments,
    ),
    Cause(
        "continue-loses-output",
        "text before `continue` or `break` in an `if`",
        effects(default="is printed", llama="is lost", js="is lost"),
        "Close the `if` before: `{% if c %}text{% endif %}{% if c %}{% continue %}{% endif %}`.",
        Example(
            "{% for i in [1, 2] %}{% if i == 1 %}one{% continue %}{% endif %}{{ i }}{% endfor %}",
            results("2", "one2", "one2", "2"),
            {},
            "{% for i in [1, 2] %}{% if i == 1 %}one{% else %}{{ i }}{% endif %}{% endfor %}",
            "one2",
        ),
        _kept_output,
    ),
    Cause(
        "loop-else",
        "the `else` of a loop whose passes all end with `continue`",
        effects(default="runs", mini="does not run", plus="does not run"),
        "Ask behind the loop: `{% endfor %}{% if not items %}…{% endif %}`.",
        Example(
            "{% for i in [1] %}{% continue %}{% else %}none{% endfor %}",
            results("none", "none", "", "none", plus=""),
            {},
            "{% for i in [1] %}{% continue %}{% endfor %}{% if not [1] %}none{% endif %}",
            "",
        ),
        _else_of_loop,
    ),
    Cause(
        "loop-fields",
        "`loop.cycle`, `loop.changed`, `loop.depth`",
        effects(default="are there", llama="are undefined", js="are undefined"),
        "Use what every engine has: `loop.index`, `index0`, `first`, `last`, `length`; "
        "`['a', 'b'][loop.index0 % 2]` instead of `loop.cycle('a', 'b')`.",
        Example(
            "{% for i in [1, 2] %}{{ loop.cycle('a', 'b') }}{% endfor %}",
            results(None, "ab", "ab", None),
            {},
            "{% for i in [1, 2] %}{{ ['a', 'b'][loop.index0 % 2] }}{% endfor %}",
            "ab",
        ),
        _loop_fields,
        messages=(re.compile("hint: '(cycle|changed|depth|depth0)'"),),
    ),
    Cause(
        "loop-over-nothing",
        "a loop over None or something undefined",
        effects(default="None is an error, undefined no pass", mini="no pass", js="both are an error"),
        "Give it a list: `{% for x in items or [] %}`.",
        Example(
            "{% for i in x %}{{ i }}{% endfor %}-",
            results("-", "-", "-", None),
            {},
            "{% for i in x or [] %}{{ i }}{% endfor %}-",
            "-",
        ),
        _or_nothing,
        failures_only,
    ),
    Cause(
        "loop-over-text",
        "a loop over a text",
        effects(default="goes through its characters", llama="an error", js="an error"),
        "Make a list of it before the template gets it, or ask first: `x is not string`.",
        Example("{% for c in x %}<{{ c }}>{% endfor %}", results(None, "<a><b>", "<a><b>", None), {"x": "ab"}),
        _without_loop,
        failures_only,
        messages=(re.compile("Expected iterable or object type in for loop: got String"),),
    ),
    Cause(
        "loop-over-object",
        "a loop with two names over an object",
        effects(
            default="an error: keys cannot be unpacked", llama="goes through keys and values", jinja="unpacks the keys"
        ),
        "Ask for the pairs: `{% for k, v in x.items() %}`.",
        Example(
            "{% for k, v in x %}{{ k }}={{ v }};{% endfor %}",
            results("ab=1;", "a=b;", None, None),
            {"x": {"ab": 1}},
            "{% for k, v in x.items() %}{{ k }}={{ v }};{% endfor %}",
            "ab=1;",
        ),
        _pairs,
    ),
)
