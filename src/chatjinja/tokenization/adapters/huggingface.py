"""Tokenizers of Hugging Face's ``tokenizers``, also inside ``transformers``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from tokenizers import AddedToken, Tokenizer

from chatjinja.tokenization.adapters.base import Encoded, freed, regions, stay_apart
from chatjinja.tokenization.adapters.normalized import NormalizedFinder, does_nothing
from chatjinja.tokenization.adapters.placeholders import (
    Flags,
    Letters,
    Shape,
    choose_letters,
    flags_of,
    substitute,
)
from chatjinja.tokenization.adapters.respelling import Respeller, apply
from chatjinja.tokenization.added import Added, Lexicon, Occurrence, Runs, extents
from chatjinja.tokenization.errors import TokenizerError
from chatjinja.tokenization.origins import Offset, Origins


class _Copy(NamedTuple):
    """A copy of the tokenizer that knows placeholders in place of control tokens.

    Its added tokens need not have the ids of the original's.
    """

    tokenizer: Tokenizer
    letters: Letters
    shapes: frozenset[Shape]
    placeholders: dict[int, Shape]
    renamed: dict[int, int]


class HuggingFaceAdapter:
    """Encodes with a copy of the tokenizer, which shares model and normaliser with the original.

    Padding and truncation are not for prompts, so the copy does neither.
    """

    def __init__(self, tokenizer: Any, allow: Collection[str]) -> None:
        self._bos_id = _leading_id(tokenizer)
        self._model = tokenizer.model
        self._model_size = tokenizer.get_vocab_size(False)
        self._normalizer = tokenizer.normalizer
        self._pre_tokenizer = tokenizer.pre_tokenizer
        self._read_added(tokenizer.get_added_tokens_decoder(), allow)
        self._respeller = Respeller(self._model, self._controls)
        shapes = frozenset(Shape(flags_of(token), len(token.text)) for token in self._placed)
        self._usual = self._copy(self._letters(""), shapes)

    def _read_added(self, decoder: dict[int, AddedToken], allow: Collection[str]) -> None:
        tokens = freed(
            [_added(id_, token) for id_, token in decoder.items()],
            allow,
            {id_ for id_, token in decoder.items() if token.special},
        )
        self._ids = {token.text: token.id for token in tokens}
        self._controls = [token for token in tokens if not token.free]
        free = [token for token in tokens if token.free]
        changes = not does_nothing(self._normalizer)
        # Free tokens that cannot touch a control token need not be looked for: the copy knows them and finds them.
        apart = stay_apart(free, self._controls) and not (changes and any(token.normalized for token in self._controls))
        self._everywhere = not apart
        self._left = {token.id: _unspecial(decoder[token.id]) for token in free} if apart else {}
        self._placed = self._controls if apart else tokens
        self._kinds = sorted({flags_of(token) for token in self._placed})
        late = [token for token in self._placed if token.normalized]
        self._early = Lexicon(token for token in self._placed if not token.normalized)
        self._late = Lexicon([] if changes else late)
        self._normalized = NormalizedFinder(self._normalizer, late) if changes and late else None

    # --- what an adapter offers --------------------------------------------------------------------------

    def encode(self, tokenizer: Any, origins: Origins) -> Encoded:
        """The ids of a prompt."""
        found = self._find(origins)
        copy = self._copy_for(origins.text, found)
        encoding = copy.tokenizer.encode(substitute(origins.text, found, copy.letters), add_special_tokens=False)
        spellings = self._respeller.replacements(encoding, origins)
        ids = encoding.ids
        places = [place for place, id_ in enumerate(ids) if id_ in copy.placeholders]
        shapes = [copy.placeholders[ids[place]] for place in places]
        if shapes != [Shape(flags_of(token), end - start) for start, end, token in found]:
            raise TokenizerError("the normalizer of this tokenizer does not leave control tokens where they are")
        if copy.renamed:
            ids = [copy.renamed.get(id_, id_) for id_ in ids]
        for place, occurrence in zip(places, found, strict=True):
            ids[place] = occurrence.token.id

        def offsets() -> Sequence[Offset]:
            known: list[Offset] = encoding.offsets
            for place, (start, end, _) in zip(places, found, strict=True):
                known[place] = (start, end)
            return known

        return apply(Encoded(ids, offsets), spellings)

    def bos_id(self) -> int | None:
        """What the post-processor puts first."""
        return self._bos_id

    def added_id(self, text: str) -> int | None:
        """The id of an added token."""
        return self._ids.get(text)

    # --- which tokens are accepted -----------------------------------------------------------------------

    def _find(self, origins: Origins) -> list[Occurrence]:
        """The tokens to place, in their order."""
        text, trusted = origins.text, origins.trusted
        places = regions(origins, self._everywhere)
        found = self._early.find(text, places, trusted)
        taken = extents(text, found)
        rest = Runs(places).without(taken)
        if self._normalized is not None:
            found += self._normalized.find(text, rest, trusted)
        elif self._late.tokens:
            # A token that is looked for later sees the text between those found before as a text of its own.
            found += self._late.find(text, rest, trusted, {edge for stretch in taken for edge in stretch})
        return sorted(found)

    # --- the copy ----------------------------------------------------------------------------------------

    def _copy_for(self, text: str, found: Iterable[Occurrence]) -> _Copy:
        usual = self._usual
        shapes = usual.shapes
        if self._normalized is not None:
            # What normalises to a token can be longer or shorter than it.
            shapes |= {Shape(flags_of(token), end - start) for start, end, token in found}
        if shapes == usual.shapes and usual.letters.are_new_to(text):
            return usual
        return self._copy(self._letters(text), shapes)

    def _letters(self, text: str) -> Letters:
        left = "".join(token.content for token in self._left.values())
        return choose_letters(self._kinds, self._keeps, text + left)

    def _keeps(self, letter: str) -> bool:
        return self._normalized is None or self._normalized.keeps(letter)

    def _copy(self, letters: Letters, shapes: frozenset[Shape]) -> _Copy:
        copy = self._bare_copy()
        placeholders = _add_placeholders(copy, letters, shapes)
        if any(self._model.id_to_token(id_) is not None for id_ in placeholders):
            # The ids of the vocabulary have gaps; new ids must begin after its last one.
            copy = self._bare_copy()
            gap = max(copy.get_vocab(False).values()) + 1 - self._model_size
            copy.add_tokens([AddedToken(f"{letters.spare}{n}.", normalized=False) for n in range(gap)])
            placeholders = _add_placeholders(copy, letters, shapes)
        copy.add_tokens(list(self._left.values()))
        ids = ((_id_of(copy, token.content), id_) for id_, token in self._left.items())
        return _Copy(copy, letters, shapes, placeholders, {new: old for new, old in ids if new != old})

    def _bare_copy(self) -> Tokenizer:
        copy = Tokenizer(self._model)
        if self._normalizer is not None:
            copy.normalizer = self._normalizer
        if self._pre_tokenizer is not None:
            copy.pre_tokenizer = self._pre_tokenizer
        return copy


def _add_placeholders(copy: Tokenizer, letters: Letters, shapes: Iterable[Shape]) -> dict[int, Shape]:
    spelt = {letters.write(shape): shape for shape in sorted(shapes)}
    copy.add_tokens([_placeholder(text, shape.flags) for text, shape in spelt.items()])
    return {_id_of(copy, text): shape for text, shape in spelt.items()}


def _id_of(tokenizer: Tokenizer, text: str) -> int:
    id_ = tokenizer.token_to_id(text)
    assert id_ is not None
    return id_


def _placeholder(text: str, flags: Flags) -> AddedToken:
    return AddedToken(text, lstrip=flags.lstrip, rstrip=flags.rstrip, normalized=flags.normalized)


def _added(id_: int, token: AddedToken) -> Added:
    return Added(
        token.content,
        id_,
        lstrip=token.lstrip,
        rstrip=token.rstrip,
        single_word=token.single_word,
        normalized=token.normalized,
    )


def _unspecial(token: AddedToken) -> AddedToken:
    return AddedToken(
        token.content,
        lstrip=token.lstrip,
        rstrip=token.rstrip,
        single_word=token.single_word,
        normalized=token.normalized,
    )


def _leading_id(tokenizer: Any) -> int | None:
    """The id that the tokenizer puts before a text by itself."""
    encoding = tokenizer.encode("a")
    return encoding.ids[0] if encoding.special_tokens_mask[:1] == [1] else None
