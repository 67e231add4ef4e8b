"""The exception classes: fields, text, pickling, copying."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest

import chatjinja
from chatjinja import errors
from chatjinja.errors import ChatJinjaError, ContextError, LimitError, TemplateError, UnknownNameError
from chatjinja.source import Span

CLASSES = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, TemplateError)]
WAYS: list[Callable[[TemplateError], TemplateError]] = [
    copy.copy,
    copy.deepcopy,
    *(lambda error, p=p: pickle.loads(pickle.dumps(error, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)),
]
FAILING = [
    ("{{ 1 + nope }}", {}),
    ("é\n  {{ a.b.c() }}", {"a": 1}),
    ("{{", {}),
    ("{% for x in range(99999999) %}{% endfor %}", {}),
    ("{{ a.b|tojson }}", {"a": {"b": b""}}),
    ("{{ raise_exception('é') }}", {}),
    ("{{ [1]|unique }}", {}),
    ("{% break %}", {}),
]


def caught(source: str, context: dict[str, object]) -> TemplateError:
    with pytest.raises(TemplateError) as info:
        chatjinja.Environment().from_string(source, name="t.jinja").render(context)
    return info.value


def test_the_tree_of_classes() -> None:
    assert all(issubclass(kind, ChatJinjaError) for kind in CLASSES)
    assert issubclass(UnknownNameError, chatjinja.OperationError)
    assert len({kind.default_code for kind in CLASSES}) == len(CLASSES)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_new_error_has_only_its_message(kind: type[TemplateError]) -> None:
    error = kind("what")
    assert (error.message, error.code, error.phase, error.node) == ("what", kind.default_code, None, None)
    assert (error.lineno, error.colno, error.span, error.template_name) == (None, None, None, None)
    assert (str(error), error.args) == ("what", ("what",))


def test_an_error_takes_what_is_known_at_once() -> None:
    error = LimitError("m", code="c", phase="run", span=Span(1, 2), limit="steps", pointer="/a")
    assert (error.code, error.phase, error.span, error.limit, error.pointer) == ("c", "run", (1, 2), "steps", "/a")


@pytest.mark.parametrize(("source", "context"), FAILING)
@pytest.mark.parametrize("again", WAYS)
def test_copies_keep_every_field(
    source: str, context: dict[str, object], again: Callable[[TemplateError], TemplateError]
) -> None:
    error = caught(source, context)
    other = again(error)
    assert type(other) is type(error)
    assert vars(other) == vars(error)
    assert str(other) == str(error)
    assert str(again(type(error)("bare"))) == "bare"


def test_a_limit_is_named() -> None:
    error = caught("{{ range(99999999) }}", {})
    assert isinstance(error, LimitError)
    assert (error.limit, error.code) == ("items", "limit-items")


def test_a_bad_value_of_the_context_is_pointed_at() -> None:
    error = caught("{{ a.b|tojson }}", {"a": {"b": b""}})
    assert isinstance(error, ContextError)
    assert (error.pointer, error.code) == ("/a/b", "context-type")


@pytest.mark.parametrize(
    ("source", "phase", "node"),
    [
        ("{{ 'a", "lex", None),
        ("{{ (1 }}", "parse", None),
        ("{% nope %}", None, None),
        ("{{ 1 + nope }}", "run", "BinaryExpression"),
        ("{{ [1]|unique }}", None, None),
        ("{% continue %}", None, None),
    ],
)
def test_phase_and_node(source: str, phase: str | None, node: str | None) -> None:
    error = caught(source, {})
    assert (error.phase, error.node) == (phase, node)
    assert error.lineno == 1
    assert error.colno is not None
    assert error.span is not None
    assert error.template_name == "t.jinja"
