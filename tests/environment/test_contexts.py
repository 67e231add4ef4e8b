"""What a context may hold, and that nothing of it is ever changed."""

from __future__ import annotations

import copy
import enum
from collections import OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple
from decimal import Decimal
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from chatjinja import ContextError, Environment, LimitError, Template, TemplateError
from tests.properties.outcomes import exact, fast


class Word(enum.StrEnum):
    USER = "user"


class Name(str, enum.Enum):  # noqa: UP042 -- formats as Name.USER
    USER = "user"


class Number(enum.IntEnum):
    THREE = 3


class Loud(str):
    def __str__(self) -> str:
        return "LOUD"


class Big(int):
    def __str__(self) -> str:
        return "big"


class Half(float):
    def __str__(self) -> str:
        return "half"


Pair = namedtuple("Pair", ["a", "b"])

SHOW = "{{ v }}|{{ v ~ '' }}|{{ '' ~ v ~ 'x' }}|{{ v|tojson }}|{{ v|string }}|{{ [v] }}|{{ v is string }}"
USES = [
    SHOW,
    "{{ v|length }}{{ v[0] }}{{ v[1:] }}{{ v|first }}",
    "{{ v.a }}{{ v['a'] }}{{ v.get('a') }}{{ 'a' in v }}{{ v|length }}{% for k in v %}{{ k }}{{ v[k] }}{% endfor %}",
    "{% for k, w in v.items() %}{{ k }}{{ w }}{% endfor %}{{ v|items }}{{ v is mapping }}",
    "{% if v == 'user' %}{{ v ~ v }}{{ v.upper() }}{{ v + '!' }}{{ v|trim }}{% endif %}{{ v in ['user', 3] }}",
    "{{ v + 1 }}{{ -v }}{{ v < 4 }}{{ v * 2 }}{{ 'abcde'[v] }}{{ range(v) }}",
    "{% set w = v %}{{ w }}{{ w is sameas(v) }}{{ w == v }}{% if w %}t{% endif %}{{ w or 'd' }}{{ v is none }}",
    "{% for x in v %}{{ x }}{{ loop.last }}{% endfor %}{{ v|join(',') }}{{ v|list }}",
    "{{ {v: 1}[v] }}{{ d[v] }}{{ v is number }}{{ v is iterable }}{{ v|default('q') }}",
]
LIKE = [
    (OrderedDict(a=1), {"a": 1}),
    (MappingProxyType({"a": 1}), {"a": 1}),
    (UserDict({"a": 1}), {"a": 1}),
    (defaultdict(list, {"a": 1}), {"a": 1}),
    (UserList(["a", 1]), ["a", 1]),
    (("a", 1), ["a", 1]),
    (Pair("a", 1), ["a", 1]),
    (range(3), [0, 1, 2]),
    (deque(["a", 1]), ["a", 1]),
    (Word.USER, "user"),
    (Name.USER, "user"),
    (Loud("user"), "user"),
    (Number.THREE, 3),
    (Big(3), 3),
    (Half(0.5), 0.5),
    ({Word.USER: Word.USER}, {"user": "user"}),
    ({"a": {"b": (Name.USER, Number.THREE)}}, {"a": {"b": ["user", 3]}}),
]


@pytest.fixture(scope="module")
def environment() -> Environment:
    return Environment()


