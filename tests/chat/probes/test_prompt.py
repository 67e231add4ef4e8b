"""Generation prompt, special tokens, clock."""

from __future__ import annotations

from chatjinja.chat import Evidence
from tests.chat.probes.support import ALTERNATING, CHATML, THINKING, lines, probe

# --- generation prompt ---------------------------------------------------------------------------------


def test_conditional() -> None:
    found = probe(CHATML).generation_prompt
    assert found.kind == "conditional"
    assert found.found == Evidence("yes", r"add_generation_prompt adds '<|im_start|>assistant\n'")
    assert found.text == "<|im_start|>assistant\n"
    assert (found.thinking, found.not_thinking) == ("", "")
    assert found.is_in_history.answer == "yes"
    assert found.end_of_turn == "<|im_end|>\n"


def test_always_by_the_end_of_the_question() -> None:
    found = probe(ALTERNATING).generation_prompt
    assert (found.kind, found.text, found.end_of_turn) == ("always", "[/INST]", "<zqeos>")
    assert found.found == Evidence("yes", "the text ends where the answer begins, asked or not")


def test_always_by_an_opening_of_its_own() -> None:
    turn = lines("{% for m in messages %}{{ '<' ~ m.role ~ '>' ~ m.content ~ '<end>' }}{% endfor %}")
    found = probe(turn + "<assistant>").generation_prompt
    assert (found.kind, found.text, found.end_of_turn) == ("always", "<end><assistant>", "<end>")
    assert found.found.why == "the text ends where the answer begins, asked or not"
    other = probe(turn + "<model>").generation_prompt
    assert (other.kind, other.text) == ("always", "<end><model>")
    assert other.found.why == "the text always ends with '<model>'"
    assert other.is_in_history == Evidence("no", "the prompt ends with '<model>' where the history has '<assistant>'")


def test_always_though_answers_begin_with_more() -> None:
    source = lines(
        "{% for m in messages %}{% if m.role == 'user' or not loop.first %}{{ '<begin>' ~ m.role }}{% endif %}",
        "{{ '<content>' ~ m.content ~ '<end>' }}{% endfor %}",
    )
    found = probe(source + "<begin>assistant").generation_prompt
    assert (found.kind, found.text) == ("always", "<end><begin>assistant")


def test_never() -> None:
    source = CHATML.partition("{% if")[0]
    found = probe(source).generation_prompt
    assert (found.kind, found.text, found.found.answer) == ("never", "<|im_start|>assistant\n", "no")
    assert found.found.why == r"add_generation_prompt changes nothing, but answers begin with '<|im_start|>assistant\n'"


def test_answers_that_do_not_appear() -> None:
    found = probe("{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}")
    assert (found.generation_prompt.kind, found.generation_prompt.end_of_turn) == ("unknown", "")
    assert found.generation_prompt.is_in_history == Evidence("probe failed", "answers do not appear")


def test_answers_that_appear_between_questions_only() -> None:
    source = lines(
        "{% for m in messages %}",
        "{% if m.role == 'user' or not loop.last %}{{ '<' ~ m.role ~ '>' ~ m.content }}{% endif %}",
        "{% endfor %}{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}",
    )
    found = probe(source).generation_prompt
    assert (found.kind, found.is_in_history.answer, found.end_of_turn) == ("conditional", "yes", "")


def test_a_prompt_that_changes_more_than_the_end() -> None:
    found = probe("{{ '<gen>' if add_generation_prompt else '<all>' }}" + CHATML).generation_prompt
    assert (found.kind, found.found.why.startswith("with add_generation_prompt: ")) == ("conditional", True)


def test_no_question_can_be_rendered() -> None:
    found = probe("{{ raise_exception('never') }}").generation_prompt
    assert (found.kind, found.text) == ("unknown", "")
    assert found.found == found.is_in_history == Evidence("probe failed", 'refused: "never"', 1)


def test_thinking() -> None:
    found = probe(THINKING).generation_prompt
    assert found.thinking == found.text == "<|im_start|>assistant\n"
    assert found.not_thinking == "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    assert probe("{{ enable_thinking }}" + CHATML).generation_prompt.thinking == ""
    opened = probe(CHATML + "<think>").generation_prompt
    assert opened.is_in_history.answer == "no"


# --- special tokens ------------------------------------------------------------------------------------


def test_tokens() -> None:
    bos, eos = probe(ALTERNATING).tokens.values()
    assert (bos.printed, bos.count, bos.where) == (Evidence("yes", "once, at the start"), 1, "at the start")
    assert (eos.printed, eos.count, eos.where) == (Evidence("yes", "2 times, after answers"), 2, "after answers")


def test_tokens_elsewhere() -> None:
    source = "{% for m in messages %}{{ bos_token }}{{ m.content }}{{ ' ' * 60 }}{% endfor %}[{{ eos_token }}]"
    bos, eos = probe(source).tokens.values()
    assert (bos.count, bos.where) == (4, "at the start")
    assert (eos.count, eos.where) == (1, "elsewhere")


def test_tokens_that_do_not_appear() -> None:
    bos, eos = probe(CHATML).tokens.values()
    assert bos.printed.why == r"the variable does not appear; the text begins with '<|im_start|>user\nzquserzq<|im_'"
    assert eos.printed.why == r"the variable does not appear; the text ends with 'ssistant\nzqanswerzq<|im_end|>\n'"


def test_tokens_of_conversations_that_are_refused() -> None:
    last = lines(
        "{{ bos_token }}{% for m in messages %}{{ m.content }}",
        "{% if loop.last and m.role != 'user' %}{{ raise_exception('x') }}{% endif %}{% endfor %}",
    )
    assert probe(last).tokens["bos_token"].count == 1
    one = "{{ bos_token }}{{ raise_exception('x') if messages[1] }}{{ messages[0].content }}"
    assert probe(one).tokens["bos_token"].count == 1
    failed = probe("{{ raise_exception('x') }}").tokens["bos_token"]
    assert (failed.printed.answer, failed.count) == ("no", 0)


# --- clock ---------------------------------------------------------------------------------------------


def test_no_clock() -> None:
    found = probe(CHATML).clock
    assert (found.used, found.lines) == (Evidence("no", "nothing asks for the time"), ())


def test_clock() -> None:
    found = probe("\n{{ strftime_now('%Y-%m-%d') }}" + CHATML).clock
    assert found.used == Evidence("yes", "a later time: '2027-12-12' instead of '2024-07-26'")
    assert found.lines == (2,)


def test_clock_by_the_variables_of_the_layer() -> None:
    found = probe("{{ date_string }}{{ datetime | default('') }}" + CHATML).clock
    assert (found.used.answer, found.lines) == ("yes", (1,))


def test_clock_with_tools_only() -> None:
    found = probe("{% if tools %}{{ strftime_now('%Y') }}{% endif %}" + CHATML).clock
    assert found.used.why == "a later time: '2027' instead of '2024'"


def test_clock_that_no_probe_reaches() -> None:
    found = probe("\n{% if never %}{{ strftime_now('%Y') }}{% endif %}" + CHATML).clock
    assert found.used == Evidence("yes", "line 2 asks for the time, though no probe got there")
