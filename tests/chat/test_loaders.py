"""Where templates come from."""

from __future__ import annotations

import json
import re
import socket
import sys
from pathlib import Path
from struct import pack
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from chatjinja import ChatTemplate, LoadError
from chatjinja.chat.gguf import TokenSettings, token_settings
from chatjinja.chat.loader import read_any

USER = {"role": "user", "content": "Hi"}


# --- files with a template -----------------------------------------------------------------------------


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.jinja"
    path.write_bytes(b"{{ bos_token }}{{ messages[0].content }}\xff\r\n")
    chat = ChatTemplate.from_file(path, bos_token="<s>", eos_token="</s>", add_bos=True)
    prompt = chat.apply([USER])
    assert prompt.to_bytes() == b"Hi\xff"
    assert prompt.bos_was_cut
    assert chat.origin.where == f"the file {path}"


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"nowhere: No such file or directory"):
        ChatTemplate.from_file(tmp_path / "nowhere")
    (tmp_path / "model").write_bytes(b"GGUF....")
    with pytest.raises(LoadError, match="this is a model file, not a template; use from_gguf"):
        ChatTemplate.from_file(tmp_path / "model")


# --- GGUF ----------------------------------------------------------------------------------------------


class Header:
    """Writes GGUF headers, sound and broken ones."""

    def __init__(self, order: str = "<", version: int = 3) -> None:
        self.order = order
        self.version = version
        self.entries: list[bytes] = []
        self.count: int | None = None

    def number(self, form: str, value: Any) -> bytes:
        return pack(self.order + form, value)

    def text(self, text: str) -> bytes:
        data = text.encode()
        return self.number("Q", len(data)) + data

    def add(self, key: str, kind: int, value: bytes) -> Header:
        self.entries.append(self.text(key) + self.number("I", kind) + value)
        return self

    def string(self, key: str, value: str) -> Header:
        return self.add(key, 8, self.text(value))

    def strings(self, key: str, values: list[str]) -> Header:
        body = self.number("I", 8) + self.number("Q", len(values)) + b"".join(map(self.text, values))
        return self.add(key, 9, body)

    def array(self, key: str, kind: int, count: int, body: bytes = b"") -> Header:
        return self.add(key, 9, self.number("I", kind) + self.number("Q", count) + body)

    def data(self) -> bytes:
        count = len(self.entries) if self.count is None else self.count
        head = b"GGUF" + self.number("I", self.version) + self.number("Q", 0) + self.number("Q", count)
        return head + b"".join(self.entries)


def load(tmp_path: Path, header: Header | bytes, **options: Any) -> ChatTemplate:
    path = tmp_path / "model.gguf"
    path.write_bytes(header if isinstance(header, bytes) else header.data())
    return ChatTemplate.from_gguf(path, **options)


def model(order: str = "<", version: int = 3) -> Header:
    header = Header(order, version)
    header.string("general.architecture", "llama")
    header.string("general.name", "skipped")
    header.array("some.numbers", 4, 2, b"\0" * 8)
    header.array("arrays", 9, 1, header.number("I", 0) + header.number("Q", 3) + b"abc")
    for kind, form in enumerate("BbHhIif"):
        header.add(f"number.{kind}", kind, header.number(form, 1))
    header.add("flag", 7, b"\1").add("number.10", 10, header.number("Q", 1)).add("number.12", 12, header.number("d", 1))
    header.string("tokenizer.ggml.model", "gpt2").string("tokenizer.ggml.pre", "llama-bpe")
    header.strings("tokenizer.ggml.tokens", ["<s>", "a", "</s>"])
    header.add("tokenizer.ggml.bos_token_id", 4, header.number("I", 0))
    header.add("tokenizer.ggml.eos_token_id", 4, header.number("I", 2))
    header.string("tokenizer.chat_template", "{{ bos_token }}D{{ eos_token }}")
    header.string("tokenizer.chat_template.tool_use", "T")
    header.strings("tokenizer.chat_templates", ["tool_use"])
    return header


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [2, 3])
def test_gguf(tmp_path: Path, order: str, version: int) -> None:
    chat = load(tmp_path, model(order, version))
    assert (chat.bos_token, chat.eos_token, chat.add_bos, chat.add_eos) == ("<s>", "</s>", True, False)
    assert chat.origin.names == ("default", "tool_use")
    assert chat.apply([USER]).text == "D</s>"


