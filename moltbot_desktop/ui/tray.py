"""The icon in the system tray: state at a glance, the menu, reminders."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from moltbot_desktop.gateway.client import AssistantStatus, Notice, ReminderDue
from moltbot_desktop.sdk.modes import Mode, mode_words
from moltbot_desktop.sdk.traffic_words import size_words
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.words import window_language

_REMINDER_MS = 15_000
_NEWS_CHARACTERS = 160


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
    """

    open_requested = Signal()
    toggle_requested = Signal()
    new_chat_requested = Signal()
    settings_requested = Signal()
    quit_requested = Signal()
    seal_requested = Signal(bool)

    def __init__(self, icons: Icons, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = {state: icons.picture(f"tray-{state.value}") for state in TrayState}
        self._busy = self._waiting = self._trouble = False
        self._status: AssistantStatus | None = None
        self._icon = QSystemTrayIcon(self._pictures[TrayState.IDLE], self)
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

    def remind(self, reminder: ReminderDue) -> None:
        """A notification by the desktop; it stays in the conversation too."""
        title = self.tr("Missed reminder") if reminder.missed else self.tr("Reminder")
        self._icon.showMessage(title, reminder.text, self._icon.icon(), _REMINDER_MS)

    def tell_news(self, news: Notice) -> None:
        """What went on while nobody looked at the window; the whole of it stands there."""
        line = " ".join(news.text.split())
        self._icon.showMessage(
            self.tr("Moltbot"), line[:_NEWS_CHARACTERS], self._icon.icon(), _REMINDER_MS
        )

    def tell_hidden(self) -> None:
        """Said once, the first time the window goes into the tray."""
        self._icon.showMessage(
            self.tr("Moltbot is still here"),
            self.tr("Click this icon to open it again; Quit is in its menu."),
            self._icon.icon(),
            _REMINDER_MS // 2,
        )

    def retranslate(self) -> None:
        self._open.setText(self.tr("Open chat"))
        self._new.setText(self.tr("New chat"))
        self._settings.setText(self.tr("Settings"))
        self._quit.setText(self.tr("Quit"))
        self._reminders.setText(self._reminder_line())
        self._model.setText(self._model_line())
        self._network.setText(self._network_line())
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
        self._menu.addActions([self._open, self._new])
        self._menu.addSeparator()
        self._menu.addActions(
            [self._reminders, self._model, self._network, self._mode, self._walls]
        )
        self._menu.addSeparator()
        self._menu.addActions([self._seal, self._settings, self._quit])

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
        status = self._status
        if status is not None and status.sealed:
            return self.tr("Sealed: nothing leaves this computer")
        if status is None or not status.sent_today:
            return self.tr("Nothing has left this computer today")
        line = self.tr("{size} left this computer today")
        return line.replace("{size}", size_words(status.sent_today))

    def _mode_line(self) -> str:
        """Nothing while it is the usual one."""
        mode = self._status.mode if self._status is not None else Mode.NORMAL
        return "" if mode is Mode.NORMAL else mode_words(mode, window_language())

    def _show_seal(self) -> None:
        """As it is, whatever was clicked: the seal may not have moved, or not yet."""
        self._seal.setEnabled(self._status is not None)
        self._seal.setChecked(self._status is not None and self._status.sealed)

    @Slot(bool)
    def _on_seal(self, closed: bool) -> None:
        self._show_seal()
        self.seal_requested.emit(closed)

    def _show_state(self) -> None:
        self._icon.setIcon(self._pictures[self.state])
        says = {
            TrayState.IDLE: self.tr("Moltbot"),
            TrayState.SEALED: self.tr("Moltbot"),
            TrayState.THINKING: self.tr("Moltbot is thinking"),
            TrayState.NEEDS_YOU: self.tr("Moltbot needs your answer"),
            TrayState.ERROR: self.tr("Moltbot has a problem"),
        }
        self._icon.setToolTip(f"{says[self.state]}\n{self._network_line()}")

    @Slot(QSystemTrayIcon.ActivationReason)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.toggle_requested.emit()


def size_in_words(size_bytes: int) -> str:
    """`size_bytes` as people say it: "4.7 MB", "5.2 GB"."""
    megabytes = size_bytes / 1_000_000
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.1f} MB"
