"""The header of a GGUF file: chat templates, special tokens, and nothing else.

The file is mapped into memory and values that are not asked for are skipped, so the time depends on the
number of tokens in the vocabulary and not on the size of the file. Every length is checked against the
file before it is believed.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Mapping
from struct import Struct
from typing import Any, NamedTuple

from chatjinja.chat.models import Model
from chatjinja.errors import LoadError

TEMPLATE = "tokenizer.chat_template"
_WANTED = frozenset(
    {
        "general.architecture",
        "tokenizer.ggml.model",
        "tokenizer.ggml.pre",
        "tokenizer.ggml.bos_token_id",
        "tokenizer.ggml.eos_token_id",
        "tokenizer.ggml.add_bos_token",
        "tokenizer.ggml.add_eos_token",
        TEMPLATE,
    }
)
_TOKENS = "tokenizer.ggml.tokens"
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_LONGEST_KEY = 65535
_DEEPEST_ARRAY = 8


class _Strings(NamedTuple):
    """Where an array of strings stands."""

    start: int
    length: int


class _Header:
    """Reads one header; `at` is the offset of the next byte."""

    def __init__(self, data: mmap.mmap | bytes, name: str) -> None:
        self.data = data
        self.size = len(data)
        self.name = name
        self.at = 0
        order = "<"
        if self.size < 8 or data[:4] != b"GGUF":
            raise LoadError(f"{name}: not a GGUF file")
        version = int.from_bytes(data[4:8], "little")
        if version & 0xFFFF == 0:
            order = ">"
            version = int.from_bytes(data[4:8], "big")
        if version not in (2, 3):
            raise LoadError(f"{name}: GGUF version {version} is not supported (only 2 and 3 are)")
        self.numbers = {kind: Struct(order + code) for kind, code in _NUMBERS.items()}
        self.count = self.numbers[10]
        self.at = 8

    def fail(self, what: str) -> LoadError:
        return LoadError(f"{self.name}: damaged GGUF header at byte {self.at}: {what}")

    def number(self, kind: int) -> Any:
        form = self.numbers[kind]
        end = self.at + form.size
        if end > self.size:
            raise self.fail("the file ends within a number")
        (value,) = form.unpack_from(self.data, self.at)
        self.at = end
        return value

    def span(self, longest: int) -> tuple[int, int]:
        """Start and end of a string."""
        length: int = self.number(10)
        if length > longest or length > self.size - self.at:
            raise self.fail(f"a string of {length} bytes is longer than the rest of the file or than allowed")
        start, self.at = self.at, self.at + length
        return start, self.at

    def string(self, longest: int | None = None) -> str:
        start, end = self.span(self.size if longest is None else longest)
        return self.data[start:end].decode("utf-8", "surrogateescape")

    def skip_strings(self, count: int) -> None:
        """Go to the end of so many strings."""
        if count > (self.size - self.at) // 8:
            raise self.fail(f"an array of {count} strings does not fit into the file")
        length_at, data, at = self.count.unpack_from, self.data, self.at
        last = self.size - 8
        for _ in range(count):
            if at > last:
                self.at = at
                raise self.fail("the file ends within an array of strings")
            at += 8 + length_at(data, at)[0]
        self.at = at
        if at > self.size:
            raise self.fail("the file ends within an array of strings")

    def array(self, depth: int = 1) -> _Strings | None:
        """Skip an array; where it stands if it is one of strings."""
        kind, count = self.number(4), self.number(10)
        if kind == _STRING:
            found = _Strings(self.at, count)
            self.skip_strings(count)
            return found
        if kind == _ARRAY:
            if depth == _DEEPEST_ARRAY or count > (self.size - self.at) // 12:
                raise self.fail("arrays in arrays do not fit into the file, or are nested too deeply")
            for _ in range(count):
                self.array(depth + 1)
            return None
        if kind not in self.numbers:
            raise self.fail(f"unknown type {kind}")
        size = self.numbers[kind].size
        if count > (self.size - self.at) // size:
            raise self.fail(f"an array of {count} numbers does not fit into the file")
        self.at += count * size
        return None

    def value(self, key: str) -> Any:
        """The value of a key that is asked for, else None."""
        kind = self.number(4)
        if kind == _ARRAY:
            return self.array()
        if kind == _STRING:
            if _is_wanted(key):
                return self.string()
            self.span(self.size)
            return None
        if kind not in self.numbers:
            raise self.fail(f"unknown type {kind} of the key {key!r}")
        return self.number(kind)

    def entries(self) -> Iterator[tuple[str, Any]]:
        """Keys and values."""
        self.number(10)  # the number of tensors
        count: int = self.number(10)
        if count > (self.size - self.at) // 13:
            raise self.fail(f"{count} keys do not fit into the file")
        for _ in range(count):
            key = self.string(_LONGEST_KEY)
            yield key, self.value(key)

    def string_at(self, strings: _Strings, index: int) -> str:
        """One string of an array."""
        self.at = strings.start
        self.skip_strings(index)
        return self.string()


def _is_wanted(key: str) -> bool:
    return key in _WANTED or key.startswith(TEMPLATE + ".")


def read_gguf(path: str | os.PathLike[str]) -> Model:
    """Templates and tokens of a GGUF file. Raises LoadError."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise LoadError(f"{name}: the file is empty")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _read(_Header(data, name))
    except OSError as error:
        raise LoadError(f"{name}: {error.strerror or error}") from None


