"""Loaders with the libraries that they load from, without a network."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from chatjinja import ChatTemplate, LoadError
from chatjinja.analysis.engines.llama_server_main import write_model

USER = {"role": "user", "content": "Hi"}
TEMPLATE = "{{ bos_token }}[{{ messages[0].content }}]{{ eos_token }}"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def backend(*, adds: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "<s>": 1, "</s>": 2, "Hi": 3}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if adds:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    return tokenizer


# --- transformers --------------------------------------------------------------------------------------


@pytest.fixture
def fast() -> Any:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")

    def make(*, adds: bool, **options: Any) -> Any:
        return transformers.PreTrainedTokenizerFast(tokenizer_object=backend(adds=adds), unk_token="<unk>", **options)

    return make


@pytest.mark.parametrize("adds", [True, False])
@pytest.mark.parametrize("template", [TEMPLATE, {"default": TEMPLATE, "tool_use": "T"}])
def test_a_tokenizer_and_the_folder_that_it_is_saved_in(fast: Any, tmp_path: Path, adds: bool, template: Any) -> None:
    tokenizer = fast(adds=adds, bos_token="<s>", eos_token="</s>")
    tokenizer.chat_template = template
    tokenizer.save_pretrained(tmp_path)
    for chat in (ChatTemplate.from_tokenizer(tokenizer), ChatTemplate.from_pretrained(tmp_path)):
        assert (chat.bos_token, chat.eos_token, chat.add_bos, chat.add_eos) == ("<s>", "</s>", adds, adds)
        assert chat.sources == (template if isinstance(template, dict) else {"default": template})
        assert chat.apply([USER]).text == ("[Hi]" if adds else "<s>[Hi]</s>")


def test_a_tokenizer_without_special_tokens(fast: Any) -> None:
    tokenizer = fast(adds=False)
    tokenizer.chat_template = TEMPLATE
    chat = ChatTemplate.from_tokenizer(tokenizer)
    assert (chat.bos_token, chat.eos_token, chat.add_bos, chat.add_eos) == ("", "", False, False)


def test_a_tokenizer_without_a_template(fast: Any) -> None:
    with pytest.raises(LoadError, match="has no chat template"):
        ChatTemplate.from_tokenizer(fast(adds=False))


# --- llama.cpp -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("add_bos", [True, False])
def test_a_loaded_model_and_its_file(tmp_path: Path, add_bos: bool) -> None:
    llama_cpp = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed; it has to be built")
    path = tmp_path / "model.gguf"
    write_model(path, {"default": TEMPLATE, "tool_use": "T"}, add_bos=add_bos)
    llama = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
    try:
        loaded = ChatTemplate.from_tokenizer(llama)
    finally:
        llama.close()
    for chat in (loaded, ChatTemplate.from_gguf(path)):
        assert (chat.bos_token, chat.eos_token, chat.add_bos, chat.add_eos) == ("<s>", "</s>", add_bos, False)
        assert chat.sources == {"default": TEMPLATE, "tool_use": "T"}
        assert chat.apply([USER]).text == ("[Hi]</s>" if add_bos else "<s>[Hi]</s>")


# --- the hub -------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which huggingface_hub keeps models; nothing is fetched."""
    constants = pytest.importorskip("huggingface_hub.constants", reason="huggingface_hub is not installed")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return tmp_path


def keep(cache: Path, name: str, **files: str) -> None:
    """A model as the hub's library keeps it: blobs, and snapshots that link to them."""
    folder = cache / f"models--{name.replace('/', '--')}"
    snapshot = folder / "snapshots" / COMMIT
    for place in (folder / "refs", folder / "blobs", snapshot):
        place.mkdir(parents=True)
    (folder / "refs" / "main").write_text(COMMIT)
    for number, (file, text) in enumerate(files.items()):
        (folder / "blobs" / str(number)).write_text(text, encoding="utf-8")
        os.symlink(f"../../blobs/{number}", snapshot / file)


@pytest.mark.parametrize("revision", [None, "main", COMMIT])
def test_a_model_that_was_fetched_before(cache: Path, revision: str | None) -> None:
    config = '{"bos_token": "<s>", "eos_token": {"content": "</s>"}, "add_bos_token": true, "add_eos_token": false}'
    keep(cache, "some/model", **{"chat_template.jinja": TEMPLATE, "tokenizer_config.json": config})
    chat = ChatTemplate.from_pretrained("some/model", revision=revision)
    assert chat.apply([USER]).text == "[Hi]</s>"
    assert chat.origin.where == "the Hugging Face model some/model"
    assert ChatTemplate.load("some/model").sources == chat.sources


def test_a_model_without_a_template(cache: Path) -> None:
    keep(cache, "some/model", **{"tokenizer_config.json": "{}"})
    with pytest.raises(LoadError, match="the Hugging Face model some/model has no chat template"):
        ChatTemplate.from_pretrained("some/model")


@pytest.mark.parametrize("name", ["some/other", "no such name!", "a/b/c", "", "-/-"])
def test_what_is_no_model(cache: Path, name: str) -> None:
    with pytest.raises(LoadError) as caught:
        ChatTemplate.from_pretrained(name)
    text = str(caught.value)
    assert text.startswith(f"{name!r} is no folder, and cannot be fetched from the Hugging Face hub: ")
    assert "\n" not in text
