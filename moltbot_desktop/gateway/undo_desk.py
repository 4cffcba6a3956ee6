"""`/undo`: what the assistant did to files is taken back, without a model.

/undo                     the last task that changed files
/undo list                what can be taken back
/undo 20261121-143000-000001 [anyway]
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.sdk.undo import UndoBook
from moltbot_desktop.sdk.undo_words import tasks_in_words, undone_in_words

_LIST = frozenset({"list", "列表"})
_ANYWAY = frozenset({"anyway", "仍然"})


@dataclass(frozen=True)
class UndoDesk:
    """Of one workspace. Implements `commands.ports.FileUndo`."""

    book: UndoBook
    in_thread: InThread

    async def undo(self, words: str, language: Language) -> str:
        """Do what `words`, all that stands behind the command, say; what to tell.

        Raises:
            MoltbotError: there is nothing to undo, or the disk said no.
        """
        named = words.casefold().split()
        if named[:1] and named[0] in _LIST:
            return tasks_in_words(await self.in_thread(self.book.tasks), language)
        anyway = any(word in _ANYWAY for word in named)
        task = next((word for word in named if word not in _ANYWAY), "")
        undone = await self.in_thread(lambda: self.book.undo(task, anyway=anyway))
        return undone_in_words(undone, language)
