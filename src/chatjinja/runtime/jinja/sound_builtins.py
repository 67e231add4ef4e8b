"""The built-ins of the sound form: those of the text form, with rules that say who wrote what they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja import sound_rules as rules
from chatjinja.runtime.jinja.builtins import JINJA
from chatjinja.runtime.jinja.callables import Builtin, Function
from chatjinja.runtime.jinja.globals import (
    Cycler,
    DictBuiltin,
    Joiner,
    dict_fromkeys,
    global_joiner,
    global_lipsum,
    made_dict,
)
from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.methods_data import internal_names
from chatjinja.runtime.jinja.namespaces import Namespace
from chatjinja.runtime.jinja.results import Group, Lazy
from chatjinja.runtime.jinja.sound_rules import Rule, blend, count
from chatjinja.runtime.jinja.sound_runs import (
    ITEMS,
    KEYS,
    SoundMarkup,
    bare,
    cut,
    deep_bare,
    is_text,
    of_origin,
    plain_text,
    runs_of,
    sound_text_of,
    spelled,
)
from chatjinja.runtime.jinja.tables import JinjaTables
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.marked import NUMBERS, MadeFloat, MadeInt, Marked, TemplateText, made_number

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


_ZERO, _ZERO_FLOAT, _COMMA = MadeInt(0), MadeFloat(0.0), TemplateText(", ")

# --- how a built-in gets its rule ------------------------------------------------------------------------


def ruled(function: Function, rule: Rule) -> Function:
    """A built-in called without marks, whose result `rule` marks."""

    def apply(rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and type(args[0]) is str:
            result = function(rt, args[0])
            if type(result) is str and rule not in _ADDING:
                return result  # input, as its only source
            return rule(rt, result, args[0])
        given = [deep_bare(rt, arg) for arg in args]
        named = {name: deep_bare(rt, arg) for name, arg in kwargs.items()}
        return rule(rt, function(rt, *given, **named), *args, **kwargs)

    return _described(apply, function)


_ADDING = frozenset((rules.center, rules.indent, rules.pretty, rules.written))
"""Rules of what adds something of the template's to a text, without being asked."""


