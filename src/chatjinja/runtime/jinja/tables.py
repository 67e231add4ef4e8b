"""The tables of the dialect: what exists by which name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Function = Callable[..., Any]


class Members(NamedTuple):
    """What one type has.

    Attributes:
        methods, attributes: by name, as in `JinjaTables`.
        refused: names that Python has there and the sandbox does not give out, with all that start with ``_``.
    """

    methods: Mapping[str, Function]
    attributes: Mapping[str, Function]
    refused: frozenset[str]


@dataclass(frozen=True, slots=True)
class JinjaTables:
    """Built-ins by name. All functions get the `Runtime` first.

    Attributes:
        filters: name → ``do_name(rt, value, *args, **kwargs)``.
        tests: name → ``is_name(rt, value, *args, **kwargs) -> bool``.
        globals: name → the value that a template sees (`chatjinja.runtime.jinja.callables.Builtin` for a function).
        methods: type → name → ``str_upper(rt, self, *args, **kwargs)``.
        attributes: type → name → ``range_start(rt, self)``: what is no method but a value.
        refused: type → public names that Python has there and the sandbox does not give out.
    """

    filters: Mapping[str, Function]
    tests: Mapping[str, Function]
    globals: Mapping[str, Any]
    methods: Mapping[type, Mapping[str, Function]]
    attributes: Mapping[type, Mapping[str, Function]]
    refused: Mapping[type, frozenset[str]]
    _members: dict[type, Members] = field(default_factory=dict, repr=False, compare=False)

    def members(self, kind: type) -> Members:
        """What values of that type have; a class of the caller's has what the built-in class below it has."""
        members = self._members.get(kind)
        if members is None:
            if len(self._members) > _MOST_TYPES:
                self._members.clear()  # somebody makes classes by the thousand
            members = self._members[kind] = self._find(kind)
        return members

    def _find(self, kind: type) -> Members:
        row = kind
        if kind not in self.methods:
            bases = [base for base in kind.__mro__ if base in self.methods]
            bases += [base for base in (Mapping, Sequence) if issubclass(kind, base)]
            row = bases[0] if bases else kind
        internal = [name for name in dir(kind) if name.startswith("_")]
        return Members(
            self.methods.get(row, {}), self.attributes.get(row, {}), self.refused.get(row, _NONE).union(internal)
        )


_NONE: frozenset[str] = frozenset()
_MOST_TYPES = 1000
