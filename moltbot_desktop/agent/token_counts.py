"""Tokens by the model's own tokenizer, each text counted once.

counts = TokenCounts()
used = await counts.of_text(model, persona)
cost = await counts.of_message(model, message)      # with what frames it in a prompt
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from moltbot_desktop.agent.pruning import head_and_tail
from moltbot_desktop.core.messages import ChatMessage
from moltbot_desktop.sdk.models import ChatModel
from moltbot_desktop.sdk.tools import ToolSpec

_FRAME = 8
"""What a template puts around a message or a tool."""
_MOST_KEPT = 8_192
_DIGEST_BYTES = 16


class TokenCounts:
    """Counts that were made, the longest unused forgotten first. What was counted is known by its
    digest: as many whole texts, results of tools among them, may be hundreds of megabytes."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, bytes], int] = OrderedDict()
        self._described: tuple[tuple[ToolSpec, ...], str] = ((), "")

    async def of_text(self, model: ChatModel, text: str) -> int:
        if not text:
            return 0
        key = (model.info.name, _digest(text))
        if key not in self._known:
            self._known[key] = await model.count_tokens(text)
            if len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

    async def cut(self, model: ChatModel, text: str, most: int) -> str:
        """`text` with its middle left out, so that it costs at most `most` tokens."""
        whole = await self.of_text(model, text)
        keep, short, tokens = most, text, whole
        while tokens > most and keep > 1:
            short = head_and_tail(text, whole, keep)
            tokens = await model.count_tokens(short)
            # Ends that cost more than the middle does: Chinese around English.
            keep = min(keep - 1, keep * most // max(1, tokens))
        return short

    async def of_message(self, model: ChatModel, message: ChatMessage) -> int:
        return await self.of_text(model, _whole(message)) + _FRAME

    async def of_messages(self, model: ChatModel, messages: Iterable[ChatMessage]) -> int:
        return sum([await self.of_message(model, message) for message in messages])

    async def of_tools(self, model: ChatModel, tools: Sequence[ToolSpec]) -> int:
        """Of their descriptions, as templates print them."""
        return await self.of_text(model, self._all(tools)) + _FRAME * len(tools)

    def described(self, tool: ToolSpec) -> str:
        """About what a template prints of a tool."""
        return f"{tool.name}{tool.description}{_json(tool.parameters)}"

    def known(self, model: str, text: str) -> int | None:
        """Tokens of a text by the model of that name; None where it has not counted."""
        return self._known.get((model, _digest(text))) if text else 0

    def known_message(self, model: str, message: ChatMessage) -> int | None:
        tokens = self.known(model, _whole(message))
        return None if tokens is None else tokens + _FRAME

    def known_tools(self, model: str, tools: Sequence[ToolSpec]) -> int | None:
        tokens = self.known(model, self._all(tools))
        return None if tokens is None else tokens + _FRAME * len(tools)

    def _all(self, tools: Sequence[ToolSpec]) -> str:
        """What is printed of them. In every turn they are the ones they were in the last."""
        kept = tuple(tools)
        if kept != self._described[0]:  # the very same objects are equal at a glance
            self._described = (kept, "".join(map(self.described, kept)))
        return self._described[1]

    def forget(self) -> None:
        """Let go of all counts."""
        self._known.clear()


def _digest(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(encoded, digest_size=_DIGEST_BYTES).digest()


def _whole(message: ChatMessage) -> str:
    calls = "".join(f"{call.name}{_json(call.arguments)}" for call in message.tool_calls)
    return message.content + calls


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=dict)
