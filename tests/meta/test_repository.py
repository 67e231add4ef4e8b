"""Things that must hold for the repository as a whole."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import chatjinja

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {".git", ".venv", "dist", "build", "htmlcov", "__pycache__"}
KEPT_DOT_FOLDERS = {".ci"}
# Written in pieces, so that this file does not match itself.
FORBIDDEN = re.compile(
    "|".join(["(?<![A-Za-z0-9.~])/" + "(work|tmp|root|home)/", "index" + "-url", "https?://[^ ]*" + "pypi"])
)


def text_files(folder: Path = ROOT) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") and path.is_dir() and path.name not in KEPT_DOT_FOLDERS
        if path.name in SKIPPED or hidden or path.name.endswith(".egg-info"):
            continue
        if path.is_dir():
            yield from text_files(path)
        else:
            try:
                yield path, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def test_no_file_names_a_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path, text in text_files()
        for match in FORBIDDEN.finditer(text)
    ]
    assert not found


def test_the_search_sees_this_file() -> None:
    assert Path(__file__) in dict(text_files())


def test_changelog_names_the_version() -> None:
    assert f"## [{chatjinja.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_core_has_no_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == []
