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

from datetime import datetime

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
    "request_line",
]

STARTER_FORMAT = FunctionXmlFormat(strips_values=True)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def request_line(now: datetime) -> str:
    """``[now 2026-11-21 00:04 Sat]``: the first line of a request, English in every locale."""
    return f"[now {now:%Y-%m-%d %H:%M} {_DAYS[now.weekday()]}]"
