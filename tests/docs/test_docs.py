"""What README and docs say is so. ``CHATJINJA_UPDATE_DOCS=1 pytest tests/docs`` writes real output into them."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.docs.blocks import DOCUMENTS, ROOT, Runner, blocks, updated

BY_NAME = {str(path.relative_to(ROOT)): path for path in DOCUMENTS}
RUNNABLE = {"console", "pycon"}
OTHERS = {"sh", "python", "jinja", "json", "mermaid", "text", ""}
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")


@pytest.mark.skipif(shutil.which("bash") is None, reason="the examples need bash")
@pytest.mark.parametrize("name", BY_NAME)
def test_examples(name: str, tmp_path: Path) -> None:
    path = BY_NAME[name]
    real = updated(path, Runner(tmp_path))
    if os.environ.get("CHATJINJA_UPDATE_DOCS"):
        path.write_text(real, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == real


@pytest.mark.parametrize("name", BY_NAME)
def test_every_session_is_run(name: str) -> None:
    for block in blocks(BY_NAME[name].read_text(encoding="utf-8")):
        assert block.language in RUNNABLE | OTHERS, block
        assert block.runs or block.language not in RUNNABLE, block


@pytest.mark.parametrize("name", BY_NAME)
def test_links_lead_somewhere(name: str) -> None:
    path = BY_NAME[name]
    for target, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor[1:] in anchors(file.read_text(encoding="utf-8")), anchor


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
