"""How everything was before something changed it: whole copies below `snapshots/`, the last five.

    book = Snapshots(places, clock)
    made = book.make(Occasion.IMPORT)
    book.all()
    book.restore(made.id)          # how it is now becomes a snapshot first

Held are files that cannot be made again and are this computer's own, the settings as they stand
among them; so a snapshot stays in the private folder and is no backup to give away. What grants,
pairs or was sent is not put back: a yes that was taken back stays so, no answer goes out twice.
A copy never changes again, so two snapshots share the file on the disk where nothing changed
between them. One that is not whole has no name and is cleared away.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.backup.going import along
from moltbot_desktop.backup.manifest import no_backup
from moltbot_desktop.backup.places import Places
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.backup import UNWATCHED, Going, LeftOut, Occasion, Snapshot, Why
from moltbot_desktop.storage.bounded import UnfitFile, read_plain
from moltbot_desktop.storage.files import (
    disk_errors,
    is_left_behind,
    make_private_dir,
    sync_dir,
    write_atomic,
)
from moltbot_desktop.storage.sqlite import copy_database

KEPT = 5
LARGEST_FILE = 64_000_000
MOST_BYTES = 4_000_000_000
_LIST = "snapshot.json"
_MOST_LIST = 64_000_000
_DATABASES = ("state.sqlite", "cron/jobs.sqlite")
_SINGLE = ("moltbot.json", "memory-inbox.jsonl", "secrets.json")
_FOLDERS = ("agents", "skills", "extensions", "hooks", "imported")
_MADE_AGAIN = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", "undo", "cache"}
)
_LOCKS = (".lock",)
_DEEPEST = 40


@dataclass(frozen=True)
class Copy:
    """A file of a snapshot.

    Attributes:
        path: where it was.
        at: name of the copy, below `files`.
        stamp: size, time of change in nanoseconds and number of the file it was copied from.
    """

    path: str
    at: str
    stamp: tuple[int, int, int]
    mode: int


@dataclass(frozen=True)
class Kept:
    """A snapshot with all that is in it."""

    about: Snapshot
    folder: Path
    copies: Mapping[str, Copy]


@dataclass
class Found:
    """What there is to keep now: path -> stamp and mode."""

    files: dict[str, tuple[tuple[int, int, int], int]] = field(default_factory=dict)
    databases: list[Path] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


@dataclass(frozen=True)
class Snapshots:
    """Of one home. One process at a time makes or restores one: whoever calls holds a lock."""

    places: Places
    clock: Clock

    @property
    def folder(self) -> Path:
        return self.places.snapshots

    def all(self) -> tuple[Snapshot, ...]:
        """The newest first; what is not whole is passed over."""
        return tuple(one.about for one in self._kept())

    def find(self, name: str) -> Kept:
        """Raises UserInputInvalid: there is none of that id, or beginning of one."""
        fits = [one for one in self._kept() if one.about.id.startswith(name.strip())]
        exact = [one for one in fits if one.about.id == name.strip()]
        if len(fits) == 1 or exact:
            return (exact or fits)[0]
        raise UserInputInvalid(
            f"There is not exactly one snapshot whose id begins with {name[:40]}.",
            hint="“moltbot-desktop snapshots list” shows their ids.",
        )

    def make(self, occasion: Occasion, keep: str = "", going: Going = UNWATCHED) -> Snapshot:
        """Copy everything; the oldest beyond five go.

        Args:
            keep: id of one that stays whatever its age.

        Raises:
            StorageError: there is none.
            NotWanted: of `going`; there is none, and none was cleared away for it.
        """
        make_private_dir(self.folder)
        now = self.clock.now()
        name = now.strftime("%Y%m%d-%H%M%S")
        while (self.folder / name).exists():
            name = f"{now.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
        before = self._kept()
        draft = self.folder / f".{secrets.token_hex(8)}.tmp"
        try:
            last = before[0] if before else None
            about = self._copied(draft, name, occasion, last, going)
            going.last()
            with disk_errors(draft):
                draft.rename(self.folder / name)
                sync_dir(self.folder)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        self._clear({about.id, keep})
        return about

    def _kept(self) -> list[Kept]:
        if not self.folder.is_dir():
            return []
        with disk_errors(self.folder):
            folders = [one for one in self.folder.iterdir() if not one.name.startswith(".")]
        found = [kept for one in folders if (kept := _read(one)) is not None]
        return sorted(found, key=lambda one: (one.about.made, one.about.id), reverse=True)

    def _clear(self, stay: set[str]) -> None:
        """What was cut off, and the oldest."""
        with disk_errors(self.folder):
            for one in self.folder.iterdir():
                if is_left_behind(one.name):
                    shutil.rmtree(one, ignore_errors=True)
                    with contextlib.suppress(OSError):
                        one.unlink()
        for old in self._kept()[KEPT:]:
            if old.about.id not in stay:
                # Its list goes first: what is cut off then is no snapshot.
                with disk_errors(old.folder):
                    (old.folder / _LIST).unlink()
                shutil.rmtree(old.folder, ignore_errors=True)

    # ------------------------------------------------------------------ copying

    def _copied(
        self, draft: Path, name: str, occasion: Occasion, before: Kept | None, going: Going
    ) -> Snapshot:
        files = draft / "files"
        make_private_dir(files)
        found = look(self.places)
        copies: list[Copy] = []
        size = 0
        for number, database in enumerate(found.databases):
            at = f"d{number}"
            copy_database(database, files / at)
            with disk_errors(files / at):
                _flush(files / at)
                length = (files / at).stat().st_size
            copies.append(Copy(str(database), at, (length, 0, 0), 0o600))
            size += length
        files_now = along(sorted(found.files.items()), len(found.files), going)
        for number, (path, (stamp, mode)) in enumerate(files_now):
            if size + stamp[0] > MOST_BYTES:
                found.left_out.append(LeftOut(path, Why.TOO_LARGE))
                continue
            known = before.copies.get(path) if before is not None else None
            to = files / f"f{number}"
            if known is not None and before is not None and known.stamp == stamp:
                with contextlib.suppress(OSError):
                    os.link(before.folder / "files" / known.at, to)
            written = stamp[0] if to.exists() else _copy(Path(path), to, found)
            if written is None:
                continue
            # One that grew meanwhile is of no moment that its times could name.
            stamp = stamp if written == stamp[0] else (written, 0, 0)
            copies.append(Copy(path, to.name, stamp, mode))
            size += written
        about = Snapshot(
            name,
            self.clock.now().isoformat(timespec="milliseconds"),
            occasion,
            self.places.version,
            len(copies),
            size,
            tuple(found.left_out),
        )
        with disk_errors(files):
            sync_dir(files)
        write_atomic(draft / _LIST, _encoded(about, copies))
        return about


def look(places: Places) -> Found:
    """What there is to keep; changes nothing."""
    found, home = Found(), places.home
    for name in _DATABASES:
        if (home / name).is_file():
            found.databases.append(home / name)
    for name in _SINGLE:
        _note(home / name, found)
    for name in _FOLDERS:
        _walk(home / name, found, home, 0)
    for workspace in places.workspaces.values():
        _walk(workspace, found, home, 0)
    for log in places.inboxes.values():
        _note(log, found)
    return found


def copies_in(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Every copy of the snapshots in `folder`, and where what it is a copy of was. Such a copy may
    have words taken out of it; `folder` need not be there."""
    for one in sorted(folder.glob(f"*/{_LIST}")):
        kept = _read(one.parent)
        for copy in kept.copies.values() if kept is not None else ():
            path = one.parent / "files" / copy.at
            if path.is_file():
                yield path, Path(copy.path)


