"""Starts and ends the loaded program: one thread for the assistant, tray, window.

The thread begins when it is needed: at once, or when a rest is over (`qt.resting`) or somebody
wants to see something.

Order of ending: no new work is taken, the assistant ends by itself within its time (it cancels
runs and writes their outcomes), the mailbox delivers what still waits, then the widgets go. When
the thread hangs, all stacks are dumped and the process ends with 70: a running QThread can be
neither killed nor deleted.
"""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from moltbot_desktop.core.ending import AGAIN
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.events import ApprovalRequested, RunEnded, RunStarted
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.gateway.client import (
    AssistantClient,
    AssistantStatus,
    ClientEvent,
    Notice,
    NoticeKind,
    ReminderDue,
)
from moltbot_desktop.qt.agent_thread import AgentThread
from moltbot_desktop.qt.mailbox import Mailbox
from moltbot_desktop.qt.main_thread import MainThread
from moltbot_desktop.qt.resting import Resting
from moltbot_desktop.qt.wishes import Wish, WishKind
from moltbot_desktop.ui.appearance import dress, system_is_dark
from moltbot_desktop.ui.desktop_parts import DesktopParts
from moltbot_desktop.ui.entrance import EXIT_FAILED, EXIT_OK, Entrance
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.outside import Outside, OutsideParts
from moltbot_desktop.ui.place import CHAT, SETTINGS, PlaceId
from moltbot_desktop.ui.seal_question import SealQuestion
from moltbot_desktop.ui.theme import Theme, ThemeChoice, chosen_theme
from moltbot_desktop.ui.tray import Tray

if TYPE_CHECKING:
    from moltbot_desktop.ui import windows
    from moltbot_desktop.ui.main_window import MainWindow
    from moltbot_desktop.ui.quick_ask import QuickAsk
else:
    windows = LateModule("moltbot_desktop.ui.windows")

EXIT_HUNG = 70
_STOP_DEADLINE_MS = 8_000
_TRAY_WAIT_MS = 1_500
_TRAY_POLL_MS = 100


