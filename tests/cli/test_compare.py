"""``chatjinja compare``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chat.test_loaders import Header
from tests.cli.conftest import Cli

MESSAGES = [{"role": "user", "content": "Hi"}]
PORTABLE = "{% for m in messages %}{{ m.role }}{% endfor %}"


@pytest.fixture
def talk(cli: Cli) -> str:
    return cli.file("talk.json", json.dumps({"messages": MESSAGES, "x": None}))


def test_agreement(cli: Cli) -> None:
    result = cli("compare", cli.file("t", PORTABLE))
    assert result.code == 0
    assert result.text.startswith("conversation")
    assert "one question" in result.text
    assert "differs" not in result.text


def test_difference(cli: Cli, talk: str) -> None:
    result = cli("compare", cli.file("t", "a\n{{ x }} b"), "--conversations", talk)
    assert result.code == 1
    for line in (
        "#1            4 characters  8 characters, differs: none-printed",
        "#1: llama.cpp and transformers differ from byte 2",
        "  line 2: {{ x }}",
        "  llama.cpp     a↵·b  [20]",
        "  transformers  a↵None·b  [4e]",
        "  none-printed, line 2: None is printed",
        "    x  →  (x if x is not none else '')",
    ):
        assert line in result.text.splitlines(), line


def test_terminal(cli: Cli, talk: str) -> None:
    result = cli("compare", cli.file("t", "{{ x }}"), "--conversations", talk, terminal=True)
    assert "\x1b[31m" in result.text
    assert "(end)" in result.text


def test_same_cause_is_explained_once(cli: Cli) -> None:
    result = cli("compare", cli.file("t", "{{ tools is defined }}"))
    assert result.code == 1
    assert result.text.count("always-set, line 1") == 1
    assert "also in: system message, many turns, " in result.text


def test_json(cli: Cli, talk: str) -> None:
    result = cli("compare", "-", "--conversations", talk, "--json", stdin="{{ x }}")
    assert result.code == 1
    assert result.data["differences"][0]["causes"][0]["cause"] == "none-printed"
    assert cli("compare", "-", "--conversations", talk, "--json", stdin="x").data["agrees"]


def test_engines(cli: Cli, talk: str) -> None:
    template = cli.file("t", "{{ [1]|unique|join }}")
    data = cli("compare", template, "--with", "llama.cpp+, transformers", "--json").data
    assert list(data["engines"]) == ["llama.cpp+", "transformers"]
    for wrong, message in (("x,y", "unknown engine 'x'"), (",", "at least one engine"), ("llama.cpp", "two engines")):
        result = cli("compare", template, "--with", wrong)
        assert result.code == 2
        assert message in result.err


def test_missing_engine(cli: Cli, talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATJINJA_NODE", "/")
    monkeypatch.setenv("COLUMNS", "200")
    template = cli.file("t", "x")
    result = cli("compare", template, "--with", "llama.cpp,huggingface.js")
    assert result.code == 2
    assert "the engine 'huggingface.js' is not installed here: " in result.err
    assert "npm install @huggingface/jinja" in result.err
    assert "npm install" in json.loads(cli("compare", template, "--json").out)["unused"]["huggingface.js"]


def test_files(cli: Cli, talk: str) -> None:
    template = cli.file("t", "{{ x }}")
    names = {"--junit": "a.xml", "--sarif": "a.json", "--html": "a.html", "--rewrite": "a.jinja"}
    options = [part for pair in names.items() for part in pair]
    assert cli("compare", template, "--conversations", talk, *options).code == 1
    written = {name: (cli.directory / name).read_text("utf-8") for name in names.values()}
    assert written["a.jinja"] == "{{ (x if x is not none else '') }}"
    assert "none-printed" in written["a.xml"]
    assert json.loads(written["a.json"])["version"] == "2.1.0"
    assert written["a.html"].startswith("<!doctype html>")
    result = cli("compare", template, "--conversations", talk, "--html", "no/where.html")
    assert (result.code, result.err) == (2, "error: no/where.html: No such file or directory\n")


def test_nothing_to_rewrite(cli: Cli) -> None:
    for source, message in (
        (PORTABLE, "all agree, so there is nothing to rewrite"),
        ("{{ 1.0|tojson }}", "no rewrite makes all engines agree, so none is written"),
    ):
        result = cli("compare", cli.file("t", source), "--rewrite", "a.jinja")
        assert result.err == f"note: {message}\n"
        assert not (cli.directory / "a.jinja").exists()


def test_two_templates(cli: Cli, talk: str) -> None:
    first, second = cli.file("a", "{{ messages[0].content }}"), cli.file("b", "{{ messages[0].content }}!")
    result = cli("compare", first, second, "--conversations", talk)
    assert result.code == 1
    assert "llama.cpp, first template and llama.cpp, second template differ from byte 2" in result.text
    assert "transformers, first template" in result.text
    row = result.text.splitlines()[1]
    assert row.split("  ")[-1].strip() == "3 characters, differs"
    assert cli("compare", first, first, "--with", "llama.cpp").code == 0
    assert cli("compare", "-", "-").code == 2


def test_model_file_and_its_tokens(cli: Cli) -> None:
    header = Header().string("tokenizer.chat_template", "{{ bos_token }}{{ tools is defined }}")
    header.string("tokenizer.ggml.model", "gpt2").strings("tokenizer.ggml.tokens", ["<bos>", "a"])
    header.add("tokenizer.ggml.bos_token_id", 4, header.number("I", 0))
    result = cli("compare", cli.file("model.gguf", header.data()), "--json")
    assert result.data["differences"][0]["left"]["before"] == "<bos>"


def test_raw_and_clock(cli: Cli) -> None:
    assert cli("compare", cli.file("t", "{{ tools is defined }}"), "--raw").code == 0
    assert cli("compare", cli.file("t", "{{ strftime_now('%Y') }}"), "--now", "2020-01-01T00:00Z").code == 0


@pytest.mark.parametrize("text", ["", "{", '{"messages": "x"}'])
def test_wrong_conversations(cli: Cli, text: str) -> None:
    result = cli("compare", cli.file("t", "x"), "--conversations", cli.file("c.json", text))
    assert result.code == 2
    assert result.err.startswith("error: c.json:")


def test_unreadable(cli: Cli) -> None:
    assert cli("compare", "nothing.jinja").code == 2
    assert cli("compare", cli.file("t", "x"), "nothing.jinja").code == 2


def test_other_outputs_are_not_loaded(tmp_path: Path) -> None:
    """The command has to start fast."""
    (tmp_path / "t").write_text(PORTABLE)
    code = (
        "import sys\nfrom chatjinja.cli import main\n"
        "try:\n    main(['compare', 't'])\n"
        "except SystemExit:\n    print([name for name in ('jinja2', 'transformers', 'xml') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_all_refuse(cli: Cli, talk: str) -> None:
    result = cli("compare", cli.file("t", "{{ 1|nothing }}"), "--with", "llama.cpp,llama.cpp+")
    assert result.code == 0
    lines = result.text.splitlines()
    assert "one question: all raise: Unknown (built-in) filter 'nothing' for type Integer (line 1)" in lines
    assert "  also in: system message, many turns, " in result.text
    assert "all raise" not in cli("compare", cli.file("t", "{{ x.y.z }}"), "--conversations", talk, "--raw").text


def test_unreadable_conversations(cli: Cli) -> None:
    template, line = cli.file("t", "x"), json.dumps(MESSAGES)
    for text, message in (
        ("", "c.json:1:1: not valid JSON: Expecting value"),
        (f"{line}\n\n{line}\n[1,]", "c.json:4:4: not valid JSON: Expecting value"),
        ("[]", "c.json: there is no conversation in it"),
        ("{}", "c.json: there is no conversation in it"),
    ):
        result = cli("compare", template, "--conversations", cli.file("c.json", text))
        assert (result.code, result.err) == (2, f"error: {message}\n")


def test_conversations_with_a_byte_order_mark_and_other_line_ends(cli: Cli) -> None:
    line = json.dumps([{"role": "user", "content": "a\u2028b"}], ensure_ascii=False)
    talk = cli.file("c.jsonl", f"\ufeff{line}\r\n{line}\r\n")
    result = cli("compare", cli.file("t", PORTABLE), "--conversations", talk)
    assert (result.code, result.text.splitlines()[-1].split("  ")[0]) == (0, "line 2")
