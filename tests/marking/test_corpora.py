"""The recorded corpora: the reference's parts, and the laws of sound marking on real templates and contexts."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

import pytest

from chatjinja import Environment, Template, TemplateError
from tests.conformance.checker import check_all
from tests.conformance.corpora import CLOCK, CORPORA, Case, context_json, read_corpus, shared_folder
from tests.marking.support import check_provenance, check_shape, false_marks, flags, leaks, with_canaries

GROUPS = {"micro": 4, "fuzz": 6, "real": 30}
KEPT = frozenset(("system", "user", "assistant", "tool", "<s>", "</s>", "function", "text", "image", "object"))
"""Words that templates look for; roles and special tokens among them are trusted."""

pytestmark = pytest.mark.skipif(
    shared_folder() is None and os.environ.get("CI") != "true",
    reason="recordings not found: set CHATJINJA_SHARED or place them in ../shared",
)


@cache
def cases(corpus: str) -> list[Case]:
    return list(read_corpus(corpus))


def group_of(corpus: str, number: int) -> list[Case]:
    everything = cases(corpus)
    count = GROUPS[corpus]
    return everything[len(everything) * number // count : len(everything) * (number + 1) // count]


@cache
def canaries(name: str) -> Any:
    return with_canaries(json.loads(context_json(name)), KEPT)


EVERY_GROUP = [(corpus, number) for corpus in CORPORA for number in range(GROUPS[corpus])]


@pytest.mark.parametrize(("corpus", "number"), EVERY_GROUP)
def test_reference_parts(corpus: str, number: int) -> None:
    failures = check_all(group_of(corpus, number), parts=True)
    assert not failures, "\n\n".join(map(str, failures[:10]))


@pytest.mark.parametrize(("corpus", "number"), EVERY_GROUP)
def test_laws_of_sound_marking(corpus: str, number: int) -> None:
    environment = Environment(now=CLOCK)
    for case in group_of(corpus, number):
        if case.error is None:
            check(environment.from_string(case.source), case, is_real=corpus == "real")


@pytest.mark.parametrize("number", range(4))
def test_provenance_of_real_templates(number: int) -> None:
    """Each template with one of its contexts, chosen so that all contexts have their turn."""
    environment = Environment(now=CLOCK)
    by_template: dict[str, list[Case]] = {}
    for case in cases("real"):
        if case.error is None:
            by_template.setdefault(case.source, []).append(case)
    for turn, (source, candidates) in list(enumerate(by_template.items()))[number::4]:
        case = candidates[turn // 4 % len(candidates)]
        template = environment.from_string(source)
        context = json.loads(context_json(case.context))
        check_provenance(template, context, flags(template.render_marked(context).parts))


def check(template: Template, case: Case, *, is_real: bool) -> None:
    context = canaries(case.context)
    try:
        prompt = template.render_marked(context)
    except TemplateError:
        return  # the canaries are not what the template asks for
    text = check_provenance(template, context, flags(prompt.parts)) if not is_real else template.render(context)
    assert prompt.text == text, case.id
    check_shape(text, prompt.parts)
    assert not leaks(prompt.parts), (case.id, leaks(prompt.parts))
    if is_real:
        assert not false_marks(prompt.parts, context), (case.id, false_marks(prompt.parts, context))
