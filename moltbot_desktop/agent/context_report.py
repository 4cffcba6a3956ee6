"""What stands in a conversation's prompts, by part: for `/context` and the window's meter.

    report = context_report(frozen, tools, history, counts, state)
    [(part.name, part.tokens) for part in report.parts]     # system, tools, skills, memory, chat

Counts only what was counted already, so that nobody waits for a model to be loaded: before the
first answer tokens are None and characters have to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.agent.prompt import PromptSegment
from moltbot_desktop.agent.token_counts import TokenCounts
from moltbot_desktop.sdk.tools import ToolSpec
from moltbot_desktop.sessions.runs import PromptHistory

SYSTEM, TOOLS, CHAT = "system", "tools", "chat"
_OWN = frozenset({"skills", "memory"})


@dataclass(frozen=True)
class ContextPart:
    """A part of the prompt.

    Attributes:
        name: ``system``, ``tools``, ``skills``, ``memory``, ``chat``, or a file's name.
        tokens: None where no model has counted them yet.
        inside: the part it belongs to; "" for one of the five.
    """

    name: str
    characters: int
    tokens: int | None
    inside: str = ""


@dataclass(frozen=True)
class ContextReport:
    """What the next prompt of a conversation begins with.

    Attributes:
        window: tokens, 0 while no model was asked.
        cached: tokens of the last prompt that the model had read before.
        compactions: how often the beginning was summarised.
    """

    window: int
    parts: tuple[ContextPart, ...]
    cached: int
    compactions: int


@dataclass(frozen=True)
class ModelState:
    """Which model counted, the size of its window, and what it had read of the last prompt."""

    name: str = ""
    window: int = 0
    cached: int = 0


def context_report(
    frozen: Sequence[PromptSegment],
    tools: Sequence[ToolSpec],
    history: PromptHistory,
    compactions: int,
    counts: TokenCounts,
    state: ModelState,
) -> ContextReport:
    """The parts in the order in which a prompt has them."""
    parts = [_segment(segment, counts.known(state.name, segment.text)) for segment in frozen]
    described = sum(len(counts.described(tool)) for tool in tools)
    parts.append(ContextPart(TOOLS, described, counts.known_tools(state.name, tools)))
    parts.append(_chat(history, counts, state.name))
    return ContextReport(state.window, tuple(parts), state.cached, compactions)


def _segment(segment: PromptSegment, tokens: int | None) -> ContextPart:
    """The persona is the system part itself; other files stand inside of it."""
    size = len(segment.text)
    if segment.name in _OWN:
        return ContextPart(segment.name, size, tokens)
    if segment.name == "persona":
        return ContextPart(SYSTEM, size, tokens)
    return ContextPart(segment.name, size, tokens, SYSTEM)


def _chat(history: PromptHistory, counts: TokenCounts, model: str) -> ContextPart:
    """Summary and exchanges; older ones that nobody had to count are not told as tokens."""
    summary = history.compaction.summary if history.compaction else ""
    characters = len(summary) + sum(len(message.content) for message in history.messages)
    costs = [counts.known_message(model, message) for message in history.messages]
    costs += [counts.known(model, summary)] if summary else []
    known = [cost for cost in costs if cost is not None]
    return ContextPart(CHAT, characters, sum(known) if len(known) == len(costs) else None)