class Desktop(QObject):
    """The program while it runs.

    Signals:
        _ready: the assistant can be spoken to; carries the client from the agent's thread.
        ended: everything is closed; carries the exit code, `AGAIN` for a new start.
    """

    _ready = Signal(object)
    ended = Signal(int)

    def __init__(
        self,
        parts: DesktopParts,
        application: QApplication,
        icons: Icons,
        icon: QSystemTrayIcon,
    ) -> None:
        super().__init__(application)
        self._parts = parts
        self._application = application
        self._icons = icons
        self._theme = parts.theme
        self._client: AssistantClient | None = None
        self._windows: windows.Windows | None = None
        self._window: MainWindow | None = None
        self._status: AssistantStatus | None = None
        self._runs: set[RunId] = set()
        self._ending = self._again = False
        self._told_hidden = False
        self._unsubscribe: Callable[[], None] = lambda: None
        main = MainThread(self)
        parts.face.attach(main)
        parts.clipboard.attach(main)
        application.setWindowIcon(icons.picture("moltbot"))
        self.tray = Tray(icons, icon, self)
        outside = OutsideParts(self._made_quick, self._look(), parts.habits, self._is_looked_at)
        self.outside = Outside(outside, self.tray, self)
        self._has_tray = False
        self._mailbox = Mailbox(self._deliver, parent=self)
        self._ready.connect(self._on_ready, Qt.ConnectionType.QueuedConnection)
        self._agent = AgentThread(parts.assistant, self._ready.emit, application)
        self._agent.finished.connect(self._on_agent_finished)
        self._resting: Resting | None = None
        if parts.rest is not None:
            self._resting = Resting(parts.rest, self)
            self._resting.over.connect(self.wake)
        self._connect()

    @property
    def window(self) -> MainWindow:
        """Made when there is first something to see in it, then kept."""
        if self._window is None:
            self._window = self._makes_windows().main(self._look())
            self._connect_window(self._window)
            self.wake()
        return self._window

    def start(self, wish: Wish | None) -> None:
        """Show what is wished, and start the assistant unless it may rest."""
        self._dress()
        self.outside.begin()
        rests = self._resting is not None
        if wish is not None:
            self.fulfil(wish)
        if not rests:
            self._agent.start()
        self._look_for_tray(_TRAY_WAIT_MS)

    @Slot()
    def wake(self) -> None:
        """End the rest, if it is one: the assistant starts."""
        if self._resting is None:
            return
        self._resting.stop()
        self._resting.deleteLater()
        self._resting = None
        # Not here: what somebody wants to see is shown before the assistant takes its share.
        QTimer.singleShot(0, self._begin)

    @Slot()
    def quit(self) -> None:
        """End everything, in order; asking again does nothing."""
        if self._ending:
            return
        self._ending = True
        if self._window is not None:
            self._window.keep_place()
        self._agent.ask_to_stop()
        # Not here: a menu or a dialog may be on the stack and must unwind first.
        QTimer.singleShot(0, self._end)

    @Slot()
    def start_again(self) -> None:
        """End everything, in order, for a new start; what is typed and not sent is kept."""
        self._again = True
        self.quit()

    @Slot(object)
    def fulfil(self, wish: Wish) -> None:
        """Show what another start, a shell or a link asked for; nothing is sent or answered."""
        if self._ending or self.outside.fulfil(wish):
            return
        if wish.kind is WishKind.SETTINGS:
            self.show_settings()
        elif wish.kind is WishKind.PAGE and self.window.has(PlaceId(wish.page)):
            self.window.come_to_front(PlaceId(wish.page))
        else:
            self.show_window()

    @Slot()
    def show_window(self) -> None:
        self.window.come_to_front()

    @Slot()
    def show_chat(self) -> None:
        self.window.come_to_front(CHAT)

    @Slot(str)
    def _on_chat_requested(self, text: str) -> None:
        """What the quick question's field held goes on in the chat, unsent."""
        self.show_chat()
        if text:
            self.window.chat.composer.give_back(text)

    @Slot(str, str)
    def _on_told(self, text: str, hint: str) -> None:
        self._mailbox.post(Notice(text, hint))

    @Slot()
    def show_settings(self) -> None:
        """Show the settings; they need no assistant, so one that cannot start can be mended."""
        if not self._ending:
            self.window.come_to_front(SETTINGS)

    def _makes_windows(self) -> windows.Windows:
        if self._windows is None:
            self._windows = windows.Windows(self._parts, self._icons, self)
        return self._windows

    def _made_quick(self, theme: Theme) -> QuickAsk:
        self.wake()
        return self._makes_windows().quick(theme)

    @Slot()
    def _begin(self) -> None:
        if not self._ending:
            self._agent.start()

    def _look(self) -> Theme:
        return chosen_theme(self._theme, system_dark=system_is_dark())

    def _is_looked_at(self) -> bool:
        return self._window is not None and self._window.isActiveWindow()

    def _connect(self) -> None:
        tray = self.tray
        tray.settings_requested.connect(self.show_settings)
        tray.menu.aboutToShow.connect(self.wake)
        tray.quit_requested.connect(self.quit)
        tray.open_requested.connect(self.show_window)
        tray.toggle_requested.connect(self._on_toggle)
        tray.new_chat_requested.connect(self._on_new_chat)
        tray.seal_requested.connect(self._on_seal)
        self.outside.window_requested.connect(self.show_chat)
        self.outside.chat_requested.connect(self._on_chat_requested)
        self.outside.told.connect(self._on_told)
        self.outside.theme_chosen.connect(self._on_theme)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme)

    def _connect_window(self, window: MainWindow) -> None:
        window.quit_requested.connect(self.quit)
        window.new_start_requested.connect(self.start_again)
        window.closing.connect(self._on_closing)
        window.looked_at.connect(window.chat.looked_at)
        window.chat.waiting_changed.connect(self._on_waiting)
        window.chat.trouble.connect(self._on_trouble)
        if self._status is not None:
            window.deliver((self._status,))  # whose conversation it shows, before anything else
        if self._client is not None:
            window.set_client(self._client)

    # ------------------------------------------------------------------ the assistant

    @Slot(object)
    def _on_ready(self, client: AssistantClient) -> None:
        if self._ending:
            return
        self._client = client
        self._unsubscribe = client.subscribe(self._mailbox.post)
        if self._window is not None:
            self._window.set_client(client)
        self.outside.set_client(client)
        client.request_status()

    def _deliver(self, events: tuple[ClientEvent, ...]) -> None:
        if self._window is not None or any(map(_is_to_be_seen, events)):
            self.window.deliver(events)
        self.outside.deliver(events)
        for event in events:
            match event:
                case RunStarted():
                    self._runs.add(event.run_id)
                case RunEnded():
                    self._runs.discard(event.run_id)
                case AssistantStatus():
                    self._on_status(event)
                case ReminderDue() | Notice(kind=NoticeKind.ALERT) if not self._has_tray:
                    self.window.come_to_front(CHAT)  # without a tray nothing else would be seen
                case _:
                    continue
        self.tray.set_busy(bool(self._runs))

    def _on_status(self, status: AssistantStatus) -> None:
        self._status = status
        self.tray.set_status(status)
        if not status.busy:
            self._runs.clear()  # one whose end could not be written down never tells it

    @Slot()
    def _on_agent_finished(self) -> None:
        """The assistant ended by itself: say why; the window stays, with what is on it."""
        if self._ending:
            return
        self._leave_rest()
        failure = self._agent.failure
        if isinstance(failure, MoltbotError):
            self._mailbox.post(Notice(failure.message, failure.hint, serious=True))
            return
        if failure is not None:
            self._parts.report(failure)
        self.window.show_problem(
            self.tr("The assistant has stopped unexpectedly."),
            self.tr("Quit and start again. A note about it is in the logs folder."),
        )

    # ------------------------------------------------------------------ tray and window

    def _look_for_tray(self, left_ms: int) -> None:
        """A panel that starts together with us may need a moment."""
        if Tray.available():
            self._has_tray = True
            self.tray.show()
        elif left_ms > 0 and not self._ending:
            QTimer.singleShot(_TRAY_POLL_MS, lambda: self._look_for_tray(left_ms - _TRAY_POLL_MS))
        elif self._window is None or not self._window.isVisible():
            self.window.come_to_front()

    @Slot()
    def _on_toggle(self) -> None:
        window = self._window
        if window is not None and window.isVisible() and not window.isMinimized():
            window.keep_place()
            window.hide()
        else:
            self.window.come_to_front()

    @Slot()
    def _on_closing(self) -> None:
        if not self._has_tray:
            self.window.showMinimized()
            return
        self.window.hide()
        if not self._told_hidden:
            self._told_hidden = True
            self.tray.tell_hidden()

    @Slot()
    def _on_new_chat(self) -> None:
        self.window.chat.new_chat()
        self.window.come_to_front(CHAT)

    @Slot(bool)
    def _on_seal(self, closed: bool) -> None:
        if self._client is None:
            return
        if closed:
            self._client.move_seal(closed=True)
            return
        question = self.window.findChild(SealQuestion)
        if question is None:
            question = SealQuestion(self._parts.clock, self._parts.face.is_owners, self.window)
            question.agreed.connect(self._on_seal_open)
        question.show()
        question.raise_()
        question.activateWindow()

    @Slot()
    def _on_seal_open(self) -> None:
        if self._client is not None:
            self._client.move_seal(closed=False)

    @Slot(bool)
    def _on_waiting(self, waiting: bool) -> None:
        self.tray.set_waiting(waiting)
        if waiting and self._parts.face.in_use:
            self.window.come_to_front(CHAT)  # a program that is worked in may lie over the card
            self._parts.face.uncover(self.window.frameGeometry())
        elif waiting and not self.window.isActiveWindow():
            QApplication.alert(self.window)
            self.outside.needs_answer()

    @Slot(bool)
    def _on_trouble(self, trouble: bool) -> None:
        """Trouble is over when the person has looked at the window."""
        self.tray.set_trouble(trouble and not self.window.isActiveWindow())

    @Slot()
    def _on_scheme(self) -> None:
        self._dress()

    @Slot(str)
    def _on_theme(self, theme: ThemeChoice) -> None:
        if theme != self._theme:
            self._theme = theme
            self._dress()

    def _dress(self) -> None:
        theme = self._look()
        dress(self._application, theme, self._parts.resources)
        if self._window is not None:
            self._window.set_theme(theme)
        self.outside.set_theme(theme)

    # ------------------------------------------------------------------ ending

    @Slot()
    def _end(self) -> None:
        """The stages; see the module's docstring."""
        ended = self._agent.stop(_STOP_DEADLINE_MS)
        self._leave_rest()
        self._mailbox.close()
        self._unsubscribe()
        self.outside.close()
        if self._windows is not None:
            self._windows.close()
        self.tray.close()
        if self._window is not None:
            self._window.hide()
        if not ended:
            faulthandler.dump_traceback(all_threads=True)
            os._exit(EXIT_HUNG)
        failure = self._agent.failure
        if failure is not None and not isinstance(failure, MoltbotError):
            self._parts.report(failure)
        if self._window is not None:
            self._window.deleteLater()
        code = EXIT_OK if failure is None else EXIT_FAILED
        self.ended.emit(AGAIN if self._again else code)

    def _leave_rest(self) -> None:
        """Nobody need wait at a door behind which there is no assistant."""
        if self._resting is not None:
            self._resting.stop()
        if self._parts.rest is not None:
            self._parts.rest.close()


def _is_to_be_seen(event: ClientEvent) -> bool:
    """Whether somebody must be able to see it, who has not opened the window yet. What is said in a
    conversation stands there when it is opened; what is told beside it would be lost."""
    return isinstance(event, ApprovalRequested | Notice | ReminderDue)


def run_desktop(parts: DesktopParts, entrance: Entrance) -> int:
    """Run the desktop program until the person quits; the process's exit code."""
    application = entrance.application
    desktop = Desktop(parts, application, entrance.icons, entrance.icon)
    entrance.wished.connect(desktop.fulfil)
    entrance.quit_requested.connect(desktop.quit)
    desktop.ended.connect(application.exit)
    desktop.start(entrance.hand_over())
    return application.exec()
