"""A program that waits in the tray has no window, until there is something to see in one."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.events import ApprovalRequested, RunStarted
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.gateway.client import ClientEvent, Notice, ReminderDue
from moltbot_desktop.qt.wishes import WINDOW
from moltbot_desktop.ui.application import Desktop
from moltbot_desktop.ui.tray import TrayState
from tests.fakes.assistant_client import SESSION, FakeAssistantClient, stored

RUN = RunId("r1")
CARD = ApprovalRequested(RUN, SESSION, 2, ApprovalId("a1"), "exec", {}, "Run this?", "")


@pytest.fixture
def client(desktop: Desktop) -> FakeAssistantClient:
    client = FakeAssistantClient(items=stored(["hi", "Hello."]))
    desktop._on_ready(client)
    return client


def seen(desktop: Desktop) -> list[str]:
    entries = desktop.window.chat._conversation.entries
    return [getattr(entry, "text", "") for entry in entries.values()]


def test_a_whole_run_needs_none_and_the_tray_shows_it(
    desktop: Desktop, client: FakeAssistantClient, qtbot: QtBot
) -> None:
    client.start(RUN, "what is new?")
    qtbot.waitUntil(lambda: desktop.tray.state is TrayState.THINKING)
    client.say(RUN, "Much.")
    client.end(RUN, "Much.")
    qtbot.waitUntil(lambda: desktop.tray.state is TrayState.IDLE)
    assert desktop._window is None


def test_a_run_that_never_tells_its_end_is_over_when_nothing_runs(
    desktop: Desktop, client: FakeAssistantClient, qtbot: QtBot
) -> None:
    client.start(RUN, "what is new?")
    qtbot.waitUntil(lambda: desktop.tray.state is TrayState.THINKING)
    client._running.clear()
    client.request_status()
    qtbot.waitUntil(lambda: desktop.tray.state is TrayState.IDLE)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (ReminderDue(1, "call Anna", "2026-08-01 14:30", missed=False), "call Anna"),
        (Notice("The disk is full.", serious=True), "The disk is full."),
        (CARD, "Run this?"),
    ],
)
def test_what_somebody_must_see_is_seen_in_the_window_that_opens(
    desktop: Desktop, client: FakeAssistantClient, qtbot: QtBot, event: ClientEvent, text: str
) -> None:
    client.tell(event)
    qtbot.waitUntil(lambda: desktop._window is not None)
    desktop.fulfil(WINDOW)
    chat = desktop.window.chat
    qtbot.waitUntil(lambda: seen(desktop)[:2] == ["hi", "Hello."])
    match event:
        case ReminderDue():
            assert text in seen(desktop)
        case Notice():
            assert text in chat.banner.text
        case _:
            assert chat.approval.isVisible() and chat.approval._title.text() == text


def test_a_window_that_opens_during_a_run_shows_its_end(
    desktop: Desktop, client: FakeAssistantClient, qtbot: QtBot
) -> None:
    client.start(RUN, "what is new?")
    client.items += stored(["what is new?"])
    qtbot.waitUntil(lambda: desktop.tray.state is TrayState.THINKING)
    desktop.fulfil(WINDOW)
    qtbot.waitUntil(lambda: seen(desktop) == ["hi", "Hello.", "what is new?"])
    client.say(RUN, "Not much")
    qtbot.waitUntil(lambda: desktop.window.chat.events.busy)
    client.end(RUN, "There is. Not much.")
    qtbot.waitUntil(lambda: seen(desktop)[-1] == "There is. Not much.")
    assert not desktop.window.chat.events.busy


def test_hiding_by_the_icon_and_a_look_need_none(desktop: Desktop) -> None:
    desktop._dress()
    assert desktop._window is None
    desktop.tray.toggle_requested.emit()
    assert desktop._window is not None and desktop._window.isVisible()
    desktop.tray.toggle_requested.emit()
    assert not desktop._window.isVisible()


def test_a_window_that_opens_late_knows_whose_conversation_it_shows(
    desktop: Desktop, client: FakeAssistantClient, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: desktop._status is not None)
    desktop.fulfil(WINDOW)
    others = SessionKey("agent:main:telegram:direct:5")
    desktop.window.deliver((RunStarted(RunId("r9"), others, 1, "a secret of others"),))
    assert "a secret of others" not in seen(desktop), "before its history came"
    qtbot.waitUntil(lambda: seen(desktop) == ["hi", "Hello."])
