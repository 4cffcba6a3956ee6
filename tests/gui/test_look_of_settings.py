"""Another look in the settings is another look of the window, at once."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from moltbot_desktop.ui.application import Desktop
from moltbot_desktop.ui.habits import Habits


def test_the_look_that_is_chosen_holds_at_once(
    desktop: Desktop, qapp: QApplication, qtbot: QtBot
) -> None:
    grounds = []
    desktop.outside.begin()
    for look in ("dark", "light", "dark"):
        desktop._parts.habits.tell(Habits(theme=look))
        qtbot.waitUntil(lambda look=look: desktop._theme == look)  # type: ignore[misc]
        grounds.append(qapp.palette().window().color().lightness())
    assert grounds[0] == grounds[2] < 80 < 200 < grounds[1]
