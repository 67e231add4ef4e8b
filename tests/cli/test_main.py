"""How the program starts and ends."""

from __future__ import annotations

import io
import os
import re
import runpy
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import chatjinja.cli
from tests.cli.conftest import Cli

COMMANDS = ("render", "apply", "caps", "templates", "filters", "deviations", "ast", "python")
SRC = Path(chatjinja.__file__).parents[1]


def run(args: Sequence[str], **kwargs: Any) -> subprocess.CompletedProcess[bytes]:
    """The real program in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(SRC), **kwargs.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "chatjinja", *args], env=env, timeout=60, check=False, stderr=subprocess.PIPE, **kwargs
    )


# --- help ----------------------------------------------------------------------------------------------


def test_help_lists_every_command_and_the_exit_codes(cli: Cli) -> None:
    for args in ((), ("--help",), ("-h",)):
        result = cli(*args)
        text = " ".join((result.text + result.err).split())
        assert all(f" {name} " in text for name in COMMANDS)
        assert "Exit codes: 0 done; 1 the template failed or the request was refused; 2 wrong usage" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_an_example(cli: Cli, name: str) -> None:
    result = cli(name, "--help")
    assert result.code == 0
    assert re.search(rf"Example: .*chatjinja {name}", result.text)


@pytest.mark.parametrize("args", [("nope",), ("render",), ("filters", "x"), ("ast", "-", "--nope")])
def test_wrong_usage(cli: Cli, args: tuple[str, ...]) -> None:
    result = cli(*args)
    assert (result.code, result.out) == (2, b"")
    assert "Usage:" in result.err


# --- what is missing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["typer", "rich.console"])
def test_extra_is_missing(cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "chatjinja.cli.app", raising=False)
    monkeypatch.delitem(sys.modules, "chatjinja.cli.outputs", raising=False)
    result = cli("--help")
    assert result.code == 2
    assert result.err == 'chatjinja: the command line is not installed; run: pip install "chatjinja[cli]"\n'


def test_other_missing_modules_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "chatjinja.cli.app", raising=False)
    monkeypatch.setitem(sys.modules, "chatjinja.cli.ast_command", None)
    with pytest.raises(ModuleNotFoundError):
        chatjinja.cli.main([])


def test_cli_package_alone_needs_no_extra() -> None:
    code = "import sys, chatjinja.cli; sys.exit(any(name in sys.modules for name in ('typer', 'click', 'rich')))"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(SRC)}, check=True)


# --- endings -------------------------------------------------------------------------------------------


def test_interrupted_while_loading(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupt:
        @staticmethod
        def find_spec(name: str, path: object, target: ModuleType | None = None) -> None:
            if name == "chatjinja.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "chatjinja.cli.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupt, *sys.meta_path])
    result = cli("--help")
    assert (result.code, result.out, result.err) == (130, b"", "")


class Refusing(io.BytesIO):
    """Standard output that cannot be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def write(self, data: object) -> int:
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
        (OSError(28, "No space left on device"), 2, "error: cannot write the result: No space left on device\n"),
    ],
)
def test_output_cannot_be_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: OSError,
    code: int,
    message: str,
) -> None:
    file = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)
    stream = io.TextIOWrapper(Refusing(error))
    monkeypatch.setattr(stream.buffer, "fileno", lambda: file, raising=False)
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(SystemExit) as ended:
        chatjinja.cli.main(["filters", "--json"])
    monkeypatch.undo()
    assert ended.value.code == code
    assert os.path.samestat(os.fstat(file), os.stat(os.devnull))
    os.close(file)
    assert capsys.readouterr().err == message


def test_module_runs(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    monkeypatch.setattr(sys, "argv", ["chatjinja", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("chatjinja", run_name="__main__", alter_sys=True)
    assert ended.value.code in (None, 0)
    assert capsysbinary.readouterr().out.startswith(b"chatjinja ")


# --- real processes ------------------------------------------------------------------------------------


def test_process_writes_utf8_bytes(tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_bytes("東京 {{ x }}\n\n".encode())
    args = ["render", str(tmp_path / "t.jinja"), "-"]
    result = run(args, input=b'{"x": "\\u00e9"}', stdout=subprocess.PIPE, env={"PYTHONIOENCODING": "cp1252"})
    assert (result.returncode, result.stdout, result.stderr) == (0, "東京 é\n".encode(), b"")


def test_process_with_an_error_in_any_encoding(tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_bytes("{{ '東京' - 1 }}".encode())
    result = run(
        ["render", str(tmp_path / "t.jinja"), "-"],
        input=b"{}",
        stdout=subprocess.PIPE,
        env={"PYTHONIOENCODING": "ascii"},
    )
    assert (result.returncode, result.stdout) == (1, b"")
    assert b"\\u6771" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs pipes of POSIX")
def test_process_whose_reader_goes_away(tmp_path: Path) -> None:
    (tmp_path / "t.jinja").write_text("{% for i in range(300000) %}{{ i }} {% endfor %}")
    read, write = os.pipe()
    os.close(read)
    result = run(["render", str(tmp_path / "t.jinja"), "-"], input=b"{}", stdout=write)
    os.close(write)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_process_on_a_full_disk() -> None:
    with open("/dev/full", "wb") as full:
        result = run(["filters"], stdout=full)
    assert result.returncode == 2
    assert result.stderr.startswith(b"error: cannot write the result: ")
    assert b"Traceback" not in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")
def test_process_interrupted() -> None:
    env = {**os.environ, "PYTHONPATH": str(SRC), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "chatjinja", "render", "-"]
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        assert p.stdin is not None
        assert p.stderr is not None
        # The template is read before the note is written, so the loop runs when the signal comes.
        p.stdin.write(
            b"{% for i in range(1000000) %}" * 1 + b"{% for j in range(9) %}{{ j ~ '' }}{% endfor %}{% endfor %}"
        )
        p.stdin.close()
        assert p.stderr.readline().startswith(b"note: ")
        p.send_signal(signal.SIGINT)
        assert p.wait(60) == 130
        assert p.stderr.read() == b""