@pytest.mark.parametrize(("value", "like"), LIKE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("source", USES)
def test_other_types_count_as_what_they_stand_for(environment: Environment, source: str, value: Any, like: Any) -> None:
    template = environment.from_string(source)
    other, plain = {"v": value, "d": {"user": 1}}, {"v": like, "d": {"user": 1}}
    expected = fast(template, plain)
    assert exact(template, plain) == expected
    assert fast(template, other) == expected
    assert exact(template, other) == expected


@pytest.mark.parametrize(
    "value", [b"x", bytearray(b"x"), {1}, Decimal(1), object(), SimpleNamespace(a=1), 1j, Word, len]
)
@pytest.mark.parametrize(
    "source", ["{{ a[0].b }}", "{{ a[0].b|tojson }}", "{{ a|tojson }}", "{{ '' ~ a }}", "{{ a }}{{ a[0].b.c }}"]
)
def test_other_objects_are_refused_with_their_place(environment: Environment, source: str, value: Any) -> None:
    context = {"x": 1, "a": [{"~b/": 1, "b": value}]}
    template = environment.from_string(source)
    for way in (template.render, lambda ctx: template._render_exact(ctx, template._clock)):
        with pytest.raises(ContextError) as caught:
            way(context)
        assert caught.value.pointer == "/a/0/b"
        assert "/a/0/b" in caught.value.message
        assert type(value).__name__ in caught.value.message


def test_pointers_are_escaped(environment: Environment) -> None:
    with pytest.raises(ContextError) as caught:
        environment.from_string("{{ v|tojson }}").render({"v": {"a/b~c": object()}})
    assert caught.value.pointer == "/v/a~1b~0c"


def test_a_missing_key_is_not_added_to_a_defaultdict(environment: Environment) -> None:
    data: defaultdict[str, Any] = defaultdict(list, a=defaultdict(dict))
    source = (
        "{{ d.nope }}{{ d['nope'] }}{{ d.get('nope') }}{{ d.a.nope.x }}{{ 'nope' in d }}{% set k = 'nope' %}{{ d[k] }}"
    )
    template = environment.from_string(source)
    for way in (fast, exact):
        assert way(template, {"d": data}).text is not None
        assert dict(data) == {"a": {}}
    assert environment.from_string("{{ nope }}").render(defaultdict(list)) == ""


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00"])
@pytest.mark.parametrize(
    "source", ["{{ v }}", "{{ v|tojson }}", "{{ v|length }}", "x{{ v ~ 'é' }}", "{{ [v] }}", "{{ v|upper }}"]
)
def test_lone_surrogates_are_refused(environment: Environment, text: str, source: str) -> None:
    with pytest.raises(ContextError, match="surrogate") as caught:
        environment.from_string(source).render({"v": text})
    assert caught.value.code == "context-encoding"


def test_escaped_bytes_are_text(environment: Environment) -> None:
    assert environment.from_string("{{ v }}").render({"v": "a\udcff"}) == "a\udcff"
    assert environment.from_string("{{ v[0] }}{{ v[1] }}").render({"v": ["\udcc3", "\udca9"]}) == "é"


NUMBERS = [
    2**63 - 1,
    -(2**63),
    2**63,
    2**64 - 1,
    2**64,
    -(2**63) - 1,
    10**400,
    -(10**5000),
    float("nan"),
    float("inf"),
    -0.0,
    True,
]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: str(number)[:12] if abs(number) < 1e300 else "huge")
@pytest.mark.parametrize(
    "source",
    [
        SHOW,
        "{{ v + 1 }}",
        "{{ v - 1 }}",
        "{{ -v }}",
        "{{ v * 1 }}",
        "{{ v / 2 }}",
        "{{ v % 7 }}",
        "{{ v > 0 }}",
        "{{ v == 1 }}",
    ],
)
def test_both_forms_agree_on_numbers(environment: Environment, number: Any, source: str) -> None:
    template = environment.from_string(source)
    assert fast(template, {"v": number}) == exact(template, {"v": number})


def test_keys_that_are_no_strings(environment: Environment) -> None:
    context = {"v": {1: "one", 2.5: "f", None: "n", False: "f", "1": "s"}}
    source = (
        "{{ v[1] }}{{ v['1'] }}{{ v[2.5] }}{{ v[none] }}{{ v|tojson }}{{ '' ~ v }}{% for k in v %}{{ k }}{% endfor %}"
    )
    template = environment.from_string(source)
    assert fast(template, context) == exact(template, context)


def cyclic(depth: int) -> dict[str, Any]:
    inner: list[Any] = []
    context: dict[str, Any] = {"v": inner}
    for _ in range(depth):
        inner.append([])
        inner = inner[0]
    inner.append(context["v"])
    return context


