"""How causes are searched for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from chatjinja.analysis import ENGINES
from chatjinja.analysis.diagnosis import MAX_STEPS, Pair, fails_later, is_better
from chatjinja.analysis.engines import Outcome
from chatjinja.analysis.engines.base import Failure, failed
from chatjinja.analysis.variables import ALL_HABITS
from chatjinja.source import Span

MESSAGES = [{"role": "user", "content": "x"}]


def explain(template: str, left: str = "llama.cpp", right: str = "transformers", **context: Any) -> list[str]:
    pair = Pair(template, ENGINES[left], ENGINES[right], datetime(2026, 1, 1, tzinfo=UTC))
    found = pair.explain(ALL_HABITS, {"messages": MESSAGES, **context})
    pair.close()
    return [finding.cause for finding in found]


T = Outcome("abc"), Outcome("abd")


@pytest.mark.parametrize(
    ("after", "exact", "better"),
    [
        (("abc", "abc"), True, True),
        (("xabc", "xabd"), True, False),  # later, but as much is left
        (("abcd", "abce"), True, False),
        (("abcx", "abcy"), True, False),
        (("abc", "abcd"), True, True),
        (("ab", "abd"), False, True),  # the same place, but something else
        (("a", "b"), False, False),
        (("abc", None), True, False),
        ((None, None), True, False),
    ],
)
def test_what_is_better(after: tuple[str | None, str | None], exact: bool, better: bool) -> None:
    left, right = (failed("no") if text is None else Outcome(text) for text in after)
    assert is_better(T, (left, right), exact=exact) is better


def test_what_is_better_after_failures() -> None:
    one, both = (failed("no"), Outcome("a")), (failed("no", raised=True), failed("not", raised=True))
    assert is_better(one, T, exact=True)
    assert not is_better(one, one, exact=True)
    assert not is_better(one, (failed("a"), failed("b")), exact=True)
    assert not is_better(one, both, exact=True)
    assert is_better(both, (failed("a", raised=True), failed("a", raised=True)), exact=True)


def test_a_probe_may_shorten_the_text() -> None:
    before = Outcome("x1.0yyyyyyyy1.0"), Outcome("x1yyyyyyyy1")
    assert is_better(before, (Outcome("xyyyyyyyy1.0"), Outcome("xyyyyyyyy1")), exact=False)
    assert is_better(before, (Outcome("x1y"), Outcome("x2y")), exact=False)


def test_steps_are_limited() -> None:
    names = "abcdefgh"
    template = "".join(f"{{{{ {name} }}}}-{{{{ {name} ~ '' }}}}" for name in names)
    assert len(explain(template, **dict.fromkeys(names))) == MAX_STEPS


def test_pieces_inside_of_pieces() -> None:
    assert set(explain("{{ a.b.c.d }}{{ e.f.g }}")) == {"access-of-undefined"}
    pytest.importorskip("jinja2")  # an engine that does not say where it fails: all pieces at once
    assert explain("{{ a.b.c.d }}{{ e.f.g }}", "llama.cpp", "jinja2") == ["access-of-undefined"]


def test_a_cure_of_everything_comes_first() -> None:
    template = "{% macro m() %}{{ i.x }}{{ i.y }}{% endmacro %}{% for i in messages %}{{ m() }}{% endfor %}"
    assert explain(template) == ["macro-sees-caller"]


def test_equal_values_are_not_to_blame() -> None:
    assert explain("{{ x if messages|length == 1 else 'é'|length }}", x=None) == ["none-printed"]


def test_a_value_that_cannot_be_observed() -> None:
    assert explain("{% macro m(a='é'|length) %}{{ a }}{% endmacro %}{{ m() }}") == ["byte-length"]


def test_too_many_changes() -> None:
    filler = "{{ messages[0].content ~ messages[0].content }}" * 60
    assert explain(filler + "{{ x is callable }}{{ x is sameas(y) }}{{ strftime_now }}", x=1, y=1) == []


def test_without_a_tree() -> None:
    assert explain("{% filter trim|upper %}a{% endfilter %}{% if %}") == []
    assert explain("{{ [1 2] }}") == ["missing-commas"]


def test_habit_after_habit() -> None:
    messages = [{"role": "assistant", "content": None}]
    assert explain("{{ 'T' if tools is none }}{{ messages[0]|length }}", messages=messages) == [
        "always-set",
        "none-keys-dropped",
    ]


def test_part_of_a_cure() -> None:
    assert explain("{{ x.y.z }}{{ n }}", x={}, n=None) == ["access-of-undefined", "none-printed"]
    filler = "{% if never %}{{ a.b }}{% endif %}" * 10
    assert explain("{{ x.y.z }}{{ n }}" + filler, x={}, n=None) == ["access-of-undefined", "none-printed"]


def test_a_habit_may_make_all_fail() -> None:
    template = "{{ messages[0].content|length }}"
    pair = Pair(template, ENGINES["llama.cpp"], ENGINES["transformers"], datetime(2026, 1, 1, tzinfo=UTC))
    context = {"messages": [{"role": "user", "content": None}]}
    for _ in range(2):  # the second time, the cause is remembered
        (finding,) = pair.explain(ALL_HABITS, context)
        assert (finding.cause, finding.verified) == ("none-keys-dropped", True)
    assert len(pair.steps) == 1


def test_a_failure_that_moves_on() -> None:
    def failing(end: int) -> Outcome:
        return Outcome(None, Failure("no", span=Span(0, end)))

    text = Outcome("a")
    assert fails_later((text, failing(5)), (text, failing(9)), growth=2)
    assert not fails_later((text, failing(5)), (text, failing(7)), growth=2)
    assert not fails_later((text, failing(5)), (failing(9), text), growth=0)
    assert not fails_later((text, failing(5)), (failing(9), failing(9)), growth=0)
    assert not fails_later((text, failed("no")), (text, failing(9)), growth=0)
    assert not fails_later((text, failing(5)), (text, failed("no")), growth=0)
    parts = [{"type": "text", "text": "x"}]
    template = "{{ messages[0].content + ': ' + messages[0].content }}"
    assert explain(template, messages=[{"role": "user", "content": parts}])[0] == "plus-of-other-types"
