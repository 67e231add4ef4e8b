"""From prompts to token ids, by the caller's tokenizer or by this package's safe one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from chatjinja.integrations.errors import ApplyError, ApplyTypeError
from chatjinja.integrations.masks import token_mask
from chatjinja.marking import Prompt
from chatjinja.source import Span
from chatjinja.tokenization import tokenize

_NO_LIMIT = 10**20
"""Tokenizers without a longest input tell a number above this one."""
_PADDING = frozenset(("pad_to_multiple_of", "padding_side", "return_attention_mask", "verbose"))
MASK = "assistant_masks"


class Wanted(NamedTuple):
    """How to encode.

    Attributes:
        padding, truncation, max_length, return_tensors, tokenizer_kwargs: as the tokenizer takes them.
        is_batched: whether the result has one row for each prompt, or is one row.
    """

    padding: Any
    truncation: Any
    max_length: int | None
    return_tensors: Any
    tokenizer_kwargs: dict[str, Any]
    is_batched: bool


def encode(tokenizer: Any, texts: Sequence[str], wanted: Wanted, masked: Sequence[Sequence[Span]] | None) -> Any:
    """What the tokenizer itself gives; with `masked`, spans of each text, also which tokens overlap them."""
    encoded = tokenizer(
        list(texts) if wanted.is_batched else texts[0],
        padding=wanted.padding,
        truncation=wanted.truncation,
        max_length=wanted.max_length,
        add_special_tokens=False,
        return_tensors=wanted.return_tensors,
        **wanted.tokenizer_kwargs,
    )
    if masked is None:
        return encoded
    if encoded.encodings is None:
        raise ApplyTypeError("an assistant mask needs a fast tokenizer: this one does not know where its tokens stand")
    rows = encoded.get("overflow_to_sample_mapping", range(len(texts)))
    masks = [token_mask(masked[row], found.offsets) for row, found in zip(rows, encoded.encodings, strict=True)]
    return _with_masks(encoded, masks, wanted)


def encode_safely(
    tokenizer: Any, prompts: Sequence[Prompt], wanted: Wanted, masked: Sequence[Sequence[Span]] | None
) -> Any:
    """As `encode`, with ids in which only the template can write control tokens."""
    unknown = set(wanted.tokenizer_kwargs) - _PADDING
    if unknown:
        raise ApplyError(
            f"safe tokens know of tokenizer_kwargs only {', '.join(sorted(_PADDING))}, not {', '.join(sorted(unknown))}"
        )
    results = [tokenize(prompt, tokenizer) for prompt in prompts]
    rows = [_cut(result.ids, tokenizer, wanted) for result in results]
    many = wanted.is_batched or wanted.return_tensors is not None
    encoded = tokenizer.pad(
        {"input_ids": rows if many else rows[0]},
        padding=wanted.padding,
        max_length=wanted.max_length if wanted.padding == "max_length" else None,
        return_tensors=wanted.return_tensors,
        **wanted.tokenizer_kwargs,
    )
    if masked is None:
        return encoded
    on_the_left = (wanted.tokenizer_kwargs.get("padding_side") or tokenizer.padding_side) == "left"
    masks = []
    padded = encoded["input_ids"] if many else [encoded["input_ids"]]
    for row, result, spans in zip(padded, results, masked, strict=True):
        mask = _cut(token_mask(spans, result.offsets), tokenizer, wanted)
        blank = [0] * (len(row) - len(mask))
        masks.append(blank + mask if on_the_left else mask + blank)
    return _with_masks(encoded, masks, wanted)


def _cut(values: list[int], tokenizer: Any, wanted: Wanted) -> list[int]:
    """The values of a row that truncation leaves."""
    limit = wanted.max_length if wanted.max_length is not None else tokenizer.model_max_length
    if not wanted.truncation or wanted.truncation == "do_not_truncate" or limit > _NO_LIMIT or len(values) <= limit:
        return values
    return values[:limit] if tokenizer.truncation_side == "right" else values[len(values) - limit :]


def _with_masks(encoded: Any, masks: list[list[int]], wanted: Wanted) -> Any:
    """Add the masks in the shape of the ids."""
    if wanted.return_tensors is None:
        encoded[MASK] = masks if wanted.is_batched else masks[0]
        return encoded
    encoded[MASK] = masks
    return encoded.convert_to_tensors(tensor_type=wanted.return_tensors)
