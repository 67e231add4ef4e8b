"""The exceptions of chatjinja.

::

    ChatJinjaError
    ├── LoadError              no chat template can be read from a model's files
    ├── RequestError           a chat request is refused before its template is rendered
    └── TemplateError          a template cannot be compiled or rendered
        ├── TemplateSyntaxError    lexer or parser refused the source
        ├── RaisedError            the template called raise_exception()
        ├── UnsupportedError       the reference engine says "NotImplemented: …"
        ├── OperationError         an operation is not defined for its operands
        ├── UnknownNameError       no such filter or test
        ├── LimitError             a limit of `Limits` was reached
        └── ContextError           the context holds what a template cannot use

The runtime raises these without a position; `chatjinja.environment`, which knows the source, fills in the
place exactly once (`TemplateError.locate`). All of them can be pickled and copied with every field kept.
"""

from __future__ import annotations

from typing import Any

from chatjinja.source import Span

_PLACE_FIELDS = (
    "code",
    "message",
    "phase",
    "node",
    "lineno",
    "colno",
    "span",
    "template_name",
    "rendered",
    "limit",
    "pointer",
    "status",
    "reference_message",
)


class ChatJinjaError(Exception):
    """Base of everything that chatjinja raises on purpose."""


class LoadError(ChatJinjaError):
    """No chat template can be read: a file is missing, damaged, or not what it should be."""


class RequestError(ChatJinjaError):
    """A chat request that a llama.cpp server refuses.

    Attributes:
        status: the HTTP status of the refusal, 400 or 500.
        message: what is wrong, and where: ``messages[3].tool_calls[0].function.arguments: not valid JSON …``.
        reference_message: what the server says, up to the wording of its JSON parser.
        pointer: JSON Pointer (RFC 6901) to the place in the request; ``""`` is the request itself.
    """

    def __init__(self, status: int, reference_message: str, message: str, pointer: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.reference_message = reference_message
        self.pointer = pointer

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, self.reference_message, self.message, self.pointer)


class TemplateError(ChatJinjaError):
    """A template cannot be compiled or rendered.

    Attributes:
        code: stable kebab-case name of the kind of error (all are listed in ``docs/errors.md``).
        message: what the reference engine says, word for word.
        phase: ``"lex"``, ``"parse"`` or ``"run"`` as the reference reports it; None where it reports no phase.
        node: name of the reference's node that failed; only in phase ``"run"``.
        lineno: 1-based line in the normalised source, or None if the place is not known.
        colno: 1-based UTF-8 byte column, or None.
        span: half-open character offsets in the normalised source, or None.
        template_name: the name given to the template, or None.
        limit: name of the limit that was reached (`LimitError` only).
        pointer: JSON Pointer into the context (`ContextError` only).
        status: HTTP status with which a llama.cpp server refuses the request; set by `ChatTemplate` only.
        reference_message: what that server says; set by `ChatTemplate` only.
    """

    default_code = "template-error"
    site = 0
    """Which of the nodes that one piece of code stands for failed; 1: the access of a method call."""

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        phase: str | None = None,
        span: Span | None = None,
        limit: str | None = None,
        pointer: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.phase = phase
        self.node: str | None = None
        self.lineno: int | None = None
        self.colno: int | None = None
        self.span = span
        self.template_name: str | None = None
        self.rendered: str | None = None
        self.limit = limit
        self.pointer = pointer
        self.status: int | None = None
        self.reference_message: str | None = None

    def __str__(self) -> str:
        """The text with excerpt and caret once the place is known, else the bare message."""
        return self.rendered if self.rendered is not None else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), {name: getattr(self, name) for name in _PLACE_FIELDS}))


def _rebuild(kind: type[TemplateError], fields: dict[str, Any]) -> TemplateError:
    error = kind(fields["message"])
    for name, value in fields.items():
        setattr(error, name, value)
    return error


class TemplateSyntaxError(TemplateError):
    """The source is not a template of this dialect."""

    default_code = "syntax"


class RaisedError(TemplateError):
    """The template called ``raise_exception``."""

    default_code = "raised"


class UnsupportedError(TemplateError):
    """The reference engine knows this construct and refuses it (``NotImplemented: …``)."""

    default_code = "unsupported"


class OperationError(TemplateError):
    """An operation is not defined for the values it got."""

    default_code = "operation"


class UnknownNameError(OperationError):
    """No filter or test of that name for this type of value."""

    default_code = "unknown-name"


class LimitError(TemplateError):
    """A limit of `chatjinja.Limits` was reached; `limit` names it."""

    default_code = "limit"


class ContextError(TemplateError):
    """The context holds a value that templates cannot use; `pointer` says where."""

    default_code = "context"
