"""Prompts that end inside the final message, for the model to go on with it.

As in `transformers`, a tag is put behind the message, and the prompt is cut where the tag comes out. Other data may
hold the same characters, so it is marked as input, and the message is not: only what is not input can be the tag.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from chatjinja.environment import Now, Template
from chatjinja.integrations.conversations import REASONING
from chatjinja.integrations.errors import ApplyError, ApplyTypeError
from chatjinja.integrations.versions import Version
from chatjinja.marking import TrustPolicy
from chatjinja.runtime.marked import TemplateText

_TAG = "CONTINUE_FINAL_MESSAGE_TAG "
"""Templates see it, so it is the one of transformers. Its blank tells whether the template strips the message."""
_NO_TRUST = TrustPolicy({})

Path = tuple[Any, ...]


class Continued(NamedTuple):
    """A conversation with the tag behind its final message.

    Attributes:
        messages: the messages; what is not on the way to the tag is the caller's.
        paths: where in the final message the tag is: keys and indexes.
        final: the text that is to be continued.
    """

    messages: list[Any]
    paths: list[Path]
    final: str


def with_tag(messages: Sequence[Any], field: str, source: str, version: Version) -> Continued:
    """Put the tag behind `field` of the final message.

    Raises ApplyError if there is nothing to continue, ApplyTypeError if it is no text.
    """
    if not messages:
        raise ApplyError("there is no final message to continue: the conversation is empty")
    last = messages[-1]
    if not isinstance(last, Mapping):
        raise ApplyTypeError(f"a message is a dict, not {last!r}")
    value = last.get(field)
    if value is None:
        raise ApplyError(f"the final message has no {field!r} to continue")
    fields = _fields(last, field, value, source, version)
    if isinstance(value, (list, tuple)):
        index = _last_text(value)
        paths: list[Path] = [(field, index, "text")]
        final = value[index]["text"]
    else:
        paths = [(name,) for name in fields]
        final = value
    if not isinstance(final, str):
        raise ApplyTypeError(f"only a text can be continued, and {field!r} of the final message is {final!r}")
    for path in paths:
        last = _put(last, path, final + _TAG)
    return Continued([*messages[:-1], last], paths, final)


def _fields(last: Mapping[Any, Any], field: str, value: Any, source: str, version: Version) -> list[str]:
    """Where the text stands in the message. Reasoning stands under several names, and templates read any of them."""
    if not version.plain_data:
        return [field]
    fields = [name for name in REASONING if last.get(name) == value] if field in REASONING else [field]
    if not any(name in source for name in fields):
        raise ApplyError(f"the final message cannot be continued: the template does not read {field!r}")
    return fields


def _last_text(blocks: Sequence[Any]) -> int:
    """Index of the last block with a text."""
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if isinstance(block, Mapping):
            if "text" in block:
                return index
        elif not isinstance(block, (str, list, tuple)) or "text" in block:
            raise ApplyTypeError(f"content is a text or a list of dicts, and this is none: {block!r}")
    raise ApplyError("the final message has no text to continue")


def _put(value: Any, path: Path, text: str) -> Any:
    """A copy of `value` with `text` at `path`."""
    if not path:
        return text
    key, *rest = path
    if isinstance(value, Mapping):
        return {**value, key: _put(value[key], tuple(rest), text)}
    items = list(value)
    items[key] = _put(items[key], tuple(rest), text)
    return items if isinstance(value, list) else tuple(items)


def continued_text(template: Template, context: Mapping[str, Any], chat: Continued, now: Now) -> str:
    """The prompt for a `context` whose messages are ``chat.messages``, up to the tag.

    Raises ApplyError if the template does not print the whole final message.
    """
    last = chat.messages[-1]
    for path in chat.paths:
        last = _put(last, path, TemplateText(chat.final + _TAG))
    messages = [*chat.messages[:-1], last]
    prompt = template.render_marked({**context, "messages": messages}, trust=_NO_TRUST, now=now)
    text = prompt.text
    tag = _TAG.rstrip()
    # Some templates know the tag and write it themselves.
    end = max((text.rfind(tag, span.start, span.end) for span in prompt.spans(is_input=False)), default=-1)
    if end < 0 or chat.final.strip() not in text:
        raise ApplyError(
            f"the final message cannot be continued: the template does not print it as it is: {chat.final.strip()!r}"
        )
    return text[:end] if text.startswith(_TAG, end) else text[:end].rstrip()
