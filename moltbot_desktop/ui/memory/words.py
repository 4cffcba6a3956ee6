"""How memory reads: a row for each file, fact and hit, and where a line comes from. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.sdk.inbox import ChangeKind, MemoryChange, Proposal
from moltbot_desktop.sdk.memory import SearchHit
from moltbot_desktop.sdk.memory_desk import NoteFile
from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.ui.kit.rows import Row
from moltbot_desktop.ui.memory.provenance import Provenance

translate = QCoreApplication.translate

LONG_TERM = ("MEMORY.md", "memory.md")
WAITING, DECIDED = "waiting:", "decided:"
_FOLDER = "memory/"
_MINUTES = 16
"""Characters of an ISO time up to its minutes."""


def in_order(files: Sequence[NoteFile]) -> list[NoteFile]:
    """What is always known first, then the days, the newest first, then everything else."""

    def rank(one: NoteFile) -> tuple[int, float, str]:
        if one.path in LONG_TERM:
            return (0, 0, one.path)
        day = day_of(one.path)
        if day is not None:
            return (1, -day.toordinal(), one.path)
        return (2 if one.own else 3, -one.changed_ms, one.path)

    return sorted(files, key=rank)


def day_of(path: str) -> date | None:
    """The day whose notes a file has; None for other files."""
    name = path.removeprefix(_FOLDER).removesuffix(".md")
    if path != f"{_FOLDER}{name}.md":
        return None
    try:
        return date.fromisoformat(name) if len(name) == len("2026-11-22") else None
    except ValueError:
        return None


def name_of(path: str, today: date) -> str:
    """What a file is called in the list."""
    if path in LONG_TERM:
        return translate("Memory", "What I always know")
    day = day_of(path)
    if day is None:
        return path.removeprefix(_FOLDER)
    near = {
        today: translate("Memory", "Today"),
        today - timedelta(days=1): translate("Memory", "Yesterday"),
    }
    return near.get(day, day.isoformat())


def note_row(one: NoteFile, today: date, *, unsaved: bool) -> Row:
    badge, tone = (str(one.count) if one.count else ""), Tone.PLAIN
    if unsaved:
        badge, tone = translate("Memory", "not saved"), Tone.BAD
    elif not one.own:
        badge = translate("Memory", "read only")
    return Row(one.path, name_of(one.path, today), one.begins or one.path, badge, tone)


def proposal_row(one: Proposal) -> Row:
    said = translate("Memory", "“{quote}”").replace("{quote}", one.quote)
    return Row(f"{WAITING}{one.id}", one.text, said, minutes(one.time)[:10])


def change_row(one: MemoryChange) -> Row:
    word = {
        ChangeKind.KEPT: translate("Memory", "kept"),
        ChangeKind.REJECTED: translate("Memory", "not kept"),
        ChangeKind.STORED: translate("Memory", "remembered"),
        ChangeKind.UNDONE: translate("Memory", "undone"),
    }[one.kind]
    return Row(f"{DECIDED}{one.id}", one.text, minutes(one.time), word, faded=True)


def hit_row(one: SearchHit, number: int, today: date) -> Row:
    place = f"{place_of(one, today)} · {whys(one)}" if one.why else place_of(one, today)
    return Row(f"{one.path}:{one.start_line}:{number}", one.snippet, place, f"{one.score:.2f}")


def place_of(one: SearchHit, today: date) -> str:
    """File and line."""
    if one.source == "sessions":
        return translate("Memory", "a conversation")
    place = translate("Memory", "{file}, line {line}")
    return place.replace("{file}", name_of(one.path, today)).replace("{line}", str(one.start_line))


def whys(one: SearchHit) -> str:
    """Why it was found."""
    words = {
        "keyword": translate("Memory", "words"),
        "meaning": translate("Memory", "meaning"),
        "name": translate("Memory", "name"),
        "date": translate("Memory", "date"),
        "nearby": translate("Memory", "nearby"),
    }
    return ", ".join(words.get(why, why) for why in one.why)


def whence(found: Provenance) -> str:
    """Where a line comes from, a sentence; "" where nothing is known."""
    if found.mark:
        told = translate("Memory", "Not your words: {source}")
        return told.replace("{source}", found.mark)
    if found.when:
        told = translate("Memory", "You said on {when}: “{quote}”")
        return told.replace("{when}", found.when).replace("{quote}", found.quote)
    return ""


def minutes(time: str) -> str:
    """``2026-11-22 14:05`` of a time in ISO 8601."""
    return time[:_MINUTES].replace("T", " ")
