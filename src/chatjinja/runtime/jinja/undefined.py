"""The undefined value of Jinja2: it prints nothing, is empty and false, and refuses everything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from chatjinja.errors import OperationError


class Missing:
    """Type of `MISSING`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "missing"


MISSING: Any = Missing()
"""Stands for no value at all; never reaches a template."""


class Undefined:
    """A value that is not there.

    Attributes:
        hint: the whole message of the error, or None.
        obj: what was asked for something that it does not have; `MISSING` for a variable.
        name: the name or key that was asked for.
        refused: it is there, but the sandbox does not give it out.
    """

    __slots__ = ("hint", "name", "obj", "refused")

    def __init__(self, hint: str | None = None, obj: Any = MISSING, name: Any = None, refused: bool = False) -> None:
        self.hint = hint
        self.obj = obj
        self.name = name
        self.refused = refused

    @property
    def message(self) -> str:
        """What the error says, in Jinja2's words."""
        if self.hint:
            return self.hint
        if self.obj is MISSING:
            return f"{self.name!r} is undefined"
        owner = "None" if self.obj is None else f"{type_name(self.obj)} object"
        if not isinstance(self.name, str):
            return f"{owner} has no element {self.name!r}"
        return f"{owner!r} has no attribute {str.__str__(self.name)!r}"

    def fail(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error that using this value is."""
        if self.refused:
            raise OperationError(self.message, code="security")
        raise OperationError(self.message, code="undefined")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = fail
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = fail
    __pow__ = __rpow__ = __pos__ = __neg__ = fail
    __lt__ = __le__ = __gt__ = __ge__ = fail
    __int__ = __float__ = __complex__ = __getitem__ = __call__ = fail

    def __eq__(self, other: object) -> bool:
        return type(other) is Undefined

    def __hash__(self) -> int:
        return hash(Undefined)

    def __bool__(self) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __str__(self) -> str:
        return ""

    def __repr__(self) -> str:
        return "Undefined"


def type_name(value: Any) -> str:
    """The name of a value's type as Python writes it: ``dict``, ``str``, …"""
    names: dict[type, str] = {}
    return names.get(type(value), type(value).__name__)
