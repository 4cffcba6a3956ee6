"""Reads a backup that anybody may have made: no name of it is used as a path, nothing is unpacked.

    with open_archive(path) as archive:
        archive.manifest.items
        archive.read(item)                 # its bytes, as long as and what the manifest says

The manifest decides what is in it: other entries of the zip are passed over, and one that is
missing, longer, shorter or of another hash makes the whole of it unusable.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.backup.going import along
from moltbot_desktop.backup.manifest import (
    MANIFEST,
    MOST_FILES,
    Item,
    Manifest,
    decoded,
    no_backup,
    total,
)
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.sdk.backup import UNWATCHED, Going
from moltbot_desktop.storage.files import disk_errors

_MOST_MANIFEST = 64_000_000
_MOST_DIRECTORY = 64_000_000
_MOST_TIMES = 400
_ALWAYS = 100_000_000
"""Bytes that any backup may unpack to; beyond, so many times its own size. Text that repeats
itself packs well, and a bomb better."""
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(ValueError, KeyError, IndexError, OverflowError, AttributeError, MemoryError),
)
"""What a broken or hostile archive makes of the library; RuntimeError is also a password."""


class _Directory(io.FileIO):
    """The library reads a zip's directory at once and makes an object of each line of it, however
    many there are; here it does so only when the directory is of a sound size."""

    opened = False

    def read(self, size: int | None = -1, /) -> bytes:
        if not self.opened and size is not None and size > _MOST_DIRECTORY:
            raise zipfile.BadZipFile("directory")
        return super().read(size) or b""


@dataclass(frozen=True)
class Archive:
    """An open backup."""

    manifest: Manifest
    zip: zipfile.ZipFile
    entries: Mapping[str, zipfile.ZipInfo]

    def read(self, item: Item) -> bytes:
        """Raises UserInputInvalid: it is not what the manifest says."""
        entry = self.entries.get(item.name)
        data = _bytes_of(self.zip, entry, item.size) if entry is not None else None
        if data is None or len(data) != item.size:
            raise _not_whole(item.name)
        if hashlib.sha256(data).hexdigest() != item.sha256:
            raise _not_whole(item.name)
        return data

    def check(self, going: Going = UNWATCHED) -> None:
        """Raises UserInputInvalid: some of it is not what the manifest says."""
        for item in along(self.manifest.items, len(self.manifest.items), going):
            self.read(item)


@contextlib.contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Raises:
    UserInputInvalid: it is no backup, or one that nobody should unpack.
    StorageError: it cannot be read.
    """
    with contextlib.ExitStack() as stack:
        with disk_errors(path):
            if not path.is_file():
                raise UserInputInvalid(
                    f"There is no file {path}.", hint="Check the name of the backup."
                )
            size = path.stat().st_size
            file = stack.enter_context(_Directory(path))
        try:
            packed = stack.enter_context(zipfile.ZipFile(file))
            file.opened = True
            if len(packed.infolist()) > MOST_FILES + 1:
                no_backup()
            entries = {one.orig_filename: one for one in packed.infolist()}
            if MANIFEST not in entries or len(entries) != len(packed.infolist()):
                no_backup()
            data = _bytes_of(packed, entries[MANIFEST], _MOST_MANIFEST)
        except _BROKEN:
            no_backup()
        if data is None:
            no_backup()
        manifest = decoded(data)
        if total(manifest.items) > max(_ALWAYS, size * _MOST_TIMES):
            raise UserInputInvalid(
                "This backup would unpack to far more than it can hold.",
                hint="Nobody made it with this program; do not use it.",
            )
        yield Archive(manifest, packed, entries)


def _bytes_of(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes | None:
    """What an entry holds, None for more than `most` bytes or what cannot be read; what is written
    about its size may be a lie."""
    try:
        with packed.open(entry) as file:
            data = file.read(most + 1)
    except (OSError, *_BROKEN):
        return None
    return data if len(data) <= most else None


def _not_whole(name: str) -> UserInputInvalid:
    return UserInputInvalid(
        f"The backup is damaged: “{name[:120]}” is not what it was.",
        hint="Use another copy of it.",
    )
