"""Whether anything is planned at all, told from the books' files without opening the books."""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.storage.sqlite import close, open_reader, storage_errors

WAITS = "told IS NULL AND cancelled IS NULL"


def reminders_wait(path: Path) -> bool:
    """Whether `path`, the book of reminders, has one that is to come; also where it cannot say."""
    return _has_a_row(path, f"SELECT 1 FROM reminders WHERE {WAITS}")


def jobs_wait(path: Path) -> bool:
    """Whether `path`, the book of jobs, has one, or news of one that nobody was told yet; also
    where it cannot say."""
    return any(_has_a_row(path, f"SELECT 1 FROM {table}") for table in ("jobs", "news"))


def _has_a_row(path: Path, query: str) -> bool:
    if not path.exists():
        return False
    try:
        connection = open_reader(path)
        try:
            with storage_errors():
                return bool(connection.execute(f"SELECT EXISTS ({query})").get)
        finally:
            close(connection)
    except StorageError:
        return True
