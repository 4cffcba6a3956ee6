"""The seal is opened by a press of the person's own, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.ui.application import Desktop
from moltbot_desktop.ui.real_press import GUARD_SECONDS, from_window_system
from moltbot_desktop.ui.seal_question import SealQuestion
from moltbot_desktop.ui.tray import TrayState
from tests.fakes.assistant_client import FakeAssistantClient

Asked = tuple[SealQuestion, ManualClock, list[str]]
Ask = Callable[[Callable[[QEvent], bool]], Asked]


@pytest.fixture
def ask(qtbot) -> Ask:
    parent = QWidget()
    qtbot.addWidget(parent)

    def make(is_real: Callable[[QEvent], bool]) -> Asked:
        clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
        question, agreed = SealQuestion(clock, is_real, parent), []
        question.agreed.connect(lambda: agreed.append("yes"))
        question.show()
        return question, clock, agreed

    return make


def button(question: SealQuestion, text: str) -> QPushButton:
    return next(one for one in question.findChildren(QPushButton) if one.text() == text)


def press(question: SealQuestion, text: str) -> None:
    QTest.mouseClick(button(question, text), Qt.MouseButton.LeftButton)


def test_a_yes_of_the_person_opens_it(ask: Ask) -> None:
    question, clock, agreed = ask(from_window_system)
    clock.advance(GUARD_SECONDS)
    press(question, "Open it")
    assert agreed == ["yes"]
    assert not question.isVisible()


def test_a_press_in_the_first_moment_does_not_count(ask: Ask) -> None:
    question, _, agreed = ask(from_window_system)
    press(question, "Open it")
    assert (agreed, question.isVisible()) == ([], True)


def test_a_press_that_is_not_the_persons_does_not_count(ask: Ask) -> None:
    question, clock, agreed = ask(lambda _: False)
    clock.advance(GUARD_SECONDS)
    press(question, "Open it")
    button(question, "Open it").click()
    assert agreed == []


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Return])
def test_a_key_that_was_on_its_way_leaves_it_closed(ask: Ask, key: Qt.Key) -> None:
    question, clock, agreed = ask(from_window_system)
    clock.advance(GUARD_SECONDS)
    QTest.keyClick(question, key)
    assert (agreed, question.isVisible()) == ([], False)


def test_the_tray_closes_the_seal_at_once_and_opens_it_after_a_question(
    desktop: Desktop, qtbot
) -> None:
    client = FakeAssistantClient()
    desktop._on_ready(client)
    client.request_status()
    seal = next(one for one in desktop.tray.menu.actions() if one.isCheckable())
    qtbot.waitUntil(seal.isEnabled, timeout=30_000)
    seal.trigger()
    assert client.sealed
    qtbot.waitUntil(seal.isChecked, timeout=30_000)
    assert desktop.tray.state is TrayState.SEALED
    seal.trigger()
    seal.trigger()
    (question,) = desktop.window.findChildren(SealQuestion)
    assert client.sealed and seal.isChecked() and question.isVisible()
    question.agreed.emit()
    assert not client.sealed
    qtbot.waitUntil(lambda: not seal.isChecked(), timeout=30_000)
