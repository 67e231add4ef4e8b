"""The laws of sound marking, for every built-in of the tables and for templates made at random.

Every string of the context is written in an alphabet of its own, so each of its characters shows in the output
where it came from.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatjinja import Environment, Limits, TemplateError
from chatjinja.dialects import DIALECTS, LlamaDialect
from chatjinja.runtime.tables import LLAMA_CPP
from tests.marking.support import (
    CLOCK,
    canary,
    check_provenance,
    check_shape,
    false_marks,
    flags,
    leaks,
    with_canaries,
)
from tests.properties.contexts import numeric, plain
from tests.properties.grammar import Grammar
from tests.properties.outcomes import LIMITS

RECEIVERS = {
    "String": ("s", "'lit'", "('lit' ~ s)", "(s ~ 'lit' ~ u)", "blank", "j"),
    "Array": ("l", "['lit', s]", "[[s], ['lit'], n, 1]", "rows", "[]"),
    "Tuple": ("('lit', s)",),
    "Object": ("d", "{'lit': s}", "{s: 'lit'}", "{}"),
    "Integer": ("n", "(n + 1)", "3"),
    "Float": ("f", "2.5"),
    "Boolean": ("true", "flag"),
    "None": ("none", "nothing"),
    "Undefined": ("missing",),
}
ARGUMENTS = (
    "",
    "s",
    "'l'",
    "n",
    "1",
    "s, 'lit'",
    "'l', s",
    "'', s",
    "'lit', 1",
    "n, 2",
    "0, 2, 1",
    "2, none, -1",
    "2, true, true",
    "s, true, true",
    "'k', s",
    "'k', 'eq', s",
    "true, none, (s, 'lit')",
    "attribute='k'",
    "attribute='k', default=s",
    "d=s, attribute='k'",
    "default=s",
    "chars=s",
    "width=s, first=true",
    "indent=2",
    "separators=(s, ': ')",
    "sort_keys=true",
    "reverse=true",
    "by='value'",
    "'upper'",
    "'l', s, 1",
)
CONTEXT: dict[str, Any] = with_canaries(
    {
        "s": "abc",
        "u": "x y",
        "blank": "  abc\n\n d ",
        "j": 'it\'s "q"\n',
        "n": 7,
        "f": 0.5,
        "flag": True,
        "nothing": None,
        "l": ["b", "a", "b"],
        "rows": [{"k": "v", "x": 2}, {"k": "w", "x": 1}],
        "d": {"k": "v", "m": ["w", 4, {"deep": "er"}]},
    }
)


def check(environment: Environment, source: str, context: dict[str, Any], *, words: bool = True) -> bool:
    """Whether the template renders; then all laws must hold. `words`: whatever is cut up stays recognisable."""
    try:
        template = environment.from_string(source)
        text = template.render(context)
    except TemplateError as error:
        expected = error.message
        for provenance in (False, True):
            with pytest.raises(TemplateError) as caught:
                environment.from_string(source).render_marked(context, provenance=provenance)
            assert caught.value.message == expected or "limit reached" in expected
        return False
    prompt = template.render_marked(context)
    found = flags(prompt.parts)
    assert prompt.text == text
    check_shape(text, prompt.parts)
    assert not leaks(found), (source, found)
    assert not words or not false_marks(found, context), (source, found)
    assert check_provenance(template, context, found) == text
    return True


def check_all(environment: Environment, snippets: list[str], context: dict[str, Any] = CONTEXT) -> int:
    """Check all snippets that render in one template, and some of the others by themselves; how many render."""
    good = []
    for number, snippet in enumerate(snippets):
        try:
            environment.from_string(snippet).render(context)
            good.append(snippet)
        except TemplateError:
            if number % 7 == 0:
                check(environment, snippet, context)
    changes_lists = any("pop" in snippet for snippet in good)
    for source in good if changes_lists else ["\n".join(good)] if good else []:
        assert check(environment, source, context)
    return len(good)


def environment(dialect: str, limits: Limits | None = None) -> Environment:
    return Environment(dialect, now=CLOCK, limits=limits, cache_size=0)


def built_ins() -> list[tuple[str, str, str]]:
    """Dialect, kind of value, name of the built-in; of ``llama.cpp+`` only what it does in its own way."""
    return [
        (dialect.name, kind, name)
        for dialect in DIALECTS.values()
        if isinstance(dialect, LlamaDialect)
        for kind, methods in dialect.tables.methods.items()
        for name, function in methods.items()
        if dialect.name == "llama.cpp" or LLAMA_CPP.methods[kind].get(name) is not function
    ]


def names(table: str) -> list[tuple[str, str]]:
    """Dialect and name of everything in a table."""
    base = getattr(LLAMA_CPP, table)
    return [
        (dialect.name, name)
        for dialect in DIALECTS.values()
        if isinstance(dialect, LlamaDialect)
        for name, function in getattr(dialect.tables, table).items()
        if dialect.name == "llama.cpp" or base.get(name) is not function
    ]


NEVER_RENDERS = {("llama.cpp", "join"), ("llama.cpp", "unique"), ("Tuple", "append"), ("Tuple", "pop")}


@pytest.mark.parametrize(("dialect", "kind", "name"), built_ins())
def test_every_filter_and_method(dialect: str, kind: str, name: str) -> None:
    snippets = []
    for number, (value, arguments) in enumerate(itertools.product(RECEIVERS[kind], ARGUMENTS)):
        call = f"{value}.{name}({arguments})" if number % 2 else f"{value}|{name}({arguments})"
        snippets.append(f"{{% set r = {call} %}}<{{{{ r }}}}>{{{{ r|tojson }}}}{{{{ [r]|string }}}}")
    for value in RECEIVERS[kind]:
        snippets.append(f"{{{{ {value}|{name} }}}}{{{{ 'lit' ~ ({value}|{name}) }}}}")
        snippets.append(f"{{% filter {name} %}}x{{{{ {value} }}}}y{{% endfilter %}}")
    rendered = check_all(environment(dialect), snippets)
    assert rendered or not NEVER_RENDERS.isdisjoint({(dialect, name), (kind, name)}), "never seen to render"


VALUES = tuple(value for values in RECEIVERS.values() for value in values[:4])


@pytest.mark.parametrize(("dialect", "name"), names("tests"))
def test_every_test(dialect: str, name: str) -> None:
    snippets = [
        f"{{{{ {value} is {name}{argument} }}}}{{{{ 'lit' if {value} is {name}{argument} else s }}}}"
        for value, argument in itertools.product(VALUES, ("", "(s)", "(n)", "('lit')", "(l)"))
    ]
    snippets.append(f"{{{{ l|select('{name}', s)|list }}}}")
    snippets.append(f"{{{{ rows|selectattr('k', '{name}', s) }}}}{{{{ rows|rejectattr('k', '{name}', s)|string }}}}")
    check_all(environment(dialect), snippets)


@pytest.mark.parametrize(("dialect", "name"), names("globals"))
def test_every_global(dialect: str, name: str) -> None:
    arguments = ("", "s", "n", "1", "'lit'", "'%Y' ~ s", "l", "d", "a=s, b='lit'", "d, a=1", "[['lit', s]]", "1, n")
    snippets = [
        f"{{% set r = {name}({argument}) %}}{{{{ r }}}}{{{{ r|tojson }}}}{{{{ [r]|string }}}}" for argument in arguments
    ]
    check_all(environment(dialect), snippets)


@pytest.mark.parametrize("op", ["+", "~", "-", "*", "/", "%", "==", "!=", "<", ">=", "in", "not in", "and", "or"])
def test_every_operator(op: str) -> None:
    snippets = [
        f"{{{{ {left} {op} {right} }}}}{{% set r = {left} {op} {right} %}}<{{{{ r }}}}>{{{{ [r]|string }}}}"
        for left, right in itertools.product(VALUES, repeat=2)
    ]
    assert check_all(environment("llama.cpp"), snippets)


@st.composite
def templates(draw: st.DrawFn) -> str:
    return Grammar(lambda count: draw(st.integers(0, count - 1)), depth=3).template()


@given(templates())
def test_any_template(source: str) -> None:
    context = with_canaries(plain(), frozenset(("user", "system", "assistant")))
    check(environment("llama.cpp", LIMITS), source, context, words=False)


@given(templates())
def test_any_template_with_odd_data(source: str) -> None:
    """Bytes that are no UTF-8 and numbers at their limits: the text is that of `render`, and both forms agree."""
    env = environment("llama.cpp", LIMITS)
    context = numeric()
    try:
        template = env.from_string(source)
        text = template.render(context)
    except TemplateError:
        return
    prompt = template.render_marked(context)
    check_shape(text, prompt.parts)
    assert prompt.text == text
    assert check_provenance(template, context, flags(prompt.parts)) == text


@given(templates(), st.integers(1, 25))
def test_another_input_changes_only_input(source: str, shift: int) -> None:
    """Of two contexts whose words differ in no way that a template can ask for."""

    def turned(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub("[\ue061-\ue07a]", lambda char: chr((ord(char[0]) - 0xE061 + shift) % 26 + 0xE061), value)
        if isinstance(value, dict):
            return {key: turned(item) for key, item in value.items()}
        return [turned(item) for item in value] if isinstance(value, list) else value

    env = environment("llama.cpp", LIMITS)
    one = with_canaries(plain(), frozenset(("user", "system", "assistant")))
    other = turned(one)
    try:
        template = env.from_string(source)
        before, after = template.render_marked(one), template.render_marked(other)
    except TemplateError:
        return
    if [len(part.text) for part in before.parts] == [len(part.text) for part in after.parts]:
        assert [p.text for p in before.parts if not p.is_input] == [p.text for p in after.parts if not p.is_input]


def test_the_alphabet_is_the_canaries_own() -> None:
    assert leaks([(canary("a"), False)])
    assert not leaks([(canary("a"), True), ("a", False)])
    assert false_marks([("word", True)], {}) == ["word"]
    assert not false_marks([("word\\n", True)], {"x": ["word"]})
