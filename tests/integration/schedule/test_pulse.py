"""The heartbeat's task: it looks when it is time or asked, tells news once, and goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.schedule import pulse
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.heartbeat import PROMPT, HeartbeatRules
from moltbot_desktop.schedule.looks import Looks
from moltbot_desktop.schedule.notices import NewNotice, Notices
from moltbot_desktop.schedule.pulse import LastLook, LookStatus, Pulse, PulseParts
from moltbot_desktop.schedule.turns import Delivery, JobTurn
from tests.fakes.jobs import MAIN_KEY, ScriptedDesk

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 10, 0, tzinfo=BERLIN)


class House:
    """A heartbeat and what it told."""

    def __init__(self, database: ScheduleDatabase, clock: ManualClock) -> None:
        self.clock = clock
        self.notices = Notices(database)
        self.desk = ScriptedDesk(RunOutcome(OutcomeKind.ANSWERED, "Rent is due."))
        self.told: list[str] = []
        self.looks: list[LastLook] = []
        self.busy = False
        self.rules = HeartbeatRules()
        self.last: Delivery | None = None
        self.able = True
        self.elsewhere = False
        looks = Looks(database)
        self.instructions: Callable[[], str | None] = lambda: "- look at the mail"
        self.pulse = Pulse(
            PulseParts(
                agent_id="main",
                key=SessionKey("agent:main:cron:heartbeat"),
                rules=lambda: self.rules,
                zone=lambda: BERLIN,
                last=lambda: self.last,
                runner=self.desk,
                clock=clock,
                new_id=lambda: str(len(self.desk.turns)),
                instructions=lambda: self.instructions(),
                notices=lambda: self.notices.calling(MAIN_KEY),
                answered=lambda through: self.notices.answered(MAIN_KEY, through),
                busy=lambda: self.busy,
                elsewhere=lambda: self.elsewhere,
                able=lambda: self.able,
                on_battery=lambda: False,
                told=lambda: looks.told("main"),
                keep=lambda told: looks.keep("main", told),
                tell=lambda text, labels: self.told.append(text),
                looked=self.looks.append,
            )
        )

    async def until(self, there: Callable[[], object]) -> None:
        """Let the task run until something is there."""
        task = asyncio.create_task(self.pulse.run())
        try:
            async with asyncio.timeout(30):
                while not there():
                    await asyncio.sleep(0.005)
        finally:
            task.cancel()
            await asyncio.wait([task])


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    for name in ("LOOKS_EVERY", "GATHERS", "BUSY_AGAIN"):
        monkeypatch.setattr(pulse, name, 0.01)
    clock = ManualClock(NOW)
    database = ScheduleDatabase(tmp_path / "jobs.sqlite", clock)
    yield House(database, clock)
    database.close()


def test_it_looks_when_its_time_has_come_and_tells_the_same_once(house: House) -> None:
    async def scenario() -> None:
        def time_passes() -> bool:
            house.clock.advance(120)
            return len(house.looks) >= 3

        await house.until(time_passes)

    asyncio.run(scenario())
    assert house.told == ["Rent is due."]
    assert [look.status for look in house.looks[:2]] == [LookStatus.SENT, LookStatus.NOTHING_NEW]
    assert {turn.text for turn in house.desk.turns} == {PROMPT}


def test_after_a_restart_the_same_is_not_told_again(house: House) -> None:
    for _ in range(2):
        looks = len(house.looks)
        house.pulse = Pulse(house.pulse.parts)  # as after a restart
        house.pulse.wake()
        asyncio.run(house.until(lambda: len(house.looks) > looks))  # noqa: B023 - run at once
    assert house.told == ["Rent is due."]
    assert [look.status for look in house.looks] == [LookStatus.SENT, LookStatus.NOTHING_NEW]


@pytest.mark.parametrize(
    ("rules", "last", "place"),
    [
        (HeartbeatRules(), None, None),
        (HeartbeatRules(), Delivery("irc", "dm:7"), Delivery("irc", "dm:7")),
        (HeartbeatRules(to="8"), Delivery("irc", "dm:7"), Delivery("irc", "8")),
        (HeartbeatRules(target="matrix", to="8"), Delivery("irc", "dm:7"), Delivery("matrix", "8")),
        (HeartbeatRules(target="irc"), Delivery("irc", "dm:7"), Delivery("irc", "dm:7")),
    ],
)
def test_it_tells_the_window_and_where_the_settings_say(
    house: House, rules: HeartbeatRules, last: Delivery | None, place: Delivery | None
) -> None:
    house.rules, house.last = rules, last
    house.pulse.wake()
    asyncio.run(house.until(lambda: house.told))
    assert house.told == ["Rent is due."]
    assert [where for where, _ in house.desk.delivered] == ([place] if place else [])


def test_what_a_channel_does_not_take_is_told_in_the_window(house: House) -> None:
    house.last, house.desk.refuses = Delivery("irc", "dm:7"), "No such channel."
    house.pulse.wake()
    asyncio.run(house.until(lambda: len(house.told) == 2))
    assert house.told == ["Rent is due.", "No such channel."]
    assert house.looks[-1].status is LookStatus.FAILED


def test_what_the_model_thought_comes_before_it_where_it_is_wanted(house: House) -> None:
    house.rules = HeartbeatRules(include_reasoning=True)
    house.desk.thinking = "It is the first."
    house.pulse.wake()
    asyncio.run(house.until(lambda: house.told))
    assert house.told == ["Reasoning:\nIt is the first.\n\nRent is due."]


@pytest.mark.parametrize("why", ["able", "elsewhere"])
def test_where_another_process_looks_or_the_model_cannot_nobody_is_asked(
    house: House, why: str
) -> None:
    setattr(house, why, not getattr(house, why))
    house.pulse.wake()
    rounds = iter(range(50))
    asyncio.run(house.until(lambda: next(rounds, None) is None))
    assert house.desk.turns == []


def test_changed_settings_hold_from_the_next_look_on(house: House) -> None:
    house.rules = HeartbeatRules(every_seconds=0)

    async def scenario() -> None:
        def time_passes() -> bool:
            house.clock.advance(3600)
            assert house.desk.turns == [] or house.rules.every_seconds
            house.rules = HeartbeatRules(every_seconds=60 if house.clock.monotonic() > 9e4 else 0)
            return bool(house.looks)

        await house.until(time_passes)

    asyncio.run(scenario())


def test_before_its_time_nothing_is_asked(house: House) -> None:
    rounds = iter(range(50))
    asyncio.run(house.until(lambda: next(rounds, None) is None))
    assert house.desk.turns == []


def test_a_notice_that_calls_is_looked_after_once_and_still_told_later(house: House) -> None:
    house.notices.add(NewNotice(MAIN_KEY, "The backup failed.", calls=True))
    house.notices.add(NewNotice(MAIN_KEY, "Cron (brief): done."))
    house.pulse.wake()
    asyncio.run(house.until(lambda: house.looks))
    [turn] = house.desk.turns
    assert "The backup failed." in turn.about and "brief" not in turn.about
    assert turn.text == PROMPT  # never in the user's role
    assert house.notices.calling(MAIN_KEY) == ()
    assert len(house.notices.waiting(MAIN_KEY)) == 2


def test_a_notice_that_calls_is_looked_after_again_when_no_model_could(house: House) -> None:
    house.notices.add(NewNotice(MAIN_KEY, "The backup failed.", calls=True))
    house.desk.outcome = RunOutcome(OutcomeKind.FAILED, "", "no model")
    house.pulse.wake()
    asyncio.run(house.until(lambda: house.looks))
    assert [one.text for one in house.notices.calling(MAIN_KEY)] == ["The backup failed."]


def test_who_asked_waits_until_the_owner_was_answered(house: House) -> None:
    house.busy = True
    house.pulse.wake()
    rounds = iter(range(20))
    asyncio.run(house.until(lambda: next(rounds, None) is None))
    assert house.desk.turns == []
    house.busy = False
    asyncio.run(house.until(lambda: house.looks))
    assert len(house.desk.turns) == 1


@pytest.mark.expect_log
def test_a_look_that_fails_is_not_the_last(house: House) -> None:
    def outcome(turn: JobTurn) -> RunOutcome:
        if len(house.desk.turns) == 1:
            raise StorageError("The disk is full.")
        return RunOutcome(OutcomeKind.ANSWERED, "HEARTBEAT_OK")

    house.desk.outcome = outcome

    async def scenario() -> None:
        def time_passes() -> bool:
            house.clock.advance(120)
            return len(house.desk.turns) >= 2 and bool(house.looks)

        await house.until(time_passes)

    asyncio.run(scenario())
    assert house.told == []
