"""Below the answer one quiet question; above, what waits; nothing is lost by not answering."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.ui.appearance import dress
from moltbot_desktop.ui.theme import DARK
from moltbot_desktop.ui.translations import install_translation
from tests.fakes.assistant_client import FakeAssistantClient
from tests.gui.conftest import ARTIFACTS, Desk, MakeDesk

PEANUTS = "Allergic to peanuts"


@pytest.fixture
def asked(desk: Desk) -> Desk:
    run = RunId("r")
    desk.client.start(run, "By the way, I'm allergic to peanuts. What can I cook?")
    desk.client.say(run, "Rice with vegetables, for example.")
    desk.client.end(run, "Rice with vegetables, for example.")
    desk.client.propose(PEANUTS, replaces="Allergic to nuts")
    return desk


def click(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_question_stands_below_the_answer_and_takes_no_focus(asked: Desk) -> None:
    card = asked.window.inbox.card
    assert card.isVisible()
    assert card.text == "Keep this? “Allergic to peanuts”"
    assert not card.isAncestorOf(asked.window.focusWidget() or asked.window)
    assert asked.window.inbox.button.text() == "Memory inbox (1)"
    assert asked.window.inbox.button.isVisible()
    asked.screenshot("proposal-light-en")


def test_a_click_keeps_it_and_another_one_undoes(asked: Desk) -> None:
    card = asked.window.inbox.card
    click(card.keep)
    assert asked.client.decisions == [("1", True, "")]
    assert card.text == f"kept: {PEANUTS}"
    assert not asked.window.inbox.button.isVisible()
    click(card.undo)
    assert asked.client.undone == ["1"]
    assert card.text == "Keep this? “Allergic to peanuts”"


def test_the_keyboard_alone_drops_it(asked: Desk) -> None:
    card = asked.window.inbox.card
    card.drop.setFocus()
    QTest.keyClick(card.drop, Qt.Key.Key_Space)
    assert asked.client.decisions == [("1", False, "")]


def test_one_key_answers_while_the_person_goes_on_typing(asked: Desk, qtbot: QtBot) -> None:
    window = asked.window
    window.composer.edit.setFocus()
    with qtbot.waitActive(window):
        window.activateWindow()
    QTest.keyClick(window.composer.edit, Qt.Key.Key_K, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: asked.client.decisions == [("1", True, "")])  # the button is shown down
    QTest.keyClick(window.composer.edit, Qt.Key.Key_U, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: asked.client.undone == ["1"])
    assert window.composer.text == ""


def test_edited_words_are_kept(asked: Desk) -> None:
    card = asked.window.inbox.card
    click(card.change)
    assert card.editor.text() == PEANUTS
    QTest.keyClicks(card.editor, "Badly allergic to nuts")
    asked.client.propose("I live in Leeds")  # does not disturb
    assert card.editor.text() == "Badly allergic to nuts"
    QTest.keyClick(card.editor, Qt.Key.Key_Return)
    assert asked.client.decisions == [("1", True, "Badly allergic to nuts")]
    assert card.text == "Keep this? “I live in Leeds”"


def test_escape_gives_up_the_edit_first_and_then_the_question_which_still_waits(
    asked: Desk,
) -> None:
    card, window = asked.window.inbox.card, asked.window
    click(card.change)
    QTest.keyClick(card.editor, Qt.Key.Key_Escape)
    assert card.text == "Keep this? “Allergic to peanuts”"
    assert not card.editor.isVisible()
    QTest.keyClick(card.change, Qt.Key.Key_Escape)
    assert not card.isVisible()
    assert window.composer.edit.hasFocus() or not window.isActiveWindow()
    assert asked.client.decisions == []
    assert window.inbox.button.text() == "Memory inbox (1)"


def test_going_on_talking_puts_the_question_away_undecided(asked: Desk) -> None:
    asked.window.composer.set_text("And for dessert?")
    QTest.keyClick(asked.window.composer.edit, Qt.Key.Key_Return)
    assert not asked.window.inbox.card.isVisible()
    assert asked.client.decisions == []
    assert asked.window.inbox.button.isVisible()


def test_what_waits_from_before_is_counted_and_not_asked_again(make_desk: MakeDesk) -> None:
    client = FakeAssistantClient()
    client.propose(PEANUTS)
    desk = make_desk(client)
    assert desk.window.inbox.button.text() == "Memory inbox (1)"
    assert not desk.window.inbox.card.isVisible()


@pytest.fixture
def listed(asked: Desk, qtbot: QtBot) -> Desk:
    asked.client.propose("I live in Leeds")
    asked.window.inbox.action.trigger()
    qtbot.waitExposed(asked.window.inbox.dialog)
    return asked


def test_the_list_shows_quotes_and_decides_with_one_key(listed: Desk) -> None:
    dialog = listed.window.inbox.dialog
    assert dialog.isVisible()
    assert not listed.window.inbox.card.isVisible()
    dialog.grab().save(str(ARTIFACTS / "inbox-light-en.png"))
    assert dialog.waiting.count() == 2
    assert dialog.waiting.item(0).text() == (
        "Allergic to peanuts\n“By the way, Allergic to peanuts.” · 2026-08-01 09:00\n"
        "Takes the place of: Allergic to nuts"
    )
    QTest.keyClick(dialog.waiting, Qt.Key.Key_Return)
    QTest.keyClick(dialog.waiting, Qt.Key.Key_Delete)
    assert listed.client.decisions == [("1", True, ""), ("2", False, "")]
    assert not dialog.waiting.isVisible()
    assert [dialog.recent.item(row).text() for row in range(2)] == [
        "Not kept: I live in Leeds",
        "Kept: Allergic to peanuts",
    ]
    QTest.keyClick(dialog.recent, Qt.Key.Key_Return)
    assert listed.client.undone == ["2"]
    assert not listed.window.inbox.card.isVisible()


def test_the_list_by_mouse(listed: Desk) -> None:
    dialog = listed.window.inbox.dialog
    dialog.waiting.setCurrentRow(1)
    click(dialog.drop)
    click(dialog.keep)
    click(dialog.undo)
    assert listed.client.decisions == [("2", False, ""), ("1", True, "")]
    assert listed.client.undone == ["1"]
    click(dialog.ready)
    assert not dialog.isVisible()


def test_everything_has_a_name_for_those_who_do_not_see(asked: Desk) -> None:
    inbox = asked.window.inbox
    assert inbox.card.accessibleName() == "Remember this?"
    assert inbox.card.editor.accessibleName() == "In your words"
    assert inbox.dialog.waiting.accessibleName() == "Waiting for your yes"
    assert inbox.dialog.recent.accessibleName() == "Decided lately"
    assert inbox.button.accessibleName() == "Memory inbox (1)"


def test_it_is_as_quiet_in_the_dark_and_in_chinese(
    asked: Desk, qapp: QApplication, checkout: Path
) -> None:
    translators = install_translation(qapp, Language.CHINESE, checkout / "resources")
    dress(qapp, DARK, checkout / "resources")
    asked.window.set_theme(DARK)
    asked.window.retranslate()
    assert asked.window.inbox.card.text == "要记住吗？“Allergic to peanuts”"
    assert asked.window.inbox.action.text() == "记忆收件箱（1）"
    asked.screenshot("proposal-dark-zh")
    asked.client.propose("我住在杭州")
    asked.window.inbox.open()
    asked.window.inbox.dialog.grab().save(str(ARTIFACTS / "inbox-dark-zh.png"))
    assert translators
    for one in translators:
        qapp.removeTranslator(one)
        one.deleteLater()
