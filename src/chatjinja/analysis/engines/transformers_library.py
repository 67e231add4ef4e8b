"""transformers itself: ``apply_chat_template`` of a tokenizer without a vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from chatjinja.analysis.engines.base import Engine, Outcome, Renderer, failed, is_installed
from chatjinja.analysis.engines.jinja2_library import python_failure


class TransformersLibrary(Engine):
    """The package ``transformers``. Its templates read the system's clock."""

    name = "transformers-library"
    family = "jinja2"
    fills_in = True
    twins = ("transformers",)

    def missing(self) -> str | None:
        needed = [name for name in ("transformers", "jinja2", "tokenizers") if not is_installed(name)]
        return f"pip install {' '.join(needed)}" if needed else None

    def version(self) -> str:
        from importlib.metadata import version

        return f"transformers {version('transformers')}"

    def compile(self, source: str, moment: datetime) -> Renderer:
        return _TransformersRenderer(source)


class _TransformersRenderer(Renderer):
    def __init__(self, source: str) -> None:
        from tokenizers import Tokenizer
        from tokenizers.models import WordLevel
        from transformers import PreTrainedTokenizerFast

        self.source = source
        model = WordLevel({"<unk>": 0}, unk_token="<unk>")
        make: Any = PreTrainedTokenizerFast  # its type hints are incomplete
        self.tokenizer = make(tokenizer_object=Tokenizer(model))

    def render(self, context: Mapping[str, Any]) -> Outcome:
        from jinja2 import TemplateError

        try:
            text = self.tokenizer.apply_chat_template(
                context.get("messages", []),
                chat_template=self.source,
                tokenize=False,
                **{name: value for name, value in context.items() if name != "messages"},
            )
        except TemplateError as error:
            if type(error) is TemplateError:  # only raise_exception raises the class itself
                return failed(str(error), raised=True)
            return python_failure(error, "<template>")
        except Exception as error:  # templates can raise anything
            return python_failure(error, "<template>")
        return Outcome(str(text))
