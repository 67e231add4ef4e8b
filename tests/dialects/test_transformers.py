"""The dialect ``transformers``: every row of its deviations, beside Jinja2 itself."""

from __future__ import annotations

import re
from typing import Any

import pytest

import chatjinja
from chatjinja.dialects import DIALECTS
from tests.conformance.jinja2_checker import ADDRESS
from tests.peers import jinja2_peer

OURS = chatjinja.Environment(dialect="transformers")


def theirs(source: str) -> str:
    try:
        return jinja2_peer.environment().from_string(source).render({})
    except Exception as error:  # of any type: Python's own pass through Jinja2
        return re.sub(r" \(<template>, line \d+\)$", "", str(error))


def ours(source: str) -> str:
    try:
        return OURS.from_string(source).render({})
    except chatjinja.TemplateError as error:
        return error.message


@pytest.mark.parametrize("deviation", DIALECTS["transformers"].deviations, ids=lambda row: row.name)
def test_every_deviation(deviation: Any) -> None:
    assert ADDRESS.sub("", theirs(deviation.example)) == ADDRESS.sub("", deviation.reference)
    assert ours(deviation.example) == deviation.here
    assert deviation.here != deviation.reference


def test_repr_is_short() -> None:
    assert repr(DIALECTS["transformers"]) == "<JinjaDialect 'transformers'>"
    assert repr(DIALECTS["llama.cpp"]) == "<LlamaDialect 'llama.cpp'>"
