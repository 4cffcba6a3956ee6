"""The desk of the place "Schedule" over real books, with and without an assistant that has them."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.planned_desk import BookedPlans
from moltbot_desktop.app.schedule import open_schedule
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.schedule import AgentTurn, At, Cron, JobDraft

MONDAY = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
BRIEF = JobDraft("Morning brief", Cron("30 8 * * 1-5"), AgentTurn("What is on today?"))


@pytest.fixture
def paths(tmp_path: Path, checkout: Path) -> Paths:
    (tmp_path / ".moltbot").mkdir()
    return Paths(tmp_path / ".moltbot", tmp_path, checkout)


@pytest.fixture
def desk(paths: Paths) -> BookedPlans:
    settings = lambda: load_config(paths.home).config  # noqa: E731
    return BookedPlans(paths, settings, ManualClock(MONDAY), Language.ENGLISH)


def now_ms() -> int:
    return int(MONDAY.timestamp() * 1000)


def test_without_an_assistant_the_books_are_opened_for_it(desk: BookedPlans) -> None:
    reminder = desk.remind(At(now_ms() + 60_000), "call Anna")
    job = desk.add_job(BRIEF)
    planned = desk.look()
    assert (planned.reminders, planned.jobs) == ((reminder,), (job,))
    assert reminder.due == datetime(2026, 11, 23, 9, 1, tzinfo=UTC)
    assert (planned.now_ms, planned.switched_on) == (now_ms(), True)
    with pytest.raises(UserInputInvalid, match="not running"):
        desk.run_job(job.id)
    assert desk.cancel_reminder(reminder.id) and not desk.cancel_reminder(reminder.id)
    assert desk.remove_job(job.id) and desk.look().jobs == ()


def test_an_assistant_hears_of_what_is_written_at_once(paths: Paths, desk: BookedPlans) -> None:
    clock = ManualClock(MONDAY)
    heard: list[str] = []
    with contextlib.ExitStack() as stack:
        reminders = ReminderStore(paths.state_database, clock)
        stack.callback(reminders.close)
        schedule = open_schedule(paths, lambda: load_config(paths.home).config, clock)
        stack.callback(schedule.close)
        reminders.on_change(lambda: heard.append("reminders"))
        schedule.database.on_change(lambda: heard.append("jobs"))
        desk.attach(reminders, schedule.book)
        desk.remind(At(now_ms() + 60_000), "call Anna")
        desk.add_job(BRIEF)
        assert heard == ["reminders", "jobs"]
        desk.detach()
    assert [one.text for one in desk.look().reminders] == ["call Anna"]  # opened for it again


def test_words_are_read_as_the_assistant_reads_them(desk: BookedPlans) -> None:
    weekdays = desk.understand("every weekday at 8:30")
    assert weekdays.schedule == Cron("30 8 * * 1-5")
    assert weekdays.words == "on weekdays at 08:30"
    assert [datetime.fromtimestamp(one / 1000, UTC).day for one in weekdays.next_ms] == [24, 25, 26]
    assert desk.understand("in 45 minutes").schedule == At(now_ms() + 45 * 60_000)
    with pytest.raises(UserInputInvalid):
        desk.understand("when the moon is blue")
    assert desk.understand("每天早上9点").schedule == Cron("0 9 * * *")


def test_what_a_job_did_is_told(desk: BookedPlans) -> None:
    job = desk.add_job(BRIEF)
    past = desk.past(job.id)
    assert (past.runs, past.missed) == ((), ())
