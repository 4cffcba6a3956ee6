"""What a command may reach, as values; nothing here touches the computer.

Walls(Backend.BUBBLEWRAP, folder=workspace, writable=True, scratch=Path("/tmp/x"),
      hidden=(home / ".ssh",))
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Backend(StrEnum):
    """What holds a command, strongest first."""

    BUBBLEWRAP = "bubblewrap"
    """Linux namespaces: its own view of the disk, its own processes, no network."""
    LANDLOCK = "landlock"
    """Linux rules on the process itself, with a filter of system calls."""
    SEATBELT = "seatbelt"
    """macOS `sandbox-exec`; never tried by us."""
    NONE = "none"


SYSTEM_FOLDERS = tuple(
    Path(one)
    for one in (
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt",
        "/nix/store", "/run/current-system",
    )
)  # fmt: skip
"""Where programs lie; may be read, never written."""


@dataclass(frozen=True)
class Walls:
    """What a command may reach.

    Attributes:
        folder: the workspace, or the folder the owner opened for this command.
        writable: whether it may change things there.
        scratch: a folder of its own, /tmp to it where the backend can do that.
        readable: files and folders besides that it may read.
        kept: in `folder`, what stays as it is even when the folder is writable.
        hidden: what is not to be seen even where a folder around it is.
        network: whether it may reach the internet.
        strict: nobody said yes to this very command: also what only changes the rights of files
            is refused.
    """

    backend: Backend
    folder: Path
    scratch: Path
    writable: bool = False
    readable: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    network: bool = False
    strict: bool = True

    def can_keep(self) -> bool:
        """Whether what is `kept` really stays as it is, though the folder around it is writable."""
        return self.backend in (Backend.BUBBLEWRAP, Backend.SEATBELT)

    def can_hide(self) -> bool:
        """Whether everything hidden is really out of reach. Landlock only opens folders, so it
        cannot take something out of one that it opened."""
        if self.backend is Backend.NONE:
            return False
        if self.backend is not Backend.LANDLOCK:
            return True
        opened = (self.folder, *self.readable)
        return not any(one.is_relative_to(folder) for one in self.hidden for folder in opened)
