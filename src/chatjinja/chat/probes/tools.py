"""What a template does with declarations, calls and results of tools."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from chatjinja.chat.probes.prober import CALL_ID, CALLED, OTHER, RESULT, TOOL, TOOLS, Message, Prober, Result
from chatjinja.chat.probes.records import Arguments, ArgumentShape, Evidence, Tools
from chatjinja.chat.probes.texts import shortened

GIVEN = '{"zqone":1.0,  "zqtwo":"é"}'
"""Arguments as a model may have written them: other blanks, floats and letters than a serialiser's."""
_VALUES: Mapping[str, Any] = MappingProxyType({"zqone": 1.0, "zqtwo": "é"})
_FIRST, _LAST = _VALUES
_SHAPES: Mapping[tuple[bool, bool], ArgumentShape] = MappingProxyType(
    {(True, True): "both", (True, False): "string", (False, True): "mapping", (False, False): "neither"}
)
_CALL_WORDS = (CALLED, CALL_ID, "zqone")
SECOND_ID = "zqcallid2"


# --- arguments -----------------------------------------------------------------------------------------


def find_arguments(prober: Prober) -> Arguments:
    """How the arguments of a call are rendered."""
    as_string = prober.render_call(prober.call(GIVEN), "zqtwo")
    as_mapping = prober.render_call(prober.call(dict(_VALUES)), "zqtwo")
    text, listed = as_string.shows("zqone", "zqtwo"), as_mapping.shows("zqone", "zqtwo")
    string = prober.judged(as_string, text, "what is given as text", else_works=listed)
    mapping = prober.judged(as_mapping, listed, "what is given as an object", else_works=text)
    string_as, mapping_as = _shown(as_string.text), _shown(as_mapping.text)
    if '\\"zqone\\"' in as_string.text:
        string = Evidence("no", f"what is given as text is encoded a second time: {string_as}")
    if mapping_as.startswith("{'"):
        mapping = Evidence("no", f"what is given as an object is printed, but not as JSON: {mapping_as}")
    answers = (string.answer, mapping.answer)
    is_unknown = "yes" not in answers and "probe failed" in answers
    shape = "unknown" if is_unknown else _SHAPES[answers[0] == "yes", answers[1] == "yes"]
    return Arguments(shape, string, mapping, _survive(string, as_string, mapping_as), string_as, mapping_as)


def _survive(string: Evidence, as_string: Result, mapping_as: str) -> Evidence:
    if as_string.shows(GIVEN):
        return Evidence("yes", "the text appears byte for byte")
    if string.answer == "yes":
        return Evidence("no", f"the text appears as {_shown(as_string.text)}")
    if mapping_as:
        return Evidence("no", f"the text must be parsed first; the object appears as {mapping_as}")
    return string


def _shown(text: str) -> str:
    """How the arguments stand in a text: from bracket to bracket, or from the first name to the last value."""
    last = text.rfind(_LAST)
    first = text.rfind(_FIRST, 0, last)
    if first < 0:
        return ""
    start = text.rfind("{", 0, first)
    if start >= 0 and not text[start + 1 : first].strip("\"' \\\n"):
        return text[start : text.find("}", last) + 1]
    end = text.find("é", last)
    return shortened(text[first : end + 1 if end >= 0 else last + len(_LAST)])


# --- tools ---------------------------------------------------------------------------------------------


def find_tools(prober: Prober) -> Tools:
    """What becomes of declarations, calls and results."""
    asked = [prober.user]
    call, result = prober.call(), prober.result(name=OTHER)
    declared = prober.render(asked, tools=TOOLS)
    bare = prober.render(asked, tools=[tool["function"] for tool in TOOLS])
    plain = prober.render_call(call, *_CALL_WORDS)
    answered = prober.render([*asked, call, result], tools=TOOLS)
    return Tools(
        declared=prober.judged(declared, declared.shows(TOOL), "the tool's name"),
        bare=prober.judged(bare, bare.shows(TOOL), "the tool's name", else_works=declared.shows(TOOL)),
        called=prober.judged(plain, _shows_any(plain, *_CALL_WORDS), "the call"),
        parallel=_parallel(prober, call),
        results=_results(prober, call),
        call_ids=prober.judged(plain, plain.shows(CALL_ID), "the id"),
        result_ids=_result_ids(prober, call),
        result_names=prober.judged(answered, answered.shows(OTHER), "the name"),
        null_content=_null_content(prober, call),
    )


def _parallel(prober: Prober, call: Message) -> Evidence:
    """Whether a second call appears, which differs in everything."""
    first = call["tool_calls"][0]
    arguments = '{"zqthree": 2.0}' if isinstance(first["function"]["arguments"], str) else {"zqthree": 2.0}
    second = {**first, "id": SECOND_ID, "function": {"name": OTHER, "arguments": arguments}}
    second_words = (OTHER, SECOND_ID, "zqthree")
    result = prober.render_call({**call, "tool_calls": [first, second]}, *second_words)
    both = _shows_any(result, *_CALL_WORDS) and _shows_any(result, *second_words)
    return prober.judged(result, both, "each of two calls")


def _shows_any(result: Result, *words: str) -> bool:
    """Whether anything of a call appears: some templates print its id instead of its name."""
    return any(word in result.text for word in words)


def _results(prober: Prober, call: Message) -> Evidence:
    result = prober.render([prober.user, call, prober.result()], tools=TOOLS)
    evidence = prober.judged(result, result.shows(RESULT), "the result")
    return evidence._replace(why=f"{evidence.why}, if it has a name") if prober.wants_names else evidence


def _result_ids(prober: Prober, call: Message) -> Evidence:
    """Whether the id of a result appears; the id is not that of the call."""
    known = prober.render([prober.user, call, prober.result()], tools=TOOLS)
    other = prober.render([prober.user, call, {**prober.result(), "tool_call_id": SECOND_ID}], tools=TOOLS)
    if other.error is not None and known.error is None:
        failure = prober.failure(other.error)
        return failure._replace(answer="yes", why=f"it must be the id of a call: {failure.why}")
    return prober.judged(other, other.shows(SECOND_ID), "the id")


def _null_content(prober: Prober, call: Message) -> Evidence:
    empty = prober.render_call(call)
    null = prober.render_call({**call, "content": None})
    if null.error is not None:
        return prober.failure(null.error, else_works=empty.error is None)
    if null.text == empty.text:
        return Evidence("yes", "the same as an empty text")
    if any(null.text.count(word) > empty.text.count(word) for word in ("None", "null")):
        return Evidence("no", "null is printed")
    return Evidence("yes", "accepted, but not the same as an empty text")
