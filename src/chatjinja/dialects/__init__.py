"""What a dialect is made of; one module per reference engine, holding differences only."""

from __future__ import annotations

from chatjinja.dialects.base import Dialect
from chatjinja.dialects.llama_cpp import LLAMA_CPP_DIALECT
from chatjinja.dialects.llama_cpp_plus import LLAMA_CPP_PLUS_DIALECT

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (LLAMA_CPP_DIALECT, LLAMA_CPP_PLUS_DIALECT)}
"""Every dialect by name."""


def get_dialect(name: str) -> Dialect:
    """The dialect called `name`. Raises ValueError that lists the known ones."""
    try:
        return DIALECTS[name]
    except KeyError:
        known = ", ".join(sorted(DIALECTS))
        raise ValueError(f"unknown dialect {name!r}; known: {known}") from None


__all__ = ["DIALECTS", "Dialect", "get_dialect"]
