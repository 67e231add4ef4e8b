"""The known causes of differences, grouped by what they are about; the first that fits is taken."""

from __future__ import annotations

from chatjinja.analysis.catalogue import json_text, names, numbers, printing, scopes, syntax, text
from chatjinja.analysis.catalogue.base import Cause, Evidence, Example, Fix

GROUPS: dict[str, tuple[Cause, ...]] = {
    "Variables and names": names.CAUSES,
    "JSON": json_text.CAUSES,
    "Printing": printing.CAUSES,
    "Strings": text.CAUSES,
    "Operators": numbers.CAUSES,
    "Scopes, loops and macros": scopes.CAUSES,
    "Grammar and blanks": syntax.CAUSES,
}
"""The catalogue by heading."""
CATALOGUE: tuple[Cause, ...] = tuple(cause for causes in GROUPS.values() for cause in causes)
HABITS: dict[str, Cause] = names.HABITS_CAUSES

__all__ = ["CATALOGUE", "GROUPS", "HABITS", "Cause", "Evidence", "Example", "Fix"]