def test_gguf_options(tmp_path: Path) -> None:
    chat = load(tmp_path, model(), name="tool_use", settings={"bos_token": "B", "add_eos": True})
    assert (chat.bos_token, chat.add_eos, chat.apply([USER]).text) == ("B", True, "T")
    with pytest.raises(LoadError, match=r"has no template named 'x'; there is: default, tool_use"):
        load(tmp_path, model(), name="x")


def test_gguf_without_template(tmp_path: Path) -> None:
    chat = load(tmp_path, Header().string("general.architecture", "x"))
    assert chat.origin.why == "there is no template: ChatML"
    assert (chat.bos_token, chat.eos_token, chat.origin.names) == ("", "", ())
    with pytest.raises(LoadError, match="has no template named 'default'; there is: none"):
        load(tmp_path, Header(), name="default")


def test_tokens_out_of_range(tmp_path: Path) -> None:
    header = Header().string("tokenizer.ggml.model", "bert").strings("tokenizer.ggml.tokens", ["a"])
    assert load(tmp_path, header).bos_token == ""


def broken(kind: str) -> Header | bytes:
    number = Header().number
    sound = model().data()
    at = sound.index(b"tokenizer.ggml.tokens") + len("tokenizer.ggml.tokens") + 4
    endless = b"\xff" * 7 + b"\x7f"
    return {
        "no magic": b"GGML" + sound[4:],
        "short": b"GGUF",
        "version": Header(version=1),
        "cut in a number": sound[:20],
        "cut in a string": sound[: sound.index(b"general.name") + 5],
        "cut in the last string": Header().string("a", "b" * 40).data()[:-4],
        "cut in strings": sound[: at + 12 + 8 * 3],
        "long string": sound[:24] + endless + sound[32:],
        "long key": Header().string("k" * 70000, ""),
        "many keys": sound[:16] + endless + sound[24:],
        "many strings": sound[: at + 4] + endless + sound[at + 12 :],
        "string past the end": Header().array("a", 8, 1, number("Q", 99)),
        "string before the end": Header().array("a", 8, 2, number("Q", 9) + b"123456789"),
        "many numbers": Header().array("a", 4, 2**60),
        "many arrays": Header().array("a", 9, 2**60),
        "deep arrays": Header().array("a", 9, 1, (number("I", 9) + number("Q", 1)) * 20),
        "unknown type": Header().add("a", 99, b""),
        "unknown type in an array": Header().array("a", 99, 1),
        "a key twice": Header().string("tokenizer.chat_template", "").string("tokenizer.chat_template", ""),
        "no text": Header().strings("tokenizer.chat_template", ["x"]),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("no magic", "not a GGUF file"),
        ("short", "not a GGUF file"),
        ("version", r"GGUF version 1 is not supported \(only 2 and 3 are\)"),
        ("cut in a number", "damaged GGUF header at byte 16: the file ends within a number"),
        ("cut in a string", "keys do not fit into the file"),
        ("cut in the last string", "a string of 40 bytes is longer than"),
        ("cut in strings", "the file ends within an array of strings|does not fit into the file"),
        ("long string", "is longer than"),
        ("long key", "a string of 70000 bytes is longer than the rest of the file or than allowed"),
        ("many keys", "keys do not fit into the file"),
        ("many strings", "an array of 9223372036854775807 strings does not fit into the file"),
        ("string past the end", "the file ends within an array of strings"),
        ("string before the end", "the file ends within an array of strings"),
        ("many numbers", "an array of 1152921504606846976 numbers does not fit into the file"),
        ("many arrays", "arrays in arrays do not fit"),
        ("deep arrays", "or are nested too deeply"),
        ("unknown type", "unknown type 99 of the key 'a'"),
        ("unknown type in an array", "unknown type 99"),
        ("a key twice", "the key 'tokenizer.chat_template' stands there twice"),
        ("no text", "the value of 'tokenizer.chat_template' is no text"),
    ],
)
def test_broken_gguf(tmp_path: Path, kind: str, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        load(tmp_path, broken(kind))


def test_any_cut_of_a_header_is_an_error(tmp_path: Path) -> None:
    sound = model().data()
    for end in range(len(sound)):
        with pytest.raises(LoadError):
            load(tmp_path, sound[:end])


def test_no_gguf_file(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="No such file"):
        ChatTemplate.from_gguf(tmp_path / "nowhere")
    with pytest.raises(LoadError, match="the file is empty"):
        load(tmp_path, b"")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, (-1, -1, False, False)),
        ({"model": 3, "add_bos_token": 1, "bos_token_id": True}, (-1, -1, False, False)),
        ({"model": "llama"}, (1, 2, True, False)),
        ({"model": "llama", "add_bos_token": False, "add_eos_token": True}, (1, 2, False, True)),
        ({"model": "bert"}, (101, -1, True, False)),
        ({"model": "t5"}, (-1, 1, False, True)),
        ({"model": "rwkv"}, (-1, -1, False, False)),
        ({"model": "gpt2", "pre": "qwen2"}, (11, 11, False, False)),
        ({"model": "gpt2", "pre": "tekken", "bos_token_id": 5}, (5, 11, True, False)),
        ({"model": "gpt2", "pre": "glm4"}, (-1, 11, False, False)),
        ({"model": "gpt2", "pre": "gemma4", "add_bos_token": False}, (11, 11, True, False)),
        ({"model": "gemma4", "add_bos_token": False}, (-1, -1, True, False)),
    ],
)
def test_token_settings(values: dict[str, Any], expected: tuple[int, int, bool, bool]) -> None:
    found = token_settings({f"tokenizer.ggml.{name}": value for name, value in values.items()})
    assert found == TokenSettings(*expected)


