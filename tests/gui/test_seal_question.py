"""The seal is opened by a press of the person's own, and by nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QSystemTrayIcon, QWidget

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.qt.agent_thread import Ready
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.ui.application import Desktop, DesktopParts
from moltbot_desktop.ui.clipboard import WindowClipboard
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.real_press import GUARD_SECONDS, from_window_system
from moltbot_desktop.ui.seal_question import SealQuestion
from moltbot_desktop.ui.tray import TrayState
from tests.fakes.assistant_client import FakeAssistantClient
from tests.fakes.desktop_program import fake_desks

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


async def no_assistant(_ready: Ready, _stopping: asyncio.Event) -> None:
    """Never run: the desktop is not started here."""


@pytest.fixture
def desktop(qapp: QApplication, qtbot, tmp_path: Path, checkout: Path) -> Iterator[Desktop]:
    clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
    parts = DesktopParts(
        *(no_assistant, tmp_path, checkout / "resources", clock, lambda _: None),
        *(fake_desks(), ScreenFace(Injections(clock)), WindowClipboard(), "en"),
    )
    icons = Icons(checkout / "resources")
    icon = QSystemTrayIcon()
    made = Desktop(parts, qapp, icons, icon)
    yield made
    with qtbot.waitSignal(made.ended, timeout=30_000):
        made.quit()
    made.deleteLater()
    icon.deleteLater()


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
