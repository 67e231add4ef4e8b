"""Plain data out of what callers pass, and conversations out of it."""

from __future__ import annotations

import collections
import dataclasses
import enum
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatjinja.integrations import ApplyError, ApplyTypeError, ToolSchemaError
from chatjinja.integrations.conversations import documents_of, messages_of, schemas_of, split_batch
from chatjinja.integrations.plain import plain_data
from chatjinja.integrations.versions import VERSIONS, version_named
from tests.integrations.functions import METHODS, multiply, no_docstring

FIVE = VERSIONS["5"]
FOUR = VERSIONS["4.57"]


class Role(str, enum.Enum):  # noqa: UP042 -- what programs for Python 3.10 have
    USER = "user"


class Level(enum.IntEnum):
    HIGH = 2


class Number(float):
    pass


@dataclasses.dataclass
class Call:
    name: str
    arguments: dict[str, Any]


@dataclasses.dataclass
class Message:
    role: Role
    content: str | None
    tool_calls: list[Call] | None = None


class Block(pydantic.BaseModel):
    type: str
    text: str | None = None


class Model(pydantic.BaseModel):
    role: str
    content: list[Block] | None


DATA: list[tuple[Any, Any]] = [
    (None, None),
    ({"a": [1, 2.5, True, None, "x"]}, {"a": [1, 2.5, True, None, "x"]}),
    (Role.USER, "user"),
    (Level.HIGH, 2),
    (Number(1.5), 1.5),
    ({Role.USER: Level.HIGH}, {"user": 2}),
    (MappingProxyType({"a": Number(2)}), {"a": 2.0}),
    (collections.OrderedDict(b=(Role.USER,)), {"b": ("user",)}),
    ([(1, [Level.HIGH])], [(1, [2])]),
    (numpy.int64(3), 3),
    (numpy.bool_(False), False),
    (numpy.str_("x"), "x"),
    (numpy.float64(0.5), 0.5),
    (numpy.zeros(2), "<ndarray>"),
    ({"image": numpy.zeros(2), 1: object}, {"image": "<ndarray>", 1: "<type>"}),
    (b"x", "<bytes>"),
    ({1, 2}, "<set>"),
    (Call("f", {"x": Level.HIGH}), {"name": "f", "arguments": {"x": 2}}),
    (Call, "<type>"),
    (
        Model(role="user", content=[Block(type="text", text="a")]),
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
    ),
    (SimpleNamespace(model_dump=5), "<SimpleNamespace>"),
]


@pytest.mark.parametrize(("value", "expected"), DATA, ids=[type(value).__name__ for value, _ in DATA])
def test_plain_data(value: Any, expected: Any) -> None:
    utils = pytest.importorskip("transformers.utils.chat_template_utils")
    found = plain_data(value)
    assert repr(found) == repr(expected) == repr(utils._plain_template_data(value))


def test_types_are_exact() -> None:
    found = plain_data([Role.USER, Level.HIGH, Number(1), {Role.USER: 1}])
    assert [type(item) for item in found] == [str, int, float, dict]
    assert type(next(iter(found[3]))) is str


def test_much_data_and_data_without_end() -> None:
    many: list[Any] = [{} for _ in range(100_001)]
    assert plain_data(many) == many
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        plain_data(loop)


def test_plain_data_is_not_copied() -> None:
    for value in ({"a": 1}, [1, "x"], {"a": None}):
        assert plain_data(value) is value


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
values = st.recursive(
    scalars | st.sampled_from([Role.USER, Level.HIGH, Number(2), numpy.int64(1), b"x", Block(type="t")]),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(scalars, inner, max_size=3),
    max_leaves=8,
)
messages = st.dictionaries(
    st.sampled_from(["role", "content", "reasoning_content", "thinking", "reasoning", "tool_calls"]), values
)


@given(st.lists(messages | st.just(Message(Role.USER, None)) | st.just(Model(role="user", content=None)), max_size=3))
def test_messages_as_transformers_5(conversation: list[Any]) -> None:
    utils = pytest.importorskip("transformers.utils.chat_template_utils")
    normal = utils._plain_template_data(utils._normalize_chat_messages(conversation))
    assert repr(messages_of(conversation, FIVE)) == repr(utils._alias_reasoning_fields(normal))


def test_nothing_of_the_caller_is_changed() -> None:
    message = {"role": "assistant", "content": None, "thinking": "hm"}
    assert messages_of([message], FIVE) == [{"role": "assistant", "thinking": "hm", "reasoning_content": "hm"}]
    assert message == {"role": "assistant", "content": None, "thinking": "hm"}


def test_messages_of_4_57_are_the_callers() -> None:
    conversation = [{"role": Role.USER, "content": None, "thinking": "hm"}]
    assert messages_of(conversation, FOUR) is conversation
    assert messages_of(tuple(conversation), FOUR) == tuple(conversation)
    assert messages_of(iter(conversation), FOUR) == conversation
    assert messages_of(SimpleNamespace(messages=conversation), FOUR) is conversation


@pytest.mark.parametrize("conversation", [{"role": "user"}, ["x"], [None], [["x"]], "x", 5, None, [{1, 2}]])
def test_what_is_no_conversation(conversation: Any) -> None:
    utils = pytest.importorskip("transformers.utils.chat_template_utils")
    with pytest.raises(TypeError):
        utils._normalize_chat_messages(conversation)
    with pytest.raises(ApplyTypeError):
        messages_of(conversation, FIVE)


def test_batches() -> None:
    one = [{"role": "user"}]
    assert split_batch(one) == ([one], False)
    assert split_batch([one, one]) == ([one, one], True)
    assert split_batch((tuple(one),)) == ([tuple(one)], True)
    chat = SimpleNamespace(messages=one)
    assert split_batch([chat]) == ([chat], True)
    assert split_batch(chat) == ([chat], False)
    for empty in ([], ()):
        with pytest.raises(ApplyError, match="at least one message"):
            split_batch(empty)


def test_tools() -> None:
    schema = {"type": "function", "strict": Level.HIGH}
    assert schemas_of(None, FIVE) is None
    assert schemas_of([], FIVE) == []
    found = schemas_of((schema, multiply, METHODS["add"]), FIVE)
    assert found is not None
    assert [tool.get("function", {}).get("name") for tool in found] == [None, "multiply", "add"]
    assert type(found[0]["strict"]) is int
    assert schemas_of(iter([schema]), FOUR) == [schema]
    for tools, error in (
        ([5], ApplyError),
        ([MappingProxyType({})], ApplyError),
        ("x", ApplyTypeError),
        (5, ApplyTypeError),
        ([no_docstring], ToolSchemaError),
    ):
        with pytest.raises(error):
            schemas_of(tools, FIVE)
    with pytest.raises(ApplyError, match="a function with type hints"):
        schemas_of([METHODS["add"]], FOUR)


def test_documents() -> None:
    assert documents_of(None, FIVE) is None
    assert documents_of([{"title": Role.USER}], FIVE) == [{"title": "user"}]
    documents = ({"title": "a"},)
    assert documents_of(documents, FOUR) is documents
    for documents in (["x"], {"title": "a"}, 5):
        with pytest.raises(ApplyTypeError):
            documents_of(documents, FIVE)


def test_versions() -> None:
    assert version_named("4.57") is FOUR
    with pytest.raises(ValueError, match=r"known: 5, 4\.57"):
        version_named("3")