@pytest.mark.parametrize("depth", [0, 1, 50])
@pytest.mark.parametrize(
    "source", ["{{ v|tojson }}", "{{ v }}", "{{ v|string }}", "{{ '' ~ v }}", "{% set x = v.append(1) %}"]
)
def test_cyclic_data_is_refused(environment: Environment, source: str, depth: int) -> None:
    with pytest.raises(ContextError, match="contains itself") as caught:
        environment.from_string(source).render(cyclic(depth))
    assert caught.value.code == "context-cyclic"
    assert caught.value.pointer == "/v" + "/0" * (depth + 1)


@pytest.mark.parametrize(
    "source", ["{{ v|tojson }}", "{{ v }}", "{{ v|string }}", "{{ '' ~ v }}", "{% set x = v.append(1) %}"]
)
def test_deep_data_reaches_a_limit(environment: Environment, source: str) -> None:
    value: Any = 1
    for _ in range(10_000):
        value = [value]
    with pytest.raises(LimitError) as caught:
        environment.from_string(source).render({"v": value})
    assert caught.value.limit == "data_depth"
    assert (
        environment.from_string("{{ v is defined }}{{ v|length }}{{ v[0][0]|length }}").render({"v": value}) == "True11"
    )


CHANGES = [
    "{% set v.new = 1 %}{{ v|length }}",
    "{% set v.list = [] %}{{ v.list }}",
    "{{ v.list.append(3) }}{{ v.list.pop(0) }}",
    "{% set l = v.list %}{% set _ = l.append(l|length) %}{{ v.list }}",
    "{% for m in v.ms %}{% set m.role = 'x' %}{% set m.n = [1] %}{{ m.n.append(1) }}{% endfor %}{{ v.ms }}",
    "{% set ns = namespace(x=v) %}{% set ns.x.list = 5 %}{{ v.list }}",
    "{% macro m(a) %}{{ a.append(9) }}{% endmacro %}{{ m(v.list) }}{{ v.list }}",
    "{{ v.ms.append(v) }}{{ v|tojson if no }}",
    "{{ v.list|sort|reverse|list }}{{ v|dictsort }}{{ (v.list + [1]).append(2) }}{{ v.list[::-1].append(1) }}",
    "{{ v.items() }}{{ v.values().append(1) }}{{ v.keys().pop() }}{{ (v|items).pop() }}",
    "{% set v = namespace(v) %}{% set v.new = 1 %}{{ v.new }}",
    "{% set v.v = v %}{{ v.v.v.v is defined }}{{ v.list.append(v.list) }}{{ raise_exception('x') }}",
]


@pytest.mark.parametrize("source", CHANGES)
def test_the_context_is_never_changed(environment: Environment, source: str) -> None:
    context: dict[str, Any] = {"v": {"list": [1, 2], "ms": [{"role": "a"}, {"role": "b"}], "k": {"x": (1,)}}}
    before, ids = copy.deepcopy(context), [id(context["v"]), id(context["v"]["list"]), id(context["v"]["ms"][0])]
    template: Template = environment.from_string(source)
    for way in (fast, exact):
        way(template, context)
        assert context == before
        assert [id(context["v"]), id(context["v"]["list"]), id(context["v"]["ms"][0])] == ids
    assert fast(template, context) == exact(template, context)


def test_the_same_object_in_two_places_counts_as_two(environment: Environment) -> None:
    shared = [1]
    source = "{{ a.append(2) }}|{{ b }}"
    assert environment.from_string(source).render({"a": shared, "b": shared}) == "12|1"
    assert environment.from_string(source).render({"a": shared, "b": shared}) == "12|1"


def test_a_mapping_that_fails_passes_its_error_on(environment: Environment) -> None:
    class Broken(UserDict[str, Any]):
        def __iter__(self) -> Any:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        environment.from_string("{{ v.a }}").render({"v": Broken(a=1)})


def test_names_of_the_context_that_templates_cannot_write(environment: Environment) -> None:
    context: dict[Any, Any] = {"": 1, "a b": 2, 5: 3, None: 4, "é": 5, "x": 6}
    template = environment.from_string("{{ x }}")
    assert template.render(context) == "6"
    assert exact(template, context).text == "6"
    with pytest.raises(TemplateError):
        environment.from_string("{{ x + nope }}").render(context)
