"""Files that came with a message: how its text names them, and the desk that has them.

    file = AttachedFile("media/inbound/3f2a9c1d-plan.pdf", "application/pdf")
    file.line                        # "[media attached: media/inbound/3f2a9c1d-plan.pdf (…)]"
    parted(f"sum this up\\n{file.line}")      # ("sum this up", (file,))
    desk.read(session, file, 5_000_000)      # its bytes, or None

In a transcript a file is a line of the message that it came with, so that every model reads where
it lies. A person is shown the file instead of the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.ids import SessionKey

MOST_FILES = 10
"""Of one message."""
MOST_BYTES = 5_000_000
"""Of all files of one message together."""
FOLDER = ("media", "inbound")
"""Where they lie in the workspace; the reference's name."""
_START, _END = "[media attached: ", ")]"
_PLACE = re.compile(rf"{'/'.join(FOLDER)}/[\w.-]{{1,200}}")
_LONGEST_LINE = 400


@dataclass(frozen=True)
class AttachedFile:
    """Attributes:
    place: its path from the workspace.
    kind: as its content says, such as ``image/png``.
    """

    place: str
    kind: str

    @property
    def name(self) -> str:
        """Its own name: what stands before it keeps two of the same name apart."""
        last = self.place.rpartition("/")[2]
        return last.partition("-")[2] or last

    @property
    def is_picture(self) -> bool:
        return self.kind.startswith("image/")

    @property
    def line(self) -> str:
        """What the agent reads of it."""
        return f"{_START}{self.place} ({self.kind}{_END}"


def parted(text: str) -> tuple[str, tuple[AttachedFile, ...]]:
    """The words of a message, and the files that are named at its end."""
    lines, files = text.split("\n"), list[AttachedFile]()
    while lines and (file := _named(lines[-1])) is not None:
        files.append(file)
        lines.pop()
    return ("\n".join(lines).strip(), tuple(reversed(files))) if files else (text, ())


def in_short(text: str) -> str:
    """The words of a message; the names of its files where it has none."""
    words, files = parted(text)
    return words or ", ".join(one.name for one in files)


def as_read(text: str) -> str:
    """The words of a message, and behind them the names of its files: for a list of what was
    found."""
    words, files = parted(text)
    return "\n".join(filter(None, (words, *(one.name for one in files))))


def _named(line: str) -> AttachedFile | None:
    if not line.startswith(_START) or not line.endswith(_END) or len(line) > _LONGEST_LINE:
        return None
    place, _, kind = line[len(_START) : -len(_END)].partition(" (")
    return AttachedFile(place, kind) if _PLACE.fullmatch(place) and kind else None


class AttachedDesk(Protocol):
    """Asked on a worker thread; may block."""

    def read(self, session: SessionKey, file: AttachedFile, most: int) -> bytes | None:
        """The whole file; None where it is not there any more, is no plain file, or is larger
        than `most` bytes."""
        ...

    def where(self, session: SessionKey, file: AttachedFile) -> Path | None:
        """Where it lies, to be opened by another program; None where it is not there."""
        ...
