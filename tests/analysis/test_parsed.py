"""Trees to look around in, edits, marks and places."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from chatjinja.analysis.engines import ENGINES, Outcome
from chatjinja.analysis.engines.base import Failure
from chatjinja.analysis.markers import observed, observing, printed_by, with_marks, without_marks
from chatjinja.analysis.parsed import Edit, Parsed, called, edited
from chatjinja.analysis.places import FAR, Place, Rendering, locate, ranks
from chatjinja.source import Span
from chatjinja.syntax import nodes

ENGINE = ENGINES["llama.cpp"]
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def test_edits() -> None:
    assert edited("abc", [Edit(2, 3, "z"), Edit(0, 1, "x")]) == "xbz"
    assert edited("abc", [Edit(0, 2, "x"), Edit(1, 3, "y")]) is None
    assert edited("abc", [Edit(1, 1, "-")]) == "a-bc"


def test_uses() -> None:
    parsed = Parsed("{{ a|upper }}{{ a.upper() }}{{ b|trim('x') }}{{ b.strip() }}{{ c.upper }}{{ d() }}{{ d[0]() }}")
    assert [(use.name, parsed.text(use.value), len(use.args)) for use in parsed.uses("upper", "trim")] == [
        ("upper", "a", 0),
        ("trim", "b", 1),
        ("upper", "a", 0),
        ("strip", "b", 0),
    ]
    assert called(nodes.Const(1)) == ("", [])


def test_nodes_know_what_they_stand_in() -> None:
    parsed = Parsed("{% if a %}{{ f(b.c) }}{% endif %}")
    (access,) = parsed.of(nodes.Getattr)
    assert [type(above).__name__ for above in parsed.around(access)] == ["Call", "Output", "If", "Template"]
    assert not parsed.is_called(access)
    assert parsed.is_called(parsed.of(nodes.Call)[0].node)
    assert parsed.operand(access) == "b.c"
    assert parsed.span(access) == Span(15, 18)
    sums = Parsed("{{ a + b }}")
    assert sums.operand(sums.of(nodes.BinExpr)[0]) == "(a + b)"


def test_other_grammars() -> None:
    assert Parsed("{{ a // b }}").template is not None
    assert Parsed("{% with a = 1 %}{{ a }}{% endwith %}").template is not None
    broken = Parsed("{% if %}\r\n")
    assert broken.template is None
    assert broken.source.text == "{% if %}"
    assert broken.of(nodes.If) == []


# --- marks -----------------------------------------------------------------------------------------------


def test_marks() -> None:
    parsed = Parsed("a{{- x }} b {{ y -}}\n c")
    marked = with_marks(parsed)
    assert marked is not None
    text = ENGINE.compile(marked, MOMENT).render({"x": "é", "y": "2"}).text
    assert text is not None
    assert without_marks(text) == "aé b 2c"
    assert printed_by(parsed, text, 0) is None
    assert printed_by(parsed, text, 1) == Span(1, 9)
    assert printed_by(parsed, text, 2) == Span(1, 9)
    assert printed_by(parsed, text, 3) is None
    assert printed_by(parsed, text, 6) == Span(12, 20)
    assert printed_by(parsed, text, 7) is None
    assert with_marks(Parsed("\ue0d0")) is None
    assert printed_by(parsed, "\ue0d11\ue0d2ab", 1) is None  # an end without its start


# --- places ----------------------------------------------------------------------------------------------


def rendering(text: str | None, failure: Failure | None = None, name: str = "llama.cpp", **values: object) -> Rendering:
    return Rendering(ENGINES[name], values, Outcome(text, failure))


def test_place_of_a_text() -> None:
    parsed = Parsed("a{{ x }}b{{ y }}")
    place = locate(parsed, rendering("a1b2", x=1, y=2), rendering("a1b3", x=1, y=3))
    assert place.spans[0] == Span(9, 16)
    assert place.source == "/y"
    end = locate(parsed, rendering("a1b", x=1, y=""), rendering("a1b3", x=1, y=3))
    assert Span(9, 16) in (*end.spans, *end.between)


def test_place_of_an_engine_that_is_not_ours() -> None:
    parsed = Parsed("{{ x }}")
    odd = Rendering(ENGINE, {"x": 1.0}, Outcome("other"), partial(ENGINE.compile, moment=MOMENT))
    assert locate(parsed, odd, odd._replace(compile=None)) == Place(())
    failing = Rendering(ENGINE, {"x": object()}, Outcome("other"), partial(ENGINE.compile, moment=MOMENT))
    assert locate(parsed, failing, failing) == Place(())


def test_place_of_a_failure() -> None:
    parsed = Parsed("a\nb{{ x }}\nc")
    by_line = rendering(None, Failure("no", lineno=2))
    assert locate(parsed, by_line, rendering("")).spans == (Span(2, 10),)
    by_span = rendering(None, Failure("no", span=Span(3, 10), lineno=2))
    assert locate(parsed, by_span, rendering("")).spans == (Span(3, 10),)
    assert locate(parsed, rendering(None, Failure("no", lineno=99)), rendering("")).spans == (Span(11, 12),)
    assert locate(parsed, rendering(None, Failure("no")), rendering("")).spans == ()


def test_ranks() -> None:
    source = (
        "{% set a = b %}{% macro m() %}{{ c }}{% endmacro %}{% for x in xs %}{% if t %}{{ a }}{% elif u %}{% endif %}"
        "{% endfor %}{% set n.k = 1 %}{% set z %}{% endset %}{{ far }}"
    )
    parsed = Parsed(source)

    def at(text: str) -> Span:
        start = source.index(text)
        return Span(start, start + len(text))

    rank = ranks(parsed, Place((at("{{ a }}"),), (at("{% elif u %}"),)))
    assert rank(at("{{ a }}"))[0] == 0
    assert rank(at("elif"))[0] == 1
    assert rank(at("t %}{{"))[0] == 0
    assert [rank(at(text))[0] for text in ("xs", "b %}", "far")] == [2, 2, FAR]


def test_observing() -> None:
    parsed = Parsed("{% if a %}b{{ c }}{% endif %}")
    source = observing(parsed, Span(6, 7))
    assert source is not None
    text = ENGINE.compile(source, MOMENT).render({"a": "é", "c": 1}).text
    assert observed(text) == ["é"]
    assert observed(None) == []
    inner = observing(parsed, Span(14, 15))
    assert inner is not None
    assert observed(ENGINE.compile(inner, MOMENT).render({"a": True, "c": 1}).text) == ["1"]
    assert observing(parsed, Span(0, 999)) is None
