"""What a tokenizer has to know of a prompt, and what its token ids inherit from it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from chatjinja.marking import Prompt
from chatjinja.tokenization.added import Runs

Offset = tuple[int, int]
_SURROGATE = re.compile("[\ud800-\udfff]")


class Origins:
    """A prompt's text and who wrote which of its characters.

    Attributes:
        text: the prompt's text. A byte that is not UTF-8 is U+FFFD, because tokenizers take characters only;
            offsets stay the same.
        trusted: what the template wrote.
    """

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt
        text = prompt.text
        self.text = text if text.isascii() else _SURROGATE.sub("\ufffd", text)
        self.trusted = Runs(prompt.spans(is_input=False))

    def is_input(self, offsets: Sequence[Offset]) -> list[bool]:
        """Whether any character of each stretch is input."""
        marks = bytearray(len(self.text))
        for start, end in self._prompt.spans():
            marks[start:end] = b"\1" * (end - start)
        find = marks.find
        return [find(1, start, end) >= 0 for start, end in offsets]

    def sources(self, offsets: Sequence[Offset]) -> list[tuple[str, ...]]:
        """The sources of the parts that each stretch overlaps: in their order, each once."""
        parts = self._parts()
        if not any(source for _, _, source in parts):
            return [()] * len(offsets)
        starts = [start for start, _, _ in parts]
        found = []
        for start, end in offsets:
            names: dict[str, None] = {}
            # A character split between two parts belongs to both, so a part may begin before the one before ends.
            index = max(0, bisect_right(starts, start) - 2)
            while start < end and index < len(parts) and parts[index][0] < end:
                _, stop, source = parts[index]
                if source is not None and stop > start:
                    names[source] = None
                index += 1
            found.append(tuple(names))
        return found

    def _parts(self) -> list[tuple[int, int, str | None]]:
        """(start, end, source) of each part that is not empty, in characters of the text."""
        parts = [part for part in self._prompt.parts if part.text]
        text = self._prompt.text
        located = []
        at = 0
        if sum(len(part.text) for part in parts) == len(text):
            for part in parts:
                located.append((at, at + len(part.text), part.source))
                at += len(part.text)
            return located
        owners: list[int] = []
        for index, char in enumerate(text):
            owners += [index] * len(char.encode("utf-8", "surrogateescape"))
        for part in parts:
            end = at + len(part.text.encode("utf-8", "surrogateescape"))
            located.append((owners[at], owners[end - 1] + 1, part.source))
            at = end
        return located
