"""What a transcript is about, for lists and searches. Pure.

gist = gist_of(read_jsonl(path).records)
gist.title, gist.updated, gist.said
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.attachments import in_short
from moltbot_desktop.sdk.sessions import SessionLine
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    SettingsEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
    decode_header,
)
from moltbot_desktop.sessions.settings import SessionSettings, decode_settings
from moltbot_desktop.sessions.tree import branches_of, linked, standing

USER, ASSISTANT = "user", "assistant"
_TITLE_CHARACTERS = 60


@dataclass(frozen=True)
class Gist:
    """Attributes:
    key: "" where line 1 does not say.
    title: the beginning of what was said first; "" when nothing was.
    started, updated: ISO 8601 with offset, "" when not known.
    asked: messages of people on the branch where the conversation stands.
    said: of people and the assistant, on all branches.
    """

    key: SessionKey
    title: str
    label: str
    archived: bool
    started: str
    updated: str
    asked: int
    branches: int
    said: tuple[SessionLine, ...]


def gist_of(records: Sequence[JsonObject]) -> Gist:
    """The gist of a transcript's lines; never fails."""
    header = decode_header(records[0]) if records else None
    entries = entries_of(records)
    here = standing(entries)
    asked = [entry for entry in here if isinstance(entry, UserEntry)]
    first = asked or [entry for entry in entries if isinstance(entry, UserEntry)]
    held = kept_settings(entries)
    times = [entry.time for entry in entries if entry.time]
    started = header.started if header else times[0] if times else ""
    return Gist(
        header.key if header else SessionKey(""),
        shortened(in_short(first[0].words), _TITLE_CHARACTERS) if first else "",
        held.label,
        held.archived_at is not None,
        started,
        times[-1] if times else started,
        len(asked),
        len(branches_of(entries)),
        tuple(_said_once(entries)),
    )


def entries_of(records: Sequence[JsonObject]) -> list[TranscriptEntry]:
    """The entries of a transcript's lines, whether its first line is whole or not."""
    is_whole = bool(records) and decode_header(records[0]) is not None
    return linked(records[1:] if is_whole else records)


def kept_settings(entries: Sequence[TranscriptEntry]) -> SessionSettings:
    """What was set last, on whichever branch."""
    kept = (entry for entry in reversed(entries) if isinstance(entry, SettingsEntry))
    last = next(kept, None)
    return decode_settings(last.settings) if last else SessionSettings()


def lines_of(entries: Iterable[TranscriptEntry], *, tools: bool) -> Iterator[SessionLine]:
    """What was said, without blank lines; with `tools` also what they answered."""
    for entry in entries:
        if isinstance(entry, UserEntry):
            who, text = USER, entry.text
        elif isinstance(entry, AssistantEntry):
            who, text = ASSISTANT, entry.message.content
        elif isinstance(entry, ToolResultEntry) and tools:
            who, text = entry.message.tool_name, entry.display or entry.message.content
        else:
            continue
        if text.strip():
            yield SessionLine(entry.id, who, text, entry.time)


def shortened(text: str, characters: int) -> str:
    """`text` in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def _said_once(entries: Sequence[TranscriptEntry]) -> Iterator[SessionLine]:
    """Copies on a branch say nothing new."""
    seen: set[tuple[str, str, str]] = set()
    for line in lines_of(entries, tools=False):
        same = (line.who, line.time, line.text)
        if line.time and same in seen:
            continue
        seen.add(same)
        yield line
