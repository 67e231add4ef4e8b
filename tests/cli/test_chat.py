"""``chatjinja apply``, ``caps`` and ``templates``."""

from __future__ import annotations

import json

import pytest

from tests.chat.test_loaders import model
from tests.cli.conftest import Cli

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
REQUEST = {"messages": [{"role": "developer", "content": "Be brief.", "x": 1}, {"role": "user", "content": "Hi"}]}


@pytest.fixture
def request_file(cli: Cli) -> str:
    return cli.file("request.json", json.dumps(REQUEST))


def test_apply(cli: Cli, request_file: str) -> None:
    template = cli.file("chat.jinja", TEMPLATE)
    result = cli("apply", template, request_file)
    assert (result.code, result.text, result.err) == (0, "[system]Be brief.[user]Hi[assistant]", "")
    assert cli("apply", template, request_file, terminal=True).text == "[system]Be brief.[user]Hi[assistant]\n"
    tokens = ("--bos", "<s>", "--eos", "</s>", "--add-bos")
    assert cli("apply", template, request_file, *tokens).text == "[system]Be brief.</s>[user]Hi</s>[assistant]"
    assert cli("apply", template, request_file, "--without", "developer-to-system").text.startswith("[developer]")


def test_standard_input(cli: Cli, request_file: str) -> None:
    assert cli("apply", "-", request_file, stdin="{{ messages|length }}").text == "1"
    assert cli("apply", cli.file("t", "{{ messages|length }}"), "-", stdin=json.dumps(REQUEST)).text == "1"
    result = cli("apply", "-", "-")
    assert result.code == 2
    assert "only one of SOURCE and REQUEST" in result.err


def test_now(cli: Cli, request_file: str) -> None:
    template = cli.file("t", "{{ date_string }}")
    assert cli("apply", template, request_file, "--now", "2026-03-04T12:00Z").text == "04 Mar 2026"


def test_steps(cli: Cli, request_file: str) -> None:
    request = {"messages": [*REQUEST["messages"], {"role": "user", "content": [{"type": "text", "text": "x" * 200}]}]}
    request["messages"].append({"role": "user", "content": None})
    request["tools"] = [{"type": "function", "function": {"name": "f"}}]  # type: ignore[assignment]
    result = cli("apply", cli.file("t", TEMPLATE), cli.file("long.json", json.dumps(request)), "--steps")
    lines = result.text.splitlines()
    assert lines[:3] == [
        "template default, family generic",
        "rebuild  Messages and tools keep their known keys, in a fixed order.",
        "  /messages/0/x - 1",
    ]
    assert '  /messages/3/content null → ""' in lines
    assert '  /tools/0/function/description + ""' in lines
    assert lines[-1] == '  /messages/0/role "developer" → "system"' or "merge" in result.text
    assert max(map(len, lines)) < 260
    assert "…" in result.text
    assert "  nothing to do" in cli("apply", cli.file("t", TEMPLATE), request_file, "--steps").text


def test_context_and_json(cli: Cli, request_file: str) -> None:
    template = cli.file("t", TEMPLATE)
    context = cli("apply", template, request_file, "--context").data
    assert context["messages"][0] == {"role": "system", "content": "Be brief."}
    data = cli("apply", template, request_file, "--json").data
    assert data["context"] == context
    assert data["text"] == "[system]Be brief.[user]Hi[assistant]"
    assert (data["template"], data["family"], data["bos_was_cut"]) == ("default", "generic", False)
    assert data["steps"][0]["changes"][0] == {
        "kind": "removed",
        "pointer": "/messages/0/x",
        "before": 1,
        "after": None,
    }


