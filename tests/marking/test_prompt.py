"""`Prompt` and `Part` by themselves."""

from __future__ import annotations

from chatjinja import Part, Prompt

PARTS = (Part("ab", False), Part("c", True), Part("", True, "/x"), Part("de", True, "/y"), Part("f", False))


def test_parts_are_made_once_when_asked_for() -> None:
    calls = []

    def make() -> list[Part]:
        calls.append(1)
        return list(PARTS)

    prompt = Prompt("abcdef", make)
    assert not calls
    assert prompt.parts == PARTS
    assert prompt.parts is prompt.parts
    assert calls == [1]


def test_spans() -> None:
    prompt = Prompt("abcdef", PARTS)
    assert prompt.spans() == [(2, 5)]
    assert prompt.spans(is_input=False) == [(0, 2), (5, 6)]
    assert Prompt("", ()).spans() == []


def test_spans_when_a_character_is_split() -> None:
    prompt = Prompt("aéb", [Part("a\udcc3", True), Part("\udca9b", False)])
    assert prompt.spans() == [(0, 2)]
    assert prompt.spans(is_input=False) == [(2, 3)]


def test_bytes() -> None:
    assert Prompt("é\udcff", [Part("é\udcff", True)]).to_bytes() == b"\xc3\xa9\xff"


def test_equality() -> None:
    prompt = Prompt("ab", [Part("ab", True)])
    assert prompt == Prompt("ab", lambda: [Part("ab", True)])
    assert prompt != Prompt("ab", [Part("ab", False)])
    assert prompt != "ab"
    assert hash(prompt) == hash(Prompt("ab", [Part("ab", False)]))
    assert repr(prompt) == "Prompt('ab', 1 parts)"
