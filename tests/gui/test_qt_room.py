"""The agent's thread, the mailbox, the worker: crossing threads without losing anything."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QThread
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.events import AssistantDelta
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.client import AssistantClient, ClientEvent, Notice
from moltbot_desktop.qt.agent_thread import AgentThread, AssistantMain, Ready
from moltbot_desktop.qt.mailbox import Mailbox
from moltbot_desktop.qt.worker import Worker
from tests.fakes.assistant_client import SESSION, FakeAssistantClient


def piece(text: str, seq: int = 1) -> AssistantDelta:
    return AssistantDelta(RunId("r"), SESSION, seq, text)


class Received:
    def __init__(self) -> None:
        self.batches: list[tuple[ClientEvent, ...]] = []
        self.threads: set[int] = set()

    def __call__(self, events: tuple[ClientEvent, ...]) -> None:
        self.batches.append(events)
        self.threads.add(threading.get_ident())

    @property
    def events(self) -> list[ClientEvent]:
        return [event for batch in self.batches for event in batch]


@pytest.fixture
def received() -> Received:
    return Received()


@pytest.fixture
def mailbox(qtbot: QtBot, received: Received) -> Iterator[Mailbox]:
    made = Mailbox(received)
    yield made
    made.close()
    made.deleteLater()


def test_events_of_many_threads_all_arrive_on_the_main_thread(
    qtbot: QtBot, mailbox: Mailbox, received: Received
) -> None:
    def post(number: int) -> None:
        for at in range(200):
            mailbox.post(Notice(f"{number}:{at}"))

    threads = [threading.Thread(target=post, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    qtbot.waitUntil(lambda: len(received.events) == 800)
    assert received.threads == {threading.get_ident()}
    for number in range(4):
        own = [
            event.text
            for event in received.events
            if isinstance(event, Notice) and event.text.startswith(f"{number}:")
        ]
        assert own == [f"{number}:{at}" for at in range(200)]


def test_many_pieces_arrive_as_few_events(
    qtbot: QtBot, mailbox: Mailbox, received: Received
) -> None:
    for number in range(10_000):
        mailbox.post(piece("x", number))
    qtbot.waitUntil(lambda: bool(received.events))
    assert [event.text for event in received.events if isinstance(event, AssistantDelta)] == [
        "x" * 10_000
    ]


def test_what_waits_is_delivered_at_closing_and_nothing_after(
    mailbox: Mailbox, received: Received
) -> None:
    mailbox.post(piece("last"))
    mailbox.close()
    mailbox.post(piece("too late"))
    assert received.events == [piece("last")]


class AgentRig:
    """Starts threads under one parent and ends them."""

    def __init__(self, qtbot: QtBot) -> None:
        self.parent = QObject()
        self.clients: list[AssistantClient] = []
        self.threads: list[AgentThread] = []
        self.qtbot = qtbot

    def start(self, main: AssistantMain) -> AgentThread:
        thread = AgentThread(main, self.clients.append, self.parent)
        self.threads.append(thread)
        thread.start()
        return thread


@pytest.fixture
def rig(qtbot: QtBot) -> Iterator[AgentRig]:
    made = AgentRig(qtbot)
    yield made
    assert all(thread.stop(2_000) for thread in made.threads)
    made.threads.clear()
    made.parent.deleteLater()


async def well_behaved(ready: Ready, stopping: asyncio.Event) -> None:
    ready(FakeAssistantClient())
    await stopping.wait()


def test_the_assistant_runs_elsewhere_and_ends_when_asked(rig: AgentRig) -> None:
    thread = rig.start(well_behaved)
    rig.qtbot.waitUntil(lambda: bool(rig.clients))
    assert thread.isRunning()
    assert thread.stop(5_000)
    assert thread.failure is None


def test_asking_before_it_has_begun_is_not_lost(rig: AgentRig) -> None:
    thread = AgentThread(well_behaved, rig.clients.append, rig.parent)
    rig.threads.append(thread)
    thread.ask_to_stop()
    thread.start()
    assert thread.wait(5_000)


def test_an_assistant_that_does_not_listen_is_cancelled(rig: AgentRig) -> None:
    cleaned: list[str] = []

    async def stubborn(ready: Ready, stopping: asyncio.Event) -> None:
        ready(FakeAssistantClient())
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append("yes")

    thread = rig.start(stubborn)
    rig.qtbot.waitUntil(lambda: bool(rig.clients))
    assert thread.stop(50)
    assert cleaned == ["yes"]


def test_a_thread_that_hangs_is_told_apart(rig: AgentRig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moltbot_desktop.qt.agent_thread.CANCEL_GRACE_MS", 50)
    release = threading.Event()

    async def hanging(ready: Ready, stopping: asyncio.Event) -> None:
        ready(FakeAssistantClient())
        release.wait()

    thread = rig.start(hanging)
    rig.qtbot.waitUntil(lambda: bool(rig.clients))
    assert not thread.stop(50)
    release.set()
    assert thread.wait(5_000)


def test_what_the_assistant_raises_is_kept(rig: AgentRig) -> None:
    async def broken(ready: Ready, stopping: asyncio.Event) -> None:
        raise ValueError("boom")

    thread = rig.start(broken)
    assert thread.wait(5_000)
    assert isinstance(thread.failure, ValueError)


def test_a_running_thread_survives_the_loss_of_its_python_name(rig: AgentRig) -> None:
    rig.start(well_behaved)
    rig.qtbot.waitUntil(lambda: bool(rig.clients))
    rig.threads.clear()
    gc.collect()
    (kept,) = rig.parent.findChildren(QThread)
    assert isinstance(kept, AgentThread)
    assert kept.isRunning()
    rig.threads.append(kept)


def test_a_worker_gives_results_on_the_main_thread_in_order(qtbot: QtBot) -> None:
    worker = Worker()
    results: list[tuple[int, int]] = []
    threads: list[int] = []

    def work(number: int) -> int:
        threads.append(threading.get_ident())
        return number * number

    for number in range(20):
        worker.submit(
            lambda number=number: work(number),
            lambda result: results.append((result, threading.get_ident())),
        )
    qtbot.waitUntil(lambda: worker.idle)
    here = threading.get_ident()
    assert results == [(number * number, here) for number in range(20)]
    assert here not in threads
    assert worker.close()
    worker.deleteLater()


def test_a_closed_worker_delivers_nothing(qapp: QApplication) -> None:
    worker, results = Worker(), []
    release = threading.Event()
    worker.submit(release.wait, results.append)
    worker.submit(lambda: True, results.append)
    release.set()
    assert worker.close()
    worker.submit(lambda: True, results.append)
    qapp.processEvents()
    assert results == []
    worker.deleteLater()
