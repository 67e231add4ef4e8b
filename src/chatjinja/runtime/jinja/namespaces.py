"""`namespace` objects, the only values that a template can change."""

from __future__ import annotations

from typing import Any

from chatjinja.errors import OperationError


class Namespace:
    """Holds attributes that ``set ns.name = …`` changes."""

    __slots__ = ("attrs",)

    def __init__(self, attrs: dict[Any, Any]) -> None:
        self.attrs = attrs

    @staticmethod
    def check_name(name: Any) -> None:
        """Raise OperationError for a name that must not be stored."""
        if isinstance(name, str) and name.startswith("_"):
            raise OperationError(
                f"Chat templates cannot store underscore-prefixed attributes on a namespace, but got {name!r}. "
                "Please rename the attribute.",
                code="security",
            )

    def __repr__(self) -> str:
        return f"<Namespace {self.attrs!r}>"
