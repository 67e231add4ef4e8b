"""Items of strings and ranges in the sound form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.access import get_item
from chatjinja.runtime.jinja.sound_runs import bare, cut, is_text
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.marked import MadeInt

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def sound_item(rt: Runtime, obj: Any, key: Any) -> Any:
    """``obj[key]``, as `get_item`: characters keep their origin, numbers of a range are the template's."""
    key = bare(key)
    if is_text(obj) and type(obj) is not str and isinstance(key, (int, slice)):
        try:
            return cut(obj, key)
        except (TypeError, IndexError):
            return Undefined(obj=obj, name=key)
    item = get_item(rt, obj, key)
    return MadeInt(item) if type(obj) is range and type(item) is int else item
