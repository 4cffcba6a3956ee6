"""What a backup is, for whoever shows or orders one: a window's page, a command.

    desk.export(Path("mine.zip"))               # written, read back, compared
    plan = desk.plan(Path("mine.zip"))          # what would be done; changes nothing
    desk.import_(plan)                          # a snapshot first; nothing here is overwritten
    desk.snapshots(); desk.restore("20260102-030405")
    desk.bundle(Path("help.zip"))               # for somebody who helps: no words of yours

Every call reads or writes much and belongs on a worker thread. `plan` and `import_` also take the
folder of Moltbot, Clawdbot or OpenClaw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Part(StrEnum):
    """What a backup is made of, as it is named on the command line."""

    MEMORY = "memory"
    """MEMORY.md and the notes of every agent."""
    WORKSPACE = "workspace"
    """All other files of the workspaces."""
    SESSIONS = "sessions"
    SETTINGS = "settings"
    SKILLS = "skills"
    PLUGINS = "plugins"
    """Plugins and hooks of one's own."""
    SCHEDULE = "schedule"
    REMINDERS = "reminders"
    INBOX = "inbox"
    """Facts that wait for a yes."""
    TOLD = "told"
    """What is written down to be read, and never taken over: who was let in, which models."""


class Does(StrEnum):
    """What an import does with one thing."""

    NEW = "new"
    """Nothing of that name is here: it comes in."""
    SAME = "same"
    """It is here already."""
    LINES = "lines"
    """What is missing here is added."""
    LONGER = "longer"
    """A conversation that went on there; the rest of it is added."""
    BESIDE = "beside"
    """There is another one here, which stays; it is kept beside it under a name that says so."""
    WAITS = "waits"
    """Left out; `Step.why` says why, and the owner decides."""


class Why(StrEnum):
    """Why something is left out."""

    SECRET = "secret"
    """A key or password: only its name is in a backup."""
    LETS_MORE = "lets_more"
    """It runs something, lets somebody in, or sends things away."""
    OTHER_COMPUTER = "other_computer"
    """A place of the other computer."""
    SET_HERE = "set_here"
    """It is set here already, to something else."""
    NOT_FITTING = "not_fitting"
    """It would be wrong here."""
    GONE_BY = "gone_by"
    """Its time is over."""
    REMOVED_HERE = "removed_here"
    """It was here and was removed."""
    OPEN = "open"
    """It is being written to."""
    LINK = "link"
    """A link, or something that is no plain file."""
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    NAME = "name"
    """A name that not every system knows, or that leads elsewhere."""
    CACHE = "cache"
    """Made again, or fetched again."""
    TRUST = "trust"
    """A yes that was given on another computer."""
    NO_COUNTERPART = "no_counterpart"
    """There is nothing here that it would mean something to."""


@dataclass(frozen=True)
class LeftOut:
    """Something that did not go along. `name` is a path, a setting or a kind of thing."""

    name: str
    why: Why


@dataclass(frozen=True)
class Exported:
    """A backup that was written, read back and found to be what it should be.

    Attributes:
        files: how many of each part.
        size: bytes of the file that was written.
    """

    path: Path
    files: tuple[tuple[Part, int], ...]
    size: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Step:
    """What becomes of one thing of a backup.

    Attributes:
        name: where it stands in the backup, or the setting.
        to: where it comes to lie, as a person would look for it; "" where nothing is done.
        count: lines that are added; bytes of what comes in.
    """

    part: Part
    name: str
    does: Does
    to: str = ""
    why: Why | None = None
    count: int = 0


@dataclass(frozen=True)
class ImportPlan:
    """What an import would do now.

    Attributes:
        source: the file or folder.
        made: when the backup was written, ISO 8601; "" for another program's folder.
        program: which program made it.
        mine: the owner says that nobody else has had it in hands: what lets more is taken too.
        keys: keys that stand in the other program's settings go into the password store.
    """

    source: Path
    made: str
    program: str
    parts: frozenset[Part]
    mine: bool
    steps: tuple[Step, ...]
    keys: bool = False

    @property
    def changes(self) -> bool:
        """Whether anything is to be done at all."""
        return any(one.does not in (Does.SAME, Does.WAITS) for one in self.steps)


