"""Texts that know who wrote them."""

from __future__ import annotations

from typing import Any

import pytest

from chatjinja.chat.jsontext import JsonError, compact
from chatjinja.chat.tracked import (
    Tracked,
    concat,
    cut,
    cut_start,
    encoded,
    instead,
    joined,
    located,
    parsed,
    runs_of,
    stripped,
)
from chatjinja.runtime.marked import Source, TemplateText

OWN = TemplateText("|")


def a_text(text: str, pointer: str = "/a") -> str:
    return located(text, pointer)


def shown(text: str) -> list[tuple[str, Any]]:
    """The runs, with pointers in place of sources."""
    assert "".join(run for run, _ in runs_of(text)) == text
    return [(run, origin.pointer if type(origin) is Source else origin) for run, origin in runs_of(text)]


def test_plain_texts_stay_plain() -> None:
    for text in (concat(("a", "", "b")), joined(("", "a", "b"), "b"), stripped(" ab ", " "), cut("xaby", 1, 3)):
        assert type(text) is str
    assert joined(("", "a", "", "b", ""), "-") == "a--b-"
    assert joined((), "-") == joined(("", ""), "-") == concat(()) == ""
    assert type(parsed('{"a": 1}')) is dict
    assert instead("developer", "system") == "system"
    assert cut_start("abc", "c") == "c"


def test_joining() -> None:
    one, two = a_text("1"), a_text("2", "/b")
    assert concat((one, "")) is one
    assert shown(concat((one, OWN, "x", two))) == [("1", "/a"), ("|", False), ("x", True), ("2", "/b")]
    assert shown(joined(("", one, "", two), OWN)) == [("1", "/a"), ("|", False), ("|", False), ("2", "/b")]
    assert shown(concat((concat((one, OWN)), two))) == [("1", "/a"), ("|", False), ("2", "/b")]


@pytest.mark.parametrize("text", ["", "x", "é€😀", "a é"])
def test_cutting(text: str) -> None:
    whole = concat((a_text(text), OWN, a_text(text, "/b")))
    for start in range(len(whole) + 1):
        for stop in range(start, len(whole) + 1):
            part = cut(whole, start, stop)
            assert part == whole[start:stop]
            assert "".join(run for run, _ in runs_of(part)) == part
            for run, origin in runs_of(part):
                assert run in whole
                assert (run == "|") is (origin is False) or not run
    assert [run for run in shown(cut(whole, 0, len(text))) if run[0]] == [(text, "/a")][: len(text)]


def test_cutting_trusted_text() -> None:
    assert type(cut(TemplateText("abc"), 1, 2)) is TemplateText
    assert shown(located(TemplateText("abc"), "/a")) == [("abc", "/a")]
    assert not runs_of(located(TemplateText("abc"), "/a"))[0][1]


def test_the_end_of_a_text_may_begin_inside_a_character() -> None:
    assert shown(cut_start(a_text("aé"), "\udca9")) == [("\udca9", "/a")]


def test_stripping() -> None:
    text = concat((a_text(" a"), OWN, a_text("b ", "/b")))
    assert shown(stripped(text, " ")) == [("a", "/a"), ("|", False), ("b", "/b")]
    bare = a_text("a")
    assert stripped(bare, " ") is bare
    assert stripped(a_text("  "), " ") == ""


def test_taking_a_place() -> None:
    assert shown(instead(a_text("developer"), "system")) == [("system", "/a")]
    assert type(instead(TemplateText("developer"), "system")) is TemplateText
    assert shown(instead(concat((OWN, a_text("a"), a_text("b", "/b"))), "x")) == [("x", "/a")]
    assert shown(instead(concat((OWN, OWN)), "x")) == [("x", False)]
    assert runs_of(instead(cut(a_text("a"), 1, 1), "x")) == (("x", True),)


# --- JSON ----------------------------------------------------------------------------------------------

VALUE: Any = {"a/b": ["x", {"é": 'q"'}, 1, 2.5, True, None], "": {}, 7: []}


def test_encoding_with_places() -> None:
    text = encoded(VALUE, "/v", Source)
    assert text == compact(VALUE)
    found = {run: origin for run, origin in shown(text) if origin is not False}
    assert found == {
        "a/b": "/v/a~1b#",
        "x": "/v/a~1b/0",
        "é": "/v/a~1b/1/é#",
        'q\\"': "/v/a~1b/1/é",
        "1": "/v/a~1b/2",
        "2.5": "/v/a~1b/3",
        "": "/v/#",
        "7": "/v/7#",
    }


def test_encoding_without_places() -> None:
    text = encoded({"k": [1, TemplateText("t")]}, "/v", lambda pointer, is_input: is_input)
    assert [run for run, origin in runs_of(text) if origin] == ["k", "1"]


def test_parsing_what_is_trusted() -> None:
    assert type(parsed(TemplateText('"t"'))) is TemplateText
    value = parsed(located(TemplateText('{"k": ["t", 1]}'), "/a"))
    assert type(value["k"][0]) is TemplateText
    assert value.origin.pointer == "/a"
    given = {"k": ("plain", TemplateText("t")), "m": {"n": TemplateText("t")}, "l": "x"}
    value = parsed(encoded(given, "/v", lambda pointer, is_input: is_input))
    assert [type(item) for item in (*value["k"], value["m"]["n"], value["l"])] == [str, TemplateText, TemplateText, str]


@pytest.mark.parametrize("text", ['"s"', "[1]", '{"k": 1}', "5", "2.5"])
def test_what_was_parsed_knows_its_place(text: str) -> None:
    value = parsed(a_text(text))
    assert value == parsed(text)
    origin = getattr(value, "source", None) or value.origin
    assert origin.pointer == "/a"


@pytest.mark.parametrize("text", ["true", "false", "null"])
def test_what_has_no_place(text: str) -> None:
    assert parsed(a_text(text)) is parsed(text)


def test_parsing_what_is_no_json() -> None:
    with pytest.raises(JsonError) as caught:
        parsed(a_text('{"k": oops}'))
    assert caught.value.position == 6


def test_whatever_loses_the_type_becomes_plain() -> None:
    text = a_text(" Ab ")
    for made in (text.strip(), text.upper(), text + "x", f"{text}", text[1:], text.replace("A", "B")):
        assert type(made) is not Tracked
