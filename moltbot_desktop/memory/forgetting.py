"""Taking a fact out of its file: the lines of one unit, and not a byte beside them.

    remove_unit(workspace / "memory/2026-11-21.md", 3, 3, "my dentist is Dr. Okafor", notes.keep)
    bring_back(notes.last())      # within ten minutes, see `forgotten`

The file is looked at again first. When the words do not stand there any more, nothing is changed:
an editor may have saved since the search that found them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.memory.files import LARGEST_FILE, decode
from moltbot_desktop.memory.forgotten import (
    Removed,
    is_as_left,
    put_back,
    removed_from,
)
from moltbot_desktop.memory.lines import line_starts
from moltbot_desktop.memory.notes import same_fact
from moltbot_desktop.memory.units import cut_units
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, write_atomic

_PRIVATE = 0o600


def remove_unit(
    path: Path,
    start_line: int,
    end_line: int,
    words: str,
    keep: Callable[[Removed], None] | None = None,
) -> str:
    """Remove the lines of the unit that holds `words`.

    Args:
        keep: is given what goes before it goes, so that it can be brought back.

    Returns:
        The lines as they stood there, `\\n` between them.

    Raises:
        UserInputInvalid: the words do not stand at these lines any more; nothing was changed.
        StorageError: the file cannot be read or written; nothing was changed.
    """
    with disk_errors(path):
        data = read_plain(path, LARGEST_FILE)
        mode = path.stat().st_mode & 0o777
    found = decode(data)
    if not _stands_there(found.text, start_line, end_line, words):
        raise UserInputInvalid("That note is no longer where it was.", hint="Search again.")
    begin, end = _line_span(data, found.encoding, start_line, end_line)
    if keep is not None:
        keep(removed_from(path, data, found.encoding, begin, end))
    write_atomic(path, data[:begin] + data[end:], mode=mode)
    return "\n".join(found.text.split("\n")[start_line - 1 : end_line])


def remove_fact(path: Path, words: str) -> None:
    """Remove each unit of a file that says `words`, as they are; for copies of memory files.

    Raises:
        StorageError: the file cannot be read or written.
    """
    with disk_errors(path):
        text = decode(read_plain(path, LARGEST_FILE)).text
    wanted = same_fact(words)
    same = (unit for unit in cut_units(text) if same_fact(unit.text) == wanted)
    places = {(unit.start_line, unit.end_line) for unit in same}
    # From the end, so that the lines before stay where they are.
    for start_line, end_line in sorted(places, reverse=True):
        remove_unit(path, start_line, end_line, words)


def bring_back(removed: Removed) -> int:
    """Put removed lines into their file again; the number of the first of them, from 1.

    Raises:
        UserInputInvalid: the same words stand there again already; nothing was changed.
        StorageError: the file cannot be read or written; nothing was changed.
    """
    path = Path(removed.path)
    with disk_errors(path):
        exists = path.exists()
        data = read_plain(path, LARGEST_FILE) if exists else b""
        mode = path.stat().st_mode & 0o777 if exists else _PRIVATE
    if not exists:
        write_atomic(path, removed.data.decode(removed.encoding, "replace").encode(), mode=mode)
        return 1
    text = removed.data.decode(removed.encoding, "replace")
    now = decode(data)
    again = {same_fact(unit.text) for unit in cut_units(text)}
    there = {same_fact(unit.text) for unit in cut_units(now.text)}
    if again and again <= there and not is_as_left(removed, data):
        raise UserInputInvalid("That note stands in its file again already.")
    after, at = put_back(removed, data)
    write_atomic(path, after, mode=mode)
    return max(1, sum(start <= at for start in line_starts(after, now.encoding)))


def _stands_there(text: str, start_line: int, end_line: int, words: str) -> bool:
    """Whether a unit of these lines holds `words`; a long paragraph is cut into several units."""
    wanted = same_fact(words)
    return any(
        unit.start_line == start_line
        and unit.end_line == end_line
        and same_fact(unit.text) == wanted
        for unit in cut_units(text)
    )


def _line_span(data: bytes, encoding: str, first: int, last: int) -> tuple[int, int]:
    """Offsets of the first byte of line `first` and of the byte after line `last`, from 1."""
    starts = line_starts(data, encoding)
    end = starts[last] if last < len(starts) else len(data)
    return starts[first - 1], end
