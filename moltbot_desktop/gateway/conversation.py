"""A transcript as a person reads it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import ConversationItem, ItemKind
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    OutcomeEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
)

_TOLD_BY_OUTCOME = (OutcomeKind.FAILED, OutcomeKind.TIMED_OUT, OutcomeKind.OUT_OF_BUDGET)


def conversation_items(entries: Sequence[TranscriptEntry]) -> tuple[ConversationItem, ...]:
    """Everything worth showing, oldest first. Messages that only call tools show as their cards."""
    shown = (_item(entry) for entry in _without_repeats(entries))
    return tuple(item for item in shown if item is not None)


def _without_repeats(entries: Iterable[TranscriptEntry]) -> Iterable[TranscriptEntry]:
    """Leaves out an outcome whose words stand right before it as the answer."""
    said = ""
    for entry in entries:
        if isinstance(entry, AssistantEntry):
            said = entry.message.content
        if isinstance(entry, OutcomeEntry) and said and entry.outcome.text == said:
            continue
        yield entry


def _item(entry: TranscriptEntry) -> ConversationItem | None:
    match entry:
        case UserEntry():
            return ConversationItem(ItemKind.USER, entry.text, entry.time)
        case AssistantEntry() if entry.message.content.strip():
            return ConversationItem(
                ItemKind.ASSISTANT,
                entry.message.content,
                entry.time,
                unfinished=entry.unfinished,
            )
        case ToolResultEntry():
            title = entry.message.tool_name
            return ConversationItem(ItemKind.TOOL, entry.display, entry.time, title, entry.ok)
        case OutcomeEntry():
            return _ended(entry)
        case _:
            return None


def _ended(entry: OutcomeEntry) -> ConversationItem | None:
    outcome = entry.outcome
    if outcome.kind in _TOLD_BY_OUTCOME or outcome.kind is OutcomeKind.CANCELLED:
        text = outcome.reason or outcome.text
        return ConversationItem(ItemKind.NOTICE, text, entry.time, ok=False) if text else None
    return None
