"""Reads files that somebody wants to send, within a message's limits. For a worker thread.

    read = read_files([Path("/home/ada/plan.pdf")], Room(10, 5_000_000))
    read.taken[0].file.content
    read.left_out                # what could not come along, and why

Each is read at once and whole, so that what is sent is what was chosen, whatever happens to the
file afterwards.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from moltbot_desktop.gateway.client import GivenFile
from moltbot_desktop.sdk.attachments import MOST_BYTES, MOST_FILES
from moltbot_desktop.ui.attachments.pictures import picture_file, small_picture

THUMBNAIL = QSize(72, 72)


class Why(StrEnum):
    FOLDER = "folder"
    TOO_LARGE = "too_large"
    TOO_MANY = "too_many"
    GONE = "gone"
    UNREADABLE = "unreadable"
    EMPTY = "empty"


@dataclass(frozen=True)
class LeftOut:
    """What does not come along.

    Attributes:
        size: in bytes, 0 where nobody knows.
        path: where it lies, "" for what was only copied.
    """

    name: str
    why: Why
    size: int = 0
    path: str = ""


@dataclass(frozen=True)
class Taken:
    """What comes along; `picture` is its thumbnail, None for what is no picture."""

    file: GivenFile
    picture: QImage | None = None

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.file.content)


@dataclass(frozen=True)
class Room:
    """What still fits into the message; `bytes` of all files together."""

    files: int = MOST_FILES
    bytes: int = MOST_BYTES

    def without(self, size: int) -> Room:
        return Room(self.files - 1, self.bytes - size)


@dataclass(frozen=True)
class Read:
    taken: tuple[Taken, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def read_files(paths: Sequence[Path], room: Room) -> Read:
    """Those of `paths` that fit, in order; the others with the reason."""
    taken, left_out = list[Taken](), list[LeftOut]()
    for path in paths:
        one = _read(path, room)
        if isinstance(one, Taken):
            room = room.without(one.size)
            taken.append(one)
        else:
            left_out.append(one)
    return Read(tuple(taken), tuple(left_out))


def read_picture(picture: QImage, name: str, room: Room) -> Read:
    """A copied picture as a file called `name`, with the ending of what it was made into."""
    ending, content = picture_file(picture, room.bytes)
    if not content:
        return Read(left_out=(LeftOut(name, Why.UNREADABLE),))
    return fitting([_taken(name + ending, content)], room)


def shown_again(files: Sequence[GivenFile]) -> Read:
    """Files that came back, with their thumbnails."""
    return Read(tuple(_taken(one.name, one.content) for one in files))


def fitting(taken: Sequence[Taken], room: Room) -> Read:
    """Those that fit, in order: others may have come while these were read."""
    kept, left_out = list[Taken](), list[LeftOut]()
    for one in taken:
        why = _no_room(one.size, room)
        if why is None:
            room = room.without(one.size)
            kept.append(one)
        else:
            left_out.append(LeftOut(one.file.name, why, one.size))
    return Read(tuple(kept), tuple(left_out))


def _read(path: Path, room: Room) -> Taken | LeftOut:
    name = path.name or str(path)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            return LeftOut(name, Why.FOLDER, path=str(path))
        if not stat.S_ISREG(status.st_mode):  # a pipe or a device has no end
            return LeftOut(name, Why.UNREADABLE)
        if (why := _no_room(status.st_size, room)) is not None:
            return LeftOut(name, why, status.st_size, str(path))
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as opened:
            content = opened.read(room.bytes + 1)
    except FileNotFoundError:
        return LeftOut(name, Why.GONE)
    except (OSError, ValueError):  # a name that no path can have
        return LeftOut(name, Why.UNREADABLE, path=str(path))
    if len(content) > room.bytes:  # it grew meanwhile
        return LeftOut(name, Why.TOO_LARGE, len(content), str(path))
    return _taken(name, content) if content else LeftOut(name, Why.EMPTY)


def _no_room(size: int, room: Room) -> Why | None:
    if room.files <= 0:
        return Why.TOO_MANY
    return Why.TOO_LARGE if size > room.bytes else None


def _taken(name: str, content: bytes) -> Taken:
    return Taken(GivenFile(name, content), small_picture(content, THUMBNAIL))
