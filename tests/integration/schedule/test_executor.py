"""The task that carries jobs out, on a real database: order, limits, crashes, what is told."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.executor import (
    MOST_ATTEMPTS,
    CronExecutor,
    ExecutorParts,
    JobEnded,
    JobNews,
)
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.ledger import Claim, Ledger, MissedTimes
from moltbot_desktop.schedule.news import NewNews, News
from moltbot_desktop.schedule.notices import Notices
from moltbot_desktop.schedule.turns import Delivery, JobTurn
from moltbot_desktop.sdk.schedule import (
    AgentTurn,
    EventKind,
    Every,
    Isolation,
    JobDraft,
    OnEvent,
    PostMode,
    RunStatus,
    SystemEvent,
    WakeMode,
)
from moltbot_desktop.security.labels import Labels
from tests.fakes.jobs import MAIN_KEY, ScriptedDesk, job_book

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
HOUR = 3_600_000


def in_loop(test: Callable[..., Coroutine[None, None, None]]) -> Callable[..., None]:
    """Run a test that is a coroutine."""

    @functools.wraps(test)
    def run(*given: object, **named: object) -> None:
        asyncio.run(test(*given, **named))

    return run


class House:
    """A book, an executor, and what it told."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock(NOW)
        self.folder = folder
        self.database = ScheduleDatabase(folder / "jobs.sqlite", self.clock)
        self.book: JobStore = job_book(self.database)
        self.desk = ScriptedDesk()
        self.told: list[JobNews] = []
        self.woken: list[str] = []
        self.enabled = True
        self.last: Delivery | None = None

    def executor(self, limit: int = 1, database: ScheduleDatabase | None = None) -> CronExecutor:
        database = database or self.database
        parts = ExecutorParts(
            ledger=Ledger(database),
            runner=self.desk,
            clock=self.clock,
            lock=self.folder / "executor.lock",
            main_key=lambda agent: SessionKey(f"agent:{agent or 'main'}:main"),
            job_key=lambda agent, job: SessionKey(f"agent:{agent or 'main'}:cron:{job}"),
            enabled=lambda: self.enabled,
            limit=lambda: limit,
            last=lambda agent: self.last,
            news=self._news,
            tell=lambda: None,
            wake=self.woken.append,
            asked=Notices(database).take_asked,
        )
        return CronExecutor(parts)

    def _news(self, news: JobNews) -> NewNews:
        self.told.append(news)
        text = news.text if isinstance(news, JobEnded) else "missed"
        return NewNews(SessionKey(MAIN_KEY), news.job.draft.name, text)

    @property
    def waiting(self) -> list[str]:
        return [one.news.text for one in News(self.database).waiting()]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.database.close()


@asynccontextmanager
async def carrying_out(
    executor: CronExecutor, started: Callable[[], None] = lambda: None
) -> AsyncIterator[None]:
    task = asyncio.create_task(executor.run(started))
    await settled()
    try:
        yield
    finally:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def tick(house: House, executor: CronExecutor, seconds: float) -> None:
    house.clock.advance(seconds)
    executor.wake()
    await settled()


def hourly(message: str = "look", **more: object) -> JobDraft:
    return JobDraft(message, Every(HOUR), AgentTurn(message), **more)  # type: ignore[arg-type]


@in_loop
async def test_a_job_runs_and_its_answer_is_told_and_left_as_a_notice(house: House) -> None:
    job = house.book.add(hourly("brief"))
    executor = house.executor()
    async with carrying_out(executor):
        await tick(house, executor, 3600)
    [turn] = house.desk.turns
    assert (turn.text, turn.session_key, turn.attempt) == ("brief", f"agent:main:cron:{job.id}", 1)
    [told] = house.told
    assert isinstance(told, JobEnded) and told.text == "Two meetings today."
    assert house.book.runs(job.id)[0].status is RunStatus.OK
    [notice] = Notices(house.database).waiting(MAIN_KEY)
    assert notice.text == "Cron (brief): Two meetings today."
    assert Notices(house.database).calling(MAIN_KEY) == ()


