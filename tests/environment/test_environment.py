"""Cache, threads, ways to call, repr, errors of use."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import chatjinja
from chatjinja import ContextError, Environment, LimitError, Limits, TemplateSyntaxError
from chatjinja.dialects import DIALECTS, get_dialect


def test_the_cache_gives_the_same_template_for_source_and_name() -> None:
    environment = Environment()
    template = environment.from_string("{{ a }}")
    assert environment.from_string("{{ a }}") is template
    assert environment.from_string("{{ a }}", name="other") is not template
    assert environment.from_string("{{ b }}") is not template


def test_the_cache_forgets_the_least_recently_used() -> None:
    environment = Environment(cache_size=2)
    first = environment.from_string("1")
    second = environment.from_string("2")
    assert environment.from_string("1") is first
    environment.from_string("3")
    assert environment.from_string("1") is first
    assert environment.from_string("2") is not second


def test_without_a_cache_every_call_compiles() -> None:
    environment = Environment(cache_size=0)
    assert environment.from_string("1") is not environment.from_string("1")


def test_a_source_that_is_refused_is_refused_again() -> None:
    environment = Environment()
    for _ in range(2):
        with pytest.raises(TemplateSyntaxError):
            environment.from_string("{{")


def in_threads(action: Callable[[int], Any], count: int = 8) -> list[Any]:
    """Results of `action` in threads that start together."""
    start = threading.Barrier(count)

    def run(number: int) -> Any:
        start.wait()
        return action(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


SOURCE = "{% for x in items %}{{ loop.index }}{{ x }}{% if x is string %}{{ x|upper }}{% endif %}{% endfor %}"


def test_many_threads_render_one_template() -> None:
    template = Environment().from_string(SOURCE + "{% set _ = items.append(1) %}{{ items|length }}")

    def render(number: int) -> list[str]:
        return [template.render({"items": ["a" * number, number, n]}) for n in range(50)]

    expected = [[f"1{'a' * number}{'A' * number}2{number}3{n}4" for n in range(50)] for number in range(8)]
    assert in_threads(render) == expected


def test_many_threads_compile_one_source() -> None:
    environment = Environment()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        texts = in_threads(lambda number: environment.from_string(SOURCE).render({"items": ["a"]}))
    finally:
        sys.setswitchinterval(interval)
    assert texts == ["1aA"] * 8
    assert environment.from_string(SOURCE) is environment.from_string(SOURCE)


def test_ways_to_give_a_context() -> None:
    template = Environment().from_string("[{{ a }}]")
    assert template.render({"a": 1}) == "[1]"
    assert template.render_with(a=1) == "[1]"
    assert template.render() == "[]"
    assert template.render(None) == "[]"
    assert template.render_with() == "[]"
    assert template.render_with(self=1, context=2) == "[]"
    assert chatjinja.render("[{{ a }}]", {"a": 1}) == "[1]"
    assert chatjinja.render("x") == "x"


@pytest.mark.parametrize("context", [[], "text", 5, [("a", 1)]])
def test_a_context_must_be_a_mapping(context: Any) -> None:
    with pytest.raises(ContextError, match="the context must be a mapping") as caught:
        Environment().from_string("").render(context)
    assert caught.value.pointer == ""


def test_a_source_must_be_a_str() -> None:
    with pytest.raises(TypeError, match="a template source is a str, got bytes"):
        Environment().from_string(b"x")  # type: ignore[arg-type]


def test_dialects_by_name() -> None:
    assert get_dialect("llama.cpp") is DIALECTS["llama.cpp"]
    assert Environment("llama.cpp").dialect.name == "llama.cpp"
    with pytest.raises(ValueError, match=r"unknown dialect 'nope'; known: .*llama\.cpp"):
        Environment("nope")
    with pytest.raises(ValueError, match="unknown dialect 'nope'"):
        chatjinja.render("", dialect="nope")


@pytest.mark.parametrize("deviation", DIALECTS["llama.cpp"].deviations, ids=lambda deviation: deviation.name)
def test_declared_deviations_are_so(deviation: Any) -> None:
    assert chatjinja.render(deviation.example) == deviation.here
    assert deviation.reference != deviation.here


def test_repr_names_template_and_dialect() -> None:
    template = Environment().from_string("", name="chat.jinja")
    assert repr(template) == "<Template 'chat.jinja' (llama.cpp)>"
    assert template.name == "chat.jinja"


@pytest.mark.parametrize("name", ["a\nb", "é", "\udcff", "a\0b", "", "%s{}", "<chatjinja>"])
def test_any_name_will_do(name: str) -> None:
    environment = Environment()
    assert environment.from_string("{{ 1 }}", name=name).render() == "1"
    with pytest.raises(chatjinja.OperationError) as caught:
        environment.from_string("{{ 1 + nope }}", name=name).render()
    assert caught.value.template_name == name
    assert caught.value.lineno == 1


def test_compiling_warns_of_nothing(recwarn: pytest.WarningsRecorder) -> None:
    for source in (
        "{{ 1 is none }}",
        "{{ 'a' == none }}",
        "{{ 1() if no }}",
        "{{ 'a'[0] }}",
        "{{ (1, 2)[0] is true }}",
    ):
        chatjinja.render(source)
    assert not recwarn.list


def test_own_names_of_a_dialect_can_be_replaced_in_one_render_only() -> None:
    template = Environment().from_string("{{ true }}{{ range(2) if range is callable else range }}{{ none is none }}")
    assert template.render() == "True01True"
    assert template.render({"true": "T", "range": 5, "none": 1}) == "T5False"
    assert template.render() == "True01True"


def test_limits_belong_to_the_environment() -> None:
    strict = Environment(limits=Limits(steps=2))
    with pytest.raises(LimitError):
        strict.from_string("{% for x in [1, 2, 3] %}{% endfor %}").render()
    assert Environment().from_string("{% for x in [1, 2, 3] %}{{ x }}{% endfor %}").render() == "123"
