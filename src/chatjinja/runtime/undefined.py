"""The undefined value."""

from __future__ import annotations


class Undefined:
    """A value that is not there. False, equal to every other Undefined, prints nothing.

    `hint` says where it came from and shows in error messages: the name of a variable or of a missing
    key, ``object_property`` for a failed access, or nothing. `is_variable` marks the one that stands for an
    unset variable.
    """

    __slots__ = ("hint", "is_variable")

    def __init__(self, hint: str = "", is_variable: bool = False) -> None:
        self.hint = hint
        self.is_variable = is_variable

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return type(other) is Undefined

    def __hash__(self) -> int:
        return hash(Undefined)

    def __repr__(self) -> str:
        return f"Undefined({self.hint!r})"


UNDEFINED = Undefined()
"""An Undefined without a hint."""
OBJECT_PROPERTY = Undefined("object_property")
"""What a failed access gives."""
