"""What a dialect may choose about the syntax."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SyntaxConfig:
    """Syntax switches of a dialect. The defaults are llama.cpp's.

    Attributes:
        lstrip_drops_first_character: llama.cpp's lexer drops the very first character of the source when
            lstrip walks back to it, be it a letter: ``x{% if s %}`` loses the ``x``.
        raw_blocks: ``{% raw %}…{% endraw %}`` is text.
        floor_division: ``//`` is an operator (one level with ``*``).
        power: ``**`` is an operator, binding tighter than ``*`` and grouping to the left, as in Jinja2:
            ``-2**2`` is 4 and ``2**3**2`` is 64.
        max_nesting: deepest syntactic nesting; `Limits.nesting`.
    """

    lstrip_drops_first_character: bool = True
    raw_blocks: bool = False
    floor_division: bool = False
    power: bool = False
    max_nesting: int = 200