@in_loop
async def test_what_is_delivered_is_not_told_again(house: House) -> None:
    turn = AgentTurn("brief", channel="telegram", to="42", deliver=True)
    house.book.add(JobDraft("", Every(HOUR), turn))
    executor = house.executor()
    async with carrying_out(executor):
        await tick(house, executor, 3600)
    assert house.desk.delivered == [(Delivery("telegram", "42"), "Two meetings today.")]
    assert house.told == [] and house.waiting == []
    assert Notices(house.database).waiting(MAIN_KEY) == ()


@in_loop
async def test_an_answer_that_no_channel_takes_is_told_in_the_window(house: House) -> None:
    turn = AgentTurn("brief", channel="telegram", to="42")
    for best_effort in (False, True):
        payload = replace(turn, best_effort=best_effort)
        house.book.add(JobDraft(str(best_effort), Every(HOUR), payload))
    house.desk.refuses = "No such channel."
    executor = house.executor(limit=2)
    async with carrying_out(executor):
        await tick(house, executor, 3600)
    told = {one.job.draft.name: one for one in house.told if isinstance(one, JobEnded)}
    assert told["False"].status is RunStatus.ERROR and told["True"].status is RunStatus.OK
    assert all("Two meetings" in one.text for one in told.values())


@in_loop
async def test_what_a_job_tells_the_main_conversation_keeps_its_labels(house: House) -> None:
    house.desk.labels = Labels(untrusted=True)
    house.book.add(JobDraft("", Every(HOUR), AgentTurn("brief")))
    house.book.add(JobDraft("", Every(HOUR), SystemEvent("theirs"), provenance="untrusted"))
    house.book.add(JobDraft("", Every(HOUR), SystemEvent("mine")))
    executor = house.executor(limit=3)
    async with carrying_out(executor):
        await tick(house, executor, 3600)
    told = {one.text: one.untrusted for one in Notices(house.database).waiting(MAIN_KEY)}
    assert told.pop("theirs") and not told.pop("mine")
    assert list(told.values()) == [True]


@in_loop
async def test_how_much_the_main_conversation_is_told_the_job_says(house: House) -> None:
    house.desk.outcome = RunOutcome(OutcomeKind.ANSWERED, "Two meetings,\none call." + "." * 3000)
    full = Isolation("Brief", PostMode.FULL, 12)
    house.book.add(hourly("a", isolation=full, wake_mode=WakeMode.NOW, agent_id="work"))
    house.book.add(hourly("b"))
    executor = house.executor(limit=2)
    async with carrying_out(executor):
        await tick(house, executor, 3600)
    notices = Notices(house.database)
    [posted] = notices.calling("agent:work:main")
    assert posted.text == "Brief (a): Two meetings"
    assert house.woken == ["work"]
    [posted] = notices.waiting(MAIN_KEY)
    assert posted.text.startswith("Cron (b): Two meetings, one call.") and len(posted.text) < 2_050


@in_loop
async def test_last_is_where_the_owner_wrote_last_else_the_window(house: House) -> None:
    turn = AgentTurn("brief", channel="last", deliver=True)
    house.book.add(JobDraft("", Every(HOUR), turn))
    house.book.add(JobDraft("", Every(HOUR), replace(turn, to="7")))
    executor = house.executor(limit=2)
    async with carrying_out(executor):
        await tick(house, executor, 3600)
        assert house.desk.delivered == [] and len(house.waiting) == 2
        house.last = Delivery("telegram", "dm:42", "second")
        await tick(house, executor, 3600)
    sent = [where for where, _ in house.desk.delivered]
    assert sent == [house.last, replace(house.last, to="7")]


@in_loop
async def test_news_wait_in_the_book_until_somebody_has_taken_them(house: House) -> None:
    house.book.add(hourly("brief"))
    executor = house.executor()
    async with carrying_out(executor):
        await tick(house, executor, 3600)
        house.clock.advance(5 * 3600 + 1800)
    async with carrying_out(house.executor()):
        pass
    assert house.waiting == ["Two meetings today.", "missed"]


