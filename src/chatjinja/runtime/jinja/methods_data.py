"""Methods and attributes of what is no string, and the names that the sandbox refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from types import GeneratorType, MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.convert import check_items, check_size
from chatjinja.runtime.jinja.callables import Function
from chatjinja.runtime.jinja.filters_values import MOST_DIGITS
from chatjinja.runtime.jinja.globals import ClassBuiltin, Cycler, DictBuiltin, Joiner, dict_fromkeys
from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.methods_text import BYTES_METHODS, MARKUP_METHODS, STR_METHODS, method
from chatjinja.runtime.jinja.results import Group, Lazy
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.jinja.work import searched, weighed
from chatjinja.runtime.limits import exceeded

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def list_copy(rt: Runtime, self: Any, /) -> Any:
    """The same items as a list of its own."""
    check_items(rt, len(self))
    return self.copy()


def int_to_bytes(rt: Runtime, self: Any, /, length: Any = 1, byteorder: Any = "big", *, signed: Any = False) -> bytes:
    """The number as bytes."""
    if isinstance(length, int):
        check_size(rt, length)
    return int.to_bytes(self, length, byteorder, signed=signed)


def int_from_bytes(rt: Runtime, self: Any, /, bytes: Any, byteorder: Any = "big", *, signed: Any = False) -> int:
    """The number that bytes stand for; of a bool, whether it is not 0."""
    if isinstance(bytes, Sized) and len(bytes) > MOST_DIGITS:
        raise exceeded(rt.limits, "value")
    kind = bool if isinstance(self, bool) else int
    return kind.from_bytes(bytes, byteorder, signed=signed)


def lazy_send(rt: Runtime, self: Any, value: Any, /) -> Any:
    """The next item."""
    return self.generator.send(value)


def lazy_close(rt: Runtime, self: Any, /) -> None:
    """Ends it: there is no next item."""
    self.generator.close()


def lazy_throw(rt: Runtime, self: Any, kind: Any, value: Any = None, traceback: Any = None, /) -> Any:
    """Always fails: a template has no exceptions to throw."""
    raise TypeError(f"exceptions must be classes or instances deriving from BaseException, not {type(kind).__name__}")


def mapping_get(rt: Runtime, self: Any, key: Any, /, *default: Any, **other: Any) -> Any:
    """The value of a key, or `default`."""
    return self.get(weighed(rt, key), *default, **other)


def _search(name: str) -> Function:
    """A method of sequences that looks for a value."""

    def search(rt: Runtime, self: Any, value: Any, /, *bounds: Any) -> int:
        searched(rt, value, self)
        found: int = getattr(self, name)(value, *bounds)
        return found

    search.__doc__ = f"Python's method `{name}`."
    return search


def _methods(kind: type, *names: str) -> dict[str, Function]:
    """Python's own methods, those of them that the running Python has."""
    return {name: method(name) for name in names if hasattr(kind, name)}


def _attribute(name: str) -> Function:
    def attribute(rt: Runtime, self: Any, /) -> Any:
        return getattr(self, name)

    attribute.__doc__ = f"Python's attribute `{name}`."
    return attribute


def _attributes(*names: str) -> Mapping[str, Function]:
    return MappingProxyType({name: _attribute(name) for name in names})


def _constant(value: Any) -> Function:
    return lambda rt, self: value


_KEYS: type = type({}.keys())
_VALUES: type = type({}.values())
_ITEMS: type = type({}.items())
_VIEW = {"isdisjoint": method("isdisjoint")}
_INT: dict[str, Function] = {
    **_methods(int, "as_integer_ratio", "bit_count", "bit_length", "conjugate", "is_integer"),
    "from_bytes": int_from_bytes,
    "to_bytes": int_to_bytes,
}
_SEQUENCE = {"count": _search("count"), "index": _search("index")}
_MAPPING = {"get": mapping_get, **{name: method(name) for name in ("items", "keys", "values")}}

