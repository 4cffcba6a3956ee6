"""A window with a scripted assistant; every test must leave no widget and no Qt thread behind."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QThreadPool
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.qt.agent_thread import AssistantMain, Ready
from moltbot_desktop.qt.resting import Rest
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.sdk.attachments import AttachedDesk
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.ui.appearance import application_font, dress
from moltbot_desktop.ui.application import Desktop
from moltbot_desktop.ui.chat_page import ChatPage
from moltbot_desktop.ui.clipboard import WindowClipboard
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.desktop_parts import DesktopParts
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.main_window import MainWindow
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.theme import LIGHT
from moltbot_desktop.ui.translations import install_translation
from tests.conftest import THREAD_GRACE_SECONDS
from tests.fakes.assistant_client import FakeAssistantClient
from tests.fakes.desktop_program import FakeDesks
from tests.gui.places import ARTIFACTS as ARTIFACTS
from tests.gui.places import Stage
from tests.gui.times import START

PATIENCE_MS = 30_000


@pytest.fixture
def qtbot(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QtBot:
    """As pytest-qt's, with patience for a busy machine where a test names no limit."""
    for name in ("waitUntil", "waitSignal", "waitActive", "waitExposed"):
        patient = partial(getattr(qtbot, name), timeout=PATIENCE_MS)
        monkeypatch.setattr(qtbot, name, patient)
    return qtbot


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> Iterator[None]:
    """As in tests/conftest.py, for Qt's threads too: Python knows them as dummies only.

    A dummy cannot be joined and stays listed after its thread has ended; that Qt's own threads
    have ended is held by the fixtures that make them (`AgentThread.stop`, `Worker.close`).
    """
    before = set(threading.enumerate())
    yield
    leaked = [one for one in threading.enumerate() if one not in before]
    leaked = [one for one in leaked if not isinstance(one, threading._DummyThread)]
    for thread in leaked:
        thread.join(THREAD_GRACE_SECONDS)
    assert not [one.name for one in leaked if one.is_alive()]


@pytest.fixture(autouse=True)
def _no_leaked_widgets(qapp: QApplication) -> Iterator[None]:
    """Top-level widgets that a test made are gone after it."""
    before = set(map(id, QApplication.topLevelWidgets()))
    yield

    def left() -> list[QWidget]:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        return [one for one in QApplication.topLevelWidgets() if id(one) not in before]

    if left():
        gc.collect()  # slow, so only when something holds on
    assert not left(), f"widgets left behind: {left()}"
    assert QThreadPool.globalInstance().activeThreadCount() == 0


@dataclass
class Desk:
    """A window on a scripted assistant.

    Attributes:
        frame: the whole window, with its rail.
        client: what it talks to; events go straight into the window.
        clock: stands still until a test moves it.
    """

    frame: MainWindow
    client: FakeAssistantClient
    clock: ManualClock
    worker: Worker
    qtbot: QtBot

    @property
    def window(self) -> ChatPage:
        """The conversation in it."""
        return self.frame.chat

    def settle(self) -> None:
        """Wait until everything told is on the screen, code colours included."""
        view = self.window.transcript
        self.qtbot.waitUntil(lambda: view.idle and self.worker.idle, timeout=20_000)

    def text(self) -> str:
        """The conversation's text, without the empty lines that only make space."""
        self.settle()
        return visible(self.window.transcript.toPlainText())

    def screenshot(self, name: str) -> None:
        """Keep a picture for people to look at."""
        self.settle()
        ARTIFACTS.mkdir(exist_ok=True)
        self.frame.grab().save(str(ARTIFACTS / f"{name}.png"))


def visible(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


MakeDesk = Callable[..., Desk]


@pytest.fixture
def make_desk(qtbot: QtBot, tmp_path: Path, checkout: Path) -> Iterator[MakeDesk]:
    """Makes windows; `client` may bring a stored conversation."""
    made: list[Desk] = []
    resources = checkout / "resources"

    def make(
        client: FakeAssistantClient | None = None,
        *,
        connect: bool = True,
        offline: bool = True,
        attached: AttachedDesk | None = None,
    ) -> Desk:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        dress(application, LIGHT, resources)
        worker, clock = Worker(), ManualClock(START)
        window = MainWindow(
            WindowParts(
                Icons(resources),
                worker,
                clock,
                LIGHT,
                application_font(),
                tmp_path / "window.ini",
                offline=offline,
                attached=attached,
            )
        )
        window.resize(820, 720)
        window.show()
        client = client or FakeAssistantClient()
        client.subscribe(lambda event: window.deliver([event]))
        desk = Desk(window, client, clock, worker, qtbot)
        made.append(desk)
        if connect:
            window.set_client(client)
            desk.settle()
        return desk

    yield make
    for desk in made:
        assert desk.worker.close()
        desk.frame.hide()
        desk.frame.deleteLater()
        desk.client.listeners.clear()
    made.clear()


@pytest.fixture
def stage(
    qtbot: QtBot, qapp: QApplication, checkout: Path, request: pytest.FixtureRequest
) -> Iterator[Stage]:
    """Where one place is shown alone; `indirect` says in which language."""
    resources, worker = checkout / "resources", Worker()
    language = getattr(request, "param", Language.ENGLISH)
    translators = install_translation(qapp, language, resources)
    parts = PlaceParts(Icons(resources), worker, language, ManualClock(START))
    stage = Stage(parts, qtbot, resources)
    yield stage
    for one in translators:
        qapp.removeTranslator(one)
        one.deleteLater()
    assert worker.close()
    for place in stage.made:
        place.left()
        place.hide()
        place.deleteLater()


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    return make_desk()


async def no_assistant(_ready: Ready, _stopping: asyncio.Event) -> None:
    """Never run: the desktop is not started here."""


MakeDesktop = Callable[..., Desktop]


@pytest.fixture
def make_desktop(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, checkout: Path
) -> Iterator[MakeDesktop]:
    """The whole program's objects, around no assistant or that of a test."""
    dressed = qapp.styleSheet(), qapp.palette()
    clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
    made: list[tuple[Desktop, QSystemTrayIcon]] = []

    def make(assistant: AssistantMain = no_assistant, rest: Rest | None = None) -> Desktop:
        parts = DesktopParts(
            *(assistant, tmp_path, checkout / "resources", clock, lambda _: None),
            *(FakeDesks, ScreenFace(Injections(clock)), WindowClipboard(), "en"),
            rest=rest,
        )
        icon = QSystemTrayIcon()
        made.append((Desktop(parts, qapp, Icons(checkout / "resources"), icon), icon))
        return made[-1][0]

    yield make
    for desktop, icon in made:
        if not desktop._ending:
            with qtbot.waitSignal(desktop.ended, timeout=30_000):
                desktop.quit()
        desktop.deleteLater()
        icon.deleteLater()
    qapp.setStyleSheet(dressed[0])
    qapp.setPalette(dressed[1])


@pytest.fixture
def desktop(make_desktop: MakeDesktop) -> Desktop:
    return make_desktop()
