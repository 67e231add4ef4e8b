"""All built-ins of the dialect `transformers`."""

from __future__ import annotations

import functools
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.blocks import BLOCK_ATTRIBUTES, BlockReference
from chatjinja.runtime.jinja.filters_html import HTML_FILTERS
from chatjinja.runtime.jinja.filters_sequences import SEQUENCE_FILTERS
from chatjinja.runtime.jinja.filters_text import TEXT_FILTERS
from chatjinja.runtime.jinja.filters_values import VALUE_FILTERS
from chatjinja.runtime.jinja.foreign import check_known
from chatjinja.runtime.jinja.globals import GLOBALS
from chatjinja.runtime.jinja.json_text import do_tojson
from chatjinja.runtime.jinja.loops import LOOP_ATTRIBUTES, LOOP_METHODS, LoopContext
from chatjinja.runtime.jinja.macros import MACRO_ATTRIBUTES, Macro, SoundMacro
from chatjinja.runtime.jinja.methods_data import ATTRIBUTES, METHODS, REFUSED
from chatjinja.runtime.jinja.results import Lazy
from chatjinja.runtime.jinja.tables import Function, JinjaTables
from chatjinja.runtime.jinja.tests import TESTS

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def _of_known(function: Function) -> Function:
    """A filter that goes through what it is given, which must be data."""

    @functools.wraps(function)
    def apply(rt: Runtime, /, *args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) not in _USUAL:
            check_known(rt, args[0])
        return function(rt, *args, **kwargs)

    return apply


_USUAL = frozenset((dict, list, str, Lazy))
JINJA = JinjaTables(
    filters=MappingProxyType(
        {
            **HTML_FILTERS,
            **{name: _of_known(function) for name, function in SEQUENCE_FILTERS.items()},
            **TEXT_FILTERS,
            **VALUE_FILTERS,
            "tojson": do_tojson,
        }
    ),
    tests=TESTS,
    globals=GLOBALS,
    methods=MappingProxyType({**METHODS, LoopContext: LOOP_METHODS}),
    attributes=MappingProxyType(
        {
            **ATTRIBUTES,
            BlockReference: BLOCK_ATTRIBUTES,
            LoopContext: LOOP_ATTRIBUTES,
            Macro: MACRO_ATTRIBUTES,
            SoundMacro: MACRO_ATTRIBUTES,
        }
    ),
    refused=REFUSED,
)
"""The text form's tables."""