def _read(header: _Header) -> Model:
    values: dict[str, Any] = {}
    for key, value in header.entries():
        if key == _TOKENS or _is_wanted(key):
            if key in values:
                raise header.fail(f"the key {key!r} stands there twice")
            values[key] = value
    sources: dict[str, str] = {}
    for key, value in values.items():
        if key.startswith(TEMPLATE):
            if not isinstance(value, str):
                raise LoadError(f"{header.name}: the value of {key!r} is no text")
            sources[key[len(TEMPLATE) + 1 :] or "default"] = value
    settings = token_settings(values)
    tokens = values.get(_TOKENS)
    texts = [
        header.string_at(tokens, index) if isinstance(tokens, _Strings) and 0 <= index < tokens.length else ""
        for index in (settings.bos, settings.eos)
    ]
    return Model(sources, texts[0], texts[1], settings.add_bos, settings.add_eos, f"the GGUF file {header.name}")


class TokenSettings(NamedTuple):
    """Numbers of the special tokens (-1: none), and whether the tokenizer adds them."""

    bos: int
    eos: int
    add_bos: bool
    add_eos: bool


_USUAL_TOKENS: Mapping[str, tuple[int, int]] = {
    "llama": (1, 2),
    "plamo2": (1, 2),
    "bert": (101, -1),
    "gpt2": (11, 11),
    "hybriddna": (11, 11),
    "whitespace": (11, 11),
    "t5": (-1, 1),
}
_BPE_WITHOUT_BOS = frozenset({"chatglm-bpe", "glm4", "glm5"})
_BPE_ADDING_BOS = frozenset(
    {
        "llama3",
        "llama-v3",
        "llama-bpe",
        "falcon3",
        "falcon-h1",
        "pixtral",
        "midm-2.0",
        "lfm2",
        "jina-v5-nano",
        "tekken",
        "chameleon",
    }
)
_BPE = frozenset({"gpt2", "hybriddna", "whitespace"})


def token_settings(values: Mapping[str, Any]) -> TokenSettings:
    """What a file's metadata say about BOS and EOS; where they say nothing, llama.cpp's rules for its tokenizer."""
    kind = values.get("tokenizer.ggml.model")
    pre = values.get("tokenizer.ggml.pre")
    bos, eos = _USUAL_TOKENS.get(kind, (-1, -1)) if isinstance(kind, str) else (-1, -1)
    is_bpe = kind in _BPE
    if is_bpe and pre in _BPE_WITHOUT_BOS:
        bos = -1
    add_bos = pre in _BPE_ADDING_BOS if is_bpe else kind in ("llama", "bert")
    add_eos = kind == "t5"
    add_bos = _flag(values, "tokenizer.ggml.add_bos_token", add_bos)
    add_eos = _flag(values, "tokenizer.ggml.add_eos_token", add_eos)
    if kind == "gemma4" or (is_bpe and pre in ("gemma4", "granite-embed-multi-311m")):
        add_bos = True
    bos = _token(values, "tokenizer.ggml.bos_token_id", bos)
    eos = _token(values, "tokenizer.ggml.eos_token_id", eos)
    return TokenSettings(bos, eos, add_bos, add_eos)


def _flag(values: Mapping[str, Any], key: str, usual: bool) -> bool:
    value = values.get(key)
    return value if isinstance(value, bool) else usual


def _token(values: Mapping[str, Any], key: str, usual: int) -> int:
    value = values.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else usual
