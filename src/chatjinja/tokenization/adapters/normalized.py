"""Added tokens that Hugging Face's tokenizers look for in the normalised text (``normalized=True``).

With a normaliser that lower-cases or folds full-width forms, text becomes such a token that is not spelt like it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from tokenizers import PreTokenizedString

from chatjinja.tokenization.added import Added, Lexicon, Occurrence, Runs, Swallowed, stands_alone

_PROBES = ("1", "a", "А", "一", "\ue000")
"""Characters of different kinds, in the hope that a normaliser leaves one of them alone."""


class NormalizedFinder:
    """Finds added tokens in the normalised text, and where they stand in the text itself."""

    def __init__(self, normalizer: Any, tokens: Iterable[Added]) -> None:
        self._normalizer = normalizer
        # What the normaliser puts around a text of its own (the blank of a `Prepend`) is put around the token, too.
        # It stands for no character of the token, so nobody need trust it.
        probe = next(filter(self.keeps, _PROBES), "")
        before, _, after = normalizer.normalize_str(probe).partition(probe) if probe else ("", "", "")
        self._before, self._after = len(before), len(after)
        self._tokens = {token.text: token for token in tokens}
        spelt = ((normalizer.normalize_str(text), token) for text, token in self._tokens.items())
        self._originals = {text: token for text, token in spelt if len(text) > self._before + self._after}
        self._lexicon = Lexicon(token._replace(text=text) for text, token in self._originals.items())

    def keeps(self, letter: str) -> bool:
        """Whether the normaliser leaves a letter as it is, wherever it stands."""
        twice = letter * 2
        return all(twice in self._normalizer.normalize_str(text) for text in (twice, f"({twice})", f"({twice}"))

    def find(self, text: str, stretches: Iterable[tuple[int, int]], trusted: Runs) -> list[Occurrence]:
        """The tokens in `stretches`, each of which is normalised by itself; see `Lexicon.find`."""
        return [occurrence for start, end in stretches for occurrence in self._find_in(text[start:end], start, trusted)]

    def _find_in(self, stretch: str, base: int, trusted: Runs) -> Iterable[Occurrence]:
        normal = self._normalizer.normalize_str(stretch)
        candidates = {
            at: [(token, at + self._before, at + len(token.text) - self._after) for token in tokens]
            for at in self._lexicon.places(normal, 0, len(normal))
            if (tokens := list(self._lexicon.spelt_at(normal, at, len(normal))))
        }
        edges = {edge for spelt in candidates.values() for _, first, last in spelt for edge in (first, last)}
        if normal == stretch:
            starts = ends = {edge: edge for edge in edges}
        else:
            starts, ends = self._origins(stretch, len(normal), edges)
        done = 0
        swallowed = Swallowed(normal)
        for at, spelt in candidates.items():
            if at < done:
                continue
            for token, first, last in spelt:
                start, end = base + starts[first], base + ends[last]
                if not token.free and trusted.end(start) < end:
                    continue
                done = at + len(token.text)
                alone = not token.single_word or stands_alone(normal, at, done)
                if alone and swallowed.leaves(Occurrence(at, done, token)):
                    yield Occurrence(start, end, self._originals[token.text])
                break

    def _origins(self, stretch: str, size: int, edges: set[int]) -> tuple[dict[int, int], dict[int, int]]:
        """Where that starts (and where that ends), in the text, which starts (or ends) at an edge when normalised."""
        pieces = PreTokenizedString(stretch)
        pieces.normalize(self._normalizer.normalize)
        ranges = list(pairwise(sorted({0, size} | edges)))
        pieces.split(lambda _, whole: [whole.slice(edge) for edge in ranges])
        # In ASCII, bytes are characters, and cheaper to count.
        found = [offsets for _, offsets, _ in pieces.get_splits("original", "byte" if stretch.isascii() else "char")]
        starts = {place: start for (place, _), (start, _) in zip(ranges, found, strict=True)}
        ends = {place: end for (_, place), (_, end) in zip(ranges, found, strict=True)}
        return starts, ends


def does_nothing(normalizer: Any) -> bool:
    """Whether a normaliser is none, or an empty list of them."""
    if normalizer is None:
        return True
    try:
        state = json.loads(normalizer.__getstate__())
    except Exception:  # one written in Python cannot be serialised, and the library raises no narrower type
        return False
    return state.get("type") == "Sequence" and not state["normalizers"]
