"""`moltbot-desktop undo [ID] [--list] [--anyway]`: what is shown."""

from __future__ import annotations

import json
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.undo import FileTask, UndoBook
from moltbot_desktop.sdk.undo_words import tasks_in_words, undone_in_words

_COMMAND = "moltbot-desktop undo"


def run_undo(book: UndoBook, arguments: Arguments, language: Language, out: TextIO) -> int:
    """The exit code: 1 when something was left as it is.

    Raises:
        MoltbotError: there is nothing to undo, or it could not be done.
    """
    if arguments.listed:
        tasks = book.tasks()
        if arguments.json:
            out.write(json.dumps([_row(task) for task in tasks], ensure_ascii=False) + "\n")
        else:
            out.write(tasks_in_words(tasks, language, command=_COMMAND) + "\n")
        return 0
    undone = book.undo(arguments.name, anyway=arguments.anyway)
    if arguments.json:
        record = {
            **_row(undone.task),
            "paths": undone.paths,
            "changedSince": undone.changed_since,
            "lost": undone.lost,
        }
        out.write(json.dumps(record, ensure_ascii=False) + "\n")
    else:
        out.write(undone_in_words(undone, language, command=_COMMAND) + "\n")
    return 1 if undone.changed_since or undone.lost else 0


def _row(task: FileTask) -> dict[str, object]:
    return {
        "id": task.id,
        "at": task.at.isoformat(),
        "paths": task.paths,
        "undoes": task.undoes,
        "undone": task.undone,
    }
