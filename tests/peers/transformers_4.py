"""A Python with transformers 4.57.6, beside the one of the tests, which has 5.24.

``python -m tests.peers.transformers_4`` makes it, in the cache of the tests or in the folder that
``CHATJINJA_TRANSFORMERS_4`` names. Tests that need it are skipped where it is not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.peers import transformers_calls
from tests.peers.transformers_calls import Calls, Outcomes
from tests.tokenization.fetch import cache_folder

PACKAGES = ("transformers==4.57.6", "jinja2==3.1.6")


def folder() -> Path:
    """Where the environment is, or is to be."""
    named = os.environ.get("CHATJINJA_TRANSFORMERS_4")
    return Path(named) if named else cache_folder() / "transformers-4.57.6"


def python() -> Path:
    """The interpreter of the environment."""
    return folder() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make() -> None:
    """Make the environment if it is not there."""
    if not python().exists():
        venv.create(folder(), with_pip=True)
    subprocess.run([python(), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)


def run(calls: Calls) -> Outcomes:
    """`transformers_calls.run` by that Python; skips the test if there is none."""
    if not python().exists():
        pytest.skip("transformers 4.57.6 is not there; python -m tests.peers.transformers_4 fetches it")
    done = subprocess.run(
        [python(), transformers_calls.__file__], input=json.dumps(calls), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    outcomes: Outcomes = json.loads(done.stdout)
    assert outcomes["version"] == "4.57.6"
    return outcomes


if __name__ == "__main__":
    make()
    print(f"transformers 4.57.6 is in {folder()}", file=sys.stderr)
