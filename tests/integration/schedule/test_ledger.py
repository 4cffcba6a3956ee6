"""Every time of a job runs once or is told as missed, whatever happens to clock and program."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.jobs_json import read_jobs
from moltbot_desktop.schedule.ledger import Claim, Ledger
from moltbot_desktop.schedule.notices import NewNotice, Notices
from moltbot_desktop.sdk.schedule import (
    AgentTurn,
    At,
    CatchUp,
    Cron,
    Every,
    JobDraft,
    RunStatus,
    Schedule,
    SystemEvent,
)
from tests.fakes.jobs import job_book

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 3, 28, 10, 0, tzinfo=BERLIN)
HOUR = 3_600_000


def millis(moment: datetime) -> int:
    return int(moment.timestamp()) * 1000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cron" / "jobs.sqlite"


@pytest.fixture
def database(path: Path, clock: ManualClock) -> Iterator[ScheduleDatabase]:
    database = ScheduleDatabase(path, clock)
    yield database
    database.close()


@pytest.fixture
def book(database: ScheduleDatabase) -> JobStore:
    return job_book(database)


@pytest.fixture
def ledger(database: ScheduleDatabase) -> Ledger:
    return Ledger(database)


def draft(schedule: Schedule, catch_up: CatchUp | None = None, *, once: bool = False) -> JobDraft:
    return JobDraft("", schedule, AgentTurn("look"), catch_up=catch_up, delete_after_run=once)


def done(ledger: Ledger, claims: tuple[Claim, ...]) -> list[int]:
    for claim in claims:
        ledger.begin(claim)
        ledger.finish(claim, RunStatus.OK)
    return [claim.slot_ms for claim in claims]


class TestClaims:
    def test_a_time_is_claimed_once(
        self, book: JobStore, ledger: Ledger, path: Path, clock: ManualClock
    ) -> None:
        book.add(draft(Every(HOUR)))
        other = ScheduleDatabase(path, clock)
        clock.advance(3600)
        assert len(ledger.claim_due()) == 1
        assert (ledger.claim_due(), Ledger(other).claim_due()) == ((), ())
        other.close()

    def test_what_went_by_is_told_together_and_only_the_next_runs(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        job = book.add(draft(Every(HOUR)))
        clock.advance(5.5 * 3600)
        assert ledger.claim_due() == ()
        [times] = ledger.untold()
        [missed] = times.missed
        assert (missed.count, missed.first_ms, missed.busy) == (5, millis(START) + HOUR, False)
        assert book.jobs()[0].state.missed == 5
        ledger.mark_told(times)
        assert (ledger.untold(), book.jobs()[0].state.missed) == ((), 0)
        assert book.missed(job.id) == (missed,)
        clock.advance(1800)
        assert done(ledger, ledger.claim_due()) == [millis(START) + 6 * HOUR]

    def test_a_job_that_catches_up_runs_once_for_all(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        book.add(draft(Every(HOUR), CatchUp.ONCE))
        clock.advance(5.5 * 3600)
        [claim] = ledger.claim_due()
        assert (claim.slot_ms, claim.late_ms) == (millis(START) + 5 * HOUR, HOUR // 2)
        assert ledger.untold()[0].missed[0].count == 4

    def test_times_that_pass_during_a_run_are_told_as_such(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        book.add(draft(Every(HOUR)))
        clock.advance(3600)
        [claim] = ledger.claim_due()
        ledger.begin(claim)
        clock.advance(3.5 * 3600)
        assert ledger.claim_due() == ()
        ledger.finish(claim, RunStatus.OK)
        assert ledger.claim_due() == ()
        assert ledger.untold()[0].missed[0].busy

    def test_a_single_moment_runs_however_late(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        job = book.add(draft(At(millis(START) + HOUR)))
        clock.advance(30 * 86_400)
        assert done(ledger, ledger.claim_due()) == [millis(START) + HOUR]
        assert not book.find(job.id).draft.enabled

    def test_a_single_moment_goes_when_it_should(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        book.add(draft(At(millis(START) + HOUR), once=True))
        clock.advance(3600)
        done(ledger, ledger.claim_due())
        assert book.jobs() == ()

    def test_one_that_failed_stays_to_be_seen_and_does_not_come_again(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        job = book.add(draft(At(millis(START) + HOUR), once=True))
        clock.advance(3600)
        ledger.finish(ledger.claim_due()[0], RunStatus.ERROR, error="no model")
        clock.advance(3600)
        assert ledger.claim_due() == ()
        assert book.runs(job.id)[0].error == "no model"

    def test_what_a_dead_process_had_begun_is_found(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        book.add(draft(Every(HOUR)))
        clock.advance(3600)
        [claim] = ledger.claim_due()
        [found] = ledger.orphans()
        assert (found.run_id, found.attempt) == (claim.run_id, 1)
        ledger.begin(found)
        [found] = ledger.orphans()
        assert (found.run_id, found.attempt) == (claim.run_id, 2)
        ledger.finish(found, RunStatus.OK)
        assert ledger.orphans() == ()

    def test_a_run_that_somebody_wants_now(self, book: JobStore, ledger: Ledger) -> None:
        job = book.add(draft(Every(HOUR)))
        book.change(job.id, draft(Every(HOUR)))
        book.run_soon(job.id)
        assert len(done(ledger, ledger.claim_due())) == 1
        assert ledger.claim_due() == ()

    def test_switched_on_again_it_counts_from_then(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        job = book.add(draft(Every(HOUR, 0)))
        book.change(job.id, JobDraft("", Every(HOUR, 0), AgentTurn("look"), enabled=False))
        clock.advance(5 * 3600)
        assert ledger.claim_due() == ()
        book.change(job.id, draft(Every(HOUR, 0)))
        assert (ledger.claim_due(), ledger.untold()) == ((), ())


class TestClockThatWasSet:
    def test_back_by_minutes_nothing_runs_again(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        book.add(draft(Every(HOUR)))
        clock.advance(3600)
        ran = done(ledger, ledger.claim_due())
        clock.advance(-1800)
        for _ in range(3):
            clock.advance(1800)
            ran += done(ledger, ledger.claim_due())
        assert ran == [millis(START) + HOUR, millis(START) + 2 * HOUR]

    def test_back_from_a_wrong_year_it_goes_on_at_once(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        book.add(draft(Every(HOUR)))
        year = 365 * 86_400
        clock.advance(year)
        done(ledger, ledger.claim_due())
        clock.advance(-year)
        assert ledger.claim_due() == ()
        clock.advance(3600)
        assert done(ledger, ledger.claim_due()) == [millis(START) + HOUR]

    def test_what_ran_before_does_not_run_again_then(
        self, book: JobStore, ledger: Ledger, clock: ManualClock
    ) -> None:
        book.add(draft(Every(HOUR)))
        ran = []
        for _ in range(5):
            clock.advance(3600)
            ran += done(ledger, ledger.claim_due())
        clock.advance(-5 * 3600)
        for _ in range(6):
            ran += done(ledger, ledger.claim_due())
            clock.advance(3600)
        ran += done(ledger, ledger.claim_due())
        assert ran == [millis(START) + hour * HOUR for hour in range(1, 7)]


class TestNights:
    @pytest.mark.parametrize(
        ("start", "expected"),
        [
            (START, ["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]),
            (datetime(2026, 10, 24, 10, tzinfo=BERLIN),
             ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]),
        ],
    )  # fmt: skip
    def test_when_the_hour_changes_it_runs_once_a_night(
        self, start: datetime, expected: list[str], path: Path
    ) -> None:
        instant = start.astimezone(UTC)
        clock = _BerlinClock(instant)
        database = ScheduleDatabase(path, clock)
        job_book(database).add(draft(Cron("30 2 * * *")))
        ran = []
        for _ in range(2 * 24 * 4):
            clock.advance(900)
            ran += done(Ledger(database), Ledger(database).claim_due())
        database.close()
        assert ran == [millis(datetime.fromisoformat(text)) for text in expected]


class _BerlinClock(ManualClock):
    """As a real one: goes by instants, shows local time."""

    def now(self) -> datetime:
        return super().now().astimezone(BERLIN)


class TestNotices:
    def test_twenty_and_no_echo(self, database: ScheduleDatabase, clock: ManualClock) -> None:
        notices = Notices(database)
        assert notices.add(NewNotice("a", "first")) and not notices.add(NewNotice("a", "first"))
        for number in range(30):
            notices.add(NewNotice("a", f"no. {number}"))
        notices.add(NewNotice("b", "other"))
        waiting = notices.waiting("a")
        assert [one.text for one in waiting] == [f"no. {number}" for number in range(10, 30)]
        notices.seen("a", waiting[-2].id)
        assert [one.text for one in notices.waiting("a")] == ["no. 29"]
        assert len(notices.waiting("b")) == 1

    def test_an_outcome_and_its_notice_are_kept_together(
        self, book: JobStore, ledger: Ledger, database: ScheduleDatabase, clock: ManualClock
    ) -> None:
        book.add(JobDraft("", Every(HOUR), SystemEvent("Look at the mail.")))
        clock.advance(3600)
        [claim] = ledger.claim_due()
        ledger.finish(claim, RunStatus.OK, notice=NewNotice("agent:main:main", "Look at the mail."))
        assert [one.text for one in Notices(database).waiting("agent:main:main")] == [
            "Look at the mail."
        ]


class TestBook:
    def test_a_moment_that_has_gone_by_is_refused(self, book: JobStore) -> None:
        with pytest.raises(UserInputInvalid):
            book.add(draft(At(millis(START - timedelta(minutes=1)))))

    def test_found_by_name_and_by_the_beginning_of_its_id(self, book: JobStore) -> None:
        job = book.add(JobDraft("Morning brief", Every(HOUR), AgentTurn("x")))
        book.add(JobDraft("Other", Every(HOUR), AgentTurn("x")))
        assert book.find("morning BRIEF").id == book.find("00000001").id == job.id
        for unclear in ("0000", "nothing", ""):
            with pytest.raises(UserInputInvalid):
                book.find(unclear)

    def test_a_jobs_file_is_taken_in_once(self, book: JobStore) -> None:
        read = read_jobs(
            '{"version": 1, "jobs": [{"id": "brief", "schedule": {"kind": "cron", "expr": '
            '"0 8 * * *", "tz": "Asia/Shanghai"}, "payload": {"kind": "agentTurn", "message": '
            '"今天有什么"}}, {"id": "bad"}]}'
        )
        assert [job.id for job in book.import_jobs(read)] == ["brief"]
        assert len(read.problems) == 1
        book.remove("brief")
        assert book.import_jobs(read) == ()


def test_a_claim_is_on_the_disk_when_it_is_made(database):
    with database.reading():
        (synchronous,) = database.all("PRAGMA synchronous")[0]
    assert synchronous == 2  # full: each commit is flushed, also should the power fail
