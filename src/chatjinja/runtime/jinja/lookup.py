"""Reading values out of items by a path, as in ``map(attribute='user.name')``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.access import get_item
from chatjinja.runtime.jinja.sound_access import sound_item
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.jinja.work import weighed
from chatjinja.runtime.marked import Marked

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Getter = Callable[[Any], Any]


def fold_case(value: Any) -> Any:
    """A string in lower case, anything else as it is: what sorting and grouping compare by."""
    if isinstance(value, str):
        return value.lower()
    return value.text.lower() if type(value) is Marked else value


def unfolded(value: Any) -> Any:
    """`value`: compare by the value itself."""
    return value


def path_of(attribute: Any) -> list[Any]:
    """The steps of a path: dots separate them, digits are an index; None is no step."""
    if attribute is None:
        return []
    if type(attribute) is Marked:
        attribute = attribute.text
    if isinstance(attribute, str):
        return [int(step) if step.isdigit() else step for step in attribute.split(".")]
    return [attribute]


def getter(rt: Runtime, attribute: Any, change: Getter = unfolded, default: Any = None) -> Getter:
    """A function that follows a path into an item; `default` replaces what is undefined on the way."""
    path = path_of(attribute)
    read = sound_item if rt.sound else get_item
    if not path:
        return change
    if len(path) == 1 and default is None:
        only = path[0]
        if change is unfolded and isinstance(only, (str, int)):
            return lambda item: item[only] if type(item) is dict and only in item else read(rt, item, only)
        return lambda item: change(read(rt, item, only))

    def follow(item: Any) -> Any:
        for step in path:
            item = read(rt, item, step)
            if default is not None and type(item) is Undefined:
                item = default
        return change(item)

    return follow


def getter_of_several(rt: Runtime, attribute: Any, change: Getter) -> Getter:
    """A function that follows each of the paths between commas; gives a list."""
    if type(attribute) is Marked:
        attribute = attribute.text
    paths = attribute.split(",") if isinstance(attribute, str) else [attribute]
    getters = [getter(rt, path, change) for path in paths]
    if len(getters) == 1:
        only = getters[0]
        return lambda item: [only(item)]
    return lambda item: [get(item) for get in getters]


def order_of(rt: Runtime, case_sensitive: Any) -> Getter:
    """What a value is compared by. Gives it with its cost counted."""
    change = unfolded if case_sensitive else fold_case
    return lambda value: change(value if type(value) is str else weighed(rt, value))
