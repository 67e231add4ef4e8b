"""``chatjinja render``."""

from __future__ import annotations

from typing import Any

import pytest

import chatjinja
from chatjinja.cli import inputs
from chatjinja.samples import conversation
from tests.cli.conftest import Cli

ADA = '{"name": "Ada"}'


def test_text_is_exact(cli: Cli) -> None:
    template = cli.file("t.jinja", "Hi {{ name }}\r\n{{ '\\n' }}é\n\n")
    result = cli("render", template, cli.file("c.json", ADA))
    assert (result.code, result.text, result.err) == (0, "Hi Ada\n\né\n", "")


@pytest.mark.parametrize(("source", "shown"), [("a", "a\n"), ("a\n\n", "a\n"), ("", "\n")])
def test_terminal_gets_a_last_newline(cli: Cli, source: str, shown: str) -> None:
    assert cli("render", "-", cli.file("c.json", "{}"), stdin=source, terminal=True).text == shown


def test_invalid_utf8_is_written_as_its_bytes(cli: Cli) -> None:
    args = ("render", cli.file("t.jinja", "{{ 'é'[0] }}|"), cli.file("c.json", "{}"))
    assert cli(*args).out == b"\xc3|"
    result = cli(*args, "--json")
    assert result.out == b'{\n  "text": "\\udcc3|"\n}\n'


def test_output_is_utf8_whatever_the_terminal_says(cli: Cli) -> None:
    result = cli("render", cli.file("t.jinja", "東京 é"), cli.file("c.json", "{}"), encoding="cp1252")
    assert result.text == "東京 é"


def test_standard_input(cli: Cli) -> None:
    assert cli("render", "-", cli.file("c.json", ADA), stdin="{{ name }}!").text == "Ada!"
    assert cli("render", cli.file("t.jinja", "{{ name }}?"), "-", stdin=ADA).text == "Ada?"


def test_only_one_standard_input(cli: Cli) -> None:
    result = cli("render", "-", "-")
    assert result.code == 2
    assert "only one of TEMPLATE and CONTEXT" in result.err


def test_sample_conversation(cli: Cli) -> None:
    source = "{{ messages|tojson }}{{ tools|length }}{{ x }}"
    result = cli("render", cli.file("t.jinja", source), "--set", "x=1")
    assert result.text == chatjinja.render(source, {**conversation(), "x": 1})
    assert result.err == "note: no context given, so this is the built-in sample conversation\n"


def test_sample_has_what_templates_ask_for() -> None:
    sample = conversation()
    assert sample is not conversation()
    messages: list[dict[str, Any]] = sample["messages"]
    assert {m["role"] for m in messages} == {"system", "user", "assistant", "tool"}
    calls = [call["id"] for m in messages for call in m.get("tool_calls", ())]
    assert calls == [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    assert all(isinstance(m["content"], str) for m in messages)
    assert any(not m["content"].isascii() for m in messages)
    assert any("<|im_start|>system" in m["content"] for m in messages if m["role"] == "user")
    assert sample["add_generation_prompt"] is True


def test_json(cli: Cli) -> None:
    result = cli("render", cli.file("t.jinja", "{{ name }}é"), cli.file("c.json", ADA), "--json")
    assert (result.code, result.data) == (0, {"text": "Adaé"})
    assert "é" in result.text


# --- options -------------------------------------------------------------------------------------------


def test_set_goes_over_the_context(cli: Cli) -> None:
    args = ("--set", "name=[1]", "--set", 'name={"a": "="}', "--set", "_x1=null")
    result = cli("render", "-", cli.file("c.json", ADA), *args, stdin="{{ name.a }}{{ _x1 is none }}")
    assert result.text == "=True"


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("name=Ada", """'Ada' is not JSON; for a string write: --set name='"Ada"'"""),
        ("name=", """'' is not JSON; for a string write: --set name='""'"""),
        ("name=NaN", "'NaN' is not JSON"),
        ("name", "'name' is not of the form name=json"),
        ("a.b=1", "'a.b' is not a variable name"),
        ("=1", "'' is not a variable name"),
        (f"name={'[' * 100_000}", "is not JSON"),
    ],
)
def test_set_refuses(cli: Cli, item: str, words: str) -> None:
    result = cli("render", "-", "--set", item)
    assert (result.code, result.out) == (2, b"")
    assert words in result.err
    assert "Usage:" in result.err


