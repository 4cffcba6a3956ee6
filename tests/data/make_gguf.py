"""Builds small GGUF files with random weights: real models for llama.cpp, made in a second.

Nothing here is trained, so nothing a test may rely on is in the weights: what holds with these
files holds because of the code around the model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import gguf
import numpy as np

CONTROL_TOKENS = ("<unk>", "<s>", "<|im_start|>", "<|im_end|>")
CALL_TOKENS = ("<tool_call>", "</tool_call>", "<think>", "</think>")
UNKNOWN, BOS, IM_START, IM_END = range(4)

_SENTENCE = (
    "the and you assistant user system tool name arguments call weather remind note city "
    "tomorrow search memory file path query text when is are what how to a of in on for"
)
_WORDS = _SENTENCE.split()

# Shaped after the ChatML + Hermes tool format that many open models share; written for the tests.
CHATML_TEMPLATE = """\
{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}
{% endif %}Tools:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}Call one with <tool_call>{"name": ..., "arguments": ...}</tool_call><|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'user' %}<|im_start|>user
{{ message.content }}<|im_end|>
{% elif message.role == 'assistant' %}<|im_start|>assistant
{{ message.content }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% elif message.role == 'tool' %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


@dataclass(frozen=True)
class TinyModel:
    """What to build.

    Attributes:
        width: embedding length; 32 keeps the file near 100 kB.
        call_bias: how much likelier than chance the call marker is (0 for chance), so that free
            decoding of random weights opens tool calls often enough to test them.
        quote_bias: the same for the double quote, so that strings end soon.
        keys: further metadata, strings.
        more_pieces: further pieces of the vocabulary.
        call_tokens: the call and thinking markers are tokens; else they are spelled in pieces.
    """

    width: int = 32
    layers: int = 2
    context: int = 8192
    seed: int = 1
    template: str = CHATML_TEMPLATE
    call_bias: float = 0.0
    quote_bias: float = 0.0
    keys: dict[str, str] = field(default_factory=dict)
    more_pieces: tuple[str, ...] = ()
    call_tokens: bool = True


def vocabulary(model: TinyModel) -> tuple[list[str], list[int]]:
    """Token texts (SPM) and their GGUF types."""
    markers = CALL_TOKENS if model.call_tokens else ()
    kinds = gguf.TokenType
    texts, types = list(CONTROL_TOKENS), [kinds.UNKNOWN, *[kinds.CONTROL] * 3]
    texts += markers
    types += [kinds.USER_DEFINED] * len(markers)
    texts += [f"<0x{byte:02X}>" for byte in range(256)]
    types += [kinds.BYTE] * 256
    letters = [chr(code) for code in range(33, 127)] + ["\u2581", "你", "好", "，", "明", "天"]
    pieces = [*model.more_pieces, *letters] + [
        prefix + word for word in _WORDS for prefix in ("\u2581", "")
    ]
    pieces = list(dict.fromkeys(pieces))
    texts += pieces
    types += [kinds.NORMAL] * len(pieces)
    return texts, [int(kind) for kind in types]


def write_chat_model(path: Path, model: TinyModel | None = None) -> Path:
    """A `llama` with random weights, an SPM vocabulary with bytes and a chat template."""
    model = model or TinyModel()
    texts, types = vocabulary(model)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(model.context)
    writer.add_embedding_length(model.width)
    writer.add_block_count(model.layers)
    writer.add_feed_forward_length(model.width * 2)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(model.width // 2)
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
    if model.template:
        writer.add_chat_template(model.template)
    for key, value in model.keys.items():
        writer.add_string(key, value)
    _add_chat_weights(writer, model, texts)
    _finish(writer)
    return path


def _add_chat_weights(writer: gguf.GGUFWriter, model: TinyModel, texts: list[str]) -> None:
    random = np.random.default_rng(model.seed)
    width, hidden, vocabulary_size = model.width, model.width * 2, len(texts)

    def add(name: str, *shape: int, scale: float = 1.0) -> np.ndarray:
        values = random.normal(0, scale / np.sqrt(shape[-1]), shape).astype(np.float32)
        writer.add_tensor(name, values)
        return values

    add("token_embd.weight", vocabulary_size, width, scale=np.sqrt(width))
    writer.add_tensor("output_norm.weight", np.ones(width, np.float32))
    output = random.normal(0, 1.5 / np.sqrt(width), (vocabulary_size, width)).astype(np.float32)
    # A longer row has larger logits of either sign: the marker wins in about half of all states.
    if model.call_tokens:
        output[texts.index(CALL_TOKENS[0])] *= 1.0 + model.call_bias
    output[texts.index('"')] *= 1.0 + model.quote_bias
    writer.add_tensor("output.weight", output)
    for layer in range(model.layers):
        block = f"blk.{layer}."
        writer.add_tensor(block + "attn_norm.weight", np.ones(width, np.float32))
        writer.add_tensor(block + "ffn_norm.weight", np.ones(width, np.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"{block}{name}.weight", width, width)
        add(block + "ffn_gate.weight", hidden, width)
        add(block + "ffn_up.weight", hidden, width)
        add(block + "ffn_down.weight", width, hidden)


def write_embedding_model(
    path: Path,
    *,
    width: int = 32,
    context: int = 64,
    seed: int = 1,
    pooling: int = gguf.PoolingType.MEAN,
) -> Path:
    """A two-layer `bert`; its WordPiece vocabulary is letters and a few words."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [chr(code) for code in range(33, 127) if not chr(code).isupper()]
    # llama.cpp wants word starts marked with U+2581 and continuations bare.
    texts = special + ["\u2581" + text for text in letters + _WORDS] + letters
    texts = list(dict.fromkeys(texts))
    kinds = gguf.TokenType
    types = [int(kinds.CONTROL if text in special else kinds.NORMAL) for text in texts]
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_name("tiny-bert")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(2)
    writer.add_feed_forward_length(width * 2)
    writer.add_head_count(2)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType(pooling))
    writer.add_token_type_count(2)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("bert-bge")
    writer.add_token_list(texts)
    writer.add_token_types(types)
    writer.add_bos_token_id(2)
    writer.add_eos_token_id(3)
    writer.add_sep_token_id(3)
    writer.add_unk_token_id(1)
    writer.add_pad_token_id(0)
    writer.add_mask_token_id(4)
    _add_bert_weights(writer, len(texts), width, context, seed)
    _finish(writer)
    return path


def _add_bert_weights(
    writer: gguf.GGUFWriter, vocabulary_size: int, width: int, context: int, seed: int
) -> None:
    random = np.random.default_rng(seed)

    def add(name: str, *shape: int) -> None:
        values = random.normal(0, 1 / np.sqrt(shape[-1]), shape).astype(np.float32)
        writer.add_tensor(name + ".weight", values)

    def norm(name: str) -> None:
        writer.add_tensor(name + ".weight", np.ones(width, np.float32))
        writer.add_tensor(name + ".bias", np.zeros(width, np.float32))

    add("token_embd", vocabulary_size, width)
    add("position_embd", context, width)
    add("token_types", 2, width)
    norm("token_embd_norm")
    for layer in range(2):
        block = f"blk.{layer}."
        for name, rows, columns in (
            ("attn_q", width, width),
            ("attn_k", width, width),
            ("attn_v", width, width),
            ("attn_output", width, width),
            ("ffn_up", width * 2, width),
            ("ffn_down", width, width * 2),
        ):
            add(block + name, rows, columns)
            writer.add_tensor(f"{block}{name}.bias", np.zeros(rows, np.float32))
        norm(block + "attn_output_norm")
        norm(block + "layer_output_norm")


def _finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
