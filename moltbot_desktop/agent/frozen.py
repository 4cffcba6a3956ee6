"""The frozen segments as they fit a window: the persona whole, the longest of the rest cut.

    segments = await fitted_segments(counts, model, segments, most=1228)

A long MEMORY.md or many skills must not leave a small window without room for the conversation.
What is cut can still be looked up with a tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moltbot_desktop.agent.prompt import PromptSegment
from moltbot_desktop.agent.pruning import head_and_tail
from moltbot_desktop.agent.token_counts import TokenCounts
from moltbot_desktop.sdk.models import ChatModel

_WHOLE = frozenset({"persona"})
_GAP = 16
"""Tokens of the line that says how much is missing."""


async def fitted_segments(
    counts: TokenCounts, model: ChatModel, segments: Sequence[PromptSegment], most: int
) -> tuple[PromptSegment, ...]:
    """`segments` of at most `most` tokens together, as far as the persona allows."""
    fitted = list(segments)
    costs = [await counts.of_text(model, one.text) for one in fitted]
    excess = sum(costs) - most
    for number in sorted(range(len(costs)), key=lambda one: -costs[one]):
        if excess <= 0:
            break
        if fitted[number].name in _WHOLE:
            continue
        keep = costs[number] - excess - _GAP
        if keep > 0:
            text = head_and_tail(fitted[number].text, costs[number], keep)
        else:
            text, keep = "", 0
        fitted[number] = replace(fitted[number], text=text)
        excess -= costs[number] - keep
    return tuple(fitted)
