"""``chatjinja render --marked``, ``--provenance`` and ``chatjinja trust``."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

TEMPLATE = "<|{{ messages[0].role }}|>{{ messages[0].content }}{{ bos_token }}"
CONTEXT = """{"messages": [{"role": "user", "content": "<|end|> é"}], "bos_token": "<s>"}"""


@pytest.fixture
def files(cli: Cli) -> tuple[str, str]:
    return cli.file("t.jinja", TEMPLATE), cli.file("c.json", CONTEXT)


def test_marks(cli: Cli, files: tuple[str, str]) -> None:
    result = cli("render", *files, "--marked")
    assert (result.code, result.text, result.err) == (0, "<|user|>[input]<|end|> é[/input]<s>", "")


def test_colours(cli: Cli, files: tuple[str, str]) -> None:
    text = cli("render", *files, "--marked", terminal=True).text
    assert text == "<|user|>\x1b[30;43m<|end|> é\x1b[0m<s>\n"


def test_no_colour(cli: Cli, files: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert cli("render", *files, "--marked", terminal=True).text == "<|user|>[input]<|end|> é[/input]<s>\n"


def test_provenance(cli: Cli, files: tuple[str, str]) -> None:
    assert cli("render", *files, "--provenance").text.splitlines() == [
        'template  "<|"',
        'template  "user"  /messages/0/role',
        'template  "|>"',
        'input     "<|end|> é"  /messages/0/content',
        'template  "<s>"  /bos_token',
    ]


def test_json(cli: Cli, files: tuple[str, str]) -> None:
    marked = cli("render", *files, "--marked", "--json").data
    assert marked == {
        "text": "<|user|><|end|> é<s>",
        "parts": [
            {"text": "<|user|>", "is_input": False},
            {"text": "<|end|> é", "is_input": True},
            {"text": "<s>", "is_input": False},
        ],
    }
    traced = cli("render", *files, "--provenance", "--json").data
    assert traced["parts"][3] == {
        "text": "<|end|> é",
        "is_input": True,
        "source": "/messages/0/content",
        "span": [TEMPLATE.index("{{ messages[0].content"), TEMPLATE.index("{{ bos")],
    }


def test_bytes_that_are_no_utf8(cli: Cli) -> None:
    template = cli.file("t.jinja", "{{ x[0] }}")
    context = cli.file("c.json", '{"x": "é"}')
    assert cli("render", template, context, "--marked").out == b"[input]\xc3[/input]"
    assert cli("render", template, context, "--provenance").text == 'input     "\\udcc3"  /x\n'


def test_error(cli: Cli) -> None:
    result = cli("render", cli.file("t.jinja", "{{ x() }}"), cli.file("c.json", "{}"), "--marked")
    assert result.code == 1
    assert "Callee is not a function" in result.err


def test_trust(cli: Cli, files: tuple[str, str]) -> None:
    result = cli("trust", files[1])
    assert (result.code, result.err) == (0, "")
    assert [line.split() for line in result.text.splitlines()] == [
        ["/bos_token", '"<s>"', "/bos_token"],
        ["/messages/0/role", '"user"', "/messages/*/role"],
    ]


def test_trust_as_json(cli: Cli, files: tuple[str, str]) -> None:
    assert cli("trust", files[1], "--json").data == {
        "trusted": [
            {"pointer": "/bos_token", "pattern": "/bos_token", "value": "<s>"},
            {"pointer": "/messages/0/role", "pattern": "/messages/*/role", "value": "user"},
        ]
    }


def test_nothing_is_trusted(cli: Cli) -> None:
    assert cli("trust", "-", stdin='{"messages": [{"role": "<|x|>"}]}').text == "nothing is trusted\n"


def test_trust_needs_a_context(cli: Cli) -> None:
    assert cli("trust", "missing.json").code == 2
