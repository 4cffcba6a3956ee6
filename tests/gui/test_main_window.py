"""The window around the places: the rail, going from one to the other, what waits there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.gateway.client import AssistantClient, ClientEvent, Notice
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.appearance import application_font, dress
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.main_window import MainWindow
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.place import CHAT, MEMORY, SETTINGS, Place, PlaceId, PlaceSpec
from moltbot_desktop.ui.theme import DARK, LIGHT
from tests.fakes.assistant_client import FakeAssistantClient
from tests.gui.conftest import ARTIFACTS
from tests.gui.times import START


class Noted(Place):
    """A place that writes down what it was told."""

    def __init__(self, told: list[object]) -> None:
        super().__init__()
        self.told = told
        self.stays = False

    def set_client(self, client: AssistantClient) -> None:
        self.told.append("client")

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        self.told += events

    def entered(self, what: str = "") -> None:
        self.told.append(f"entered {what}".strip())

    def left(self) -> None:
        self.told.append("left")

    def keep(self) -> None:
        self.told.append("keep")

    def leaves(self) -> bool:
        return not self.stays


class Made:
    """A window with two places beside the chat; `told` is what each of them heard."""

    def __init__(self, folder: Path, resources: Path) -> None:
        self.told: dict[PlaceId, list[object]] = {MEMORY: [], SETTINGS: []}
        self.made: list[PlaceId] = []
        self.worker = Worker()
        parts = WindowParts(
            Icons(resources),
            self.worker,
            ManualClock(START),
            LIGHT,
            application_font(),
            folder / "window.ini",
        )
        self.window = MainWindow(
            parts,
            (
                PlaceSpec(MEMORY, "memory", lambda: "Memory", self._maker(MEMORY)),
                PlaceSpec(SETTINGS, "settings", lambda: "Settings", self._maker(SETTINGS), True),
            ),
        )
        self.window.show()

    def _maker(self, place: PlaceId) -> Callable[[], Noted]:
        def make() -> Noted:
            self.made.append(place)
            return Noted(self.told[place])

        return make

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier) -> None:
        QTest.keyClick(self.window, key, modifier)


@pytest.fixture
def made(qapp: QApplication, qtbot: QtBot, tmp_path: Path, checkout: Path) -> Iterator[Made]:
    dress(qapp, LIGHT, checkout / "resources")
    made = Made(tmp_path, checkout / "resources")
    with qtbot.waitActive(made.window):
        made.window.activateWindow()
    yield made
    assert made.worker.close()
    made.window.hide()
    made.window.deleteLater()


CONTROL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier


def test_a_place_is_made_when_somebody_goes_there_and_kept(made: Made) -> None:
    assert made.made == [] and made.window.here == CHAT
    made.window.rail.buttons[MEMORY].click()
    made.window.go(CHAT)
    made.window.go(MEMORY, "notes.md")
    assert made.made == [MEMORY]
    assert made.told[MEMORY] == ["entered", "left", "entered notes.md"]
    assert made.window.windowTitle() == "Memory – Moltbot Desktop"
    assert [name for name, one in made.window.rail.buttons.items() if one.isChecked()] == [MEMORY]


def test_keys_go_to_the_places_and_escape_back(made: Made) -> None:
    made.press(Qt.Key.Key_2, CONTROL)
    assert made.window.here == MEMORY
    made.press(Qt.Key.Key_Escape, NONE)
    assert made.window.here == CHAT
    assert made.window.focusWidget() is made.window.chat.composer.edit
    made.press(Qt.Key.Key_Comma, CONTROL)
    assert made.window.here == SETTINGS


def test_page_keys_go_around_all_places(made: Made) -> None:
    seen = []
    for _ in range(3):
        made.press(Qt.Key.Key_PageDown, CONTROL)
        seen.append(made.window.here)
    assert seen == [MEMORY, SETTINGS, CHAT]
    made.press(Qt.Key.Key_PageUp, CONTROL)
    assert made.window.here == SETTINGS


def test_a_place_may_need_escape_for_itself(made: Made) -> None:
    made.window.go(MEMORY)
    place = made.window.place(MEMORY)
    assert isinstance(place, Noted)
    place.stays = True
    made.press(Qt.Key.Key_Escape, NONE)
    assert made.window.here == MEMORY


def test_up_and_down_walk_along_the_rail(made: Made) -> None:
    buttons = made.window.rail.buttons
    buttons[CHAT].setFocus()
    QTest.keyClick(buttons[CHAT], Qt.Key.Key_Down)
    assert made.window.focusWidget() is buttons[MEMORY]
    QTest.keyClick(buttons[MEMORY], Qt.Key.Key_Up)
    QTest.keyClick(buttons[CHAT], Qt.Key.Key_Up)
    assert made.window.focusWidget() is buttons[SETTINGS]
    QTest.keyClick(buttons[SETTINGS], Qt.Key.Key_Space)
    assert made.window.here == SETTINGS


def test_places_hear_of_the_assistant_and_of_each_event_once(made: Made) -> None:
    made.window.go(MEMORY)
    made.window.set_client(FakeAssistantClient())
    notice = Notice("The disk is full.")
    made.window.deliver([notice])
    made.window.go(SETTINGS)  # made after the assistant was ready
    made.window.keep_place()
    assert made.told[MEMORY] == ["entered", "client", notice, "left", "keep"]
    assert made.told[SETTINGS] == ["client", "entered", "keep"]


def test_what_waits_is_a_number_and_is_told_to_screen_readers(made: Made) -> None:
    made.window.place(MEMORY).badge_changed.emit(3)
    button = made.window.rail.buttons[MEMORY]
    assert (button.count, button.accessibleName()) == (3, "Memory, 3 waiting")
    made.window.place(MEMORY).badge_changed.emit(0)
    assert button.accessibleName() == "Memory"
    made.window.chat.waiting_changed.emit(True)
    assert made.window.rail.buttons[CHAT].count == 1


def test_a_place_can_send_to_another(made: Made) -> None:
    made.window.go(MEMORY)
    made.window.place(MEMORY).place_requested.emit(SETTINGS, "skills")
    assert made.window.here == SETTINGS and made.told[SETTINGS] == ["entered skills"]
    made.window.place(MEMORY).place_requested.emit("nowhere", "")
    assert made.window.here == SETTINGS


def test_a_hidden_window_looks_at_nothing(made: Made) -> None:
    made.window.go(MEMORY)
    made.window.hide()
    made.window.come_to_front()
    assert made.told[MEMORY] == ["entered", "left", "entered"]


def test_words_go_where_there_is_no_room_for_them(made: Made) -> None:
    rail = made.window.rail
    made.window.resize(900, 700)
    assert rail.width() == 84
    made.window.resize(500, 700)
    assert rail.width() == 52
    assert rail.buttons[MEMORY].toolTip() == "Memory"
    made.window.resize(900, made.window.minimumHeight())
    assert rail.width() in (52, 84)  # three places have room in any height
    made.window.set_theme(DARK)
    assert made.window.grab().save(str(ARTIFACTS / "rail-dark.png"))
