"""What the person does in the window, and what comes of it."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QGuiApplication,
    QInputMethodEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.events import CompactionEnded, CompactionStarted
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import Notice, ReminderDue
from moltbot_desktop.ui.markup import MarkdownReader
from moltbot_desktop.ui.place import PLUGINS
from moltbot_desktop.ui.status_line import StatusLine
from tests.fakes.assistant_client import FakeAssistantClient, stored
from tests.gui.conftest import Desk, MakeDesk

RUN = RunId("run-1")


def type_and_send(desk: Desk, text: str) -> None:
    desk.window.composer.set_text(text)
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Return)


def test_enter_sends_and_the_answer_is_shown(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(answers={"Who is my dentist?": "Dr. **Okafor**."}))
    type_and_send(desk, "Who is my dentist?")
    assert desk.client.sent == ["Who is my dentist?"]
    assert desk.window.composer.text == ""
    assert desk.text().startswith("Who is my dentist?\nDr. Okafor.")


def test_shift_enter_starts_a_new_line(desk: Desk) -> None:
    edit = desk.window.composer.edit
    QTest.keyClicks(edit, "one")
    QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(edit, "two")
    assert desk.window.composer.text == "one\ntwo"
    assert desk.client.sent == []


def test_enter_while_a_chinese_word_is_composed_sends_nothing(desk: Desk) -> None:
    edit = desk.window.composer.edit
    edit.setPlainText("你")
    QApplication.sendEvent(edit, QInputMethodEvent("hao", []))
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert desk.client.sent == []
    done = QInputMethodEvent("", [])
    done.setCommitString("好")
    edit.moveCursor(edit.textCursor().MoveOperation.End)
    QApplication.sendEvent(edit, done)
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert desk.client.sent == ["你好"]


def test_a_message_that_cannot_be_sent_stays_in_the_field(desk: Desk) -> None:
    type_and_send(desk, "a\0b")
    assert desk.window.composer.text == "a\0b"
    assert desk.window.banner.isVisible()
    assert desk.window.banner.hint == "Make it shorter."


def test_a_paste_that_would_freeze_the_field_is_refused_and_explained(desk: Desk) -> None:
    desk.window.composer.set_text("before")
    QGuiApplication.clipboard().setText("x" * 10_000_000)
    desk.window.composer.edit.paste()
    assert desk.window.composer.text == "before"
    assert "10,000,000" in desk.window.banner.text
    QGuiApplication.clipboard().setText(" after")
    desk.window.composer.edit.paste()
    assert desk.window.composer.text == "before after"


def test_nothing_but_space_is_not_sent(desk: Desk) -> None:
    type_and_send(desk, "  \n ")
    assert desk.client.sent == []


def test_a_message_that_was_not_kept_comes_back(desk: Desk) -> None:
    type_and_send(desk, "precious words")
    desk.client.end(RUN, "The disk is full.", OutcomeKind.FAILED, "disk full")
    assert desk.window.composer.text == "precious words"
    assert desk.window.banner.text == "The disk is full."
    assert desk.window.welcome.isVisible()


def test_what_is_sent_before_the_assistant_is_ready_is_sent_when_it_is(make_desk: MakeDesk) -> None:
    desk = make_desk(connect=False)
    type_and_send(desk, "hello")
    assert desk.window.composer.text == "hello"
    assert desk.window.banner.isVisible()
    desk.window.set_client(desk.client)
    assert desk.client.sent == ["hello"]
    assert desk.window.composer.text == ""
    assert not desk.window.banner.isVisible()


def test_what_was_written_on_meanwhile_waits_for_its_own_enter(make_desk: MakeDesk) -> None:
    desk = make_desk(connect=False)
    type_and_send(desk, "hello")
    QTest.keyClicks(desk.window.composer.edit, ", one more thing")
    desk.window.set_client(desk.client)
    assert desk.client.sent == []
    assert desk.window.composer.text == "hello, one more thing"


def test_up_in_an_empty_field_brings_the_last_message_back(desk: Desk) -> None:
    type_and_send(desk, "first")
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Up)
    assert desk.window.composer.text == "first"


def test_a_pause_in_typing_lets_the_assistant_read_along(desk: Desk, qtbot: QtBot) -> None:
    QTest.keyClicks(desk.window.composer.edit, "What is the ")
    assert desk.client.typed == []
    qtbot.waitUntil(lambda: desk.client.typed == ["What is the "])
    QTest.keyClicks(desk.window.composer.edit, "time")
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: desk.client.typed == ["What is the ", ""])
    assert desk.client.sent == ["What is the time"]


def test_what_draws_an_answer_is_made_while_the_person_types_and_elsewhere(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    monkeypatch.setattr(
        MarkdownReader, "prepare", lambda reader: threads.append(threading.get_ident())
    )
    QTest.keyClicks(desk.window.composer.edit, "What is")
    desk.qtbot.waitUntil(lambda: len(threads) == 1)
    assert threads[0] != threading.get_ident()


def test_escape_stops_what_runs_and_only_then(desk: Desk) -> None:
    edit = desk.window.composer.edit
    QTest.keyClick(edit, Qt.Key.Key_Escape)
    assert desk.client.stops == 0
    type_and_send(desk, "go")
    desk.client.start(RUN, "go")
    desk.client.say(RUN, "Half")
    QTest.keyClick(edit, Qt.Key.Key_Escape)
    assert desk.client.stops == 1
    assert "not finished" in desk.text()


def test_the_button_stops_while_nothing_is_written(desk: Desk) -> None:
    button = desk.window.composer.button
    assert button.accessibleName() == "Send"
    type_and_send(desk, "go")
    assert button.accessibleName() == "Stop"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert desk.client.stops == 1
    desk.window.composer.set_text("another")
    assert button.accessibleName() == "Send"


def test_the_first_screen_offers_five_requests_that_can_be_clicked(desk: Desk) -> None:
    assert desk.window.welcome.isVisible()
    desk.screenshot("welcome-light-en")
    second: QPushButton = desk.window.welcome.examples[1]
    QTest.mouseClick(second, Qt.MouseButton.LeftButton)
    assert desk.client.sent == [second.text()]
    assert desk.window.transcript.isVisible()
    assert len(desk.window.welcome.examples) == 5


def test_a_clicked_example_leaves_a_draft_alone(desk: Desk) -> None:
    desk.window.composer.set_text("my draft")
    desk.window.welcome.examples[0].click()
    assert desk.window.composer.text == "my draft"


def test_a_new_chat_starts_empty(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored(["a", "b"])))
    assert desk.window.transcript.isVisible()
    QTest.keyClick(desk.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert desk.client.sessions == 1
    assert desk.window.welcome.isVisible()


def test_a_serious_notice_says_what_to_do_and_stays(desk: Desk) -> None:
    desk.client.tell(Notice("The disk is full.", "Free some space.", serious=True))
    desk.client.tell(Notice("A skill was skipped."))
    assert desk.window.banner.text == "The disk is full."
    assert desk.window.banner.hint == "Free some space."
    desk.screenshot("problem-light-en")


def test_a_long_status_makes_the_window_no_wider(desk: Desk, qtbot: QtBot) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.say("searched by words only " * 20)
    assert line.minimumSizeHint().width() < 300


def test_each_notice_has_below_it_what_to_do_about_it(desk: Desk, qtbot: QtBot) -> None:
    banner = desk.window.banner
    desk.client.tell(Notice("The port is taken.", "Close the other program."))
    desk.client.tell(Notice("A skill cannot be read.", "Open its folder."))
    lines = [one for one in banner.findChildren(QLabel) if one.isVisible()]
    wanted = ["The port is taken.", "Close the other program."]
    wanted += ["A skill cannot be read.", "Open its folder."]
    qtbot.waitUntil(
        lambda: [one.text() for one in sorted(lines, key=lambda one: one.y())] == wanted
    )


def test_a_notice_about_a_command_of_the_shell_leads_to_the_place_that_does_it(
    desk: Desk,
) -> None:
    gone: list[str] = []
    desk.window.place_requested.connect(lambda place, _what: gone.append(place))
    hint = "moltbot-desktop plugins enable weather, moltbot-desktop config get x"
    desk.client.tell(Notice("Weather is switched off.", hint))
    links = desk.window.banner.findChild(QLabel, "banner_places")
    assert links.isVisible() and "Open “Plugins”" in links.text()
    links.linkActivated.emit(PLUGINS)
    assert gone == [PLUGINS]
    desk.screenshot("banner-place-light-en")
    desk.window.banner.dismiss()
    desk.client.tell(Notice("The disk is full.", "Free some space."))
    assert not links.isVisible()


def test_notices_that_come_together_stand_below_each_other(desk: Desk) -> None:
    banner = desk.window.banner
    for number in (1, 2, 2, 3, 4):
        desk.client.tell(Notice(f"Setting {number} was changed.", "Start again."))
    assert banner.text.split("\n") == [f"Setting {one} was changed." for one in (2, 3, 4)]
    assert banner.hint == "Start again."
    desk.screenshot("notices-light-en")
    banner.dismiss()
    desk.client.tell(Notice("Another one."))
    assert banner.text == "Another one."
    desk.client.tell(Notice("The disk is full.", serious=True))
    assert banner.text == "The disk is full."


def test_a_reminder_is_told_in_the_conversation(desk: Desk) -> None:
    desk.client.tell(ReminderDue(1, "call Anna", "2026-08-01 14:30", missed=True))
    assert "call Anna" in desk.text()
    assert "2026-08-01 14:30" in desk.text()


def test_a_summary_is_a_quiet_line_and_one_that_failed_is_none(desk: Desk) -> None:
    run, key = RunId("r"), SessionKey("agent:main:main")
    desk.client.tell(CompactionStarted(run, key, 2, 900))
    desk.client.tell(CompactionEnded(run, key, 3, 0, 900, 900, 0, False))
    assert "summarised" not in desk.text()
    desk.client.tell(CompactionEnded(run, key, 4, 5, 900, 300, 0, False))
    assert desk.text().count("The beginning of this conversation is summarised") == 1


def test_a_link_is_opened_only_after_the_person_said_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    desk.window.transcript.anchorClicked.emit(QUrl("https://example.org/a"))
    box = desk.window.findChild(QMessageBox)
    assert "https://example.org/a" in box.informativeText()
    assert opened == []
    QTest.mouseClick(box.buttons()[0], Qt.MouseButton.LeftButton)
    assert opened == ["https://example.org/a"]


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "ssh://host"])
def test_other_addresses_are_never_opened(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    desk.window.transcript.anchorClicked.emit(QUrl(address))
    assert desk.window.findChild(QMessageBox) is None
    assert opened == []
    assert desk.window.banner.isVisible()


def test_place_and_draft_survive_a_restart(make_desk: MakeDesk) -> None:
    first = make_desk()
    first.frame.resize(700, 600)
    first.window.composer.set_text("not finished")
    first.frame.close()
    second = make_desk()
    assert second.window.composer.text == "not finished"
    assert second.frame.restoreGeometry(first.frame.saveGeometry())


def test_typing_while_reading_goes_into_the_field(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.window.transcript.setFocus()
    QTest.keyClicks(desk.window.transcript, "hey")
    assert desk.window.composer.text == "hey"


def test_everything_that_takes_the_keyboard_has_a_name(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    for widget in desk.window.findChildren(QPushButton):
        assert widget.text() or widget.accessibleName()
    named = [
        desk.window.composer.edit,
        desk.window.composer.button,
        desk.window.transcript,
        desk.window.approval,
        desk.window.banner,
    ]
    assert all(widget.accessibleName() for widget in named)


def test_the_status_line_names_the_model(desk: Desk) -> None:
    desk.client.request_status()
    labels = [one.text() for one in desk.window.findChildren(type(desk.window.status.label))]
    assert any("starter" in text for text in labels)


@pytest.mark.parametrize("offline", [True, False])
def test_it_says_that_all_stays_here_only_when_it_does(offline: bool, make_desk: MakeDesk) -> None:
    desk = make_desk(offline=offline)
    shown = [label.text() for label in desk.window.findChildren(QLabel) if label.isVisible()]
    assert any("on this computer" in text for text in shown) is offline
    assert any("stays here" in text for text in shown) is offline
    if not offline:
        desk.screenshot("welcome-remote-light-en")
