"""Declarations, calls and results of tools; arguments."""

from __future__ import annotations

import pytest

from chatjinja.chat import Evidence
from chatjinja.chat.probes.tools import GIVEN
from tests.chat.probes.support import CHATML, PARTS_ONLY, TEXT_ARGUMENTS, TOOLS, XML_TOOLS, lines, probe


def test_json_arguments() -> None:
    found = probe(TOOLS).arguments
    assert found.shape == "mapping"
    assert found.string.why == r"what is given as text is encoded a second time: {\"zqone\":1.0,  \"zqtwo\":\"é\"}"
    assert found.bytes_survive.answer == "no"
    assert found.mapping_as == '{"zqone": 1, "zqtwo": "é"}'


def test_arguments_as_elements() -> None:
    found = probe(XML_TOOLS).arguments
    assert found.shape == "mapping"
    assert found.string.why == "raises an error: Unknown (built-in) filter 'items' for type String"
    assert found.string.lineno == 3
    assert found.mapping_as == "zqone>1.0<zqtwo>é"
    assert found.bytes_survive == Evidence(
        "no", "the text must be parsed first; the object appears as zqone>1.0<zqtwo>é"
    )


def test_arguments_as_text() -> None:
    found = probe(TEXT_ARGUMENTS).arguments
    assert found.shape == "string"
    assert found.mapping.why == "what is given as an object is printed, but not as JSON: {'zqone': 1.0, 'zqtwo': 'é'}"
    assert found.bytes_survive == Evidence("yes", "the text appears byte for byte")
    assert found.string_as == GIVEN


def test_both_kinds_of_arguments() -> None:
    source = TOOLS.replace(
        "c.function.arguments | tojson",
        "(c.function.arguments if c.function.arguments is string else c.function.arguments | tojson)",
    )
    found = probe(source).arguments
    assert (found.shape, found.bytes_survive.answer) == ("both", "yes")


def test_text_that_is_changed() -> None:
    found = probe(TEXT_ARGUMENTS.replace("c.function.arguments ", "c.function.arguments.replace('  ', ' ') ")).arguments
    assert found.bytes_survive == Evidence("no", 'the text appears as {"zqone":1.0, "zqtwo":"é"}')


def test_arguments_that_do_not_appear() -> None:
    found = probe(CHATML).arguments
    assert found.shape == "neither"
    assert (found.string_as, found.mapping_as) == ("", "")
    assert found.bytes_survive == found.string == Evidence("no", "what is given as text does not appear")


def test_arguments_that_the_engine_cannot_render() -> None:
    source = XML_TOOLS.replace("| items", "| nonsense")
    found = probe(source).arguments
    assert found.shape == "unknown"
    assert found.bytes_survive.answer == "probe failed"


def test_arguments_without_their_values() -> None:
    source = XML_TOOLS.replace(" ~ value", "")
    assert probe(source).arguments.mapping_as == "zqone><zqtwo"


def test_everything_about_tools() -> None:
    found = probe(TOOLS).tools
    yes = {name for name in found.__dataclass_fields__ if getattr(found, name).answer == "yes"}
    assert yes == {
        "declared",
        "called",
        "parallel",
        "results",
        "call_ids",
        "result_ids",
        "result_names",
        "null_content",
    }
    assert (found.bare.answer, found.bare.lineno) == ("no", 1)


def test_nothing_about_tools() -> None:
    found = probe(CHATML).tools
    assert {found.declared.answer, found.called.answer, found.parallel.answer} == {"no"}
    assert found.results.answer == "yes"


def test_bare_declarations() -> None:
    both = TOOLS.replace("t.function", "(t.function or t)")
    assert probe(both).tools.bare.answer == "yes"
    left_out = TOOLS.replace("t.function | tojson", "t.function.name")
    assert probe(left_out).tools.bare == Evidence("no", "the tool's name does not appear")


def test_one_call_only() -> None:
    source = TOOLS.replace("{%- for c in m.tool_calls or [] %}", "{%- for c in (m.tool_calls or [])[:1] %}")
    assert source != TOOLS
    assert probe(source).tools.parallel == Evidence("no", "each of two calls does not appear")


def test_calls_by_id() -> None:
    source = lines(
        "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.id }}{% endfor %}{% endfor %}"
    )
    found = probe(source).tools
    assert (found.called.answer, found.parallel.answer) == ("yes", "yes")


def test_calls_that_only_appear_when_answered() -> None:
    source = lines(
        "{% for m in messages %}{% if not loop.last or m.role != 'assistant' %}{{ m.content }}",
        "{% for c in m.tool_calls or [] %}{{ c.function | tojson }}{% endfor %}{% endif %}{% endfor %}",
    )
    found = probe(source)
    assert found.tools.called.answer == "yes"
    assert found.arguments.shape == "mapping"


def test_results_that_need_a_name() -> None:
    source = TOOLS.replace(
        "{%- if m.role == 'tool' %}",
        "{%- if m.role == 'tool' and not m.name %}{{ raise_exception('name?') }}{%- elif m.role == 'tool' %}",
    )
    found = probe(source)
    assert found.tools.results == Evidence("yes", "the result appears, if it has a name")
    assert found.roles["tool"].accepted.why == 'after a tool call: refused: "name?"'


def test_results_that_cannot_be_rendered_leave_the_rest_alone() -> None:
    source = TOOLS.replace("m.tool_call_id", "m.tool_call_id.nonsense()")
    found = probe(source)
    assert found.tools.results.answer == "probe failed"
    assert found.tools.called.answer == "yes"
    assert found.arguments.shape == "mapping"
    assert found.reasoning["content <think>"].with_call.answer == "yes"


def test_results_by_the_id_of_their_call() -> None:
    source = lines(
        "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.name }}{% endfor %}",
        "{% if m.role == 'tool' and m.tool_call_id != 'zqcallid1' %}{{ raise_exception('which?') }}{% endif %}",
        "{% endfor %}",
    )
    evidence = probe(source).tools.result_ids
    assert evidence == Evidence("yes", 'it must be the id of a call: refused: "which?"', 2)


@pytest.mark.parametrize(
    ("printed", "answer", "why"),
    [
        ("m.content or ''", "yes", "the same as an empty text"),
        ("'none' if m.content is none else m.content", "yes", "accepted, but not the same as an empty text"),
        ("m.content | string", "no", "null is printed"),
        ("m.content | tojson", "no", "null is printed"),
        ("m.content.strip()", "no", "raises an error: Callee is not a function: got Undefined (hint: 'strip')"),
    ],
)
def test_null_as_content(printed: str, answer: str, why: str) -> None:
    evidence = probe("{% for m in messages %}{{ " + printed + " }}{% endfor %}").tools.null_content
    assert (evidence.answer, evidence.why) == (answer, why)


def test_calls_where_content_is_a_list() -> None:
    source = PARTS_ONLY.replace(
        "{{- '</s>' }}", "{%- for c in m.tool_calls or [] %}{{ c.function | tojson }}{% endfor %}"
    )
    assert source != PARTS_ONLY
    found = probe(source)
    assert found.tools.called.answer == "yes"
    assert found.tools.null_content.answer == "no"


def test_arguments_that_must_be_text() -> None:
    source = TOOLS.replace("c.function.arguments | tojson", "c.function.arguments.strip()")
    found = probe(source)
    assert found.arguments.shape == "string"
    assert found.arguments.mapping.answer == "no"
    assert found.tools.called.answer == "yes"
