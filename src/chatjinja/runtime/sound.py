"""Built-ins in sound marking: the exact ones, and who wrote what they make.

The text of a result is always that of the exact built-in. A rule says which runs it has. A built-in without a
rule of its own gets `_blend`: its strings are input as soon as anything that it was given is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from chatjinja.runtime.arguments import keyword_or_position
from chatjinja.runtime.arrays import attribute_of
from chatjinja.runtime.convert import as_bytes, int_form, note_size, text_form
from chatjinja.runtime.extensions import HTML, sorted_keys
from chatjinja.runtime.filters import apply_filter
from chatjinja.runtime.json_encoder import encode_and_judge
from chatjinja.runtime.json_runs import JsonRuns
from chatjinja.runtime.kinds import ARRAYS, OBJECTS, kind_of, plain
from chatjinja.runtime.marked import (
    MadeInt,
    Marked,
    Origin,
    Run,
    Runs,
    TemplateText,
    made_number,
    number_origin,
    pieces_of,
    runs_of,
)
from chatjinja.runtime.objects import Array, Builtin, KwArg, Object, Tuple, Value
from chatjinja.runtime.origins import JsonLayout, is_number, json_runs, repr_runs, text_runs
from chatjinja.runtime.runs import cut_runs, fitting, gather, joined, make_up, only_origin, recut, size_of, spread
from chatjinja.runtime.state import BIG
from chatjinja.runtime.strings import slice_of, strip_characters
from chatjinja.runtime.tables import Tables
from chatjinja.runtime.undefined import UNDEFINED, Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Rule = Callable[["Runtime", list[Value], Value], Value]
"""From the arguments and the exact result to the result with its runs."""
RunsRule = Callable[["Runtime", list[Value], str, Runs, "Origin | None"], Runs]
"""From the arguments, the text of the result, and the first argument's runs and only origin to the result's runs."""
_STRINGS = frozenset((str, TemplateText, Marked))


def with_runs(value: str | Marked, runs: Runs) -> Marked:
    """The same string with other runs, which must make up its text."""
    text = value.text if type(value) is Marked else str.__str__(value)
    return Marked(pieces_of(value), fitting(runs, text))


def _text(value: str | Marked) -> str:
    return value.text if type(value) is Marked else str.__str__(value)


# --- rules that know nothing of the built-in -----------------------------------------------------------


def _keep(rt: Runtime, args: list[Value], result: Value) -> Value:
    """Gives back what it was given, or no string and no number."""
    return result


def _count(rt: Runtime, args: list[Value], result: Value) -> Value:
    """Makes a number."""
    return made_number(result)


def _blend(rt: Runtime, args: list[Value], result: Value) -> Value:
    if type(result) in _STRINGS:
        is_input = any(has_input(arg) for arg in args)
        if type(result) is str and not is_input and not rt.copied:
            return TemplateText(result)
        return with_runs(result, ((_text(result), is_input),))
    if type(result) in ARRAYS and any(type(item) in _STRINGS for item in result):
        made = [_blend(rt, args, item) if type(item) in _STRINGS else item for item in result]
        return Tuple(made) if type(result) is Tuple else Array(made)
    return made_number(result)


def _made_text(rt: Runtime, args: list[Value], result: Value) -> Value:
    """Makes a text that the template could have written."""
    return with_runs(result, ((_text(result), False),))


def has_input(value: Value, depth: int = 0) -> bool:
    """Whether anything in a value is input; what is nested very deeply counts as input."""
    kind = type(value)
    if kind in _STRINGS:
        return any(bool(origin) for _, origin in runs_of(value))
    if kind is KwArg:
        return has_input(value.value, depth)
    if is_number(value):
        return bool(number_origin(value))
    if depth > _DEEP:
        return True
    if kind in ARRAYS:
        return any(has_input(item, depth + 1) for item in value)
    if kind in OBJECTS:
        return any(has_input(key) or has_input(item, depth + 1) for key, item in value.items())
    return not (value is None or kind is bool or kind is Undefined)


_DEEP = 50


# --- strings -------------------------------------------------------------------------------------------


def _later(rule: RunsRule) -> Rule:
    """A rule for strings made of strings and numbers: these never change, so the runs are made when asked for."""

    def ruled(rt: Runtime, args: list[Value], result: Value) -> Value:
        return Marked(pieces_of(result), partial(_fitted, rule, rt, args, _text(result)))

    return ruled


def _fitted(rule: RunsRule, rt: Runtime, args: list[Value], text: str) -> Runs:
    runs = runs_of(args[0])
    origin = only_origin(runs)
    return fitting(rule(rt, args, text, runs, origin), text)


def _case(rt: Runtime, args: list[Value], text: str, runs: Runs, origin: Origin | None) -> Runs:
    return ((text, origin),) if origin is not None else recut(text, runs)


def _same(rt: Runtime, args: list[Value], result: Value) -> Value:
    return with_runs(result, runs_of(args[0]))


def _slice(rt: Runtime, args: list[Value], text: str, runs: Runs, origin: Origin | None) -> Runs:
    if origin is not None:
        return ((text, origin),)
    start, stop, step = (int_form(rt, arg) for arg in args[1:4])
    return cut_runs(args[0], slice_of(size_of(_text(args[0])), start, stop, step))


def _strip(left: bool) -> RunsRule:
    def strip(rt: Runtime, args: list[Value], text: str, runs: Runs, origin: Origin | None) -> Runs:
        if origin is not None:
            return ((text, origin),)
        data = as_bytes(_text(args[0]))
        start = len(data) - len(data.lstrip(as_bytes(strip_characters(rt, args)))) if left else 0
        return cut_runs(args[0], slice(start, start + size_of(text)))

    return strip


def _split(rt: Runtime, args: list[Value], result: Array) -> Value:
    """The separators between the items are left out."""
    gap = size_of(text_form(rt, args[1])) if len(args) > 1 else 1
    made = Array()
    at = 0
    for item in result:
        end = at + size_of(item.text)
        made.append(Marked(item.pieces, partial(_item_runs, args[0], slice(at, end), item.text)))
        at = end + gap
    return made


def _item_runs(value: str | Marked, places: slice, text: str) -> Runs:
    origin = only_origin(runs_of(value))
    return ((text, origin),) if origin is not None else fitting(cut_runs(value, places), text)


def _replace(rt: Runtime, args: list[Value], text: str, runs: Runs, origin: Origin | None) -> Runs:
    new = text_runs(rt, args[2])
    if origin is not None and all(not inserted or other is origin for inserted, other in new):
        return ((text, origin),)
    count = max(int_form(rt, args[3]), 0) if len(args) > 3 else 0
    data, old = as_bytes(_text(args[0])), as_bytes(text_form(rt, args[1]))
    if old == as_bytes(text_form(rt, args[2])) or (old and old not in data):
        return runs
    origins, inserted = spread(runs), spread(new)
    made: list[Origin] = []
    at = 0
    for start in _occurrences(data, old, count):
        made += origins[at:start]
        made += inserted
        at = start + len(old)
    return _spread_over(args, text, made + origins[at:])


def _occurrences(data: bytes, old: bytes, count: int) -> Sequence[int]:
    """Where `old` stands; the first `count` places unless that is 0."""
    if not old:
        places = range(len(data) + 1)
        return places[:count] if count else places
    found: list[int] = []
    at = data.find(old)
    while at >= 0 and (not count or len(found) < count):
        found.append(at)
        at = data.find(old, at + len(old))
    return found


def _format(rt: Runtime, args: list[Value], result: Marked) -> Value:
    """The text between the ``{}`` is the format's, what stands in for them the arguments'."""
    data = as_bytes(_text(args[0]))
    origins = spread(runs_of(args[0]))
    out: list[Run] = []
    at = 0
    for arg in args[1:]:
        place = data.find(b"{}", at)
        if place < 0:
            break
        out += gather(data[at:place], origins[at:place])
        if type(arg) is KwArg or type(arg) is Undefined:
            return _blend(rt, args, result)
        out += text_runs(rt, arg)
        at = place + 2
    out += gather(data[at:], origins[at:])
    if not make_up(out, result.text):
        return _blend(rt, args, result)
    return Marked(result.pieces, tuple(out))


def _indent(rt: Runtime, args: list[Value], text: str, runs: Runs, origin: Origin | None) -> Runs:
    """Blanks are the template's, or of whoever gave them as `width`; lines and their ends are the text's."""
    first, blank = bool(keyword_or_position(args, "first", 2)), bool(keyword_or_position(args, "blank", 3))
    padding = spread(_padding(rt, keyword_or_position(args, "width", 1)))
    data, origins = as_bytes(_text(args[0])), spread(runs)
    ends = [at for at, byte in enumerate(data) if byte == _NEWLINE]
    if data[-1:] != b"\n" and data:
        ends.append(len(data))
    lines = list(zip([0, *(end + 1 for end in ends)], ends, strict=False))
    if not (first and padding):
        while lines and lines[0][0] == lines[0][1]:
            del lines[0]
    made: list[Origin] = []
    for number, (start, end) in enumerate(lines):
        if number:
            made.append(origins[start - 1])
        if first if number == 0 else start < end or blank:
            made += padding
        made += origins[start:end]
    if data[-1:] == b"\n":
        made += [origins[-1], *padding] if blank else [origins[-1]]
    return _spread_over(args, text, made)


_NEWLINE = 10


def _padding(rt: Runtime, width: Value) -> Runs:
    kind = kind_of(width)
    if kind == "String":
        return text_runs(rt, width)
    return ((" " * (int_form(rt, width) if kind == "Integer" else 4), False),)


def _spread_over(args: list[Value], text: str, origins: list[Origin]) -> Runs:
    data = as_bytes(text)
    return gather(data, origins) if len(data) == len(origins) else ((text, any(map(has_input, args))),)


def _escape(rt: Runtime, args: list[Value], result: Value) -> Value:
    """Entities belong to the character that they stand for."""
    runs = tuple([(text.translate(HTML), origin) for text, origin in text_runs(rt, args[0])])
    return with_runs(result, runs)


# --- what makes a string of other values ---------------------------------------------------------------


def _repr(rt: Runtime, args: list[Value], result: Marked) -> Value:
    return with_runs(result, repr_runs(rt, args[0], result.text))


def _join(rt: Runtime, args: list[Value], result: Value) -> Value:
    if type(args[0]) is Undefined:
        return result
    given = keyword_or_position(args, "d", 1)
    attribute = keyword_or_position(args, "attribute", 2)
    separator: Runs = () if type(given) is Undefined else text_runs(rt, given)
    value = args[0]
    if type(value) in _STRINGS:
        runs = runs_of(value)
        items = [((char, origin),) for text, origin in runs for char in text]
        return with_runs(result, joined(items, separator))
    if type(value) in ARRAYS and type(attribute) is not Undefined:
        value = [attribute_of(rt, item, attribute, UNDEFINED) for item in value]
    return with_runs(result, joined([text_runs(rt, item) for item in value], separator))


def _tojson(rt: Runtime, args: list[Value], result: Marked) -> Value:
    if type(result.runs) is JsonRuns:
        return result
    width = plain(rt, keyword_or_position(args, "indent", 2))
    indent = (width + 2**31) % 2**32 - 2**31 if type(width) is int else -1
    separators = plain(rt, keyword_or_position(args, "separators", 3))
    given: Sequence[Value] = separators if type(separators) in ARRAYS else ()
    between: Runs = text_runs(rt, given[0]) if len(given) > 0 else ((", " if indent < 0 else ",", False),)
    colon: Runs = text_runs(rt, given[1]) if len(given) > 1 else ((": ", False),)
    ascii_only = bool(keyword_or_position(args, "ensure_ascii", 1))
    value = sorted_keys(rt, args[0], 0) if keyword_or_position(args, "sort_keys", 4) else args[0]
    return with_runs(result, json_runs(rt, value, JsonLayout(indent, between, colon, ascii_only), result.text))


def tojson(rt: Runtime, value: Value) -> Value:
    """``value|tojson`` without arguments."""
    if type(value) in _JSON_CONTAINERS:
        text, is_context_data = encode_and_judge(rt, value, -1, ", ", ": ")
        if len(text) > BIG:
            note_size(rt, text)
        if is_context_data:
            return Marked(((text, False),), JsonRuns(text, value if rt.sourced else None))
        return Marked(((text, False),), json_runs(rt, value, _PLAIN_LAYOUT, text))
    return apply_filter(rt, value, "tojson", None)


_JSON_CONTAINERS = frozenset((dict, list, Object, Array))
_PLAIN_LAYOUT = JsonLayout(-1, ((", ", False),), ((": ", False),), False)


def _sum(rt: Runtime, args: list[Value], result: Value) -> Value:
    """The additions have seen to strings."""
    return made_number(result)


def _range(rt: Runtime, args: list[Value], result: Array) -> Value:
    return Array(map(MadeInt, result))


# --- tables --------------------------------------------------------------------------------------------

_BY_NAME: Mapping[str, Rule] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                *("append", "default", "dictsort", "endswith", "first", "get", "items", "keys", "last", "list", "map"),
                *("max", "min", "pop", "reject", "rejectattr", "reverse", "select", "selectattr", "sort", "startswith"),
                *("unique", "values"),
            ),
            _keep,
        ),
        **dict.fromkeys(("abs", "float", "int", "length", "wordcount"), _count),
        "escape": _escape,
        "join": _join,
        "sum": _sum,
        "tojson": _tojson,
    }
)
_BY_KIND: Mapping[str, Mapping[str, Rule]] = MappingProxyType(
    {
        "String": {
            "capitalize": _later(_case),
            "format": _format,
            "indent": _later(_indent),
            "lower": _later(_case),
            "lstrip": _later(_strip(True)),
            "replace": _later(_replace),
            "rsplit": _split,
            "rstrip": _later(_strip(False)),
            "safe": _keep,
            "slice": _later(_slice),
            "split": _split,
            "string": _same,
            "strip": _later(_strip(True)),
            "title": _later(_case),
            "upper": _later(_case),
        },
        "Array": {"slice": _keep, "string": _repr},
        "Tuple": {"slice": _keep, "string": _repr},
        "Object": {"string": _repr},
        "Boolean": {"safe": _made_text, "string": _made_text},
        "None": {"safe": _made_text, "string": _made_text},
        "Integer": {"safe": _tojson, "string": _tojson},
        "Float": {"safe": _tojson, "string": _tojson},
        "Undefined": {"escape": _blend, "join": _blend},
    }
)
_GLOBALS: Mapping[str, Rule] = MappingProxyType({"dict": _keep, "namespace": _keep, "range": _range, "tojson": _tojson})


ONE_PIECE = frozenset(
    (
        *("capitalize", "lower", "title", "upper", "lstrip", "rstrip", "strip", "slice", "split", "rsplit"),
        *("safe", "string"),
    )
)
"""Methods of String that make nothing but pieces of it; a plain `str` needs no bookkeeping there."""


def _ruled_string(name: str, text: Builtin, exact: Builtin) -> Builtin:
    general = _ruled(exact, _BY_KIND["String"].get(name) or _BY_NAME.get(name, _blend))
    if name not in ONE_PIECE:
        return general

    def ruled(rt: Runtime, args: list[Value]) -> Value:
        return text(rt, args) if type(args[0]) is str else general(rt, args)

    ruled.__doc__ = exact.__doc__
    return ruled


def _ruled(function: Builtin, rule: Rule) -> Builtin:
    if rule is _keep:
        return function

    def ruled(rt: Runtime, args: list[Value]) -> Value:
        return rule(rt, args, function(rt, args))

    ruled.__doc__ = function.__doc__
    return ruled


def sound_tables(exact: Tables, text: Tables) -> Tables:
    """The tables of sound marking, from those of the exact and the text form of a dialect.

    The exact String methods know the pieces. Everything else is the same function in both, but for keys of
    the context, which are the template's in the reference and input here.
    """
    methods: dict[str, Mapping[str, Builtin]] = {
        kind: MappingProxyType(
            {
                name: _ruled(function, _BY_KIND.get(kind, {}).get(name) or _BY_NAME.get(name, _blend))
                for name, function in table.items()
            }
        )
        for kind, table in text.methods.items()
        if kind != "String"
    }
    strings = exact.methods["String"]
    methods["String"] = MappingProxyType(
        {name: _ruled_string(name, text.methods["String"][name], function) for name, function in strings.items()}
    )
    names = {name: _ruled(function, _GLOBALS.get(name, _blend)) for name, function in text.globals.items()}
    return dataclasses.replace(exact, methods=MappingProxyType(methods), globals=MappingProxyType(names))
