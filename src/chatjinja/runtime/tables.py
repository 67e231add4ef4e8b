"""The tables of a dialect: which names exist for which type of value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from chatjinja.runtime.arrays import ARRAY_METHODS
from chatjinja.runtime.globals import GLOBALS
from chatjinja.runtime.mappings import MARKED_OBJECT_METHODS, OBJECT_METHODS
from chatjinja.runtime.marked_strings import MARKED_METHODS
from chatjinja.runtime.objects import Builtin
from chatjinja.runtime.scalars import (
    BOOLEAN_METHODS,
    FLOAT_METHODS,
    INTEGER_METHODS,
    NONE_METHODS,
    UNDEFINED_METHODS,
)
from chatjinja.runtime.strings import STRING_METHODS
from chatjinja.runtime.tests import TESTS


@dataclass(frozen=True, slots=True)
class Tables:
    """Built-ins by name. A filter and a method of one name are one function of the value's type.

    Attributes:
        methods: kind of value (as in error messages: ``"String"``, ``"Integer"``, …) → name → built-in.
            Function and KwArg have none.
        tests: name → built-in.
        globals: name → built-in; also holds each test as ``test_is_NAME``.
        aliases: filter name → the name it stands for; filters only.
        coercing: filters that, written without parentheses, first turn a defined value into its text.
        method_names: every name in any table of `methods`.
    """

    methods: Mapping[str, Mapping[str, Builtin]]
    tests: Mapping[str, Builtin]
    globals: Mapping[str, Builtin]
    aliases: Mapping[str, str]
    coercing: frozenset[str]
    method_names: frozenset[str]


_METHODS: Mapping[str, Mapping[str, Builtin]] = MappingProxyType(
    {
        "Integer": INTEGER_METHODS,
        "Float": FLOAT_METHODS,
        "Boolean": BOOLEAN_METHODS,
        "String": STRING_METHODS,
        "Array": ARRAY_METHODS,
        "Tuple": ARRAY_METHODS,
        "Object": OBJECT_METHODS,
        "None": NONE_METHODS,
        "Undefined": UNDEFINED_METHODS,
    }
)
LLAMA_CPP = Tables(
    methods=_METHODS,
    tests=TESTS,
    globals=GLOBALS,
    aliases=MappingProxyType({"count": "length", "d": "default", "e": "escape", "trim": "strip"}),
    coercing=frozenset({"capitalize", "lower", "replace", "strip", "title", "upper", "wordcount"}),
    method_names=frozenset(name for methods in _METHODS.values() for name in methods),
)
"""The fast form's tables."""
LLAMA_CPP_EXACT = replace(
    LLAMA_CPP,
    methods=MappingProxyType({**LLAMA_CPP.methods, "String": MARKED_METHODS, "Object": MARKED_OBJECT_METHODS}),
)
"""The exact form's: methods of String know its pieces."""
