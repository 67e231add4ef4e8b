"""Plain data out of whatever callers pass: what a template of version 5 gets to see."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from gc import get_referents
from typing import Any

_SCALARS = frozenset((str, int, float, bool, type(None)))
_CONTAINERS = frozenset((dict, list))
_PLAIN = _SCALARS | _CONTAINERS
_MANY = 100_000
"""Data with more containers than this is converted without a look whether it must be."""


def plain_data(value: Any) -> Any:
    """`value` as dicts, lists, tuples, texts, numbers, booleans and None, of exactly these types.

    Dataclasses and pydantic models become dicts, NumPy's scalars Python's, subclasses what they are based on, and
    anything else the text ``<TypeName>``. What is plain already is not copied. RecursionError for data that contains
    itself.
    """
    return value if _is_plain(value) else _converted(value)


def _is_plain(value: Any) -> bool:
    """Whether there is nothing to convert, which is the usual case. What contains itself is not plain, nor are tuples.

    Looking through a long conversation took longer than rendering it. The garbage collector's function tells in one
    call what all containers of one depth hold; keys of dicts that have only keys of exactly `str` may be left out.
    """
    found: list[Any] = [value]
    looked_at = 0
    while _PLAIN.issuperset(map(type, found)):
        containers = [item for item in found if type(item) in _CONTAINERS]
        if not containers:
            return True
        looked_at += len(containers)
        if looked_at > _MANY:
            return False
        found = get_referents(*containers)
    return False


def _converted(value: Any) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    for base in (str, int, float):
        if isinstance(value, base):
            return getattr(base, f"__{base.__name__}__")(value)
    if isinstance(value, Mapping):
        return {_converted(key): _converted(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_converted(item) for item in value]
    if isinstance(value, tuple):
        return tuple(_converted(item) for item in value)
    return _converted(as_dict(value))


def as_dict(value: Any) -> Any:
    """The data of an object: a NumPy scalar's value, the fields of a dataclass or pydantic model; else its type."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return value.item()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    dump = getattr(value, "model_dump", None)
    return dump() if callable(dump) else f"<{type(value).__name__}>"