def _walk(folder: Path, found: Found, home: Path, deep: int) -> None:
    try:
        with os.scandir(folder) as entries:
            inside = sorted(entries, key=lambda one: one.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        found.left_out.append(LeftOut(str(folder), Why.UNREADABLE))
        return
    for entry in inside:
        path = Path(entry.path)
        if entry.is_symlink() or entry.name.endswith(_LOCKS) or is_left_behind(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _MADE_AGAIN and path != home and deep < _DEEPEST:
                _walk(path, found, home, deep + 1)
        elif not entry.name.endswith((".sqlite", ".sqlite-wal", ".sqlite-shm")):
            _note(path, found)


def _note(path: Path, found: Found) -> None:
    try:
        status = path.lstat()
    except OSError:
        return
    if path.is_symlink() or not path.is_file():
        return
    if status.st_size > LARGEST_FILE:
        found.left_out.append(LeftOut(str(path), Why.TOO_LARGE))
        return
    stamp = (status.st_size, status.st_mtime_ns, status.st_ino)
    found.files[str(path)] = stamp, status.st_mode & 0o777


def _copy(path: Path, to: Path, found: Found) -> int | None:
    """How many bytes; None for what cannot be had any more."""
    try:
        data = read_plain(path, LARGEST_FILE)
    except FileNotFoundError:
        return None
    except (UnfitFile, OSError):
        found.left_out.append(LeftOut(str(path), Why.UNREADABLE))
        return None
    write_atomic(to, data)
    return len(data)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# ----------------------------------------------------------------------------- the list


def _encoded(about: Snapshot, copies: list[Copy]) -> bytes:
    whole: JsonObject = {
        "version": 1,
        "id": about.id,
        "made": about.made,
        "occasion": about.occasion.value,
        "program": about.version,
        "size": about.size,
        "leftOut": [{"name": one.name, "why": one.why.value} for one in about.left_out],
        "files": [
            {"path": one.path, "at": one.at, "stamp": [*one.stamp], "mode": one.mode}
            for one in copies
        ],
    }
    return json.dumps(whole).encode() + b"\n"


def _read(folder: Path) -> Kept | None:
    try:
        whole: JsonValue = json.loads(read_plain(folder / _LIST, _MOST_LIST))
    except (OSError, ValueError, RecursionError):
        return None
    try:
        return _kept_of(whole, folder)
    except (UserInputInvalid, KeyError, TypeError, ValueError, AttributeError):
        return None


def _kept_of(whole: JsonValue, folder: Path) -> Kept:
    if not isinstance(whole, Mapping) or whole.get("version") != 1:
        no_backup()
    copies = dict(_copies(whole.get("files")))
    left = whole.get("leftOut")
    about = Snapshot(
        folder.name,
        str(whole["made"]),
        Occasion(str(whole["occasion"])),
        str(whole["program"]),
        len(copies),
        _whole(whole["size"]),
        tuple(
            LeftOut(str(one["name"]), Why(str(one["why"])))
            for one in (left if isinstance(left, list) else ())
            if isinstance(one, Mapping)
        ),
    )
    return Kept(about, folder, copies)


def _copies(rows: JsonValue) -> Iterator[tuple[str, Copy]]:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, Mapping) and isinstance(stamp := row["stamp"], list):
            size, time, number = map(_whole, stamp)
            copy = Copy(str(row["path"]), str(row["at"]), (size, time, number), _whole(row["mode"]))
            yield copy.path, copy


def _whole(value: JsonValue) -> int:
    if not isinstance(value, int):
        raise StorageError("A snapshot's list is damaged.")
    return value
