"""Generated code uses the names in `chatjinja.runtime.helpers`, and all of them."""

from __future__ import annotations

import builtins
import dis
import re
from collections.abc import Iterator
from types import CodeType

import pytest

from chatjinja import Environment, TemplateError
from chatjinja.compiler import codegen_base, generator
from chatjinja.compiler.generator import ROOT
from chatjinja.runtime import marked, state
from chatjinja.runtime.helpers import EXACT, FAST
from tests.cases.read import TOPICS, read_cases

PREFIXED = re.compile(r"[uhbkmfd]_.*|(?:chain|loop)_\d+")
CHAINS = [
    "{{ s" + link * 50 + " }}" for link in ("|upper", ".a", "[0]", " + s", " - s", " and s", " if s else s", "()")
]
LOOPS = "{% for x in s %}" * 20 + "{{ x }}" + "{% endfor %}" * 20
COMPUTED_KEYS = "{{ {" + "s: 1, " * 50 + "} }}"
OTHER_DIALECTS = {"floor_divide", "power"}
"""Operators that the dialect of these tests does not have."""
SOURCES = [*(case.template for topic in TOPICS for case in read_cases(topic)), *CHAINS, LOOPS, COMPUTED_KEYS]


def code_objects(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_objects(constant)


def names_loaded(source: str, *, exact: bool) -> set[str]:
    """Global names that the code of a template loads."""
    try:
        template = Environment(cache_size=0).from_string(source)
    except TemplateError:
        return set()
    forms = [template.form(exact=exact, fold_names=fold) for fold in (True, False)]
    template._checked = True
    forms.append(template.form(exact=exact))
    codes = [code for form in forms for code in code_objects(form.compiled.code("<test>"))]
    loads = ("LOAD_GLOBAL", "LOAD_NAME")
    return {step.argval for code in codes for step in dis.get_instructions(code) if step.opname in loads}


@pytest.fixture(scope="module")
def used() -> dict[str, set[str]]:
    """Form → names that the code of any template loads in it."""
    return {
        form: set().union(*(names_loaded(source, exact=form == "exact") for source in SOURCES))
        for form in ("fast", "exact")
    }


def test_generated_code_uses_the_helpers_and_all_of_them(used: dict[str, set[str]]) -> None:
    for form, helpers in (("fast", FAST), ("exact", EXACT)):
        own = {name for name in used[form] if PREFIXED.fullmatch(name) or name == ROOT}
        assert used[form] - own <= set(helpers)
    assert set(FAST) - used["fast"] - used["exact"] == OTHER_DIALECTS


def test_helpers_have_no_prefix_of_generated_names() -> None:
    assert not [name for name in {*FAST, *EXACT} if PREFIXED.fullmatch(name)]


def test_generated_code_has_no_builtins_of_its_own() -> None:
    form = Environment().from_string("{{ x }}").form(exact=False)
    assert form.root.__globals__["__builtins__"] == {}
    assert all(name in FAST for name in ("len", "type", "str") if hasattr(builtins, name))


def test_both_modules_mean_the_same_by_a_big_string() -> None:
    assert generator.BIG_STRING == state.BIG


def test_both_modules_mean_the_same_by_a_small_number() -> None:
    assert codegen_base.SMALL_NUMBERS == marked.SMALL
