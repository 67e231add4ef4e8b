"""Chat templates of Hugging Face models: a local folder, a hub id, or a tokenizer object."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from chatjinja.chat.models import Model
from chatjinja.errors import LoadError

CONFIG = "tokenizer_config.json"
FILES = (
    CONFIG,
    "special_tokens_map.json",
    "tokenizer.json",
    "chat_template.jinja",
    "chat_template.json",
    "additional_chat_templates/*.jinja",
)
"""What is read of a model, and so what is fetched of one on the hub."""
JSON_FILES = tuple(name for name in FILES if name.endswith(".json"))
"""Those of them that are no templates by themselves."""


# --- folders -------------------------------------------------------------------------------------------


def read_folder(path: str | os.PathLike[str], where: str = "") -> Model:
    """Templates and tokens of a model folder. Raises LoadError if it holds no template at all.

    `where` is what to call the folder, if its path is not what the caller asked for.
    """
    folder = Path(path)
    where = where or f"the folder {folder}"
    config = _json_object(folder / CONFIG)
    sources = _named(config.get("chat_template"), str(folder / CONFIG))
    processor = _json_object(folder / "chat_template.json").get("chat_template")
    sources.update(_named(processor, str(folder / "chat_template.json")))
    if (folder / "chat_template.jinja").is_file():
        sources["default"] = _text(folder / "chat_template.jinja")
    for file in sorted((folder / "additional_chat_templates").glob("*.jinja")):
        sources[file.stem] = _text(file)
    if not sources:
        raise LoadError(f"{where} has no chat template; looked for chat_template.jinja, {CONFIG} and others")
    older = _json_object(folder / "special_tokens_map.json")
    bos, eos = (_token_text(config.get(name)) or _token_text(older.get(name)) for name in ("bos_token", "eos_token"))
    add_bos, add_eos = config.get("add_bos_token"), config.get("add_eos_token")
    if not isinstance(add_bos, bool) or not isinstance(add_eos, bool):
        puts = _puts(_json_object(folder / "tokenizer.json").get("post_processor"), bos, eos)
        add_bos = add_bos if isinstance(add_bos, bool) else puts[0]
        add_eos = add_eos if isinstance(add_eos, bool) else puts[1]
    return Model(sources, bos, eos, add_bos, add_eos, where)


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise LoadError(f"{file}: {error.strerror or error}") from None


def _json_object(file: Path) -> Mapping[str, Any]:
    """The JSON object in a file; empty if there is no such file."""
    if not file.is_file():
        return {}
    try:
        found = json.loads(_text(file))
    except (ValueError, RecursionError) as error:
        raise LoadError(f"{file}: not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise LoadError(f"{file}: not a JSON object")
    return found


def _named(value: Any, where: str) -> dict[str, str]:
    """Templates by name, of a `chat_template` that is a text, or a list or mapping of named ones."""
    if value is None:
        return {}
    if isinstance(value, str):
        return {"default": value}
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
        pairs = [(item.get("name"), item.get("template")) for item in value]
    else:
        pairs = [(None, None)]
    if not all(isinstance(name, str) and isinstance(source, str) for name, source in pairs):
        raise LoadError(f"{where}: chat_template is neither a text nor a list of named templates")
    return dict(pairs)


def _token_text(value: Any) -> str:
    """A token written as text or as an object with its content."""
    if isinstance(value, Mapping):
        value = value.get("content")
    return value if isinstance(value, str) else ""


def _puts(processor: Any, bos: str, eos: str) -> tuple[bool, bool]:
    """Whether a post-processor of tokenizer.json puts BOS before, and EOS after, a text."""
    if not isinstance(processor, Mapping):
        return False, False
    kind = processor.get("type")
    if kind == "Sequence":
        parts = processor.get("processors")
        found = [_puts(part, bos, eos) for part in parts] if isinstance(parts, list) else []
        return any(item[0] for item in found), any(item[1] for item in found)
    if kind in ("BertProcessing", "RobertaProcessing"):
        return _first(processor.get("cls")) == bos != "", _first(processor.get("sep")) == eos != ""
    if kind != "TemplateProcessing":
        return False, False
    before: list[Any] = []
    after: list[Any] = []
    names = before
    single = processor.get("single")
    for piece in single if isinstance(single, list) else ():
        if isinstance(piece, Mapping) and isinstance(piece.get("SpecialToken"), Mapping):
            names.append(piece["SpecialToken"].get("id"))
        else:
            names = after
    return bos != "" and bos in before, eos != "" and eos in after


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


# --- the hub -------------------------------------------------------------------------------------------


def read_hub(name: str, *, revision: str | None = None) -> Model:
    """A model on the Hugging Face hub, by its id. Needs the package `huggingface_hub`. Raises LoadError."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise LoadError(
            f"{name!r} is no folder, and to look on the Hugging Face hub the package huggingface_hub is needed: "
            'pip install "chatjinja[hf]"'
        ) from None
    download: Callable[..., str] = snapshot_download
    try:
        folder = download(name, revision=revision, allow_patterns=list(FILES))
    except Exception as error:  # the package raises many kinds, some of them from its own dependencies
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise LoadError(f"{name!r} is no folder, and cannot be fetched from the Hugging Face hub: {why}") from error
    return read_folder(folder, f"the Hugging Face model {name}")


# --- tokenizer objects ---------------------------------------------------------------------------------


def read_tokenizer(tokenizer: Any) -> Model:
    """A `transformers` tokenizer, or a processor that has one. Raises LoadError if it has no template."""
    kind = type(tokenizer).__name__
    sources = _named(getattr(tokenizer, "chat_template", None), kind)
    if not sources:
        raise LoadError(f"this {kind} has no chat template")
    encoder = getattr(tokenizer, "tokenizer", tokenizer)
    bos, eos = (_token_text(getattr(encoder, name, None)) for name in ("bos_token", "eos_token"))
    try:
        ids = list(encoder("")["input_ids"])
    except Exception as error:  # whatever a tokenizer may raise
        raise LoadError(f"this {kind} cannot encode an empty text: {error}") from error
    add_bos = bool(ids) and bos != "" and ids[0] == encoder.bos_token_id
    rest = ids[1:] if add_bos else ids
    add_eos = bool(rest) and eos != "" and rest[-1] == encoder.eos_token_id
    name = getattr(tokenizer, "name_or_path", "") or kind
    return Model(sources, bos, eos, add_bos, add_eos, f"the tokenizer of {name}")