# --- Hugging Face --------------------------------------------------------------------------------------


def folder(path: Path, **files: Any) -> Path:
    for name, content in files.items():
        file = path / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_folder_with_config(tmp_path: Path) -> None:
    config = {
        "chat_template": "{{ bos_token }}C",
        "bos_token": {"content": "<s>"},
        "eos_token": "</s>",
        "add_bos_token": True,
        "add_eos_token": False,
    }
    chat = ChatTemplate.from_pretrained(folder(tmp_path, tokenizer_config_dot_json=config))
    assert (chat.bos_token, chat.eos_token, chat.add_bos, chat.add_eos) == ("<s>", "</s>", True, False)
    assert chat.apply([USER]).text == "C"
    assert chat.origin.where == f"the folder {tmp_path}"


def test_folder_with_named_templates(tmp_path: Path) -> None:
    named = [{"name": "default", "template": "D"}, {"name": "rag", "template": "R"}]
    folder(tmp_path, tokenizer_config_dot_json={"chat_template": named, "bos_token": None})
    assert ChatTemplate.from_pretrained(tmp_path).origin.names == ("default", "rag")
    assert ChatTemplate.from_pretrained(tmp_path, name="rag").apply([USER]).text == "R"


def test_files_win_over_the_config(tmp_path: Path) -> None:
    folder(
        tmp_path,
        tokenizer_config_dot_json={"chat_template": "C"},
        chat_template_dot_json={"chat_template": {"default": "J", "x": "X"}},
        chat_template_dot_jinja="F",
        additional_chat_templates__tool_use_dot_jinja="T",
        special_tokens_map_dot_json={"bos_token": "<b>", "eos_token": {"content": "<e>"}},
    )
    chat = ChatTemplate.load(str(tmp_path))
    assert chat.sources == {"default": "F", "x": "X", "tool_use": "T"}
    assert (chat.bos_token, chat.eos_token, chat.add_bos) == ("<b>", "<e>", False)


