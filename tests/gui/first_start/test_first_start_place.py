"""The first page: nothing has to be answered; the language changes at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTranslator, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.ui.first_start.page import FirstStartPlace
from moltbot_desktop.ui.place import BACKUP, CHAT
from tests.fakes.first_start_desk import FakeFirstStartDesk
from tests.gui.places import Stage, button_in, texts_in

THEIRS = Path("/home/ada/.openclaw")


@pytest.fixture(autouse=True)
def _english_again(qapp: QApplication, stage: Stage) -> Iterator[None]:
    yield
    for one in qapp.findChildren(QTranslator):
        qapp.removeTranslator(one)
        one.deleteLater()


def opened(stage: Stage, desk: FakeFirstStartDesk, *, dark: bool = False) -> FirstStartPlace:
    return stage.show(FirstStartPlace(stage.parts, desk, lambda _: True), dark=dark)


def test_four_steps_stand_on_one_page(stage: Stage) -> None:
    place = opened(stage, FakeFirstStartDesk(THEIRS))
    shown = texts_in(place)
    for name in (
        "Language",
        "What you can say",
        "Where everything is kept",
        "What you have elsewhere",
    ):
        assert name in shown
    assert "/home/ada/.moltbot" in shown and f"Found on this computer: {THEIRS}" in shown
    stage.screenshot("first-start-light-en")


def test_an_example_is_said_and_the_rest_leads_on(stage: Stage) -> None:
    place = opened(stage, FakeFirstStartDesk())
    said: list[str] = []
    gone: list[tuple[str, str]] = []
    place.said.connect(said.append)
    place.place_requested.connect(lambda where, what: gone.append((where, what)))
    button_in(place, "What is 249 times 18?").click()
    button_in(place, "Look what can come along…").click()
    button_in(place, "To the chat").click()
    assert said == ["What is 249 times 18?"]
    assert gone == [(BACKUP, "import"), (CHAT, "")]


def test_enter_goes_to_the_chat(stage: Stage) -> None:
    place = opened(stage, FakeFirstStartDesk())
    gone: list[str] = []
    place.place_requested.connect(lambda where, _: gone.append(where))
    place.take_focus()
    QTest.keyClick(place.to_chat, Qt.Key.Key_Return)
    assert gone == [CHAT]


def test_the_language_changes_at_once_and_is_written_down(stage: Stage) -> None:
    desk = FakeFirstStartDesk()
    place = opened(stage, desk)
    button_in(place, "中文").click()
    stage.settle()
    assert desk.spoken == [Language.CHINESE]
    assert "欢迎" in texts_in(place) and button_in(place, "中文").isChecked()
    assert button_in(place, "249乘以18是多少？").isVisible()
    button_in(place, "English").click()
    stage.settle()
    assert "Welcome" in texts_in(place)
    assert desk.spoken == [Language.CHINESE, Language.ENGLISH]


def test_a_language_that_cannot_be_written_down_is_not_spoken(stage: Stage) -> None:
    desk = FakeFirstStartDesk()
    place = opened(stage, desk)
    desk.refusal = StorageError("The disk is full.", hint="Free some space.")
    button_in(place, "中文").click()
    stage.settle()
    assert place.done.label.text() == "The disk is full. Free some space."
    assert "Welcome" in texts_in(place) and button_in(place, "English").isChecked()


def test_it_may_start_with_the_computer(stage: Stage) -> None:
    desk = FakeFirstStartDesk()
    place = opened(stage, desk)
    [box] = place.findChildren(QCheckBox)
    box.setChecked(True)
    stage.settle()
    assert desk.found.with_computer and place.done.label.text() == "I start with the computer."


def test_the_folder_is_opened_or_it_is_told_that_nothing_can(stage: Stage) -> None:
    asked: list[QUrl] = []

    def cannot(url: QUrl) -> bool:
        asked.append(url)
        return False

    place = stage.show(FirstStartPlace(stage.parts, FakeFirstStartDesk(), cannot))
    button_in(place, "Open the folder").click()
    assert [one.toLocalFile() for one in asked] == ["/home/ada/.moltbot"]
    assert place.done.label.text().startswith("No program here shows folders.")


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_a_picture_in_the_dark(stage: Stage) -> None:
    place = opened(stage, FakeFirstStartDesk(THEIRS), dark=True)
    assert "欢迎" in texts_in(place)
    stage.screenshot("first-start-dark-zh")
