"""The windows, and all that they are made of.

    windows = Windows(parts, icons, desktop)
    window = windows.main(theme)
    quick = windows.quick(theme)
    windows.close()

A program that waits in the tray has none, and the quick question, which should be there at once,
needs little of what the main window does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject
from PySide6.QtWidgets import QApplication

from moltbot_desktop.core.late import LateModule, load_now
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.desktop_parts import DesktopParts
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.translations import chosen_language

if TYPE_CHECKING:
    from moltbot_desktop.ui import main_window, parts, places, quick_ask
    from moltbot_desktop.ui.conversations import past
    from moltbot_desktop.ui.kit import list_place
else:
    list_place = LateModule("moltbot_desktop.ui.kit.list_place")
    main_window = LateModule("moltbot_desktop.ui.main_window")
    parts = LateModule("moltbot_desktop.ui.parts")
    past = LateModule("moltbot_desktop.ui.conversations.past")
    places = LateModule("moltbot_desktop.ui.places")
    quick_ask = LateModule("moltbot_desktop.ui.quick_ask")


def load_window() -> None:
    """What the main window is made of, for a start that shows it at once."""
    load_now(list_place, main_window, parts, past, places)


class Windows:
    """Makes the windows of one program, and has the threads that work for them."""

    def __init__(self, parts: DesktopParts, icons: Icons, parent: QObject) -> None:
        self._parts = parts
        self._icons = icons
        self._file = parts.home / "window.ini"
        self._worker, self._places_worker = Worker(parent), Worker(parent)

    def main(self, theme: Theme) -> main_window.MainWindow:
        """The program's window with all its places, of which only the chat is made."""
        given = self._parts
        desks = given.desks()
        language = chosen_language(given.language, QLocale.system())
        of_places = list_place.PlaceParts(
            *(self._icons, self._places_worker, language, given.clock),
            is_real=given.face.is_owners,
        )
        of_window = parts.WindowParts(
            icons=self._icons,
            worker=self._worker,
            clock=given.clock,
            theme=theme,
            font=QApplication.font(),
            settings_file=self._file,
            is_real=given.face.is_owners,
            offline=desks.offline,
            past=past.SideParts(desks.conversations, of_places),
            attached=desks.attached,
        )
        return main_window.MainWindow(of_window, places.places(desks, of_places))

    def quick(self, theme: Theme) -> quick_ask.QuickAsk:
        """The quick question."""
        return quick_ask.QuickAsk(
            quick_ask.QuickAskParts(
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
