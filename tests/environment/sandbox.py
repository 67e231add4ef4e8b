"""Rendering in a process with little memory and time."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 1 << 30
SECONDS = 10


def outcome(source: str, context: Any = None, dialect: str = "llama.cpp") -> str:
    """Render in a fresh process: ``text LENGTH``, the code of the error, ``TIMEOUT`` or what else went wrong."""
    command = [sys.executable, "-m", "tests.environment.sandbox"]
    data = json.dumps([source, context, dialect])
    path = [str(ROOT), *(entry for entry in sys.path if entry)]
    try:
        done = subprocess.run(
            command,
            input=data,
            capture_output=True,
            text=True,
            timeout=3 * SECONDS,
            cwd=ROOT,
            env={"PYTHONPATH": ":".join(path), "PYTHONUTF8": "1"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "TIMEOUT"
    return done.stdout.strip() or f"rc {done.returncode}: {done.stderr[-500:]}"


def main() -> None:
    """Render what stands on the standard input."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    import chatjinja

    source, context, dialect = json.load(sys.stdin)
    try:
        text = chatjinja.render(source, context, dialect=dialect)
    except chatjinja.TemplateError as error:
        print(error.code)
    except MemoryError:
        print("MemoryError")
    else:
        print(f"text {len(text)}")


if __name__ == "__main__":
    main()
