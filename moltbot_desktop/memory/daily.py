"""Appending a note to today's file, and never touching what stands there."""

from __future__ import annotations

import stat
from datetime import datetime
from pathlib import Path

from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.memory.files import FOLDER, LARGEST_FILE, MemoryText, decode, read_text
from moltbot_desktop.memory.notes import (
    Origin,
    clean_mark,
    clean_text,
    day_heading,
    render_note,
    same_fact,
)
from moltbot_desktop.memory.units import cut_units
from moltbot_desktop.sdk.memory import StoredNote
from moltbot_desktop.storage.appending import append_bytes
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir

LONGEST_NOTE = 20_000


def append_note(
    workspace: Path, text: str, mark: str, now: datetime, said: Origin | None = None
) -> StoredNote:
    """Keep `text` in the file of `now`'s day, on the disk before this returns.

    Args:
        mark: provenance that taints, "" for the owner's own words.
        said: where the owner said it.

    Raises:
        UserInputInvalid: nothing to keep, or too much for a note.
        StorageError: it was not kept.
    """
    words, origin = clean_text(text), clean_mark(mark)
    if not words:
        raise UserInputInvalid("There is nothing to remember in that.", hint="Say what to keep.")
    if len(words) > LONGEST_NOTE:
        raise UserInputInvalid(
            f"That is too long for a note ({len(words)} characters).",
            hint=f"Keep it under {LONGEST_NOTE}, or save it as a file.",
        )
    name = f"{FOLDER}/{now:%Y-%m-%d}.md"
    path = workspace / name
    make_private_dir(path.parent)
    refuse_links(path)
    before = _existing(path)
    known = _line_of(before, words, origin)
    if known:
        return StoredNote(name, known, already_known=True)
    lead = "" if before.text.strip() else day_heading(now.date())
    offset = _append(path, before, lead + render_note(words, origin, now, said))
    return StoredNote(name, _lines_before(path, offset) + lead.count("\n") + 1)


def refuse_links(path: Path) -> None:
    """A link would lead the note out of the workspace; a pipe would never answer.

    Raises:
        StorageError: `path` or its folder is something else than a plain file, or a folder.
    """
    for place, wanted in ((path.parent, stat.S_ISDIR), (path, stat.S_ISREG)):
        with disk_errors(place):
            try:
                mode = place.lstat().st_mode
            except FileNotFoundError:
                continue
        if not wanted(mode):
            raise StorageError(
                f"{place} is not a plain {'folder' if place == path.parent else 'file'}.",
                hint="Move it away, so that notes can be kept there.",
            )


def _existing(path: Path) -> MemoryText:
    return read_text(path) if path.exists() else MemoryText("", "utf-8", "\n")


def _line_of(before: MemoryText, words: str, mark: str) -> int:
    """The line where the same fact stands already, 0 when it does not.

    The owner's own words are kept even when a marked note says the same: they clear it.
    """
    wanted = same_fact(words)
    for unit in cut_units(before.text):
        if same_fact(unit.text) == wanted and (mark or not unit.mark):
            return unit.start_line
    return 0


def _append(path: Path, before: MemoryText, addition: str) -> int:
    data = addition.replace("\n", before.newline).encode(before.encoding)
    return append_bytes(path, data, newline="\n".encode(before.encoding))


def _lines_before(path: Path, offset: int) -> int:
    with disk_errors(path):
        return decode(read_plain(path, LARGEST_FILE)[:offset]).text.count("\n")
