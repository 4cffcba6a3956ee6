"""Puts everything back as a snapshot has it.

How it is now becomes a snapshot first, so nothing is lost by it and it can be taken back. What is
written down before the first change says what is going on: a restore that was cut off is carried
to its end when the program starts next (`app.backup_start`). Only while no assistant is running.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.backup.file_moves import put
from moltbot_desktop.backup.places import Places
from moltbot_desktop.backup.snapshots import LARGEST_FILE, Copy, Kept, Snapshots, look
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.rpc.door import socket_path
from moltbot_desktop.sdk.backup import Occasion, Restored
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import (
    disk_errors,
    left_behind,
    make_private_dir,
    sync_dir,
    write_atomic,
)
from moltbot_desktop.storage.locks import FileLock

_WANTED = "restore.json"
_LARGEST_DATABASE = 4_000_000_000
_JOURNALS = ("-wal", "-shm")


@dataclass(frozen=True)
class Wanted:
    """A restore that is asked for, or was begun.

    Attributes:
        before: id of the snapshot of how it was; "" when it was not begun.
    """

    id: str
    before: str = ""


@dataclass(frozen=True)
class Restorer:
    places: Places
    clock: Clock

    @property
    def snapshots(self) -> Snapshots:
        return Snapshots(self.places, self.clock)

    def wanted(self) -> Wanted | None:
        """What is to be restored when the program starts next."""
        try:
            found: JsonValue = json.loads(read_plain(self._note, MOST_STATE))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(found, Mapping):
            return None
        name, before = found.get("id"), found.get("before", "")
        fits = isinstance(name, str) and isinstance(before, str)
        return Wanted(str(name), str(before)) if fits else None

    def want(self, name: str) -> Kept:
        """Write down that it is to be restored.

        Raises:
            UserInputInvalid: there is no such snapshot.
            StorageError: it was not written down.
        """
        kept = self.snapshots.find(name)
        self._write(Wanted(kept.about.id))
        return kept

    def restore(self, name: str) -> Restored:
        """Raises:
        UserInputInvalid: there is no such snapshot.
        StoreBusy: an assistant is running.
        StorageError: it is not all as it was; the next start goes on.
        """
        kept = self.snapshots.find(name)
        with nobody_else(self.places):
            known = self.wanted()
            if known is None or known.id != kept.about.id or not known.before:
                before = self.snapshots.make(Occasion.RESTORE, keep=kept.about.id)
                known = Wanted(kept.about.id, before.id)
                self._write(known)
            result = self._put_back(kept, self.snapshots.find(known.before))
            with disk_errors(self._note):
                self._note.unlink(missing_ok=True)
                sync_dir(self._note.parent)
        return result

    @property
    def _note(self) -> Path:
        return self.places.snapshots / _WANTED

    def _write(self, wanted: Wanted) -> None:
        make_private_dir(self.places.snapshots)
        told = {"id": wanted.id, "before": wanted.before}
        write_atomic(self._note, json.dumps(told).encode() + b"\n")

    def _put_back(self, kept: Kept, before: Kept) -> Restored:
        changed = 0
        for copy in kept.copies.values():
            changed += self._put(kept, copy)
        stays = {one.name for one in (*kept.about.left_out, *before.about.left_out)}
        gone = 0
        for path in look(self.places).files:
            # Only what the other snapshot has: then it is not lost.
            if path not in kept.copies and path in before.copies and path not in stays:
                with disk_errors(Path(path)):
                    Path(path).unlink(missing_ok=True)
                gone += 1
        for path, copy in before.copies.items():
            if copy.at.startswith("d") and path not in kept.copies:
                _remove_database(Path(path))
                gone += 1
        self._sweep({Path(path).parent for path in (*kept.copies, *before.copies)})
        return Restored(kept.about.id, before.about.id, changed, gone)

    def _sweep(self, folders: set[Path]) -> None:
        """What killed writes left; nobody writes now."""
        for folder in folders:
            for one in left_behind(folder) if folder.is_dir() else ():
                with disk_errors(one):
                    if one.is_file():
                        one.unlink()

    def _put(self, kept: Kept, copy: Copy) -> bool:
        path, source = Path(copy.path), kept.folder / "files" / copy.at
        is_database = copy.at.startswith("d")
        most = _LARGEST_DATABASE if is_database else LARGEST_FILE
        with disk_errors(source):
            data = read_plain(source, most)
        if is_database:
            _replace_database(path, data)
            return True
        with disk_errors(path), contextlib.suppress(FileNotFoundError):
            if read_plain(path, LARGEST_FILE) == data:
                return False
        root = self._root_of(path)
        put(root, path.relative_to(root).as_posix(), data, copy.mode)
        return True

    def _root_of(self, path: Path) -> Path:
        """The folder of ours that `path` lies in: from there on no link is followed."""
        workspaces = self.places.workspaces.values()
        roots = [one for one in workspaces if path.is_relative_to(one)]
        if path.is_relative_to(self.places.home):
            roots.append(self.places.home)
        return max(roots, key=lambda one: len(one.parts), default=path.parent)


def _remove_database(path: Path) -> None:
    """One that did not exist yet."""
    with disk_errors(path):
        for ending in ("", *_JOURNALS):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        sync_dir(path.parent)


def _replace_database(path: Path, data: bytes) -> None:
    make_private_dir(path.parent)
    write_atomic(path.with_name(f"{path.name}.restored"), data)
    with disk_errors(path):
        # A journal of the other database must not be applied to this one; should this be cut off,
        # the note that stands says to do it again.
        for ending in _JOURNALS:
            path.with_name(path.name + ending).unlink(missing_ok=True)
        os.replace(path.with_name(f"{path.name}.restored"), path)  # noqa: PTH105
        sync_dir(path.parent)


@contextlib.contextmanager
def nobody_else(places: Places) -> Iterator[None]:
    """Inside, no assistant runs with this home, and none begins to answer messages.

    Raises:
        StoreBusy: one does.
    """
    home = places.home
    make_private_dir(home / "cron")
    held = (home / "mail.sqlite.lock", home / "cron" / "executor.lock")
    with contextlib.ExitStack() as stack:
        for path in (*held, socket_path(home).with_suffix(".lock")):
            lock = FileLock(path)
            try:
                lock.acquire()
            except StoreBusy as error:
                raise StoreBusy(
                    "Moltbot is running; nothing can be put back under it.",
                    hint="Quit it first, or let it be done at its next start: --at-start.",
                ) from error
            stack.callback(lock.release)
        yield
