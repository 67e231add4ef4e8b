"""Token ids that know where they come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from chatjinja.tokenization.origins import Offset, Origins


class TokenizedPrompt:
    """The token ids of a prompt. Immutable.

    Attributes:
        ids: the ids.
    """

    def __init__(
        self, ids: Sequence[int], offsets: Callable[[], Sequence[Offset]], origins: Origins, *, added: int = 0
    ) -> None:
        self.ids = list(ids)
        self._make_offsets = offsets
        self._origins = origins
        self._added = added

    @cached_property
    def offsets(self) -> list[Offset]:
        """For each id, the half-open range of characters of the prompt's text that it stands for.

        A token that is a part of a character has that character's range. A control token has the range of its own
        text, even where it swallows the blanks beside it. What stands for no character has an empty range; an added
        BOS has (0, 0).
        """
        return [(0, 0)] * self._added + list(self._make_offsets())

    @cached_property
    def is_input(self) -> list[bool]:
        """For each id, whether any of its characters is input."""
        return self._origins.is_input(self.offsets)

    @cached_property
    def sources(self) -> list[tuple[str, ...]]:
        """For each id, the JSON Pointers of the parts that it overlaps; all empty if the prompt has no provenance."""
        return self._origins.sources(self.offsets)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"TokenizedPrompt({len(self.ids)} ids)"
