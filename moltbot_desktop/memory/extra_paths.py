"""A folder or file of the person's own that memory reads and never writes: `extraPaths`.

extra = ExtraPath(Path("/home/anna/notes"), "/home/anna/notes")
extra.scan(seen, found)
extra.parts_of("/home/anna/notes/trip.md")    # ("notes", "trip.md"), from /home/anna
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.memory.scan import (
    Seen,
    Stamp,
    file_stamp,
    is_note,
    mode_of,
    resolved,
    scan_folder,
)


@dataclass(frozen=True)
class ExtraPath:
    """One of them. It need not exist.

    Attributes:
        path: as the settings have it, absolute.
        shown: how paths below it begin; "" for the workspace itself.
    """

    path: Path
    shown: str

    def parts_of(self, name: str) -> tuple[str, ...] | None:
        """What leads from `path`'s folder to the note `name`; None when it lies elsewhere."""
        if not self.shown:
            inner = name
        elif name == self.shown and is_note(name):
            inner = ""
        elif name.startswith(prefix := f"{self.shown.rstrip('/')}/"):
            inner = name.removeprefix(prefix)
        else:
            return None
        names = tuple(part for part in inner.split("/") if part)
        if any(part.startswith(".") for part in names[:-1]):
            return None
        return (self.path.name, *names)

    def scan(self, seen: Seen, found: dict[str, Stamp]) -> None:
        """Put the notes into `found`.

        A link in the place of an extra path is not followed: the settings name the folder itself.
        What an earlier source has is left out, so that every file is there once.
        """
        parent = resolved(self.path.parent)
        if parent is None:
            return
        real = parent / self.path.name
        if stat.S_ISDIR(mode_of(real)):
            scan_folder(str(real), self.shown, seen, found)
        elif is_note(real.name) and str(parent) not in seen.folders:
            stamp = file_stamp(real)
            if stamp is not None and str(real) not in seen.files:
                seen.files.add(str(real))
                found[self.shown] = stamp

    def problem(self) -> str:
        """Why it gives nothing, as a phrase of `memory.texts`; "" when nothing is wrong."""
        mode = mode_of(self.path)
        if not mode:
            return "extra_missing"
        if stat.S_ISLNK(mode):
            return "extra_link"
        if not stat.S_ISDIR(mode) and not is_note(self.path.name):
            return "extra_kind"
        return ""
