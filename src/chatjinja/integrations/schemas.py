"""From Python functions to the JSON schemas that chat templates show to models."""

from __future__ import annotations

import inspect
import json
import re
import types
from collections.abc import Callable
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from chatjinja.integrations.docstrings import Docstring, read_docstring
from chatjinja.integrations.errors import ToolSchemaError
from chatjinja.integrations.versions import Version

_Schema = dict[str, Any]

_SCALARS: dict[Any, str] = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}
_CONTAINERS: dict[Any, str] = {list: "array", tuple: "array", dict: "object"}
_MEDIA: dict[Any, str] = {("PIL.Image", "Image"): "image", ("torch", "Tensor"): "audio"}
"""Types of other libraries, by module and name."""
_CHOICES = re.compile(r"\(choices:\s*(.*?)\)\s*$", re.IGNORECASE)
_NO_TYPE = inspect.Parameter.empty


def tool_schema(function: Callable[..., Any], version: Version) -> _Schema:
    """The schema of a tool, from a function's type hints and its docstring in Google's style.

    Every parameter needs a hint that JSON can express and an entry under ``Args:``; ``(choices: [...])`` at the end of
    an entry lists the allowed values. Raises ToolSchemaError.
    """
    name = getattr(function, "__name__", "operation")
    doc = inspect.getdoc(function)
    if not doc:
        raise ToolSchemaError(f"the tool {name} has no docstring, so there is nothing to tell the model about it")
    described = read_docstring(doc.strip(), typed=version.strict_schemas)
    hints, required = _hints(function, name, version)
    returns = _return_schema(hints, described, version)
    properties = {argument: _type_schema(hint, version) for argument, hint in hints.items()}
    for argument, schema in properties.items():
        if argument not in described.arguments:
            raise ToolSchemaError(f"the docstring of the tool {name} does not describe its argument {argument!r}")
        _describe(schema, described.arguments[argument], f"{name}: argument {argument!r}", version)
    parameters: _Schema = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    made: _Schema = {"name": name, "description": described.description, "parameters": parameters}
    if returns is not None:
        made["return"] = returns
    return {"type": "function", "function": made}


def _hints(function: Callable[..., Any], name: str, version: Version) -> tuple[dict[str, Any], list[str]]:
    """The type hints of what a caller passes (and ``return``), and the names of what he must pass."""
    try:
        hints = get_type_hints(function)
    except (NameError, TypeError) as error:
        raise ToolSchemaError(f"the type hints of the tool {name} cannot be read: {error}") from error
    parameters = dict(inspect.signature(function).parameters)
    first = next(iter(parameters), None)
    if version.strict_schemas and first in ("self", "cls") and parameters[first].annotation is _NO_TYPE:
        del parameters[first]
    for parameter in parameters.values():
        if parameter.annotation is _NO_TYPE:
            raise ToolSchemaError(f"argument {parameter.name!r} of the tool {name} has no type hint")
    return hints, [parameter.name for parameter in parameters.values() if parameter.default is _NO_TYPE]


def _return_schema(hints: dict[str, Any], described: Docstring, version: Version) -> _Schema | None:
    """The schema of the result, if it can be expressed; takes it out of `hints`."""
    if "return" not in hints:
        return None
    try:
        schema = _type_schema(hints.pop("return"), version)
    except ToolSchemaError:
        if not version.strict_schemas:
            raise
        return None
    if described.returns is not None:
        schema["description"] = described.returns
    return schema


def _describe(schema: _Schema, description: str, place: str, version: Version) -> None:
    choices = _CHOICES.search(description)
    if choices is not None:
        try:
            values = json.loads(choices.group(1))
            texts = not version.strict_schemas
            schema["enum"] = [value.strip() if texts or isinstance(value, str) else value for value in values]
        except (ValueError, TypeError, AttributeError) as error:
            raise ToolSchemaError(f"{place}: the choices are no JSON list: {choices.group(1)}") from error
        description = description[: choices.start()].strip()
    schema["description"] = description


# --- types ---------------------------------------------------------------------------------------------


def _type_schema(hint: Any, version: Version) -> _Schema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is None:
        return _bare_schema(hint, version)
    if origin is Union or origin is types.UnionType:
        return _union_schema(arguments, version)
    if origin is Literal and arguments:
        return _values_schema(list(arguments), "typing.Literal")
    if origin is list:
        return {"type": "array", **({"items": _type_schema(arguments[0], version)} if arguments else {})}
    if origin is tuple:
        return _tuple_schema(hint, arguments, version)
    if origin is dict:
        # JSON has no keys but texts, so only the type of the values can be said.
        values = {"additionalProperties": _type_schema(arguments[1], version)} if len(arguments) == 2 else {}
        return {"type": "object", **values}
    raise _no_json(hint)


def _no_json(hint: Any) -> ToolSchemaError:
    return ToolSchemaError(
        f"the type hint {hint!r} has no JSON schema; there are those of int, float, str, bool, None, Any, Enum "
        "classes, Literal, and of list, tuple, dict and unions of them; write the schema by hand for others"
    )


def _bare_schema(hint: Any, version: Version) -> _Schema:
    if hint is Any:
        return {}
    place = (getattr(hint, "__module__", None), getattr(hint, "__name__", None))
    name = _SCALARS.get(hint) or _MEDIA.get(place)
    if name is None and not version.strict_schemas:
        name = "object"
    elif name is None:
        if isinstance(hint, type) and issubclass(hint, Enum):
            return _values_schema([member.value for member in hint], f"the enumeration {hint.__name__}")
        name = _CONTAINERS.get(hint)
    if name is None:
        raise _no_json(hint)
    return {"type": name}


def _values_schema(values: list[Any], what: str) -> _Schema:
    if not values:
        raise ToolSchemaError(f"{what} has no members, so no value could ever be one of them")
    if any(type(value) not in _SCALARS for value in values):
        raise ToolSchemaError(f"{what} may hold only numbers, texts, booleans and None, but it holds {values}")
    names = list(dict.fromkeys(_SCALARS[type(value)] for value in values))
    return {"type": names[0] if len(names) == 1 else names, "enum": values}


def _union_schema(arguments: tuple[Any, ...], version: Version) -> _Schema:
    members = [_type_schema(argument, version) for argument in arguments if argument is not type(None)]
    if len(members) == 1:
        schema = members[0]
    elif _are_names(members, version):
        names = sorted(member["type"] for member in members)
        if version.strict_schemas:
            names = sorted(set(names))
        schema = {"type": names[0] if version.strict_schemas and len(names) == 1 else names}
    else:
        schema = {"anyOf": members}
    if type(None) in arguments:
        schema["nullable"] = True
    return schema


def _are_names(members: list[_Schema], version: Version) -> bool:
    """Whether a list of names of types says all that the members of a union say (4.57: what is most important)."""
    if version.strict_schemas:
        return all(member.keys() == {"type"} and isinstance(member["type"], str) for member in members)
    for member in members:
        if "type" not in member:
            raise ToolSchemaError("a union of Any and other types has no JSON schema")
        if not isinstance(member["type"], str):
            return False
    return True


def _tuple_schema(hint: Any, arguments: tuple[Any, ...], version: Version) -> _Schema:
    if not arguments:
        return {"type": "array"}
    if len(arguments) == 1:
        raise ToolSchemaError(f"{hint} is a tuple of one element; write list[…], or the element's type alone")
    if ... in arguments:
        raise ToolSchemaError(f"{hint} is a tuple of any length; write list[…]")
    return {"type": "array", "prefixItems": [_type_schema(argument, version) for argument in arguments]}
