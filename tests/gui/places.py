"""A place of the window by itself, on a desk that a test brings, as a person finds it.

place = stage.show(DoctorPlace(stage.parts, desk))
stage.settle()
stage.press(Qt.Key.Key_Down)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from moltbot_desktop.ui.appearance import dress
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.place import Place
from moltbot_desktop.ui.theme import DARK, LIGHT

ARTIFACTS = Path(__file__).parents[1] / "artifacts"

P = TypeVar("P", bound=Place)
SIZE = QSize(860, 620)


@dataclass
class Stage:
    """Where places are shown; `made` are closed after the test."""

    parts: PlaceParts
    qtbot: QtBot
    resources: Path
    made: list[Place] = field(default_factory=list)

    def show(self, place: P, *, dark: bool = False, size: QSize = SIZE) -> P:
        """As somebody goes to it."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        theme = DARK if dark else LIGHT
        dress(application, theme, self.resources)
        self.made.append(place)
        place.set_theme(theme)
        place.resize(size)
        place.show()
        with self.qtbot.waitActive(place):
            place.activateWindow()
        place.entered()
        self.settle()
        place.take_focus()
        return place

    def settle(self) -> None:
        """Wait until every question to a desk is answered and shown."""
        self.qtbot.waitUntil(lambda: self.parts.worker.idle)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
        """A key, where the focus is."""
        place = self.made[-1]
        target = place.focusWidget() or place
        QTest.keyClick(target, key, modifier or Qt.KeyboardModifier.NoModifier)
        self.settle()

    def screenshot(self, name: str) -> None:
        """Keep a picture for people to look at."""
        self.settle()
        ARTIFACTS.mkdir(exist_ok=True)
        assert self.made[-1].grab().save(str(ARTIFACTS / f"{name}.png"))


def texts_in(widget: QWidget) -> list[str]:
    """What can be read in it, from top to bottom."""
    return [one.text() for one in widget.findChildren(QLabel) if one.isVisible() and one.text()]


def button_in(widget: QWidget, text: str) -> QPushButton:
    """The visible button that says `text`."""
    found = [one for one in widget.findChildren(QPushButton) if one.isVisible()]
    [button] = [one for one in found if one.text() == text]
    return button


def answer(widget: QWidget, text: str) -> str:
    """Press `text` in the question that is open; returns what it asked."""
    [box] = [one for one in widget.findChildren(QMessageBox) if one.isVisible()]
    asked = box.text()
    next(one for one in box.buttons() if one.text() == text).click()
    return asked