@in_loop
async def test_switched_off_and_on_while_it_runs(house: House) -> None:
    house.book.add(hourly("brief"))
    house.enabled = False
    executor = house.executor()
    async with carrying_out(executor):
        assert not (house.folder / "executor.lock").exists()
        await tick(house, executor, 3600)
        assert house.desk.turns == []
        house.enabled = True
        await tick(house, executor, 1)
        assert len(house.desk.turns) == 1
        house.enabled = False
        await tick(house, executor, 3600)
        executor.happened(EventKind.STARTUP, lambda *_: "x")
        await settled()
        assert len(house.desk.turns) == 1
        house.enabled = True
        await tick(house, executor, 1)
        assert len(house.desk.turns) == 2


@in_loop
async def test_a_notice_for_the_main_conversation_needs_no_run(house: House) -> None:
    event = SystemEvent("Look at the mail.")
    house.book.add(JobDraft("", Every(HOUR), event, wake_mode=WakeMode.NOW))
    executor = house.executor()
    async with carrying_out(executor):
        await tick(house, executor, 3600)
    assert (house.desk.turns, house.woken) == ([], [""])
    [notice] = Notices(house.database).calling(MAIN_KEY)
    assert notice.text == "Look at the mail."


@in_loop
async def test_jobs_due_together_run_one_after_the_other_and_none_is_late(house: House) -> None:
    for name in "abc":
        house.book.add(hourly(name))
    executor = house.executor(limit=1)
    house.desk.gate = asyncio.Event()
    async with carrying_out(executor):
        await tick(house, executor, 3600)
        house.clock.advance(1800)  # the first takes long
        house.desk.gate.set()
        await settled()
        await settled()
    assert [turn.text for turn in house.desk.turns] == ["a", "b", "c"]
    assert house.desk.most_at_once == 1
    assert all(isinstance(news, JobEnded) for news in house.told)


@in_loop
async def test_missed_times_are_told_once(house: House) -> None:
    house.book.add(hourly())
    house.clock.advance(5.5 * 3600)
    async with carrying_out(house.executor()):
        pass
    async with carrying_out(house.executor()):
        pass
    [told] = house.told
    assert isinstance(told, MissedTimes) and told.missed[0].count == 5
    assert house.desk.turns == []


@in_loop
async def test_a_failure_is_told_and_costs_no_other_job(house: House) -> None:
    def outcome(turn: JobTurn) -> RunOutcome:
        if turn.text == "bad":
            raise StorageError("The disk is full.")
        if turn.text == "no":
            return RunOutcome(OutcomeKind.FAILED, "", "no model")
        return RunOutcome(OutcomeKind.SILENT)

    house.desk.outcome = outcome
    jobs = {name: house.book.add(hourly(name)).id for name in ("bad", "no", "fine")}
    executor = house.executor(limit=3)
    async with carrying_out(executor):
        await tick(house, executor, 3600)
    errors = {name: house.book.runs(job)[0].error for name, job in jobs.items()}
    assert errors == {"bad": "The disk is full.", "no": "no model", "fine": ""}
    told = {one.text for one in Notices(house.database).waiting(MAIN_KEY)}
    assert told == {"Cron (bad) failed: The disk is full.", "Cron (no) failed: no model"}


@pytest.mark.expect_log
@in_loop
async def test_a_bug_ends_its_job_only(house: House) -> None:
    def outcome(turn: JobTurn) -> RunOutcome:
        raise ZeroDivisionError

    house.desk.outcome = outcome
    job = house.book.add(hourly())
    executor = house.executor()
    async with carrying_out(executor):
        await tick(house, executor, 3600)
        await tick(house, executor, 3600)
    assert [run.status for run in house.book.runs(job.id)] == [RunStatus.ERROR] * 2


@in_loop
async def test_what_was_broken_off_is_run_again_under_the_same_id(house: House) -> None:
    house.book.add(hourly())
    house.desk.gate = asyncio.Event()
    executor = house.executor()
    async with carrying_out(executor):
        await tick(house, executor, 3600)
    house.desk.gate.set()  # it died; the next one takes over
    async with carrying_out(house.executor()):
        await settled()
    first, second = house.desk.turns
    assert (first.run_id, first.attempt, second.attempt) == (second.run_id, 1, 2)


