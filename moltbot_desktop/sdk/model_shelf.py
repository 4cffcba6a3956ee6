"""What a person has of models, what can be fetched, and what is being done about it now.

The terminal and the window show the same lines of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.progress import TransferProgress

CHAT, EMBEDDING = "chat", "embedding"


@dataclass(frozen=True)
class FitLine:
    """Whether it fits, and the figures behind that.

    Attributes:
        verdict: ``fits``, ``tight`` or ``no``.
        needed, free, total: bytes of memory: what it takes, what there is now, what there is.
        wanted, window: tokens of conversation: asked for, possible now.
    """

    verdict: str
    needed: int
    free: int
    total: int
    wanted: int
    window: int


@dataclass(frozen=True)
class ModelLine:
    """One model as a list shows it; None and "" stand for what nobody knows.

    Attributes:
        here: it can be used now; else it is one to fetch.
        size: bytes.
        context: tokens that it was made to read.
        provided: ``settings`` or ``plugin``, which a model without a file here comes from.
        fetched: bytes of a paused download, 0 for none.
        tokens_per_second: what to expect while it writes.
        source: where on the hub it lies, ``owner/name``.
        sha256: what the catalogue says of its file.
    """

    name: str
    kind: str
    here: bool
    in_use: bool = False
    bundled: bool = False
    linked: bool = False
    size: int | None = None
    fetched: int = 0
    licence: str = ""
    languages: tuple[str, ...] = ()
    context: int | None = None
    fit: FitLine | None = None
    tokens_per_second: float | None = None
    path: str = ""
    about: str = ""
    problem: str = ""
    provided: str = ""
    source: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class ModelCheck:
    """What trying a model out measured; bytes and seconds.

    Attributes:
        memory: by how much the process grew; None where the system does not tell.
        tokens_per_second: of the short answer; None for an embedding model.
    """

    name: str
    kind: str
    load_seconds: float
    seconds: float
    memory: int | None
    tokens_per_second: float | None = None
    answer: str = ""


class JobKind(StrEnum):
    """What is done: from the hub, from a file, or a question to see that it works."""

    FETCH = "fetch"
    ADD = "add"
    TRY = "try"


class JobState(StrEnum):
    """`STOPPING`: it was told to, and what it waits for has not come back yet."""

    RUNNING = "running"
    STOPPING = "stopping"
    FAILED = "failed"
    DONE = "done"


@dataclass(frozen=True)
class ModelJob:
    """Something that takes its time and goes on whatever is shown.

    Attributes:
        name: of the model; of a file that is being added, its file name.
        problem: why it failed and what to do, in the person's language; "" for no reason known.
        check: of a trial that is done.
        made: what a file that was added is called now.
    """

    name: str
    kind: JobKind
    state: JobState = JobState.RUNNING
    progress: TransferProgress | None = None
    problem: str = ""
    check: ModelCheck | None = None
    made: str = ""

    @property
    def live(self) -> bool:
        """It will change by itself."""
        return self.state in (JobState.RUNNING, JobState.STOPPING)


@dataclass(frozen=True)
class Shelf:
    """How things stand.

    Attributes:
        problem: why nothing can be fetched, "" for no reason.
        sealed: nothing may leave this computer, so nothing can be fetched.
        hub: the address that files are fetched from.
        hub_is_set: it is not the usual one: the settings or the environment name it.
        folder: where fetched files lie.
        memory: bytes that this program holds; None where the system does not tell.
    """

    models: tuple[ModelLine, ...]
    jobs: tuple[ModelJob, ...] = ()
    problem: str = ""
    sealed: bool = False
    hub: str = ""
    hub_is_set: bool = False
    folder: str = ""
    memory: int | None = None


class ModelDesk(Protocol):
    """Reads and writes files; not for the main thread. Only `jobs` is there at once.

    What takes its time is begun, and told by `jobs`; one at a time for each name.
    """

    def look(self) -> Shelf: ...

    def jobs(self) -> tuple[ModelJob, ...]: ...

    def fetch(self, name: str) -> None:
        """Begin to fetch a model of the catalogue, or go on with one.

        Raises:
            ModelMissing: the catalogue has none of that name.
            EgressSealed: nothing may leave this computer.
            UserInputInvalid: something is done with it just now.
        """
        ...

    def add(self, source: Path) -> None:
        """Begin to copy a file into the models folder.

        Raises:
            ModelError: it is no model, or cannot be used; says why. Nothing was begun.
            UserInputInvalid: something is done with it just now.
        """
        ...

    def point_at(self, source: Path) -> str:
        """Use a file where it lies; what it is called. Raises ModelError, UserInputInvalid."""
        ...

    def try_out(self, name: str) -> None:
        """Begin to load it and ask it something short. Raises ModelMissing, UserInputInvalid."""
        ...

    def stop(self, name: str) -> None:
        """Break off what is done with it; the bytes of a download stay."""
        ...

    def discard(self, name: str) -> None:
        """As `stop`, and the bytes of a download go. Raises StorageError."""
        ...

    def dismiss(self, name: str) -> None:
        """What became of it is known: `jobs` need not tell it any more."""
        ...

    def use(self, name: str) -> str:
        """Use it from now on; the setting that wins over the choice, "" for none.

        Raises:
            ModelMissing, ModelFileInvalid: there is none, or it cannot be used.
            StorageError: the choice could not be kept.
        """
        ...

    def remove(self, name: str) -> None:
        """Remove its file, or forget where it lies.

        Raises:
            ModelMissing: there is none.
            UserInputInvalid: it came with the program, or is in work.
            StorageError: it could not be removed.
        """
        ...

    def recommended(self) -> ModelLine | None:
        """The best model of the catalogue that runs well on this computer, for somebody who has
        none but what came with the program; None when nothing does, or they have one."""
        ...
