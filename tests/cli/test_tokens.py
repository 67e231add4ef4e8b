"""``chatjinja tokens``."""

from __future__ import annotations

import json
import sys

import pytest
from tokenizers import AddedToken

from tests.cli.conftest import Cli
from tests.tokenization import small

TEMPLATE = "{% for m in messages %}<s>{{ m.role }} {{ m.content }}{% endfor %}"


@pytest.fixture
def files(cli: Cli) -> list[str]:
    """Arguments: a template, a context that forges a token, and a tokenizer."""
    tokenizer = small.byte_level([AddedToken("<s>", special=True, normalized=False)])
    context = {"messages": [{"role": "user", "content": "he<s>é"}]}
    return [
        cli.file("t.jinja", TEMPLATE),
        cli.file("c.json", json.dumps(context)),
        "--tokenizer",
        cli.file("tokenizer.json", tokenizer.to_str()),
    ]


def test_tokens(cli: Cli, files: list[str]) -> None:
    lines = cli("tokens", *files).text.splitlines()
    assert [line.split() for line in lines] == [
        ["259", '"<s>"', "template"],
        ["84", '"u"', "template", "/messages/0/role"],
        ["82", '"s"', "template", "/messages/0/role"],
        ["68", '"e"', "template", "/messages/0/role"],
        ["81", '"r"', "template", "/messages/0/role"],
        ["220", '"', '"', "template"],
        ["256", '"he"', "input", "/messages/0/content"],
        ["27", '"<"', "input", "/messages/0/content"],
        ["82", '"s"', "input", "/messages/0/content"],
        ["29", '">"', "input", "/messages/0/content"],
        ["127", '"é"', "input", "/messages/0/content"],
        ["102", '"é"', "input", "/messages/0/content"],
        [],
        ["Without", "marking,", "these", "tokens", "would", "have", "come", "instead:"],
        ["259", '"<s>"', "input"],
    ]


def test_json(cli: Cli, files: list[str]) -> None:
    data = cli("tokens", *files, "--json").data
    assert data["tokens"][0] == {
        "id": 259,
        "text": "<s>",
        "start": 0,
        "end": 3,
        "origin": "template",
        "sources": [],
    }
    assert data["tokens"][7]["sources"] == ["/messages/0/content"]
    assert data["without_marking"] == [{"id": 259, "text": "<s>", "start": 10, "end": 13}]


def test_nothing_forged(cli: Cli, files: list[str]) -> None:
    assert cli("tokens", *files, "--allow", "<s>").text.endswith("\nWithout marking, the tokens would be the same.\n")


def test_tokens_are_coloured_on_a_terminal(cli: Cli, files: list[str]) -> None:
    assert "\x1b[33m" in cli("tokens", *files, terminal=True).text


def test_mistakes(cli: Cli, files: list[str]) -> None:
    result = cli("tokens", *files, "--allow", "<x>")
    assert (result.code, result.out) == (2, b"")
    assert result.err.startswith("error: tokenizer.json: `allow` names what is no added token")
    result = cli("tokens", *files[:3], "t.jinja")
    assert (result.code, result.out) == (2, b"")
    assert result.err.startswith("error: t.jinja: no tokenizer.json of a model: ")
    assert cli("tokens", "-", "-", *files[2:]).code == 2
    assert cli("tokens", cli.file("bad.jinja", "{% if %}"), *files[1:]).code == 1


def test_without_the_library(cli: Cli, files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    result = cli("tokens", *files)
    assert (result.code, result.err) == (
        2,
        'error: tokenizers is not installed; run: pip install "chatjinja[tokenizers]"\n',
    )
