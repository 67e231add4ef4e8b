"""Which node of the template stands behind a position of the generated code.

Generated calls carry the extent of their template node as Python position, so the traceback of a failing
call leads back to the template at no run-time cost. Several nodes can have one extent; then the end of
the later one is moved until the position is free.
"""

from __future__ import annotations

from typing import NamedTuple

from chatjinja.compiler.pyast import Loc
from chatjinja.source import Source
from chatjinja.syntax.nodes import Node


class Site(NamedTuple):
    """What to report: the reference's node name, where it stands, and its extent (character offsets)."""

    node: str
    at: int
    start: int
    end: int


class SiteTable:
    """Positions given out so far."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._by_loc: dict[Loc, tuple[Site, ...]] = {}
        self._by_sites: dict[tuple[Site, ...], Loc] = {}

    @property
    def by_loc(self) -> dict[Loc, tuple[Site, ...]]:
        return self._by_loc

    def loc(self, *reporters: Node) -> Loc:
        """Position for a call whose failures `reporters` report: the first one, or the one that the
        error's ``site`` picks."""
        sites = tuple(Site(node.reference, node.at, node.start, node.end) for node in reporters)
        known = self._by_sites.get(sites)
        if known is not None:
            return known
        first = reporters[0]
        source = self._source
        lineno, end_lineno = source.lineno(first.start), source.lineno(first.end)
        column, end_column = source.byte_column(first.start), source.byte_column(first.end)
        loc = (lineno, column, end_lineno, end_column)
        while loc in self._by_loc:
            end_column += 1
            loc = (lineno, column, end_lineno, end_column)
        self._by_loc[loc] = sites
        self._by_sites[sites] = loc
        return loc
