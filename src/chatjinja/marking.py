"""Who wrote what: prompts in parts, and which data of the context is the application's own.

Layers above the runtime read and write these types; they know nothing of templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from chatjinja.source import Span


class Part(NamedTuple):
    """A stretch of a prompt that has one origin.

    Attributes:
        text: the characters. Bytes that are no valid UTF-8 by themselves are surrogate escapes.
        is_input: True if they were copied from data that is not trusted; False if the template, or data that
            the trust policy names, wrote them.
        source: JSON Pointer (RFC 6901) to the context value they were copied from; the pointer followed by
            ``#`` for the key of that value. None without provenance, and for text of the template.
        span: half-open character offsets, in the normalised template source, of what printed them; None
            without provenance.
    """

    text: str
    is_input: bool
    source: str | None = None
    span: Span | None = None


class Prompt:
    """A rendered prompt that knows where its text came from. Immutable.

    The text of the parts, one after the other, is `text` (as bytes, if a UTF-8 character is split between
    two parts). Neighbouring parts differ in something.

    Attributes:
        text: all of it.
        bos_was_cut: a BOS that belongs before the text was left to the tokenizer; only of prompts of the chat layer.
    """

    bos_was_cut: bool = False
    __slots__ = ("_parts", "text")

    def __init__(self, text: str, parts: Sequence[Part] | Callable[[], Sequence[Part]]) -> None:
        self.text = text
        self._parts = parts if callable(parts) else tuple(parts)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts, in order; put together when they are first asked for."""
        parts = self._parts
        if callable(parts):
            parts = self._parts = tuple(parts())
        return parts

    def to_bytes(self) -> bytes:
        """The prompt in UTF-8; surrogate escapes become the bytes they stand for."""
        return self.text.encode("utf-8", "surrogateescape")

    def spans(self, *, is_input: bool = True) -> list[Span]:
        """Half-open character offsets in `text` of everything that is input (or, asked so, is not).

        Spans are ordered and do not touch. A character whose bytes stem from several parts is input if one
        of them is.
        """
        spans: list[Span] = []
        for start, end, flag in self._flags():
            if flag is not is_input:
                continue
            if spans and spans[-1].end == start:
                spans[-1] = Span(spans[-1].start, end)
            else:
                spans.append(Span(start, end))
        return spans

    def _flags(self) -> Iterator[tuple[int, int, bool]]:
        """(start, end, is_input) of every part, in characters of `text`, without empty ones."""
        lengths = [len(part.text) for part in self.parts]
        if sum(lengths) == len(self.text):
            at = 0
            for part, length in zip(self.parts, lengths, strict=True):
                if length:
                    yield at, at + length, part.is_input
                at += length
        else:
            yield from self._flags_of_split_characters()

    def _flags_of_split_characters(self) -> Iterator[tuple[int, int, bool]]:
        flags = bytearray()
        for part in self.parts:
            flags += bytes((part.is_input,)) * len(part.text.encode("utf-8", "surrogateescape"))
        at = 0
        for index, char in enumerate(self.text):
            size = len(char.encode("utf-8", "surrogateescape"))
            yield index, index + 1, any(flags[at : at + size])
            at += size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Prompt) and self.text == other.text and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Prompt({self.text!r}, {len(self.parts)} parts)"


class Trusted(NamedTuple):
    """A value of a context that a policy trusts: where it stands, and the pattern that says so."""

    pointer: str
    pattern: str
    value: str


@dataclass(frozen=True)
class TrustPolicy:
    """Which strings of the context are the application's own, and so count as text of the template.

    Attributes:
        paths: JSON Pointers, in which ``*`` stands for any one key or index, to the values that are trusted:
            always (None), or when they are one of the given texts. A path to a container trusts nothing in
            it.
    """

    paths: Mapping[str, frozenset[str] | None]

    def __post_init__(self) -> None:
        for pattern in self.paths:
            if not pattern.startswith("/"):
                raise ValueError(f"a trust pattern is a JSON Pointer and starts with '/': {pattern!r}")

    def with_paths(self, paths: Mapping[str, frozenset[str] | None]) -> TrustPolicy:
        """This policy with more paths; where it has the same path, the new one takes its place."""
        return TrustPolicy({**self.paths, **paths})

    def trusts(self, pointer: str, value: str) -> bool:
        """Whether the string `value`, at `pointer` in the context, is trusted."""
        parts = pointer.split("/")
        return any(
            (allowed is None or value in allowed) and _matches(pattern.split("/"), parts)
            for pattern, allowed in self.paths.items()
        )

    def find(self, context: Mapping[str, Any]) -> list[Trusted]:
        """All trusted strings of a context, in the order of the patterns."""
        found: list[Trusted] = []
        for pattern, allowed in self.paths.items():
            keys = [unescape(part) for part in pattern.split("/")[1:]]
            for pointer, value in _walk(context, keys, ""):
                if isinstance(value, str) and (allowed is None or value in allowed):
                    found.append(Trusted(pointer, pattern, value))
        return found


def _matches(pattern: list[str], parts: list[str]) -> bool:
    return len(pattern) == len(parts) and all(want in ("*", part) for want, part in zip(pattern, parts, strict=True))


def _walk(value: Any, keys: list[str], pointer: str) -> Iterator[tuple[str, Any]]:
    """Every place that `keys` leads to."""
    if not keys:
        yield pointer, value
        return
    for key, item in _members(value, keys[0]):
        yield from _walk(item, keys[1:], f"{pointer}/{escape(str(key))}")


def _members(value: Any, key: str) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        if key == "*":
            yield from value.items()
        elif key in value:
            yield key, value[key]
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        if key == "*":
            yield from enumerate(value)
        elif key.isdecimal() and int(key) < len(value):
            yield int(key), value[int(key)]


def escape(key: str) -> str:
    """A key as one reference token of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """The key that a reference token of a JSON Pointer stands for."""
    return token.replace("~1", "/").replace("~0", "~")


ROLES = frozenset(
    (
        "system",
        "developer",
        "user",
        "assistant",
        "tool",
        "function",
        "ipython",
        "model",
        "observation",
        "environment",
        "tool_response",
        "tool_call",
    )
)
"""Roles that applications use. A role outside this list is input: it could be an invented control token."""
DEFAULT_TRUST = TrustPolicy(
    {
        "/bos_token": None,
        "/eos_token": None,
        "/unk_token": None,
        "/sep_token": None,
        "/pad_token": None,
        "/cls_token": None,
        "/mask_token": None,
        "/datetime": None,
        "/date_string": None,
        "/messages/*/role": ROLES,
    }
)
"""Special tokens and dates always, roles when they are known ones. Nothing else: tools, names, ids are input."""
