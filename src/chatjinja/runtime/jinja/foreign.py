"""What the caller must not put into the context: a template could only reach into Python with it."""

from __future__ import annotations

from collections.abc import Mapping, MappingView, Sequence
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.kinds import context_type_error

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

_MADE_BY_TEMPLATES = frozenset((bytes, complex, frozenset, range, reversed, set, slice, type(None)))
"""Types of Python's own, beside data, that what a template does can give."""
_DATA = (str, int, float, Mapping, MappingView, Sequence)
_NO_DATA = (bytearray, memoryview)
_OWN = __name__.partition(".")[0] + "."
_known: dict[type, bool] = {}
_MOST_TYPES = 1000


def check_known(rt: Runtime, value: Any) -> None:
    """Raise ContextError that says where, if `value` is of a type that no template can use."""
    kind = type(value)
    known = _known.get(kind)
    if known is None:
        if len(_known) > _MOST_TYPES:
            _known.clear()  # somebody makes classes by the thousand
        known = _known[kind] = _is_known(kind)
    if not known:
        raise context_type_error(rt, value)


def _is_known(kind: type) -> bool:
    if kind in _MADE_BY_TEMPLATES or kind.__module__.startswith(_OWN):
        return True
    if kind.__module__ == "builtins" and (kind.__name__.endswith("iterator") or kind.__name__.startswith("dict_")):
        return True
    return issubclass(kind, _DATA) and not issubclass(kind, _NO_DATA)
