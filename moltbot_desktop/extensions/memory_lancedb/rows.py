"""What stands in the table: a row for each unit of a note, without knowing LanceDB.

    rows = rows_of("MEMORY.md", note_file, vectors)

A file without units has one row too, with nothing in it: its stamp must be known, or it would be
read at every search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from moltbot_desktop.sdk.memory_plugins import NoteFile, Vector


class State(IntEnum):
    """How far a row is."""

    WAITS = 0
    """It has no vector yet."""
    WHOLE = 1
    EMPTY = 2
    """Of a file without units."""


@dataclass(frozen=True)
class Row:
    """One unit, or a file without any.

    Attributes:
        part: which of its file's it is, from 0.
        words: what full text looks through.
        vector: None while it waits for one.
    """

    path: str
    part: int
    stamp: str
    start_line: int
    end_line: int
    text: str
    words: str
    mark: str
    state: State
    vector: Vector | None = None

    @property
    def id(self) -> str:
        """No two of one table are alike."""
        return f"{self.part}:{self.path}"


def rows_of(
    path: str, file: NoteFile, vectors: Sequence[Vector | None], terms: Callable[[str], str]
) -> tuple[Row, ...]:
    """The rows of a file; `vectors` are its units', in their order."""
    if not file.units:
        return (Row(path, 0, file.stamp, 0, 0, "", "", "", State.EMPTY),)
    return tuple(
        Row(
            path,
            part,
            file.stamp,
            unit.start_line,
            unit.end_line,
            unit.text,
            terms(f"{unit.header} {unit.text}"),
            unit.mark,
            State.WAITS if vector is None else State.WHOLE,
            vector,
        )
        for part, (unit, vector) in enumerate(zip(file.units, vectors, strict=True))
    )
