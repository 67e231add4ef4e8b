"""When the render without a generation prompt need not be made."""

from __future__ import annotations

import pytest

from chatjinja import Environment
from chatjinja.chat.needs import mentions_elsewhere


def is_same(source: str) -> bool:
    return mentions_elsewhere(Environment().from_string(source).tree) == frozenset()


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages }}",
        "{% if add_generation_prompt %}x{{ y|trim }}{% if z %}w{% endif %}{% endif %}",
        "{% for m in messages %}{% if loop.last %}{% if add_generation_prompt %}x{% endif %}{% endif %}{% endfor %}",
        "{% for m in messages %}{% else %}{% if add_generation_prompt %}x{% endif %}{% endfor %}",
        "{% if a %}{% elif b %}{% if add_generation_prompt %}x{% endif %}{% else %}y{% endif %}",
        "{% if add_generation_prompt and z %}x{% endif %}",
        "{% if add_generation_prompt is defined and add_generation_prompt and z %}x{% endif %}",
        "{{ 'x' if add_generation_prompt }}",
        "{{ 'x' if add_generation_prompt else '' }}",
        "{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}"
        "{% if add_generation_prompt %}x{% endif %}",
        "{% if add_generation_prompt is undefined %}{# c #} {% set add_generation_prompt = False %}{% endif %}",
        "{% if add_generation_prompt is not defined %}{% endif %}",
    ],
)
def test_same(source: str) -> None:
    assert is_same(source)


@pytest.mark.parametrize(
    "source",
    [
        "{{ add_generation_prompt }}",
        "{% if not add_generation_prompt %}x{% endif %}",
        "{% if add_generation_prompt %}x{% else %}y{% endif %}",
        "{% if add_generation_prompt %}x{% elif y %}z{% endif %}",
        "{% if add_generation_prompt %}{% set x = 1 %}{% endif %}",
        "{% if add_generation_prompt %}{{ f() }}{% endif %}",
        "{% if add_generation_prompt %}{{ add_generation_prompt }}{% endif %}",
        "{% for m in messages %}{% if add_generation_prompt %}{% break %}{% endif %}{% endfor %}",
        "{% if z and add_generation_prompt %}x{% endif %}",
        "{% if add_generation_prompt or z %}x{% endif %}",
        "{% if add_generation_prompt and not add_generation_prompt %}x{% endif %}",
        "{% if add_generation_prompt is defined %}x{% endif %}",
        "{% if add_generation_prompt is string %}x{% endif %}",
        "{{ 'x' if add_generation_prompt else y }}",
        "{{ f() if add_generation_prompt }}",
        "{{ 'x' if y else add_generation_prompt }}",
        "{% set x %}{% if add_generation_prompt %}x{% endif %}{% endset %}",
        "{% macro m() %}{% if add_generation_prompt %}x{% endif %}{% endmacro %}",
        "{% if not add_generation_prompt is defined %}{% set add_generation_prompt = true %}{% endif %}",
        "{% if not add_generation_prompt is defined %}{% set x = false %}{% endif %}",
        "{% if not add_generation_prompt is defined %}{{ x }}{% endif %}",
        "{% if add_generation_prompt is nonsense %}x{% endif %}",
        "{% if add_generation_prompt is divisibleby(2) %}x{% endif %}",
    ],
)
def test_not_known_to_be_the_same(source: str) -> None:
    assert not is_same(source)


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("{% if z or (y and not add_generation_prompt) %}x{% endif %}", 1),
        ("{% if z %}{% elif add_generation_prompt %}x{% endif %}{{ 'a' if add_generation_prompt else y }}", 2),
        ("{% set x = not add_generation_prompt %}{% set x = add_generation_prompt and y %}", 2),
        ("{% if add_generation_prompt %}{{ messages|pop }}{% endif %}", 1),
        ("{% set x = y and add_generation_prompt %}", None),
        ("{% set x = add_generation_prompt %}", None),
        ("{{ f(add_generation_prompt) }}{% if not add_generation_prompt %}x{% endif %}", None),
        ("{% if add_generation_prompt == true %}x{% endif %}", None),
    ],
)
def test_mentions_elsewhere(source: str, asked: int | None) -> None:
    found = mentions_elsewhere(Environment().from_string(source).tree)
    assert (None if found is None else len(found)) == asked
