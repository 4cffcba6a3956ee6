"""What the program is outside of its window: quick question, key, notifications, links.

outside = Outside(parts, tray, desktop)
outside.window_requested.connect(desktop.show_window)
outside.set_client(client)
outside.deliver(events)
outside.close()
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from moltbot_desktop.gateway.client import (
    AssistantClient,
    ClientEvent,
    Notice,
    NoticeKind,
    PauseLength,
    ReminderDue,
)
from moltbot_desktop.qt.hotkeys.port import Laid
from moltbot_desktop.qt.wishes import Wish, WishKind
from moltbot_desktop.ui.habits import Habits, HabitsNow
from moltbot_desktop.ui.hotkey import COMMAND, Hotkey
from moltbot_desktop.ui.notifier import Notifier, ShowsNotes
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.tray import Tray

if TYPE_CHECKING:
    from moltbot_desktop.ui.quick_ask import QuickAsk

_PROGRAM = "moltbot-desktop"


@dataclass(frozen=True)
class OutsideParts:
    """What it is made of.

    Attributes:
        quick: makes the quick question, in a look.
        looked_at: whether the person looks at the window just now.
        session_bus: whether the desktop may be spoken to over D-Bus; tests say no.
    """

    quick: Callable[[Theme], QuickAsk]
    theme: Theme
    habits: HabitsNow = field(default_factory=lambda: HabitsNow(Habits()))
    looked_at: Callable[[], bool] = lambda: False
    session_bus: bool = True


class Outside(QObject):
    """See the module.

    Signals:
        window_requested: the person wants the chat.
        chat_requested: the same, with this text in its field.
        theme_chosen: the settings say another look now, a `ThemeChoice`.
        told: something to tell in the window: a text and a hint.
        _habits: carries settings from the assistant's thread.
    """

    window_requested = Signal()
    chat_requested = Signal(str)
    theme_chosen = Signal(str)
    told = Signal(str, str)
    _habits = Signal(object)

    def __init__(self, parts: OutsideParts, tray: Tray, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._parts = parts
        self._tray = tray
        self._theme = parts.theme
        self._client: AssistantClient | None = None
        self._bus: QObject | None = None
        self._bus_asked = False
        self._notifier: Notifier | None = None
        self._now = Habits()
        self._quick: QuickAsk | None = None
        self._closed = False
        self.hotkey = Hotkey(self._session_bus, self)
        self._connect()

    def begin(self) -> None:
        """Lay the key."""
        self._parts.habits.follow(self._habits.emit)

    @property
    def quick(self) -> QuickAsk:
        """Made at its first use, then kept."""
        if self._quick is None:
            made = self._parts.quick(self._theme)
            made.chat_requested.connect(self.chat_requested)
            made.answer_needed.connect(self.window_requested)
            made.set_theme(self._theme)
            if self._client is not None:
                made.set_client(self._client)
            self._quick = made
        return self._quick

    def set_client(self, client: AssistantClient) -> None:
        """The assistant is ready."""
        self._client = client
        if self._quick is not None:
            self._quick.set_client(client)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._quick is not None:
            self._quick.set_theme(theme)

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        """Events of the assistant, in order."""
        if self._quick is not None:
            self._quick.deliver(events)
        for event in events:
            match event:
                case ReminderDue():
                    self._tray.add_due(event)
                    if self._client is not None:
                        self._client.request_status()  # one fewer is set
                    if self._now.notifications:
                        self._notes().remind(event)
                case Notice(kind=NoticeKind.ALERT):
                    self._notes().news(event)
                case Notice(kind=NoticeKind.NEWS) if self._now.notifications:
                    if not self._parts.looked_at():
                        self._notes().news(event)
                case _:
                    continue

    def needs_answer(self) -> None:
        """A card waits and nobody looks at it."""
        if self._now.notifications:
            self._notes().needs_answer()

    def fulfil(self, wish: Wish) -> bool:
        """Whether it was for us."""
        match wish.kind:
            case WishKind.TOGGLE:
                self.quick.toggle()
            case WishKind.ASK:
                self.quick.come_up(wish.text)
            case _:
                return False
        return True

    def close(self) -> None:
        """Give the key back, and keep the draft."""
        if self._closed:
            return
        self._closed = True
        self._parts.habits.follow(lambda _: None)
        self.hotkey.close()
        if self._quick is not None:
            self._quick.keep()
            self._quick.hide()
            self._quick.deleteLater()
        if self._bus is not None:
            _close_bus(self._bus)

    # ------------------------------------------------------------------ the parts

    def _connect(self) -> None:
        tray = self._tray
        tray.quick_requested.connect(self._on_quick)
        tray.pause_requested.connect(self._on_pause)
        tray.unload_requested.connect(self._on_unload)
        tray.later_requested.connect(self._on_later)
        self.hotkey.pressed.connect(self._on_key)
        self.hotkey.told.connect(self._on_laid)
        self._habits.connect(self._on_habits, Qt.ConnectionType.QueuedConnection)

    def _session_bus(self) -> QObject | None:
        if not self._bus_asked and not self._closed:
            self._bus_asked = True
            if self._parts.session_bus and sys.platform == "linux":
                self._bus = _opened_bus(self)
        return self._bus

    def _notes(self) -> Notifier:
        if self._notifier is None:
            service, locked = _desktop_notes(self._session_bus(), self)
            made = Notifier(service, locked, self._tray.balloon, self)
            made.open_requested.connect(self.window_requested)
            made.done.connect(self._tray.done)
            made.later_requested.connect(self._on_note_later)
            self._notifier = made
        self._notifier.says_what = self._now.notification_text
        return self._notifier

    # ------------------------------------------------------------------ what the person does

    @Slot(object)
    def _on_habits(self, habits: Habits) -> None:
        if not self._closed:
            self._now = habits
            self.hotkey.lay(habits.hotkey)
            self.theme_chosen.emit(habits.theme)

    @Slot()
    def _on_key(self) -> None:
        self.quick.toggle()

    @Slot()
    def _on_quick(self) -> None:
        self.quick.come_up()

    @Slot(object)
    def _on_pause(self, length: PauseLength | None) -> None:
        if self._client is not None:
            self._client.pause(length)

    @Slot()
    def _on_unload(self) -> None:
        if self._client is not None:
            self._client.unload_model()

    @Slot(str, int)
    def _on_later(self, text: str, minutes: int) -> None:
        if self._client is not None:
            self._client.remind_again(text, minutes)

    @Slot(int, str, int)
    def _on_note_later(self, number: int, text: str, minutes: int) -> None:
        self._tray.done(number)
        self._on_later(text, minutes)

    @Slot(object, str)
    def _on_laid(self, what: Laid, chord: str) -> None:
        """What the person has to know; a desktop without such keys is no news."""
        says = {
            Laid.TAKEN: self.tr("The key {chord} belongs to another program."),
            Laid.NO_KEY: self.tr("“{chord}” is no key that I could use."),
            Laid.REFUSED: self.tr("This desktop did not give me the key {chord}."),
        }
        if what in says:
            hint = self.tr("Choose another one under Settings, or bind a key to “{command}”.")
            self.told.emit(says[what].replace("{chord}", chord), hint.replace("{command}", COMMAND))


def _opened_bus(parent: QObject) -> QObject | None:
    try:
        # Late: jeepney is there on Linux alone.
        from moltbot_desktop.qt.session_bus import SessionBus  # noqa: PLC0415
    except ModuleNotFoundError:
        return None
    return SessionBus.opened(parent)


def _close_bus(bus: QObject) -> None:
    from moltbot_desktop.qt.session_bus import SessionBus  # noqa: PLC0415

    if isinstance(bus, SessionBus):
        bus.close()


def _desktop_notes(
    bus: QObject | None, parent: QObject
) -> tuple[ShowsNotes | None, Callable[[Callable[[bool], None]], None]]:
    """Who shows notes, and who says whether the screen is locked."""
    if bus is None:
        return None, lambda told: told(False)
    from moltbot_desktop.qt.notifications import Notifications, ask_locked  # noqa: PLC0415
    from moltbot_desktop.qt.session_bus import SessionBus  # noqa: PLC0415

    assert isinstance(bus, SessionBus)
    return Notifications(bus, _PROGRAM, parent), lambda told: ask_locked(bus, told)
