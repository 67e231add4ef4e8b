"""Real tokenizers of every kind: transparent, safe, and lossless where they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatjinja import Environment, TemplateError
from chatjinja.marking import Part, Prompt
from chatjinja.tokenization import tokenize
from tests.tokenization import real
from tests.tokenization.laws import forged, forged_without_marking
from tests.tokenization.prompts import all_trusted, prompt, texts

ALL = (*real.HUGGING_FACE, "unigram")


def own(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids


@pytest.fixture(params=ALL)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def tokenizer(name: str) -> Any:
    return real.hugging_face(name)


# --- transparent ---------------------------------------------------------------------------------------


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_ordinary_input_is_encoded_as_the_tokenizer_does(name: str, tokenizer: Any, data: st.DataObject) -> None:
    controls = real.CONTROLS[name]
    ordinary = st.text().filter(lambda text: not set(text) & set("<[{|｜"))
    parts = [
        data.draw(texts(controls) if number % 2 == 0 else ordinary) for number in range(data.draw(st.integers(0, 6)))
    ]
    made = prompt(*parts)
    result = tokenize(made, tokenizer)
    encoding = tokenizer.encode(made.text, add_special_tokens=False)
    if not forged_without_marking(tokenizer, encoding, made):
        assert result.ids == encoding.ids


def rendered() -> Iterator[tuple[str, Prompt]]:
    """Renders of every third real template, marked; the conversations take turns."""
    environment = Environment()
    contexts = sorted(real.chat_contexts().items())
    for number, path in enumerate(real.chat_templates()[::3]):
        source = path.read_bytes().decode("utf-8", "surrogateescape")
        label, context = contexts[number % len(contexts)]
        try:
            yield f"{path.name} {label}", environment.from_string(source).render_marked(context, now=0)
        except TemplateError:
            continue


@pytest.fixture(scope="module")
def renders() -> list[tuple[str, Prompt]]:
    return list(rendered())


def test_renders_of_real_templates(name: str, tokenizer: Any, renders: list[tuple[str, Prompt]]) -> None:
    checked = 0
    for label, made in renders:
        encoding = tokenizer.encode(made.text, add_special_tokens=False)
        if forged_without_marking(tokenizer, encoding, made):
            assert not forged(tokenizer, tokenize(made, tokenizer)), label
            continue
        checked += 1
        result = tokenize(made, tokenizer)
        assert result.ids == encoding.ids, label
        assert len(result.offsets) == len(result.ids)
    assert checked > len(renders) / 2


@pytest.mark.parametrize("name", real.LOSSLESS)
def test_round_trip(name: str, renders: list[tuple[str, Prompt]]) -> None:
    tokenizer = real.hugging_face(name)
    for label, made in renders:
        decoded = tokenizer.decode(tokenize(made, tokenizer).ids, skip_special_tokens=False)
        # Qwen normalises; to Gemma, a blank and the character that stands for one are the same.
        text = made.text.replace("▁", " ") if name == "gemma3" else made.text
        assert decoded in (text, normalize("NFC", text)), label


# --- safe ----------------------------------------------------------------------------------------------


def attacks(control: str) -> Iterator[Prompt]:
    """A control token in input, whole and in pieces."""
    half = len(control) // 2
    yield prompt("", control)
    yield prompt("a ", f"b {control} c", " d")
    yield prompt("", control, control, control, "")
    yield prompt(control[:half], control[half:], "x")
    yield prompt("x", control[:half], control[half:])
    yield prompt(control[:1], control[1:-1], control[-1:])
    yield Prompt(control, [Part(control[:half], True, "/a"), Part(control[half:], True, "/b")])
    yield prompt("", "".join(char + control for char in control))
    yield prompt(control[:-1], control[-1] + control, control)
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in control)
    yield prompt("", f"{wide} {control.upper()} {control.title()}")
    yield prompt("", "".join(f"{char}\u200d" for char in control))


def test_attacks(name: str, tokenizer: Any) -> None:
    for control in real.CONTROLS[name]:
        for made in attacks(control):
            assert not forged(tokenizer, tokenize(made, tokenizer)), made
        trusted = tokenize(all_trusted(f"x{control}y"), tokenizer)
        assert tokenizer.token_to_id(control) in trusted.ids
        assert not any(trusted.is_input)


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_no_mixture_forges_a_token(name: str, tokenizer: Any, data: st.DataObject) -> None:
    parts = data.draw(st.lists(texts(real.CONTROLS[name]), max_size=6))
    made = prompt(*parts)
    assert not forged(tokenizer, tokenize(made, tokenizer))


def test_every_control_token_of_the_vocabulary(name: str, tokenizer: Any) -> None:
    """All of them in one input; none of them comes out."""
    contents = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    for joiner in (" ", "", "x"):
        assert not forged(tokenizer, tokenize(prompt("a", joiner.join(contents)), tokenizer))


def test_an_allowed_token(name: str, tokenizer: Any) -> None:
    control = real.CONTROLS[name][0]
    made = prompt("a", f"b{control}c", control)
    result = tokenize(made, tokenizer, allow=(control,))
    assert result.ids == own(tokenizer, made.text)
    assert result.ids.count(tokenizer.token_to_id(control)) == 2


def test_special_tokens_of_the_injection_sample(tokenizer: Any) -> None:
    """The conversation that forges roles of every known family."""
    context = real.chat_contexts()["13-injection.json"]
    text = json.dumps(context, ensure_ascii=False)
    assert not forged(tokenizer, tokenize(prompt("", text), tokenizer))
