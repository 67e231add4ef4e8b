"""Writes docs/differences.md from the catalogue of `chatjinja.analysis`. Run it after a change there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from chatjinja.analysis.catalogue import GROUPS, Cause, Example
from chatjinja.analysis.catalogue.base import FAMILIES, JINJA, JS, LLAMA, MINI, PLUS
from chatjinja.analysis.texts import visible

PAGE = Path(__file__).with_name("differences.md")
ENGINES = {
    LLAMA: "llama.cpp",
    PLUS: "llama.cpp+",
    JINJA: "transformers (Jinja2)",
    MINI: "minijinja",
    JS: "@huggingface/jinja",
}
HEAD = """\
# Where engines differ

<!-- Written by docs/make_differences.py from the catalogue in src/chatjinja/analysis/catalogue. -->

The same chat template gives different prompts in different engines. This page lists every cause that
`chatjinja compare` knows. Each entry has a template that shows it, with what each engine gives, and a way to write it
that gives the same everywhere, where there is one. The tests run all of them.

Results are shown with blanks made visible: `·` is a blank, `↵` a line end. *transformers* stands for the dialect
`transformers`, for Jinja2 set up as transformers does, and for transformers itself (version 5); *llama.cpp* for the
dialect `llama.cpp` and for a llama.cpp server. `llama.cpp+` is listed where it differs from `llama.cpp`.

"""


def page() -> str:
    """The text of the page."""
    return HEAD + "\n".join((*_contents(), *_sections())) + "\n"


def _contents() -> Iterator[str]:
    for heading, causes in GROUPS.items():
        links = ", ".join(f"[{cause.id}](#{cause.id})" for cause in causes)
        yield f"- {heading}: {links}"
    yield ""


def _sections() -> Iterator[str]:
    for heading, causes in GROUPS.items():
        yield f"## {heading}\n"
        for cause in causes:
            yield from _section(cause)


def _section(cause: Cause) -> Iterator[str]:
    example = cause.example
    yield f"### {cause.id}\n"
    title = cause.title.replace("{name}", "…")
    yield f"{title[0].upper()}{title[1:]}.\n"
    yield "| engine | what happens | the example gives |\n|---|---|---|"
    for engine in (*FAMILIES, PLUS):
        if engine in FAMILIES or engine in cause.effects or engine in example.results:
            family = LLAMA if engine == PLUS else engine
            effect = cause.effects.get(engine, cause.effects[family])
            result = example.results.get(engine, example.results[family])
            yield f"| {ENGINES[engine]} | {_cell(effect)} | {_result(result)} |"
    yield ""
    yield from _template("Example", example.template, example)
    yield f"**Portable:** {cause.advice}\n"
    if example.portable is not None:
        yield from _template(f"gives {_result(example.portable_result)} everywhere", example.portable, None)


def _template(label: str, source: str, example: Example | None) -> Iterator[str]:
    context = f" with `{json.dumps(dict(example.context), ensure_ascii=False)}`" if example and example.context else ""
    yield f"{label}{context}:\n" if example else f"This {label}:\n"
    yield f"```jinja\n{source}\n```\n"


def _result(text: str | None) -> str:
    if text is None:
        return "an error"
    return _code(visible(text)) if text else "nothing"


def _code(text: str) -> str:
    text = text.replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
