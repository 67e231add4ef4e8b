"""Behaviours in which dialects differ. Only the record; the values are in `chatjinja.dialects`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Semantics:
    """How a dialect's statements and names behave.

    Attributes:
        else_without_completed_pass: a loop's ``else`` runs when no pass ran to its end (llama.cpp);
            otherwise when there was no pass at all (Jinja2).
        constants: names that are set at the start of every render, with their values. They are ordinary
            variables: the context and ``set`` can replace them.
    """

    else_without_completed_pass: bool
    constants: tuple[tuple[str, bool | None], ...]