@pytest.mark.parametrize(
    ("now", "shown"),
    [
        ("2026-01-01T09:30Z", "2026-01-01 09:30 +0000"),
        ("2026-01-01T09:30:15+02:00", "2026-01-01 09:30 +0200"),
        ("1767225600", chatjinja.Environment(now=1767225600).from_string("{{ strftime_now('%F %H:%M %z') }}").render()),
    ],
)
def test_now(cli: Cli, now: str, shown: str) -> None:
    template = cli.file("t.jinja", "{{ strftime_now('%F %H:%M %z') }}")
    assert cli("render", template, "--now", now).text == shown


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ("yesterday", "neither a POSIX time"),
        ("2026-01-01", "has no time zone; write 2026-01-01T00:00Z for UTC"),
        ("2026-01-01T09:30", "has no time zone; write 2026-01-01T09:30Z for UTC, or 2026-01-01T09:30+02:00"),
        ("nan", "not a time that this system can show"),
        ("1e99", "not a time that this system can show"),
    ],
)
def test_now_refuses(cli: Cli, now: str, words: str) -> None:
    result = cli("render", "-", "--now", now)
    assert result.code == 2
    assert words in result.err


def test_dialect(cli: Cli) -> None:
    assert cli("render", "-", "--dialect", "llama.cpp", stdin="a").text == "a"
    result = cli("render", "-", "--dialect", "jinja3")
    assert result.code == 2
    assert "unknown dialect 'jinja3'; known: llama.cpp" in result.err


# --- errors --------------------------------------------------------------------------------------------


def test_template_error(cli: Cli) -> None:
    result = cli("render", cli.file("t.jinja", "a\n{{ 1 + b }}"), cli.file("c.json", "{}"))
    assert (result.code, result.out) == (1, b"")
    head, excerpt, caret, code = result.err.splitlines()
    assert head == "t.jinja:2:6: Cannot perform operation + on undefined values"
    assert excerpt == "  2 | {{ 1 + b }}"
    assert caret == "    |    ~~^~~"
    assert code == "  code: undefined-operand"


def test_template_error_on_a_terminal_is_coloured(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    args = ("render", cli.file("t.jinja", "{{"), cli.file("c.json", "{}"))
    coloured = cli(*args, terminal=True).err
    assert "\x1b[1;31m" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in cli(*args, terminal=True).err
    assert "\x1b" not in cli(*args).err


def test_error_as_json(cli: Cli) -> None:
    result = cli("render", cli.file("t.jinja", "{{ 'x' is odd }}"), cli.file("c.json", "{}"), "--json")
    assert (result.code, result.err) == (1, "")
    error = result.data["error"]
    assert (error["code"], error["line"], error["column"]) == ("argument-type", 1, 8)
    assert error["template"] == "t.jinja"


def test_message_cannot_steer_the_terminal(cli: Cli) -> None:
    args = ("render", "-", cli.file("c.json", r'{"x": "a\nb\u001b[2Jc"}'))
    result = cli(*args, stdin="{{ raise_exception(x) }}")
    assert result.err.startswith("<stdin>:1:19: Jinja Exception: a\nb\\x1b[2Jc\n  1 | ")


def test_error_without_place(cli: Cli) -> None:
    result = cli("render", "-", cli.file("c.json", r'{"x": "\ud800"}'), stdin="{{ x }}")
    assert result.code == 1
    assert "code: context-encoding" in result.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"a": 1,\n "b" 2}', "c.json:2:6: not valid JSON: Expecting ':' delimiter"),
        ("", "c.json:1:1: not valid JSON: Expecting value"),
        ('{"a": Infinity}', "c.json: not valid JSON: Infinity is not a JSON number"),
        ("[" * 100_000, "c.json: not valid JSON: maximum recursion depth exceeded"),
        ("[]", 'the context must be a JSON object such as {"messages": […]}, not an array'),
        ('""', "not a string"),
        ("1.5", "not a number"),
        ("true", "not a boolean"),
        ("null", "not null"),
        (b'{\n"\xff"}', "c.json: not UTF-8: byte 0xff in line 2"),
    ],
)
def test_unreadable_context(cli: Cli, content: str | bytes, words: str) -> None:
    result = cli("render", "-", cli.file("c.json", content))
    assert (result.code, result.out) == (2, b"")
    assert result.err.startswith("error: ")
    assert words in result.err


def test_context_with_byte_order_mark(cli: Cli) -> None:
    assert cli("render", "-", cli.file("c.json", "\ufeff" + ADA), stdin="{{ name }}").text == "Ada"


def test_unreadable_files(cli: Cli) -> None:
    result = cli("render", "nope.jinja")
    assert (result.code, result.err) == (2, "error: nope.jinja: No such file or directory\n")
    result = cli("render", ".")
    assert result.code == 2
    assert cli("render", "-", stdin=b"\x80").err == "error: <stdin>: not UTF-8: byte 0x80 in line 1\n"


def test_interrupted(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(path: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(inputs, "read_text", interrupt)
    result = cli("render", "-")
    assert (result.code, result.out, result.err) == (130, b"", "")


def test_a_model_file_is_no_template(cli: Cli) -> None:
    result = cli("render", cli.file("m.gguf", b"GGUF\x03\x00\x00\x00\x9c"))
    assert result.code == 2
    assert "this is a model file, not a text" in result.err
    assert "chatjinja templates m.gguf --show default" in result.err
