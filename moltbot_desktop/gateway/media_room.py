"""Files that came over channels do not fill the disk: which of them go, the oldest first.

    tidy(workspace / "media" / "inbound", clock.now(), spare=just_fetched)

A file that the owner wants to keep belongs elsewhere in the workspace; this folder is where
channels put things down. What just came is never among those that go, however large it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from moltbot_desktop.storage.files import disk_errors

KEPT_DAYS = 30
KEPT_BYTES = 1_000_000_000
"""Of all files together."""
_DAY = 24 * 3600.0


@dataclass(frozen=True)
class Lying:
    """A file that lies there: its size in bytes, and when it came, in seconds of UTC."""

    path: Path
    size: int
    came: float


def surplus(
    files: Iterable[Lying], now: float, *, days: float = KEPT_DAYS, most: int = KEPT_BYTES
) -> tuple[Path, ...]:
    """Those that are older than `days`, and of the rest the oldest until `most` bytes are left.
    Pure."""
    gone: list[Path] = []
    room = most
    for file in sorted(files, key=lambda one: (one.came, one.path), reverse=True):
        room -= file.size
        if room < 0 or now - file.came > days * _DAY:
            gone.append(file.path)
    return tuple(gone)


def tidy(folder: Path, now: datetime, spare: Collection[str]) -> None:
    """Delete what is too much in `folder`, but for the names in `spare`; it blocks.

    Raises:
        StorageError: a file cannot be deleted.
    """
    with disk_errors(folder):
        lying = []
        for path in folder.iterdir():
            if path.name not in spare and path.is_file() and not path.is_symlink():
                found = path.stat()
                lying.append(Lying(path, found.st_size, found.st_mtime))
        for path in surplus(lying, now.timestamp()):
            path.unlink(missing_ok=True)
