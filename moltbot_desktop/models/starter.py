"""Decoding rules of the starter model: its call tokens and the pointer mask over them.

    layout = StarterLayout.from_vocab(token_texts, metadata["moltbot.starter.tools"])
    mask = PointerMask(layout, request_ids, request_pieces)
    allowed = mask.allowed(generated_ids)      # None: anything; else only these ids

`token_texts[i]` is token i's text as in the GGUF (`tokenizer.ggml.tokens`, U+2581 for a space,
``<0xE4>`` for a byte). `request_ids` are the tokens of the person's text alone, without the
`[now ...]` line; `request_pieces` the same tokens' texts. `generated_ids` are the tokens of this
answer so far. Calls are read by `STARTER_FORMAT`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.models.formats.function_xml import FunctionXmlFormat
from moltbot_desktop.models.pointer import PointerMask
from moltbot_desktop.models.starter_layout import (
    STARTER_TOOLS_KEY,
    StarterArgument,
    StarterLayout,
)

__all__ = [
    "STARTER_FORMAT",
    "STARTER_TOOLS_KEY",
    "PointerMask",
    "StarterArgument",
    "StarterLayout",
    "clip_result",
    "request_line",
]

STARTER_FORMAT = FunctionXmlFormat(strips_values=True)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_CUT = "…"


def request_line(now: datetime) -> str:
    """``[now 2026-11-21 00:04 Sat]``: the first line of a request, English in every locale."""
    return f"[now {now:%Y-%m-%d %H:%M} {_DAYS[now.weekday()]}]"


def clip_result(text: str, limit: int) -> str:
    """A tool's JSON result of at most about `limit` characters, still one valid JSON value.

    The longest texts are shortened first, then lists lose their last items: short fields (a path,
    a number, an error) are what an answer quotes. What is no JSON is cut as text.
    """
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text if len(text) <= limit else text[: max(0, limit - 1)] + _CUT
    written = _dumped(value)
    size = limit
    while len(written) > limit and size > 0:
        size = size * 2 // 3
        written = _dumped(_clipped(value, size))
    return written


def _dumped(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _clipped(value: JsonValue, size: int) -> JsonValue:
    """Texts of at most `size` characters, lists of at most `size / 8` items; keys stay."""
    if isinstance(value, str):
        return value if len(value) <= size else value[:size] + _CUT
    if isinstance(value, Mapping):
        return {key: _clipped(item, size) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_clipped(item, size) for item in value[: max(1, size // 8)]]
    return value
