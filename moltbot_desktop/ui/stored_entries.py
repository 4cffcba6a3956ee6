"""Stored items of a conversation as entries of the screen. Pure."""

from __future__ import annotations

from moltbot_desktop.gateway.client import ConversationItem, HistoryLoaded, ItemKind
from moltbot_desktop.sdk.attachments import parted
from moltbot_desktop.ui.entries import (
    AnswerEntry,
    AnswerState,
    Entry,
    NoticeEntry,
    ToolEntry,
    ToolState,
    UserEntry,
)


def items_from(history: HistoryLoaded) -> tuple[ConversationItem, ...] | None:
    """Those from the message `history.taken` on; None where it is not among them."""
    if not history.taken:
        return ()
    at = next((n for n, item in enumerate(history.items) if item.said == history.taken), None)
    return None if at is None else history.items[at:]


def tool_state(outcome: str, *, ok: bool) -> ToolState:
    """How a call ended, from the word that the agent has for it."""
    try:
        return ToolState(outcome)
    except ValueError:
        return ToolState.OK if ok else ToolState.FAILED


def entry_of(item: ConversationItem) -> Entry:
    """A stored item as it is shown."""
    match item.kind:
        case ItemKind.USER:
            text, files = parted(item.text)
            return UserEntry(text, item.time, files=files, said=item.said)
        case ItemKind.ASSISTANT:
            state = AnswerState.CUT if item.unfinished else AnswerState.WHOLE
            return AnswerEntry(
                *(item.text, "", state, item.seconds, item.time, item.memories),
                tokens=item.tokens,
                model=item.model,
                said=item.said,
            )
        case ItemKind.TOOL:
            how = tool_state(item.outcome, ok=item.ok)
            seconds = item.seconds or None
            return ToolEntry(item.title, how, item.arguments, item.text, seconds, item.time)
        case ItemKind.NOTICE:
            wrong = bool(item.title) and not item.ok
            return NoticeEntry(
                item.text, serious=wrong, time=item.time, news_of=item.title, times=item.times
            )
