"""A real llama.cpp server (package ``xllamacpp``) on a tiny random model that carries the template."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from chatjinja.analysis.engines.base import Broken, Engine, Outcome, Renderer, failed, is_installed
from chatjinja.analysis.engines.llama_server_process import LlamaServer, ServerError

_RAISED = "Jinja Exception: "
_STEPS = ({"role": "user", "content": "x"},)
"""Messages that every server takes; the template is given the conversation's by way of its variables."""


class LlamaServerEngine(Engine):
    """The template gets the variables as they are, past the server's own checks and changes of messages.

    What the server always sets stays: `enable_thinking` and the like. Its templates read the system's clock.
    """

    name = "llama-server"
    family = "llama.cpp"
    twins = ("llama.cpp",)

    def missing(self) -> str | None:
        needed = [name for name in ("xllamacpp", "gguf", "numpy") if not is_installed(name)]
        return f"pip install {' '.join(needed)}" if needed else None

    def version(self) -> str:
        from importlib.metadata import version

        return f"llama.cpp server of xllamacpp {version('xllamacpp')}"

    def compile(self, source: str, moment: datetime) -> Renderer:
        try:
            return _ServerRenderer(LlamaServer({"default": source}, add_bos=False))
        except ServerError as error:
            return Broken(failed(str(error)))


class _ServerRenderer(Renderer):
    def __init__(self, server: LlamaServer) -> None:
        self.server = server

    def render(self, context: Mapping[str, Any]) -> Outcome:
        body: dict[str, Any] = {"messages": list(_STEPS), "chat_template_kwargs": dict(context)}
        if "add_generation_prompt" in context:
            body["add_generation_prompt"] = bool(context["add_generation_prompt"])
        status, answer = self.server.ask(body)
        if status == 200:
            return Outcome(answer["prompt"])
        return server_failure(answer["error"]["message"])

    def close(self) -> None:
        self.server.close()


def server_failure(message: str) -> Outcome:
    """The outcome for an error message of the server, without the excerpt that it shows."""
    text = message.strip().splitlines()
    last = next((line for line in reversed(text) if line.strip(" ^")), "")
    head, found, raised = message.rpartition(_RAISED)
    if found:
        return failed(raised, raised=True)
    return failed(last.removeprefix("Error: ") or head)
