"""Who wrote what a built-in of text makes.

The text is always that of the built-in itself, called without marks. A rule gets it with the arguments as they
were, and gives the result its runs. A built-in without a rule gets `blend`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from chatjinja.runtime.jinja.filters_text import do_truncate
from chatjinja.runtime.jinja.formatting import LITERAL, format_fields, placeholders
from chatjinja.runtime.jinja.json_text import PLAIN, Layout, content_of, json_scalar, json_string, json_text, layout_of
from chatjinja.runtime.jinja.lookup import getter
from chatjinja.runtime.jinja.markup import Markup, escape_text
from chatjinja.runtime.jinja.methods_text import text_join
from chatjinja.runtime.jinja.sound_runs import (
    bare,
    blended,
    cut_runs,
    deep_bare,
    gather,
    is_text,
    of_origin,
    plain_text,
    repr_runs,
    runs_of,
    sound_text_of,
    spelled,
    spread,
    text_runs,
    text_value,
)
from chatjinja.runtime.json_runs import JsonRuns
from chatjinja.runtime.marked import Marked, Origin, Run, Runs, TemplateText, made_number, number_origin
from chatjinja.runtime.runs import joined, make_up, only_origin

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

Rule = Callable[..., Any]
"""``rule(rt, result, *args, **kwargs)``: the result with its runs."""
_BLANK, _DOTS, _NOTHING = TemplateText(" "), TemplateText("..."), TemplateText()


def blend(rt: Runtime, result: Any, /, *args: Any, **kwargs: Any) -> Any:
    """All input if anything that was given is."""
    return _all_of(result, blended((*args, *kwargs.values())))


def _all_of(result: Any, origin: Origin) -> Any:
    kind = type(result)
    if is_text(result):
        return of_origin(result, origin)
    if kind is list or kind is tuple:
        return kind([_all_of(item, origin) for item in result])
    if kind is dict:
        return {_all_of(key, origin): _all_of(item, origin) for key, item in result.items()}
    return made_number(result)


def count(rt: Runtime, result: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Makes a number, or no string."""
    return made_number(result)


