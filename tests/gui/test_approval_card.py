"""Only a person who has had time to read may answer, and only once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from moltbot_desktop.core.events import ApprovalRequested, ApprovalResolved, ToolStarted
from moltbot_desktop.core.ids import ApprovalId, RunId
from moltbot_desktop.core.permissions import ONLY_ONCE, Offer, Term
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.ui.real_press import GUARD_SECONDS
from tests.fakes.assistant_client import SESSION
from tests.gui.conftest import Desk

RUN = RunId("r")


def request(name: str = "a1", offer: Offer = ONLY_ONCE) -> ApprovalRequested:
    arguments = {"path": "plan.md", "content": "# Plan"}
    return ApprovalRequested(
        RUN,
        SESSION,
        2,
        ApprovalId(name),
        "write",
        arguments,
        f"Write {name}",
        "It replaces a file.",
        offer,
    )


@pytest.fixture
def asked(desk: Desk) -> Desk:
    desk.client.start(RUN, "go")
    desk.client.tell(request())
    return desk


def click(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_what_waits_for_it_does_not_run_meanwhile(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.tell(ToolStarted(RUN, SESSION, 2, "c", "write", {"path": "plan.md"}))
    assert "Writing" in desk.text()
    desk.client.tell(request())
    assert "waits for your yes" in desk.text() and "Writing" not in desk.text()
    desk.client.tell(ApprovalResolved(RUN, SESSION, 3, ApprovalId("a1"), False, "owner"))
    assert "not allowed" in desk.text() and "waits for" not in desk.text()


def test_the_card_shows_all_that_would_be_done(asked: Desk) -> None:
    assert asked.window.approval.isVisible()
    assert asked.window.approval._details.toPlainText() == "path: plan.md\ncontent: # Plan"
    asked.screenshot("approval-light-en")


def test_a_click_in_the_first_moment_does_not_count(asked: Desk) -> None:
    click(asked.window.approval.allow)
    asked.clock.advance(GUARD_SECONDS - 0.01)
    click(asked.window.approval.allow)
    assert asked.client.approvals == []
    asked.clock.advance(0.02)
    click(asked.window.approval.allow)
    assert asked.client.approvals == [("a1", True)]


def test_a_press_that_began_too_early_does_not_count_when_let_go_late(asked: Desk) -> None:
    button = asked.window.approval.allow
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    asked.clock.advance(5)
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert asked.client.approvals == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_the_keyboard_answers_too(asked: Desk, key: Qt.Key) -> None:
    asked.clock.advance(1)
    asked.window.approval.deny.setFocus()
    QTest.keyClick(asked.window.approval.deny, key)
    assert asked.client.approvals == [("a1", False)]
    assert not asked.window.approval.isVisible()


def test_the_program_cannot_press_its_own_buttons(asked: Desk) -> None:
    button = asked.window.approval.allow
    asked.clock.advance(1)
    button.click()
    button.animateClick()
    at = QPointF(5, 5)
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for kind in (QMouseEvent.Type.MouseButtonPress, QMouseEvent.Type.MouseButtonRelease):
        QApplication.sendEvent(button, QMouseEvent(kind, at, at, left, left, none))
    for key_kind in (QKeyEvent.Type.KeyPress, QKeyEvent.Type.KeyRelease):
        QApplication.sendEvent(button, QKeyEvent(key_kind, Qt.Key.Key_Space, none, " "))
    asked.qtbot.waitUntil(lambda: not button.isDown())
    assert asked.client.approvals == []


def test_enter_for_the_message_does_not_answer(asked: Desk) -> None:
    asked.clock.advance(1)
    assert not asked.window.approval.allow.isDefault()
    assert not asked.window.approval.allow.hasFocus()
    QTest.keyClick(asked.window.composer.edit, Qt.Key.Key_Return)
    assert asked.client.approvals == []


def test_the_next_request_waits_and_has_its_own_guard(asked: Desk) -> None:
    asked.client.tell(request("a2"))
    asked.clock.advance(1)
    click(asked.window.approval.allow)
    click(asked.window.approval.allow)
    assert asked.client.approvals == [("a1", True)]
    asked.clock.advance(1)
    click(asked.window.approval.deny)
    assert asked.client.approvals == [("a1", True), ("a2", False)]


def test_a_request_answered_elsewhere_disappears(asked: Desk) -> None:
    asked.client.tell(ApprovalResolved(RUN, SESSION, 3, ApprovalId("a1"), True, "terminal"))
    assert not asked.window.approval.waiting
    assert not asked.window.approval.isVisible()


def test_a_request_ends_with_its_run(asked: Desk) -> None:
    asked.client.end(RUN, "", OutcomeKind.CANCELLED)
    assert not asked.window.approval.waiting


# ------------------------------------------------------------------ longer, and several at once


LONGER = Offer((Term.ONCE, Term.RUN, Term.HOUR), "git push origin, in notes")
CHANGES = "--- plan.md\n+++ plan.md\n@@ -1,2 +1,2 @@\n-old line\n+new line"


def test_only_the_terms_that_are_offered_are_there(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.tell(request("a1", LONGER))
    card = desk.window.approval
    assert [term for term, one in card.terms.items() if one.isVisible()] == list(LONGER.terms)
    assert "git push origin" in card._about.text()
    QApplication.processEvents()
    desk.screenshot("approval-terms-light-en")
    desk.client.tell(ApprovalResolved(RUN, SESSION, 3, ApprovalId("a1"), False, "owner"))
    desk.client.tell(request("a2"))
    assert not any(one.isVisible() for one in card.terms.values())


def test_a_longer_yes_is_chosen_first_and_said_on_the_button(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.tell(request("a1", LONGER))
    card = desk.window.approval
    desk.clock.advance(1)
    QTest.mouseClick(card.terms[Term.HOUR], Qt.MouseButton.LeftButton)
    assert card.allow.text() == "Allow for an hour"
    click(card.allow)  # what it means has just changed
    assert desk.client.approvals == []
    desk.clock.advance(1)
    click(card.allow)
    assert desk.client.approvals == [("a1", True)] and desk.client.terms == [Term.HOUR]


def test_each_card_begins_with_once(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.tell(request("a1", LONGER))
    desk.client.tell(request("a2", LONGER))
    card = desk.window.approval
    card.terms[Term.RUN].setChecked(True)
    desk.clock.advance(1)
    click(card.deny)
    assert card.terms[Term.ONCE].isChecked() and card.allow.text() == "Allow this once"
    assert desk.client.terms == [Term.ONCE]


def test_what_would_change_is_shown(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.tell(request("a1", Offer(changes=CHANGES)))
    assert desk.window.approval._details.toPlainText() == CHANGES
    QApplication.processEvents()
    desk.screenshot("approval-diff-light-en")
    desk.client.tell(ApprovalResolved(RUN, SESSION, 3, ApprovalId("a1"), False, "owner"))
    desk.client.tell(request("a2", Offer(changes=f"{CHANGES}\n@@ … +90 @@")))
    assert "content: # Plan" in desk.window.approval._details.toPlainText()


def step(desk: Desk, *names: str) -> None:
    desk.client.start(RUN, "go")
    for name in names:
        desk.client.tell(request(name, Offer((Term.ONCE, Term.RUN), "x", CHANGES, "batch")))


def test_what_one_step_wants_is_answered_together(desk: Desk) -> None:
    step(desk, "a1", "a2", "a3")
    desk.client.tell(request("b1"))
    card = desk.window.approval
    assert card.allow.text() == "Allow all of it once"
    assert all(f"Write {name}" in card._details.toPlainText() for name in ("a1", "a2", "a3"))
    assert not any(one.isVisible() for one in card.terms.values())
    assert card._reason.text()
    assert card._reason.text() not in card._details.toPlainText()
    QApplication.processEvents()
    desk.screenshot("approval-several-light-en")
    desk.clock.advance(1)
    click(card.allow)
    assert desk.client.approvals == [("a1", True), ("a2", True), ("a3", True)]
    assert card._title.text() == "Write b1"


def test_one_that_comes_late_is_not_answered_by_a_press_on_its_way(desk: Desk) -> None:
    step(desk, "a1")
    card = desk.window.approval
    desk.clock.advance(1)
    QTest.mousePress(card.allow, Qt.MouseButton.LeftButton)
    desk.client.tell(request("a2", Offer(batch="batch")))
    QTest.mouseRelease(card.allow, Qt.MouseButton.LeftButton)
    assert desk.client.approvals == []


def test_one_by_one(desk: Desk) -> None:
    step(desk, "a1", "a2")
    card = desk.window.approval
    desk.clock.advance(1)
    click(card.one_by_one)
    assert card._title.text() == "Write a1" and not card.one_by_one.isVisible()
    click(card.allow)
    assert desk.client.approvals == []  # it is another card now
    desk.clock.advance(1)
    click(card.allow)
    desk.clock.advance(1)
    click(card.deny)
    assert desk.client.approvals == [("a1", True), ("a2", False)]


def test_one_of_several_that_is_answered_elsewhere_leaves_the_others(desk: Desk) -> None:
    step(desk, "a1", "a2", "a3")
    desk.client.tell(ApprovalResolved(RUN, SESSION, 3, ApprovalId("a2"), True, "owner"))
    desk.clock.advance(1)
    click(desk.window.approval.deny)
    assert desk.client.approvals == [("a1", False), ("a3", False)]


def test_the_box_is_as_high_as_what_is_in_it(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.tell(request("a1"))
    card = desk.window.approval
    low = card._details.height()
    desk.client.tell(ApprovalResolved(RUN, SESSION, 3, ApprovalId("a1"), False, "owner"))
    long = replace(request("a2"), arguments={"content": "line\n" * 40})
    desk.client.tell(long)
    assert card._details.height() > low
    assert card._details.height() <= 110


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("run git push origin", "Run git push origin"),
        ("their_tool(a=1)", "their_tool(a=1)"),
        ("在 a.example 上点击按钮", "在 a.example 上点击按钮"),
    ],
)
def test_a_title_begins_as_a_sentence_does(desk: Desk, title: str, shown: str) -> None:
    desk.client.start(RUN, "go")
    desk.client.tell(replace(request("a1"), title=title))
    assert desk.window.approval._title.text() == shown
