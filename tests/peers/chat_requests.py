"""Random chat requests: mostly sound ones, with something odd or broken here and there."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

TEXTS = st.sampled_from(
    ["", "Hi", "  blanks \n", "Zwölf Boxkämpfer", "😀", "<think>a</think>b", "<|im_end|>", "x\ny", "0", "null", "{}"]
)
WORDS = st.sampled_from(["get_weather", "f", "search", "Tool-1"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -3, 7, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 1.5, 1e21, 1e15, 123456.0, 1e-7, -0.0]),
    TEXTS,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abcé"), inner, max_size=3)),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.sampled_from(["city", "unit", "ß"]), VALUES, max_size=3)
ARGUMENT_TEXTS = st.sampled_from(
    [
        "{}",
        '{"city": "Oslo"}',
        '{"a": 1, "b": [1.50, null, true], "a": 2}',
        '{"n": 18446744073709551616, "m": 9223372036854775808, "x": 1E400}',
        '{"n": 18446744073709551615, "m": -9223372036854775809, "x": 1E5}',
        "[]",
        "3",
        '"text"',
        "",
        '{"a": ',
        '{"a": NaN}',
        '"\\ud800"',
        '"\\ud83d\\ude00"',
        "{'a': 1}",
        '\ufeff{"a": 1}',
    ]
)
ARGUMENTS = st.one_of(OBJECTS, OBJECTS, ARGUMENT_TEXTS, VALUES)
IDS = st.sampled_from(["call00001", "call00002", "call00003", "abcdefgh1", ""])


def once_in(often: int) -> st.SearchStrategy[bool]:
    """True once in `often` times. (Hypothesis prefers the bounds of an integer range.)"""
    return st.sampled_from([False] * (often - 1) + [True])


def rarely(odd: st.SearchStrategy[Any], usual: st.SearchStrategy[Any], often: int = 25) -> st.SearchStrategy[Any]:
    """`odd` once in `often` times."""
    return once_in(often).flatmap(lambda is_odd: odd if is_odd else usual)


@st.composite
def some_of(draw: st.DrawFn, chance: int, **fields: st.SearchStrategy[Any]) -> dict[str, Any]:
    """A dict with each of the fields once in `chance` times."""
    return {name: draw(values) for name, values in fields.items() if draw(once_in(chance))}


PARTS = st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}, optional={"cache": st.just(1)})
CONTENTS = rarely(
    st.one_of(
        st.none(),
        st.just(3),
        st.just({}),
        st.just([{"type": "image_url", "image_url": {"url": "x"}}]),
        st.just([{"type": "text"}]),
        st.just([{"type": "text", "text": None}]),
        st.just(["x"]),
    ),
    st.one_of(TEXTS, TEXTS, TEXTS, st.lists(PARTS, max_size=3)),
)
CALLS = rarely(
    st.sampled_from([{}, {"type": "x"}, {"type": "function"}, {"type": "function", "function": {}}, "x", None]),
    st.builds(
        lambda identity, name, arguments, extra: {
            **({} if identity is None else {"id": identity}),
            "type": "function",
            "function": {"name": name, **({} if arguments == "missing" else {"arguments": arguments})},
            **extra,
        },
        rarely(st.sampled_from([None, 3]), IDS),
        rarely(st.just(3), WORDS, 60),
        rarely(st.just("missing"), ARGUMENTS, 60),
        st.sampled_from([{}, {"index": 0}]),
    ),
    60,
)


@st.composite
def messages(draw: st.DrawFn) -> Any:
    found: list[Any] = []
    if draw(st.booleans()):
        found.append({"role": draw(st.sampled_from(["system", "system", "developer"])), "content": draw(CONTENTS)})
    for _ in range(draw(st.integers(0, 4))):
        role = draw(st.sampled_from(["user", "user", "assistant", "assistant", "tool", "tool", "critic", "system"]))
        found.append(draw(message(role)))
    if draw(st.booleans()):
        found.append({"role": "user", "content": draw(TEXTS)})
    return found


@st.composite
def message(draw: st.DrawFn, role: str) -> Any:
    made: dict[str, Any] = {"role": role, "content": draw(CONTENTS)}
    if role == "assistant":
        made.update(draw(some_of(3, reasoning_content=rarely(st.sampled_from([None, 4]), TEXTS))))
        if draw(once_in(3)):
            made["tool_calls"] = draw(
                rarely(st.sampled_from([None, [], "x", {"a": 1}]), st.lists(CALLS, min_size=1, max_size=3), 40)
            )
            if draw(once_in(4)):
                del made["content"]
    if role == "tool":
        made.update(draw(some_of(2, tool_call_id=rarely(st.sampled_from([None, 4]), IDS), name=WORDS)))
    made.update(draw(some_of(30, name=WORDS, reasoning_content=TEXTS, reasoning=TEXTS, thinking=TEXTS)))
    if draw(once_in(200)):
        del made["role"]
    return made


TOOL = rarely(
    st.sampled_from([{}, "x", {"type": "x"}, {"type": "function"}, {"type": "function", "function": {"name": None}}]),
    st.builds(
        lambda name, extra, unknown: {"type": "function", "function": {"name": name, **extra}, **unknown},
        WORDS,
        some_of(
            2,
            description=rarely(st.none(), TEXTS),
            parameters=st.sampled_from(
                [
                    {},
                    {"type": "object", "properties": {}},
                    {
                        "type": "object",
                        "properties": {"city": {"type": "string", "description": "é"}},
                        "required": ["city"],
                    },
                ]
            ),
            strict=st.just(True),
        ),
        st.sampled_from([{}, {"cache": 1}]),
    ),
    60,
)
BOOLEANS = st.booleans()


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    """A body for ``POST /apply-template``."""
    found: dict[str, Any] = {"messages": draw(rarely(st.sampled_from([None, "x", []]), messages(), 60))}
    if draw(once_in(300)):
        del found["messages"]
    if draw(once_in(3)):
        found["tools"] = draw(rarely(st.sampled_from(["x", {}, None]), st.lists(TOOL, max_size=3), 60))
    found.update(
        draw(
            some_of(
                6,
                add_generation_prompt=rarely(st.sampled_from([None, 0, "x"]), BOOLEANS, 8),
                continue_final_message=st.sampled_from(
                    [True, False, "content", "reasoning_content", "reasoning_content", None, "x", 1]
                ),
                chat_template_kwargs=some_of(
                    3,
                    enable_thinking=rarely(st.sampled_from(["true", None, 1]), BOOLEANS, 8),
                    reasoning_effort=st.sampled_from(["low", "medium", "high", "none", 3]),
                    preserve_reasoning=rarely(st.just("x"), BOOLEANS, 8),
                    custom=VALUES,
                    source_lang_code=rarely(SCALARS, st.sampled_from(["de", "cs"])),
                    target_lang_code=rarely(SCALARS, st.sampled_from(["de", "cs"])),
                    thinking=BOOLEANS,
                ),
                reasoning_effort=st.sampled_from(["low", "medium", "high", "none", "", None, 3]),
            )
        )
    )
    if found.get("continue_final_message") and draw(BOOLEANS):
        found["add_generation_prompt"] = False
    found.update(
        draw(
            some_of(
                25,
                tool_choice=st.sampled_from(["auto", "none", "required", "x", {}, None]),
                parallel_tool_calls=BOOLEANS,
                reasoning_format=st.sampled_from(["none", "auto", "deepseek", "x", 3, None]),
                response_format=st.sampled_from(
                    [
                        None,
                        {"type": "text"},
                        {"type": "json_object"},
                        {"type": "x"},
                        {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}},
                    ]
                ),
                json_schema=st.sampled_from([None, {"type": "object"}, {}, [1], "x"]),
                grammar=st.sampled_from([None, "", 'root ::= "a"']),
                logprobs=BOOLEANS,
                top_logprobs=st.sampled_from([None, 2]),
                stream=BOOLEANS,
                temperature=st.just(0.5),
            )
        )
    )
    return found
