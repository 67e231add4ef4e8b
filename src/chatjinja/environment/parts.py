"""From the strings of an output to the parts of a prompt."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import Any

from chatjinja.marking import Part
from chatjinja.runtime.json_runs import JsonRuns, plain_json_runs
from chatjinja.runtime.marked import Marked, Runs, Source, TemplateText, pieces_of, runs_of

_new: Any = tuple.__new__
"""Makes a Part in a third of the time that a call of `Part` takes."""


def reference_parts(strings: Iterable[str | Marked]) -> list[Part]:
    """By the reference's rule: neighbours of one origin are joined, and no piece is dropped."""
    found: list[tuple[list[str], bool]] = []
    for value in strings:
        for text, is_input in pieces_of(value):
            if found and found[-1][1] is is_input:
                found[-1][0].append(text)
            else:
                found.append(([text], is_input))
    return [Part("".join(texts), is_input) for texts, is_input in found]


def sound_parts(strings: Iterable[str | Marked]) -> list[Part]:
    """Neighbours of one origin are joined, empty ones dropped."""
    found: list[Part] = []
    before = 0  # how many parts there were when the latest was made of plain strings
    for kind, group in groupby(strings, key=type):
        if kind is not Marked:
            text = "".join(group)  # type: ignore[arg-type]  # all of one type, and that is a str
            if text:
                part = _new(Part, (text, kind is not TemplateText, None, None))
                if before == len(found) and (not found or found[-1][1] is not part[1]):
                    found.append(part)
                else:
                    _add(found, part)
                before = len(found)
            continue
        for value in group:
            runs = value.runs  # type: ignore[union-attr]
            if type(runs) is JsonRuns:
                first, *rest = _json_parts(runs.text)
                _add(found, first)
                found += rest
            else:
                for part in _parts(runs_of(value)):
                    _add(found, part)
    return found


def _add(found: list[Part], part: Part) -> None:
    if found and found[-1][1:] == part[1:]:
        part = _new(Part, (found.pop()[0] + part[0], *part[1:]))
    found.append(part)


def _parts(runs: Runs) -> list[Part]:
    return [
        Part(text, origin.is_input, origin.pointer, origin.span)
        if type(origin) is Source
        else _new(Part, (text, bool(origin), None, None))
        for text, origin in runs
        if text
    ]


@lru_cache(maxsize=256)
def _json_parts(text: str) -> list[Part]:
    return _parts(plain_json_runs(text))