def special(text: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": text, "type_id": 0}}


TEXT_ITSELF = {"Sequence": {"id": "A"}}


@pytest.mark.parametrize(
    ("processor", "puts"),
    [
        (None, (False, False)),
        ({"type": "ByteLevel"}, (False, False)),
        ({"type": "TemplateProcessing", "single": [special("<s>"), TEXT_ITSELF]}, (True, False)),
        ({"type": "TemplateProcessing", "single": [special("x"), TEXT_ITSELF, special("</s>")]}, (False, True)),
        ({"type": "TemplateProcessing", "single": [TEXT_ITSELF]}, (False, False)),
        ({"type": "TemplateProcessing", "single": "?"}, (False, False)),
        ({"type": "BertProcessing", "cls": ["<s>", 1], "sep": ["</s>", 2]}, (True, True)),
        ({"type": "RobertaProcessing", "cls": [], "sep": 3}, (False, False)),
        (
            {
                "type": "Sequence",
                "processors": [
                    {"type": "ByteLevel"},
                    {"type": "TemplateProcessing", "single": [special("<s>"), TEXT_ITSELF]},
                ],
            },
            (True, False),
        ),
        ({"type": "Sequence", "processors": None}, (False, False)),
    ],
)
def test_post_processors(tmp_path: Path, processor: Any, puts: tuple[bool, bool]) -> None:
    config = {"chat_template": "x", "bos_token": "<s>", "eos_token": "</s>"}
    folder(tmp_path, tokenizer_config_dot_json=config, tokenizer_dot_json={"post_processor": processor})
    chat = ChatTemplate.from_pretrained(tmp_path)
    assert (chat.add_bos, chat.add_eos) == puts


def test_one_setting_of_two(tmp_path: Path) -> None:
    processor = {"type": "BertProcessing", "cls": ["<s>", 1], "sep": ["</s>", 2]}
    config = {"chat_template": "x", "bos_token": "<s>", "eos_token": "</s>", "add_bos_token": False}
    folder(tmp_path, tokenizer_config_dot_json=config, tokenizer_dot_json={"post_processor": processor})
    chat = ChatTemplate.from_pretrained(tmp_path)
    assert (chat.add_bos, chat.add_eos) == (False, True)
    config = {**config, "add_eos_token": False}
    del config["add_bos_token"]
    folder(tmp_path, tokenizer_config_dot_json=config)
    chat = ChatTemplate.from_pretrained(tmp_path)
    assert (chat.add_bos, chat.add_eos) == (True, False)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "has no chat template"),
        ({"tokenizer_config_dot_json": "{"}, r"tokenizer_config.json: not valid JSON"),
        ({"tokenizer_config_dot_json": "[" * 100_000}, r"not valid JSON"),
        ({"tokenizer_config_dot_json": []}, "not a JSON object"),
        ({"tokenizer_config_dot_json": {"chat_template": 3}}, "neither a text nor a list of named templates"),
        ({"tokenizer_config_dot_json": {"chat_template": [{"name": "x"}]}}, "neither a text nor a list"),
    ],
)
def test_broken_folders(tmp_path: Path, files: dict[str, Any], message: str) -> None:
    with pytest.raises(LoadError, match=message):
        ChatTemplate.from_pretrained(folder(tmp_path, **files))


def test_unreadable_file(tmp_path: Path) -> None:
    (tmp_path / "additional_chat_templates" / "x.jinja").mkdir(parents=True)
    with pytest.raises(LoadError, match="Is a directory"):
        ChatTemplate.from_pretrained(tmp_path)


def test_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def download(name: str, *, revision: str | None, allow_patterns: list[str]) -> str:
        asked.append((name, revision, "chat_template.jinja" in allow_patterns))
        if name == "gone/model":
            raise OSError("404")
        return str(folder(tmp_path, chat_template_dot_jinja="H"))

    hub = ModuleType("huggingface_hub")
    hub.snapshot_download = download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    chat = ChatTemplate.from_pretrained("some/model", revision="main")
    assert (chat.apply([USER]).text, chat.origin.where) == ("H", "the Hugging Face model some/model")
    assert asked == [("some/model", "main", True)]
    with pytest.raises(
        LoadError, match="'gone/model' is no folder, and cannot be fetched from the Hugging Face hub: 404"
    ):
        read_any("gone/model")


def test_hub_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(LoadError, match=r"pip install \"chatjinja\[hf\]\""):
        ChatTemplate.from_pretrained("some/model")


# --- whatever it is ------------------------------------------------------------------------------------


