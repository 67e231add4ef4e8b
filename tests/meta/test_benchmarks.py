"""The parts of the benchmarks that can be wrong without anyone noticing."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compare import compare
from benchmarks.conversations import CASES, context, conversation
from benchmarks.first_render import renewed
from benchmarks.measure import geometric_mean, medians, table, write_json


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("as_text", [False, True])
def test_conversations_are_the_same_every_time(name: str, as_text: bool) -> None:
    assert json.dumps(CASES[name](as_text)) == json.dumps(CASES[name](as_text))


def test_conversation_shape() -> None:
    messages = conversation(10)
    assert [m["role"] for m in messages] == ["system", *["user", "assistant"] * 9, "user"]
    assert any(not m["content"].isascii() for m in messages)


def test_calls_and_results_belong_together() -> None:
    values = context(10, with_tools=True)
    calls = [call["id"] for m in values["messages"] for call in m.get("tool_calls", [])]
    results = [m["tool_call_id"] for m in values["messages"] if m["role"] == "tool"]
    assert calls == results
    assert len(set(calls)) == len(calls) == 5
    assert len(values["tools"]) == 8


@pytest.mark.parametrize("as_text", [False, True])
def test_renewed_conversations_share_no_text(as_text: bool) -> None:
    values = CASES["10 turns, tools"](as_text)
    texts = [json.dumps(renewed(values, number)["messages"], ensure_ascii=False) for number in (1, 2)]
    assert texts[0].count("(1)") == texts[1].count("(2)") > 20
    assert texts[0].replace("(1)", "(2)") == texts[1]


@pytest.mark.parametrize(("as_text", "kind"), [(False, dict), (True, str)])
def test_form_of_arguments(as_text: bool, kind: type) -> None:
    messages = conversation(4, with_calls=True, arguments_as_text=as_text)
    assert {type(c["function"]["arguments"]) for m in messages for c in m.get("tool_calls", [])} == {kind}


def test_every_candidate_is_measured() -> None:
    times = medians({"a": lambda: None, "b": lambda: sum(range(1000))}, rounds=3, sample_seconds=0.0001)
    assert list(times) == ["a", "b"]
    assert 0 < times["a"] < times["b"]


def test_geometric_mean() -> None:
    assert geometric_mean([2, 8]) == pytest.approx(4)
    assert math.isnan(geometric_mean([]))


def test_table() -> None:
    assert table(["name", "n"], [["long name", "1"]]) == "| name      | n |\n|-----------|--:|\n| long name | 1 |"


def result(path: Path, times: dict[str, float], benchmark: str = "b") -> Path:
    rows: list[dict[str, Any]] = [{"case": case, "microseconds": {"x": time}} for case, time in times.items()]
    write_json(path, benchmark, rows)
    return path


def test_compare(tmp_path: Path) -> None:
    old = result(tmp_path / "old.json", {"one": 10.0, "gone": 1.0})
    new = result(tmp_path / "new.json", {"one": 5.0, "added": 1.0})
    text = compare(old, new)
    assert "| one  |    x |   10.0 |    5.0 |    0.50 |" in text
    assert text.endswith("x: 0.500")
    assert "gone" not in text
    assert "added" not in text


def test_compare_refuses_what_cannot_be_compared(tmp_path: Path) -> None:
    old = result(tmp_path / "old.json", {"one": 10.0})
    with pytest.raises(SystemExit, match="different benchmarks"):
        compare(old, result(tmp_path / "other.json", {"one": 5.0}, "other"))
    with pytest.raises(SystemExit, match="no times in common"):
        compare(old, result(tmp_path / "new.json", {"two": 5.0}))


def test_result_names_the_machine_but_no_path(tmp_path: Path) -> None:
    data = json.loads(result(tmp_path / "r.json", {}).read_text(encoding="utf-8"))
    assert {"processor", "system", "python", "jinja2", "minijinja"} <= data["machine"].keys()
    assert not any("/" in value for value in data["machine"].values())
