"""Which content parts other than text a template knows, and what it writes for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from chatjinja.chat.probes.prober import USER, Message, Prober, Result, parts
from chatjinja.chat.probes.records import Evidence, Media
from chatjinja.chat.probes.texts import difference, quoted
from chatjinja.syntax import nodes as n

_URL = "https://zqurlzq"
_DATA = {"data": "zqdatazq", "format": "wav"}
PARTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "image": {"type": "image"},
        "image_url": {"type": "image_url", "image_url": {"url": _URL}},
        "audio": {"type": "audio"},
        "audio_url": {"type": "audio_url", "audio_url": {"url": _URL}},
        "input_audio": {"type": "input_audio", "input_audio": _DATA},
        "video": {"type": "video"},
        "video_url": {"type": "video_url", "video_url": {"url": _URL}},
        "input_video": {"type": "input_video", "input_video": _DATA},
    }
)
"""Parts by type, as clients send them."""
_AS_DATA = re.compile(r"""(['"])type\1 ?:""")
_UNKNOWN = {"type": "zqtypezq"}


def find_media(prober: Prober) -> dict[str, Media]:
    """What becomes of each kind of part, in a user's message after some text."""
    plain = prober.render([_message()])
    if plain.error is not None or not plain.shows(USER):
        failed = _no_lists(prober, plain)
        return {name: Media(failed, "") for name in PARTS}
    unknown = prober.render([_message(_UNKNOWN)])
    mentioned = "\n".join(_words(prober.nodes))
    found = {}
    for name, part in PARTS.items():
        # What the template does not mention is like any unknown part.
        result = prober.render([_message(part)]) if name in mentioned else unknown
        found[name] = _judged(prober, result, plain, unknown)
    return found


def _words(nodes: Sequence[n.Node]) -> Iterator[str]:
    """Texts and names of attributes in a template."""
    for node in nodes:
        if isinstance(node, n.Const) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, n.Name):
            yield node.name


def _message(*more: Mapping[str, Any]) -> Message:
    return {"role": "user", "content": [*parts(USER), *map(dict, more)]}


def _no_lists(prober: Prober, plain: Result) -> Evidence:
    if plain.error is None:
        return Evidence("no", "a list as content does not appear")
    failure = prober.failure(plain.error, else_works=prober.base.result.error is None)
    return failure._replace(why=f"a list as content: {failure.why}")


def _judged(prober: Prober, result: Result, plain: Result, unknown: Result) -> Media:
    if result.error is not None:
        return Media(prober.failure(result.error, else_works=True), "")
    text = _added(plain, result)
    if not text:
        return Media(Evidence("no", "nothing appears"), "")
    if _AS_DATA.search(text):
        return Media(Evidence("no", "it is printed as data"), "")
    if unknown.error is None and text == _added(plain, unknown):
        return Media(Evidence("no", f"the same appears as for any unknown part: {quoted(text)}"), text)
    return Media(Evidence("yes", f"{quoted(text)} appears"), text)


def _added(plain: Result, result: Result) -> str:
    """What a part adds after the text before it, or if other things change, anywhere."""
    after, usual = result.text.rpartition(USER)[2], plain.text.rpartition(USER)[2]
    if after.endswith(usual) and after != usual:
        return after[: len(after) - len(usual)]
    return difference(plain.text, result.text).right