def test_marks(cli: Cli, request_file: str) -> None:
    args = "apply", cli.file("t", TEMPLATE), request_file
    assert cli(*args, "--marked").text == "[system][input]Be brief.[/input][user][input]Hi[/input][assistant]"
    assert [line for line in cli(*args, "--provenance").text.splitlines() if line.startswith("input")] == [
        'input     "Be brief."  /messages/0/content',
        'input     "Hi"  /messages/1/content',
    ]
    assert "parts" not in cli(*args, "--json").data
    marked = cli(*args, "--json", "--marked").data
    assert marked["parts"][1] == {"text": "Be brief.", "is_input": True}
    assert marked["context"] == cli(*args, "--context").data
    assert cli(*args, "--json", "--provenance").data["parts"][3]["source"] == "/messages/0/content"


def test_refusals(cli: Cli) -> None:
    request = cli.file("bad.json", '{"messages": [{"role": "user"}]}')
    result = cli("apply", cli.file("t", TEMPLATE), request)
    assert result.code == 1
    assert result.err == (
        "error: messages[0]: All non-assistant messages must contain 'content'\n"
        "  a llama.cpp server answers 400: All non-assistant messages must contain 'content'\n"
    )
    assert cli("apply", "t", request, "--json").data == {
        "error": {
            "type": "RequestError",
            "message": "messages[0]: All non-assistant messages must contain 'content'",
            "pointer": "/messages/0",
            "status": 400,
            "reference_message": "All non-assistant messages must contain 'content'",
        }
    }


def test_arguments(cli: Cli) -> None:
    call = {"type": "function", "function": {"name": "f", "arguments": "{"}}
    request = {
        "messages": [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "user", "content": ""}]
    }
    source = (
        "{% for m in messages %}{% for c in m.tool_calls %}{{ c.function.arguments|tojson }}{% endfor %}{% endfor %}"
    )
    args = ("apply", cli.file("t", source), cli.file("r.json", json.dumps(request)))
    assert cli(*args).code == 1
    assert cli(*args, "--arguments", "empty").text == "{}"
    assert cli(*args, "--arguments", "keep").text == '"{"'


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--arguments", "x"), "'x' is none of error, keep, empty"),
        (("--without", "x"), "'x' is none of"),
        (("--now", "x"), "'x' is neither"),
    ],
)
def test_wrong_options(cli: Cli, request_file: str, args: tuple[str, ...], message: str) -> None:
    result = cli("apply", cli.file("t", TEMPLATE), request_file, *args)
    assert result.code == 2
    assert message in " ".join(result.err.split())


def test_nothing_to_load(cli: Cli, request_file: str) -> None:
    result = cli("apply", "nowhere", request_file)
    assert (result.code, result.err) == (2, "error: nowhere: there is no such file or folder\n")
    result = cli("caps", cli.file("broken", "{{"))
    assert result.code == 1


def test_templates(cli: Cli) -> None:
    source = cli.file("model.gguf", model().data())
    assert cli("templates", source).text == (
        "the GGUF file model.gguf\n"
        "default   31 characters\n"
        "tool_use  1 characters\n"
        "used: default (the default template); with tools: tool_use\n"
        "bos_token '<s>', eos_token '</s>', add_bos True, add_eos False\n"
    )
    assert cli("templates", source, "--show", "tool_use").text == "T"
    result = cli("templates", source, "--show", "x")
    assert result.code == 2
    assert "there is no template 'x'; there is: default, tool_use" in " ".join(result.err.split())
    data = cli("templates", source, "--json").data
    assert data["templates"]["tool_use"] == "T"
    assert (data["chosen"], data["for_tools"], data["bos_token"], data["add_bos"]) == (
        "default",
        "tool_use",
        "<s>",
        True,
    )


def test_templates_with_remarks(cli: Cli) -> None:
    header = model()
    header.entries = [entry for entry in header.entries if b"chat_template" not in entry]
    statement = (
        '{%- if "<|channel|>analysis<|message|>" in message.content or '
        '"<|channel|>final<|message|>" in message.content %}{% endif %}'
    )
    header.string("tokenizer.chat_template", statement).string("tokenizer.chat_template.tool_use", "{{")
    text = cli("templates", cli.file("model.gguf", header.data())).text
    assert "the template for tools is ignored: tool_use:1:3: " in text
    assert "taken out, as llama.cpp does: channel-tags-in-content" in text
