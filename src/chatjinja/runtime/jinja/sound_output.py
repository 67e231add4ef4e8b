"""What a template prints, as strings that know who wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.markup import Markup
from chatjinja.runtime.jinja.output import lasts
from chatjinja.runtime.jinja.sound_operators import STRINGS, escaped, joined
from chatjinja.runtime.jinja.sound_runs import SoundMarkup, is_text, plain_text, runs_of, sound_text_of, text_value
from chatjinja.runtime.jinja.sources import seen
from chatjinja.runtime.loops import MANY, check_output
from chatjinja.runtime.marked import Marked, Printed, TemplateText
from chatjinja.runtime.state import Deoptimise

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


def strings_of(rt: Runtime, out: list[Any]) -> list[Any]:
    """Everything in `out`, as strings. Raises Deoptimise if a value may have changed since it was printed."""
    if not STRINGS.issuperset(map(type, out)):
        out = [value if type(value) in STRINGS else late_text(rt, value) for value in out]
    if rt.has_big_strings or len(out) > MANY:
        check_output(rt, out)
    return out


def late_text(rt: Runtime, value: Any) -> Any:
    """The text of a value that was printed a while ago."""
    if type(value) is Printed:
        return seen(rt, late_text(rt, value.value), value)
    if not is_text(value) and not lasts(value, 0):
        raise Deoptimise
    return sound_text_of(rt, value)


def output_strings(rt: Runtime, out: list[Any]) -> tuple[str, list[Any]]:
    """The text of the whole output, and its strings."""
    strings = strings_of(rt, out)
    return "".join([value.text if type(value) is Marked else value for value in strings]), strings


def body_text(rt: Runtime, out: list[Any]) -> Any:
    """A body's output as a value."""
    strings = strings_of(rt, out)
    if len(strings) == 1:
        return strings[0]
    return joined(rt, tuple(strings)) if strings else TemplateText()


def as_markup(rt: Runtime, text: Any) -> Any:
    """A body that becomes a value; what is escaped already must not be escaped again."""
    if not rt.autoescape:
        return text
    text = sound_text_of(rt, text)  # a filter can have made a list of it
    return SoundMarkup(plain_text(text), runs_of(text))


def block_text(rt: Runtime, out: list[Any]) -> Any:
    """A block's output as a value."""
    return as_markup(rt, body_text(rt, out))


def escape_text(rt: Runtime, value: Any) -> Any:
    """What is printed where output is escaped."""
    text = sound_text_of(rt, value)
    if isinstance(value, Markup):
        return text
    runs = escaped(runs_of(text))
    return text_value("".join([run[0] for run in runs]), runs)


def escape_if_asked(rt: Runtime, value: Any) -> Any:
    """What is printed where only the render knows whether output is escaped."""
    return escape_text(rt, value) if rt.autoescape else sound_text_of(rt, value)


def written(rt: Runtime, value: Any) -> Any:
    """The result of a filter block or call block, which is written as it is."""
    if not is_text(value):
        raise TypeError(f"expected str instance, {type(value).__name__} found")
    return sound_text_of(rt, value)


def generation(rt: Runtime, out: list[Any], start: int) -> None:
    """A generation block ends: what it printed counts as input, if such blocks are looked for."""
    if rt.tracks_generation:
        out[start:] = [plain_text(text) for text in strings_of(rt, out[start:])]
