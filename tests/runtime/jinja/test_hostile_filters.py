"""Work that grows faster than the text or list it is done on is refused before it is done."""

from __future__ import annotations

import pytest

from chatjinja import LimitError, render


@pytest.mark.parametrize(
    ("source", "limit"),
    [
        ("{{ ('a' * 1000000)|wordwrap(1) }}", "steps"),
        ("{{ ('a' * 10000000)|wordwrap }}", "steps"),
        ("{{ ('a' * 1000000)|wordwrap(-1) }}", "steps"),
        ("{{ [1]|slice(10 ** 9)|list }}", "items"),
        (r"{{ ('\n' * 2000000).splitlines() }}", "items"),
        (r"{{ ('\n' * 2000000).encode().splitlines() }}", "items"),
        ("{{ n * n }}", "value"),
    ],
)
def test_limits(source: str, limit: str) -> None:
    with pytest.raises(LimitError) as caught:
        render(source, {"n": 1 << 70000}, dialect="transformers")
    assert caught.value.limit == limit


def test_long_words_are_broken() -> None:
    assert render("{{ ('a' * 1000)|wordwrap(1)|length }}", dialect="transformers") == "1999"


def test_many_lines() -> None:
    assert render(r"{{ ('x\n' * 200000).splitlines()|length }}", dialect="transformers") == "200000"
