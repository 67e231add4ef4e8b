"""What `compare` finds, as frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from chatjinja.analysis.engines import Outcome
from chatjinja.analysis.texts import Excerpt, visible

Kind = Literal["text", "raises", "message"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the things compared: a template in an engine. `str` of it is its name for people."""

    template: str
    engine: str

    def __str__(self) -> str:
        return f"{self.engine}, {self.template}" if self.template else self.engine


@dataclass(frozen=True, slots=True)
class Finding:
    """A known cause of a difference.

    Attributes:
        cause: its id in the catalogue (``docs/differences.md``).
        title: one line.
        lineno: 1-based line of the template, or None.
        expression: the piece of the template.
        rewrite: the piece that does the same everywhere, or None if there is none that is exact.
        advice: the portable way in words.
        verified: the difference went away, or moved on, when the piece was replaced and both rendered again.
    """

    cause: str
    title: str
    lineno: int | None
    expression: str | None
    rewrite: str | None
    advice: str
    verified: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two sides part on one conversation.

    Attributes:
        conversation: its name.
        left, right: the sides.
        kind: ``"text"``: both gave a text; ``"raises"``: one failed; ``"message"``: both called
            ``raise_exception``, with different texts.
        offset: the first differing byte (0-based, UTF-8), for texts and messages.
        left_excerpt, right_excerpt: the surroundings there.
        left_failure, right_failure: what a side that failed said.
        lineno: 1-based line of the template that printed the first difference or failed, or None.
        expression: the template's text there.
        source: JSON Pointer into the context: the value that was printed there, or None.
        findings: the causes, the one of the first differing byte first. Empty: none that the catalogue knows.
    """

    conversation: str
    left: Side
    right: Side
    kind: Kind
    offset: int | None
    left_excerpt: Excerpt | None
    right_excerpt: Excerpt | None
    left_failure: str | None
    right_failure: str | None
    lineno: int | None
    expression: str | None
    source: str | None
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        sides = {
            name: {"engine": side.engine, "template": side.template, "failure": failure, **_excerpt_data(shown)}
            for name, side, failure, shown in (
                ("left", self.left, self.left_failure, self.left_excerpt),
                ("right", self.right, self.right_failure, self.right_excerpt),
            )
        }
        return {
            "conversation": self.conversation,
            "kind": self.kind,
            "offset": self.offset,
            **sides,
            "line": self.lineno,
            "expression": self.expression,
            "source": self.source,
            "causes": [finding.to_dict() for finding in self.findings],
        }


def _excerpt_data(shown: Excerpt | None) -> dict[str, str]:
    if shown is None:
        return {}
    return {"before": visible(shown.before), "here": visible(shown.here), "bytes": shown.bytes}


@dataclass(frozen=True, slots=True)
class Result:
    """What one side made of one conversation."""

    conversation: str
    side: Side
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a comparison found.

    Attributes:
        versions: name of each engine → version, in the order of comparison; the first is what the others are
            compared with.
        conversations: names of the conversations.
        results: what each side made of each conversation.
        differences: where sides part.
        unused: known engines that cannot run here, each with what to install.
        portable: the template with all rewrites, if with them all sides agree on all conversations; else None.
    """

    versions: dict[str, str]
    conversations: tuple[str, ...]
    results: tuple[Result, ...]
    differences: tuple[Difference, ...]
    unused: tuple[tuple[str, str], ...]
    portable: str | None

    @property
    def agrees(self) -> bool:
        """Whether no difference was found."""
        return not self.differences

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without the whole texts."""
        return {
            "agrees": self.agrees,
            "engines": self.versions,
            "conversations": list(self.conversations),
            "differences": [difference.to_dict() for difference in self.differences],
            "unused": dict(self.unused),
            "portable": self.portable,
        }
