"""An answer as a transcript keeps it: without the keys that stand in its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from moltbot_desktop.core.messages import ChatMessage, ToolCall
from moltbot_desktop.security.left_out import keys_in, without, without_in


def without_keys(message: ChatMessage) -> ChatMessage:
    """`message` with marks in the place of the keys of its calls, also where it thinks or speaks
    of them; the same object where there are none."""
    keys = keys_in([dict(call.arguments) for call in message.tool_calls])
    if not keys:
        return message
    return replace(
        message,
        content=without(keys, message.content),
        thinking=without(keys, message.thinking),
        tool_calls=tuple(_kept(call, keys) for call in message.tool_calls),
    )


def _kept(call: ToolCall, keys: tuple[str, ...]) -> ToolCall:
    arguments = without_in(keys, dict(call.arguments))
    assert isinstance(arguments, Mapping)
    return replace(call, arguments=arguments)
