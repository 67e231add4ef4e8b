"""Random requests through every real template: no text of the caller's comes out as the template's, and each
knows its place in the request."""

from __future__ import annotations

import os

import pytest

from chatjinja import ChatJinjaError, ChatPrompt, ChatTemplate, TemplateError
from tests.chat.canaries import Canaries, flags, leaks, wrong_sources
from tests.conformance.corpora import shared_folder, template_source
from tests.conformance.test_chat import records

GROUPS = 10
FEWEST = 0.85
"""Share of the requests that must come to a prompt; some templates refuse orders of roles, or tools."""
NOON = 1767268800

pytestmark = pytest.mark.skipif(
    shared_folder() is None and os.environ.get("CI") != "true",
    reason="real templates not found: set CHATJINJA_SHARED or place them in ../shared",
)


def problems(chat: ChatTemplate, seed: int) -> list[str] | None:
    """What is wrong with the marks of one random request; None if the template refuses it."""
    body = Canaries(seed).request()

    def apply(**options: object) -> ChatPrompt:
        return chat.apply_request(body, now=NOON, **options)  # type: ignore[arg-type]

    try:
        plain = apply()
    except ChatJinjaError:
        return None
    sound, traced, reference = (
        apply(marking="sound"),
        apply(marking="sound", provenance=True),
        apply(marking="reference"),
    )
    found = []
    for name, prompt in (("sound", sound), ("provenance", traced), ("reference", reference)):
        if prompt != plain or "".join(part.text for part in prompt.parts) != plain.text:
            found.append(f"{name}: another prompt")
    if flags(sound) != flags(traced) or flags(sound) != flags(plain):
        found.append("other marks with provenance, or when asked for later")
    found += [f"leaks {part}" for part in leaks(sound.parts)]
    return found + [f"source of {part}" for part in wrong_sources(body, traced.parts)]


@pytest.mark.parametrize("group", range(GROUPS))
def test_canaries(group: int) -> None:
    wrong, tried, refused = [], 0, 0
    for number, record in enumerate(records()):
        if number % GROUPS != group:
            continue
        try:
            chat = ChatTemplate.from_string(
                template_source(record["template"]), bos_token="<s>", eos_token="</s>", add_bos=True
            )
        except TemplateError:
            continue
        tried += 1
        found = problems(chat, number)
        refused += found is None
        wrong += [f"{record['template']}: {problem}" for problem in found or ()]
    assert not wrong, "\n".join(wrong[:10])
    assert refused <= tried * (1 - FEWEST)


def test_the_checks_see_what_they_look_for() -> None:
    body = {"messages": [{"role": "user", "content": "\ue001"}, {"role": "user", "content": "\ue002"}]}
    chat = ChatTemplate.from_string("{% for m in messages %}{{ m.content }}{% endfor %}")
    parts = chat.apply_request(body, marking="sound", provenance=True).parts
    assert not leaks(parts)
    assert not wrong_sources(body, parts)
    assert leaks((parts[0]._replace(is_input=False),))
    for source in ("/messages/1/content", "/messages/5/content", None, "/messages/0/name#"):
        assert wrong_sources(body, (parts[0]._replace(source=source),))
