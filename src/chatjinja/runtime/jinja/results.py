"""What filters give back that is no plain value."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from chatjinja.runtime.jinja.callables import ADDRESS, Function

if TYPE_CHECKING:
    from chatjinja.runtime.state import Runtime


class Lazy:
    """The generator of a filter: yields on demand, once."""

    __slots__ = ("generator", "name")

    def __init__(self, generator: Iterator[Any], name: str) -> None:
        self.generator = generator
        self.name = name

    def __iter__(self) -> Iterator[Any]:
        return self.generator

    def __next__(self) -> Any:
        return next(self.generator)

    def __repr__(self) -> str:
        return f"<generator object {self.name} at {ADDRESS}>"


def lazily(name: str) -> Callable[[Function], Function]:
    """Makes the generators of a function show as ``<generator object NAME at …>``."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def start(rt: Runtime, /, *args: Any, **kwargs: Any) -> Lazy:
            return Lazy(function(rt, *args, **kwargs), name)

        return start

    return decorate


class Group(tuple[Any, ...]):
    """A pair that `groupby` gives: what the items have in common, and the items."""

    __slots__ = ()

    @property
    def grouper(self) -> Any:
        """The common value."""
        return self[0]

    @property
    def list(self) -> Any:
        """The items."""
        return self[1]
