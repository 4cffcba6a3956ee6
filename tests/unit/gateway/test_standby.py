"""A pause that the owner asked for: it holds, it ends, and it survives a new start."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.gateway.client import ClientEvent, Notice, PauseLength
from moltbot_desktop.gateway.standby import Standby
from moltbot_desktop.gateway.switch_desk import SwitchDesk, pause_end

ZONE = timezone(timedelta(hours=2))
NOON = datetime(2026, 11, 22, 12, 0, tzinfo=ZONE)


def test_it_holds_until_its_time_and_is_told_once(tmp_path: Path) -> None:
    clock, told = ManualClock(NOON), []
    standby = Standby(tmp_path / "standby.json", clock)
    standby.on_change(lambda: told.append(standby.on))
    assert not standby.on
    standby.begin(NOON + timedelta(hours=1))
    assert standby.on
    assert standby.until == NOON + timedelta(hours=1)
    clock.advance(3_599)
    standby.look()
    assert standby.on
    clock.advance(1)
    assert not standby.on
    standby.look()
    standby.look()
    assert told == [True, False]
    assert not (tmp_path / "standby.json").exists()


@pytest.mark.parametrize("until", [None, NOON + timedelta(hours=3)])
def test_it_holds_after_a_new_start(tmp_path: Path, until: datetime | None) -> None:
    clock, file = ManualClock(NOON), tmp_path / "home" / "standby.json"
    Standby(file, clock).begin(until)
    again = Standby(file, clock)
    assert again.on
    assert again.until == until
    again.end()
    assert not Standby(file, clock).on


def test_one_that_ended_while_the_program_was_off_is_over(tmp_path: Path) -> None:
    clock, file = ManualClock(NOON), tmp_path / "standby.json"
    Standby(file, clock).begin(NOON + timedelta(hours=1))
    clock.advance(4_000)
    assert not Standby(file, clock).on


@pytest.mark.expect_log
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"until": 5}', b'{"until": "soon"}', b"[" * 5_000, b"\xff"]
)
def test_a_file_that_says_nothing_stands_for_no_pause(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "standby.json"
    file.write_bytes(content)
    standby = Standby(file, ManualClock(NOON))
    assert not standby.on
    standby.begin(None)
    assert Standby(file, ManualClock(NOON)).on


def test_its_task_tells_that_it_is_over(tmp_path: Path) -> None:
    """With the time as it really is, short: the task sleeps until then."""
    clock = ManualClock(NOON)
    standby = Standby(tmp_path / "standby.json", clock)

    async def scenario() -> None:
        over = asyncio.Event()
        standby.on_change(lambda: None if standby.on else over.set())
        task = asyncio.get_running_loop().create_task(standby.run())
        standby.begin(NOON + timedelta(seconds=0.1))
        await asyncio.sleep(0)
        clock.advance(0.2)
        async with asyncio.timeout(60):
            await over.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("length", "now", "end"),
    [
        (PauseLength.HOUR, NOON, NOON + timedelta(hours=1)),
        (PauseLength.TOMORROW, NOON, datetime(2026, 11, 23, 8, 0, tzinfo=ZONE)),
        (PauseLength.TOMORROW, NOON.replace(hour=2), datetime(2026, 11, 22, 8, 0, tzinfo=ZONE)),
        (PauseLength.OPEN, NOON, None),
    ],
)
def test_how_long_a_pause_is(length: PauseLength, now: datetime, end: datetime | None) -> None:
    assert pause_end(length, now) == end


class Desk:
    """A switch desk, and what came of what was asked of it."""

    def __init__(self, folder: Path, *, broken: bool = False) -> None:
        self.reminders: list[tuple[datetime, str]] = []
        self.told: list[ClientEvent] = []
        self.looks = self.unloads = 0
        self.broken = broken
        clock = ManualClock(NOON)
        self.standby = Standby(folder / "standby.json", clock)
        self.desk = SwitchDesk(
            self.standby, self._remind, self._unload, clock, self._in_thread,
            self._status, self.told.append,
        )  # fmt: skip

    def _remind(self, when: datetime, text: str) -> None:
        if self.broken:
            raise StorageError("the disk is full")
        self.reminders.append((when, text))

    async def _unload(self) -> bool:
        self.unloads += 1
        return True

    async def _in_thread(self, call):
        return call()

    def _status(self) -> None:
        self.looks += 1

    def play(self, *asked) -> None:
        async def scenario() -> None:
            for one in asked:
                one(self.desk)
            async with asyncio.timeout(60):
                while self.looks < len(asked):
                    await asyncio.sleep(0)
            await self.desk.close()

        asyncio.run(scenario())


def test_a_reminder_comes_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.play(lambda one: one.remind_again(" call Anna ", 10))
    assert desk.reminders == [(NOON + timedelta(minutes=10), "call Anna")]


def test_what_is_no_reminder_is_left(tmp_path: Path) -> None:
    desk = Desk(tmp_path)

    def asked(one: SwitchDesk) -> None:
        one.remind_again("call Anna", 0)
        one.remind_again("call Anna", 10**9)
        one.remind_again("  ", 10)
        one.unload_model()

    desk.play(asked)
    assert desk.reminders == []
    assert desk.unloads == 1


def test_a_reminder_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path, broken=True)
    desk.play(lambda one: one.remind_again("call Anna", 10))
    [notice] = desk.told
    assert isinstance(notice, Notice)
    assert notice.serious
    assert "disk is full" in notice.text


def test_a_pause_and_its_end(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.desk.stand_by(PauseLength.HOUR)
    assert desk.standby.until == NOON + timedelta(hours=1)
    desk.desk.stand_by(None)
    assert not desk.standby.on
