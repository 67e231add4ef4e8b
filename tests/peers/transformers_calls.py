"""Calls of transformers' own chat layer, in this process or in a Python of its own that has another version.

Needs nothing of this repository, so that any Python with transformers can run it as a file: it reads `Calls` as JSON
from standard input and writes what came of them to standard output.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from datetime import datetime
from typing import Any, TypedDict

CLOCK = datetime(2026, 1, 1)
"""What ``strftime_now`` shows: the moment of the recordings."""
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "</s>"}


class Calls(TypedDict):
    """Calls of `apply_chat_template`, and files with functions to describe.

    `tokenizer` is the text of a ``tokenizer.json``; each call is a template, a conversation and further arguments.
    """

    tokenizer: str
    calls: list[tuple[str, Any, dict[str, Any]]]
    functions: str | None


class Outcomes(TypedDict):
    """For each call ``["result", …]`` or ``["error", names of its types]``; for each function its schema or None."""

    version: str
    calls: list[tuple[str, Any]]
    schemas: dict[str, str | None]


def run(calls: Calls) -> Outcomes:
    """Make the calls."""
    import transformers
    from transformers.utils import chat_template_utils

    chat_template_utils.datetime = Clock
    return {
        "version": transformers.__version__,
        "calls": list(map(Caller(calls["tokenizer"]).call, calls["calls"])),
        "schemas": {} if calls["functions"] is None else schemas(calls["functions"]),
    }


class Clock:
    """Stands in for `datetime` where transformers asks for the time."""

    @staticmethod
    def now() -> datetime:
        return CLOCK


class Caller:
    """A tokenizer of transformers that gets another template for each call."""

    def __init__(self, text: str) -> None:
        import tokenizers
        import transformers

        backend = tokenizers.Tokenizer.from_str(text)
        self.tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **TOKENS)

    def call(self, call: tuple[str, Any, dict[str, Any]]) -> tuple[str, Any]:
        """What comes of one call."""
        self.tokenizer.chat_template, conversation, arguments = call
        try:
            result = self.tokenizer.apply_chat_template(conversation, **arguments)
        except Exception as error:
            return "error", [kind.__name__ for kind in type(error).__mro__]
        return "result", dict(result) if hasattr(result, "items") else result


def schemas(path: str) -> dict[str, str | None]:
    """The schemas of the functions in a file, as JSON text, which keeps the order of keys."""
    from transformers.utils import get_json_schema

    spec = importlib.util.spec_from_file_location("functions", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["functions"] = module  # where type hints in quotes are looked up
    spec.loader.exec_module(module)
    found: dict[str, str | None] = {}
    for name, function in module.FUNCTIONS.items():
        try:
            found[name] = json.dumps(get_json_schema(function))
        except Exception:
            found[name] = None
    return found


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
