"""Jinja2 set up as transformers 5 sets it up to render chat templates: the oracle of the ``transformers`` dialect.

transformers itself is not needed for it. What its own functions and classes do is done again here.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any, NoReturn

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox
from jinja2.parser import Parser


class GenerationBlocks(jinja2.ext.Extension):
    """``{% generation %}``: a call block around a function that only passes on what the block printed."""

    tags = {"generation"}  # noqa: RUF012  # as the base class declares it

    def parse(self, parser: Parser) -> jinja2.nodes.Node:
        lineno = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        call = self.call_method("pass_on", [])
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(lineno)

    @staticmethod
    def pass_on(caller: Any) -> Any:
        return caller()


class Dict:
    """The global ``dict``."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class Namespace(jinja2.utils.Namespace):
    """The global ``namespace``, which refuses names with an underscore in front."""

    def __init__(*args: Any, **kwargs: Any) -> None:  # so that `self` can be a name
        self, *rest = args
        attributes = dict(*rest, **kwargs)
        for name in attributes:
            _refuse_private(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_private(name)
        super().__setitem__(name, value)


def _refuse_private(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"private name {name!r} in a namespace")


def raise_exception(message: str) -> NoReturn:
    raise jinja2.exceptions.TemplateError(message)


def tojson(
    x: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


for _made, _name in ((Dict, "TemplateDict"), (Namespace, "TemplateNamespace"), (raise_exception, "raise_exception")):
    # What they are called shows when a template prints them.
    _made.__module__ = "transformers.utils.chat_template_utils"
    _made.__qualname__ = f"_cached_compile_jinja_template.<locals>.{_name}"


class TooLargeError(Exception):
    """Jinja2 would need very much time or memory."""


_MOST_BITS = 4000
_LONGEST = 1_000_000


def _guarded(context: object, operator: str, left: Any, right: Any) -> Any:
    """Arithmetic that can grow without end, as far as it is worth comparing."""
    sizes = [abs(side) if isinstance(side, int) else len(side) for side in (left, right) if isinstance(side, int | str)]
    if len(sizes) == 2:
        bits = sizes[1] * (sizes[0].bit_length() if operator == "**" else 0)
        is_text = operator == "*" and not (isinstance(left, int) and isinstance(right, int))
        if bits > _MOST_BITS or (is_text and sizes[0] * sizes[1] > _LONGEST):
            raise TooLargeError
    return left**right if operator == "**" else left * right


@cache
def environment(now: float = 0, guarded: bool = False) -> jinja2.Environment:
    """The environment of the oracle.

    Args:
        now: what its clock shows, in UTC.
        guarded: arithmetic with very large results raises TooLargeError; for random templates.
    """
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlocks, jinja2.ext.loopcontrols]
    )
    made.filters["tojson"] = tojson
    made.globals.update(
        raise_exception=raise_exception,
        strftime_now=lambda format: datetime.fromtimestamp(now, UTC).replace(tzinfo=None).strftime(format),
        dict=Dict(),
        namespace=Namespace,
    )
    if guarded:
        made.intercepted_binops = frozenset(["**", "*"])
        made.call_binop = _guarded  # type: ignore[method-assign]
    return made
