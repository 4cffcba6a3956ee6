"""Writes a checkpoint as a GGUF file of the llama architecture, with vocabulary and chat template.

The template renders only what the model was trained on: the last user message and what follows it.
System text, tool list and everything earlier are dropped, because the model is stateless by design.
"""

import argparse
import json
from pathlib import Path
from typing import Final

import gguf
import numpy as np
import torch
from numpy.typing import NDArray

from starter_model import vocabulary as voc
from starter_model.network import ANGLES, EPSILON, HEAD, Config
from starter_model.tools import CLOSE_TEXT, TOOLS, argument_names, open_text, separator_text
from starter_model.vocabulary import READ_TWICE, Vocabulary

VERSION: Final = 7
CONTEXT: Final = 1024
ROPE_BASE: Final = 10000.0
FILE_TYPE: Final = {"f32": 0, "f16": 1, "q8_0": 7}
Array = NDArray[np.float32]


def _quoted(text: str) -> str:
    return '{{ "' + text.replace("\n", "\\n") + '" }}'


def _call_template(tool: str) -> str:
    """Jinja code that writes a call; arguments that are not given are left out."""
    parts = [_quoted(open_text(tool))]
    for index, name in enumerate(argument_names(tool)):
        field = f"c.function.arguments['{name}']"
        value = f"{{{{ ' ' ~ ({field}|string|trim) }}}}"
        if index:
            value = (
                "{% if '"
                + name
                + "' in c.function.arguments %}"
                + _quoted(separator_text(name))
                + value
                + "{% endif %}"
            )
        parts.append(value)
    if TOOLS[tool]:
        parts.append(_quoted(CLOSE_TEXT))
    return "".join(parts)


def chat_template() -> str:
    """The chat template of the GGUF file."""
    calls = ""
    for index, tool in enumerate(TOOLS):
        keyword = "elif" if index else "if"
        calls += f"{{% {keyword} c.function.name == '{tool}' %}}" + _call_template(tool)
    calls += "{% endif %}"
    return (
        "{% set ns = namespace(u=0) %}{% for m in messages %}{% if m.role == 'user' %}"
        "{% set ns.u = loop.index0 %}{% endif %}{% endfor %}{{ bos_token }}"
        "{% for m in messages[ns.u:] %}{% if m.role == 'user' %}{% set said = m.content|trim %}"
        f"<|user|> {{{{ said }}}}{{% if said|length <= {READ_TWICE} %}}<|user|> {{{{ said }}}}{{% endif %}}"
        "<|end|>"
        "{% elif m.role == 'assistant' and m.tool_calls %}{% for c in m.tool_calls %}<|assistant|>"
        + calls
        + "<|end|>{% endfor %}"
        "{% elif m.role == 'assistant' %}<|assistant|> {{ m.content|trim }}<|end|>"
        "{% elif m.role == 'tool' %}<|tool|> {{ m.content|trim }}<|end|>{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}<|assistant|>{% endif %}"
    )


def _token_types(tokens: list[str]) -> list[gguf.TokenType]:
    types = []
    for token in tokens:
        if token == "<unk>":
            types.append(gguf.TokenType.UNKNOWN)
        elif token in voc.CONTROL:
            types.append(gguf.TokenType.CONTROL)
        elif token in voc.SYNTAX:
            types.append(gguf.TokenType.USER_DEFINED)
        elif token in voc.BYTES:
            types.append(gguf.TokenType.BYTE)
        elif token.startswith("<unused"):
            types.append(gguf.TokenType.UNUSED)
        else:
            types.append(gguf.TokenType.NORMAL)
    return types


def _write_metadata(
    writer: gguf.GGUFWriter, config: Config, vocabulary: Vocabulary, kind: str
) -> None:
    writer.add_name("moltbot-starter")
    writer.add_license("mit")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(config["width"])
    writer.add_block_count(config["layers"])
    writer.add_feed_forward_length(config["hidden"])
    writer.add_head_count(config["heads"])
    writer.add_head_count_kv(config["heads"])
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_rope_dimension_count(HEAD)
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_vocab_size(config["vocabulary"])
    writer.add_file_type(FILE_TYPE[kind])
    writer.add_uint32("moltbot.starter.version", VERSION)
    writer.add_string("moltbot.starter.tools", json.dumps(TOOLS))
    unused = config["vocabulary"] - len(vocabulary.tokens)
    tokens = vocabulary.tokens + [f"<unused{index}>" for index in range(unused)]
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(index) for index in range(len(tokens))])
    writer.add_token_types(_token_types(tokens))
    writer.add_bos_token_id(voc.BEGIN)
    writer.add_eos_token_id(voc.END)
    writer.add_unk_token_id(voc.UNKNOWN)
    writer.add_pad_token_id(voc.PAD)
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(chat_template())


def tensors(weights: dict[str, torch.Tensor], config: Config) -> dict[str, Array]:
    """The weights under the names of llama.cpp."""

    def get(name: str) -> Array:
        array: Array = weights[name].float().numpy()
        return array

    angles = np.array(ANGLES)
    base = ROPE_BASE ** (-np.arange(HEAD // 2) / (HEAD // 2))
    still = 1e9  # dividing by it makes a pair stand still
    frequencies = np.where(angles > 0, base / np.maximum(angles, 1e-9), still)
    result = {
        "rope_freqs.weight": frequencies.astype(np.float32),
        "token_embd.weight": get("embedding.weight"),
        "output_norm.weight": get("norm"),
    }
    inner, hidden = config["heads"] * HEAD, config["hidden"]
    for layer in range(config["layers"]):
        source, target = f"blocks.{layer}.", f"blk.{layer}."
        weight, bias = get(source + "qkv.weight"), get(source + "qkv.bias")
        for part, name in enumerate(("attn_q", "attn_k", "attn_v")):
            rows = slice(part * inner, (part + 1) * inner)
            result[f"{target}{name}.weight"] = weight[rows]
            result[f"{target}{name}.bias"] = bias[rows]
        gate_up = get(source + "gate_up.weight")
        result[target + "attn_norm.weight"] = get(source + "norm1")
        result[target + "ffn_norm.weight"] = get(source + "norm2")
        result[target + "attn_output.weight"] = get(source + "out.weight")
        result[target + "ffn_gate.weight"] = gate_up[:hidden]
        result[target + "ffn_up.weight"] = gate_up[hidden:]
        result[target + "ffn_down.weight"] = get(source + "down.weight")
    return result


def export(checkpoint: Path, output: Path, kind: str = "q8_0") -> None:
    """Writes a checkpoint as GGUF; matrices in `kind`, vectors in f32."""
    state = torch.load(checkpoint, weights_only=True)
    config: Config = state["config"]
    output.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(output, "llama")
    _write_metadata(writer, config, Vocabulary(state["pieces"]), kind)
    for name, array in tensors(state["weights"], config).items():
        data = np.ascontiguousarray(array, dtype=np.float32)
        if data.ndim == 1 or kind == "f32":
            writer.add_tensor(name, data)
        elif kind == "f16":
            writer.add_tensor(name, data.astype(np.float16))
        else:
            quantized = gguf.quants.quantize(data, gguf.GGMLQuantizationType.Q8_0)
            writer.add_tensor(name, quantized, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--type", choices=sorted(FILE_TYPE), default="q8_0")
    options = parser.parse_args()
    export(options.checkpoint, options.output, options.type)


if __name__ == "__main__":
    main()
