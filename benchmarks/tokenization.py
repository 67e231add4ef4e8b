"""What do safe token ids cost beside the tokenizer's own encoding of the same text?

Encodes a long conversation with real tokenizers, once as the tokenizer does it and once from the marked prompt, and
gives milliseconds and their ratio. It fetches the tokenizers that the tests use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import options
from benchmarks.conversations import conversation
from benchmarks.measure import geometric_mean, medians, print_machine, table, write_json
from chatjinja.marking import Part, Prompt
from chatjinja.tokenization import tokenize
from tests.tokenization import real

TURNS = 100
FORMS = {
    "qwen3": ("<|im_start|>{}\n", "<|im_end|>\n"),
    "llama3.1": ("<|start_header_id|>{}<|end_header_id|>\n\n", "<|eot_id|>"),
    "llama2": ("<s>[INST] {} ", " [/INST]</s>"),
    "gemma3": ("<start_of_turn>{}\n", "<end_of_turn>\n"),
    "gpt-oss": ("<|start|>{}<|message|>", "<|end|>"),
    "deepseek-v3": ("<｜{}｜>", "<｜end▁of▁sentence｜>"),
    "minilm": ("[CLS]{} ", " [SEP]"),
    "unigram": ("<|im_start|>{}\n", "</s>\n"),
    "qwen (tiktoken)": ("<|im_start|>{}\n", "<|im_end|>\n"),
}
"""Name of a tokenizer → what stands around a message."""


def prompt(before: str, after: str) -> Prompt:
    """A conversation as a template of that family prints it."""
    parts = []
    for message in conversation(TURNS):
        parts += [Part(before.format(message["role"]), False), Part(message["content"], True), Part(after, False)]
    return Prompt("".join(part.text for part in parts), parts)


def calls(name: str) -> dict[str, Callable[[], object]]:
    """Both ways to ids; they give the same ones."""
    made = prompt(*FORMS[name])
    tokenizer: Any
    if name.endswith("(tiktoken)"):
        tokenizer = real.qwen_tiktoken()
        own = partial(tokenizer.encode, made.text, allowed_special="all")
    else:
        tokenizer = real.hugging_face(name)

        def own() -> list[int]:
            ids: list[int] = tokenizer.encode(made.text, add_special_tokens=False).ids
            return ids

    safe = partial(tokenize, made, tokenizer)
    assert safe().ids == own()
    return {"own": own, "safe": safe, "safe with offsets": lambda: safe().is_input}


def main() -> None:
    options_chosen = options.parser(__doc__).parse_args()
    print_machine()
    rows, results, ratios = [], [], []
    for name in FORMS:
        taken = medians(calls(name), rounds=3 if options_chosen.quick else 21)
        ratios.append(taken["safe"] / taken["own"])
        rows.append([name, *(f"{taken[way] / 1000:.1f}" for way in taken), f"{ratios[-1]:.2f}"])
        results.append({"case": name, "microseconds": taken, "ratio": ratios[-1]})
    print(table(["tokenizer", "own: ms", "safe: ms", "with origins: ms", "safe / own"], rows))
    print(f"\ngeometric mean: {geometric_mean(ratios):.2f}")
    write_json(options_chosen.json, "tokenization", results)


if __name__ == "__main__":
    main()
