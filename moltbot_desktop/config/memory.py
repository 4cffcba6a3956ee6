"""The settings of memory: `agents.defaults.memorySearch`, the reference's names.

    memorySearch: { sources: ["memory", "sessions"], extraPaths: ["~/notes"],
                    chunking: { tokens: 400, overlap: 80 }, sync: { intervalMinutes: 30 } }

`capture` and `longTermBytes` are ours. Which model makes the vectors stands in `embedding.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.declaration import Conflict, Section, setting
from moltbot_desktop.config.kinds import Choice, Flag, ListOf, Optional, Text, WholeNumber

SOURCES = ("memory", "sessions")
_USUAL_OVERLAP = 80


@dataclass(frozen=True)
class MemoryConfig(Section):
    enabled: bool = setting(
        "enabled",
        Flag(),
        True,
        "false switches memory off: nothing is searched, recalled or noted down.",
    )
    sources: tuple[str, ...] = setting(
        "sources",
        ListOf(Choice(SOURCES)),
        ("memory",),
        'What a search looks through: "memory" (your notes), "sessions" (past conversations).',
    )
    extra_paths: tuple[str, ...] = setting(
        "extraPaths",
        ListOf(Text()),
        (),
        "More folders of Markdown notes, or single .md files, to search and never to change; "
        "a relative path starts at the workspace.",
    )
    chunk_tokens: int = setting(
        "chunking.tokens",
        WholeNumber(1, 100_000),
        400,
        "Length of the pieces that notes are searched in, as tokens of four characters.",
    )
    chunk_overlap: int | None = setting(
        "chunking.overlap",
        Optional(WholeNumber(0, 99_999)),
        None,
        "How much of a piece is repeated in the next, in tokens; null is 80, or a fifth of "
        "chunking.tokens where that is less.",
    )
    sync_on_session_start: bool = setting(
        "sync.onSessionStart",
        Flag(),
        True,
        "Read changed notes anew when a conversation starts.",
    )
    sync_on_search: bool = setting(
        "sync.onSearch", Flag(), True, "Read changed notes anew before each search."
    )
    sync_watch: bool = setting(
        "sync.watch", Flag(), True, "Watch the notes, and read a changed one anew soon after."
    )
    watch_debounce_ms: int = setting(
        "sync.watchDebounceMs",
        WholeNumber(0, 600_000),
        1_500,
        "Milliseconds of quiet after a change before a note is read.",
    )
    interval_minutes: int = setting(
        "sync.intervalMinutes",
        WholeNumber(0, 10_080),
        0,
        "Also look for changed notes every so many minutes; 0 does not.",
    )
    session_delta_bytes: int = setting(
        "sync.sessions.deltaBytes",
        WholeNumber(0, 1_000_000_000),
        100_000,
        "A conversation that goes on is read anew after it grew by so many bytes; 0 is any "
        "growth. One that rests for a minute is read anyway.",
    )
    session_delta_messages: int = setting(
        "sync.sessions.deltaMessages",
        WholeNumber(0, 1_000_000),
        50,
        "The same in messages; whichever comes first.",
    )
    max_results: int = setting(
        "query.maxResults", WholeNumber(1, 50), 6, "How many places a search gives at most."
    )
    cache_enabled: bool = setting(
        "cache.enabled",
        Flag(),
        True,
        "Keep the meaning of texts that were read before, so that a new index costs no model.",
    )
    cache_entries: int = setting(
        "cache.maxEntries",
        WholeNumber(1, 10_000_000),
        200_000,
        "How many texts that is at most; those not needed for longest go first.",
    )
    capture: str = setting(
        "capture",
        Choice(("ask", "off")),
        "ask",
        "ask proposes facts about you that you mention, in the inbox; off notes down only what "
        "you tell it to remember.",
    )
    long_term_bytes: int = setting(
        "longTermBytes",
        WholeNumber(1_000, 10_000_000),
        24_000,
        "How large MEMORY.md, which every request can see, may become, in bytes.",
    )

    @property
    def overlap(self) -> int:
        """`chunk_overlap` with its default filled in."""
        if self.chunk_overlap is not None:
            return self.chunk_overlap
        return min(_USUAL_OVERLAP, self.chunk_tokens // 5)

    def conflict(self) -> Conflict | None:
        """A piece that repeats all of the one before it would never end."""
        if self.overlap < self.chunk_tokens:
            return None
        return Conflict("chunk_overlap", "overlap", {"tokens": self.chunk_tokens})
