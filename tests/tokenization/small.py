"""Small tokenizers of every kind, for tests without real ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())


def byte_level(tokens: Sequence[AddedToken] = (), *, normalizer: Any = None, pieces: Sequence[str] = ()) -> Tokenizer:
    """Byte-level BPE: lossless."""
    vocab = {char: id_ for id_, char in enumerate([*ALPHABET, "he", "Ġa", "ĠĠ", *pieces])}
    merges = [("h", "e"), ("Ġ", "a"), ("Ġ", "Ġ")]
    tokenizer = Tokenizer(models.BPE(vocab, merges, ignore_merges=True))
    # Without the usual split at punctuation, a text that is one of `pieces` becomes that piece.
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not pieces)
    tokenizer.decoder = decoders.ByteLevel()
    return _finish(tokenizer, tokens, normalizer)


def blank_prefix(tokens: Sequence[AddedToken] = ()) -> Tokenizer:
    """BPE over characters as Llama 2 has it: a blank before each text, bytes for unknown characters."""
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *map(chr, range(33, 127)), "▁a", "▁▁"]
    vocab = {piece: id_ for id_, piece in enumerate(pieces)}
    merges = [("▁", "a"), ("▁", "▁")]
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return _finish(tokenizer, tokens, normalizer)


def metaspace(scheme: str, tokens: Sequence[AddedToken] = (), *, pieces: Sequence[str] = ()) -> Tokenizer:
    """Unigram with `Metaspace`."""
    vocab = [("<unk>", 0.0), ("▁", -2.0), ("▁a", -2.0), *((chr(code), -3.0) for code in range(33, 127))]
    vocab += [(piece, -1.0) for piece in pieces]
    tokenizer = Tokenizer(models.Unigram(vocab, unk_id=0, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
    return _finish(tokenizer, tokens, None)


def word_piece(tokens: Sequence[AddedToken] = ()) -> Tokenizer:
    """WordPiece with BERT's lower-casing normalizer."""
    letters = [chr(code) for code in range(33, 127)]
    pieces = ["[UNK]", *letters, *(f"##{letter}" for letter in letters)]
    tokenizer = Tokenizer(models.WordPiece({piece: id_ for id_, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _finish(tokenizer, tokens, normalizers.BertNormalizer())


def words(
    tokens: Sequence[AddedToken] = (), *, pieces: Sequence[str] = (), unk_token: str | None = "[UNK]"
) -> Tokenizer:
    """Whole words between blanks."""
    vocab = {piece: id_ for id_, piece in enumerate(["[UNK]", "a", *pieces])}
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token=unk_token))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(" "), "isolated")
    return _finish(tokenizer, tokens, None)


def _finish(tokenizer: Tokenizer, tokens: Sequence[AddedToken], normalizer: Any) -> Tokenizer:
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.add_tokens(list(tokens))
    return tokenizer
