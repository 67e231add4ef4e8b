"""Which names a template reads and sets, and where.

The dialect's scopes are copies: a ``for`` body, a macro call and a ``call`` body each work on a copy of the
variables visible where they are entered. A macro sees its *caller's* variables. So every variable can be
a Python local: a loop gets fresh locals for what it sets, and a macro gets the names it reads as
arguments from whoever calls it. This module finds those names.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from chatjinja.syntax import nodes as n
from chatjinja.syntax.visitor import walk

COUNTERS = frozenset(("index", "index0", "revindex", "revindex0", "length"))
LOOP_FIELDS = frozenset(("index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem"))


@dataclass(slots=True)
class Region:
    """Names used by one function-like body: the template, a macro, a ``call`` body.

    Attributes:
        reads: names read that the region does not bind itself (loop targets are bound).
        calls: names that are called directly, ``name(…)``.
        dynamic: something is called that is neither a name nor a built-in method.
    """

    reads: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    dynamic: bool = False


@dataclass(slots=True)
class Usage:
    """What the code generator wants to know about a whole template.

    Attributes:
        root: the region outside macros.
        regions: macro or call block → its region.
        macros: name → macro, for names that are set exactly once, by that macro.
        needs: macro or call block → names that it must be given, in a fixed order.
        dynamic_names: names that any macro may read from its caller.
        assigned: every name that a ``set``, macro, parameter or loop target sets anywhere.
        set_attributes: attribute names that ``set x.name = …`` writes anywhere.
        stray_signals: a break or continue stands in a macro or call body outside any loop of it.
        mentions: attribute, filter and string names that occur anywhere.
        attributes: variable → names of its attributes that are read.
        numbers: names that only ever are targets of loops over ``range(…)``.
        objects: names that are set to a ``namespace``, ``dict`` or object literal somewhere.
        macros_as_values: a macro may be used other than by calling it by its name.
        functions_as_values: a built-in, macro or global may be used other than by calling it at once.
    """

    root: Region
    regions: dict[n.Node, Region]
    macros: dict[str, n.Macro]
    needs: dict[n.Node, tuple[str, ...]]
    dynamic_names: tuple[str, ...]
    assigned: set[str]
    set_attributes: set[str]
    stray_signals: bool
    mentions: set[str]
    attributes: dict[str, set[str]]
    numbers: frozenset[str]
    objects: frozenset[str]
    macros_as_values: bool
    functions_as_values: bool


def target_names(target: n.Expr) -> list[str]:
    """Names set by a ``set`` or ``for`` target (those that can be set at all)."""
    if isinstance(target, n.Name):
        return [target.name]
    if isinstance(target, n.Tuple):
        return [item.name for item in target.items if isinstance(item, n.Name)]
    return []


def names_read(expr: n.Node) -> set[str]:
    """Variables that an expression reads: names, but not those of attributes, filters, tests, keywords."""
    names: set[str] = set()
    labels: set[int] = set()
    for node in walk(expr):
        if isinstance(node, n.Name):
            if id(node) not in labels:
                names.add(node.name)
        elif isinstance(node, n.Getattr):
            labels.add(id(node.attr))
        elif isinstance(node, n.Keyword):
            labels.add(id(node.key))
        elif isinstance(node, (n.Filter, n.Test)):
            target = node.target
            labels.add(id(target.node if isinstance(target, n.Call) else target))
    return names


def scope_bodies(stmt: n.Stmt) -> Iterator[list[n.Stmt]]:
    """The bodies of `stmt` that work on the scope that `stmt` itself stands in."""
    if isinstance(stmt, n.If):
        yield stmt.body
        for branch in stmt.elifs:
            yield branch.body
        yield stmt.else_
    elif isinstance(stmt, n.For):
        yield stmt.else_
    elif isinstance(stmt, (n.AssignBlock, n.FilterBlock)):
        yield stmt.body


def assigned_in_scope(body: list[n.Stmt]) -> set[str]:
    """Names that running `body` may set in its own scope."""
    names: set[str] = set()
    pending = [body]
    while pending:
        for stmt in pending.pop():
            if isinstance(stmt, (n.Assign, n.AssignBlock)):
                names.update(target_names(stmt.target))
            elif isinstance(stmt, n.Macro) and isinstance(stmt.name, n.Name):
                names.add(stmt.name.name)
            pending.extend(scope_bodies(stmt))
    return names


def parameter_names(args: list[n.Expr]) -> list[str]:
    """Names of macro parameters that are well-formed."""
    names = []
    for arg in args:
        key = arg.key if isinstance(arg, n.Keyword) else arg
        if isinstance(key, n.Name):
            names.append(key.name)
    return names


class _Collector:
    def __init__(self, method_names: frozenset[str], macros_as_values: bool) -> None:
        self.method_names = method_names
        self.macros_as_values = macros_as_values
        self.range_targets: dict[str, int] = {}
        self.parameters: set[str] = set()
        self.objects: set[str] = set()
        self.regions: dict[n.Node, Region] = {}
        self.macro_list: list[n.Macro] = []
        self.assign_count: dict[str, int] = {}
        self.stray_signals = False

    def assign(self, names: Iterable[str]) -> None:
        for name in names:
            self.assign_count[name] = self.assign_count.get(name, 0) + 1

    def expression(self, expr: n.Node, bound: frozenset[str], region: Region) -> None:
        region.reads |= names_read(expr) - bound
        for node in walk(expr):
            if isinstance(node, n.Call):
                callee = node.node
                if isinstance(callee, n.Name):
                    region.calls.add(callee.name)
                elif not self.is_method(callee):
                    region.dynamic = True

    def is_method(self, callee: n.Expr) -> bool:
        return (
            not self.macros_as_values  # a macro could be stored under the name of a method
            and isinstance(callee, n.Getattr)
            and isinstance(callee.attr, n.Name)
            and callee.attr.name in self.method_names
        )

    def body(self, stmts: list[n.Stmt], bound: frozenset[str], region: Region, in_loop: bool) -> None:
        for stmt in stmts:
            self.statement(stmt, bound, region, in_loop)

    def statement(self, stmt: n.Stmt, bound: frozenset[str], region: Region, in_loop: bool) -> None:
        if isinstance(stmt, n.Output):
            self.expression(stmt.node, bound, region)
        elif isinstance(stmt, n.If):
            self.expression(stmt.test, bound, region)
            for branch in stmt.elifs:
                self.expression(branch.test, bound, region)
            for body in scope_bodies(stmt):
                self.body(body, bound, region, in_loop)
        elif isinstance(stmt, n.For):
            self.loop(stmt, bound, region, in_loop)
        elif isinstance(stmt, n.Assign):
            self.expression(stmt.node, bound, region)
            self.target(stmt.target, bound, region)
            if isinstance(stmt.target, n.Name) and makes_object(stmt.node):
                self.objects.add(stmt.target.name)
        elif isinstance(stmt, n.AssignBlock):
            self.body(stmt.body, bound, region, in_loop)
            self.target(stmt.target, bound, region)
        elif isinstance(stmt, n.FilterBlock):
            if isinstance(stmt.target, n.Call):
                for arg in stmt.target.args:
                    self.expression(arg, bound, region)
            self.body(stmt.body, bound, region, in_loop)
        elif isinstance(stmt, n.Macro):
            self.macro(stmt)
        elif isinstance(stmt, n.CallBlock):
            self.call_block(stmt, bound, region)
        elif isinstance(stmt, (n.Break, n.Continue)) and not in_loop:
            self.stray_signals = True

    def target(self, target: n.Expr, bound: frozenset[str], region: Region) -> None:
        names = target_names(target)
        self.assign(names)
        if not names:
            self.expression(target, bound, region)

    def loop(self, stmt: n.For, bound: frozenset[str], region: Region, in_loop: bool) -> None:
        names = target_names(stmt.target)
        self.assign(names)
        self.assign(names)  # a loop target never counts as "set exactly once"
        if isinstance(stmt.target, n.Name) and called_name(stmt.iter) == "range":
            self.range_targets[names[0]] = self.range_targets.get(names[0], 0) + 2
        inside = bound.union(names)
        source = stmt.iter
        if isinstance(source, n.CondExpr) and source.expr2 is None:
            self.expression(source.expr1, bound, region)
            self.expression(source.test, inside, region)
        else:
            self.expression(source, bound, region)
        self.body(stmt.body, inside | {"loop"}, region, True)
        self.body(stmt.else_, bound, region, in_loop)

    def macro(self, stmt: n.Macro) -> None:
        if isinstance(stmt.name, n.Name):
            self.assign([stmt.name.name])
        self.macro_list.append(stmt)
        self.function(stmt, stmt.args, stmt.body)

    def function(self, owner: n.Node, args: list[n.Expr], body: list[n.Stmt]) -> None:
        region = self.regions[owner] = Region()
        self.parameters.update(parameter_names(args))
        self.body(body, frozenset(parameter_names(args)), region, False)

    def call_block(self, stmt: n.CallBlock, bound: frozenset[str], region: Region) -> None:
        self.expression(stmt.call, bound, region)
        self.function(stmt, stmt.args, stmt.body)
        inner = self.regions[stmt]
        region.reads |= inner.reads - bound
        region.calls |= inner.calls
        region.dynamic = region.dynamic or inner.dynamic


def _default_names(owner: n.Node) -> set[str]:
    args: list[n.Expr] = owner.args if isinstance(owner, (n.Macro, n.CallBlock)) else []
    return {name for arg in args if isinstance(arg, n.Keyword) for name in names_read(arg.value)}


def called_name(expr: n.Expr) -> str | None:
    """``name`` if `expr` is ``name(…)``."""
    return expr.node.name if isinstance(expr, n.Call) and isinstance(expr.node, n.Name) else None


def makes_object(expr: n.Expr) -> bool:
    """True if `expr` makes an Object (unless the context gives these names another meaning)."""
    return isinstance(expr, n.Dict) or called_name(expr) in ("namespace", "dict")


def analyse(
    template: n.Template,
    method_names: frozenset[str],
    global_names: frozenset[str],
    fixed_names: frozenset[str] = frozenset(),
) -> Usage:
    """Find out what a template reads, sets and calls.

    `fixed_names` are names of the dialect that the context does not replace; unless the template sets them,
    they are no variables.
    """
    macro_names = {
        node.name.name for node in walk(template) if isinstance(node, n.Macro) and isinstance(node.name, n.Name)
    }
    mentions = _Mentions(method_names, global_names | {"caller"}, macro_names)
    for node in walk(template):
        mentions.visit(node)
    collector = _Collector(method_names, mentions.macros_as_values)
    root = Region()
    collector.body(template.body, frozenset(), root, True)
    macros = {
        macro.name.name: macro
        for macro in collector.macro_list
        if isinstance(macro.name, n.Name)
        and collector.assign_count[macro.name.name] == 1
        and macro.name.name not in collector.parameters
    }
    assigned = collector.parameters.union(collector.assign_count)
    for region in (root, *collector.regions.values()):
        region.reads -= fixed_names - assigned
    dynamic: set[str] = set()
    for owner, region in collector.regions.items():
        dynamic |= region.reads | (_default_names(owner) - (fixed_names - assigned))
    builtin_calls = global_names - assigned
    needs = _needs(collector.regions, macros, dynamic, builtin_calls)
    for region in (root, *collector.regions.values()):
        _add_callee_needs(region, region.reads, macros, needs, dynamic, builtin_calls)
    read = root.reads.union(*(region.reads for region in collector.regions.values()))
    ranges = collector.range_targets.items()
    numbers = frozenset(name for name, count in ranges if collector.assign_count[name] == count)
    numbers -= read | collector.parameters
    return Usage(
        root=root,
        regions=collector.regions,
        macros=macros,
        needs={owner: tuple(sorted(names)) for owner, names in needs.items()},
        dynamic_names=tuple(sorted(dynamic)),
        assigned=assigned,
        set_attributes=mentions.set_attributes,
        stray_signals=collector.stray_signals,
        mentions=mentions.names,
        attributes=mentions.attributes,
        numbers=numbers,
        objects=frozenset(collector.objects),
        macros_as_values=mentions.macros_as_values,
        # Outside of loops, `loop` is a variable like any other, and `.first` may be a method of its value.
        functions_as_values=mentions.as_values
        or mentions.may_find_method(numbers)
        or "loop" in root.reads
        or "loop" in dynamic,
    )


def _add_callee_needs(
    region: Region,
    into: set[str],
    macros: dict[str, n.Macro],
    needs: dict[n.Node, set[str]],
    dynamic: set[str],
    builtin_calls: frozenset[str],
) -> None:
    for name in region.calls:
        macro = macros.get(name)
        if macro is not None:
            into |= needs[macro]
            into |= _default_names(macro) & dynamic
        elif name not in builtin_calls:
            into |= dynamic
    if region.dynamic:
        into |= dynamic


def _needs(
    regions: dict[n.Node, Region],
    macros: dict[str, n.Macro],
    dynamic: set[str],
    builtin_calls: frozenset[str],
) -> dict[n.Node, set[str]]:
    """Names each macro or call body must get from outside: its own reads and those of what it calls."""
    needs = {owner: set(region.reads) for owner, region in regions.items()}
    changed = True
    while changed:
        changed = False
        for owner, region in regions.items():
            mine = needs[owner]
            before = len(mine)
            _add_callee_needs(region, mine, macros, needs, dynamic, builtin_calls)
            changed = changed or len(mine) != before
    return needs


class _Mentions:
    """One walk over the whole tree (parents before children) for what does not depend on scopes."""

    def __init__(self, method_names: frozenset[str], function_names: frozenset[str], macro_names: set[str]) -> None:
        self.method_names = method_names
        self.function_names = function_names
        self.macro_names = macro_names
        self.macros_as_values = False
        self._keys: list[n.Expr | None] = []
        self.set_attributes: set[str] = set()
        self.names: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.as_values = False
        self._not_values: set[int] = set()

    def visit(self, node: n.Node) -> None:
        if isinstance(node, n.Name):
            if id(node) not in self._not_values:
                self.macros_as_values |= node.name in self.macro_names
                self.as_values |= node.name in self.function_names or node.name in self.macro_names
        elif isinstance(node, n.Const):
            if isinstance(node.value, str):
                self.names.add(node.value)
        elif isinstance(node, n.Getattr):
            if isinstance(node.attr, n.Name):
                self._not_values.add(id(node.attr))
                self.names.add(node.attr.name)
                self.key(node, node.attr.name)
        elif isinstance(node, n.Getitem):
            if isinstance(node.arg, n.Const) and isinstance(node.arg.value, str):
                self.key(node, node.arg.value)
            self._keys.append(node.arg)
        elif isinstance(node, n.Call):
            self._not_values.add(id(node.node))
        elif isinstance(node, (n.Filter, n.Test)):
            target = node.target.node if isinstance(node.target, n.Call) else node.target
            self._not_values.add(id(target))
            if isinstance(target, n.Name):
                self.names.add(target.name)
        else:
            self.statement(node)

    def may_find_method(self, numbers: Container[str]) -> bool:
        """True if some ``a[key]`` may look up a built-in by name."""
        return any(_may_find_method(key, self.method_names, numbers) for key in self._keys)

    def key(self, node: n.Getattr | n.Getitem, key: str) -> None:
        if isinstance(node.node, n.Name) and node.node.name == "loop" and key in LOOP_FIELDS:
            return
        if key in self.method_names:
            self.as_values |= isinstance(node, n.Getattr) and id(node) not in self._not_values
        elif isinstance(node.node, n.Name):
            self.attributes.setdefault(node.node.name, set()).add(key)

    def statement(self, node: n.Node) -> None:
        if isinstance(node, n.Assign):
            if isinstance(node.target, n.Getattr) and isinstance(node.target.attr, n.Name):
                self.set_attributes.add(node.target.attr.name)
        elif isinstance(node, n.Macro):
            self._not_values.add(id(node.name))
        elif isinstance(node, n.FilterBlock):
            target = node.target.node if isinstance(node.target, n.Call) else node.target
            self._not_values.add(id(target))
            if isinstance(target, n.Name):
                self.names.add(target.name)
        elif isinstance(node, n.Keyword):
            self._not_values.add(id(node.key))


def _may_find_method(arg: n.Expr | None, method_names: frozenset[str], numbers: Container[str]) -> bool:
    if isinstance(arg, n.Const):
        return isinstance(arg.value, str) and arg.value in method_names
    return not isinstance(arg, (n.Slice, type(None))) and not is_number_like(arg, numbers)


def is_number_like(expr: n.Expr | None, numbers: Container[str]) -> bool:
    """True if `expr` can only be a number (or fail); `numbers` are variables that hold one."""
    while isinstance(expr, n.BinExpr) and expr.op in ("-", "*", "/", "%"):
        expr = expr.right
    while isinstance(expr, n.BinExpr) and expr.op == "+" and is_number_like(expr.right, numbers):
        expr = expr.left
    if isinstance(expr, n.Const):
        return not isinstance(expr.value, str)
    if isinstance(expr, n.Name):
        return expr.name in numbers
    return (
        isinstance(expr, n.Getattr)
        and isinstance(expr.node, n.Name)
        and expr.node.name == "loop"
        and isinstance(expr.attr, n.Name)
        and expr.attr.name in LOOP_FIELDS - {"previtem", "nextitem"}
    )
