"""A tiny `mamba` with random weights: a model whose memory is one running state, not a cache.

Such a memory cannot be cut back to a shorter prompt. The vocabulary and the chat template are
those of `make_gguf`.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

from tests.data.make_gguf import BOS, CHATML_TEMPLATE, IM_END, UNKNOWN, TinyModel, vocabulary

_WIDTH, _INNER, _STATE, _CONV, _RANK, _LAYERS = 32, 64, 8, 4, 4, 2


def write_recurrent_model(path: Path, *, context: int = 8192, seed: int = 1) -> Path:
    """Written in a moment; about 150 kB."""
    texts, types = vocabulary(TinyModel())
    writer = gguf.GGUFWriter(path, "mamba")
    writer.add_name("tiny-mamba")
    writer.add_context_length(context)
    writer.add_embedding_length(_WIDTH)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_block_count(_LAYERS)
    writer.add_ssm_conv_kernel(_CONV)
    writer.add_ssm_inner_size(_INNER)
    writer.add_ssm_state_size(_STATE)
    writer.add_ssm_time_step_rank(_RANK)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(texts))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(texts)
    writer.add_token_scores([-float(index) for index in range(len(texts))])
    writer.add_token_types(types)
    writer.add_bos_token_id(BOS)
    writer.add_eos_token_id(IM_END)
    writer.add_unk_token_id(UNKNOWN)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(CHATML_TEMPLATE)
    _add_weights(writer, len(texts), np.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_weights(
    writer: gguf.GGUFWriter, vocabulary_size: int, random: np.random.Generator
) -> None:
    def add(name: str, *shape: int, scale: float = 1.0) -> None:
        values = random.normal(0, scale / np.sqrt(shape[-1]), shape).astype(np.float32)
        writer.add_tensor(name, values)

    add("token_embd.weight", vocabulary_size, _WIDTH, scale=np.sqrt(_WIDTH))
    add("output.weight", vocabulary_size, _WIDTH, scale=1.5)
    writer.add_tensor("output_norm.weight", np.ones(_WIDTH, np.float32))
    for layer in range(_LAYERS):
        block = f"blk.{layer}."
        writer.add_tensor(block + "attn_norm.weight", np.ones(_WIDTH, np.float32))
        add(block + "ssm_in.weight", 2 * _INNER, _WIDTH)
        add(block + "ssm_conv1d.weight", _INNER, _CONV)
        add(block + "ssm_conv1d.bias", _INNER)
        add(block + "ssm_x.weight", _RANK + 2 * _STATE, _INNER)
        add(block + "ssm_dt.weight", _INNER, _RANK)
        add(block + "ssm_dt.bias", _INNER)
        decay = -np.tile(np.arange(1, _STATE + 1, dtype=np.float32), (_INNER, 1))
        writer.add_tensor(block + "ssm_a", decay)
        writer.add_tensor(block + "ssm_d", np.ones(_INNER, np.float32))
        add(block + "ssm_out.weight", _WIDTH, _INNER)
