"""Every recorded answer of a llama.cpp server to a chat request, and the capabilities that it reports."""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from typing import Any

import pytest

from chatjinja import ChatTemplate, RequestError, TemplateError
from tests.conformance.corpora import require_shared_folder, shared_folder, template_source

GROUPS = 20
FEWEST_TEMPLATES = 774
FEWEST_ANSWERS = 24768
SHOWN = 10
PARSER = "[json.exception.parse_error.101]"
"""What stands behind it is the JSON parser's own wording, which may differ."""

pytestmark = pytest.mark.skipif(
    shared_folder() is None and os.environ.get("CI") != "true",
    reason="recordings not found: set CHATJINJA_SHARED or place them in ../shared",
)


@cache
def requests() -> dict[str, Any]:
    path = require_shared_folder() / "conformance" / "chat_requests.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def records() -> list[dict[str, Any]]:
    path = require_shared_folder() / "conformance" / "chat.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def load(record: dict[str, Any]) -> ChatTemplate:
    return ChatTemplate.from_string(
        template_source(record["template"]), bos_token="<s>", eos_token="</s>", add_bos=record.get("add_bos", True)
    )


def answer(chat: ChatTemplate, request: Any, now: float) -> tuple[int, str]:
    try:
        return 200, chat.apply_request(request, now=now).text
    except (RequestError, TemplateError) as error:
        return error.status or 0, (error.reference_message or "").partition(PARSER)[0]


def recorded(answer: dict[str, Any]) -> tuple[int, str]:
    if answer["status"] == 200:
        return 200, answer["prompt"]
    return answer["status"], answer["error"].partition(PARSER)[0]


@pytest.mark.parametrize("number", range(GROUPS))
def test_answers_and_capabilities(number: int) -> None:
    failures = []
    for record in records()[number::GROUPS]:
        if "failed" in record:
            continue
        chat = load(record)
        if chat.capabilities.as_dict() != record["capabilities"]:
            failures.append(f"{record['template']}: capabilities")
        for name, expected in record["answers"].items():
            got = answer(chat, requests()[name], record["now"])
            if got != recorded(expected):
                failures.append(f"{record['template']}, {name}:\n  got      {got!r}\n  recorded {recorded(expected)!r}")
    shown = "\n".join(failures[:SHOWN])
    assert not failures, f"{len(failures)} differ\n{shown}"


def test_what_the_server_refused_to_load_renders() -> None:
    """Its analysis of model output, not the template, kept these from loading."""
    unreadable = []
    for record in records():
        if "failed" in record:
            try:
                load(record).apply_request(requests()["01-user"], now=0)
            except TemplateError as error:
                unreadable.append((record["template"], error.phase))
    assert len(unreadable) <= 6, unreadable


def test_recording_is_complete() -> None:
    answered = [record for record in records() if "failed" not in record]
    assert len(answered) >= FEWEST_TEMPLATES
    assert sum(len(record["answers"]) for record in answered) >= FEWEST_ANSWERS
