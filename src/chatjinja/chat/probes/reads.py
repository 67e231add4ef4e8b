"""Which variables a template reads without setting them, and how, told from its tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chatjinja.compiler.scopes import parameter_names, target_names
from chatjinja.environment.template import LlamaTemplate
from chatjinja.syntax import nodes as n
from chatjinja.syntax.visitor import iter_child_nodes

_IN_LOOPS = frozenset(("loop",))
_IN_MACROS = frozenset(("caller", "kwargs", "varargs"))
_ORDERING = frozenset(("<", ">", "<=", ">="))
_COMPARING = frozenset(("==", "!=", "in", "not in")) | _ORDERING
_ASKED_OF_SWITCHES = frozenset(f"asked whether it is {what}" for what in ("true", "false", "boolean", "sameas"))
_DEFAULTING = ("default", "d")
_TEXT_METHODS = frozenset(
    ("endswith", "lower", "lstrip", "replace", "rstrip", "split", "startswith", "strip", "title", "upper")
)
_LISTS = frozenset(
    ("first", "join", "last", "length", "list", "map", "reject", "rejectattr", "select", "selectattr", "sort")
)


class _Place(NamedTuple):
    """A node on the walk.

    Attributes:
        node, parent: the node, and the one that it stands in.
        bound: names that mean something else here: targets of loops, parameters.
        macro: the macro or call body that it stands in.
    """

    node: n.Node
    parent: n.Node | None
    bound: frozenset[str]
    macro: n.Node | None


@dataclass(slots=True)
class Read:
    """One variable.

    Attributes:
        positions: offsets in the source where it is read.
        uses: how, in words, in the order of the source.
        is_guarded: it is asked whether it is defined, or given a default.
        defaults: expressions that stand in for it, as written.
        compared: constants that it is compared with.
        limits: numbers that it is compared with as greater or less.
        keys, item_keys: keys that are looked up in it and in its items → constants that these are compared with.
        members: constants that its items are compared with, or that are looked for in it.
        holds_items: it is used as a list or an object.
        is_switch: it is asked whether it is true.
        is_text: it is printed, or made part of a text.
    """

    positions: list[int] = field(default_factory=list)
    uses: dict[str, None] = field(default_factory=dict)
    is_guarded: bool = False
    defaults: dict[str, None] = field(default_factory=dict)
    compared: dict[Any, None] = field(default_factory=dict)
    limits: dict[int | float, None] = field(default_factory=dict)
    keys: dict[str, dict[Any, None]] = field(default_factory=dict)
    item_keys: dict[str, dict[Any, None]] = field(default_factory=dict)
    members: dict[Any, None] = field(default_factory=dict)
    holds_items: bool = False
    is_switch: bool = False
    is_text: bool = False


def find_reads(template: LlamaTemplate, nodes: Sequence[n.Node]) -> dict[str, Read]:
    """The variables that are read before anything sets them, by name, in the order of the source.

    `nodes` are all nodes of its tree. What counts as a use of a variable is every place where it is read, also after
    the template gave it a default.
    """
    return _Reader(template).read(nodes)


class _Reader:
    def __init__(self, template: LlamaTemplate) -> None:
        self.template = template
        self.text = template.source.text
        self.own_names = template.dialect.own_names
        self.places: list[_Place] = []
        self.parents: dict[n.Node, n.Node | None] = {}
        """What each filter stands in."""
        self.first_set: dict[str, int] = {}
        """Name → offset from which on it is set, outside of macros."""
        self.set_in_macros: dict[tuple[n.Node, str], int] = {}

    def read(self, nodes: Sequence[n.Node]) -> dict[str, Read]:
        todo = [_Place(self.template.tree, None, frozenset(), None)]
        while todo:
            place = todo.pop()
            self.visit(place)
            todo.extend(reversed(list(self.inside(place))))
        found: dict[str, Read] = {}
        for place in self.places:
            assert isinstance(place.node, n.Name)
            if self.is_free(place, place.node):
                found.setdefault(place.node.name, Read())
        for place in self.places:
            if isinstance(place.node, n.Name) and place.node.name in found:
                self.note_uses(found[place.node.name], place)
        for node in nodes:
            note_defaults(found, node, self.text)
        links = _Links(found, frozenset(self.template.dialect.tables.methods["Object"]))
        for note in (links.note_copy, links.note_key, links.note_values):
            for node in nodes:
                note(node)
        return found

    def note_uses(self, read: Read, place: _Place) -> None:
        """Note what is done with a variable at one place; with a default, also what is done with the result."""
        read.positions.append(place.node.start)
        node, parent = place.node, place.parent
        while isinstance(parent, n.Filter) and label(parent.target) in _DEFAULTING:
            note_use(read, node, parent)
            node, parent = parent, self.parents[parent]
        note_use(read, node, parent)

    def visit(self, place: _Place) -> None:
        node = place.node
        if isinstance(node, n.Filter):
            self.parents[node] = place.parent
        if isinstance(node, n.Name):
            if node.name not in place.bound and node.name not in self.own_names:
                self.places.append(place)
        elif isinstance(node, (n.Assign, n.AssignBlock)):
            for name in target_names(node.target):
                self.set(name, node.end, place.macro)
        elif isinstance(node, n.Macro) and isinstance(node.name, n.Name):
            self.set(node.name.name, node.start, place.macro)

    def set(self, name: str, offset: int, macro: n.Node | None) -> None:
        if macro is None:
            self.first_set[name] = min(offset, self.first_set.get(name, offset))
        else:
            known = self.set_in_macros.get((macro, name), offset)
            self.set_in_macros[macro, name] = min(offset, known)

    def is_free(self, place: _Place, node: n.Name) -> bool:
        """Whether nothing has set the variable at this place. A macro sees what is set where it is called."""
        if place.macro is None:
            return node.start < self.first_set.get(node.name, node.start + 1)
        known = self.set_in_macros.get((place.macro, node.name))
        return node.name not in self.first_set and (known is None or node.start < known)

    def inside(self, place: _Place) -> Iterator[_Place]:
        """The children in which variables may be read."""
        node, _, bound, macro = place
        if isinstance(node, n.For):
            yield from self.loop(node, bound, macro)
        elif isinstance(node, (n.Macro, n.CallBlock)):
            if isinstance(node, n.CallBlock):
                yield _Place(node.call, node, bound, macro)
            yield from (_Place(arg.value, node, bound, macro) for arg in node.args if isinstance(arg, n.Keyword))
            inner = bound.union(parameter_names(node.args), _IN_MACROS)
            yield from (_Place(stmt, node, inner, node) for stmt in node.body)
        else:
            yield from (_Place(child, node, bound, macro) for child in children(node))

    @staticmethod
    def loop(node: n.For, bound: frozenset[str], macro: n.Node | None) -> Iterator[_Place]:
        inner = bound.union(target_names(node.target), _IN_LOOPS)
        items = node.iter
        if isinstance(items, n.CondExpr) and items.expr2 is None:
            yield _Place(items.expr1, node, bound, macro)
            yield _Place(items.test, node, inner, macro)
        else:
            yield _Place(items, node, bound, macro)
        yield from (_Place(stmt, node, inner, macro) for stmt in node.body)
        yield from (_Place(stmt, node, bound, macro) for stmt in node.else_)


def children(node: n.Node) -> Iterator[n.Node]:
    """Child nodes that are values or statements: no targets, labels or names of filters."""
    if isinstance(node, n.Assign):
        yield node.node
        if not isinstance(node.target, (n.Name, n.Tuple)):
            yield node.target
    elif isinstance(node, n.AssignBlock):
        yield from node.body
    elif isinstance(node, n.Getattr):
        yield node.node
    elif isinstance(node, n.Keyword):
        yield node.value
    elif isinstance(node, (n.Filter, n.Test)):
        yield node.node
        if isinstance(node.target, n.Call):
            yield from node.target.args
    elif isinstance(node, n.FilterBlock):
        if isinstance(node.target, n.Call):
            yield from node.target.args
        yield from node.body
    else:
        yield from iter_child_nodes(node)


# --- how a variable is used ----------------------------------------------------------------------------


def note_use(read: Read, node: n.Node, parent: n.Node | None) -> None:
    """Note what is done with a variable, or with the result of a filter on it."""
    use = _use(node, parent)
    read.uses[use] = None
    if use in ("asked whether it is defined", "given a default"):
        read.is_guarded = True
    is_filtered = isinstance(parent, n.Filter) and label(parent.target) in _LISTS
    is_method = isinstance(parent, n.Getattr) and label(parent.attr) in _TEXT_METHODS
    if is_filtered or (isinstance(parent, (n.For, n.Getattr, n.Getitem)) and not is_method):
        read.holds_items = True
    if isinstance(parent, n.BinExpr) and parent.op in ("in", "not in") and parent.right is node:
        read.holds_items = True
    if use == "tested" or use in _ASKED_OF_SWITCHES:
        read.is_switch = True
    if is_method or use in ("printed", "calculated with") or (use.startswith("filtered by") and not is_filtered):
        read.is_text = True


def _use(node: n.Node, parent: n.Node | None) -> str:
    if isinstance(parent, n.Test):
        name = label(parent.target)
        return "asked whether it is defined" if name in ("defined", "undefined") else f"asked whether it is {name}"
    if isinstance(parent, n.Filter):
        name = label(parent.target)
        return "given a default" if name in _DEFAULTING else f"filtered by {name}"
    if isinstance(parent, n.BinExpr):
        if parent.op in _COMPARING:
            return "compared"
        return "tested" if parent.op in ("and", "or") else "calculated with"
    if isinstance(parent, n.CondExpr):
        return "tested" if parent.test is node else "chosen"
    if isinstance(parent, n.Call):
        return "called" if parent.node is node else "handed to a function"
    return _USES.get(type(parent), "used in an expression")


_USES: dict[type[Any], str] = {
    n.Output: "printed",
    n.If: "tested",
    n.Elif: "tested",
    n.UnaryExpr: "tested",
    n.For: "looped over",
    n.Getattr: "looked into",
    n.Getitem: "looked into",
    n.Assign: "copied",
}


def label(target: n.Expr) -> str:
    """The name of a filter or test; empty if it has none."""
    name = target.node if isinstance(target, n.Call) else target
    return name.name if isinstance(name, n.Name) else ""


class _Links:
    """Which names stand for a variable or for an item of one, and what is known about them.

    Attributes:
        copies: name → variables that it may be set to, as they are, filtered, or with a default.
        items: target of a loop → variables whose items it may be.
    """

    def __init__(self, found: dict[str, Read], methods: frozenset[str]) -> None:
        self.found = found
        self.methods = methods
        self.copies: dict[str, set[str]] = {name: {name} for name in found}
        self.items: dict[str, set[str]] = {}

    def note_copy(self, node: n.Node) -> None:
        """Note what a ``set`` or a loop binds."""
        if isinstance(node, n.For):
            self.link(self.items, node.target, node.iter)
        elif isinstance(node, n.Assign):
            value = node.node
            for choice in (value.expr1, value.expr2) if isinstance(value, n.CondExpr) else (value,):
                source = _unfiltered(choice)
                if isinstance(source, n.BinExpr) and source.op == "or":
                    source = source.left
                self.link(self.copies, node.target, source)

    def link(self, links: dict[str, set[str]], target: n.Expr, source: n.Expr | None) -> None:
        """Note that `target` stands for what `source` does, if both are names."""
        source = _unfiltered(source)
        if isinstance(target, n.Name) and isinstance(source, n.Name) and source.name in self.copies:
            links.setdefault(target.name, set()).update(self.copies[source.name])

    def reads_of(self, node: n.Expr | None) -> list[Read]:
        """The variables that a name stands for."""
        names = self.copies.get(node.name, ()) if isinstance(node, n.Name) else ()
        return [self.found[name] for name in names]

    def constants_of(self, node: n.Expr | None) -> list[dict[Any, None]]:
        """Where constants are noted that this value is compared with. Makes keys known."""
        if isinstance(node, n.Name):
            of_items = [self.found[name].members for name in self.items.get(node.name, ())]
            return [*(read.compared for read in self.reads_of(node)), *of_items]
        key = _key(node)
        if key is None or key in self.methods or not isinstance(node, (n.Getattr, n.Getitem)):
            return []
        holder = node.node
        inner = self.items.get(holder.name, ()) if isinstance(holder, n.Name) else ()
        of_items = [self.found[name].item_keys.setdefault(key, {}) for name in inner]
        return [*(read.keys.setdefault(key, {}) for read in self.reads_of(holder)), *of_items]

    def note_key(self, node: n.Node) -> None:
        """Note a key that is looked up."""
        if isinstance(node, (n.Getattr, n.Getitem)):
            self.constants_of(node)

    def note_values(self, node: n.Node) -> None:
        """Note the constants in a comparison."""
        if not isinstance(node, n.BinExpr) or node.op not in _COMPARING:
            return
        for side, other in ((node.left, node.right), (node.right, node.left)):
            listed = other.items if isinstance(other, (n.List, n.Tuple)) else [other]
            constants = {item.value: None for item in listed if isinstance(item, n.Const)}
            value = _unfiltered(side)
            if node.op in _ORDERING:
                numbers = {number: None for number in constants if not isinstance(number, str)}
                for read in self.reads_of(value):
                    read.limits.update(numbers)
            elif node.op.endswith("in") and side is node.right:
                for read in self.reads_of(value):
                    read.members.update(constants)
            else:
                for noted in self.constants_of(value):
                    noted.update(constants)


def _key(node: n.Expr | None) -> str | None:
    """The key that an access looks up, if it is written there."""
    if isinstance(node, n.Getattr) and isinstance(node.attr, n.Name):
        return node.attr.name
    if isinstance(node, n.Getitem) and isinstance(node.arg, n.Const) and isinstance(node.arg.value, str):
        return node.arg.value
    return None


def _unfiltered(node: n.Expr | None) -> n.Expr | None:
    while isinstance(node, n.Filter):
        node = node.node
    return node


# --- defaults ------------------------------------------------------------------------------------------


def note_defaults(found: dict[str, Read], node: n.Node, text: str) -> None:
    """Note the expressions that stand in for a variable."""
    for name, default in _defaults(node):
        if name in found and default is not None:
            written = text[default.start : default.end]
            if written != name:
                found[name].is_guarded = True
                found[name].defaults[written] = None


def _defaults(node: n.Node) -> Iterator[tuple[str, n.Expr | None]]:
    """Variable → default, for the ways in which templates write it."""
    if isinstance(node, n.Filter) and isinstance(node.node, n.Name) and isinstance(node.target, n.Call):
        if label(node.target) in _DEFAULTING and node.target.args:
            yield node.node.name, node.target.args[0]
    elif isinstance(node, n.BinExpr) and node.op == "or" and isinstance(node.left, n.Name):
        if isinstance(node.right, n.Const):
            yield node.left.name, node.right
    elif isinstance(node, n.CondExpr):
        name, is_missing = _asked(node.test)
        chosen, other = (node.expr2, node.expr1) if not is_missing else (node.expr1, node.expr2)
        if isinstance(other, n.Name) and other.name == name:
            yield name, chosen
    elif isinstance(node, n.If) and not node.elifs:
        name, is_missing = _asked(node.test)
        given, missing = (node.body, node.else_) if not is_missing else (node.else_, node.body)
        names = {name} | {
            target for target, value in _assigned(given) if isinstance(value, n.Name) and value.name == name
        }
        yield from ((name, value) for target, value in _assigned(missing) if target in names)


def _asked(test: n.Expr) -> tuple[str, bool]:
    """The variable that a condition asks for first, and whether it is true if the variable is missing."""
    is_negated = False
    while True:  # such chains can be long
        if isinstance(test, n.UnaryExpr) and test.op == "not":
            test, is_negated = test.node, not is_negated
        elif isinstance(test, n.BinExpr) and test.op in ("and", "or"):
            test = test.left
        else:
            break
    if isinstance(test, n.Test) and isinstance(test.node, n.Name):
        what = label(test.target)
        if what in ("defined", "undefined", "none"):
            return test.node.name, (test.negated == (what == "defined")) is not is_negated
    if isinstance(test, n.Name):
        return test.name, is_negated
    return "", False


def _assigned(body: list[n.Stmt]) -> Iterator[tuple[str, n.Expr]]:
    for stmt in body:
        if isinstance(stmt, n.Assign) and isinstance(stmt.target, n.Name):
            yield stmt.target.name, stmt.node
