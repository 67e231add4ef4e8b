"""Where does the time of compiling a template go, beside Jinja2?

Gives milliseconds from source text to tokens, to tree and to code object, each from the start; and of the first
render in a fresh environment, which includes everything. Jinja2's stages are those of its own API. Nothing is
cached in between.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import options
from benchmarks.conversations import CASES
from benchmarks.measure import geometric_mean, medians, print_machine, table, write_json
from benchmarks.peers import chatjinja_environment, jinja2_environment
from benchmarks.templates import RealTemplate, chosen
from chatjinja.compiler.codegen import compile_template
from chatjinja.dialects import LlamaDialect
from chatjinja.environment.forms import form_options
from chatjinja.syntax.lexer import tokenize
from chatjinja.syntax.parser import parse

ENGINES = ("chatjinja", "jinja2")
STAGES = ("tokens", "tree", "code", "first render")


def chatjinja_calls(template: RealTemplate) -> dict[str, Callable[[], object]]:
    environment = chatjinja_environment()
    dialect = environment.dialect
    assert isinstance(dialect, LlamaDialect)
    syntax = dialect.syntax
    source = template.source
    settings = form_options(dialect, environment.limits, "text", fold_names=True, checked=False)
    context = CASES["2 turns"](template.arguments_as_text)

    def code() -> object:
        tree, text = parse(source, syntax)
        return compile_template(tree, text, settings).code("<benchmark>")

    return {
        "tokens": partial(tokenize, source, syntax),
        "tree": partial(parse, source, syntax),
        "code": code,
        "first render": lambda: chatjinja_environment().from_string(source).render(context),
    }


def jinja2_calls(template: RealTemplate) -> dict[str, Callable[[], object]]:
    environment = jinja2_environment()
    source = template.source
    context = CASES["2 turns"](template.arguments_as_text)

    def first_render() -> object:
        # An environment of its own would pay for the set-up; its lexer is cached by Jinja2 anyway.
        return environment.from_string(source).render(context)

    return {
        "tokens": lambda: list(environment.lexer.tokenize(source)),
        "tree": partial(environment.parse, source),
        "code": partial(environment.compile, source),
        "first render": first_render,
    }


def measure(template: RealTemplate, rounds: int) -> dict[str, float]:
    """Microseconds by ``engine stage``."""
    calls = {f"chatjinja {name}": call for name, call in chatjinja_calls(template).items()}
    calls |= {f"jinja2 {name}": call for name, call in jinja2_calls(template).items()}
    return medians(calls, rounds=rounds)


def main() -> None:
    chosen_options = options.parser(__doc__).parse_args()
    print_machine()
    results: list[dict[str, Any]] = []
    rows = []
    for template in chosen(chosen_options.templates):
        times = measure(template, 3 if chosen_options.quick else 21)
        results.append({"case": template.label, "characters": len(template.source), "microseconds": times})
        shown = [f"{times[f'{engine} {stage}'] / 1e3:.2f}" for stage in STAGES for engine in ENGINES]
        rows.append([template.label, str(len(template.source)), *shown])
    head = ["ms", "characters", *(f"{stage}: {engine}" for stage in STAGES for engine in ENGINES)]
    print(table(head, rows), end="\n\n")
    for stage in STAGES:
        ratios = [r["microseconds"][f"jinja2 {stage}"] / r["microseconds"][f"chatjinja {stage}"] for r in results]
        print(f"{stage}: Jinja2 takes {geometric_mean(ratios):.2f} times as long (geometric mean)")
    write_json(chosen_options.json, "stages", results)


if __name__ == "__main__":
    main()
