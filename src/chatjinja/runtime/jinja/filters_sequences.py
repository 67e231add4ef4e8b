"""Filters of lists, mappings and iterators."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from itertools import chain, groupby, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.errors import OperationError
from chatjinja.runtime.convert import check_items, check_size
from chatjinja.runtime.jinja.callables import Function
from chatjinja.runtime.jinja.lookup import Getter, getter, getter_of_several, order_of, unfolded
from chatjinja.runtime.jinja.markup import Markup, escape
from chatjinja.runtime.jinja.results import Group, Lazy, lazily
from chatjinja.runtime.jinja.text import SMALL, noted, soft_text, text_of
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.jinja.work import weighed
from chatjinja.runtime.limits import LARGE, exceeded, spend

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def bad_argument(message: str) -> OperationError:
    """The error for an argument that a built-in refuses."""
    return OperationError(message, code="argument-value")


def listed(rt: Runtime, items: Iterable[Any]) -> list[Any]:
    """A list of `items`, counted."""
    if isinstance(items, Sized) and len(items) > SMALL:
        check_items(rt, len(items))
    made = list(islice(items, rt.limits.items + 1)) if type(items) is Lazy else list(items)
    if len(made) > SMALL:
        check_items(rt, len(made))
        spend(rt, len(made), 1)
    return made


def _count(rt: Runtime, items: Any) -> None:
    """Count the items that a filter is about to go through; an iterator counts its own."""
    if isinstance(items, Sized):
        spend(rt, len(items), 4)


def step(rt: Runtime) -> None:
    """Count one item of an iterator."""
    rt.steps += 1
    if rt.steps > rt.stop_steps:
        raise exceeded(rt.limits, "steps")


# --- reading ---------------------------------------------------------------------------------------------


def do_length(rt: Runtime, obj: Any, /) -> int:
    """The number of items or characters."""
    return len(obj)


def do_first(rt: Runtime, /, seq: Any) -> Any:
    """The first item; undefined if there is none."""
    for item in iter(seq):
        return item
    return Undefined("No first item, sequence was empty.")


def do_last(rt: Runtime, /, seq: Any) -> Any:
    """The last item; undefined if there is none."""
    for item in reversed(seq):
        return item
    return Undefined("No last item, sequence was empty.")


def do_random(rt: Runtime, /, seq: Any) -> Any:
    """An item by chance; undefined if there is none."""
    try:
        return random.choice(seq)
    except IndexError:
        return Undefined("No random item, sequence was empty.")


def do_min(rt: Runtime, /, value: Any, case_sensitive: Any = False, attribute: Any = None) -> Any:
    """The smallest item, or the item with the smallest `attribute`."""
    return _extreme(rt, value, min, case_sensitive, attribute)


def do_max(rt: Runtime, /, value: Any, case_sensitive: Any = False, attribute: Any = None) -> Any:
    """The largest item, or the item with the largest `attribute`."""
    return _extreme(rt, value, max, case_sensitive, attribute)


def _extreme(rt: Runtime, value: Any, choose: Callable[..., Any], case_sensitive: Any, attribute: Any) -> Any:
    _count(rt, value)
    items = iter(value)
    for first in items:
        return choose(chain([first], items), key=getter(rt, attribute, order_of(rt, case_sensitive)))
    return Undefined("No aggregated item, sequence was empty.")


def do_sum(rt: Runtime, /, iterable: Any, attribute: Any = None, start: Any = 0) -> Any:
    """`start` plus all items, or plus the `attribute` of all items."""
    _count(rt, iterable)
    items = iterable if attribute is None else map(getter(rt, attribute), iterable)
    if isinstance(start, (str, bytes)):
        return sum(items, start)  # raises the error that there is for this
    if not isinstance(start, (list, tuple)):
        return sum(items, start)
    total: Any = start
    for item in items:
        total = total + item
        check_items(rt, len(total))
        spend(rt, len(total), 64)
    return total


# --- lists -----------------------------------------------------------------------------------------------


def do_list(rt: Runtime, /, value: Any) -> list[Any]:
    """All items as a list; of a string, its characters."""
    return listed(rt, value)


def do_reverse(rt: Runtime, /, value: Any) -> Any:
    """A string backwards, or an iterator over the items from the last to the first."""
    if isinstance(value, str):
        return noted(rt, value[::-1])
    try:
        return reversed(value)
    except TypeError:
        try:
            made = listed(rt, value)
        except TypeError:
            raise bad_argument("argument must be iterable") from None
        made.reverse()
        return made


def do_sort(
    rt: Runtime, /, value: Any, reverse: Any = False, case_sensitive: Any = False, attribute: Any = None
) -> list[Any]:
    """The items in order, or in that of one or more attributes (``'age,name'``)."""
    key = getter_of_several(rt, attribute, order_of(rt, case_sensitive))
    return sorted(listed(rt, value), key=key, reverse=reverse)


@lazily("sync_do_unique")
def do_unique(rt: Runtime, /, value: Any, case_sensitive: Any = False, attribute: Any = None) -> Iterator[Any]:
    """The items without those that were there before."""
    get = getter(rt, attribute, order_of(rt, case_sensitive))
    seen = set()
    for item in value:
        step(rt)
        key = get(item)
        if key not in seen:
            seen.add(key)
            yield item


@lazily("do_batch")
def do_batch(rt: Runtime, /, value: Any, linecount: Any, fill_with: Any = None) -> Iterator[list[Any]]:
    """Lists of `linecount` items each; `fill_with` fills up the last one."""
    batch: list[Any] = []
    for item in value:
        step(rt)
        if len(batch) == linecount:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        if fill_with is not None and len(batch) < linecount:
            check_items(rt, linecount - len(batch))
            batch += [fill_with] * (linecount - len(batch))
        yield batch


@lazily("sync_do_slice")
def do_slice(rt: Runtime, /, value: Any, slices: Any, fill_with: Any = None) -> Iterator[list[Any]]:
    """`slices` lists of about the same length; `fill_with` fills up the shorter ones."""
    items = listed(rt, value)
    size, longer = divmod(len(items), slices)
    end = 0
    for number in range(slices):
        step(rt)
        start, end = end, end + size + (number < longer)
        part = items[start:end]
        if fill_with is not None and number >= longer:
            part.append(fill_with)
        yield part


def do_groupby(
    rt: Runtime, /, value: Any, attribute: Any, default: Any = None, case_sensitive: Any = False
) -> list[Group]:
    """Pairs of a common value of `attribute` and the items that have it, in order of the values."""
    get = getter(rt, attribute, order_of(rt, case_sensitive), default)
    groups = [Group((key, list(items))) for key, items in groupby(sorted(listed(rt, value), key=get), get)]
    if case_sensitive:
        return groups
    shown = getter(rt, attribute, unfolded, default)
    return [Group((shown(items[0]), items)) for _, items in groups]


# --- mappings --------------------------------------------------------------------------------------------


@lazily("do_items")
def do_items(rt: Runtime, /, value: Any) -> Iterator[Any]:
    """Pairs of key and value; none of what is undefined."""
    if type(value) is Undefined:
        return
    if not isinstance(value, Mapping):
        raise TypeError("Can only get item pairs from a mapping.")
    yield from value.items()


def do_dictsort(
    rt: Runtime, /, value: Any, case_sensitive: Any = False, by: Any = "key", reverse: Any = False
) -> list[tuple[Any, Any]]:
    """Pairs of key and value in order of the keys, or of the values."""
    if by == "key":
        position = 0
    elif by == "value":
        position = 1
    else:
        raise bad_argument('You can only sort by either "key" or "value"')
    if type(value) is Undefined:
        value.fail()
    if not isinstance(value, Mapping):
        raise TypeError(f"{type(value).__name__!r} object has no attribute 'items'")
    order = order_of(rt, case_sensitive)
    return sorted(listed(rt, value.items()), key=lambda item: order(item[position]), reverse=reverse)


# --- text of lists ---------------------------------------------------------------------------------------


def do_join(rt: Runtime, /, value: Any, d: Any = "", attribute: Any = None) -> str:
    """The items as one text, with `d` between them."""
    if type(value) is list and type(d) is str and attribute is None and not rt.autoescape and len(value) <= LARGE:
        try:
            spend(rt, len(value), 4)
            check_size(rt, sum(map(len, value)) + len(d) * len(value))
            return noted(rt, d.join(value))
        except TypeError:  # not all of them are strings
            pass
    if attribute is not None:
        value = map(getter(rt, attribute), value)
    if not rt.autoescape:
        return _joined(rt, text_of(rt, d), [item if type(item) is str else text_of(rt, item) for item in value])
    if isinstance(d, Markup):
        return _joined(rt, d, [soft_text(rt, item) for item in value])
    items = [item if isinstance(item, Markup) else text_of(rt, item) for item in value]
    if any(isinstance(item, Markup) for item in items):
        return _joined(rt, escape(soft_text(rt, d)), items)
    return _joined(rt, text_of(rt, d), items)


def _joined(rt: Runtime, separator: str, items: list[str]) -> str:
    spend(rt, len(items), 1)
    check_size(rt, sum(map(len, items)) + len(separator) * len(items))
    return noted(rt, separator.join(items))


# --- other filters and tests on each item ----------------------------------------------------------------


def named(rt: Runtime, table: Mapping[str, Function], kind: str, name: Any) -> Function:
    """The filter or test that `name` names at run time."""
    function = table.get(name if type(name) is str else weighed(rt, name))
    if function is not None:
        return function
    message = f"No {kind} named {name!r}."
    if type(name) is Undefined:
        message += f" ({name.message}; did you forget to quote the callable name?)"
    raise OperationError(message, code=f"unknown-{kind}")


@lazily("sync_do_map")
def do_map(rt: Runtime, /, value: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
    """A filter applied to each item, or with ``attribute='name'`` that attribute of each item."""
    if value:
        change = _mapper(rt, args, kwargs)
        for item in value:
            step(rt)
            yield change(item)


def _mapper(rt: Runtime, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[Any], Any]:
    if not args and "attribute" in kwargs:
        attribute = kwargs.pop("attribute")
        default = kwargs.pop("default", None)
        if kwargs:
            raise bad_argument(f"Unexpected keyword argument {next(iter(kwargs))!r}")
        return getter(rt, attribute, unfolded, default)
    if not args:
        raise bad_argument("map requires a filter argument")
    rest = args[1:]

    def apply(item: Any) -> Any:
        # Looked up for each item: with no item, an unknown name is no error.
        return named(rt, rt.tables.filters, "filter", args[0])(rt, item, *rest, **kwargs)

    return apply


@lazily("select_or_reject")
def do_select(rt: Runtime, /, value: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
    """The items that are true, or for which the test holds that is named first."""
    return _chosen(rt, value, args, kwargs, True, False)


@lazily("select_or_reject")
def do_reject(rt: Runtime, /, value: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
    """The items that are false, or for which the test does not hold that is named first."""
    return _chosen(rt, value, args, kwargs, False, False)


@lazily("select_or_reject")
def do_selectattr(rt: Runtime, /, value: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
    """The items with an attribute that is true, or for which the test holds that is named next."""
    return _chosen(rt, value, args, kwargs, True, True)


@lazily("select_or_reject")
def do_rejectattr(rt: Runtime, /, value: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
    """The items with an attribute that is false, or for which the test does not hold that is named next."""
    return _chosen(rt, value, args, kwargs, False, True)


def _chosen(
    rt: Runtime, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any], wanted: bool, by_attribute: bool
) -> Iterator[Any]:
    if value:
        get: Getter = unfolded
        if by_attribute:
            if not args:
                raise bad_argument("Missing parameter for attribute name")
            get = getter(rt, args[0])
            args = args[1:]
        for item in value:
            step(rt)
            found = get(item)
            if args:
                found = named(rt, rt.tables.tests, "test", args[0])(rt, found, *args[1:], **kwargs)
            if bool(found) is wanted:
                yield item


SEQUENCE_FILTERS: Mapping[str, Function] = MappingProxyType(
    {
        "batch": do_batch,
        "count": do_length,
        "dictsort": do_dictsort,
        "first": do_first,
        "groupby": do_groupby,
        "items": do_items,
        "join": do_join,
        "last": do_last,
        "length": do_length,
        "list": do_list,
        "map": do_map,
        "max": do_max,
        "min": do_min,
        "random": do_random,
        "reject": do_reject,
        "rejectattr": do_rejectattr,
        "reverse": do_reverse,
        "select": do_select,
        "selectattr": do_selectattr,
        "slice": do_slice,
        "sort": do_sort,
        "sum": do_sum,
        "unique": do_unique,
    }
)
"""Filters by name."""
