"""Notifications, the screen's lock and the shortcuts portal over a real D-Bus of the test's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, Queue

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from moltbot_desktop.qt.chord import parse_chord
from moltbot_desktop.qt.hotkeys.port import Laid
from moltbot_desktop.qt.hotkeys.portal import PortalKey
from moltbot_desktop.qt.notifications import OPEN, Button, Note, Notifications, ask_locked
from moltbot_desktop.qt.session_bus import SessionBus

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="D-Bus is Linux's"),
    pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="needs dbus-daemon"),
]
START_SECONDS = 120
NOTE = Note("Reminder", "tea & <cake>", (Button("done", "Done"),), stays=True)


class Desktop:
    """The services, in a process of their own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: Queue[list[object]] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(json.loads(line))

    def asked(self) -> list[object]:
        return self._lines.get(timeout=START_SECONDS)

    def asked_nothing(self) -> bool:
        try:
            self._lines.get_nowait()
        except Empty:
            return True
        return False

    def do(self, *what: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


Start = Callable[..., tuple[SessionBus, Desktop]]


@pytest.fixture
def start(qtbot: QtBot, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """A bus with such services on it, and our connection to it."""
    with ExitStack() as stack:
        daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert daemon.stdout is not None
        stack.callback(daemon.stdout.close)
        stack.callback(daemon.wait)
        stack.callback(daemon.kill)
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", daemon.stdout.readline().strip())

        def begin(*services: str) -> tuple[SessionBus, Desktop]:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.fakes.session_desktop", *services],
                env={**os.environ, "PYTHONPATH": str(checkout)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            desktop = Desktop(process)
            stack.callback(desktop.close)
            assert desktop.asked() == ["ready"]
            bus = SessionBus.opened()
            assert bus is not None
            stack.callback(bus.deleteLater)
            stack.callback(bus.close)
            return bus, desktop

        yield begin


def test_a_note_is_shown_and_its_button_heard(start: Start, qtbot: QtBot) -> None:
    bus, desktop = start("notifications")
    notes, pressed, failed = Notifications(bus, "moltbot-desktop"), [], []
    notes.show(NOTE, pressed.append, lambda: failed.append(True))
    notes.show(NOTE, lambda key: pressed.append(f"second {key}"), lambda: failed.append(True))
    qtbot.waitUntil(lambda: len(notes._pressed) == 2)
    expected = ["note", "Reminder", "tea &amp; &lt;cake&gt;", [OPEN, "", "done", "Done"], 0]
    assert [desktop.asked(), desktop.asked()] == [expected, expected]
    desktop.do("action", 99, "done")  # of another program
    desktop.do("action", 2, OPEN)
    desktop.do("action", 1, "done")
    qtbot.waitUntil(lambda: len(pressed) == 2)
    assert pressed == [f"second {OPEN}", "done"]
    assert failed == []
    notes.deleteLater()


def test_without_a_service_it_is_told(start: Start, qtbot: QtBot) -> None:
    bus, _ = start()
    notes, failed = Notifications(bus, "moltbot-desktop"), []
    notes.show(NOTE, lambda _: None, lambda: failed.append(True))
    qtbot.waitUntil(lambda: failed == [True])
    notes.deleteLater()


@pytest.mark.parametrize(
    ("services", "locked"), [(("locked",), True), (("unlocked",), False), ((), False)]
)
def test_the_lock_of_the_screen(
    start: Start, qtbot: QtBot, services: tuple[str, ...], locked: bool
) -> None:
    bus, _ = start(*services)
    told: list[bool] = []
    ask_locked(bus, told.append)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [locked]


def test_a_key_by_the_portal(start: Start, qtbot: QtBot) -> None:
    bus, desktop = start("portal")
    told: list[Laid] = []
    pressed: list[bool] = []
    key = _key(bus, told, pressed)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [Laid.HERE]
    shortcut = {"description": "Quick question", "preferred_trigger": "CTRL+ALT+space"}
    assert desktop.asked() == ["bound", "quick-ask", shortcut]
    desktop.do("activated")
    qtbot.waitUntil(lambda: pressed == [True])
    key.close()
    closed = desktop.asked()
    assert closed[0] == "closed"


def test_a_desktop_whose_user_says_no(start: Start, qtbot: QtBot) -> None:
    bus, _ = start("portal", "refusing")
    told: list[Laid] = []
    key = _key(bus, told, [])
    qtbot.waitUntil(lambda: bool(told))
    assert told == [Laid.REFUSED]
    key.close()


def test_a_desktop_without_a_portal(start: Start, qtbot: QtBot) -> None:
    bus, _ = start()
    told: list[Laid] = []
    key = _key(bus, told, [])
    qtbot.waitUntil(lambda: bool(told))
    assert told == [Laid.NOT_HERE]
    key.close()


def _key(bus: SessionBus, told: list[Laid], pressed: list[bool]) -> PortalKey:
    chord = parse_chord("Ctrl+Alt+Space")
    assert chord is not None
    key = PortalKey(
        bus, chord, "Quick question", lambda: pressed.append(True), told.append, QObject(bus)
    )
    key.begin()
    return key


def test_a_bus_that_goes_answers_nobody(
    start: Start, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus, desktop = start("notifications")
    notes, failed = Notifications(bus, "moltbot-desktop"), []
    assert bus._bus is not None
    bus._bus.sock.shutdown(2)
    notes.show(NOTE, lambda _: None, lambda: failed.append(True))
    qtbot.waitUntil(lambda: bool(failed))
    notes.show(NOTE, lambda _: None, lambda: failed.append(True))
    qtbot.waitUntil(lambda: len(failed) == 2)
    assert desktop.asked_nothing()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
    assert SessionBus.opened() is None
    notes.deleteLater()
