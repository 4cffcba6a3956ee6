"""The icon in the system tray: state at a glance, the menu, balloons where nothing better is."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from moltbot_desktop.gateway.client import AssistantStatus, PauseLength, ReminderDue
from moltbot_desktop.sdk.modes import Mode, mode_words
from moltbot_desktop.sdk.traffic_words import size_words
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.words import window_language

_BALLOON_MS = 15_000
_TITLE_CHARACTERS = 60
_MOST_DUE = 8
LATER_MINUTES = (10, 60)
"""The offers for a reminder that has fired."""
_HOUR_MINUTES = 60


class TrayState(StrEnum):
    """What the icon says; the first that applies, from below."""

    IDLE = "idle"
    SEALED = "sealed"
    THINKING = "thinking"
    ERROR = "error"
    NEEDS_YOU = "needs-you"


def tray_state(*, busy: bool, waiting: bool, trouble: bool, sealed: bool = False) -> TrayState:
    """The state to show when several apply: what needs the person goes first."""
    if waiting:
        return TrayState.NEEDS_YOU
    if trouble:
        return TrayState.ERROR
    if busy:
        return TrayState.THINKING
    return TrayState.SEALED if sealed else TrayState.IDLE


class Tray(QObject):
    """Icon and menu.

    Signals:
        open_requested: show the window; toggle_requested: show or hide it.
        new_chat_requested, settings_requested, quit_requested: from the menu.
        seal_requested: the person wants the offline seal closed (True) or open.
        quick_requested: the quick question.
        pause_requested: do nothing unasked: a `PauseLength`, None to go on.
        unload_requested: give the model's memory back.
        later_requested: a reminder that has fired is to come again: its text, in so many minutes.
    """

    open_requested = Signal()
    toggle_requested = Signal()
    new_chat_requested = Signal()
    settings_requested = Signal()
    quit_requested = Signal()
    seal_requested = Signal(bool)
    quick_requested = Signal()
    pause_requested = Signal(object)
    unload_requested = Signal()
    later_requested = Signal(str, int)

    def __init__(self, icons: Icons, icon: QSystemTrayIcon, parent: QObject | None = None) -> None:
        """`icon`: stands in the tray perhaps; it is given this menu."""
        super().__init__(parent)
        self._icons = icons
        self._pictures: dict[TrayState, QIcon] = {}
        self._busy = self._waiting = self._trouble = False
        self._status: AssistantStatus | None = None
        self._due: dict[int, ReminderDue] = {}
        self._icon = icon
        self._menu = QMenu()
        self._make_menu()
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._on_activated)
        self._icon.messageClicked.connect(self.open_requested)
        self.retranslate()

    @staticmethod
    def available() -> bool:
        """Whether somebody shows icons; `isVisible` says True even where nobody does."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    @property
    def state(self) -> TrayState:
        return tray_state(
            busy=self._busy,
            waiting=self._waiting,
            trouble=self._trouble,
            sealed=self._status is not None and self._status.sealed,
        )

    @property
    def menu(self) -> QMenu:
        return self._menu

    def show(self) -> None:
        self._icon.show()

    def close(self) -> None:
        self._icon.hide()
        self._menu.deleteLater()

    @Slot(bool)
    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self._show_state()

    @Slot(bool)
    def set_waiting(self, waiting: bool) -> None:
        self._waiting = waiting
        self._show_state()

    @Slot(bool)
    def set_trouble(self, trouble: bool) -> None:
        self._trouble = trouble
        self._show_state()

    def set_status(self, status: AssistantStatus) -> None:
        self._status = status
        self.retranslate()

    def add_due(self, reminder: ReminderDue) -> None:
        """A reminder has fired: it stays in the menu until somebody has seen to it."""
        self._due[reminder.reminder_id] = reminder
        while len(self._due) > _MOST_DUE:
            del self._due[next(iter(self._due))]
        self._show_due()

    @Slot(int)
    def done(self, reminder_id: int) -> None:
        """Somebody has seen to it, here or in its notification."""
        self._due.pop(reminder_id, None)
        self._show_due()

    def balloon(self, title: str, text: str) -> None:
        """What the desktop shows where it has no notifications with buttons."""
        self._icon.showMessage(title, text, self._icon.icon(), _BALLOON_MS)

    def tell_hidden(self) -> None:
        """Said once, the first time the window goes into the tray."""
        self._icon.showMessage(
            self.tr("Moltbot is still here"),
            self.tr("Click this icon to open it again; Quit is in its menu."),
            self._icon.icon(),
            _BALLOON_MS // 2,
        )

    def retranslate(self) -> None:
        self._open.setText(self.tr("Open chat"))
        self._new.setText(self.tr("New chat"))
        self._quick.setText(self.tr("Quick question"))
        self._show_pause()
        self._show_due()
        self._show_unload()
        self._settings.setText(self.tr("Settings"))
        self._quit.setText(self.tr("Quit"))
        self._reminders.setText(self._reminder_line())
        self._model.setText(self._model_line())
        self._network.setText(self._network_line())
        self._network.setVisible(self._status is not None)
        self._mode.setText(self._mode_line())
        self._mode.setVisible(bool(self._mode.text()))
        self._walls.setText(self.tr("No walls hold commands here: I ask before most of them"))
        self._walls.setVisible(self._status is not None and self._status.walled is False)
        self._seal.setText(self.tr("Let nothing leave this computer"))
        self._show_seal()
        self._show_state()

    def _make_menu(self) -> None:
        self._open, self._new, self._settings = QAction(self), QAction(self), QAction(self)
        self._reminders, self._model, self._quit = QAction(self), QAction(self), QAction(self)
        self._network, self._mode, self._seal = QAction(self), QAction(self), QAction(self)
        self._walls = QAction(self)
        for line in (self._reminders, self._model, self._network, self._mode, self._walls):
            line.setEnabled(False)
        self._seal.setCheckable(True)
        self._seal.triggered.connect(self._on_seal)
        self._open.triggered.connect(self.open_requested)
        self._new.triggered.connect(self.new_chat_requested)
        self._settings.triggered.connect(self.settings_requested)
        self._quit.triggered.connect(self.quit_requested)
        self._quick, self._go_on, self._unload = QAction(self), QAction(self), QAction(self)
        self._quick.triggered.connect(self.quick_requested)
        self._go_on.triggered.connect(lambda: self.pause_requested.emit(None))
        self._unload.triggered.connect(self.unload_requested)
        self._pause_menu, self._due_menu = QMenu(self._menu), QMenu(self._menu)
        self._pauses = {length: QAction(self) for length in PauseLength}
        for length, action in self._pauses.items():
            action.triggered.connect(partial(self._on_pause, length))
            self._pause_menu.addAction(action)
        self._menu.addActions([self._open, self._new, self._quick])
        self._menu.addSeparator()
        self._menu.addMenu(self._due_menu)
        self._menu.addMenu(self._pause_menu)
        self._menu.addAction(self._go_on)
        self._menu.addSeparator()
        self._menu.addActions(
            [self._reminders, self._model, self._network, self._mode, self._walls]
        )
        self._menu.addSeparator()
        self._menu.addActions([self._unload, self._seal, self._settings, self._quit])

    def _reminder_line(self) -> str:
        count = self._status.reminders_due if self._status else 0
        if not count:
            return self.tr("No reminders set")
        return self.tr("Reminders set: {count}").replace("{count}", str(count))

    def _model_line(self) -> str:
        status = self._status
        if status is None or not status.model:
            return self.tr("No model loaded yet")
        size = size_in_words(status.model_bytes)
        line = self.tr("Model: {name}, {size}")
        return line.replace("{size}", size).replace("{name}", status.model)

    def _network_line(self) -> str:
        """ "" while nobody knows."""
        status = self._status
        if status is None:
            return ""
        if status.sealed:
            return self.tr("Sealed: nothing leaves this computer")
        if not status.sent_today:
            return self.tr("Nothing has left this computer today")
        line = self.tr("{size} left this computer today")
        return line.replace("{size}", size_words(status.sent_today))

    def _mode_line(self) -> str:
        """Nothing while it is the usual one."""
        mode = self._status.mode if self._status is not None else Mode.NORMAL
        return "" if mode is Mode.NORMAL else mode_words(mode, window_language())

    def _show_pause(self) -> None:
        """As it is, whatever was clicked; nothing while nobody knows."""
        paused = self._status is not None and self._status.paused
        says = {
            PauseLength.HOUR: self.tr("For one hour"),
            PauseLength.TOMORROW: self.tr("Until tomorrow morning"),
            PauseLength.OPEN: self.tr("Until I say so"),
        }
        for length, action in self._pauses.items():
            action.setText(says[length])
        self._pause_menu.setTitle(self.tr("Do nothing by yourself"))
        self._pause_menu.menuAction().setVisible(not paused)
        self._pause_menu.setEnabled(self._status is not None)
        until = self._status.paused_until if self._status is not None else ""
        line = self.tr("Go on (paused until {time})") if until else self.tr("Go on (paused)")
        self._go_on.setText(line.replace("{time}", clock_words(until)))
        self._go_on.setVisible(paused)

    def _show_due(self) -> None:
        """A menu for each reminder that fired; the newest last."""
        for menu in self._due_menu.findChildren(QMenu):
            menu.deleteLater()
        self._due_menu.clear()
        for number, reminder in self._due.items():
            menu = self._due_menu.addMenu(_one_line(reminder.text))
            menu.addAction(self.tr("Done")).triggered.connect(partial(self.done, number))
            for minutes in LATER_MINUTES:
                later = menu.addAction(later_words(minutes))
                later.triggered.connect(partial(self._on_later, number, minutes))
        title = self.tr("Reminders due: {count}").replace("{count}", str(len(self._due)))
        self._due_menu.setTitle(title)
        self._due_menu.menuAction().setVisible(bool(self._due))

    def _show_unload(self) -> None:
        status = self._status
        loaded = status is not None and status.model_loaded
        size = size_in_words(status.model_bytes) if status is not None else ""
        line = self.tr("Give the model's memory back ({size})")
        self._unload.setText(line.replace("{size}", size))
        self._unload.setVisible(loaded)
        self._unload.setEnabled(status is not None and not status.busy)

    def _on_pause(self, length: PauseLength) -> None:
        self.pause_requested.emit(length)

    def _on_later(self, number: int, minutes: int) -> None:
        reminder = self._due.get(number)
        if reminder is not None:
            self.done(number)
            self.later_requested.emit(reminder.text, minutes)

    def _show_seal(self) -> None:
        """As it is, whatever was clicked: the seal may not have moved, or not yet."""
        self._seal.setEnabled(self._status is not None)
        self._seal.setChecked(self._status is not None and self._status.sealed)

    @Slot(bool)
    def _on_seal(self, closed: bool) -> None:
        self._show_seal()
        self.seal_requested.emit(closed)

    def _show_state(self) -> None:
        self._icon.setIcon(self._picture(self.state))
        says = {
            TrayState.IDLE: self.tr("Moltbot"),
            TrayState.SEALED: self.tr("Moltbot"),
            TrayState.THINKING: self.tr("Moltbot is thinking"),
            TrayState.NEEDS_YOU: self.tr("Moltbot needs your answer"),
            TrayState.ERROR: self.tr("Moltbot has a problem"),
        }
        paused = self._status is not None and self._status.paused
        pause = self.tr("Paused: jobs and messages wait") if paused else ""
        lines = (says[self.state], pause, self._network_line())
        self._icon.setToolTip("\n".join(filter(None, lines)))

    def _picture(self, state: TrayState) -> QIcon:
        """Drawn when it is first shown: an icon stands in the tray the sooner."""
        if state not in self._pictures:
            self._pictures[state] = self._icons.picture(f"tray-{state.value}")
        return self._pictures[state]

    @Slot(QSystemTrayIcon.ActivationReason)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.toggle_requested.emit()


def later_words(minutes: int) -> str:
    """ "In 10 minutes", "In an hour"."""
    if minutes == _HOUR_MINUTES:
        return QCoreApplication.translate("Tray", "In an hour")
    line = QCoreApplication.translate("Tray", "In {minutes} minutes")
    return line.replace("{minutes}", str(minutes))


def clock_words(iso: str) -> str:
    """The time of day; "" for none. A pause is over within a day, so that says all."""
    return f"{datetime.fromisoformat(iso):%H:%M}" if iso else ""


def _one_line(text: str) -> str:
    """Short, and with no letter underlined."""
    line = " ".join(text.split())
    short = line if len(line) <= _TITLE_CHARACTERS else f"{line[: _TITLE_CHARACTERS - 1]}…"
    return short.replace("&", "&&")


def size_in_words(size_bytes: int) -> str:
    """`size_bytes` as people say it: "4.7 MB", "5.2 GB"."""
    megabytes = size_bytes / 1_000_000
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.1f} MB"
