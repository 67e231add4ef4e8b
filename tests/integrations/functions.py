"""Functions as people write them for models: every kind of hint, every kind of docstring, right and wrong ones.

The tests compare their schemas with those of transformers, in two versions; for the older one this file is imported by
another Python, so it needs nothing but the standard library.
"""

# Old spellings of types are what is tested here.
# ruff: noqa: UP006, UP007, UP035, UP045

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Annotated, Any, Dict, List, Literal, Optional, Tuple, Union


class Unit(enum.Enum):
    CELSIUS = "celsius"
    KELVIN = "kelvin"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    A = "a"
    B = 2
    C = None


class Empty(enum.Enum):
    pass


class Odd(enum.Enum):
    A = (1, 2)


class Custom:
    pass


def _with_hints(description: str, **hints: Any) -> Callable[..., Any]:
    """A function with one described argument for each hint."""

    def function(**_: Any) -> None: ...

    import inspect

    names = [name for name in hints if name != "return"]
    lines = [f"    {name}: The {name}" for name in names]
    function.__name__ = description
    function.__qualname__ = description
    function.__doc__ = "\n".join([f"Do {description}.", "", "Args:", *lines, "", "Returns:", "    The result"])
    function.__annotations__ = hints
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind, annotation=hints[name]) for name in names]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


HINTS: dict[str, Any] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "none": None,
    "any": Any,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "bytes": bytes,
    "object": object,
    "custom": Custom,
    "ellipsis": ...,
    "bare_List": List,
    "bare_Dict": Dict,
    "bare_Tuple": Tuple,
    "list_int": list[int],
    "List_str": List[str],
    "list_any": list[Any],
    "list_none": list[None],
    "list_custom": list[Custom],
    "list_list": list[list[float]],
    "set_int": set[int],
    "dict_str_int": dict[str, int],
    "Dict_str_any": Dict[str, Any],
    "dict_int_list": dict[int, list[bool]],
    "dict_custom": dict[str, Custom],
    "tuple_two": tuple[int, str],
    "Tuple_three": Tuple[int, List[str], bool],
    "tuple_one": tuple[int],
    "tuple_empty": tuple[()],
    "tuple_many": tuple[int, ...],
    "optional": Optional[int],
    "optional_list": Optional[List[str]],
    "or_none": int | None,
    "union": Union[int, str],
    "union_sorted": str | int | float,
    "union_same": list | tuple,
    "union_nested": list[int] | str,
    "union_two_lists": list[int] | list[str],
    "union_three": int | str | None,
    "union_literal": Literal["a"] | int,
    "union_mixed_literal": Literal["a", 1] | int,
    "union_any": Union[Any, int],
    "union_list_any": list[Any] | int,
    "union_dict": dict[str, int] | list[int] | None,
    "union_enum": Unit | int,
    "literal": Literal["a", "b"],
    "literal_ints": Literal[1, 2],
    "literal_mixed": Literal["a", 1, True, None],
    "literal_none": Literal[None],
    "literal_bytes": Literal[b"x"],
    "literal_enum": Literal[Unit.CELSIUS],
    "list_literal": list[Literal["x", "y"]],
    "optional_literal": Optional[Literal["x"]],
    "enum": Unit,
    "int_enum": Level,
    "mixed_enum": Mixed,
    "empty_enum": Empty,
    "odd_enum": Odd,
    "list_enum": list[Unit],
    "annotated": Annotated[int, "a note"],
    "annotated_list": list[Annotated[str, "a note"]],
    "callable": Callable[[int], str],
    "text": "int",
    "text_list": "list[Unit]",
    "unknown_text": "NoSuchType",
    "number": 5,
}

FUNCTIONS: dict[str, Callable[..., Any]] = {}
for _name, _hint in HINTS.items():
    FUNCTIONS[f"hint_{_name}"] = _with_hints(f"hint_{_name}", value=_hint)
    FUNCTIONS[f"return_{_name}"] = _with_hints(f"return_{_name}", value=int, **{"return": _hint})


def tool(function: Callable[..., Any]) -> Callable[..., Any]:
    FUNCTIONS[function.__name__] = function
    return function


@tool
def multiply(x: float, y: float) -> float:
    """
    A function that multiplies two numbers

    Args:
        x: The first number to multiply
        y: The second number to multiply
    Returns:
        The product
    """
    return x * y


@tool
def weather(location: str, unit: Literal["C", "F"] = "C", *, days: int = 1) -> str:
    """Get the weather.

    It is a long description,
    on several lines: with a colon.

    Args:
        location: The place, for example
            "Paris, France": with a colon,

            and a blank line.
        unit: The unit of temperature
        days: How many
    Returns:
        str: A text
    Raises:
        ValueError: when it rains
    """
    return ""