METHODS: Mapping[type, Mapping[str, Function]] = MappingProxyType(
    {
        str: STR_METHODS,
        Markup: MARKUP_METHODS,
        bytes: BYTES_METHODS,
        int: MappingProxyType(_INT),
        bool: MappingProxyType(_INT),
        float: MappingProxyType(
            _methods(float, "as_integer_ratio", "conjugate", "from_number", "fromhex", "hex", "is_integer")
        ),
        complex: MappingProxyType(_methods(complex, "conjugate", "from_number")),
        list: MappingProxyType({**_SEQUENCE, "copy": list_copy}),
        tuple: MappingProxyType(_SEQUENCE),
        Group: MappingProxyType(_SEQUENCE),
        range: MappingProxyType(_SEQUENCE),
        dict: MappingProxyType({**_MAPPING, "copy": method("copy"), "fromkeys": dict_fromkeys}),
        MappingProxyType: MappingProxyType({**_MAPPING, "copy": method("copy")}),
        _KEYS: MappingProxyType(_VIEW),
        _ITEMS: MappingProxyType(_VIEW),
        _VALUES: MappingProxyType({}),
        set: MappingProxyType(
            _methods(
                set,
                *("copy", "difference", "intersection", "intersection_update", "isdisjoint", "issubset", "issuperset"),
                *("symmetric_difference", "union"),
            )
        ),
        Lazy: MappingProxyType({"close": lazy_close, "send": lazy_send, "throw": lazy_throw}),
        Cycler: MappingProxyType({"next": method("next"), "reset": method("reset")}),
        Joiner: MappingProxyType({}),
        DictBuiltin: MappingProxyType({"fromkeys": dict_fromkeys}),
        ClassBuiltin: MappingProxyType({}),
        # For classes of the caller's that are none of the above.
        Mapping: MappingProxyType(_MAPPING),
        Sequence: MappingProxyType(_SEQUENCE),
    }
)
"""Methods by type and name."""
ATTRIBUTES: Mapping[type, Mapping[str, Function]] = MappingProxyType(
    {
        **dict.fromkeys((int, bool), _attributes("denominator", "imag", "numerator", "real")),
        **dict.fromkeys((float, complex), _attributes("imag", "real")),
        range: _attributes("start", "step", "stop"),
        **dict.fromkeys((_KEYS, _VALUES, _ITEMS), _attributes("mapping")),
        Group: _attributes("grouper", "list"),
        Cycler: _attributes("current", "items", "pos"),
        Joiner: _attributes("sep", "used"),
        Lazy: MappingProxyType(
            {"gi_running": _constant(False), "gi_suspended": _constant(False), "gi_yieldfrom": _constant(None)}
        ),
    }
)
"""Attributes that are no methods, by type and name."""


def _refused(names: Iterable[str]) -> frozenset[str]:
    return frozenset(names)


def internal_names(kind: type) -> list[str]:
    """The names of what Python keeps for itself in a type."""
    return [name for name in dir(kind) if name.startswith("_")]


_MAPPING_CHANGES = _refused(("clear", "pop", "popitem", "setdefault", "update"))
REFUSED: Mapping[type, frozenset[str]] = MappingProxyType(
    {
        list: _refused(("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort")),
        dict: _MAPPING_CHANGES,
        set: _refused(
            (
                *("add", "clear", "difference_update", "discard", "pop", "remove", "symmetric_difference_update"),
                "update",
            )
        ),
        Lazy: _refused(("gi_code", "gi_frame", *internal_names(GeneratorType))),
        Undefined: _refused(
            (
                *("_undefined_exception", "_undefined_hint", "_undefined_message", "_undefined_name", "_undefined_obj"),
                *("_fail_with_undefined_error", "__aiter__", "__div__", "__getattr__", "__rdiv__"),
            )
        ),
        ClassBuiltin: _refused(("mro",)),
        Mapping: _MAPPING_CHANGES,
        Sequence: _refused(("append", "clear", "extend", "insert", "pop", "remove", "reverse")),
    }
)
"""Public names that Python has and the sandbox does not give out, by type."""
