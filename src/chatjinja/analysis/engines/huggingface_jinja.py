"""``@huggingface/jinja`` in Node.js, which browsers and LM Studio use."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from chatjinja.analysis.engines.base import Engine, EngineError, Outcome, Renderer, failed

PACKAGE = "@huggingface/jinja"
FOLDER = "CHATJINJA_NODE"
"""Environment variable: the folder in which ``npm install`` was run. Default: the current one."""


def node_folder() -> Path:
    """The folder whose ``node_modules`` is used."""
    return Path(os.environ.get(FOLDER) or ".").resolve()


def _manifest() -> Path | None:
    """The package.json of the package that Node.js would load."""
    for folder in (node_folder(), *node_folder().parents):
        path = folder / "node_modules" / PACKAGE / "package.json"
        if path.is_file():
            return path
    return None


class HuggingFaceJinja(Engine):
    """The npm package ``@huggingface/jinja``."""

    name = "huggingface.js"
    family = "huggingface.js"

    def missing(self) -> str | None:
        if shutil.which("node") is None:
            return "install Node.js 20 or newer, then: npm install @huggingface/jinja"
        if _manifest() is None:
            return f"npm install {PACKAGE} (in the current folder, or in the one that ${FOLDER} names)"
        return None

    def version(self) -> str:
        manifest = _manifest()
        assert manifest is not None
        return f"{PACKAGE} {json.loads(manifest.read_text(encoding='utf-8'))['version']}"

    def compile(self, source: str, moment: datetime) -> Renderer:
        return _NodeRenderer(_process(node_folder()), source)


class _Process:
    """A Node.js process, used by one thread at a time; it ends with this program."""

    def __init__(self, folder: Path) -> None:
        script = files(__package__).joinpath("huggingface_jinja.cjs").read_text(encoding="utf-8")
        self.process = subprocess.Popen(
            ["node", "-e", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=folder,
        )
        self.lock = threading.Lock()
        self.numbers = itertools.count()
        atexit.register(self.close)

    def ask(self, data: Any) -> Any:
        """The answer to a request."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with self.lock:
            with suppress(BrokenPipeError):  # then there is no answer either
                self.process.stdin.write(json.dumps(data) + "\n")
                self.process.stdin.flush()
            line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        said = self.close().splitlines()
        reason = next((text for text in said if "Error:" in text), "it ended")
        raise EngineError(f"Node.js cannot run {PACKAGE}: {reason.strip()}")

    def close(self) -> str:
        """End the process; what it said on standard error."""
        _process.cache_clear()
        atexit.unregister(self.close)
        self.process.kill()
        return self.process.communicate()[1].strip()


@cache
def _process(folder: Path) -> _Process:
    return _Process(folder)


class _NodeRenderer(Renderer):
    """A template in a Node.js process."""

    def __init__(self, process: _Process, source: str) -> None:
        self.process = process
        self.number = next(process.numbers)
        process.ask({"id": self.number, "source": source})

    def render(self, context: Mapping[str, Any]) -> Outcome:
        answer = self.process.ask({"id": self.number, "context": dict(context)})
        return failed(answer["error"]) if "error" in answer else Outcome(answer["text"])

    def close(self) -> None:
        self.process.ask({"id": self.number})
