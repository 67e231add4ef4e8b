"""Where templates are made."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from chatjinja.dialects import DIALECTS, JinjaDialect, LlamaDialect, get_dialect
from chatjinja.environment.base import Template
from chatjinja.environment.clock import Now, clock_of
from chatjinja.environment.deep import with_fresh_stack
from chatjinja.environment.positions import locate
from chatjinja.environment.template import LlamaTemplate
from chatjinja.errors import TemplateError
from chatjinja.runtime.limits import Limits, exceeded
from chatjinja.source import Source
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.parser import parse


class Environment:
    """Compiles templates of one dialect and keeps the latest of them.

    Args:
        dialect: name of the dialect; ``"llama.cpp"`` renders as llama.cpp's own Jinja runtime does.
        now: the clock for ``strftime_now``: POSIX time (shown in local time), an aware datetime, or a
            callable that returns either. Default: the system clock.
        limits: how much templates may use.
        cache_size: how many compiled templates are kept; the least recently used one goes first.
    """

    def __init__(
        self, dialect: str = "llama.cpp", *, now: Now = None, limits: Limits | None = None, cache_size: int = 256
    ) -> None:
        self.dialect = get_dialect(dialect)
        self.limits = limits if limits is not None else Limits()
        self._clock = clock_of(now)
        self._cache_size = cache_size
        self._cache: OrderedDict[tuple[str, str], Template] = OrderedDict()
        self._lock = threading.Lock()

    def from_string(self, source: str, name: str = "<template>") -> Template:
        """Compile a template, or take it from the cache. Raises TemplateSyntaxError or LimitError."""
        if not isinstance(source, str):
            raise TypeError(f"a template source is a str, got {type(source).__name__}")
        key = (source, name)
        with self._lock:
            template = self._cache.get(key)
            if template is not None:
                self._cache.move_to_end(key)
                return template
        template = self._compile(source, name)
        with self._lock:
            self._cache[key] = template
            while len(self._cache) > self._cache_size:
                self._cache.popitem(last=False)
        return template

    def _compile(self, source: str, name: str) -> Template:
        text = Source(source, name)
        dialect = self.dialect
        try:
            if len(source) > self.limits.source:
                raise exceeded(self.limits, "source")
            if isinstance(dialect, JinjaDialect):
                from chatjinja.environment.jinja_template import compile_jinja  # with all its built-ins

                syntax = self._syntax()
                return with_fresh_stack(lambda: compile_jinja(source, name, dialect, syntax, self.limits, self._clock))
            tree, text = with_fresh_stack(lambda: parse(source, self._syntax(), name))
        except TemplateError as error:
            locate(error, text)
            raise
        except RecursionError:
            limit = exceeded(self.limits, "nesting")
            locate(limit, text)
            raise limit from None
        assert isinstance(dialect, LlamaDialect)
        return LlamaTemplate(text, tree, dialect, self.limits, self._clock)

    def _syntax(self) -> SyntaxConfig:
        syntax = self.dialect.syntax
        return SyntaxConfig(
            lstrip_drops_first_character=syntax.lstrip_drops_first_character,
            raw_blocks=syntax.raw_blocks,
            floor_division=syntax.floor_division,
            power=syntax.power,
            max_nesting=self.limits.nesting,
        )


def llama_template(environment: Environment, source: str, name: str = "<template>") -> LlamaTemplate:
    """`Environment.from_string` for what only works in llama.cpp's language; ValueError in another dialect."""
    template = environment.from_string(source, name)
    if not isinstance(template, LlamaTemplate):
        known = ", ".join(sorted(name for name, dialect in DIALECTS.items() if isinstance(dialect, LlamaDialect)))
        raise ValueError(f"this needs a dialect of llama.cpp ({known}), not {environment.dialect.name!r}")
    return template


_environments: dict[str, Environment] = {}


def render(source: str, context: Mapping[str, Any] | None = None, *, dialect: str = "llama.cpp") -> str:
    """Render a template once. The compiled template is kept, so calling again is fast."""
    environment = _environments.get(dialect)
    if environment is None:
        environment = _environments.setdefault(dialect, Environment(dialect))
    return environment.from_string(source).render(context)
