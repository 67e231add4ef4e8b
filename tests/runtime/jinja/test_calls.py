"""What generated code calls: corners that no ordinary template reaches."""

from __future__ import annotations

from collections import UserDict
from typing import Any

import pytest

from chatjinja import Environment, Limits, OperationError
from chatjinja.runtime.jinja import foreign
from chatjinja.runtime.jinja.builtins import JINJA
from chatjinja.runtime.jinja.operators import operand
from chatjinja.runtime.jinja.output import late_text, set_attribute
from chatjinja.runtime.jinja.sound_operators import operand as sound_operand
from chatjinja.runtime.jinja.undefined import MISSING, Undefined
from chatjinja.runtime.state import Deoptimise, Runtime
from tests.compiler.jinja.test_cases import compiled


def runtime() -> Runtime:
    return Runtime(JINJA, Limits(), {}, lambda: pytest.fail("nobody asks for the time"))


def render(source: str, **context: Any) -> str:
    return compiled(source, eager=False).render(context)


def test_words_of_undefined() -> None:
    assert repr(MISSING) == "missing"
    assert Undefined(obj=None, name="a").message == "'None' has no attribute 'a'"
    assert Undefined(obj=[], name=3).message == "list object has no element 3"
    assert Undefined(obj={}, name="a").message == "'dict object' has no attribute 'a'"
    assert Undefined(name="a").message == "'a' is undefined"
    assert Undefined("hint", obj={}, name="a").message == "hint"
    assert hash(Undefined("a")) == hash(Undefined("b"))
    assert [*Undefined()] == []
    with pytest.raises(OperationError, match="list object has no element 9"):
        render("{{ l[9].x }}", l=[])


class Text(str):
    __slots__ = ()


def test_strings_of_the_caller_beside_strings() -> None:
    assert render("{{ s + 'a' }}{{ 'a' + s }}", s=Text("x")) == "xaax"
    made = operand(runtime(), Text("x"))
    assert (made, type(made)) == ("x", str)
    assert type(sound_operand(runtime(), Text("x"))) is str


def test_classes_without_end() -> None:
    for number in range(1100):
        kind = type(f"Kind{number}", (UserDict,), {})
        assert render("{{ d.a }}", d=kind(a=number)) == str(number)
    assert len(foreign._known) <= 1001


def test_values_that_may_change_are_not_printed_late() -> None:
    rt = runtime()
    deep: list[Any] = []
    for _ in range(30):
        deep = [deep]
    for value in (deep, 10**2000, [10**2000], range(3), iter([])):
        with pytest.raises(Deoptimise):
            late_text(rt, value)
    assert late_text(rt, [{"a": (1, None)}]) == "[{'a': (1, None)}]"
    assert late_text(rt, Text("x")) == "x"


def test_setting_an_attribute_of_what_is_no_namespace() -> None:
    with pytest.raises(OperationError, match="non-namespace"):
        set_attribute(runtime(), {}, "a", 1)


def test_big_outputs_are_measured() -> None:
    source = "{% set x = 'a' * 20000 %}{{ x }}{{ 1 }}{{ n }}"
    assert render(source, n=2) == "a" * 20000 + "12"
    assert render("{{ x }}" * 9000, x="a") == "a" * 9000
    assert Environment("transformers").from_string("{{ x }}" * 9000).render_marked({"x": "a"}).text == "a" * 9000


def test_objects_of_a_render_as_text() -> None:
    shown = render("{% block a %}{% endblock %}{{ self.a }}{{ joiner }}{{ [self.a] }}")
    assert shown.startswith("<jinja2.runtime.BlockReference object at 0x")
    assert render("{% for i in [1] %}{{ loop.nextitem }}{{ loop.last }}{{ loop.nextitem }}{% endfor %}") == "True"
    assert render("{% for i in [1, 1] %}{{ loop.changed(i) }}{{ loop }}{% endfor %}") == (
        "True<LoopContext 1/2>False<LoopContext 2/2>"
    )
    assert render("{% for i in [1, 2] %}{{ loop.last }}{{ loop.nextitem }}{{ loop.cycle(1) }}{% endfor %}") == (
        "False21True1"
    )
