"""Where the characters of JSON text came from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatjinja.runtime.json_runs import JsonRuns, places_in_json, plain_json_runs
from chatjinja.runtime.marked import Copied


def places(text: str) -> dict[str, str]:
    """Pointer → text, of what is copied."""
    return {place: stretch for stretch, place in places_in_json(text) if place is not None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", {"": "1"}),
        ('"a"', {"": "a"}),
        ("true", {}),
        ('[1, [2, {}], null, "x"]', {"/0": "1", "/1/0": "2", "/3": "x"}),
        ('{"a": {"b": [-1.5e3]}, "c": ""}', {"/a#": "a", "/a/b#": "b", "/a/b/0": "-1.5e3", "/c#": "c"}),
        ('{\n "a~/b\\"" :\t[\n  1,\n  2\n ]\n}', {'/a~0~1b"#': 'a~/b\\"', '/a~0~1b"/0': "1", '/a~0~1b"/1': "2"}),
        ('{"\\u00e9": inf, "b": -nan}', {"/é#": "\\u00e9", "/é": "inf", "/b#": "b", "/b": "-nan"}),
        ('[": {", ", "]', {"/0": ": {", "/1": ", "}),
    ],
)
def test_places(text: str, expected: dict[str, str]) -> None:
    assert places(text) == expected


def leaves(value: Any, pointer: str = "") -> dict[str, str]:
    def token(key: str) -> str:
        return key.replace("~", "~0").replace("/", "~1")

    if isinstance(value, dict):
        found = {f"{pointer}/{token(key)}#": json.dumps(key, ensure_ascii=False)[1:-1] for key in value if key}
        for key, item in value.items():
            found |= leaves(item, f"{pointer}/{token(key)}")
        return found
    if isinstance(value, list):
        return {place: text for at, item in enumerate(value) for place, text in leaves(item, f"{pointer}/{at}").items()}
    if isinstance(value, str):
        return {pointer: json.dumps(value, ensure_ascii=False)[1:-1]} if value else {}
    return {} if value is None or isinstance(value, bool) else {pointer: json.dumps(value)}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 0, 2]))
def test_places_in_any_json(value: Any, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    assert places(text) == leaves(value)
    assert "".join(stretch for stretch, _ in places_in_json(text)) == text
    assert "".join(stretch for stretch, _ in plain_json_runs(text)) == text


def test_runs() -> None:
    assert JsonRuns('["a"]')() == (('["', False), ("a", True), ('"]', False))
    value = ["a"]
    (before, no), (text, origin), _ = JsonRuns('["a"]', value)()
    assert (before, no, text) == ('["', False, "a")
    assert isinstance(origin, Copied)
    assert (origin.value, origin.below, origin.span) == (value, "/0", None)
