"""Asks a desk something beside the main thread; what it refuses comes back as words.

    asking = Asking(worker, language, self)
    asking.ask(desk.look, self._show, self._failed)

Answers that nobody waits for any more are dropped: of questions with the same `about` only the last
one's answer is delivered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.qt.worker import Worker

T = TypeVar("T")


@dataclass(frozen=True)
class Refused:
    """Why something was not done, and what to do about it, in the window's language."""

    words: str


class Asking(QObject):
    """For one place.

    Signals:
        busy_changed: whether an answer is waited for.
    """

    busy_changed = Signal(bool)

    def __init__(self, worker: Worker, language: Language, parent: QObject) -> None:
        super().__init__(parent)
        self._worker, self._language = worker, language
        self._open = 0
        self._last: dict[str, int] = {}

    @property
    def busy(self) -> bool:
        return self._open > 0

    def ask(
        self,
        work: Callable[[], T],
        take: Callable[[T], None],
        refused: Callable[[Refused], None],
        *,
        about: str = "",
    ) -> None:
        """Do `work` elsewhere, then one of the other two here."""
        number = self._last[about] = self._last.get(about, 0) + 1

        def tried() -> T | Refused:
            try:
                return work()
            except MoltbotError as error:
                return Refused(in_words(error, self._language))

        def done(answer: T | Refused) -> None:
            self._count(-1)
            if about and self._last[about] != number:
                return
            if isinstance(answer, Refused):
                refused(answer)
            else:
                take(answer)

        self._count(+1)
        self._worker.submit(tried, done)

    def _count(self, step: int) -> None:
        before, self._open = self.busy, self._open + step
        if before != self.busy:
            self.busy_changed.emit(self.busy)
