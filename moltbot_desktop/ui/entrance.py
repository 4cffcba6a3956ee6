"""What stands on the screen before the program is loaded: the claim on the home, icon and menu.

    with closing(Entrance(home, resources, wish)) as entrance:
        if (code := entrance.claim()) is not None:
            return code                                   # another one runs, and shows it
        run = entrance.while_loading(load)                # None: the person has quit meanwhile
        ...
        entrance.speak("zh", "dark")                      # once the settings are read
        desktop.start(entrance.hand_over())

Loading the settings, the assistant and the window takes many times as long as showing an icon. It
goes on in a thread, so the menu answers; of what is wished meanwhile the last is held. So nothing
may be imported here that an icon does not need.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QLocale, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from moltbot_desktop.qt.loading import loaded
from moltbot_desktop.qt.long_lived import keep_collections_short
from moltbot_desktop.qt.os_signals import OsSignals
from moltbot_desktop.qt.single_instance import Claim, SingleInstance
from moltbot_desktop.qt.wishes import WINDOW, Wish
from moltbot_desktop.ui.appearance import application_font, dress, system_is_dark
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import ThemeChoice, chosen_theme
from moltbot_desktop.ui.translations import (
    LanguageChoice,
    chosen_language,
    install_translation,
    switch_translation,
)

T = TypeVar("T")
EXIT_OK = 0
EXIT_FAILED = 1
IDLE_PICTURE = "tray-idle"
_FIRST_SIZES = (24, 48)
"""Pixels; whoever takes the icon over draws it for each panel."""
_SWITCH_INTERVAL_SECONDS = 0.0003
"""The default of 5 ms lets one busy thread hold up the window for 13 ms (p99). With ten accounts
each of many may have its turn before the window's: 1 ms left 80 gaps of a million over 16 ms, this
15, and as many messages went through."""


class Entrance(QObject):
    """Owns the application, the claim and the tray's icon until the process ends.

    Attributes:
        icon: in the tray; whoever takes over gives it a menu of its own.
        language, theme: as the settings say, once `speak` was called.

    Signals:
        quit_requested: by a signal of the system, or because the session ends.
        wished: another start, a shell or a link wants something shown; carries the `Wish`.
    """

    quit_requested = Signal()
    wished = Signal(object)

    def __init__(self, home: Path, resources: Path, wish: Wish | None) -> None:
        """`wish`: what to show first; None for nothing but the icon."""
        self.language: LanguageChoice = "auto"
        self.theme: ThemeChoice = "auto"
        self.application = _application(self.language, resources)
        super().__init__(self.application)
        self._resources = resources
        self._wish = wish
        self._quit = False
        self._handed_over = False
        self._signals: OsSignals | None = None
        self._instance = SingleInstance(home, self)
        self.icons = Icons(resources)
        self.icon = QSystemTrayIcon(self.icons.picture(IDLE_PICTURE, _FIRST_SIZES), self)
        self._menu = QMenu()

    def claim(self) -> int | None:
        """Be the one program of this home and show the icon.

        Returns the exit status where another one is that already and was asked for the wish.
        """
        claimed = self._instance.claim()
        if claimed is Claim.SECOND:
            asked = self._instance.ask_first(self._wish or WINDOW)
            return EXIT_OK if asked else EXIT_FAILED
        self._menu.addAction(self.tr("Open chat")).triggered.connect(self._on_open)
        self._menu.addAction(self.tr("Quit")).triggered.connect(self._on_quit)
        self.icon.setContextMenu(self._menu)
        self.icon.setToolTip(self.tr("Moltbot is starting"))
        self.icon.activated.connect(self._on_open)
        if QSystemTrayIcon.isSystemTrayAvailable():
            self.icon.show()
        if claimed is Claim.FIRST:
            self._instance.listen()
        sys.setswitchinterval(_SWITCH_INTERVAL_SECONDS)
        keep_collections_short(self, self._looks_here)
        self.application.setFont(application_font())  # looks at each font there is
        self._signals = OsSignals(self)
        self._signals.quit_requested.connect(self._on_quit)
        self.application.commitDataRequest.connect(self._on_quit)
        self._instance.wished.connect(self._on_wished)
        return None

    def _looks_here(self) -> bool:
        return self.application.applicationState() == Qt.ApplicationState.ApplicationActive

    @property
    def wish(self) -> Wish | None:
        """What is to be shown first, as far as is known by now; None for nothing but the icon."""
        return self._wish

    @property
    def menu(self) -> QMenu:
        """Until somebody takes over."""
        return self._menu

    def while_loading(self, load: Callable[[], T]) -> T | None:
        """What `load` gives, which runs in a thread; None when the person has quit meanwhile.

        Raises:
            Exception: whatever `load` raises.
        """
        result = loaded(load, self)
        return None if self._quit else result

    def speak(self, language: LanguageChoice, theme: ThemeChoice) -> None:
        """From now on in that language, and in that look."""
        self.language, self.theme = language, theme
        wanted = chosen_language(language, QLocale.system())
        switch_translation(self.application, wanted, self._resources)
        look = chosen_theme(theme, system_dark=system_is_dark())
        dress(self.application, look, self._resources)

    def welcome(self, first: Wish) -> None:
        """Nobody was here before: who wants to see the window sees `first`."""
        if self._wish == WINDOW:
            self._wish = first

    def hand_over(self) -> Wish | None:
        """From now on somebody else has the icon and does what is wished; what was until now."""
        self._handed_over = True
        self._menu.deleteLater()
        return self._wish

    def close(self) -> None:
        """Give everything back."""
        self.icon.hide()
        self._instance.release()
        if self._signals is not None:
            self._signals.close()

    @Slot()
    def _on_quit(self) -> None:
        self._quit = True
        if self._handed_over:
            self.quit_requested.emit()
        else:
            self.icon.hide()

    @Slot(object)
    def _on_wished(self, wish: Wish) -> None:
        if self._handed_over:
            self.wished.emit(wish)
        else:
            self._wish = wish

    @Slot()
    def _on_open(self) -> None:
        if not self._handed_over:
            self._wish = self._wish or WINDOW


def make_application(language: LanguageChoice, resources: Path) -> QApplication:
    """The process's QApplication in the person's language. Check `display_available` before."""
    application = _application(language, resources)
    application.setFont(application_font())
    return application


def _application(language: LanguageChoice, resources: Path) -> QApplication:
    """Without its font, which an icon does not need."""
    application = QApplication(sys.argv[:1])
    application.setApplicationName("moltbot-desktop")
    application.setDesktopFileName("moltbot-desktop")
    application.setQuitOnLastWindowClosed(False)
    application.setStyle("Fusion")
    install_translation(application, chosen_language(language, QLocale.system()), resources)
    return application
