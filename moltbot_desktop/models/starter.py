"""Decoding rules of the starter model: its call tokens and the pointer mask over them.

    layout = StarterLayout.from_vocab(token_texts, metadata["moltbot.starter.tools"])
    mask = PointerMask(layout, request_ids, request_pieces)
    allowed = mask.allowed(generated_ids)      # None: anything; else only these ids

`token_texts[i]` is token i's text as in the GGUF (`tokenizer.ggml.tokens`, U+2581 for a space,
``<0xE4>`` for a byte). `request_ids` are the tokens of the person's text alone, without the
`[now ...]` line; `request_pieces` the same tokens' texts. `generated_ids` are the tokens of this
answer so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

STARTER_TOOLS_KEY = "moltbot.starter.tools"


@dataclass(frozen=True)
class StarterArgument:
    name: str
    required: bool


@dataclass(frozen=True)
class StarterLayout:
    """Ids of the call tokens.

    Attributes:
        tools: arguments of each tool, in the order they are written.
        openings: tool name -> token that opens its call (and its first argument).
        separators: argument name -> token between the previous argument and this one.
        close: token that ends every call of a tool with arguments.
    """

    tools: Mapping[str, tuple[StarterArgument, ...]]
    openings: Mapping[str, int]
    separators: Mapping[str, int]
    close: int

    @staticmethod
    def from_vocab(tokens: Sequence[str], tools_json: str) -> StarterLayout:
        """Find the call tokens.

        Raises:
            ModelFileInvalid: the metadata is no such table, or the vocabulary lacks a token.
        """
        raise NotImplementedError


class PointerMask:
    """Lets a call's arguments be runs of the request's own tokens only."""

    def __init__(
        self, layout: StarterLayout, request_ids: Sequence[int], request_pieces: Sequence[str]
    ) -> None:
        raise NotImplementedError

    def allowed(self, generated_ids: Sequence[int]) -> frozenset[int] | None:
        """Ids that may come next; None when the answer is no call, or a whole one (then only an
        end token makes sense and the caller stops)."""
        raise NotImplementedError


def request_line(now: datetime) -> str:
    """``[now 2026-11-21 00:04 Sat]``: the first line of a request, English in every locale."""
    raise NotImplementedError


def clip_result(text: str, limit: int) -> str:
    """A tool's JSON result cut to about `limit` characters and still one valid JSON object."""
    raise NotImplementedError
