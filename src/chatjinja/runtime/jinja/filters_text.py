"""Filters of text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.convert import check_size
from chatjinja.runtime.jinja.callables import Function
from chatjinja.runtime.jinja.filters_sequences import bad_argument
from chatjinja.runtime.jinja.formatting import percent
from chatjinja.runtime.jinja.markup import Markup, escape
from chatjinja.runtime.jinja.text import noted, soft_text, text_of
from chatjinja.runtime.jinja.undefined import Undefined
from chatjinja.runtime.limits import spend

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def text_operand(value: Any) -> str:
    """A value whose methods of str a filter needs; raises the error for anything else."""
    if isinstance(value, str):
        return value
    if type(value) is Undefined:
        value.fail()
    raise TypeError(f"{type(value).__name__!r} object is no string")


def do_upper(rt: Runtime, /, s: Any) -> str:
    """All letters upper case."""
    return noted(rt, soft_text(rt, s).upper())


def do_lower(rt: Runtime, /, s: Any) -> str:
    """All letters lower case."""
    return noted(rt, soft_text(rt, s).lower())


def do_capitalize(rt: Runtime, /, s: Any) -> str:
    """The first letter upper case, the others lower case."""
    return noted(rt, soft_text(rt, s).capitalize())


_WORD_STARTS = re.compile(r"([-\s({\[<]+)")
"""What a word can stand behind, so that its first letter is changed by `title`."""


WORDS = 2
"""How many characters are put into words in the time of a step."""


def do_title(rt: Runtime, /, s: Any) -> str:
    """Words start with an upper case letter, the others are lower case."""
    text = soft_text(rt, s)
    spend(rt, len(text), WORDS)
    words = _WORD_STARTS.split(text)
    return noted(rt, "".join([word[0].upper() + word[1:].lower() for word in words if word]))


def do_trim(rt: Runtime, /, value: Any, chars: Any = None) -> str:
    """Without blanks, or without `chars`, at both ends."""
    return soft_text(rt, value).strip(chars)


def do_string(rt: Runtime, object: Any, /) -> str:
    """The value as text; Markup stays Markup."""
    return soft_text(rt, object)


def do_center(rt: Runtime, /, value: Any, width: Any = 80) -> str:
    """The text with blanks on both sides, `width` characters long."""
    if isinstance(width, int):
        check_size(rt, width)
    return noted(rt, soft_text(rt, value).center(width))


def do_replace(rt: Runtime, /, s: Any, old: Any, new: Any, count: Any = None) -> str:
    """The text with `new` in place of the first `count` occurrences of `old`, or of all."""
    if count is None:
        count = -1
    if type(s) is str and type(old) is str and type(new) is str:
        return replaced(rt, s, old, new, count)
    if not rt.autoescape:
        return replaced(rt, text_of(rt, s), text_of(rt, old), text_of(rt, new), count)
    if isinstance(old, Markup) or (isinstance(new, Markup) and not isinstance(s, Markup)):
        s = escape(soft_text(rt, s))
    return replaced(rt, soft_text(rt, s), soft_text(rt, old), soft_text(rt, new), count)


def replaced(rt: Runtime, text: str, old: str, new: str, count: Any = -1) -> str:
    """``text.replace(old, new, count)``, checked for size."""
    if isinstance(new, str) and isinstance(old, str) and len(new) > len(old) and len(text) * len(new) > rt.limits.value:
        found = text.count(old)
        if isinstance(count, int) and count >= 0:
            found = min(found, count)
        growth = len(escape(new)) if isinstance(text, Markup) else len(new)
        check_size(rt, len(text) + found * (growth - len(old)))
    return noted(rt, text.replace(old, new, count))


def do_format(rt: Runtime, /, value: Any, *args: Any, **kwargs: Any) -> str:
    """``value % args``: printf's formats."""
    if args and kwargs:
        raise bad_argument("can't handle positional and keyword arguments at the same time")
    made: str = percent(rt, soft_text(rt, value), kwargs or args)
    return made


def do_indent(rt: Runtime, /, s: Any, width: Any = 4, first: Any = False, blank: Any = False) -> str:
    """The text with blanks, or the text `width`, before each line but the first and empty ones."""
    if not isinstance(width, str):
        check_size(rt, width if isinstance(width, int) else 0)
        width = " " * width
    end = "\n"
    if isinstance(s, Markup):
        width, end = Markup(width), Markup(end)
    lines = (text_operand(s) + end).splitlines()
    check_size(rt, len(s) + (len(width) + 1) * len(lines))
    made: str
    if blank:
        made = (end + width).join(lines)
    else:
        made = end.join([width + line if line and number else line for number, line in enumerate(lines)])
    if first:
        made = width + made
    return noted(rt, made)


_LEEWAY = 5


def do_truncate(
    rt: Runtime, /, s: Any, length: Any = 255, killwords: Any = False, end: Any = "...", leeway: Any = None
) -> Any:
    """The text cut to `length` characters with `end` at the end, unless it is longer by `leeway` or less."""
    if leeway is None:
        leeway = _LEEWAY
    if not length >= len(end):
        raise bad_argument(f"expected length >= {len(end)}, got {length}")
    if not leeway >= 0:
        raise bad_argument(f"expected leeway >= 0, got {leeway}")
    if len(s) <= length + leeway:
        return s
    text = s[: length - len(end)]
    if not killwords:
        text = text_operand(text).rsplit(" ", 1)[0]
    return noted(rt, text + end) if isinstance(text, str) else text + end


_COPIED = 2000
"""How many characters are copied in the time of a step."""


def do_wordwrap(
    rt: Runtime,
    /,
    s: Any,
    width: Any = 79,
    break_long_words: Any = True,
    wrapstring: Any = None,
    break_on_hyphens: Any = True,
) -> str:
    """The text in lines of at most `width` characters; ends of lines stay."""
    import textwrap

    if wrapstring is None:
        wrapstring = "\n"
    if not (isinstance(s, bytes) and not s):  # no line of anything can be wrapped
        text = text_operand(s)
        spend(rt, len(text), 1)
        longest = max(map(len, text.split()), default=0)
        columns = width if isinstance(width, int) and width > 0 else 1
        spend(rt, longest * longest, _COPIED * columns)  # a long word is copied for each line it fills
    lines = [
        text_operand(wrapstring).join(
            textwrap.wrap(
                line,
                width=width,
                expand_tabs=False,
                replace_whitespace=False,
                break_long_words=break_long_words,
                break_on_hyphens=break_on_hyphens,
            )
        )
        for line in s.splitlines()
    ]
    wrapstring = text_operand(wrapstring)
    check_size(rt, sum(map(len, lines)) + len(wrapstring) * len(lines))
    made: str = wrapstring.join(lines)
    return noted(rt, made)


_WORD = re.compile(r"\w+")


def do_wordcount(rt: Runtime, /, s: Any) -> int:
    """The number of words."""
    text = soft_text(rt, s)
    spend(rt, len(text), WORDS)
    return len(_WORD.findall(text))


TEXT_FILTERS: Mapping[str, Function] = MappingProxyType(
    {
        "capitalize": do_capitalize,
        "center": do_center,
        "format": do_format,
        "indent": do_indent,
        "lower": do_lower,
        "replace": do_replace,
        "string": do_string,
        "title": do_title,
        "trim": do_trim,
        "truncate": do_truncate,
        "upper": do_upper,
        "wordcount": do_wordcount,
        "wordwrap": do_wordwrap,
    }
)
"""Filters by name."""
