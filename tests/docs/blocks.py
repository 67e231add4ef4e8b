"""Runs the examples of README and docs.

A fenced block is an example if its first line says so:

- ``console run``: lines with ``$`` are commands, what follows each is its output (both streams).
- ``pycon run``: a Python session. ``python run``: a program, silent if all is well.
- ``jinja run`` or ``jinja run transformers``: templates, each followed by a line ``→ text`` (newlines written as
  ``\\n``), ``→ (nothing)`` or ``→ error: message at line:column (Node)``.
- ``… file=NAME``: the content of a file for the examples below it.

The blocks of one document run in order, in one directory, which has a copy of ``examples/``.
"""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import shutil
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chatjinja

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^```(?P<language>\w*)(?P<words>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_ARROW = "→ "
_STACK = re.compile(r"^(Traceback .*\n)(?:[ \t].*\n)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        language: the first word of its first line.
        words: the other words.
        body: the text between the fences.
        lineno: 1-based line of its first fence.
    """

    language: str
    words: tuple[str, ...]
    body: str
    lineno: int

    @property
    def file(self) -> str | None:
        names = [word.removeprefix("file=") for word in self.words if word.startswith("file=")]
        return names[0] if names else None

    @property
    def runs(self) -> bool:
        return "run" in self.words


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a Markdown text."""
    return [
        Block(m["language"], tuple(m["words"].split()), m["body"], text.count("\n", 0, m.start()) + 1)
        for m in _FENCE.finditer(text)
    ]


class Runner:
    """Runs the blocks of one document; `run` gives a block's body as it really is."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.names: dict[str, Any] = {"__name__": "__main__"}
        shutil.copytree(ROOT / "examples", directory / "examples")
        shim = directory / ".bin" / "chatjinja"
        shim.parent.mkdir()
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m chatjinja "$@"\n')
        shim.chmod(0o755)
        self.environ = {
            "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, block: Block) -> str:
        """The body with real output in it."""
        if block.file is not None:
            (self.directory / block.file).write_text(block.body, encoding="utf-8")
        if not block.runs:
            return block.body
        if block.language == "jinja":
            return self._jinja(block.body, "transformers" if "transformers" in block.words else "llama.cpp")
        return str(getattr(self, f"_{block.language}")(block.body))

    def _console(self, body: str) -> str:
        out = []
        for command in re.findall(r"^\$ (?:.*\\\n)*.*\n", body, re.MULTILINE):
            done = subprocess.run(
                ["bash", "-c", command[2:]],
                cwd=self.directory,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=60,
                check=False,
            )
            text = done.stdout.decode("utf-8")
            out.append(command + text + ("\n" if text and not text.endswith("\n") else ""))
        return "".join(out)

    def _pycon(self, body: str) -> str:
        test = doctest.DocTestParser().get_doctest(body, self.names, "docs", None, 0)
        session = _Session()
        with contextlib.chdir(self.directory):
            session.run(test, clear_globs=False)
        self.names.update(test.globs)
        return "".join(session.written)

    def _python(self, body: str) -> str:
        exec(compile(body, "docs", "exec"), self.names)
        return body

    def _jinja(self, body: str, dialect: str) -> str:
        out: list[str] = []
        template: list[str] = []
        for line in body.splitlines():
            if line.startswith(_ARROW):
                out += [*template, _ARROW + _render("\n".join(template), dialect)]
                template = []
            else:
                template.append(line)
        return "".join(f"{line}\n" for line in [*out, *template])


class _Session(doctest.DocTestRunner):
    """Writes a session down again, with the output it really had where that differs."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.written: list[str] = []

    def _add(self, example: doctest.Example, output: str) -> None:
        first, *rest = example.source.splitlines()
        self.written.append("".join([f">>> {first}\n", *(f"... {line}\n" for line in rest), output]))

    def report_start(self, out: Any, test: doctest.DocTest, example: doctest.Example) -> None:
        pass

    def report_success(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self._add(example, example.want)

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self._add(example, _STACK.sub(r"\1    ...\n", got))

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        self._add(example, _STACK.sub(r"\1    ...\n", "".join(traceback.format_exception(exc_info[1]))))


def _render(template: str, dialect: str) -> str:
    try:
        text = chatjinja.render(template, dialect=dialect)
    except chatjinja.TemplateError as error:
        place = f" at {error.lineno}:{error.colno}" if error.lineno is not None else ""
        return f"error: {error.message}{place}" + (f" ({error.node})" if error.node else "")
    return text.replace("\n", "\\n") if text else "(nothing)"


def updated(path: Path, runner: Runner) -> str:
    """The text of a document with the real output of all its examples."""
    text = path.read_text(encoding="utf-8")

    def replace(match: re.Match[str]) -> str:
        block = Block(match["language"], tuple(match["words"].split()), match["body"], 0)
        return f"```{match['language']}{match['words']}\n{runner.run(block)}```"

    return _FENCE.sub(replace, text)
