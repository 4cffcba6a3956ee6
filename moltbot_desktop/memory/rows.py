"""What goes into the index and what comes out of it, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from moltbot_desktop.memory.files import FileStamp
from moltbot_desktop.memory.units import Unit, Window


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
class UnitRow:
    """What ranking knows of a unit; `day` is a proleptic ordinal, 0 when unknown."""

    id: int
    file: int
    day: int
    terms: int
    speaker: str


@dataclass(frozen=True)
class WindowRow:
    id: int
    first: int
    last: int
    terms: int


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
