"""Where templates come from: a file, a model file, a folder, the hub, objects of other libraries."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from chatjinja.chat.gguf import TEMPLATE, read_gguf, token_settings
from chatjinja.chat.huggingface import JSON_FILES, read_folder, read_hub, read_tokenizer
from chatjinja.chat.models import Model
from chatjinja.errors import LoadError

_PATHS = ("./", "../", "/", "~")
_SUFFIXES = (".jinja", ".jinja2", ".j2", ".gguf", ".json", ".txt")
"""What begins or ends like this is no hub id."""


def read_file(path: str | os.PathLike[str]) -> Model:
    """A file that holds the text of a template. Raises LoadError."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise LoadError(f"{name}: {error.strerror or error}") from None
    if data[:4] == b"GGUF":
        raise LoadError(f"{name}: this is a model file, not a template; use from_gguf")
    return Model({"default": data.decode("utf-8", "surrogateescape")}, "", "", False, False, f"the file {name}")


def read_pretrained(name: str | os.PathLike[str], *, revision: str | None = None) -> Model:
    """A model folder, or if there is none of that name, a model on the Hugging Face hub. Raises LoadError."""
    return read_folder(name) if os.path.isdir(name) else read_hub(os.fspath(name), revision=revision)


def read_any(source: str) -> Model:
    """A template file, a GGUF file, a model folder or a hub id, whatever `source` names. Raises LoadError."""
    if os.path.isdir(source):
        return read_folder(source)
    if os.path.exists(source):
        if os.path.basename(source) in JSON_FILES:
            folder = os.path.dirname(source) or "."
            raise LoadError(f"{source}: this is a file of a model, not a template; name its folder instead: {folder}")
        return read_gguf(source) if _begins_as_gguf(source) else read_file(source)
    if source.count("/") == 1 and not (source.startswith(_PATHS) or source.endswith(_SUFFIXES)):
        return read_hub(source)
    raise LoadError(f"{source}: there is no such file or folder")


def _begins_as_gguf(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"GGUF"
    except OSError as error:
        raise LoadError(f"{path}: {error.strerror or error}") from None


def read_object(tokenizer: Any) -> Model:
    """A `transformers` tokenizer or a `llama_cpp.Llama`. Raises LoadError."""
    metadata = getattr(tokenizer, "metadata", None)
    if isinstance(metadata, Mapping) and hasattr(tokenizer, "token_bos"):
        return _read_llama(tokenizer, metadata)
    return read_tokenizer(tokenizer)


_FLAGS = {"true": True, "false": False}


def _read_llama(llama: Any, metadata: Mapping[str, Any]) -> Model:
    sources = {
        key[len(TEMPLATE) + 1 :] or "default": str(value)
        for key, value in metadata.items()
        if key == TEMPLATE or key.startswith(TEMPLATE + ".")
    }
    settings = token_settings({key: _FLAGS.get(value, value) for key, value in metadata.items()})
    bos, eos = (
        "" if token < 0 else llama.detokenize([token], special=True).decode("utf-8", "surrogateescape")
        for token in (llama.token_bos(), llama.token_eos())
    )
    return Model(sources, bos, eos, settings.add_bos, settings.add_eos, "the loaded llama.cpp model")


def pick(model: Model, name: str | None) -> Model:
    """The model with its template `name` as the default one. Raises LoadError if it has none of that name."""
    if name is None:
        return model
    if name not in model.sources:
        known = ", ".join(sorted(model.sources)) or "none"
        raise LoadError(f"{model.where} has no template named {name!r}; there is: {known}")
    return model._replace(sources={"default": model.sources[name]})
