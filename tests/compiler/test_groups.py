"""Output in groups: which value tells the group, and what printed each value."""

from __future__ import annotations

from chatjinja.compiler.groups import Group, Piece
from chatjinja.environment.forms import form_options, make_form
from chatjinja.runtime.limits import Limits
from tests.marking.support import ENVIRONMENT


def groups(source: str) -> list[tuple[int, list[tuple[str | None, str]]]]:
    """Of each group the number of the marker, and its pieces: a literal or None, and what printed it."""
    template = ENVIRONMENT.from_string(source)
    options = form_options(template.dialect, Limits(), "sourced", fold_names=True, checked=False)
    form = make_form(template.tree, template.source, template.dialect, "sourced", options)
    assert len(form.groups) == len(form.compiled.groups)
    return [
        (group.marker, [(piece.text, source[piece.start : piece.end]) for item in group.items for piece in item])
        for group in form.compiled.groups
    ]


def test_the_first_literal_is_the_marker() -> None:
    assert groups("{{ x }}a{{ 'b' ~ y }}") == [
        (1, [(None, "{{ x }}"), ("a", "a"), ("b", "{{ 'b' ~ y }}"), (None, "{{ 'b' ~ y }}")])
    ]


def test_without_a_literal_there_is_an_empty_marker() -> None:
    assert groups("{{ x }}{{ y }}") == [(0, [("", ""), (None, "{{ x }}"), (None, "{{ y }}")])]


def test_every_statement_has_its_group() -> None:
    assert groups("{{ 'a' }}{% if x %}b{% else %}{{ x }}{% endif %}") == [
        (0, [("a", "{{ 'a' }}")]),
        (0, [("b", "b")]),
        (0, [("", ""), (None, "{{ x }}")]),
    ]


def test_what_prints_nothing_is_left_out() -> None:
    assert groups("{{ '' }}{% set x = 1 %}") == []


def test_where_pieces_show_literals_stay_apart() -> None:
    assert groups("{{ '' }}a{{ 'b' }}{{ x|title }}") == [
        (1, [("", "{{ '' }}"), ("a", "a"), ("b", "{{ 'b' }}"), (None, "{{ x|title }}")])
    ]


def test_a_macro_that_may_be_another_one() -> None:
    found = groups("{% macro m() %}a{% endmacro %}{{ m() }}")
    assert found == [(0, [("a", "a")]), (0, [("", ""), (None, "{{ m() }}")])]


def test_groups() -> None:
    literal, value = (Piece("a", 0, 1), Piece("b", 1, 2)), (Piece(None, 2, 3),)
    assert Group.of([value, literal]).marker_text == "ab"
    assert Group.of([value]) == Group(((Piece("", 0, 0),), value), 0)
