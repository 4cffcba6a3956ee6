"""Only a person who has had time to read may answer, and only once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from moltbot_desktop.core.events import ApprovalRequested, ApprovalResolved
from moltbot_desktop.core.ids import ApprovalId, RunId
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.ui.approval_card import GUARD_SECONDS
from tests.fakes.assistant_client import SESSION
from tests.gui.conftest import Desk

RUN = RunId("r")


def request(name: str = "a1") -> ApprovalRequested:
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
    )


@pytest.fixture
def asked(desk: Desk) -> Desk:
    desk.client.start(RUN, "go")
    desk.client.tell(request())
    return desk


def click(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


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
