"""What goes into the index and what comes out of it, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from moltbot_desktop.memory.arrays import Numbers
from moltbot_desktop.memory.files import FileStamp
from moltbot_desktop.memory.units import Unit
from moltbot_desktop.memory.windows import Window


@dataclass(frozen=True)
class KnownFile:
    """A file as it was when it was read last; `read_ns` is the wall time of that."""

    id: int
    stamp: FileStamp
    read_ns: int
    hash: bytes


@dataclass(frozen=True)
class FileContent:
    """What the index keeps of one file.

    Attributes:
        headers: per unit, words that are not in its text but find it: headings and its day.
        days: per unit, the day it belongs to, None when unknown.
        problem: why the file has no units, "" when nothing is wrong.
    """

    hash: bytes
    units: tuple[Unit, ...] = ()
    headers: tuple[str, ...] = ()
    days: tuple[date | None, ...] = ()
    windows: tuple[Window, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class UnitColumns:
    """What ranking knows of units, one entry for each: files one after the other, in order.

    Attributes:
        day: proleptic ordinal, 0 when unknown.
        ages: whether a newer note may take its place: not so in MEMORY.md, which holds what
            stays true.
        speaker: index into `speakers`, where "" is nobody.
    """

    id: Numbers
    file: Numbers
    day: Numbers
    terms: Numbers
    ages: Numbers
    speaker: Numbers
    speakers: tuple[str, ...]


@dataclass(frozen=True)
class WindowColumns:
    """Windows, one entry for each, in the order of the files; `first` and `last` are units."""

    file: Numbers
    first: Numbers
    last: Numbers
    terms: Numbers


@dataclass(frozen=True)
class Changes:
    """What was written to an index since somebody looked.

    Attributes:
        files: numbers of the files whose units are others now, or gone.
        units: numbers of the units that got a vector; they may be gone again.
        everything: more than that happened.
    """

    files: frozenset[int] = frozenset()
    units: frozenset[int] = frozenset()
    everything: bool = False


@dataclass(frozen=True)
class StoredUnit:
    """A unit with its text, for an answer."""

    id: int
    path: str
    start_line: int
    end_line: int
    body: str
    mark: str
    day: int


@dataclass(frozen=True)
class Pending:
    """A unit that has no vector yet."""

    id: int
    body: str
    hash: bytes
