"""The names that generated code may use, and nothing else (a test compares the sets).

All forms use the same names; some mean something else in the sound form, and in the one with provenance.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from chatjinja.runtime.jinja import access, blocks, calls, loops, operators, output, sound_operators, sound_output
from chatjinja.runtime.jinja.macros import Macro, SoundMacro
from chatjinja.runtime.jinja.namespaces import Namespace
from chatjinja.runtime.jinja.sound_access import sound_item
from chatjinja.runtime.jinja.sound_runs import sound_text_of
from chatjinja.runtime.jinja.text import text_of
from chatjinja.runtime.jinja.undefined import MISSING, Undefined
from chatjinja.runtime.jinja.work import weighed
from chatjinja.runtime.loops import refuse_call
from chatjinja.runtime.marked import Printed, TemplateText, made_number


def template_reference(context: dict[str, Any], named: dict[str, blocks.Block]) -> blocks.TemplateReference:
    """The value of ``self``."""
    return blocks.TemplateReference(context, named, output.block_text)


def sound_template_reference(context: dict[str, Any], named: dict[str, blocks.Block]) -> blocks.TemplateReference:
    """`template_reference` of the sound form."""
    return blocks.TemplateReference(context, named, sound_output.block_text)


TEXT: Mapping[str, Any] = MappingProxyType(
    {
        "MISSING": MISSING,
        "Macro": Macro,
        "Namespace": Namespace,
        "TemplateReference": template_reference,
        "Undefined": Undefined,
        "add": operators.add,
        "as_markup": output.as_markup,
        "body_text": output.body_text,
        "call": calls.call,
        "call_method": calls.call_method,
        "check_namespace": output.check_namespace,
        "chosen_items": loops.chosen_items,
        "concat": operators.concat,
        "contains": operators.contains,
        "derived": blocks.derived,
        "dict": dict,
        "divide": operators.divide,
        "enumerate": enumerate,
        "escape": output.escape_text,
        "escape_if_asked": output.escape_if_asked,
        "fail": operators.fail,
        "filter_items": loops.filter_items,
        "floor_divide": operators.floor_divide,
        "get_attr": access.get_attr,
        "get_item": access.get_item,
        "get_slice": operators.get_slice,
        "get_template": blocks.get_template,
        "include": blocks.include,
        "iter_items": loops.iter_items,
        "join_markup": output.join_markup,
        "len": len,
        "list": list,
        "loop_context": loops.loop_context,
        "macro_text": Macro.text,
        "made": output.made,
        "modulo": operators.modulo,
        "multiply": operators.multiply,
        "negate": operators.negate,
        "operand": operators.operand,
        "plus": operators.plus,
        "power": operators.power,
        "recurse": loops.recurse,
        "refuse_call": refuse_call,
        "set_attribute": output.set_attribute,
        "setattr": setattr,
        "sized_items": loops.sized_items,
        "spread": calls.spread,
        "spread_dict": calls.spread_dict,
        "str": str,
        "str_capitalize": str.capitalize,
        "str_endswith": str.endswith,
        "str_lower": str.lower,
        "str_lstrip": str.lstrip,
        "str_rstrip": str.rstrip,
        "str_split": str.split,
        "str_startswith": str.startswith,
        "str_strip": str.strip,
        "str_upper": str.upper,
        "subtract": operators.subtract,
        "text_of": text_of,
        "type": type,
        "unknown": calls.unknown,
        "unpack": loops.unpack,
        "weighed": weighed,
        "written": output.written,
    }
)
"""Names of the text form."""


SOUND: Mapping[str, Any] = MappingProxyType(
    {
        **TEXT,
        "Macro": SoundMacro,
        "TemplateReference": sound_template_reference,
        "TemplateText": TemplateText,
        "add": sound_operators.add,
        "as_markup": sound_output.as_markup,
        "body_text": sound_output.body_text,
        "compare": sound_operators.compare,
        "chosen_items": sound_operators.chosen_items,
        "concat": sound_operators.concat,
        "contains": sound_operators.contains,
        "divide": sound_operators.arithmetic(operators.divide),
        "escape": sound_output.escape_text,
        "escape_if_asked": sound_output.escape_if_asked,
        "filter_items": sound_operators.filter_items,
        "floor_divide": sound_operators.arithmetic(operators.floor_divide),
        "generation": sound_output.generation,
        "get_attr": sound_operators.get_attr,
        "get_item": sound_item,
        "get_slice": sound_operators.get_slice,
        "iter_items": sound_operators.iter_items,
        "join_markup": sound_operators.join_markup,
        "joined": sound_operators.joined,
        "loop_context": sound_operators.loop_context,
        "macro_text": SoundMacro.text,
        "made_number": made_number,
        "modulo": sound_operators.modulo,
        "multiply": sound_operators.multiply,
        "negate": sound_operators.sign(operators.negate),
        "operand": sound_operators.operand,
        "plus": sound_operators.sign(operators.plus),
        "power": sound_operators.arithmetic(operators.power),
        "sized_items": sound_operators.sized_items,
        "spread": sound_operators.spread,
        "spread_dict": sound_operators.spread_dict,
        "subtract": sound_operators.arithmetic(operators.subtract),
        "text_of": sound_text_of,
        "unpack": sound_operators.unpack,
        "written": sound_output.written,
    }
)
"""Names of the sound form."""
SOURCED: Mapping[str, Any] = MappingProxyType({**SOUND, "Printed": Printed})
"""Names of the sound form with provenance."""


def fixed_undefined(kind: str, name: str | None, hint: str) -> Undefined:
    """An Undefined that is always the same: `kind` says whether a dict or a namespace lacks `name`, or else the hint
    is the message."""
    if kind == "dict":
        return Undefined(obj={}, name=name)
    if kind == "namespace":
        return Undefined(obj=Namespace({}), name=name)
    return Undefined(hint, name=name)
