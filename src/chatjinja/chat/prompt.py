"""What the chat layer returns: a prompt, and how it came about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from chatjinja.marking import Part, Prompt
from chatjinja.runtime.kinds import escape_pointer


class Change(NamedTuple):
    """One thing that a step changed.

    Attributes:
        kind: ``"changed"``, ``"added"`` or ``"removed"``.
        pointer: JSON Pointer into the request, ``/messages/2/content``; where a step moved things, to the place
            where they stood in the request.
        before, after: the values; None for what was not there (`kind` tells it from a null).
    """

    kind: Literal["changed", "added", "removed"]
    pointer: str
    before: Any
    after: Any


class Step(NamedTuple):
    """A step that ran, and what it changed.

    Attributes:
        name: name of the workaround, or ``"rebuild"``, which every request goes through.
        what: what it does, in one sentence.
        changes: in the order of the messages; may be empty.
    """

    name: str
    what: str
    changes: tuple[Change, ...]


def differences(before: Any, after: Any, pointer: str) -> Iterator[Change]:
    """The changes that lead from one JSON value to another, as deep down as possible."""
    if before is after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key, value in before.items():
            place = f"{pointer}/{escape_pointer(key)}"
            if key in after:
                yield from differences(value, after[key], place)
            else:
                yield Change("removed", place, value, None)
        for key, value in after.items():
            if key not in before:
                yield Change("added", f"{pointer}/{escape_pointer(key)}", None, value)
    elif _is_list(before) and _is_list(after) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(old, new, f"{pointer}/{index}")
    elif type(before) is not type(after) or before != after:
        yield Change("changed", pointer, before, after)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


class ChatPrompt(Prompt):
    """The prompt of a chat request.

    `parts` and `spans` work for every prompt. If it was not marked, they are found by applying the request once more
    when they are first asked for. Sources are JSON Pointers into the request as the caller gave it.

    Attributes:
        text: the prompt as the model gets it, but for a BOS that the tokenizer adds (`bos_was_cut`).
        context: the variables that the template was rendered with.
        template_name: which of the model's templates was used; ``"chatml"`` for the built-in one.
        family: the template family whose rules were applied; ``"generic"`` for most.
        bos_was_cut: the template wrote a BOS text at the start, which was cut because the tokenizer adds it.
    """

    __slots__ = ("_make_steps", "_steps", "bos_was_cut", "context", "family", "template_name")

    def __init__(
        self,
        text: str,
        parts: Callable[[], Sequence[Part]],
        *,
        steps: Callable[[], tuple[Step, ...]],
        context: Mapping[str, Any],
        template_name: str,
        family: str,
        bos_was_cut: bool,
    ) -> None:
        super().__init__(text, parts)
        self.context = context
        self.template_name = template_name
        self.family = family
        self.bos_was_cut = bos_was_cut
        self._make_steps = steps
        self._steps: tuple[Step, ...] | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps between request and template, in order; put together when first asked for."""
        if self._steps is None:
            self._steps = self._make_steps()
        return self._steps

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChatPrompt) and (self.text, self.context, self.template_name, self.bos_was_cut) == (
            other.text,
            other.context,
            other.template_name,
            other.bos_was_cut,
        )

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"ChatPrompt({self.text!r}, template_name={self.template_name!r}, family={self.family!r})"
