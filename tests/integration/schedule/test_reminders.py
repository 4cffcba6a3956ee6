"""Reminders on a real database: told once, also with several processes, crashes and clock jumps."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import DiskFull, StorageError
from moltbot_desktop.schedule.store import CLAIM_SECONDS, MIGRATIONS, ReminderStore, read_again
from moltbot_desktop.schedule.ticker import LONGEST_SLEEP, ReminderTicker
from moltbot_desktop.sdk.reminders import Reminder
from moltbot_desktop.sdk.schedule import Cron
from moltbot_desktop.storage.book import Book

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
EACH_MORNING = Cron("0 9 * * *")
REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


@pytest.fixture
def store(path: Path, clock: ManualClock) -> Iterator[ReminderStore]:
    store = ReminderStore(path, clock)
    yield store
    store.close()


def _ids(reminders: tuple[Reminder, ...]) -> list[int]:
    return [reminder.id for reminder in reminders]


class TestStore:
    def test_nothing_is_claimed_before_it_is_due(self, store: ReminderStore) -> None:
        store.add(NOW + timedelta(seconds=10), "x")
        assert store.claim_due(NOW + timedelta(seconds=9)) == ()
        assert len(store.claim_due(NOW + timedelta(seconds=10))) == 1

    def test_two_stores_never_claim_the_same_one(
        self, store: ReminderStore, path: Path, clock: ManualClock
    ) -> None:
        other = ReminderStore(path, clock)
        store.add(NOW, "x")
        assert len(store.claim_due(NOW)) == 1
        assert other.claim_due(NOW) == ()
        store.mark_told([1])
        later = NOW + timedelta(days=1)
        assert (store.claim_due(later), other.claim_due(later)) == ((), ())
        assert other.pending() == ()
        other.close()

    def test_a_claim_whose_holder_died_is_given_out_again(self, store: ReminderStore) -> None:
        store.add(NOW, "x")
        store.claim_due(NOW)
        assert store.claim_due(NOW + timedelta(seconds=CLAIM_SECONDS - 1)) == ()
        assert store.next_wake(NOW) == NOW + timedelta(seconds=CLAIM_SECONDS)
        assert _ids(store.claim_due(NOW + timedelta(seconds=CLAIM_SECONDS))) == [1]

    def test_a_claim_from_the_future_does_not_last_for_ever(self, store: ReminderStore) -> None:
        """The wall clock was set back by an hour after a claim."""
        store.add(NOW - timedelta(hours=2), "x")
        store.claim_due(NOW)
        assert _ids(store.claim_due(NOW - timedelta(hours=1))) == [1]

    def test_the_oldest_comes_first(self, store: ReminderStore) -> None:
        store.add(NOW - timedelta(minutes=1), "later")
        store.add(NOW - timedelta(minutes=9), "earlier")
        assert [one.text for one in store.claim_due(NOW)] == ["earlier", "later"]

    def test_a_restart_keeps_everything(self, path: Path, clock: ManualClock) -> None:
        first = ReminderStore(path, clock)
        made = first.add(NOW + timedelta(days=3), "记得交房租")
        first.add(NOW + timedelta(days=1), "cancelled")
        first.cancel(2)
        first.close()
        second = ReminderStore(path, clock)
        assert second.pending() == (made,)
        second.close()

    def test_a_reminder_stays_at_its_instant_in_another_zone(
        self, store: ReminderStore, path: Path
    ) -> None:
        store.add(NOW + timedelta(hours=1), "x")
        there = ReminderStore(path, ManualClock(NOW.astimezone(ZoneInfo("Asia/Tokyo"))))
        due = there.pending()[0].due
        there.close()
        assert due.utcoffset() == timedelta(hours=9)
        assert due.astimezone(UTC) == (NOW + timedelta(hours=1)).astimezone(UTC)

    def test_a_cancelled_one_is_never_claimed(self, store: ReminderStore) -> None:
        store.add(NOW, "x")
        store.cancel(1)
        assert store.claim_due(NOW) == ()

    def test_a_damaged_book_is_set_aside_not_thrown_away(
        self, path: Path, clock: ManualClock
    ) -> None:
        path.write_bytes(b"this is no database, it only looks like a file" * 100)
        store = ReminderStore(path, clock)
        assert store.set_aside is not None
        assert store.set_aside.read_bytes().startswith(b"this is no database")
        store.add(NOW, "works again")
        assert len(store.pending()) == 1
        store.close()


class TestAgain:
    def test_when_it_was_told_it_waits_for_its_next_time(
        self, store: ReminderStore, clock: ManualClock
    ) -> None:
        made = store.add(EACH_MORNING, "pills")
        clock.advance(23 * 3600)
        assert _ids(store.claim_due(clock.now())) == [made.id]
        store.mark_told([made.id])
        assert store.claim_due(clock.now()) == ()
        [waiting] = store.pending()
        assert (waiting.id, waiting.due) == (made.id, NOW + timedelta(days=2, hours=-1))

    def test_a_cancelled_one_does_not_come_back(
        self, store: ReminderStore, clock: ManualClock
    ) -> None:
        made = store.add(EACH_MORNING, "pills")
        clock.advance(24 * 3600)
        store.claim_due(clock.now())
        store.cancel(made.id)  # while it is being told
        store.mark_told([made.id])
        clock.advance(48 * 3600)
        assert (store.claim_due(clock.now()), store.pending()) == ((), ())

    def test_its_clock_is_the_one_on_the_wall(self, store: ReminderStore, path: Path) -> None:
        """At nine in the morning wherever one is, also after a journey."""
        store.add(EACH_MORNING, "pills")
        there = ManualClock(NOW.astimezone(ZoneInfo("Asia/Tokyo")))  # 18:00
        travelled = ReminderStore(path, there)
        travelled.claim_due(there.now())
        [waiting] = travelled.pending()
        travelled.close()
        assert f"{waiting.due:%d %H:%M %z}" == "22 09:00 +0900"

    def test_a_clock_that_was_years_ahead_does_not_silence_it(
        self, store: ReminderStore, clock: ManualClock
    ) -> None:
        made = store.add(EACH_MORNING, "pills")
        clock.advance(900 * 86_400)
        store.claim_due(clock.now())
        store.mark_told([made.id])
        clock.advance(-900 * 86_400)
        store.claim_due(clock.now())
        assert [one.due for one in store.pending()] == [NOW + timedelta(hours=23)]

    def test_a_book_of_before_goes_on(self, path: Path, clock: ManualClock) -> None:
        class Older(Book):
            """As it was when reminders came once."""

        older = Older(path, MIGRATIONS[:1])
        with older.writing():
            older.connection.execute(
                "INSERT INTO reminders (due, text, created) VALUES (?, 'call Anna', 0)",
                (int(NOW.timestamp()) + 60,),
            )
        older.close()
        store = ReminderStore(path, clock)
        assert [(one.text, one.again) for one in store.pending()] == [("call Anna", None)]
        assert store.add(EACH_MORNING, "pills").again == EACH_MORNING
        store.close()

    @pytest.mark.parametrize(
        "text", ["", "null", "[]", "{}", '{"kind": "at", "atMs": 1}', '{"kind": "event"}',
                 '{"kind": "cron", "expr": "* * * * * *"}', '{"kind": "every", "everyMs": 1000}',
                 '{"kind": "cron", "expr": 7}', '{"kind": "cron", "expr": "0 0 30 2 *"}',
                 "[" * 100_000],
    )  # fmt: skip
    def test_what_is_no_repetition_is_read_as_none(self, text: str) -> None:
        assert read_again(text) is None


_CLAIMER = textwrap.dedent(
    """
    import sys
    from datetime import datetime
    from pathlib import Path
    from moltbot_desktop.core.clock import ManualClock
    from moltbot_desktop.schedule.store import ReminderStore

    now = datetime.fromisoformat(sys.argv[2])
    store = ReminderStore(Path(sys.argv[1]), ManualClock(now))
    print("ready", flush=True)
    fired = []
    while True:
        last = Path(sys.argv[1] + ".done").exists()
        mine = [one.id for one in store.claim_due(now)]
        store.mark_told(mine)
        fired += mine
        if last:
            break
    print(*fired, flush=True)
    store.close()
    """
)
_DIES_AFTER_CLAIM = textwrap.dedent(
    """
    import asyncio, os, signal, sys
    from datetime import datetime
    from pathlib import Path
    from moltbot_desktop.core.clock import ManualClock
    from moltbot_desktop.schedule.store import ReminderStore
    from moltbot_desktop.schedule.ticker import ReminderTicker

    clock = ManualClock(datetime.fromisoformat(sys.argv[2]))
    store = ReminderStore(Path(sys.argv[1]), clock)

    def die(reminder, missed):
        os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(ReminderTicker(store, clock, die).run())
    """
)


def _process(script: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, str(path), NOW.astimezone(UTC).isoformat()],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip


class TestProcesses:
    def test_two_processes_never_fire_one_twice(self, store: ReminderStore, path: Path) -> None:
        both = [_process(_CLAIMER, path) for _ in range(2)]
        for process in both:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for number in range(100):
            store.add(NOW - timedelta(seconds=number % 60), str(number))
        path.with_name(path.name + ".done").touch()
        outputs = [process.communicate(timeout=60)[0] for process in both]
        fired = [int(word) for output in outputs for word in output.split()]
        assert sorted(fired) == list(range(1, 101))
        assert store.pending() == ()

    @pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
    def test_killed_while_telling_it_comes_again_rather_than_never(
        self, store: ReminderStore, path: Path
    ) -> None:
        store.add(NOW, "call Anna")
        process = _process(_DIES_AFTER_CLAIM, path)
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        assert store.claim_due(NOW + timedelta(seconds=1)) == ()
        later = NOW + timedelta(seconds=CLAIM_SECONDS)
        assert [one.text for one in store.claim_due(later)] == ["call Anna"]


class Told:
    """What a ticker told, and the means to run it until it has nothing more to do."""

    def __init__(self, store: ReminderStore, clock: ManualClock) -> None:
        self.said: list[tuple[str, bool]] = []
        self.broken = False
        self.ticker = ReminderTicker(store, clock, self._on_due)

    def _on_due(self, reminder: Reminder, missed: bool) -> None:
        if self.broken:
            raise RuntimeError("the window is gone")
        self.said.append((reminder.text, missed))

    def run(self, *steps: Callable[[], None]) -> None:
        """Run the ticker; after it settled, each step, then it is woken and settles again."""

        async def go() -> None:
            task = asyncio.create_task(self.ticker.run())
            await _settled()
            for step in steps:
                step()
                self.ticker.wake()
                await _settled()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(go())


async def _settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


class TestTicker:
    def test_due_ones_are_told_once(self, store: ReminderStore, clock: ManualClock) -> None:
        store.add(NOW + timedelta(seconds=120), "call Anna")
        told = Told(store, clock)
        told.run(lambda: clock.advance(119))
        assert told.said == []
        told.run(lambda: clock.advance(1), lambda: clock.advance(600))
        assert told.said == [("call Anna", False)]
        assert store.pending() == ()

    def test_missed_ones_are_told_first_and_once(
        self, path: Path, store: ReminderStore, clock: ManualClock
    ) -> None:
        store.add(NOW + timedelta(hours=3), "now")
        store.add(NOW + timedelta(hours=1), "missed")
        clock.advance(3 * 3600)
        told = Told(store, clock)
        told.run()
        assert told.said == [("missed", True), ("now", False)]
        again = Told(store, clock)
        again.run(lambda: clock.advance(3600))
        assert again.said == []

    def test_one_that_comes_again_is_told_each_time_and_once_for_all_it_missed(
        self, store: ReminderStore, clock: ManualClock
    ) -> None:
        store.add(EACH_MORNING, "pills")
        told = Told(store, clock)
        day = lambda: clock.advance(86_400)  # noqa: E731
        told.run(lambda: clock.advance(23 * 3600), day, day)
        assert told.said == [("pills", False)] * 3
        clock.advance(20 * 86_400 + 3600)  # the computer was off
        again = Told(store, clock)
        again.run(lambda: clock.advance(23 * 3600))
        assert again.said == [("pills", True), ("pills", False)]
        assert told.ticker._told == set()  # nothing piles up

    @pytest.mark.expect_log("The disk is full")
    def test_a_full_disk_tells_one_that_comes_again_once_a_time(
        self, store: ReminderStore, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> tuple[Reminder, ...]:
            raise DiskFull("The disk is full.")

        store.add(EACH_MORNING, "pills")
        told = Told(store, clock)
        with monkeypatch.context() as patch:
            patch.setattr(store, "claim_due", full)
            patch.setattr(store, "mark_told", full)
            told.run(lambda: clock.advance(23 * 3600), lambda: clock.advance(60))
        assert told.said == [("pills", False)]
        told.run(lambda: clock.advance(60), lambda: clock.advance(86_400))
        assert told.said == [("pills", False), ("pills", True)]

    def test_a_reminder_added_while_it_sleeps_wakes_it(
        self, store: ReminderStore, clock: ManualClock
    ) -> None:
        told = Told(store, clock)

        async def go() -> None:
            task = asyncio.create_task(told.ticker.run())
            await _settled()
            await asyncio.to_thread(store.add, clock.now(), "from a worker thread")
            await _settled()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(go())
        assert told.said == [("from a worker thread", False)]

    def test_a_wall_clock_set_forward_fires_and_set_back_does_not_repeat(
        self, store: ReminderStore, clock: ManualClock
    ) -> None:
        store.add(NOW + timedelta(hours=5), "x")
        told = Told(store, clock)
        told.run(lambda: clock.advance(6 * 3600), lambda: clock.advance(-5 * 3600))
        assert told.said == [("x", True)]
        told.run(lambda: clock.advance(9 * 3600))
        assert told.said == [("x", True)]

    @pytest.mark.expect_log("could not be told")
    def test_a_listener_that_fails_is_asked_again_later(
        self, store: ReminderStore, clock: ManualClock
    ) -> None:
        store.add(NOW, "x")
        store.add(NOW, "y")
        told = Told(store, clock)
        told.broken = True
        told.run()
        assert told.said == []
        told.broken = False
        told.run(lambda: clock.advance(CLAIM_SECONDS))
        assert sorted(text for text, _ in told.said) == ["x", "y"]

    @pytest.mark.expect_log("The disk is full")
    def test_a_full_disk_does_not_silence_reminders(
        self, store: ReminderStore, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> tuple[Reminder, ...]:
            raise DiskFull("The disk is full.")

        store.add(NOW, "call Anna")
        told = Told(store, clock)
        with monkeypatch.context() as patch:
            patch.setattr(store, "claim_due", full)
            patch.setattr(store, "mark_told", full)
            told.run(lambda: clock.advance(60), lambda: clock.advance(60))
        assert told.said == [("call Anna", False)]
        told.run(lambda: clock.advance(60))  # the disk has room again: now the mark is made
        assert len(told.said) == 1
        assert store.pending() == ()

    def test_it_sleeps_long_when_nothing_is_near(
        self, store: ReminderStore, clock: ManualClock
    ) -> None:
        ticker = ReminderTicker(store, clock, lambda _reminder, _missed: None)
        assert ticker._delay() == LONGEST_SLEEP
        store.add(NOW + timedelta(hours=1), "far")
        assert ticker._delay() == LONGEST_SLEEP
        store.add(NOW + timedelta(seconds=7), "near")
        assert ticker._delay() == 7

    def test_waking_a_ticker_that_does_not_run_is_harmless(
        self, store: ReminderStore, clock: ManualClock
    ) -> None:
        told = Told(store, clock)
        told.ticker.wake()
        told.run()
        told.ticker.wake()
        store.add(NOW, "x")
        assert told.said == []


def test_a_folder_that_takes_no_database_is_told(tmp_path: Path, clock: ManualClock) -> None:
    (tmp_path / "state.sqlite").mkdir()
    with pytest.raises(StorageError, match=r"state\.sqlite"):
        ReminderStore(tmp_path / "state.sqlite", clock)
