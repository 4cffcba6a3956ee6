"""What the desktop tells while nobody looks at the window: reminders, news, a card that waits.

    notifier = Notifier(service, bus, balloon)
    notifier.remind(reminder)

A notification never allows anything: its buttons open the window, or put a reminder off. Its words
stay away where the settings say so, and while the screen is locked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from moltbot_desktop.gateway.client import Notice, ReminderDue
from moltbot_desktop.qt.notifications import OPEN, Button, Note, Pressed
from moltbot_desktop.ui.tray import LATER_MINUTES, later_words

_NEWS_CHARACTERS = 160
_MOST_TEXT = 400
DONE = "done"
LATER = "later"


class ShowsNotes(Protocol):
    """A desktop's notifications."""

    def show(self, note: Note, pressed: Pressed, not_shown: Callable[[], None]) -> None: ...


AskLocked = Callable[[Callable[[bool], None]], None]
Balloon = Callable[[str, str], None]


class Notifier(QObject):
    """See the module.

    Signals:
        open_requested: the person wants to see it in the window.
        done: a reminder is seen to: its number.
        later_requested: a reminder is to come again: its number and text, in so many minutes.
    """

    open_requested = Signal()
    done = Signal(int)
    later_requested = Signal(int, str, int)

    def __init__(
        self,
        service: ShowsNotes | None,
        ask_locked: AskLocked,
        balloon: Balloon,
        parent: QObject | None = None,
    ) -> None:
        """`service`: None where the desktop has none; then `balloon` is what there is."""
        super().__init__(parent)
        self._service = service
        self._ask_locked = ask_locked
        self._balloon = balloon
        self.says_what = True

    def remind(self, reminder: ReminderDue) -> None:
        """A reminder has fired; it stays in the conversation too."""
        title = self.tr("Missed reminder") if reminder.missed else self.tr("Reminder")
        minutes = LATER_MINUTES[0]
        buttons = (Button(DONE, self.tr("Done")), Button(LATER, later_words(minutes)))

        def pressed(key: str) -> None:
            if key == LATER:
                self.later_requested.emit(reminder.reminder_id, reminder.text, minutes)
            elif key == DONE:
                self.done.emit(reminder.reminder_id)
            else:
                self.open_requested.emit()

        text = reminder.text[:_MOST_TEXT]
        generic = self.tr("Something you wanted to be reminded of.")
        self._show(Note(title, text, buttons, stays=True), generic, pressed)

    def news(self, news: Notice) -> None:
        """What went on while nobody looked; the whole of it stands in the window."""
        line = " ".join(news.text.split())[:_NEWS_CHARACTERS]
        self._show(Note(self.tr("Moltbot"), line), self.tr("There is news."), self._only_open)

    def needs_answer(self) -> None:
        """A card waits. It is answered in the window and nowhere else."""
        note = Note(
            self.tr("Moltbot needs your answer"),
            self.tr("It waits for a yes or no."),
            (Button(OPEN, self.tr("Show")),),
        )
        self._show(note, note.text, self._only_open)

    def _only_open(self, _key: str) -> None:
        self.open_requested.emit()

    def _show(self, note: Note, generic: str, pressed: Pressed) -> None:
        def told(locked: bool) -> None:
            said = note.text if self.says_what and not locked else generic
            shown = Note(note.title, said, note.buttons, note.stays)
            if self._service is None:
                self._balloon(shown.title, shown.text)
            else:
                self._service.show(shown, pressed, lambda: self._balloon(shown.title, shown.text))

        self._ask_locked(told)
