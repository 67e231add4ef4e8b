"""Generated code uses the names in `chatjinja.runtime.jinja.helpers`, and all of them."""

from __future__ import annotations

import builtins
import dis
import itertools
import re
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any

import pytest

from chatjinja import TemplateError
from chatjinja.compiler.generator import ROOT
from chatjinja.runtime.jinja.helpers import SOUND, SOURCED, TEXT
from tests.compiler.jinja.cases import SOURCES
from tests.compiler.jinja.test_cases import compiled
from tests.compiler.jinja.test_long import LONG

PREFIXED = re.compile(r"[ughkpft]_.*|block_\d+")
KINDS: dict[str, Mapping[str, Any]] = {"text": TEXT, "sound": SOUND, "sourced": SOURCED}


def code_objects(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_objects(constant)


def names_loaded(source: str, kind: str, *, eager: bool) -> set[str]:
    """Global names that the code of a template loads."""
    try:
        form = compiled(source, eager=eager).form(sound=kind != "text", sourced=kind == "sourced", eager=eager)
    except TemplateError:
        return set()
    loads = ("LOAD_GLOBAL", "LOAD_NAME")
    codes = code_objects(form.compiled.code("<test>"))
    return {step.argval for code in codes for step in dis.get_instructions(code) if step.opname in loads}


@pytest.fixture(scope="module")
def used() -> dict[str, set[str]]:
    """Kind of form → names that the code of any template loads."""
    found: dict[str, set[str]] = {kind: set() for kind in KINDS}
    sources = [*SOURCES, *(source for source, _ in LONG.values())]
    for kind, eager in itertools.product(KINDS, (False, True)):
        found[kind].update(*(names_loaded(source, kind, eager=eager) for source in sources))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_is_a_helper(used: dict[str, set[str]], kind: str) -> None:
    assert {name for name in used[kind] if not PREFIXED.fullmatch(name)} - {ROOT, "blocks"} <= KINDS[kind].keys()


@pytest.mark.parametrize("kind", KINDS)
def test_every_helper_is_used(used: dict[str, set[str]], kind: str) -> None:
    assert KINDS[kind].keys() - used[kind] <= (set() if kind == "text" else {"made", "str"})


def test_generated_code_has_no_builtins_of_its_own() -> None:
    form = compiled("{{ s }}", eager=False).form()
    assert form.root.__globals__["__builtins__"] == {}
    assert {name for name in TEXT if TEXT[name] is getattr(builtins, name, None)} == {
        *("dict", "enumerate", "len", "list", "setattr", "str", "type"),
    }
