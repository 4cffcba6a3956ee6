"""The windows, and all that they are made of.

    windows = Windows(parts, icons, desktop)
    window = windows.main(theme)
    quick = windows.quick(theme)
    windows.close()

A program that waits in the tray has none: `application.py` loads this file with the first of them.
"""

from __future__ import annotations

from PySide6.QtCore import QLocale, QObject
from PySide6.QtWidgets import QApplication

from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.conversations.past import SideParts
from moltbot_desktop.ui.desktop_parts import DesktopParts
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.main_window import MainWindow
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.places import places
from moltbot_desktop.ui.quick_ask import QuickAsk, QuickAskParts
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.translations import chosen_language


class Windows:
    """Makes the windows of one program, and has the threads that work for them."""

    def __init__(self, parts: DesktopParts, icons: Icons, parent: QObject) -> None:
        self._parts = parts
        self._icons = icons
        self._file = parts.home / "window.ini"
        self._worker, self._places_worker = Worker(parent), Worker(parent)

    def main(self, theme: Theme) -> MainWindow:
        """The program's window with all its places, of which only the chat is made."""
        parts = self._parts
        desks = parts.desks()
        language = chosen_language(parts.language, QLocale.system())
        of_places = PlaceParts(
            *(self._icons, self._places_worker, language, parts.clock),
            is_real=parts.face.is_owners,
        )
        of_window = WindowParts(
            icons=self._icons,
            worker=self._worker,
            clock=parts.clock,
            theme=theme,
            font=QApplication.font(),
            settings_file=self._file,
            is_real=parts.face.is_owners,
            offline=parts.offline,
            past=SideParts(desks.conversations, of_places),
            attached=parts.attached,
        )
        return MainWindow(of_window, places(desks, of_places))

    def quick(self, theme: Theme) -> QuickAsk:
        """The quick question."""
        return QuickAsk(
            QuickAskParts(
                icons=self._icons,
                worker=self._worker,
                clock=self._parts.clock,
                theme=theme,
                font=QApplication.font(),
                settings_file=self._file,
                resources=self._parts.resources,
            )
        )

    def close(self) -> None:
        """End the threads; what they still had to do is dropped."""
        self._worker.close()
        self._places_worker.close()
