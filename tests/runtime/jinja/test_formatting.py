"""Widths and precisions: how long a text they ask for."""

from __future__ import annotations

import pytest

from chatjinja import LimitError, render
from tests.peers.jinja2_peer import environment


@pytest.mark.parametrize(
    "source",
    [
        "{{ '{:.99999999}'.format('abc') }}",
        "{{ '{:5.99999999}'.format('abc') }}",
        "{{ '{:{}}'.format('abc', 1 / 3) }}",
        "{{ '%.99999999s' % 'abc' }}",
        "{{ '%5.99999999r' % 'abc' }}",
    ],
)
def test_a_precision_makes_no_text_longer(source: str) -> None:
    assert render(source, dialect="transformers") == environment().from_string(source).render()


@pytest.mark.parametrize(
    "source",
    [
        "{{ '{:99999999}'.format('abc') }}",
        "{{ '{:99999999.2}'.format('abc') }}",
        "{{ '{:.99999999}'.format(1.5) }}",
        "{{ '%99999999s' % 'abc' }}",
        "{{ '%99999999.2s' % 'abc' }}",
        "{{ '%.99999999f' % 1.5 }}",
        "{{ '%*s' % (99999999, 'abc') }}",
    ],
)
def test_limits(source: str) -> None:
    with pytest.raises(LimitError):
        render(source, dialect="transformers")
