"""Global functions and the objects that they make."""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chatjinja.errors import OperationError, RaisedError
from chatjinja.runtime.convert import check_items, check_size
from chatjinja.runtime.jinja.callables import ADDRESS, Builtin, Invocable
from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.namespaces import Namespace
from chatjinja.runtime.jinja.text import noted, text_of
from chatjinja.runtime.jinja.undefined import Undefined

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime

_LONGEST_RANGE = 100_000


def global_range(rt: Runtime, /, *args: Any) -> range:
    """``range(stop)``, ``range(start, stop, step)``; the sandbox allows 100,000 numbers."""
    numbers = range(*args)
    if len(numbers) > _LONGEST_RANGE:
        raise OperationError(
            f"Range too big. The sandbox blocks ranges larger than MAX_RANGE ({_LONGEST_RANGE}).",
            code="argument-value",
        )
    return numbers


class DictBuiltin(Builtin):
    """The global `dict`; unlike Python's it is no class."""

    __slots__ = ()


class ClassBuiltin(Builtin):
    """A global that is a class in Python."""

    __slots__ = ()


def made_dict(rt: Runtime, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[Any, Any]:
    """``dict(*args, **kwargs)``."""
    for arg in args:
        if type(arg) is Undefined:
            arg.fail()
    made = dict(*args, **kwargs)
    check_items(rt, len(made))
    return made


def global_dict(rt: Runtime, /, *args: Any, **kwargs: Any) -> dict[Any, Any]:
    """A dict of a mapping or of pairs, and of keyword arguments."""
    if "self" in kwargs:  # the reference's is a method, which has an argument of that name
        raise TypeError("__call__() got multiple values for argument 'self'")
    return made_dict(rt, args, kwargs)


def dict_fromkeys(rt: Runtime, self: Any, iterable: Any, value: Any = None, /) -> dict[Any, Any]:
    """A dict with the items as keys, all with one value."""
    made = dict.fromkeys(iterable, value)
    check_items(rt, len(made))
    return made


def global_namespace(rt: Runtime, /, *args: Any, **kwargs: Any) -> Namespace:
    """An object whose attributes can be set, made as by `dict`."""
    attrs = made_dict(rt, args, kwargs)
    for name in attrs:
        Namespace.check_name(name)
    return Namespace(attrs)


class Cycler:
    """Goes through its items over and over."""

    __slots__ = ("items", "pos")

    def __init__(self, *items: Any) -> None:
        if not items:
            raise RuntimeError("at least one item has to be provided")
        self.items = items
        self.pos = 0

    @property
    def current(self) -> Any:
        """What `next` gives next."""
        return self.items[self.pos]

    def next(self) -> Any:
        """The current item; goes on to the one after it."""
        item = self.current
        self.pos = (self.pos + 1) % len(self.items)
        return item

    def reset(self) -> None:
        """Starts over."""
        self.pos = 0

    def __repr__(self) -> str:
        return f"<jinja2.utils.Cycler object at {ADDRESS}>"


def global_cycler(rt: Runtime, /, *items: Any) -> Cycler:
    """An object whose method `next` goes through the items over and over."""
    return Cycler(*items)


class Joiner(Invocable):
    """Gives nothing when called first, then its separator."""

    __slots__ = ("sep", "used")

    def __init__(self, sep: Any) -> None:
        self.sep = sep
        self.used = False

    def invoke(self, rt: Runtime, /) -> Any:
        if self.used:
            return self.sep
        self.used = True
        return ""

    def __repr__(self) -> str:
        return f"<jinja2.utils.Joiner object at {ADDRESS}>"


def global_joiner(rt: Runtime, /, sep: Any = ", ") -> Joiner:
    """A function that gives nothing when called first, then `sep`."""
    return Joiner(sep)


def global_raise_exception(rt: Runtime, /, message: Any) -> Any:
    """Ends the render with a RaisedError."""
    raise RaisedError(text_of(rt, message))


def global_strftime_now(rt: Runtime, /, format: Any) -> str:
    """The render's moment by C's `strftime`, as local time without a zone."""
    return noted(rt, rt.now.replace(tzinfo=None).strftime(format))


# --- lipsum ----------------------------------------------------------------------------------------------

_WORDS = (
    *("lorem", "ipsum", "dolor", "sit", "amet", "consectetuer", "adipiscing", "elit", "sed", "diam", "nonummy", "nibh"),
    *(
        "euismod",
        "tincidunt",
        "ut",
        "magna",
        "aliquam",
        "erat",
        "volutpat",
        "quis",
        "nostra",
        "commodo",
        "vel",
        "vitae",
    ),
    *("in", "nulla", "facilisis", "at", "eros", "et", "leo", "dictum", "nunc", "massa", "tellus", "porta", "mauris"),
)
_LONGEST_WORD = 13


def global_lipsum(rt: Runtime, /, n: Any = 5, html: Any = True, min: Any = 20, max: Any = 100) -> str:
    """`n` paragraphs of filler text of `min` to `max` words, by chance."""
    if isinstance(n, int) and isinstance(max, int):
        check_size(rt, n * max * _LONGEST_WORD)
    paragraphs = [_paragraph(random.randrange(min, max)) for _ in range(n)]
    if not html:
        return noted(rt, "\n\n".join(paragraphs))
    return noted(rt, Markup("\n".join([f"<p>{paragraph}</p>" for paragraph in paragraphs])))


def _paragraph(size: int) -> str:
    """Sentences of `size` words in all, with commas and a full stop at the end."""
    words: list[str] = []
    starts, comma, stop = True, 0, 0
    for number in range(size):
        word = random.choice([word for word in _WORDS if not words or word != words[-1].strip(",.").lower()])
        if starts:
            word, starts = word.capitalize(), False
        if number - random.randrange(3, 8) > comma:
            comma, stop = number, stop + 2
            word += ","
        if number - random.randrange(10, 20) > stop:
            comma = stop = number
            word, starts = word.rstrip(",") + ".", True
        words.append(word)
    return " ".join(words).rstrip(",.") + "."


def _function(name: str, function: Any, shown: str) -> Builtin:
    return Builtin(name, function, f"<function {shown} at {ADDRESS}>")


_PLACE = "_cached_compile_jinja_template.<locals>."
_MODULE = "transformers.utils.chat_template_utils."
GLOBALS: Mapping[str, Builtin] = MappingProxyType(
    {
        "cycler": ClassBuiltin("cycler", global_cycler, "<class 'jinja2.utils.Cycler'>"),
        "dict": DictBuiltin("dict", global_dict, f"<{_MODULE}{_PLACE}TemplateDict object at {ADDRESS}>"),
        "joiner": ClassBuiltin("joiner", global_joiner, "<class 'jinja2.utils.Joiner'>"),
        "lipsum": _function("lipsum", global_lipsum, "generate_lorem_ipsum"),
        "namespace": ClassBuiltin("namespace", global_namespace, f"<class '{_MODULE}{_PLACE}TemplateNamespace'>"),
        "raise_exception": _function("raise_exception", global_raise_exception, f"{_PLACE}raise_exception"),
        "range": _function("range", global_range, "safe_range"),
        "strftime_now": _function("strftime_now", global_strftime_now, f"{_PLACE}strftime_now"),
    }
)
"""What a template sees without a context, by name."""
