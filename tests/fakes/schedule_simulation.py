"""A job's life under a simulated clock: sleeps, crashes, a clock that is set, other processes.

`live` makes one up from a seed, lives it on a real ledger, and raises AssertionError when a time
ran twice, was run and told as missed, or was forgotten; when one was due within the minute and did
not run, or was late and ran although its job gives late ones up; or when a job was claimed while
it ran. What was due is counted by an oracle that knows nothing of the program
(`tests.fakes.schedule`).
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.ledger import Claim, Ledger
from moltbot_desktop.sdk.schedule import (
    AgentTurn,
    At,
    CatchUp,
    Cron,
    Every,
    JobDraft,
    RunStatus,
    Schedule,
)
from tests.fakes.schedule import Fields, cron_times

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", "UTC")
_CHANGES = (
    ("2026-03-07", "America/New_York"),
    ("2026-03-28", "Europe/Berlin"),
    ("2026-04-04", "Australia/Lord_Howe"),
    ("2026-10-03", "Australia/Lord_Howe"),
    ("2026-10-24", "Europe/Berlin"),
    ("2026-10-31", "America/New_York"),
    ("2026-12-30", "Asia/Shanghai"),
)
"""The day before a change of the clock, and where; and before a change of the year."""
_NIGHT = (0, 1, 2, 3)
"""Hours that a change of the clock skips or repeats."""
_ON_TIME_MS = 60_000


class ZonedClock(ManualClock):
    """Goes by instants, as a real one, and shows local time."""

    def __init__(self, start: datetime, zone: str) -> None:
        super().__init__(start.astimezone(UTC))
        self._zone = ZoneInfo(zone)

    def now(self) -> datetime:
        return super().now().astimezone(self._zone)


@dataclass
class Life:
    """What happened to the job."""

    executed: list[int] = field(default_factory=list)
    looks: list[int] = field(default_factory=list)
    set_back: bool = False
    latest: int = 0
    earliest: int = 0


def live(seed: int, folder: Path) -> None:
    """Live the life of that number; see the module."""
    chance = random.Random(seed)
    start, where = _start(chance)
    zones = (where,) if chance.random() < 0.7 else ZONES
    clock = ZonedClock(start, chance.choice(zones))
    path = folder / f"{seed}.sqlite"
    schedule, fields = _schedule(chance, clock, zones)
    catch_up = chance.choice((None, CatchUp.SKIP, CatchUp.ONCE))
    database = ScheduleDatabase(path, clock)
    names = (f"{number:08x}" for number in itertools.count(1))
    book = JobStore(database, lambda: next(names), "agent:main:main", lambda: True, lambda: False)
    job = book.add(JobDraft("", schedule, AgentTurn("x"), catch_up=catch_up))
    created = database.now_ms()
    life = Life(earliest=created)
    allowed_back = chance.random() < 0.2
    for _ in range(chance.randint(5, 25)):
        _pass_time(chance, clock, life, allowed_back)
        life.latest = max(life.latest, database.now_ms())
        life.earliest = min(life.earliest, database.now_ms())
        life.looks.append(database.now_ms())
        claims = Ledger(database).claim_due()
        if chance.random() < 0.2:  # it dies, and the next one finds what was left
            database.close()
            clock.advance(chance.uniform(0, 600))
            database = ScheduleDatabase(path, clock)
            claims = Ledger(database).orphans()
        elif chance.random() < 0.1:
            other = ScheduleDatabase(path, clock)
            assert not Ledger(other).claim_due(), "two processes claimed the same"
            other.close()
        _carry_out(chance, Ledger(database), claims, clock, life)
    mark = database.known(job.id).mark
    latest = max(life.latest, database.now_ms(), mark)
    missed = [
        (int(first or 0), int(last or 0), int(count or 0))
        for first, last, count in database.all("SELECT first, last, count FROM missed")
    ]
    database.close()
    due = _due(schedule, fields, clock, created, life.earliest, latest)
    _check(life, due, missed, mark, seed)
    if not life.set_back:
        late_too = catch_up is CatchUp.ONCE or (catch_up is None and isinstance(schedule, At))
        _check_lateness(life, due, late_too, seed)


def _check_lateness(life: Life, due: list[int], late_too: bool, seed: int) -> None:
    """Of what was due at a look the last one ran if it was on time, or late ones run, too."""
    ran = set(life.executed)
    looked = 0
    for look in life.looks:
        between = [at for at in due if looked < at <= look]
        looked = look
        if not between:
            continue
        wanted = late_too or look - between[-1] <= _ON_TIME_MS
        assert (between[-1] in ran) == wanted, (
            f"ran late, or not in time, in the life of seed {seed}"
        )
        assert not ran & set(between[:-1]), f"an earlier one ran in the life of seed {seed}"


def _check(
    life: Life, due: list[int], missed: list[tuple[int, int, int]], mark: int, seed: int
) -> None:
    where = f"in the life of seed {seed}"
    assert len(set(life.executed)) == len(life.executed), f"a time ran twice {where}"
    assert set(life.executed) <= set(due), f"something ran that was never due {where}"
    if life.set_back:
        return  # times may be told as missed twice then; they still run once
    told = [[at for at in due if first <= at <= last] for first, last, _ in missed]
    for one, (_, _, count) in zip(told, missed, strict=True):
        assert len(one) == count or count == 1000, f"miscounted {where}"
    flat = [at for one in told for at in one]
    assert len(set(flat)) == len(flat), f"told as missed twice {where}"
    assert not set(flat) & set(life.executed), f"ran and was told as missed {where}"
    decided = [at for at in due if at <= mark]
    assert sorted(flat + life.executed) == decided, f"a time was forgotten {where}"


def _start(chance: random.Random) -> tuple[datetime, str]:
    date, where = chance.choice(_CHANGES)
    day = datetime.fromisoformat(date).replace(tzinfo=UTC)
    return day + timedelta(seconds=chance.randint(0, 86_400)), where


def _schedule(
    chance: random.Random, clock: ZonedClock, zones: tuple[str, ...]
) -> tuple[Schedule, Fields | None]:
    now = int(clock.now().timestamp() * 1000)
    kind = chance.random()
    if kind < 0.15:
        return At(now + chance.randint(1, 5 * 86_400) * 1000), None
    if kind < 0.4:
        anchor = chance.choice((None, now - chance.randint(0, 10**9), now + 10**7))
        return Every(chance.choice((60, 601, 3_600, 86_400)) * 1000, anchor), None
    fields = _fields(chance)
    return Cron(fields.expression, chance.choice(("", *zones))), fields


def _fields(chance: random.Random) -> Fields:
    def numbers(low: int, high: int, star: float) -> tuple[str, frozenset[int]]:
        if chance.random() < star:
            return "*", frozenset(range(low, high + 1))
        if chance.random() < 0.3:
            by = chance.choice((2, 3, 10))
            return f"*/{by}", frozenset(range(low, high + 1, by))
        among = _NIGHT if high == 23 and chance.random() < 0.5 else range(low, high + 1)
        some = frozenset(chance.sample(among, chance.randint(1, 3)))
        return ",".join(map(str, sorted(some))), some

    minute, hour = numbers(0, 59, 0.1), numbers(0, 23, 0.3)
    day, month, weekday = numbers(1, 31, 0.8), ("*", frozenset(range(1, 13))), numbers(0, 6, 0.7)
    parts = (minute, hour, day, month, weekday)
    return Fields(
        " ".join(text for text, _ in parts),
        *(numbers for _, numbers in parts),
        free_day=day[0].startswith("*") or weekday[0].startswith("*"),
        by_the_clock=not minute[0].startswith("*") and not hour[0].startswith("*"),
    )


def _pass_time(chance: random.Random, clock: ZonedClock, life: Life, allowed_back: bool) -> None:
    kind = chance.random()
    if kind < 0.6:
        clock.advance(chance.uniform(1, 60))  # the executor's look
    elif kind < 0.85:
        clock.advance(chance.uniform(60, 7_200))
    elif kind < 0.97 or not allowed_back:
        clock.advance(chance.uniform(3_600, 86_400))  # the computer slept
    else:
        life.set_back = True
        clock.advance(-chance.choice((60.0, 3_600.0, 40_000.0)))


def _carry_out(
    chance: random.Random,
    ledger: Ledger,
    claims: tuple[Claim, ...],
    clock: ZonedClock,
    life: Life,
) -> None:
    for claim in claims:
        ledger.begin(claim)
        clock.advance(chance.choice((0.5, 20, 4_000)))
        assert not ledger.claim_due(), "a job was claimed while it ran"
        life.executed.append(claim.slot_ms)
        ledger.finish(claim, chance.choice((RunStatus.OK, RunStatus.ERROR)))


def _due(
    schedule: Schedule,
    fields: Fields | None,
    clock: ZonedClock,
    created: int,
    after: int,
    until: int,
) -> list[int]:
    if isinstance(schedule, At):
        return [schedule.at_ms] if schedule.at_ms <= until else []
    if isinstance(schedule, Every):
        anchor = created if schedule.anchor_ms is None else schedule.anchor_ms
        steps = itertools.count(max(0, (after - anchor) // schedule.every_ms + 1))
        times = (anchor + step * schedule.every_ms for step in steps)
        return list(itertools.takewhile(lambda at: at <= until, times))
    assert isinstance(schedule, Cron) and fields is not None
    here = clock.now().tzinfo
    assert isinstance(here, ZoneInfo)
    return cron_times(fields, ZoneInfo(schedule.tz) if schedule.tz else here, after, until)
