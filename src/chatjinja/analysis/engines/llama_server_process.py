"""A real llama.cpp server without a real model; needs the packages `xllamacpp`, `gguf` and `numpy`.

It runs in a process of its own, so that the server ends with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

MAIN = Path(__file__).with_name("llama_server_main.py")


class ServerError(Exception):
    """The server does not start or has gone away."""


class LlamaServer:
    """A running server. Use as a context manager.

    Attributes:
        capabilities: what the server says of the template.
    """

    def __init__(self, templates: dict[str, str], *, add_bos: bool = True) -> None:
        command = [sys.executable, str(MAIN)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, "TZ": "UTC"},
        )
        self.capabilities: dict[str, bool] = self._ask({"templates": templates, "add_bos": add_bos})

    def ask(self, body: Any) -> tuple[int, Any]:
        """Status and body of the answer to ``POST /apply-template``."""
        answer = self._ask(body)
        return answer["status"], answer["body"]

    def _ask(self, data: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(data) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.close()
            raise ServerError("the server does not start with this template")
        return json.loads(line)

    def __enter__(self) -> LlamaServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server."""
        self.process.kill()
        self.process.communicate()
