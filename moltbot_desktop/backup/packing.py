"""Writes a backup: one zip with a manifest, under its name only when it was read back and is right.

    pack(path, things, made, program)     # things: Thing(name, part, data), in any order

The bytes come from functions, one file at a time, so that a backup of any size takes the memory of
its largest file. What cannot be read any more is told in the manifest and leaves the rest whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.backup.going import Stretch, along
from moltbot_desktop.backup.manifest import MANIFEST, Item, Manifest, encoded
from moltbot_desktop.backup.unpacking import open_archive
from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.sdk.backup import UNWATCHED, Going, LeftOut, Part, Why
from moltbot_desktop.storage.bounded import UnfitFile
from moltbot_desktop.storage.files import disk_errors, sync_dir

_FIRST_TIME = (1980, 1, 1, 0, 0, 0)
"""The zip's own times say nothing; so the same things give the same bytes."""


_WRITTEN = 0.7
"""Of the way is behind when all is written; the rest is reading it back."""


@dataclass(frozen=True)
class Thing:
    """One file to be packed.

    Attributes:
        name: in the backup.
        data: its bytes; raises OSError or StorageError where it cannot be had.
        shown: what the owner knows it by.
    """

    name: str
    part: Part
    data: Callable[[], bytes]
    shown: str = ""
    runnable: bool = False


def pack(
    path: Path,
    things: Iterable[Thing],
    made: str,
    program: str,
    left_out: Iterable[LeftOut] = (),
    going: Going = UNWATCHED,
) -> Manifest:
    """Write `things` to `path`; the manifest that went along.

    Raises:
        NotWanted: of `going`; nothing was written.
        UserInputInvalid: something of that name is there.
        StorageError: nothing was written, or it did not come back as it was written.
    """
    with disk_errors(path):
        target = path.absolute()
        refuse_taken(target)
        temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with os.fdopen(_made_new(temporary), "wb") as file:
                all_ = tuple(things)
                told = along(all_, len(all_), Stretch(going, 0.0, _WRITTEN))
                manifest = _written(file, told, made, program, tuple(left_out))
                file.flush()
                os.fsync(file.fileno())
            _read_back(temporary, manifest, Stretch(going, _WRITTEN, 1.0))
            refuse_taken(target)
            going.last()
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        sync_dir(target.parent)
    return manifest


def refuse_taken(path: Path) -> None:
    """Raises UserInputInvalid: something of that name is there."""
    if os.path.lexists(path):
        raise UserInputInvalid(
            f"{path} is there already.", hint="Choose another name; nothing is overwritten."
        )


def _made_new(path: Path) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.open(path, flags, 0o600)


def _written(
    file: object,
    things: Iterable[Thing],
    made: str,
    program: str,
    left_out: tuple[LeftOut, ...],
) -> Manifest:
    items: dict[str, Item] = {}
    missed = [*left_out]
    with zipfile.ZipFile(file, "w") as archive:  # type: ignore[call-overload]
        for thing in things:
            if thing.name in items:
                continue
            try:
                data = thing.data()
            except UnfitFile as error:
                why = Why.LINK if error.most is None else Why.TOO_LARGE
                missed.append(LeftOut(thing.shown or thing.name, why))
                continue
            except (OSError, StorageError):
                missed.append(LeftOut(thing.shown or thing.name, Why.UNREADABLE))
                continue
            archive.writestr(_entry(thing.name), data)
            digest = hashlib.sha256(data).hexdigest()
            items[thing.name] = Item(thing.name, thing.part, len(data), digest, thing.runnable)
        manifest = Manifest(made, program, tuple(items.values()), tuple(missed))
        archive.writestr(_entry(MANIFEST), encoded(manifest))
    return manifest


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _FIRST_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry


def _read_back(path: Path, manifest: Manifest, going: Going) -> None:
    """A backup counts only after it was read."""
    try:
        with open_archive(path) as archive:
            if archive.manifest != manifest:
                raise _not_as_written()
            archive.check(going)
    except UserInputInvalid as error:
        raise _not_as_written() from error


def _not_as_written() -> StorageError:
    return StorageError(
        "The backup did not come back from the disk as it was written.",
        hint="Check that the disk is sound, or choose another one.",
    )
