"""Every case file, in the fast form, the exact form and the interpreter."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from chatjinja import Environment, Template
from tests.cases.read import TOPICS, read_cases
from tests.properties.interpreter import Outcome
from tests.properties.outcomes import exact, fast, interpreted

WAYS = {"fast": fast, "exact": exact, "interpreter": interpreted}


@pytest.fixture(scope="module")
def environment() -> Environment:
    return Environment(now=1767225600, cache_size=1000)


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_cases(environment: Environment, topic: str, way: Callable[[Template, dict[str, Any]], Outcome]) -> None:
    failures = []
    for case in read_cases(topic):
        context = copy.deepcopy(case.context)
        found = way(environment.from_string(case.template), context)
        if found != case.expected:
            failures.append(f"{case.template}\n  expected: {case.expected}\n  found:    {found}")
        if context != case.context:
            failures.append(f"{case.template}\n  changed the context")
    assert not failures, "\n".join(failures)


def test_no_template_stands_twice() -> None:
    templates = [(case.template, str(case.context)) for topic in TOPICS for case in read_cases(topic)]
    assert len(set(templates)) == len(templates)
