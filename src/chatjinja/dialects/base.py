"""The record that describes a dialect."""

from __future__ import annotations

from dataclasses import dataclass

from chatjinja.runtime.jinja.tables import JinjaTables
from chatjinja.runtime.tables import Tables
from chatjinja.semantics import Semantics
from chatjinja.syntax.config import SyntaxConfig


@dataclass(frozen=True, slots=True)
class Deviation:
    """One way in which a dialect differs from its reference engine.

    Attributes:
        name: short kebab-case name.
        what: what happens here, and what the reference does.
        example: a template that shows it.
        reference: what the reference gives for `example`.
        here: what this dialect gives.
    """

    name: str
    what: str
    example: str
    reference: str
    here: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Dialect:
    """A template language as one engine understands it.

    Attributes:
        name: what users write, such as ``"llama.cpp"``.
        reference: the engine and version whose behaviour is reproduced.
        syntax: switches of lexer and parser.
        deviations: where the dialect knowingly differs from its reference.
        reference_marking: whether the reference engine marks input, so that there is something to reproduce.
    """

    name: str
    reference: str
    syntax: SyntaxConfig
    deviations: tuple[Deviation, ...]
    reference_marking: bool = True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LlamaDialect(Dialect):
    """A dialect of llama.cpp's language.

    Attributes:
        semantics: switches of statements and names.
        tables: built-ins of the fast form; `exact_tables` those of the exact form.
    """

    semantics: Semantics
    tables: Tables
    exact_tables: Tables

    @property
    def own_names(self) -> frozenset[str]:
        """Names that mean something without a context: constants and global functions."""
        return frozenset((*(name for name, _ in self.semantics.constants), *self.tables.globals))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JinjaDialect(Dialect):
    """A dialect of Jinja2's language.

    Attributes:
        tables: built-ins of the text form; `sound_tables` those that know who wrote what.
    """

    tables: JinjaTables
    sound_tables: JinjaTables
