"""Real tokenizers, loaded once, and the real templates."""

from __future__ import annotations

import base64
import json
import os
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from tests.conformance.corpora import shared_folder
from tests.tokenization.fetch import fetched

HUGGING_FACE = ("qwen3", "llama3.1", "llama2", "gemma3", "gpt-oss", "deepseek-v3", "minilm")
LOSSLESS = ("qwen3", "llama3.1", "gemma3", "gpt-oss", "deepseek-v3")
CONTROLS = {
    "qwen3": ("<|im_start|>", "<|im_end|>", "<think>", "</tool_call>"),
    "llama3.1": ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    "llama2": ("<s>", "</s>"),
    "gemma3": ("<start_of_turn>", "<end_of_turn>", "<bos>", "<table>"),
    "gpt-oss": ("<|start|>", "<|message|>", "<|end|>"),
    "deepseek-v3": ("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>", "<｜tool▁calls▁begin｜>"),
    "minilm": ("[CLS]", "[SEP]", "[MASK]"),
    "unigram": ("<s>", "</s>", "<|im_start|>"),
}
"""Added tokens that templates write, and that must not come from input."""


@cache
def hugging_face(name: str) -> Any:
    """A tokenizer of the library ``tokenizers``."""
    if name == "unigram":
        return _unigram()
    tokenizer = Tokenizer.from_file(str(fetched(name)))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@cache
def qwen_tiktoken() -> tiktoken.Encoding:
    """Qwen's first encoding, with ChatML's control tokens."""
    lines = fetched("qwen.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
    pattern = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    special = {text: len(ranks) + n for n, text in enumerate(("<|endoftext|>", "<|im_start|>", "<|im_end|>"))}
    return tiktoken.Encoding("qwen", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)


def _unigram() -> Any:
    """The model of sentencepiece's own tests, as the converters of ``transformers`` write such models."""
    pieces = list(_pieces(fetched("unigram.model").read_bytes()))
    tokenizer = Tokenizer(models.Unigram([(text, score) for text, score, _ in pieces], unk_id=0, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    tokenizer.add_special_tokens([text for text, _, kind in pieces if kind in (2, 3)])
    tokenizer.add_tokens(["<|im_start|>"])
    return tokenizer


def _pieces(data: bytes) -> Iterator[tuple[str, float, int]]:
    """(text, score, kind) of each piece of a sentencepiece model: field 1 of the message, fields 1, 2, 3 of that."""
    for field, value in _fields(data):
        if field == 1:
            entry = dict(_fields(value))
            yield entry[1].decode(), struct.unpack("<f", entry.get(2, bytes(4)))[0], entry.get(3, b"\1")[0]


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(number, value) of each field of a protobuf message; a varint as its first byte, which is enough here."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        size = {0: None, 1: 8, 5: 4}.get(tag & 7, 0)
        if size is None:
            yield tag >> 3, bytes([varint() & 255])
            continue
        size = size or varint()
        yield tag >> 3, data[at : at + size]
        at += size


def chat_templates() -> list[Path]:
    """All real templates; without them, the test is skipped."""
    return sorted((_shared() / "templates").glob("*.jinja"))


@cache
def chat_contexts() -> dict[str, dict[str, Any]]:
    """The conversations for them, by file name."""
    paths = sorted((_shared() / "contexts").glob("*.json"))
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def _shared() -> Path:
    folder = shared_folder()
    if folder is None:
        if os.environ.get("CI") == "true":
            raise FileNotFoundError("templates not found: set CHATJINJA_SHARED or place them in ../shared")
        pytest.skip("the real templates are not there: set CHATJINJA_SHARED")
    return folder
