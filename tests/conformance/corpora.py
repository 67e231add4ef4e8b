"""Read the recorded corpora of the reference engine.

The recordings are not part of the repository. They lie in the folder that ``CHATJINJA_SHARED`` names, or in
``../shared`` beside the repository. The formats are described in ``conformance/README.md`` there.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

CORPORA = ("micro", "fuzz", "real")
CLOCK = 1767225600
"""POSIX time of the recordings; their time zone is UTC."""

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class RecordedError:
    """What the reference reported instead of a text; place and node only in phase ``run``."""

    phase: str | None
    message: str
    node: str | None
    line: int | None
    column: int | None


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded render: `parts` or `error` is set, never both."""

    id: str
    name: str
    source: str
    context: str
    parts: tuple[tuple[bool, bytes], ...] | None
    error: RecordedError | None

    @property
    def text(self) -> str | None:
        """The recorded text; bytes that are not UTF-8 are surrogate escapes."""
        if self.parts is None:
            return None
        return decode(b"".join(part for _, part in self.parts))


def decode(raw: bytes) -> str:
    """Bytes as chatjinja holds them in a `str`."""
    return raw.decode("utf-8", "surrogateescape")


def shared_folder() -> Path | None:
    """The folder of the recordings, or None if it is not there."""
    named = os.environ.get("CHATJINJA_SHARED")
    folder = Path(named) if named else REPOSITORY.parent / "shared"
    return folder if (folder / "conformance").is_dir() else None


def require_shared_folder() -> Path:
    """The folder of the recordings; raises FileNotFoundError if it is not there."""
    folder = shared_folder()
    if folder is None:
        raise FileNotFoundError("recordings not found: set CHATJINJA_SHARED or place them in ../shared")
    return folder


def raw_part(part: str | dict[str, str]) -> bytes:
    """Bytes of one recorded part: a string, or ``{"hex": …}`` if it is not valid UTF-8."""
    return part.encode() if isinstance(part, str) else bytes.fromhex(part["hex"])


@cache
def template_source(name: str) -> str:
    """Source of a recorded template file, its line ends untouched."""
    return decode((require_shared_folder() / "templates" / name).read_bytes())


@cache
def context_json(name: str) -> str:
    """JSON text of a recorded context; ``micro_context`` is the one of micro and fuzz."""
    folder = require_shared_folder()
    place = folder / "conformance" if name == "micro_context" else folder / "contexts"
    return (place / f"{name}.json").read_text(encoding="utf-8")


def _case(record: dict[str, Any], is_file: bool) -> Case:
    error = record.get("error")
    template = record["template"]
    return Case(
        id=record["id"],
        name=template if is_file else record["id"],
        source=template_source(template) if is_file else template,
        context=record["context"] if is_file else "micro_context",
        parts=None if error else tuple((flag, raw_part(part)) for flag, part in record["parts"]),
        error=RecordedError(error["phase"], error["message"], error.get("node"), error.get("line"), error.get("column"))
        if error
        else None,
    )


def read_corpus(corpus: str) -> Iterator[Case]:
    """All cases of a corpus, in recorded order."""
    path = require_shared_folder() / "conformance" / f"{corpus}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield _case(json.loads(line), is_file=corpus == "real")
