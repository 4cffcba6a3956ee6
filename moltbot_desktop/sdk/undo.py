"""The contract of undo: what the last task did to files is taken back, and nobody's work is lost.

    for task in book.tasks(): ...             # newest first
    undone = book.undo()                      # the last one; or book.undo(task.id)
    book.undo(task.id, anyway=True)           # files that others have changed since as well

A task is what one run of the assistant did. To undo is a task too, and can be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class FileTask:
    """What one run changed.

    Attributes:
        id: to name it by.
        at: aware, when it began.
        paths: files it changed, relative to the workspace with `/`.
        undoes: the task that this one took back; "" for an ordinary one.
        undone: it was taken back.
    """

    id: str
    at: datetime
    paths: tuple[str, ...]
    undoes: str = ""
    undone: bool = False


@dataclass(frozen=True)
class Undone:
    """What an undo did.

    Attributes:
        task: that was taken back.
        paths: files that are as before, relative to the workspace.
        changed_since: left alone, because they were changed after the task.
        lost: left alone, because what they held is not kept any more.
    """

    task: FileTask
    paths: tuple[str, ...]
    changed_since: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


class UndoBook(Protocol):
    """Blocks: for a worker thread."""

    def tasks(self) -> Sequence[FileTask]:
        """Newest first.

        Raises:
            StorageError: the journal cannot be read.
        """
        ...

    def undo(self, task_id: str = "", *, anyway: bool = False) -> Undone:
        """Take a task back; the last one that still has an effect when none is named.

        Args:
            anyway: also where others have changed a file since. What they wrote is kept, as the
                files of a task of its own.

        Raises:
            UserInputInvalid: there is no such task, or nothing to undo.
            StorageError, PathRefused: it could not be done; nothing is lost, try again.
        """
        ...
