"""The real templates that the benchmarks render. They are not part of the repository."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RealTemplate:
    """A template file, and whether its tool calls take their arguments as JSON text instead of an object."""

    label: str
    file: str
    arguments_as_text: bool = False

    @property
    def source(self) -> str:
        return (templates_folder() / self.file).read_text(encoding="utf-8")


TEMPLATES = (
    RealTemplate("Qwen3", "Qwen-Qwen3-0.6B.jinja"),
    RealTemplate("Qwen2.5", "Qwen-Qwen2.5-7B-Instruct.jinja"),
    RealTemplate("Qwen3-Coder", "Qwen-Qwen3-Coder-30B-A3B-Instruct.jinja"),
    RealTemplate("Llama-3.1", "meta-llama-Llama-3.1-8B-Instruct.jinja"),
    RealTemplate("Gemma-3", "unsloth-gemma-3-270m-it.jinja"),
    RealTemplate("Gemma-4", "google-gemma-4-31B-it.jinja"),
    RealTemplate("DeepSeek-V3.1", "deepseek-ai-DeepSeek-V3.1.jinja", arguments_as_text=True),
    RealTemplate("gpt-oss", "openai-gpt-oss-120b.jinja"),
    RealTemplate("Mistral-Nemo", "mistralai-Mistral-Nemo-Instruct-2407.jinja"),
    RealTemplate("Hermes-3", "NousResearch-Hermes-3-Llama-3.1-8B.jinja"),
    RealTemplate("Phi-4", "microsoft-phi-4.jinja"),
    RealTemplate("GLM-4.6", "GLM-4.6.jinja"),
    RealTemplate("Kimi-K2", "moonshotai-Kimi-K2-Instruct.jinja"),
)


def templates_folder() -> Path:
    """Folder of the real templates: in ``$CHATJINJA_SHARED``, or in ``../shared`` beside the repository."""
    named = os.environ.get("CHATJINJA_SHARED")
    folder = (Path(named) if named else Path(__file__).resolve().parents[2] / "shared") / "templates"
    if not folder.is_dir():
        raise SystemExit("the benchmarks need the real templates: set CHATJINJA_SHARED or place them in ../shared")
    return folder


def chosen(labels: list[str]) -> list[RealTemplate]:
    """The templates whose label holds one of the given texts; all if none is given."""
    if not labels:
        return list(TEMPLATES)
    found = [t for t in TEMPLATES if any(label.lower() in t.label.lower() for label in labels)]
    if not found:
        raise SystemExit(f"no such template; there are: {', '.join(t.label for t in TEMPLATES)}")
    return found