def test_load(tmp_path: Path) -> None:
    (tmp_path / "a.jinja").write_text("A")
    (tmp_path / "b.gguf").write_bytes(model().data())
    assert ChatTemplate.load(str(tmp_path / "a.jinja")).apply([USER]).text == "A"
    assert ChatTemplate.load(str(tmp_path / "b.gguf")).apply([USER]).text == "D</s>"
    for name in ("nowhere", "no/where.jinja", "a/b/c", "./nowhere"):
        with pytest.raises(LoadError, match="there is no such file or folder"):
            ChatTemplate.load(name)


def test_a_file_of_a_model_is_no_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tokenizer_config.json").write_text("{}")
    with pytest.raises(LoadError, match=f"name its folder instead: {re.escape(str(tmp_path))}$"):
        ChatTemplate.load(str(tmp_path / "tokenizer_config.json"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LoadError, match=r"name its folder instead: \.$"):
        ChatTemplate.load("tokenizer_config.json")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="needs a file that cannot be opened")
def test_a_file_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("s")
        for load in (ChatTemplate.load, ChatTemplate.from_file, ChatTemplate.from_gguf):
            with pytest.raises(LoadError, match=r"^s: No such device or address"):
                load("s")


# --- objects -------------------------------------------------------------------------------------------


class Tokenizer:
    """What is used of a `transformers` tokenizer."""

    bos_token: Any = "<s>"
    eos_token: Any = "</s>"
    bos_token_id = 1
    eos_token_id = 2
    name_or_path = "some/model"
    chat_template: Any = "{{ bos_token }}X"

    def __init__(self, *ids: int) -> None:
        self.ids = list(ids)

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": self.ids}


@pytest.mark.parametrize(
    ("ids", "adds"),
    [
        ((), (False, False)),
        ((1,), (True, False)),
        ((1, 2), (True, True)),
        ((2,), (False, True)),
        ((7, 8), (False, False)),
    ],
)
def test_tokenizer(ids: tuple[int, ...], adds: tuple[bool, bool]) -> None:
    chat = ChatTemplate.from_tokenizer(Tokenizer(*ids))
    assert (chat.add_bos, chat.add_eos) == adds
    assert chat.origin.where == "the tokenizer of some/model"


def test_tokenizers_of_other_kinds() -> None:
    tokenizer = Tokenizer(1)
    tokenizer.chat_template = {"default": "D", "tool_use": "T"}
    tokenizer.bos_token = None
    tokenizer.name_or_path = ""
    chat = ChatTemplate.from_tokenizer(tokenizer, name="tool_use")
    assert (chat.bos_token, chat.add_bos, chat.apply([USER]).text) == ("", False, "T")
    assert chat.origin.where == "the tokenizer of Tokenizer"
    tokenizer.chat_template = None
    with pytest.raises(LoadError, match="this Tokenizer has no chat template"):
        ChatTemplate.from_tokenizer(tokenizer)


def test_a_processor() -> None:
    processor = SimpleNamespace(chat_template="{{ bos_token }}P", tokenizer=Tokenizer(1))
    chat = ChatTemplate.from_tokenizer(processor)
    assert (chat.bos_token, chat.add_bos, chat.apply([USER]).text) == ("<s>", True, "P")


@pytest.mark.parametrize("broken", [SimpleNamespace(chat_template="X"), lambda text: {}])
def test_what_does_not_encode(broken: Any) -> None:
    broken.chat_template = "X"
    with pytest.raises(LoadError, match="cannot encode an empty text"):
        ChatTemplate.from_tokenizer(broken)


def test_llama() -> None:
    llama = SimpleNamespace(
        metadata={
            "tokenizer.chat_template": "{{ bos_token }}L{{ eos_token }}",
            "tokenizer.chat_template.rag": "R",
            "tokenizer.ggml.model": "llama",
            "tokenizer.ggml.add_eos_token": "true",
            "general.name": "x",
        },
        token_bos=lambda: 1,
        token_eos=lambda: -1,
        detokenize=lambda tokens, special: b"<s>" if special and tokens == [1] else b"?",
    )
    chat = ChatTemplate.from_tokenizer(llama)
    assert (chat.bos_token, chat.eos_token, chat.add_bos, chat.add_eos) == ("<s>", "", True, True)
    assert chat.origin.names == ("default", "rag")
    assert chat.apply([USER]).text == "L"
