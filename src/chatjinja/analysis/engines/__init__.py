"""Everything that can render a template: this project's dialects and real engines, one module each."""

from __future__ import annotations

from collections.abc import Iterable

from chatjinja.analysis.engines.base import Engine, EngineError, Failure, Outcome, Renderer
from chatjinja.analysis.engines.huggingface_jinja import HuggingFaceJinja
from chatjinja.analysis.engines.jinja2_library import Jinja2Library
from chatjinja.analysis.engines.llama_server import LlamaServerEngine
from chatjinja.analysis.engines.minijinja_library import MinijinjaLibrary
from chatjinja.analysis.engines.own import OwnEngine
from chatjinja.analysis.engines.transformers_library import TransformersLibrary
from chatjinja.dialects import DIALECTS

ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        *(OwnEngine(name) for name in DIALECTS),
        Jinja2Library(),
        TransformersLibrary(),
        MinijinjaLibrary(),
        HuggingFaceJinja(),
        LlamaServerEngine(),
    )
}
"""Every engine by name; whether it can run here, `Engine.missing` says."""


def get_engine(name: str) -> Engine:
    """The engine called `name`. Raises EngineError if there is none, or if it is not installed."""
    engine = ENGINES.get(name)
    if engine is None:
        raise EngineError(f"unknown engine {name!r}; known: {', '.join(ENGINES)}")
    missing = engine.missing()
    if missing is not None:
        raise EngineError(f"the engine {name!r} is not installed here: {missing}")
    return engine


def missing_engines() -> Iterable[tuple[str, str]]:
    """Names of the engines that cannot run here, each with what to install."""
    for name, engine in ENGINES.items():
        why = engine.missing()
        if why is not None:
            yield name, why


__all__ = ["ENGINES", "Engine", "EngineError", "Failure", "Outcome", "Renderer", "get_engine", "missing_engines"]
