"""The command line run inside the test process, with standard streams of our own."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chatjinja.cli import main


class Stream(io.TextIOWrapper):
    """A standard stream that keeps its bytes and can pretend to be a terminal."""

    def __init__(self, data: bytes = b"", *, terminal: bool = False, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(data), encoding=encoding, errors="backslashreplace", write_through=True)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def bytes(self) -> bytes:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue()


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")

    @property
    def data(self) -> Any:
        return json.loads(self.out)


class Cli:
    """Runs command lines in a directory of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, directory: Path) -> None:
        self.monkeypatch = monkeypatch
        self.directory = directory

    def file(self, name: str, content: str | bytes) -> str:
        """Write a file; gives its name, which a command can read."""
        data = content.encode() if isinstance(content, str) else content
        (self.directory / name).write_bytes(data)
        return name

    def __call__(self, *args: str, stdin: str | bytes = b"", terminal: bool = False, encoding: str = "utf-8") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        out = Stream(terminal=terminal, encoding=encoding)
        err = Stream(terminal=terminal, encoding=encoding)
        with self.monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", Stream(data))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as ended:
                main(args)
        return Result(int(ended.value.code or 0), out.bytes(), err.bytes().decode(encoding))


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    return Cli(monkeypatch, tmp_path)
