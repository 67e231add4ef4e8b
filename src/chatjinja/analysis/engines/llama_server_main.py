"""The process behind `chatjinja.analysis.engines.llama_server_process`; run as a file.

It makes a one-layer random model (120 KB) that carries a template, starts the server of the package `xllamacpp` on it,
and answers requests: one JSON object a line from standard input, one ``{"status": …, "body": …}`` a line to standard
output, after a first line with the capabilities. All traffic stays on this machine.
"""

from __future__ import annotations

import json
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

EMBEDDING, HEADS, HIDDEN = 32, 2, 64


def write_model(path: Path, templates: dict[str, str], *, add_bos: bool) -> None:
    """A loadable llama model with a byte vocabulary and named templates."""
    import gguf
    import numpy as np

    tokens = [b"<unk>", b"<s>", b"</s>"] + [b"<0x%02X>" % byte for byte in range(256)] + ["\u2581".encode()]
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(8192)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    writer.add_file_type(0)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([2, 3, 3] + [6] * 256 + [1])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(add_bos)
    writer.add_add_eos_token(False)
    for name, source in templates.items():
        if name == "default":
            writer.add_string("tokenizer.chat_template", source)
        else:
            writer.add_string(f"tokenizer.chat_template.{name}", source)
    random = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (len(tokens), EMBEDDING),
        "output_norm.weight": (EMBEDDING,),
        "output.weight": (len(tokens), EMBEDDING),
        "blk.0.attn_norm.weight": (EMBEDDING,),
        "blk.0.ffn_norm.weight": (EMBEDDING,),
        **{f"blk.0.{name}.weight": (EMBEDDING, EMBEDDING) for name in ("attn_q", "attn_k", "attn_v", "attn_output")},
        "blk.0.ffn_gate.weight": (HIDDEN, EMBEDDING),
        "blk.0.ffn_up.weight": (HIDDEN, EMBEDDING),
        "blk.0.ffn_down.weight": (EMBEDDING, HIDDEN),
    }
    for name, shape in shapes.items():
        made = np.ones(shape) if len(shape) == 1 else random.standard_normal(shape) * 0.02
        writer.add_tensor(name, made.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def call(url: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def serve() -> None:
    import socket

    import xllamacpp

    options = json.loads(sys.stdin.readline())
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "tiny.gguf"
        write_model(model, options["templates"], add_bos=options["add_bos"])
        params = xllamacpp.CommonParams()
        params.model.path = str(model)
        params.n_ctx = 512
        params.warmup = False
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            params.port = probe.getsockname()[1]
        server = xllamacpp.Server(params)
    url = server.listening_address
    print(json.dumps(call(url + "/props")[1]["chat_template_caps"]), flush=True)
    for line in sys.stdin:
        status, body = call(url + "/apply-template", json.loads(line))
        print(json.dumps({"status": status, "body": body}), flush=True)


if __name__ == "__main__":
    serve()
