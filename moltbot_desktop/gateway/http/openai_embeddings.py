"""``POST /v1/embeddings``: a request as values, and vectors in the form that is asked for. Pure.

Protocol: https://platform.openai.com/docs/api-reference/embeddings/create. The vectors have
length one, as there. Token numbers are refused: they mean nothing to another model's tokenizer.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.http.openai_fields import Fields, is_list, whole_text

MOST_TEXTS = 2048
_LONGEST_NAME = 256
_MOST_DIMENSIONS = 65_536
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class EmbeddingAsked:
    """Attributes:
    base64: each vector is little-endian 32-bit floats in base64, not a list of numbers.
    dimensions: None for the model's own.
    """

    model: str
    texts: tuple[str, ...]
    base64: bool = False
    dimensions: int | None = None


def embedding_asked(body: JsonObject) -> EmbeddingAsked:
    """Read a request.

    Raises:
        ApiRefusal: it cannot be answered as it is meant.
    """
    fields = Fields(body)
    form = fields.text("encoding_format", 16) or "float"
    if form not in ("float", "base64"):
        fields.refuse("encoding_format", "is float or base64")
    return EmbeddingAsked(
        fields.needed("model", _LONGEST_NAME),
        _texts(fields),
        base64=form == "base64",
        dimensions=fields.whole("dimensions", 1, _MOST_DIMENSIONS),
    )


def _texts(fields: Fields) -> tuple[str, ...]:
    value = fields.values.get("input")
    if isinstance(value, str):
        value = [value]
    if not is_list(value) or not value:
        fields.refuse("input", "is a string, or a list of strings that is not empty")
    if len(value) > MOST_TEXTS:
        fields.refuse("input", f"has more than {MOST_TEXTS} texts")
    texts = tuple(whole_text(one) for one in value if isinstance(one, str))
    if len(texts) < len(value):
        fields.refuse("input", "has to be text here, not numbers of tokens", "unsupported_value")
    if not all(texts):
        fields.refuse("input", "has an empty text")
    return texts


def check_dimensions(asked: EmbeddingAsked, dimensions: int) -> None:
    """Raises ApiRefusal: the model's vectors have another length."""
    if asked.dimensions not in (None, dimensions):
        fields = Fields({})
        fields.refuse("dimensions", f"is {dimensions} with this model", "unsupported_value")


def embeddings_json(asked: EmbeddingAsked, vectors: Sequence[Sequence[float]]) -> JsonObject:
    """The answer. The count of tokens is an estimate."""
    tokens = sum(-(-len(text.encode()) // _CHARACTERS_PER_TOKEN) for text in asked.texts)
    data: list[JsonValue] = [
        {"object": "embedding", "index": number, "embedding": _vector(asked, vector)}
        for number, vector in enumerate(vectors)
    ]
    return {
        "object": "list",
        "data": data,
        "model": asked.model,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _vector(asked: EmbeddingAsked, vector: Sequence[float]) -> JsonValue:
    if not asked.base64:
        return list(vector)
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")
