"""What a watch tells, apart from what watches: who only listens need not load watchdog."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


@dataclass(frozen=True)
class Changes:
    """What may be different from before; only looking at the files can tell.

    Attributes:
        files: paths of files that were touched, whether they still exist or not.
        everything: any file may be: a folder came, went or moved, or events may be missing.
    """

    files: frozenset[Path] = frozenset()
    everything: bool = False

    def __bool__(self) -> bool:
        return self.everything or bool(self.files)

    def __or__(self, other: Changes) -> Changes:
        return Changes(self.files | other.files, self.everything or other.everything)


class WatchHealth(StrEnum):
    """Whether changes are noticed."""

    OFF = "off"
    STARTING = "starting"
    WATCHING = "watching"
    TOO_MANY = "too many"
    """The system gives no more watches; raise its limit, or name fewer folders."""
    REFUSED = "refused"
    """The system cannot watch there, e.g. on some network drives."""

    @property
    def is_trouble(self) -> bool:
        """Whether watching was wanted and is not possible."""
        return self in (WatchHealth.TOO_MANY, WatchHealth.REFUSED)
