"""What stands on the screen before the program is loaded: the claim on the home, icon and menu.

    entrance = Entrance(EntranceParts(home, resources, "en", "auto"), wish)
    if (code := entrance.claim()) is not None:
        return code                                   # another one runs, and shows it
    run_window = entrance.while_loading(load)         # None: the person has quit meanwhile
    ...
    desktop.fulfil(entrance.hand_over())

Loading the assistant and the window takes many times as long as showing an icon. It goes on in a
thread, so the menu answers; what is asked for meanwhile is held, the last wish alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEventLoop, QLocale, QObject, Qt, QThread, Signal, Slot
from PySide6.QtWidgets import QApplication

from moltbot_desktop.qt.os_signals import OsSignals
from moltbot_desktop.qt.single_instance import Claim, SingleInstance
from moltbot_desktop.qt.wishes import SETTINGS, TOGGLE, WINDOW, Wish
from moltbot_desktop.ui.appearance import application_font, dress, system_is_dark
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.place import WELCOME
from moltbot_desktop.ui.theme import ThemeChoice, chosen_theme
from moltbot_desktop.ui.translations import (
    LanguageChoice,
    chosen_language,
    install_translation,
)
from moltbot_desktop.ui.tray import Tray

T = TypeVar("T")
EXIT_OK = 0
EXIT_FAILED = 1
_SWITCH_INTERVAL_SECONDS = 0.001
"""The default of 5 ms lets one busy thread hold up the window for 13 ms (p99)."""


@dataclass(frozen=True)
class EntranceParts:
    """What there is before anything is loaded.

    Attributes:
        home: the program's folder; lock and socket are kept there.
        resources: the folder with icons, styles and translations.
    """

    home: Path
    resources: Path
    language: LanguageChoice = "auto"
    theme: ThemeChoice = "auto"


class Entrance(QObject):
    """Owns the application, the claim and the tray's icon until the process ends.

    Signals:
        quit_requested: by the menu, by a signal of the system, or because the session ends.
        wished: another start, a shell or a link wants something shown; carries the `Wish`.
    """

    quit_requested = Signal()
    wished = Signal(object)

    def __init__(self, parts: EntranceParts, wish: Wish | None) -> None:
        """`wish`: what to show first; None for nothing but the icon."""
        self.application = make_application(parts.language, parts.resources)
        super().__init__(self.application)
        self.parts = parts
        self._wish = wish
        self._quit = False
        self._handed_over = False
        self._instance = SingleInstance(parts.home, self)
        self._signals: OsSignals | None = None
        self.icons = Icons(parts.resources)
        self.tray = Tray(self.icons, self)

    def claim(self) -> int | None:
        """Be the one program of this home and show the icon.

        Returns the exit status where another one is that already and was asked for the wish.
        """
        if self._instance.claim() is Claim.SECOND:
            asked = self._instance.ask_first(self._wish or WINDOW)
            return EXIT_OK if asked else EXIT_FAILED
        sys.setswitchinterval(_SWITCH_INTERVAL_SECONDS)
        self._signals = OsSignals(self)
        self._signals.quit_requested.connect(self._on_quit)
        self.application.commitDataRequest.connect(self._on_quit)
        self._instance.wished.connect(self._on_wished)
        self.tray.quit_requested.connect(self._on_quit)
        self.tray.open_requested.connect(self._on_open)
        self.tray.toggle_requested.connect(self._on_open)
        self.tray.new_chat_requested.connect(self._on_open)
        self.tray.quick_requested.connect(self._on_quick)
        self.tray.settings_requested.connect(self._on_settings)
        if Tray.available():
            self.tray.show()
        self._dress()
        return None

    def while_loading(self, load: Callable[[], T]) -> T | None:
        """What `load` gives, which runs in a thread; None when the person has quit meanwhile.

        Raises:
            Exception: whatever `load` raises.
        """
        loop = QEventLoop()
        loading = _Loading(load, self)
        loading.finished.connect(loop.quit, Qt.ConnectionType.QueuedConnection)
        loading.start()
        loop.exec()
        loading.wait()
        loading.deleteLater()
        if loading.failure is not None:
            raise loading.failure
        return None if self._quit else loading.result

    def welcome(self) -> None:
        """Nobody was here before: a wish for the window is one for its first page."""
        if self._wish == WINDOW:
            self._wish = Wish.of_page(WELCOME)

    def hand_over(self) -> Wish | None:
        """From now on somebody else does what is wished; what was wished until now."""
        self._handed_over = True
        return self._wish

    def leave(self) -> None:
        """Give everything back; last of all, the icon is gone already."""
        self._instance.release()
        if self._signals is not None:
            self._signals.close()

    @Slot()
    def _on_quit(self) -> None:
        self._quit = True
        if self._handed_over:
            self.quit_requested.emit()
        else:
            self.tray.close()

    @Slot(object)
    def _on_wished(self, wish: Wish) -> None:
        self._hold(wish)
        self.wished.emit(wish)

    @Slot()
    def _on_open(self) -> None:
        self._hold(self._wish or WINDOW)

    @Slot()
    def _on_quick(self) -> None:
        self._hold(TOGGLE)

    @Slot()
    def _on_settings(self) -> None:
        self._hold(SETTINGS)

    def _hold(self, wish: Wish) -> None:
        if not self._handed_over:
            self._wish = wish

    def _dress(self) -> None:
        theme = chosen_theme(self.parts.theme, system_dark=system_is_dark())
        dress(self.application, theme, self.parts.resources)


class _Loading(QThread):
    def __init__(self, load: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._load = load
        self.result: object = None
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            self.result = self._load()
        except Exception as error:  # noqa: BLE001  # raised again where it is waited for
            self.failure = error


def make_application(language: LanguageChoice, resources: Path) -> QApplication:
    """The process's QApplication in the person's language. Check `display_available` before."""
    application = QApplication(sys.argv[:1])
    application.setApplicationName("moltbot-desktop")
    application.setDesktopFileName("moltbot-desktop")
    application.setQuitOnLastWindowClosed(False)
    application.setStyle("Fusion")
    application.setFont(application_font())
    install_translation(application, chosen_language(language, QLocale.system()), resources)
    return application