@tool
def no_docstring(x: int) -> int:
    return x


@tool
def blank_docstring(x: int) -> int:
    """ """
    return x


@tool
def no_arguments() -> None:
    """Do something."""


@tool
def no_arguments_at_all():  # type: ignore[no-untyped-def]
    """Do something."""


@tool
def missing_hint(x, y: int):  # type: ignore[no-untyped-def]
    """Do.

    Args:
        x: One
        y: Two
    """


@tool
def missing_description(x: int, y: int) -> None:
    """Do.

    Args:
        x: One
    """


@tool
def no_args_section(x: int) -> None:
    """Do."""


@tool
def args_first(x: int) -> None:
    """Args:
    x: One
    """


@tool
def args_in_the_text(x: int) -> None:
    """Do it. Args: are below.

    Args:
        x: One. Returns: nothing
        y: Two
    """


@tool
def returns_before_args(x: int) -> int:
    """Do.

    Returns:
        A number

    Args:
        x: One
    """
    return x


@tool
def raises_before_returns(x: int) -> int:
    """Do.

    Args:
        x: One

    Raises:
        ValueError: never

    Returns:
        A number
        on two lines
    """
    return x


@tool
def typed_entries(x: int, y: Optional[str] = None, z: int = 0) -> None:
    """Do.

    Args:
        x (int): One
        y (`str`, *optional*): Two
        z(int): Three
    """


@tool
def nested_entries(config: dict, other: int) -> None:
    """Do.

    Args:
        config: Settings, which are
            name: of the thing
            size: of the thing
        other: Another
    """


@tool
def flat_entries(config: dict, other: int) -> None:
    """Do.

    Args:
        config: Settings
        of many kinds
        other: Another
    stray: text
    """


@tool
def empty_description(x: int, y: int) -> None:
    """Do.

    Args:
        x:
        y: Two
    """


@tool
def description_below(x: int, y: int) -> None:
    """Do.

    Args:
        x:
            One
        y:
            Two: of them
    """


@tool
def empty_last(x: int) -> None:
    """Do.

    Args:
        x:
    """


@tool
def twice(x: int) -> None:
    """Do.

    Args:
        x: One
        x: Another
    """


@tool
def tabs(x: int, y: int) -> None: ...


tabs.__doc__ = "Do.\n\nArgs:\n\tx: One\n\t\tmore: of it\n\ty: Two\n"


@tool
def choices(drink: str) -> None:
    """Drink.

    Args:
        drink: The drink (choices: ["tea", " coffee "])
    """


@tool
def choices_upper(drink: str) -> None:
    """Drink.

    Args:
        drink: The drink (CHOICES:["tea"])
    """


@tool
def choices_of_numbers(size: int) -> None:
    """Drink.

    Args:
        size: The size (choices: [1, 2])
    """


@tool
def choices_in_the_middle(drink: str) -> None:
    """Drink.

    Args:
        drink: The drink (choices: ["tea"]) or another
    """


@tool
def choices_that_are_no_json(drink: str) -> None:
    """Drink.

    Args:
        drink: The drink (choices: tea, coffee)
    """


@tool
def choices_that_are_no_list(drink: str) -> None:
    """Drink.

    Args:
        drink: The drink (choices: 5)
    """


@tool
def choices_over_literal(drink: Literal["a", "b"]) -> None:
    """Drink.

    Args:
        drink: The drink (choices: ["tea"])
    """


@tool
def stars(*args: int, **kwargs: str) -> None:
    """Do.

    Args:
        args: Numbers
        kwargs: Texts
    """


@tool
def defaults(a: int, b: int = 1, *, c: int, d: str | None = None) -> None:
    """Do.

    Args:
        a: A
        b: B
        c: C
        d: D
    """


@tool
def self_as_an_argument(self, x: int) -> None:  # type: ignore[no-untyped-def]
    """Do.

    Args:
        x: One
    """


@tool
def self_with_a_hint(self: int, x: int) -> None:
    """Do.

    Args:
        self: Me
        x: One
    """


@tool
def non_ascii(größe: int) -> None:
    """Größe — ändern.

    Args:
        größe: Die „Größe“
    """


@tool
def carriage_returns(x: int) -> None: ...


carriage_returns.__doc__ = "Do.\r\n\r\nArgs:\r\n    x: One\r\n"

FUNCTIONS["lambda"] = lambda: None
FUNCTIONS["lambda"].__doc__ = "Do."


class Tools:
    """Methods."""

    def add(self, x: int) -> int:
        """Add.

        Args:
            x: One
        """
        return x

    @classmethod
    def make(cls, x: int) -> int:
        """Make.

        Args:
            x: One
        """
        return x


METHODS: dict[str, Callable[..., Any]] = {"add": Tools().add, "make": Tools.make}
