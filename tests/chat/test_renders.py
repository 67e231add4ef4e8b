"""Renders that are left out, and that leaving them out makes no difference."""

from __future__ import annotations

from typing import Any

import pytest

from chatjinja import ChatTemplate, Environment, Limits, TemplateError
from chatjinja.chat.renders import Renders
from chatjinja.environment.template import LlamaTemplate

USER = {"role": "user", "content": "Hi"}
ANSWER = {"role": "assistant", "content": "A"}
OPEN = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"


def renders_of(source: str) -> Renders:
    return Renders(Environment().from_string(source), source)


class Counted:
    """How often templates are rendered."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        render = LlamaTemplate.render

        def counting(template: LlamaTemplate, *args: Any, **kwargs: Any) -> str:
            self.count += 1
            return render(template, *args, **kwargs)

        monkeypatch.setattr(LlamaTemplate, "render", counting)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def count(counted: Counted, chat: ChatTemplate, messages: list[Any], **options: Any) -> int:
    """Renders of a request, when everything is known that is found out once."""
    for _ in range(5):
        chat.apply(messages, **options)
    counted.count = 0
    chat.apply(messages, **options)
    return counted.count


LOOKS_BACK = (
    "{% for m in messages %}{% if loop.last and m.role == 'assistant' and not add_generation_prompt %}!{% endif %}"
    "{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
)


@pytest.mark.parametrize(
    ("source", "usual", "continued"),
    [
        (OPEN, 1, 1),
        (OPEN + "{% if add_generation_prompt %}[assistant]{% endif %}", 1, 1),
        (OPEN + "{% if add_generation_prompt %}[{{ x }}]{% if enable_thinking %}T{% endif %}{% endif %}{# c #}", 1, 1),
        (OPEN + "{{ '[assistant]' if add_generation_prompt }}", 1, 1),
        (OPEN + "{% if add_generation_prompt %}{{ messages[0].role }}{% endif %}", 1, 2),
        (OPEN + "{% set y = 1 %}{% if add_generation_prompt %}{{ y }}{% endif %}", 1, 2),
        (OPEN + "{% if add_generation_prompt %}a{% endif %} ", 1, 2),
        ("{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}"
         "{% if add_generation_prompt %}a{% endif %}", 1, 1),
        ("{% if not add_generation_prompt is defined %} {% set add_generation_prompt = false %}{% endif %}"
         "{% if add_generation_prompt %}a{% endif %}", 1, 2),
        (OPEN + "{% if add_generation_prompt %}a{% else %}b{% endif %}", 2, 2),
        (OPEN + "{{ add_generation_prompt }}", 2, 2),
        (LOOKS_BACK, 1, 1),
        ("", 1, 1),
    ],
)  # fmt: skip
def test_number_of_renders(counted: Counted, source: str, usual: int, continued: int) -> None:
    chat = ChatTemplate.from_string(source or "{# #}")
    assert count(counted, chat, [USER]) == usual
    assert count(counted, chat, [USER, ANSWER]) == continued


def test_a_value_that_could_be_anything_is_not_remembered(counted: Counted) -> None:
    chat = ChatTemplate.from_string(OPEN + "{% if add_generation_prompt %}[{{ x }}]{% endif %}")
    assert count(counted, chat, [USER, ANSWER], chat_template_kwargs={"x": "a"}) == 2
    assert count(counted, chat, [USER, ANSWER], chat_template_kwargs={"x": None}) == 1
    assert count(counted, chat, [USER, ANSWER], chat_template_kwargs={"x": ["a"]}) == 2


@pytest.mark.parametrize("x", ["a", None, True, 1, ["a"]])
def test_the_opening_depends_on_variables(x: Any) -> None:
    chat = ChatTemplate.from_string(OPEN + "{% if add_generation_prompt %}[{{ x }}]{% endif %}")
    for _ in range(2):
        prompt = chat.apply([USER, ANSWER], chat_template_kwargs={"x": x})
        without = chat.apply([USER], chat_template_kwargs={"x": x})
        assert prompt.text == without.text + "A"


def test_an_opening_that_raises() -> None:
    chat = ChatTemplate.from_string(OPEN + "{% if add_generation_prompt %}{{ x|nothing }}{% endif %}")
    with pytest.raises(TemplateError, match="nothing") as caught:
        chat.apply([USER, ANSWER])
    assert caught.value.lineno == 1
    with pytest.raises(TemplateError, match="nothing"):
        chat.apply([USER, ANSWER], marking="sound")


def test_where_text_could_grow_together(counted: Counted) -> None:
    opening = "{% if add_generation_prompt %}>a{% endif %}"
    cut = ChatTemplate.from_string("{{ messages[0].content }}" + opening, bos_token="<s>", add_bos=True)
    assert count(counted, cut, [{"role": "user", "content": "<s"}, ANSWER]) == 2
    assert cut.apply([{"role": "user", "content": "<s"}, ANSWER]).text == "<s" + "aA"
    ended = ChatTemplate.from_string("{{ messages[0].content }}" + opening, eos_token="a", add_eos=True)
    assert count(counted, ended, [USER, ANSWER]) == 2
    half = ChatTemplate.from_string("{{ messages[0].content }}" + opening)
    assert count(counted, half, [{"role": "user", "content": "\udcc3"}, ANSWER]) == 2


def test_a_limit_holds_for_both_together() -> None:
    source = "{{ messages[0].content }}{% if add_generation_prompt %}xxxxx{% endif %}"
    chat = ChatTemplate.from_string(source, limits=Limits(output=8))
    assert chat.apply([USER, ANSWER]).text == "HixxxxxA"
    with pytest.raises(TemplateError, match="output"):
        chat.apply([{"role": "user", "content": "1234"}, ANSWER])


# --- watching ------------------------------------------------------------------------------------------


def test_a_watched_render_that_asks(counted: Counted) -> None:
    chat = ChatTemplate.from_string("{% if loop or not add_generation_prompt %}a{% endif %}")
    assert chat.apply([USER]).text == ""
    assert chat.apply([USER], add_generation_prompt=False).text == "a"
    for _ in range(5):
        chat.apply([USER])
    counted.count = 0
    chat.apply([USER])
    assert counted.count == 2, "after some attempts the template is not watched any more"


def test_a_watched_render_that_asks_sometimes() -> None:
    chat = ChatTemplate.from_string(LOOKS_BACK)
    assert chat.apply([USER, ANSWER, USER]).text == "HiAHi[assistant]"
    history = [USER, ANSWER, {"role": "assistant", "content": "B"}]
    # only what is rendered counts: the last message is not
    assert chat.apply([*history[:2], USER], add_generation_prompt=False).text == "HiAHi"
    assert chat.apply([*history[:2], {"role": "tool", "content": "B"}]).text == "HiAB[assistant]"
    ended = ChatTemplate.from_string(LOOKS_BACK.replace("m.role == 'assistant'", "m.role == 'user'"))
    assert ended.apply([USER], add_generation_prompt=False).text == "!Hi"
    assert ended.apply([USER]).text == "Hi[assistant]"
    # the texts have no common beginning, so all of the longer one counts as added
    assert ended.apply([USER, ANSWER]).text == "!Hi" + "Hi[assistant]" + "A"


def test_a_watched_render_that_fails() -> None:
    chat = ChatTemplate.from_string(LOOKS_BACK + "{{ raise_exception('no') }}")
    with pytest.raises(TemplateError, match="no") as caught:
        chat.apply([USER])
    assert caught.value.lineno == 1


def test_a_request_that_sets_the_variable_itself() -> None:
    chat = ChatTemplate.from_string(LOOKS_BACK)
    kwargs = {"add_generation_prompt": False}
    assert chat.apply([USER], chat_template_kwargs=kwargs, add_generation_prompt=False).text == "Hi"
    assert chat.apply([USER], chat_template_kwargs=kwargs).text == "Hi[assistant]"


def test_watching_does_not_touch_the_template_itself() -> None:
    template = Environment().from_string(LOOKS_BACK + "\n\n")
    renders = Renders(template, LOOKS_BACK + "\n\n")
    assert renders.watching is not None
    assert renders.watching.source.text == template.source.text
    assert template.render({"messages": [ANSWER]}) == "!A"


def test_mentions() -> None:
    assert renders_of("x").are_equal
    assert not renders_of("{{ add_generation_prompt }}").are_equal
    assert renders_of("{% if add_generation_prompt %}x{% endif %}").are_alike
    assert renders_of("{{ add_generation_prompt }}").watching is None
