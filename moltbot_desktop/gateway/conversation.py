"""A transcript as a person reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import ConversationItem, HistoryLoaded, ItemKind
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    MemoriesEntry,
    NewsEntry,
    OutcomeEntry,
    RunEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
)
from moltbot_desktop.sessions.forks import said_id

_TOLD_BY_OUTCOME = (OutcomeKind.FAILED, OutcomeKind.TIMED_OUT, OutcomeKind.OUT_OF_BUDGET)


@dataclass(frozen=True)
class History:
    """Of a conversation; `session_id` is "" where it has not begun."""

    session_id: str = ""
    items: tuple[ConversationItem, ...] = ()


def conversation_items(entries: Sequence[TranscriptEntry]) -> tuple[ConversationItem, ...]:
    """Everything worth showing, oldest first. Messages that only call tools show as their cards,
    news of the same job right after each other as one."""
    used, took = _memories_by_answer(entries), _figures_by_answer(entries)
    calls = _arguments_by_call(entries)
    items: list[ConversationItem] = []
    said = ""
    for entry in _without_repeats(entries):
        item = _item(entry, used.get(entry.id, ()))
        if item is None:
            continue
        said = said_id(entry) if isinstance(entry, UserEntry) else said
        item = replace(item, entry_id=entry.id)
        if isinstance(entry, ToolResultEntry):
            call = (entry.run_id, entry.message.tool_call_id)
            item = replace(item, arguments=calls.get(call, {}))
        elif isinstance(entry, UserEntry | AssistantEntry):
            item = replace(item, said=entry.run_id or said)
        if entry.id in took:
            tokens, seconds, model = took[entry.id]
            item = replace(item, tokens=tokens, seconds=seconds, model=model)
        if items and _same_news(items[-1], item):
            item = replace(item, times=items.pop().times + 1)
        items.append(item)
    return tuple(items)


def shown_part(
    key: SessionKey,
    session_id: SessionId,
    items: Sequence[ConversationItem],
    limit: int,
    at: str = "",
) -> HistoryLoaded:
    """The last `limit` of `items`, or as many around the one whose entry is `at`."""
    start, found = max(0, len(items) - limit), ""
    place = next((n for n, item in enumerate(items) if at and item.entry_id == at), None)
    if place is not None:
        start, found = max(0, min(start, place - limit // 2)), at
    shown = tuple(items[start : start + limit])
    newer = len(items) - start - len(shown)
    return HistoryLoaded(key, shown, start > 0, session_id, newer=newer, at=found)


def _arguments_by_call(
    entries: Iterable[TranscriptEntry],
) -> Mapping[tuple[RunId, str], JsonObject]:
    """What each tool was called with, by run and call."""
    return {
        (entry.run_id, call.id): call.arguments
        for entry in entries
        if isinstance(entry, AssistantEntry)
        for call in entry.message.tool_calls
    }


def _same_news(before: ConversationItem, item: ConversationItem) -> bool:
    both = before.kind is item.kind is ItemKind.NOTICE and bool(item.title)
    return both and (before.title, before.ok) == (item.title, item.ok)


def _memories_by_answer(
    entries: Iterable[TranscriptEntry],
) -> Mapping[str, tuple[UsedMemory, ...]]:
    """What each run's last words were made with, by the id of their entry."""
    said: dict[RunId, str] = {}
    used: dict[str, tuple[UsedMemory, ...]] = {}
    for entry in entries:
        if isinstance(entry, AssistantEntry) and entry.message.content.strip():
            said[entry.run_id] = entry.id
        if isinstance(entry, MemoriesEntry) and entry.run_id in said:
            used[said[entry.run_id]] = entry.memories
    return used


def _figures_by_answer(
    entries: Iterable[TranscriptEntry],
) -> Mapping[str, tuple[int, float, str]]:
    """Tokens written, seconds and model of each run, by the id of its last words."""
    said: dict[RunId, str] = {}
    models: dict[RunId, str] = {}
    took: dict[str, tuple[int, float, str]] = {}
    for entry in entries:
        if isinstance(entry, AssistantEntry) and entry.message.content.strip():
            said[entry.run_id] = entry.id
        if isinstance(entry, RunEntry):
            models[entry.run_id] = entry.facts.model
        if isinstance(entry, OutcomeEntry) and entry.run_id in said:
            outcome = entry.outcome
            model = models.get(entry.run_id, "")
            took[said[entry.run_id]] = (outcome.usage.completion_tokens, outcome.seconds, model)
    return took


def _without_repeats(entries: Iterable[TranscriptEntry]) -> Iterable[TranscriptEntry]:
    """Leaves out an outcome whose words stand right before it as the answer."""
    said = ""
    for entry in entries:
        if isinstance(entry, AssistantEntry):
            said = entry.message.content
        if isinstance(entry, OutcomeEntry) and said and entry.outcome.text == said:
            continue
        yield entry


def _item(entry: TranscriptEntry, memories: tuple[UsedMemory, ...]) -> ConversationItem | None:
    match entry:
        case UserEntry() if entry.text:
            return ConversationItem(ItemKind.USER, entry.text, entry.time)
        case AssistantEntry() if entry.message.content.strip():
            return ConversationItem(
                ItemKind.ASSISTANT,
                entry.message.content,
                entry.time,
                unfinished=entry.unfinished,
                memories=memories,
            )
        case ToolResultEntry():
            told = ConversationItem(ItemKind.TOOL, entry.display, entry.time, ok=entry.ok)
            facts = entry.facts
            title = entry.message.tool_name
            return replace(told, title=title, outcome=facts.outcome, seconds=facts.seconds)
        case NewsEntry():
            title, ok = entry.about, not entry.serious
            return ConversationItem(ItemKind.NOTICE, entry.text, entry.time, title, ok)
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