def counted(function: Function) -> Function:
    """A built-in that makes no string: its numbers are the template's."""

    def apply(rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
        return made_number(function(rt, *map(bare, args), **{name: bare(arg) for name, arg in kwargs.items()}))

    return _described(apply, function)


def told(function: Function) -> Function:
    """A test: its answer is no string."""

    def apply(rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
        return function(rt, *map(bare, args), **{name: bare(arg) for name, arg in kwargs.items()})

    return _described(apply, function)


def told_of_text(function: Function) -> Function:
    """A test of the text of any value."""

    def apply(rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
        return function(
            rt, *[deep_bare(rt, arg) for arg in args], **{name: deep_bare(rt, arg) for name, arg in kwargs.items()}
        )

    return _described(apply, function)


def of_items(function: Function) -> Function:
    """A built-in that gives back items of its first argument."""

    def apply(rt: Runtime, value: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(rt, spelled(value), *args, **kwargs)

    return _described(apply, function)


def of_others(function: Function) -> Function:
    """A method that goes through all of its arguments."""

    def apply(rt: Runtime, self: Any, /, *args: Any) -> Any:
        return function(rt, self, *map(spelled, args))

    return _described(apply, function)


def _described(apply: Function, function: Function) -> Function:
    apply.__doc__ = function.__doc__
    return apply


# --- built-ins that need more than a rule ----------------------------------------------------------------


def sound_string(rt: Runtime, object: Any, /) -> Any:
    """The value as text; Markup stays Markup."""
    return object if is_text(object) else sound_text_of(rt, object)


def sound_safe(rt: Runtime, /, value: Any) -> Any:
    """The value as Markup, as it is."""
    text = sound_text_of(rt, value)
    return SoundMarkup(plain_text(text), runs_of(text))


def sound_int(rt: Runtime, /, value: Any, default: Any = _ZERO, base: Any = 10) -> Any:
    """The value as a whole number, `default` if it is none; `base` is for strings."""
    result = JINJA.filters["int"](rt, bare(value), default, base)
    return result if result is default else made_number(result)


def sound_float(rt: Runtime, /, value: Any, default: Any = _ZERO_FLOAT) -> Any:
    """The value as a floating point number, `default` if it is none."""
    result = JINJA.filters["float"](rt, bare(value), default)
    return result if result is default else made_number(result)


def sound_sum(rt: Runtime, /, iterable: Any, attribute: Any = None, start: Any = _ZERO) -> Any:
    """`start` plus all items, or plus the `attribute` of all items."""
    return made_number(JINJA.filters["sum"](rt, spelled(iterable), attribute, bare(start) if is_text(start) else start))


def sound_last(rt: Runtime, /, seq: Any) -> Any:
    """The last item; undefined if there is none."""
    if is_text(seq) and seq:
        return cut(seq, -1)
    return JINJA.filters["last"](rt, spelled(seq))


def sound_urlencode(rt: Runtime, /, value: Any) -> Any:
    """A text quoted for a URL, or a mapping or pairs as a query."""
    if type(value) is Lazy:
        value = list(value)
    return ruled(JINJA.filters["urlencode"], blend)(rt, value)


def sound_reverse(rt: Runtime, /, value: Any) -> Any:
    """A string backwards, or an iterator over the items from the last to the first."""
    reverse = JINJA.filters["reverse"]
    if is_text(value):
        return rules.reverse(rt, reverse(rt, bare(value)), value)
    return reverse(rt, value)


def sound_attr(rt: Runtime, /, obj: Any, name: Any) -> Any:
    """The attribute `name`; an item of that name does not count."""
    return JINJA.filters["attr"](rt, obj, bare(name))


def sound_sameas(rt: Runtime, /, value: Any, other: Any) -> bool:
    """The very same object; numbers and strings as if they had no marks."""
    if type(value) is Undefined:
        return False  # one Undefined may stand for several
    return value is other or _original(rt, value) is _original(rt, other)


def _original(rt: Runtime, value: Any) -> Any:
    """`value` as it stands in the context, without marks."""
    return rt.twins[id(value)] if id(value) in rt.twins else bare(value)


def sound_joiner(rt: Runtime, /, sep: Any = _COMMA) -> Joiner:
    """A function that gives nothing when called first, then `sep`."""
    return global_joiner(rt, sep)


def sound_lipsum(rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
    """Paragraphs of filler text by chance."""
    return of_origin(global_lipsum(rt, *args, **kwargs), False)


def sound_namespace(rt: Runtime, /, *args: Any, **kwargs: Any) -> Namespace:
    """An object whose attributes can be set, made as by `dict`."""
    attrs = made_dict(rt, args, kwargs)
    for name in attrs:
        Namespace.check_name(bare(name))
    return Namespace(attrs)


def sound_fromkeys(rt: Runtime, self: Any, iterable: Any, value: Any = None, /) -> dict[Any, Any]:
    """A dict with the items as keys, all with one value."""
    return dict_fromkeys(rt, self, spelled(iterable), value)


# --- tables ----------------------------------------------------------------------------------------------

_FILTER_RULES: Mapping[str, Rule] = {
    "capitalize": rules.case(),
    "center": rules.center,
    "e": rules.escaped,
    "escape": rules.escaped,
    "filesizeformat": rules.written,
    "forceescape": rules.escaped_again,
    "format": rules.percent_filter,
    "indent": rules.indent,
    "lower": rules.case(str.lower),
    "pprint": rules.pretty,
    "replace": rules.replace,
    "title": rules.case(),
    "trim": rules.strip,
    "truncate": rules.truncate,
    "upper": rules.case(str.upper),
    "wordcount": count,
}
_OWN_FILTERS: Mapping[str, Function] = {
    "attr": sound_attr,
    "float": sound_float,
    "int": sound_int,
    "join": rules.sound_join(JINJA.filters["join"]),
    "last": sound_last,
    "reverse": sound_reverse,
    "safe": sound_safe,
    "string": sound_string,
    "sum": sound_sum,
    "tojson": rules.sound_tojson,
    "urlencode": sound_urlencode,
}
_KEPT = frozenset(("d", "default", "dictsort", "items"))
"""Filters that give back what they were given."""
_OF_ITEMS = frozenset(
    (
        *("batch", "first", "groupby", "list", "map", "max", "min", "random", "reject", "rejectattr", "select"),
        *("selectattr", "slice", "sort", "unique"),
    )
)
_COUNTED = frozenset(("abs", "count", "length", "round"))


def _filter(name: str, function: Function) -> Function:
    if name in _OWN_FILTERS:
        return _described(_OWN_FILTERS[name], function)
    if name in _KEPT:
        return function
    if name in _OF_ITEMS:
        return of_items(function)
    return counted(function) if name in _COUNTED else ruled(function, _FILTER_RULES.get(name, blend))


_METHOD_RULES: Mapping[str, Rule] = {
    "capitalize": rules.case(),
    "casefold": rules.case(str.casefold),
    "center": rules.center,
    "endswith": count,
    "format": rules.format_method,
    "format_map": rules.format_mapped,
    "ljust": rules.pad_right,
    "lower": rules.case(str.lower),
    "lstrip": rules.strip,
    "partition": rules.partition,
    "removeprefix": rules.strip_left,
    "removesuffix": rules.strip_right,
    "replace": rules.replace,
    "rjust": rules.pad_left,
    "rpartition": rules.partition,
    "rsplit": rules.split,
    "rstrip": rules.strip_right,
    "split": rules.split,
    "splitlines": rules.split_lines,
    "startswith": count,
    "strip": rules.strip,
    "swapcase": rules.case(str.swapcase),
    "title": rules.case(),
    "upper": rules.case(str.upper),
    "zfill": rules.fill_zeros,
}
_OWN_METHODS: Mapping[str, Function] = {"join": rules.sound_str_join}


def _text_methods(table: Mapping[str, Function]) -> Mapping[str, Function]:
    return MappingProxyType(
        {
            name: _OWN_METHODS.get(name) or ruled(function, _METHOD_RULES.get(name, blend))
            for name, function in table.items()
        }
    )


def _with(function: Callable[[Function], Function], table: Mapping[str, Function]) -> Mapping[str, Function]:
    return MappingProxyType({name: function(builtin) for name, builtin in table.items()})


def _blended(function: Function) -> Function:
    return ruled(function, blend)


def _methods() -> dict[type, Mapping[str, Function]]:
    plain = JINJA.methods
    made = dict(plain)
    kind: Any
    made.update(dict.fromkeys((str, TemplateText, Marked), _text_methods(plain[str])))
    made.update(dict.fromkeys((Markup, SoundMarkup), _text_methods(plain[Markup])))
    for kind in (bytes, int, bool, float, complex):
        made[kind] = _with(_blended, plain[kind])
    made[MadeInt], made[MadeFloat] = made[int], made[float]
    for kind in (list, tuple, Group, range, Sequence):
        made[kind] = _with(counted, plain[kind])
    for kind in (KEYS, ITEMS, set):
        made[kind] = _with(of_others, plain[kind])
    made[list] = MappingProxyType({**made[list], "copy": plain[list]["copy"]})
    for kind in (dict, DictBuiltin):
        made[kind] = MappingProxyType({**plain[kind], "fromkeys": sound_fromkeys})
    return made


def _attribute_of_number(function: Function) -> Function:
    """Parts of a number have its origin."""

    def attribute(rt: Runtime, self: Any, /) -> Any:
        value = function(rt, self)
        return made_number(value) if type(self) in NUMBERS or isinstance(self, complex) else value

    return _described(attribute, function)


def _attributes() -> dict[type, Mapping[str, Function]]:
    plain = JINJA.attributes
    made = dict(plain)
    kind: Any
    for kind in (int, bool, float, complex):
        made[kind] = _with(_attribute_of_number, plain[kind])
    made[MadeInt], made[MadeFloat] = made[int], made[float]
    made[range] = _with(counted, plain[range])
    made[Cycler] = MappingProxyType({**plain[Cycler], "pos": counted(plain[Cycler]["pos"])})
    return made


_OWN_GLOBALS: Mapping[str, Function] = {
    "joiner": sound_joiner,
    "lipsum": sound_lipsum,
    "namespace": sound_namespace,
    "raise_exception": ruled(JINJA.globals["raise_exception"].function, blend),
    "strftime_now": ruled(JINJA.globals["strftime_now"].function, blend),
}


def _global(name: str, builtin: Builtin) -> Builtin:
    function = _OWN_GLOBALS.get(name)
    return builtin if function is None else type(builtin)(name, function, builtin.shown)


_OWN_TESTS: Mapping[str, Function] = {
    "lower": told_of_text(JINJA.tests["lower"]),
    "sameas": sound_sameas,
    "upper": told_of_text(JINJA.tests["upper"]),
}

JINJA_SOUND = JinjaTables(
    filters=MappingProxyType({name: _filter(name, function) for name, function in JINJA.filters.items()}),
    tests=MappingProxyType({name: _OWN_TESTS.get(name) or told(function) for name, function in JINJA.tests.items()}),
    globals=MappingProxyType({name: _global(name, builtin) for name, builtin in JINJA.globals.items()}),
    methods=MappingProxyType(_methods()),
    attributes=MappingProxyType(_attributes()),
    refused=MappingProxyType({**JINJA.refused, Marked: frozenset(internal_names(str))}),
)
"""The tables of the sound form."""
