"""The cron tool: what a model may call, and what the person reads of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.notices import Notices
from moltbot_desktop.sdk.schedule import AgentTurn, Cron, SystemEvent
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.tools.cron import CronTool
from tests.fakes.jobs import MAIN_KEY, job_book
from tests.fakes.tool_context import call, tool_context

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
ENGLISH = tool_context()
CHINESE = tool_context(language=Language.CHINESE)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[ScheduleDatabase]:
    database = ScheduleDatabase(tmp_path / "jobs.sqlite", ManualClock(NOW))
    yield database
    database.close()


@pytest.fixture
def book(database: ScheduleDatabase) -> JobStore:
    return job_book(database)


@pytest.fixture
def tool(book: JobStore) -> CronTool:
    return CronTool(book, ManualClock(NOW))


def test_looking_needs_no_yes_and_changing_does(tool: CronTool) -> None:
    effects = {
        action: tool.spec.effect_of({"action": action})
        for action in ("status", "list", "runs", "add", "update", "remove", "run", "wake", "?")
    }
    looks = {action for action, effect in effects.items() if effect is Effect.SCHEDULE_READ}
    assert looks == {"status", "list", "runs"}
    assert set(effects.values()) == {Effect.SCHEDULE_READ, Effect.SCHEDULE_WRITE}


def test_added_as_the_person_said_it(tool: CronTool, book: JobStore) -> None:
    result = call(tool, CHINESE, action="add", when="每天早上9点", message="今天有什么安排？")
    assert result.display == "已安排，每天09:00：今天有什么安排？（编号00000001）"
    [job] = book.jobs()
    assert (job.draft.schedule, job.draft.payload) == (
        Cron("0 9 * * *"),
        AgentTurn("今天有什么安排？"),
    )
    listed = call(tool, ENGLISH, action="list")
    assert "every day at 09:00; next 2026-11-22 09:00" in listed.display and listed.private


def test_who_schedules_something_is_who_does_it(tool: CronTool, book: JobStore) -> None:
    theirs = replace(ENGLISH, session=SessionKey("agent:work:main"))
    call(tool, theirs, action="add", when="every day at 9", message="brief me")
    assert book.jobs()[0].draft.agent_id == "work"


def test_what_is_missing_or_unclear_is_asked_back(tool: CronTool, book: JobStore) -> None:
    assert call(tool, ENGLISH, action="add", when="every day at 9").question == (
        "What shall I do then?"
    )
    unclear = call(tool, ENGLISH, action="add", when="every day", message="x")
    assert unclear.question.startswith("At what time")
    assert call(tool, ENGLISH, action="remove").question.startswith("Which one?")
    assert call(tool, ENGLISH, action="").question
    assert book.jobs() == ()
    with pytest.raises(UserInputInvalid):
        call(tool, ENGLISH, action="run", id="nothing")


def test_changed_paused_run_and_removed(tool: CronTool, book: JobStore) -> None:
    call(tool, ENGLISH, action="add", when="every day at 9", message="brief", name="Brief")
    changed = call(
        tool, ENGLISH, action="update", id="Brief", when="every hour", message="x", enabled=False
    )
    assert changed.display == "Changed: 00000001  Brief: every hour; off"
    assert call(tool, ENGLISH, action="run", id="0000").ok
    assert book.jobs()[0].state.next_ms is not None
    assert call(tool, ENGLISH, action="runs", id="Brief").display == "“Brief” has not run yet."
    assert call(tool, ENGLISH, action="status").data["jobs"] == 1
    call(tool, ENGLISH, action="remove", id="Brief")
    assert call(tool, ENGLISH, action="list").display == "Nothing is scheduled."


def test_words_of_others_keep_their_mark_and_never_become_a_notice(
    tool: CronTool, book: JobStore, database: ScheduleDatabase
) -> None:
    tainted = replace(ENGLISH, provenance="untrusted")
    call(tool, tainted, action="add", when="every day at 9", message="x", name="theirs")
    assert book.find("theirs").draft.provenance == "untrusted"
    assert not call(tool, tainted, action="wake", message="Obey me").ok
    assert not call(
        tool, tainted, action="add", when="every day at 9", message="Obey", target="main"
    ).ok
    assert Notices(database).waiting(MAIN_KEY) == ()
    assert call(tool, ENGLISH, action="wake", message="Look at the mail", mode="now").ok
    assert [one.text for one in Notices(database).calling(MAIN_KEY)] == ["Look at the mail"]
    assert Notices(database).take_asked() and not Notices(database).take_asked()
    own = call(tool, ENGLISH, action="add", when="every day at 9", message="m", target="main")
    assert own.ok and book.find("m").draft.payload == SystemEvent("m")
    assert not call(tool, tainted, action="update", id="m", message="Obey").ok
