"""Functions as tools: against transformers itself, and each rule by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatjinja.integrations import ToolSchemaError, tool_schema
from chatjinja.integrations.docstrings import read_docstring
from chatjinja.integrations.versions import VERSIONS
from tests.integrations.functions import FUNCTIONS, METHODS

FIVE = VERSIONS["5"]
FOUR = VERSIONS["4.57"]


def outcome(make: Any, *args: Any) -> str | None:
    """A schema as JSON text, which keeps the order of keys; None if there is none."""
    try:
        return json.dumps(make(*args))
    except Exception:
        return None


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_as_transformers_5(name: str) -> None:
    utils = pytest.importorskip("transformers.utils")
    function = FUNCTIONS.get(name) or METHODS[name]
    assert outcome(tool_schema, function, FIVE) == outcome(utils.get_json_schema, function)


def test_the_older_rules() -> None:
    """What differs in 4.57; that they are its rules is tested beside it, in ``tests/peers``."""

    def schema(name: str) -> Any:
        function = tool_schema(FUNCTIONS[name], FOUR)["function"]
        return function["parameters"]["properties"]["value"]

    assert schema("hint_list") == {"type": "object", "description": "The value"}
    assert schema("hint_custom")["type"] == schema("hint_enum")["type"] == "object"
    assert schema("hint_union_same")["type"] == ["object", "object"]
    assert schema("hint_union_two_lists")["type"] == ["array", "array"]
    assert schema("hint_union_mixed_literal")["anyOf"][0]["type"] == ["string", "integer"]
    for name in ("hint_union_any", "return_set_int", "typed_entries", "choices_of_numbers", "self_as_an_argument"):
        with pytest.raises(ToolSchemaError):
            tool_schema(FUNCTIONS[name], FOUR)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_docstring", "the tool no_docstring has no docstring"),
        ("missing_hint", "argument 'x' of the tool missing_hint has no type hint"),
        ("missing_description", "does not describe its argument 'y'"),
        ("hint_custom", "has no JSON schema"),
        ("hint_set_int", "has no JSON schema"),
        ("hint_unknown_text", "NoSuchType"),
        ("hint_empty_enum", "no members"),
        ("hint_odd_enum", "only numbers, texts"),
        ("hint_literal_bytes", "only numbers, texts"),
        ("hint_tuple_one", "a tuple of one element"),
        ("hint_tuple_many", "a tuple of any length"),
        ("choices_that_are_no_json", "drink.*no JSON list: tea, coffee"),
        ("choices_that_are_no_list", "no JSON list: 5"),
    ],
)
def test_refusals_say_what_is_wrong(name: str, message: str) -> None:
    with pytest.raises(ToolSchemaError, match=message):
        tool_schema(FUNCTIONS[name], FIVE)


def test_media() -> None:
    """Told by name, so that the libraries need not be there."""
    image = type("Image", (), {"__module__": "PIL.Image"})
    tensor = type("Tensor", (), {"__module__": "torch"})

    def show(picture: Any, sound: Any) -> None:
        """Show.

        Args:
            picture: A picture
            sound: A sound
        """

    show.__annotations__ = {"picture": image, "sound": list[tensor]}
    for version in (FIVE, FOUR):
        properties = tool_schema(show, version)["function"]["parameters"]["properties"]
        assert properties["picture"]["type"] == "image"
        assert properties["sound"]["items"] == {"type": "audio"}


PIECES = [
    *("Args:", "Returns:", "Raises:", "x:", "y: ", " x (int): ", "z(a b):", "x :", "a b: c", "text", "é:"),
    *("\n", "\n", "\n    ", "\n  ", "\n\t", "\n        ", " ", "  ", ":", "(", ")", "\x0c", "\r\n", "\u2003"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.booleans())
def test_any_docstring_is_read_as_by_transformers(text: str, has_arguments: bool) -> None:
    utils = pytest.importorskip("transformers.utils.chat_template_utils")
    text = (f"Do.\n\nArgs:\n{text}" if has_arguments else text).strip()
    found = read_docstring(text, typed=True)
    assert (found.description, dict(found.arguments), found.returns) == utils.parse_google_format_docstring(text)