@in_loop
async def test_a_run_that_always_kills_the_program_is_given_up(house: House) -> None:
    job = house.book.add(hourly())
    house.desk.gate = asyncio.Event()
    for _ in range(MOST_ATTEMPTS + 1):
        executor = house.executor()
        async with carrying_out(executor):
            await tick(house, executor, 3600)
    assert [turn.attempt for turn in house.desk.turns][:MOST_ATTEMPTS] == [1, 2, 3]
    assert house.book.runs(job.id)[-1].status is RunStatus.INTERRUPTED


@in_loop
async def test_a_second_process_leaves_the_jobs_to_the_first(house: House) -> None:
    house.book.add(hourly())
    other = ScheduleDatabase(house.folder / "jobs.sqlite", house.clock)
    first, second = house.executor(), house.executor(database=other)
    started: list[str] = []
    async with carrying_out(first), carrying_out(second, lambda: started.append("second")):
        await tick(house, first, 3600)
    other.close()
    assert (len(house.desk.turns), started) == (1, [])


@in_loop
async def test_a_standing_intent_runs_for_its_event_and_not_for_its_own_doing(
    house: House,
) -> None:
    house.book.add(JobDraft("", OnEvent(EventKind.FILE, "a.md"), AgentTurn("read it")))
    executor = house.executor()
    async with carrying_out(executor):
        for seconds in (0, 10, 120):
            house.clock.advance(seconds)
            executor.happened(EventKind.STARTUP, lambda *_: "x")
            executor.happened(EventKind.FILE, lambda agent, pattern: f"Changed: {pattern}")
            executor.happened(EventKind.FILE, lambda *_: "")
            await settled()
    assert [turn.text for turn in house.desk.turns] == ["read it"] * 2
    assert {turn.about for turn in house.desk.turns} == {"Changed: a.md"}


@in_loop
async def test_a_job_that_is_removed_while_it_waits_for_its_turn_does_not_run(
    house: House,
) -> None:
    first, second = house.book.add(hourly("first")), house.book.add(hourly("second"))
    executor, gate = house.executor(limit=1), asyncio.Event()
    house.desk.gate = gate
    async with carrying_out(executor):
        await tick(house, executor, 3600)
        house.book.remove(second.id)
        gate.set()
        await settled()
    assert [turn.text for turn in house.desk.turns] == ["first"]
    assert house.book.runs(first.id)[0].status is RunStatus.OK


@dataclass(frozen=True)
class RefusingLedger(Ledger):
    """A ledger on a disk that refuses what `refused` names."""

    refused: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if what in self.refused:
            raise StorageError("The disk is full.", hint="Make room.")

    def begin(self, claim: Claim) -> bool:
        self._ask("begin")
        return super().begin(claim)

    def orphans(self) -> tuple[Claim, ...]:
        self._ask("orphans")
        return super().orphans()


@pytest.mark.expect_log("cannot be begun")
@in_loop
async def test_a_disk_that_refuses_a_run_is_not_asked_again_at_once(house: House) -> None:
    house.book.add(hourly())
    executor, ledger = house.executor(), RefusingLedger(house.database)
    executor.parts = replace(executor.parts, ledger=ledger)
    async with carrying_out(executor):
        ledger.refused.add("begin")
        await tick(house, executor, 3600)
        assert ledger.asked.count("begin") == 1
        ledger.refused.clear()
        await tick(house, executor, 1)
    assert len(house.desk.turns) == 1


@pytest.mark.expect_log("broken off cannot be read")
@in_loop
async def test_what_was_broken_off_is_found_also_when_the_first_look_fails(house: House) -> None:
    house.book.add(hourly())
    house.clock.advance(3600)
    [claim] = Ledger(house.database).claim_due()
    executor, ledger = house.executor(), RefusingLedger(house.database)
    executor.parts = replace(executor.parts, ledger=ledger)
    ledger.refused.add("orphans")
    async with carrying_out(executor):
        assert house.desk.turns == []
        ledger.refused.clear()
        await tick(house, executor, 1)
    assert [turn.run_id for turn in house.desk.turns] == [claim.run_id]
