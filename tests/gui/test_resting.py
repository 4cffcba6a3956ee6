"""A program at rest has no assistant; whatever somebody wants of it wakes it, once."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from moltbot_desktop.qt.agent_thread import Ready
from moltbot_desktop.qt.resting import Rest
from moltbot_desktop.qt.wishes import SETTINGS, TOGGLE, WINDOW
from moltbot_desktop.ui.application import Desktop
from tests.gui.conftest import MakeDesktop

_LONG_ENOUGH_MS = 700
"""More than a change is given to settle."""


@dataclass
class House:
    """A home at rest, and an assistant that says when it lives."""

    door: socket.socket
    folder: Path
    quiet: bool = True
    asked: int = 0
    closed: int = 0
    lives: list[str] = field(default_factory=list)
    awake: threading.Event = field(default_factory=threading.Event)

    def rest(self) -> Rest:
        return Rest(self.door.fileno(), (self.folder, self.folder / "a"), self.goes_on, self.close)

    def goes_on(self) -> bool:
        self.asked += 1
        return self.quiet

    def close(self) -> None:
        self.closed += 1

    async def life(self, _ready: Ready, stopping: asyncio.Event) -> None:
        self.lives.append(threading.current_thread().name)
        self.awake.set()
        await stopping.wait()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    folder = tmp_path / "home"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(folder / "s"))
        door.listen()
        yield House(door, folder)


@pytest.fixture
def desktop(house: House, make_desktop: MakeDesktop, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    monkeypatch.setattr("moltbot_desktop.ui.tray.Tray.available", lambda: True)
    desktop = make_desktop(house.life, house.rest())
    desktop.start(None)
    return desktop


def test_a_start_that_nobody_looks_at_wakes_nobody(
    desktop: Desktop, house: House, qtbot: QtBot
) -> None:
    qtbot.wait(_LONG_ENOUGH_MS)
    assert not house.lives and desktop._window is None


@pytest.mark.parametrize(
    "wants",
    [
        lambda desktop, _: desktop.fulfil(WINDOW),
        lambda desktop, _: desktop.fulfil(SETTINGS),
        lambda desktop, _: desktop.fulfil(TOGGLE),
        lambda desktop, _: desktop.tray.menu.aboutToShow.emit(),
        lambda desktop, _: desktop.tray.toggle_requested.emit(),
        lambda desktop, _: desktop.outside.hotkey.pressed.emit(),
    ],
)
def test_whoever_wants_to_see_something_wakes_it_once(
    desktop: Desktop, house: House, qtbot: QtBot, wants: Callable[[Desktop, House], None]
) -> None:
    wants(desktop, house)
    qtbot.waitUntil(house.awake.is_set)
    desktop.wake()
    desktop.fulfil(WINDOW)
    qtbot.wait(50)
    assert len(house.lives) == 1


def test_a_knock_wakes_it_and_is_left_for_the_assistant(
    desktop: Desktop, house: House, qtbot: QtBot
) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(house.folder / "s"))
        line.sendall(b"who is there?\n")
        qtbot.waitUntil(house.awake.is_set)
        answering, _ = house.door.accept()
        with answering:
            assert answering.recv(100) == b"who is there?\n"
    assert len(house.lives) == 1


def test_a_change_after_which_something_is_to_be_done_wakes_it(
    desktop: Desktop, house: House, qtbot: QtBot
) -> None:
    (house.folder / "a").write_text("1", "utf-8")
    qtbot.waitUntil(lambda: house.asked == 1)
    assert not house.lives, "nothing is to be done yet"
    house.quiet = False
    (house.folder / "a").write_text("2", "utf-8")  # in its place: the folder has not changed
    qtbot.waitUntil(house.awake.is_set)
    asked = house.asked
    (house.folder / "b").touch()
    qtbot.wait(_LONG_ENOUGH_MS)
    assert house.asked == asked, "nobody looks any more"


def test_many_changes_are_looked_at_together(desktop: Desktop, house: House, qtbot: QtBot) -> None:
    for number in range(20):
        (house.folder / f"{number}").touch()
        qtbot.wait(5)
    qtbot.waitUntil(lambda: house.asked > 0)
    qtbot.wait(_LONG_ENOUGH_MS)
    assert house.asked == 1


def test_it_may_end_without_ever_having_been_awake(
    desktop: Desktop, house: House, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(desktop.ended, timeout=10_000) as ended:
        desktop.quit()
    assert ended.args == [0] and not house.lives and house.closed == 1


def test_who_waits_is_not_left_waiting_when_the_assistant_cannot_live(
    house: House, make_desktop: MakeDesktop, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stillborn(_ready: Ready, _stopping: asyncio.Event) -> None:
        house.awake.set()
        raise ValueError("cannot live")

    monkeypatch.setattr("moltbot_desktop.ui.tray.Tray.available", lambda: True)
    desktop = make_desktop(stillborn, house.rest())
    desktop.start(None)
    desktop.wake()
    qtbot.waitUntil(lambda: house.closed == 1)
    assert house.awake.is_set()
