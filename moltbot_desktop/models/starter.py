"""Decoding rules of the starter model: its call tokens and the pointer mask over them.

    layout = StarterLayout.from_vocab(token_texts, metadata["moltbot.starter.tools"])
    mask = PointerMask(layout, request_ids, request_pieces)
    allowed = mask.allowed(generated_ids)      # None: anything; else only these ids

`token_texts[i]` is token i's text as in the GGUF (`tokenizer.ggml.tokens`, U+2581 for a space,
``<0xE4>`` for a byte). `request_ids` are the tokens of the request, `request_pieces` the same
tokens' texts, `generated_ids` the tokens of this answer so far. Calls are read by
`STARTER_FORMAT`.
"""

from __future__ import annotations

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
]

STARTER_FORMAT = FunctionXmlFormat(strips_values=True)
