"""Roles, forms of content, rules for the order."""

from __future__ import annotations

import pytest

from chatjinja.chat import Capabilities, Evidence
from chatjinja.chat.probes.roles import RULES, USUAL_ROLES, named_roles
from chatjinja.syntax.config import SyntaxConfig
from chatjinja.syntax.parser import parse
from chatjinja.syntax.visitor import walk
from tests.chat.probes.support import ALTERNATING, BOTH_FORMS, CHATML, PARTS_ONLY, TOOLS, lines, probe


def accepted(found: Capabilities) -> set[str]:
    return {name for name, role in found.roles.items() if role.accepted.answer == "yes"}


def rules(found: Capabilities) -> set[str]:
    return {name for name, evidence in found.rules.items() if evidence.answer == "yes"}


# --- roles ---------------------------------------------------------------------------------------------


def test_every_role_alike() -> None:
    found = probe(CHATML)
    assert list(found.roles) == list(USUAL_ROLES)
    assert accepted(found) == set(USUAL_ROLES)
    assert found.any_role == Evidence("yes", "before a question: its content appears")
    assert not any(role.is_named for role in found.roles.values())
    assert found.roles["tool"].accepted.why == "after a tool call: its content appears"
    assert rules(found) == set()


def test_roles_that_are_left_out_or_refused() -> None:
    found = probe(
        lines(
            "{% for m in messages %}",
            "{% if m.role == 'user' or m['role'] in ('assistant', 'critic') %}{{ m.role ~ m.content }}",
            "{% elif m.role == 'tool' %}",
            "{{ raise_exception('no tools here') }}",
            "{% endif %}{% endfor %}",
        )
    )
    assert accepted(found) == {"user", "assistant", "critic"}
    assert found.roles["tool"].accepted == Evidence("no", 'after a tool call: refused: "no tools here"', 4)
    assert found.roles["system"].accepted == Evidence("no", "before a question: its content does not appear")
    assert found.any_role.answer == "no"
    assert {name for name, role in found.roles.items() if role.is_named} == {"user", "assistant", "critic", "tool"}


def test_a_role_in_another_place_than_usual() -> None:
    source = lines(
        "{% for m in messages %}",
        "{% if m.role == 'critic' and loop.first %}{{ raise_exception('not yet') }}{% endif %}",
        "{{ m.content }}{% endfor %}",
    )
    assert probe(source).roles["critic"].accepted.why == "after a question: its content appears"


def test_a_role_that_stands_between_questions_only() -> None:
    source = lines(
        "{% for m in messages %}{% if m.role == 'user' or not loop.last %}{{ m.content }}{% endif %}{% endfor %}"
    )
    assert probe(source).roles["assistant"].accepted.why == "between questions: its content appears"


def test_two_equal_errors_are_enough() -> None:
    source = "{% for m in messages %}{% if m.role == 'critic' %}{{ raise_exception('never') }}{% endif %}x{% endfor %}"
    critic = probe(source).roles["critic"]
    assert critic.accepted == Evidence("no", 'before a question: refused: "never"', 1)


@pytest.mark.parametrize(
    ("source", "roles"),
    [
        ("{{ m.role == 'a' }}{{ 'b' != m['role'] }}{{ m.role in ['c', 'd', 1] }}{{ m.role not in ('e', f) }}", "abcde"),
        ("{% set r = m.role %}{{ r == 'a' }}{% set s = m.x %}{{ s == 'b' }}", "a"),
        ("{{ role == 'a' }}{{ m.role < 'a' }}{{ m.role == '' }}{{ m.role == '__end__' }}{{ m['x'] == 'a' }}", ""),
    ],
)
def test_names_of_roles(source: str, roles: str) -> None:
    assert named_roles(list(walk(parse(source, SyntaxConfig())[0]))) == set(roles)


# --- content -------------------------------------------------------------------------------------------


def test_text_only() -> None:
    user = probe(CHATML).roles["user"]
    assert user.content.shape == "string"
    assert user.content.parts == Evidence("no", "a list of text parts does not appear")
    assert user.content.separator is None


def test_a_list_printed_as_data_is_no_content() -> None:
    user = probe("{% for m in messages %}{{ m.content ~ '!' }}{% endfor %}").roles["user"]
    assert user.content.shape == "string"
    assert user.content.parts == Evidence("no", "a list of text parts is printed as data")


