"""Marked prompts, written by hand and made up."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from chatjinja.marking import Part, Prompt


def prompt(*parts: str) -> Prompt:
    """A prompt whose parts are, in turn, the template's and input, beginning with the template's."""
    return Prompt("".join(parts), [Part(text, bool(index % 2)) for index, text in enumerate(parts)])


def all_trusted(text: str) -> Prompt:
    """A prompt of the template's text only."""
    return prompt(text)


def texts(words: Sequence[str]) -> st.SearchStrategy[str]:
    """Texts that are likely to spell, nearly spell and surround the words."""
    pieces = sorted({part for word in words for part in (word, word[:-1], word[1:], word[: len(word) // 2])} - {""})
    return st.lists(
        st.one_of(st.sampled_from(pieces), st.sampled_from(pieces), st.sampled_from(NEIGHBOURS), st.text(max_size=3)),
        max_size=12,
    ).map("".join)


def prompts(words: Sequence[str]) -> st.SearchStrategy[Prompt]:
    """Prompts of such texts, cut into parts anywhere."""
    return st.lists(texts(words), max_size=6).map(lambda parts: prompt(*parts))


NEIGHBOURS = (
    " ",
    "  ",
    "\n",
    "\n\n",
    "a",
    "A",
    "é",
    "e\u0301",
    "_",
    "1",
    "x y",
    "\u3000",
    "ﬁ",
    "Ⓐ",
    "\u0338",
    "\x01\x02",
    "\x1c",
)
