"""``chatjinja caps``."""

from __future__ import annotations

from tests.chat.probes.support import ALTERNATING, BOTH_FORMS, CHATML, THINKING, TOOLS
from tests.cli.conftest import Cli

BROKEN_TOOLS = "{% if messages[1] %}{{ tools[0].x + 1 }}{% endif %}"


def sections(text: str) -> dict[str, list[str]]:
    """Heading → lines below it."""
    found: dict[str, list[str]] = {}
    for block in text.split("\n\n"):
        heading, *lines = block.splitlines()
        found[heading] = lines
    return found


def test_sections(cli: Cli) -> None:
    text = cli("caps", cli.file("t", CHATML + "\n" + BROKEN_TOOLS)).text
    assert text.startswith("template default, family generic\n\nWhat a llama.cpp server reports\n")
    found = sections(text)
    assert list(found) == [
        "template default, family generic",
        "What a llama.cpp server reports",
        "Roles: in which form their content appears",
        "Rules for the order of messages",
        "Arguments of tool calls: unknown",
        "Tools",
        "Reasoning in the history: where it appears",
        "Generation prompt: conditional",
        "Content parts that are not text",
        "Special tokens and clock",
        "Variables beyond the usual ones",
    ]
    server = found["What a llama.cpp server reports"]
    assert server[0] == "  supports_string_content       yes           content that is text is rendered"
    assert any(" probe failed " in line and line.endswith(" (line 5)") for line in server)
    assert found["Variables beyond the usual ones"] == ["  none"]


def test_rows(cli: Cli) -> None:
    arguments = sections(cli("caps", cli.file("t", TOOLS)).text)["Arguments of tool calls: mapping"]
    assert arguments[1] == "  given as an object           yes  what is given as an object appears"
    strict = sections(cli("caps", cli.file("t", ALTERNATING)).text)["Rules for the order of messages"]
    rule = next(line for line in strict if line.startswith("  two user's messages must not follow each other "))
    assert rule.endswith(' yes           two user\'s messages in a row: refused: "roles must alternate" (line 5)')
    roles = sections(cli("caps", cli.file("t", BOTH_FORMS)).text)["Roles: in which form their content appears"]
    assert roles[0] == "  system     yes  both  before a question: its content appears"
    assert roles[-1] == "  any other  yes        before a question: its content appears"


def test_parts_of_which_the_same_is_known_are_one_row(cli: Cli) -> None:
    rows = sections(cli("caps", cli.file("t", BOTH_FORMS)).text)["Content parts that are not text"]
    assert [row.split("  ")[1] for row in rows] == [
        "image, image_url",
        "audio",
        "audio_url, input_audio, video, video_url, input_video",
    ]
    assert rows[0].endswith(" yes  '<img>' appears")


def test_reasoning_and_variables(cli: Cli) -> None:
    source = "{{ required_name or raise_exception('?') }}\n{{ length|default(3) }}{{ length }}" + THINKING
    found = sections(cli("caps", cli.file("t", source)).text)
    head, row, *_ = found["Reasoning in the history: where it appears"]
    assert head.split() == ["earlier", "last", "answer", "with", "a", "call", "at", "the", "end"]
    assert row.split() == ["reasoning_content", "no", "no", "no", "no"]
    variables = "\n".join(found["Variables beyond the usual ones"])
    assert "  required_name  line 1; required\n" in variables
    assert "  length  line 2; default 3\n" in variables


def test_generation_prompt(cli: Cli) -> None:
    found = sections(cli("caps", cli.file("t", THINKING)).text)
    rows = found["Generation prompt: conditional"]
    assert rows[2:] == [
        r'  text              "<|im_start|>assistant\n"',
        r'  if thinking       "<|im_start|>assistant\n"',
        r'  if not thinking   "<|im_start|>assistant\n<think>\n\n</think>\n\n"',
        r'  end of an answer  "<|im_end|>\n"',
    ]
    row = found["Reasoning in the history: where it appears"][1]
    assert row.split() == ["reasoning_content", "no", "no", "yes", "yes", "<think>⏎…⏎</think>⏎⏎"]
    lines = found["Variables beyond the usual ones"]
    assert "  enable_thinking  lines 17; unset is like true".replace("lines", "line") in lines


def test_long_values_are_cut(cli: Cli) -> None:
    source = "{% if x == '" + "a" * 50 + "' %}{% endif %}" + CHATML
    assert '    "' + "a" * 38 + "…  no" in cli("caps", cli.file("t", source)).text


def test_json(cli: Cli) -> None:
    data = cli("caps", cli.file("t", CHATML), "--json").data
    assert (data["template"], data["family"]) == ("default", "generic")
    assert data["capabilities"]["server"]["supports_string_content"] == {
        "value": True,
        "answer": "yes",
        "why": "content that is text is rendered",
        "lineno": None,
    }
    assert data["capabilities"]["generation_prompt"]["text"] == "<|im_start|>assistant\n"


def test_no_template(cli: Cli) -> None:
    assert cli("caps", cli.file("broken", "{{")).code == 1