def test_parts_only() -> None:
    found = probe(PARTS_ONLY)
    assert {role.content.shape for role in found.roles.values()} == {"list"}
    content = found.roles["assistant"].content
    assert content.separator == ""
    assert content.string.answer == "no"
    assert content.string.why.startswith("raises an error: ")
    assert content.string.lineno == 2
    assert accepted(found) == set(USUAL_ROLES)


def test_both_forms() -> None:
    found = probe(BOTH_FORMS)
    assert found.roles["user"].content.shape == "both"
    assert found.roles["user"].content.separator == "|"


def test_forms_that_differ_by_role() -> None:
    source = lines(
        "{% for m in messages %}{% if m.role == 'user' %}{{ m.content[0].text }}{% else %}",
        "{{ '<' + m.content + '>' }}{% endif %}{% endfor %}",
    )
    found = probe(source)
    roles = found.roles
    assert roles["user"].content.shape == "list"
    assert roles["user"].content.parts.why == "one part of a list of text parts appears, the other does not"
    assert roles["system"].content.shape == "string"
    assert found.rules["user-required"] == Evidence("no", "only a system message: rendered")
    assert found.tools.results == Evidence("yes", "the result appears")


def test_content_that_is_left_out() -> None:
    found = probe("always the same")
    assert found.roles["user"].content.shape == "neither"
    assert accepted(found) == set()


def test_a_missing_filter_says_nothing_about_the_form() -> None:
    found = probe("{% for m in messages %}{{ m.content | nonsense }}{% endfor %}")
    content = found.roles["user"].content
    assert content.shape == "unknown"
    assert content.string == Evidence(
        "probe failed", "raises an error: Unknown (built-in) filter 'nonsense' for type String", 1
    )


def test_a_known_filter_does() -> None:
    content = probe("{% for m in messages %}{{ m.content.strip() }}{% endfor %}").roles["user"].content
    assert (content.shape, content.parts.answer, content.parts.lineno) == ("string", "no", 1)


# --- rules ---------------------------------------------------------------------------------------------


def test_strict_order() -> None:
    found = probe(ALTERNATING)
    assert rules(found) == {
        "system-first",
        "one-system",
        "user-first",
        "user-required",
        "alternating-users",
        "alternating-assistants",
    }
    assert found.rules["alternating-users"] == Evidence(
        "yes", 'two user\'s messages in a row: refused: "roles must alternate"', 5
    )
    assert found.rules["user-required"] == Evidence("yes", "only a system message: no error, but not all of it appears")
    assert found.rules["assistant-not-last"] == Evidence("no", "an assistant's message at the end: rendered")
    failed = found.rules["result-after-call"]
    assert failed.answer == "probe failed"
    assert failed.why == 'a conversation that keeps to it: refused: "roles must alternate"'


def test_rules_of_calls() -> None:
    source = lines(
        "{% for m in messages %}",
        "{% if m.role == 'tool' and not messages[loop.index0 - 1].tool_calls %}{{ raise_exception('no call') }}",
        "{% endif %}",
        "{% for c in m.tool_calls or [] %}",
        "{% if c.id | length != 9 %}{{ raise_exception('nine') }}{% endif %}",
        "{% endfor %}",
        "{% if m.role == 'assistant' and loop.last %}{{ raise_exception('not last') }}{% endif %}",
        "{{ m.content }}{% endfor %}",
    )
    assert rules(probe(source)) == {"result-after-call", "call-ids-of-nine", "assistant-not-last"}


def test_messages_that_never_appear_have_no_order() -> None:
    source = "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}"
    found = probe(source)
    assert rules(found) == set()
    assert found.rules["system-first"].why == "such messages do not appear in any order"


def test_an_order_that_the_engine_cannot_render() -> None:
    source = lines(
        "{% for m in messages %}{{ m.content }}",
        "{% if m.role == 'system' and not loop.first %}{{ m | nonsense }}{% endif %}",
        "{% endfor %}",
    )
    evidence = probe(source).rules["one-system"]
    assert evidence.answer == "probe failed"
    assert evidence.why.startswith("two system messages: raises an error: ")


def test_tools_that_must_be_there() -> None:
    found = probe("{% for t in tools | list %}{% endfor %}{% for m in messages %}{{ m.content }}{% endfor %}" + TOOLS)
    assert found.roles["user"].accepted.answer == "yes"


def test_every_rule_is_told() -> None:
    assert set(probe(CHATML).rules) == set(RULES)
