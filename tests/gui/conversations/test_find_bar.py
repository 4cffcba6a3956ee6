"""Search in the conversation that is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from moltbot_desktop.ui.conversations.find_bar import MOST_MARKED, places_of
from moltbot_desktop.ui.transcript_view import TranscriptView
from tests.fakes.assistant_client import FakeAssistantClient, stored
from tests.gui.conftest import Desk, MakeDesk

SHIFT = Qt.KeyboardModifier.ShiftModifier


def talk(make_desk: MakeDesk) -> Desk:
    said = [f"number {n}" if n % 3 else f"牙医 Dentist {n}" for n in range(60)]
    desk = make_desk(FakeAssistantClient(items=stored(said)))
    desk.frame.activateWindow()
    desk.window.find_bar.begin()
    return desk


def look_for(desk: Desk, words: str) -> str:
    desk.window.find_bar.field.setText(words)
    desk.window.find_bar.look()
    return desk.window.find_bar.count.text()


def marked(view: TranscriptView) -> int:
    return len(view.extraSelections())


def in_sight(desk: Desk) -> str:
    """The words of the chosen place, which the person sees."""
    view = desk.window.transcript
    marks = view.extraSelections()
    place = QTextCursor(marks[int(desk.window.find_bar.count.text().split()[0]) - 1].cursor)
    assert view.viewport().rect().intersects(view.cursorRect(place))
    return place.block().text()


def test_ctrl_f_finds_counts_and_goes_around(make_desk: MakeDesk) -> None:
    desk = talk(make_desk)
    find = desk.window.find_bar
    assert find.field.hasFocus()
    assert look_for(desk, "dentist") == "20 of 20"
    assert marked(desk.window.transcript) == 20
    assert in_sight(desk) == "牙医 Dentist 57"
    QTest.keyClick(find.field, Qt.Key.Key_Return)
    assert find.count.text() == "1 of 20" and in_sight(desk) == "牙医 Dentist 0"
    QTest.keyClick(find.field, Qt.Key.Key_Return, SHIFT)
    assert find.count.text() == "20 of 20"
    assert look_for(desk, "牙医 Dentist 3") == "5 of 5"  # 3, 30, 33, 36, 39
    assert look_for(desk, "nowhere") == "Not found" and not find.next.isEnabled()


def test_escape_closes_it_and_takes_the_marks_away(make_desk: MakeDesk) -> None:
    desk = talk(make_desk)
    look_for(desk, "number")
    QTest.keyClick(desk.window.find_bar.field, Qt.Key.Key_Escape)
    assert not desk.window.find_bar.isVisible()
    assert marked(desk.window.transcript) == 0


def test_another_conversation_is_searched_as_soon_as_it_is_shown(make_desk: MakeDesk) -> None:
    desk = talk(make_desk)
    assert look_for(desk, "dentist") == "20 of 20"
    desk.client.items = stored(["my dentist", "yes"])
    desk.client.request_history()
    desk.settle()
    assert desk.window.find_bar.count.text() == "1 of 1"


def test_of_very_many_places_the_last_ones_are_marked(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored(["x " * (MOST_MARKED + 50)])))
    assert len(places_of(desk.window.transcript.document(), "x")) == MOST_MARKED
    assert places_of(desk.window.transcript.document(), "") == []