@dataclass(frozen=True)
class Imported:
    """What an import did.

    Attributes:
        snapshot: id of how everything was before; "" when nothing had to be done.
    """

    steps: tuple[Step, ...]
    snapshot: str


class Occasion(StrEnum):
    """Why a snapshot was made."""

    IMPORT = "import"
    RESTORE = "restore"
    UPDATE = "update"
    MIGRATION = "migration"
    ASKED = "asked"


@dataclass(frozen=True)
class Snapshot:
    """How everything was at a moment.

    Attributes:
        made: ISO 8601.
        version: the program's.
        files: how many.
        size: bytes; what two snapshots share is on the disk once.
        left_out: what was too large to keep, or could not be read.
    """

    id: str
    made: str
    occasion: Occasion
    version: str
    files: int
    size: int
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class Restored:
    """Everything is as it was.

    Attributes:
        before: the snapshot of how it was until now.
        changed, removed: how many files were put back, and taken away.
    """

    id: str
    before: str
    changed: int
    removed: int


@dataclass(frozen=True)
class BundleFile:
    """One file of a support bundle, whole, to be looked at before it is written."""

    name: str
    text: str


class NotWanted(Exception):
    """Nobody wants it any more: whoever works on it stops, and leaves everything as it was."""


class Going(Protocol):
    """Who waits for a long piece of work. Both are called on the thread that works, and raise
    NotWanted once it is not wanted."""

    def on(self, done: int, of: int) -> None:
        """How far it is.

        Args:
            done: how many steps are behind it, a count.
            of: how many there are, a count.
        """
        ...

    def last(self) -> None:
        """The first lasting change comes now. After this it is carried to its end, and `on` raises
        nothing any more."""
        ...


class _Unwatched:
    def on(self, done: int, of: int) -> None:
        """Nobody looks."""

    def last(self) -> None:
        """It is wanted whatever comes."""


UNWATCHED: Going = _Unwatched()


class BackupDesk(Protocol):
    """For worker threads: every call may take minutes, and raises MoltbotError when it fails."""

    def export(self, path: Path, parts: Sequence[Part] = (), going: Going = UNWATCHED) -> Exported:
        """Write everything, or `parts`, to `path`, which must not be there yet.

        Raises:
            UserInputInvalid: something of that name is there.
            StorageError: nothing was written.
            NotWanted: of `going`; nothing was written.
        """
        ...

    def plan(
        self,
        path: Path,
        parts: Sequence[Part] = (),
        *,
        mine: bool = False,
        keys: bool = False,
        going: Going = UNWATCHED,
    ) -> ImportPlan:
        """What importing would do; changes nothing. All of the backup is checked.

        Raises:
            UserInputInvalid: it is no backup, or not whole.
            StorageError: it cannot be read.
            NotWanted: of `going`.
        """
        ...

    def others(self) -> tuple[Path, ...]:
        """Folders of Moltbot, Clawdbot and OpenClaw that are at home here, to be offered."""
        ...

    def import_(self, plan: ImportPlan, going: Going = UNWATCHED) -> Imported:
        """Carry it out; what changed since is looked at again.

        Raises:
            NotWanted: of `going`; everything is as it was.
            UserInputInvalid: the backup is another one by now.
            StorageError: some of it was done; doing it again goes on, the snapshot undoes it.
        """
        ...

    def snapshots(self) -> tuple[Snapshot, ...]:
        """The newest first."""
        ...

    def snapshot(self) -> Snapshot:
        """Make one now."""
        ...

    def restore(self, name: str) -> Restored:
        """Put everything back as it was; how it is now becomes a snapshot first.

        Raises:
            StoreBusy: the assistant is running; `restore_at_start` waits for its next start.
            UserInputInvalid: there is no such snapshot.
        """
        ...

    def restore_at_start(self, name: str) -> Snapshot:
        """The same when the program is started next."""
        ...

    def unfinished(self) -> str:
        """The snapshot of an import that was cut off; "" when there is none."""
        ...

    def bundle_contents(self) -> tuple[BundleFile, ...]:
        """What `bundle` would write."""
        ...

    def bundle(self, path: Path) -> tuple[BundleFile, ...]:
        """Write a support bundle to `path`, which must not be there yet."""
        ...