def written(rt: Runtime, result: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Makes a text that the template could have written."""
    return of_origin(result, False)


def _fitted(rt: Runtime, result: str, runs: Runs, *args: Any) -> Any:
    """The result with these runs if they make it up, else blended of `args`."""
    return text_value(result, runs) if make_up(runs, str.__str__(result)) else blend(rt, result, *args)


def _sound(rt: Runtime, value: Any) -> Any:
    """What filters do first: a string as it is, anything else as text."""
    return value if is_text(value) else sound_text_of(rt, value)


# --- from a text to a part or another spelling of it -----------------------------------------------------


def case(change: Callable[[str], str] = str) -> Rule:
    """Changes letters; `change` says what can become of each of them where their number changes."""

    def rule(rt: Runtime, result: Any, /, s: Any) -> Any:
        runs = text_runs(rt, s)
        origin = only_origin(runs)
        if origin is not None:
            return of_origin(result, origin)
        origins = spread(runs)
        if len(origins) != len(result):
            chars = "".join([run[0] for run in runs])
            origins = [origin for char, origin in zip(chars, origins, strict=True) for _ in change(char)]
        if len(origins) != len(result):
            return blend(rt, result, s)
        return text_value(result, gather(str.__str__(result), origins))

    return rule


def _part(result: Any, runs: Runs, start: int) -> Any:
    """The result, which stands in the text from `start`."""
    origin = only_origin(runs)
    if origin is not None:
        return of_origin(result, origin)
    return text_value(result, cut_runs(runs, start, start + len(result)))


def strip(rt: Runtime, result: Any, /, value: Any, chars: Any = None) -> Any:
    """Cuts off both ends or the left one."""
    runs = text_runs(rt, value)
    text = "".join([run[0] for run in runs])
    return _part(result, runs, len(text) - len(text.lstrip(bare(chars))))


def strip_right(rt: Runtime, result: Any, /, value: Any, *args: Any) -> Any:
    """Cuts off the right end."""
    return _part(result, text_runs(rt, value), 0)


def strip_left(rt: Runtime, result: Any, /, value: Any, *args: Any) -> Any:
    """Cuts off the left end by length."""
    return _part(result, text_runs(rt, value), len(plain_text(value)) - len(result))


def reverse(rt: Runtime, result: Any, /, value: Any) -> Any:
    """Turns the text round."""
    runs = tuple([(text[::-1], origin) for text, origin in reversed(runs_of(value))])
    return text_value(result, runs)


def _split(find: Callable[..., Iterable[int]]) -> Rule:
    def rule(rt: Runtime, result: Any, /, value: Any, *args: Any, **kwargs: Any) -> Any:
        runs = runs_of(value)
        places = find(plain_text(value), result, *map(bare, args), **{key: bare(arg) for key, arg in kwargs.items()})
        return type(result)([_part(item, runs, at) for item, at in zip(result, places, strict=True)])

    return rule


def _places(text: str, items: Any, sep: Any = None, maxsplit: Any = -1) -> Iterable[int]:
    at = 0
    for item in items:
        if sep is None:  # whatever stands between is blank, and items are not
            at = text.find(item, at)
        yield at
        at += len(item) + (len(sep) if sep is not None else 0)


def _line_places(text: str, items: Any, keepends: Any = False) -> Iterable[int]:
    at = 0
    for line in text.splitlines(True):
        yield at
        at += len(line)


split = _split(_places)
"""Cuts at a separator, which is left out."""
split_lines = _split(_line_places)
"""Cuts at the ends of lines."""


def partition(rt: Runtime, result: Any, /, value: Any, sep: Any) -> Any:
    """Cuts in three; nothing is left out."""
    starts = (0, len(result[0]), len(result[0]) + len(result[1]))
    return tuple([_part(item, runs_of(value), at) for item, at in zip(result, starts, strict=True)])


def truncate(
    rt: Runtime,
    result: Any,
    /,
    s: Any,
    length: Any = 255,
    killwords: Any = False,
    end: Any = _DOTS,
    leeway: Any = None,
) -> Any:
    """Cuts off the right end and puts `end` there."""
    if not is_text(s):  # a list is given back as it is
        return do_truncate(rt, s, bare(length), killwords, end, bare(leeway))
    if str.__str__(result) == plain_text(s):
        return text_value(result, runs_of(s))
    tail = tuple(
        [(escape_text(text), origin) for text, origin in runs_of(end)] if isinstance(s, Markup) else runs_of(end)
    )
    kept = len(result) - sum([len(text) for text, _ in tail])
    return _fitted(rt, result, (*cut_runs(runs_of(s), 0, kept), *tail), s, end)


# --- from a text to one with something put in ------------------------------------------------------------


def replace(rt: Runtime, result: Any, /, s: Any, old: Any, new: Any, count: Any = None) -> Any:
    """What is put in keeps its own origin."""
    if isinstance(result, Markup) or isinstance(new, Markup):
        return _replace_markup(rt, result, s, old, new)
    runs, inserted = text_runs(rt, s), text_runs(rt, new)
    origin = only_origin(runs)
    if origin is not None and all(not text or other is origin for text, other in inserted):
        return of_origin(result, origin)
    text, found = "".join([run[0] for run in runs]), plain_text(sound_text_of(rt, old))
    limit = bare(count)
    out: list[Run] = []
    at = 0
    for number, start in enumerate(_occurrences(text, found)):
        if limit is not None and 0 <= limit <= number:
            break
        out += cut_runs(runs, at, start)
        out += inserted
        at = start + len(found)
    return _fitted(rt, result, (*out, *cut_runs(runs, at, len(text))), s, new)


def _replace_markup(rt: Runtime, result: Any, s: Any, old: Any, new: Any) -> Any:
    unchanged = str.__str__(result) == plain_text(_sound(rt, s))
    return text_value(result, text_runs(rt, s)) if unchanged else blend(rt, result, s, old, new)


def _occurrences(text: str, found: str) -> Iterable[int]:
    if not found:
        yield from range(len(text) + 1)
        return
    at = text.find(found)
    while at >= 0:
        yield at
        at = text.find(found, at + len(found))


def indent(rt: Runtime, result: Any, /, s: Any, width: Any = 4, first: Any = False, blank: Any = False) -> Any:
    """Blanks are the template's, or of whoever gave them as `width`; lines and their ends are the text's."""
    padding: Runs = runs_of(width) if is_text(width) else ((" " * width, False),)
    runs = runs_of(s)
    text = plain_text(s)
    out: list[Run] = []
    at = 0
    lines = (text + "\n").splitlines(True)
    for number, line in enumerate(lines):
        body = line.splitlines()[0]
        if first if number == 0 else body or blank:
            out += padding
        out += cut_runs(runs, at, at + len(body))
        if number < len(lines) - 1:
            # Whatever ended the line, the result has a line feed there.
            out += [("\n", origin) for _, origin in cut_runs(runs, at + len(body), at + len(body) + 1)]
        at += len(line)
    return _fitted(rt, result, tuple(out), s, width)


def _pad(left_of: Callable[[int, int], int]) -> Rule:
    """Puts characters around the text; `left_of` says how many before it, of how many in all."""

    def rule(rt: Runtime, result: Any, /, value: Any, width: Any = 80, fill: Any = _BLANK) -> Any:
        runs = text_runs(rt, value)
        text = "".join([run[0] for run in runs])
        size = len(result) - len(text)
        left = left_of(size, bare(width)) if size > 0 else 0
        filled = str.__str__(result)
        padding = next(origin for part, origin in text_runs(rt, fill) if part)
        return text_value(result, ((filled[:left], padding), *runs, (filled[left + len(text) :], padding)))

    return rule


center = _pad(lambda size, width: size // 2 + (size & width & 1))
"""Puts characters on both sides; an odd one goes where Python puts it."""
pad_right = _pad(lambda size, width: 0)
"""Puts characters behind the text."""
pad_left = _pad(lambda size, width: size)
"""Puts characters before the text."""


def fill_zeros(rt: Runtime, result: Any, /, value: Any, width: Any) -> Any:
    """Puts zeros behind the sign, or before the text."""
    runs, text = runs_of(value), plain_text(value)
    zeros = (("0" * (len(result) - len(text)), False),)
    sign = 1 if text[:1] in ("+", "-") else 0
    return _fitted(rt, result, (*cut_runs(runs, 0, sign), *zeros, *cut_runs(runs, sign, len(text))), value)


# --- texts of several values -----------------------------------------------------------------------------


def sound_str_join(rt: Runtime, self: Any, iterable: Any, /) -> Any:
    """The strings of a list as one, with this between them."""
    items = list(spelled(iterable))
    result = text_join(rt, bare(self), deep_bare(rt, items))
    if isinstance(result, Markup):
        return _fitted(rt, result, joined([_in_markup(rt, item) for item in items], runs_of(self)), self, items)
    return text_value(result, joined(map(runs_of, items), runs_of(self)))


def _in_markup(rt: Runtime, value: Any) -> Runs:
    """The runs of what a value becomes beside Markup: it is escaped."""
    runs = text_runs(rt, value)
    return runs if isinstance(value, Markup) else tuple([(escape_text(text), origin) for text, origin in runs])


def sound_join(join: Callable[..., Any]) -> Callable[..., Any]:
    """The filter `join` with runs. It can go over its items only once, so it makes the list first."""

    def do_join(rt: Runtime, /, value: Any, d: Any = _NOTHING, attribute: Any = None) -> Any:
        items = spelled(value)
        items = list(items if attribute is None else map(getter(rt, attribute), items))
        result = join(rt, deep_bare(rt, items), deep_bare(rt, d))
        runs = _in_markup if isinstance(result, Markup) else text_runs
        return _fitted(rt, result, joined([runs(rt, item) for item in items], runs(rt, d)), items, d)

    return do_join


def format_method(rt: Runtime, result: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """The text between the fields is the format's, what stands in for them the arguments'."""
    origin = only_origin(runs_of(self))
    if origin is None or isinstance(result, Markup):
        return blend(rt, result, self, *args, **kwargs)
    others = blended((self, *args, *kwargs.values()))
    out: list[Run] = []
    for field in format_fields(rt, plain_text(self), args, kwargs):
        if field.value is LITERAL:
            out.append((field.text, origin))
        elif field.is_plain:
            out += text_runs(rt, field.value)
        else:
            out.append((field.text, others))
    return _fitted(rt, result, tuple(out), self, *args, *kwargs.values())


def format_mapped(rt: Runtime, result: Any, /, self: Any, mapping: Any) -> Any:
    """As `format_method`."""
    if type(mapping) is not dict or not all(type(key) is str for key in mapping):
        return blend(rt, result, self, mapping)
    return format_method(rt, result, self, **mapping)


def percent_filter(rt: Runtime, result: Any, /, value: Any, *args: Any, **kwargs: Any) -> Any:
    """The filter `format`."""
    return percent(rt, result, value, kwargs or args)


def percent(rt: Runtime, result: Any, /, text: Any, values: Any) -> Any:
    """``text % values``: as `format_method`."""
    text = _sound(rt, text)
    origin = only_origin(runs_of(text))
    if origin is None or isinstance(result, Markup):
        return blend(rt, result, text, values)
    form = plain_text(text)
    given = list(values) if isinstance(values, tuple) else [values]
    out: list[Run] = []
    at = 0
    for place in placeholders(form):
        out.append((form[at : place.start], origin))
        at = place.end
        if place.kind == "%":
            out.append(("%", origin))
            continue
        if place.name is None:
            number = 1 + (place.width == "*") + (place.precision == "*")
            used, given = given[:number], given[number:]
        else:
            used = [values[place.name]]
        out += _replaced(rt, form[place.start : place.end], place.name, used, text)
    return _fitted(rt, result, (*out, (form[at:], origin)), text, values)


def _replaced(rt: Runtime, form: str, name: str | None, used: list[Any], text: Any) -> Runs:
    """The runs of what stands for one placeholder of `text`."""
    if form == "%s" or form == f"%({name})s":
        return text_runs(rt, used[0])
    made = form % (
        {name: deep_bare(rt, used[0])} if name is not None else tuple([deep_bare(rt, value) for value in used])
    )
    return ((made, blended((text, *used))),)


# --- repr, JSON, HTML ------------------------------------------------------------------------------------


def pretty(rt: Runtime, result: Any, /, value: Any) -> Any:
    """A repr, if it is on one line."""
    return _fitted(rt, result, repr_runs(rt, value), value)


def escaped(rt: Runtime, result: Any, /, s: Any) -> Any:
    """Entities belong to the character that they stand for."""
    text = _sound(rt, s)
    if isinstance(text, Markup):
        return text_value(result, runs_of(text))
    return text_value(result, tuple([(escape_text(part), origin) for part, origin in runs_of(text)]))


def escaped_again(rt: Runtime, result: Any, /, value: Any) -> Any:
    """As `escaped`, of Markup too."""
    return text_value(result, tuple([(escape_text(part), origin) for part, origin in text_runs(rt, value)]))


def sound_tojson(
    rt: Runtime,
    /,
    x: Any,
    ensure_ascii: Any = False,
    indent: Any = None,
    separators: Any = None,
    sort_keys: Any = False,
) -> Any:
    """The value as JSON. Bodies of strings, keys and numbers keep their origin."""
    if not ensure_ascii and indent is None and separators is None and not sort_keys:
        layout = PLAIN
    else:
        arguments = (bare(ensure_ascii), bare(indent), deep_bare(rt, separators), bare(sort_keys))
        layout = layout_of(rt, x, *arguments)
    data = rt.twins.get(id(x), x)
    content = content_of(data)
    if content is not None and separators is None and not is_text(indent):
        text = json_text(rt, data, layout, content)
        return Marked(((text, False),), JsonRuns(text, None if data is x else x))
    text = json_text(rt, deep_bare(rt, x), layout, content)
    between: Runs = ((layout.between, False),)
    colon: Runs = ((layout.colon, False),)
    if separators is not None:
        between, colon = map(runs_of, separators)
    indented = runs_of(indent) if is_text(indent) else ((layout.indent or "", False),)
    out: list[Run] = []
    _json(x, _JsonRules(layout, between, colon, indented), 0, out)
    return _fitted(rt, text, tuple(out), x, indent, separators)


class _JsonRules(NamedTuple):
    """A layout of JSON, and who wrote it."""

    layout: Layout
    between: Runs
    colon: Runs
    indent: Runs

    def line(self, depth: int) -> Runs:
        """The line break and indent of a level, if there are lines."""
        return () if self.layout.indent is None else (("\n", False), *(self.indent * depth))


def _json(value: Any, how: _JsonRules, depth: int, out: list[Run]) -> None:
    if is_text(value):
        out.append(('"', False))
        for text, origin in runs_of(value):
            out.append((json_string(text, how.layout), origin))
        out.append(('"', False))
    elif isinstance(value, (dict, list, tuple)):
        _json_items(value, how, depth, out)
    else:
        is_number = isinstance(value, (int, float)) and type(value) is not bool
        out.append((json_scalar(value), is_number and number_origin(value)))


def _json_items(value: Any, how: _JsonRules, depth: int, out: list[Run]) -> None:
    start, end = "{}" if isinstance(value, dict) else "[]"
    items = value
    if isinstance(value, dict):
        items = sorted(value.items()) if how.layout.sort_keys else value.items()
    out.append((start, False))
    for number, item in enumerate(items):
        if number:
            out += how.between
        out += how.line(depth + 1)
        if isinstance(value, dict):
            key, item = item
            _json(key if is_text(key) else _key_text(key), how, depth, out)
            out += how.colon
        _json(item, how, depth + 1, out)
    if value:
        out += how.line(depth)
    out.append((end, False))


def _key_text(key: Any) -> Any:
    is_number = isinstance(key, (int, float)) and type(key) is not bool
    return of_origin(json_scalar(key), is_number and number_origin(key))
