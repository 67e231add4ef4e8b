"""What a dialect is made of; one module per reference engine, holding differences only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from chatjinja.dialects.base import Dialect, JinjaDialect, LlamaDialect

_MODULES = {
    "llama.cpp": ("llama_cpp", "LLAMA_CPP_DIALECT"),
    "llama.cpp+": ("llama_cpp_plus", "LLAMA_CPP_PLUS_DIALECT"),
    "transformers": ("transformers", "TRANSFORMERS_DIALECT"),
}


class _Dialects(Mapping[str, Dialect]):
    """Loads a dialect when it is asked for: each brings its built-ins along."""

    def __getitem__(self, name: str) -> Dialect:
        module, attribute = _MODULES[name]
        dialect: Dialect = getattr(import_module(f"{__name__}.{module}"), attribute)
        return dialect

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


DIALECTS: Mapping[str, Dialect] = _Dialects()
"""Every dialect by name."""


def get_dialect(name: str) -> Dialect:
    """The dialect called `name`. Raises ValueError that lists the known ones."""
    try:
        return DIALECTS[name]
    except KeyError:
        known = ", ".join(sorted(DIALECTS))
        raise ValueError(f"unknown dialect {name!r}; known: {known}") from None


__all__ = ["DIALECTS", "Dialect", "JinjaDialect", "LlamaDialect", "get_dialect"]
