"""Office files are zip archives; one that unpacks to more than a computer has is a bomb."""

from __future__ import annotations

import io
import zipfile

from moltbot_desktop.tools.documents.trouble import NoText, Trouble

_MOST_UNPACKED = 300 * 1024 * 1024


def checked_archive(data: bytes, member: str) -> None:
    """Nothing, when `data` is a zip archive of a sound size that holds the file `member`.

    Raises:
        NoText: it is none.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise NoText(Trouble.DAMAGED) from error
    if any(entry.flag_bits & 1 for entry in entries):
        raise NoText(Trouble.LOCKED)
    if member not in {entry.filename for entry in entries}:
        raise NoText(Trouble.DAMAGED)
    if sum(entry.file_size for entry in entries) > _MOST_UNPACKED:
        raise NoText(Trouble.TOO_SLOW)
