"""After a task that changed files the window offers to take that back, quietly and once."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from moltbot_desktop.core.events import ToolEnded
from moltbot_desktop.core.ids import RunId
from tests.fakes.assistant_client import SESSION
from tests.gui.conftest import Desk

RUN = RunId("r")


def task(desk: Desk, tool: str, *, ok: bool = True) -> None:
    desk.client.start(RUN, "go")
    outcome = "ok" if ok else "failed"
    desk.client.tell(ToolEnded(RUN, SESSION, 2, "c", tool, ok, outcome, "done", 0.1))
    assert not desk.window.undo_bar.isVisible()  # not while it goes on
    desk.client.end(RUN, "done")


def test_a_task_that_changed_files_can_be_taken_back(desk: Desk) -> None:
    task(desk, "edit")
    assert desk.window.undo_bar.isVisible()
    desk.screenshot("undo-bar-light-en")
    QTest.mouseClick(desk.window.undo_bar.undo, Qt.MouseButton.LeftButton)
    assert desk.client.sent == ["/undo"]
    assert not desk.window.undo_bar.isVisible()


def test_one_that_changed_nothing_offers_nothing(desk: Desk) -> None:
    task(desk, "read")
    assert not desk.window.undo_bar.isVisible()
    task(desk, "write", ok=False)
    assert not desk.window.undo_bar.isVisible()


def test_the_next_message_puts_it_away(desk: Desk) -> None:
    task(desk, "delete_file")
    desk.window.send("thanks")
    assert not desk.window.undo_bar.isVisible()
