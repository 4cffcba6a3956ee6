"""A download that is not finished yet: its bytes, what they belong to, and who is writing them.

Everything unfinished lies in `.partial/` beside the models, so that a folder of models holds
whole models only:

    files/.partial/x.gguf.part     the bytes so far
    files/.partial/x.gguf.json     which file they are a part of (etag, size, checksum)
    files/.partial/x.gguf.lock     held by the process that writes; the file itself stays

Bytes are written as they come, so that killing the process loses none of them. Nothing about
their correctness is stored: the checksum is made again from the bytes themselves.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from moltbot_desktop.core.errors import DownloadFailed
from moltbot_desktop.storage.files import disk_errors, make_private_dir, sync_dir, write_atomic
from moltbot_desktop.storage.locks import FileLock

PARTIAL_FOLDER = ".partial"
_HASH_BLOCK = 2**20
_MAX_NOTE_BYTES = 4096


@dataclass(frozen=True)
class RemoteFile:
    """What the hub says it would send.

    Attributes:
        etag: its version, without quotes.
        size: bytes.
        sha256: 64 hex digits, lower case, that the whole file must have.
    """

    etag: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Unfinished:
    """A paused download as a list shows it.

    Attributes:
        name: the file's.
        done: bytes that are here.
        total: bytes of the whole file.
    """

    name: str
    done: int
    total: int


class PartialFile:
    """The unfinished form of `target`. Use it while `lock` is held.

    Whatever writes raises StorageError when the disk does not let it.

    Attributes:
        length: bytes that are here, after `resume` or `restart`.
    """

    def __init__(self, target: Path) -> None:
        folder = target.parent / PARTIAL_FOLDER
        self.target = target
        self.part = folder / f"{target.name}.part"
        self.lock = FileLock(folder / f"{target.name}.lock")
        self._note = folder / f"{target.name}.json"
        self._hash = hashlib.sha256()
        self.length = 0

    def prepare(self) -> None:
        """Make the folder. Raises StorageError."""
        make_private_dir(self.part.parent)

    def resume(self, remote: RemoteFile, read: Callable[[int], None]) -> int:
        """Go on with what is here when it is a part of `remote`, else from nothing.

        Args:
            read: told how many bytes were read again, block by block; what it raises goes on.

        Returns:
            How many bytes are here.

        Raises:
            StorageError: they cannot be read or written.
        """
        self._hash, self.length = hashlib.sha256(), 0
        if self.recorded() != remote:
            self.restart(remote)
            return 0
        with disk_errors(self.part), self.part.open("r+b") as file:
            # More than the whole cannot be a part of it: only that much is looked at.
            file.truncate(min(remote.size, file.seek(0, os.SEEK_END)))
            file.seek(0)
            while block := file.read(_HASH_BLOCK):
                self._hash.update(block)
                self.length += len(block)
                read(len(block))
        return self.length

    def restart(self, remote: RemoteFile) -> None:
        """Drop what is here; the next bytes are the first of `remote`."""
        self._hash, self.length = hashlib.sha256(), 0
        with disk_errors(self.part):
            self.part.write_bytes(b"")
        write_atomic(self._note, json.dumps(asdict(remote)).encode())

    def open(self) -> BinaryIO:
        """The part, for `add`. Raises StorageError."""
        with disk_errors(self.part):
            return self.part.open("ab", buffering=0)

    def add(self, file: BinaryIO, block: bytes) -> None:
        """Write the next bytes through to the system."""
        with disk_errors(self.part):
            view = memoryview(block)
            while view:
                written = file.write(view)
                # Only what is on the disk counts: after a full disk the rest must come again.
                self._hash.update(view[:written])
                self.length += written
                view = view[written:]

    def digest(self) -> str:
        """sha256 of the bytes that are here."""
        return self._hash.hexdigest()

    def finish(self) -> Path:
        """Give the file its name; it then survives a power loss.

        Raises:
            DownloadFailed: the file does not have the bytes that `digest` speaks of, because
                somebody removed or changed it meanwhile. Nothing of it is kept.
            StorageError: the disk does not let it.
        """
        with disk_errors(self.target):
            with self.part.open("rb+") as file:
                os.fsync(file.fileno())
                size = os.fstat(file.fileno()).st_size
            if size != self.length:
                self.discard()
                raise DownloadFailed(
                    f"“{self.target.name}” was changed on the disk while it was fetched.",
                    hint="Fetch it again.",
                )
            self.part.replace(self.target)
            self._note.unlink(missing_ok=True)
            sync_dir(self.target.parent)
        return self.target

    def discard(self) -> None:
        """Remove bytes and note."""
        with disk_errors(self.part):
            self.part.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)
        self._hash, self.length = hashlib.sha256(), 0

    def recorded(self) -> RemoteFile | None:
        """What the bytes are a part of; None when there are none or nobody knows."""
        try:
            with self._note.open("rb") as file:
                values = json.loads(file.read(_MAX_NOTE_BYTES))
            if not self.part.is_file():
                return None
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(values, dict):
            return None
        etag, size, sha256 = (values.get(key) for key in ("etag", "size", "sha256"))
        if isinstance(etag, str) and type(size) is int and size > 0 and isinstance(sha256, str):
            return RemoteFile(etag, size, sha256)
        return None


def unfinished(folder: Path) -> tuple[Unfinished, ...]:
    """The paused downloads of a models folder, by name."""
    found = []
    for part in sorted((folder / PARTIAL_FOLDER).glob("*.part")):
        name = part.name.removesuffix(".part")
        remote = PartialFile(folder / name).recorded()
        if remote is not None:
            found.append(Unfinished(name, part.stat().st_size, remote.size))
    return tuple(found)
