"""What the index keeps of one source: its text cut into units, their days and windows.

    content_of(sources, "memory/2026-01-05.md")

A source that cannot be read is kept as a problem, so that the person is told and the next sync
does not try again before the file changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from moltbot_desktop.core.errors import PathRefused, StorageError
from moltbot_desktop.memory.dates import day_of, day_words
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.memory.rows import FileContent
from moltbot_desktop.memory.sources import Sources, is_conversation
from moltbot_desktop.memory.units import LONGEST_UNIT, Unit, cut_units, split_long
from moltbot_desktop.memory.windows import cut_windows
from moltbot_desktop.sdk.conversations import SpokenLine


def content_of(sources: Sources, path: str) -> FileContent:
    """The units of the source at `path`; never raises for what is in it."""
    try:
        if is_conversation(path):
            return conversation_content(sources.spoken(path), sources.plan)
        return note_content(sources.text(path).text, path, sources.plan)
    except (StorageError, PathRefused) as error:
        return FileContent(_digest(str(error)), problem=error.message)


def note_content(text: str, path: str, plan: MemoryPlan) -> FileContent:
    """Of a Markdown file."""
    units = cut_units(text)
    days = tuple(day_of(path, unit.headings) for unit in units)
    headers = tuple(
        " ".join((*unit.headings, day_words(day) if day else ""))
        for unit, day in zip(units, days, strict=True)
    )
    windows = cut_windows(units, text, plan.chunk_tokens, plan.chunk_overlap)
    return FileContent(_digest(text), units, headers, days, windows)


def conversation_content(lines: Sequence[SpokenLine], plan: MemoryPlan) -> FileContent:
    """Of what was said: a message is a line, and a unit unless it is long."""
    units = [
        Unit(number, number, part, (), line.mark)
        for number, line in enumerate(lines, start=1)
        for part in split_long(line.text, LONGEST_UNIT)
    ]
    days = tuple(lines[unit.start_line - 1].day for unit in units)
    headers = tuple(day_words(day) if day else "" for day in days)
    text = "\n".join(line.text for line in lines)
    windows = cut_windows(units, text, plan.chunk_tokens, plan.chunk_overlap)
    said = "\n".join(f"{line.day} {line.mark} {line.text}" for line in lines)
    return FileContent(_digest(said), tuple(units), headers, days, windows)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()
