"""The place "Permissions": what was allowed, done, and sent; taking back; the seal."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.core.traffic import Errand, Passage, Purpose
from moltbot_desktop.sdk.permissions import Deed, Grant, Kind, Part
from moltbot_desktop.ui.permissions.page import DONE, NETWORK, PermissionsPlace
from moltbot_desktop.ui.seal_question import SealQuestion
from tests.fakes.assistant_client import FakeAssistantClient
from tests.fakes.permits_desk import FakePermitsDesk
from tests.gui.places import Stage, button_in, texts_in

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
GIT = Grant(
    "g1",
    Part(Kind.PROGRAM, "exec", "/usr/bin/git", ("git", "push"), "/home/ada/notes"),
    "main",
    Term.ALWAYS,
    NOW,
    last_used=NOW,
    uses=3,
)
NOTES = Grant("g2", Part(Kind.FOLDER, "write", "/home/ada/notes"), "*", Term.HOUR, NOW)
PUSH = Deed(NOW, "r1", "s1", "exec", "run git push", "m1", "ask", "exec", "owner", "ok")
DENIED = replace(
    PUSH, what="run rm -r /", mark="m2", by="policy", decision="deny", outcome="denied"
)
PAGE = Passage(date(2026, 11, 23), "example.org", Errand(Purpose.WEB), 2, 412, 9_000)


@pytest.fixture
def desk() -> FakePermitsDesk:
    desk = FakePermitsDesk()
    desk.given = [GIT, NOTES]
    desk.done = [DENIED, PUSH]
    desk.passages = (PAGE,)
    return desk


def opened(stage: Stage, desk: FakePermitsDesk) -> PermissionsPlace:
    return stage.show(PermissionsPlace(stage.parts, desk))


def test_what_was_allowed_stands_by_meaning_and_is_taken_back(
    stage: Stage, desk: FakePermitsDesk
) -> None:
    place = opened(stage, desk)
    assert [(one.title, one.badge) for one in place.rows.rows] == [
        ("change /home/ada/notes", "for an hour"),
        ("git push, in /home/ada/notes", "always"),
    ]
    stage.screenshot("permissions-light-en")
    stage.press(Qt.Key.Key_Down)
    button_in(place, "Take it back").click()
    stage.settle()
    assert desk.given == [NOTES]
    assert place.done.label.text() == "I ask again: git push, in /home/ada/notes"
    stage.press(Qt.Key.Key_Tab)
    place.rows.setFocus()
    stage.press(Qt.Key.Key_Delete)
    assert desk.given == [] and place.state.text.startswith("I ask each time.")
    assert not place.note.isVisible(), "nothing is done without asking"


def test_what_was_used_once_says_so(stage: Stage, desk: FakePermitsDesk) -> None:
    desk.given = [replace(GIT, uses=1)]
    place = opened(stage, desk)
    assert [one.detail for one in place.rows.rows] == ["used once"]
    assert any(" — used once, " in one for one in texts_in(place))


def test_what_was_done_says_who_allowed_it(stage: Stage, desk: FakePermitsDesk) -> None:
    place = opened(stage, desk)
    place.segments.choose(DONE)
    stage.settle()
    assert [(one.title, one.detail, one.badge) for one in place.rows.rows] == [
        ("Run a command", "run rm -r /", "not done"),
        ("Ran a command", "run git push", "done"),
    ]
    place.rows.choose(place.rows.rows[1].id)
    assert "Who decided: you" in texts_in(place)
    desk.done = [replace(PUSH, what="run ls", mark="m3"), *desk.done]
    chosen = place.rows.current
    place.refresh()
    stage.settle()
    assert place.rows.current == chosen  # news above move nothing


def test_what_left_stands_by_address(stage: Stage, desk: FakePermitsDesk) -> None:
    place = opened(stage, desk)
    place.segments.choose(NETWORK)
    stage.settle()
    assert [(one.title, one.badge) for one in place.rows.rows] == [("example.org", "412 B sent")]
    assert place.rows.rows[0].detail.endswith(" · a page"), "in words, not as the book has it"


def test_left_and_right_choose_the_part(stage: Stage, desk: FakePermitsDesk) -> None:
    place = opened(stage, desk)
    place.segments.buttons["allowed"].setFocus()
    stage.press(Qt.Key.Key_Right)
    assert place.segments.current == DONE and len(place.rows.rows) == 2
    assert place.focusWidget() is place.segments.buttons[DONE]
    stage.press(Qt.Key.Key_Left)
    stage.press(Qt.Key.Key_Left)
    assert place.segments.current == NETWORK


def test_the_seal_closes_at_a_press_and_asks_before_it_opens(
    stage: Stage, desk: FakePermitsDesk
) -> None:
    place, client = opened(stage, desk), FakeAssistantClient()
    client.subscribe(lambda event: place.deliver([event]))
    place.set_client(client)
    place.segments.choose(NETWORK)
    assert place.seal.isVisible() and place.seal.text() == "Close the seal"
    place.seal.click()
    stage.settle()
    assert client.sealed
    client.request_status()
    stage.qtbot.waitUntil(lambda: place.seal.text() == "Open the seal")
    place.seal.click()
    [question] = [one for one in place.findChildren(SealQuestion) if one.isVisible()]
    QTest.keyClick(question, Qt.Key.Key_Escape)
    assert client.sealed  # nothing opens it but a press of the person's own


def test_books_that_cannot_be_read_say_so(stage: Stage, desk: FakePermitsDesk) -> None:
    desk.refusal = StorageError("The disk is gone.", hint="Plug it in.")
    place = opened(stage, desk)
    assert "The disk is gone. Plug it in." in place.state.text


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_a_picture_in_the_dark(stage: Stage, desk: FakePermitsDesk) -> None:
    place = stage.show(PermissionsPlace(stage.parts, desk), dark=True)
    place.segments.choose(DONE)
    stage.settle()
    stage.screenshot("permissions-dark-zh")
