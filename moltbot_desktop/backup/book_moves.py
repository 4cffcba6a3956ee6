"""Reminders, jobs and facts that wait, by what they say: each once, whatever their numbers are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from moltbot_desktop.backup.books import KeptReminder, read_reminders
from moltbot_desktop.backup.moves import Move, Offered, waits
from moltbot_desktop.backup.places import Places
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.memory.inbox_log import Ledger, proposed, replay
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.jobs_json import ReadJob, ReadJobs, draft_as_json, read_jobs
from moltbot_desktop.schedule.store import ReminderStore, again_as_text
from moltbot_desktop.sdk.backup import Does, Part, Step, Why
from moltbot_desktop.sdk.inbox import Proposal
from moltbot_desktop.sdk.schedule import At, JobDraft
from moltbot_desktop.sessions.keys import main_session_key, normalise_agent_id
from moltbot_desktop.storage.files import make_private_dir
from moltbot_desktop.storage.jsonl import JsonlLog, read_jsonl, repair_jsonl
from moltbot_desktop.storage.locks import taken_lock

_SHOWN = 80
_MOST = 10_000


@dataclass(frozen=True)
class BookMoves:
    """Attributes:
    new_id: for jobs, at least eight characters of a-z and 0-9, random.
    mine: jobs that were on come in switched on.
    """

    places: Places
    clock: Clock
    new_id: Callable[[], str]
    mine: bool

    # ------------------------------------------------------------------ reminders

    def reminders(self, offered: Offered) -> Iterator[Move]:
        """Raises:
        UserInputInvalid: the list cannot be read.
        StorageError: what is here cannot be read.
        """
        path, now = self.places.reminders, self.clock.now()
        known: dict[tuple[int | str, str], bool] = {}
        if path.exists():
            with closing(ReminderStore(path, self.clock)) as store:
                known = store.ever()
        for one in dict.fromkeys(read_reminders(offered.data())):
            step = Step(Part.REMINDERS, one.text[:_SHOWN], Does.NEW, one.due.isoformat())
            once = one.again is None
            times = int(one.due.timestamp()) if one.again is None else again_as_text(one.again)
            waiting = known.get((times, one.text))
            if waiting is not None:
                why = None if waiting or (once and one.due <= now) else Why.REMOVED_HERE
                does = Does.WAITS if why else Does.SAME
                yield Move(replace(step, does=does, why=why))
            elif once and one.due <= now:
                yield Move(replace(step, does=Does.WAITS, why=Why.GONE_BY))
            else:
                yield Move(step, partial(self._remind, one))

    def _remind(self, one: KeptReminder) -> None:
        with closing(ReminderStore(self.places.reminders, self.clock)) as store:
            store.add(one.again or one.due, one.text)

    # ------------------------------------------------------------------ jobs

    def jobs(self, offered: Offered) -> Iterator[Move]:
        """Raises:
        UserInputInvalid: the list cannot be read.
        StorageError: what is here cannot be read.
        """
        read = read_jobs(offered.data().decode("utf-8", "replace"))
        here: dict[str, JobDraft] = {}
        ever: frozenset[str] = frozenset()
        if self.places.jobs.exists():
            with closing(self._database()) as database:
                book = self._book(database)
                here = {one.id: one.draft for one in book.jobs()}
                ever = book.ever()
        says = {_says(draft) for draft in here.values()}
        for one in read.jobs[:_MOST]:
            yield self._job(offered, one, says, here.keys() | ever)
        for problem in read.problems[:_MOST]:
            yield waits(offered, Why.NOT_FITTING, problem[:_SHOWN])

    def _job(
        self, offered: Offered, one: ReadJob, says: set[str], ever: frozenset[str] | set[str]
    ) -> Move:
        on = one.draft.enabled and not one.done and self.mine
        draft = replace(one.draft, enabled=on)
        step = Step(Part.SCHEDULE, draft.name, Does.NEW, "on" if on else "off")
        if _says(draft) in says:
            return Move(replace(step, does=Does.SAME))
        schedule = draft.schedule
        if isinstance(schedule, At) and schedule.at_ms <= self.clock.now().timestamp() * 1000:
            return waits(offered, Why.GONE_BY, draft.name)
        if one.id in ever and not self._is_here(one.id):
            return waits(offered, Why.REMOVED_HERE, draft.name)
        says.add(_says(draft))
        return Move(step, partial(self._take_in, replace(one, draft=draft, done=False)))

    def _is_here(self, job_id: str) -> bool:
        with closing(self._database()) as database, database.reading():
            return database.row(job_id) is not None

    def _take_in(self, one: ReadJob) -> None:
        with closing(self._database()) as database:
            book = self._book(database)
            if one.id in book.ever():
                book.add(one.draft)
            else:
                book.import_jobs(ReadJobs((one,), ()))

    def _database(self) -> ScheduleDatabase:
        return ScheduleDatabase(self.places.jobs, self.clock)

    def _book(self, database: ScheduleDatabase) -> JobStore:
        key = main_session_key(self.places.default_agent)
        return JobStore(database, self.new_id, key, lambda: True, lambda: False)

    # ------------------------------------------------------------------ facts that wait

    def inbox(self, offered: Offered) -> Iterator[Move]:
        """Raises:
        UserInputInvalid: the backup is damaged.
        StorageError: what is here cannot be read.
        """
        agent = normalise_agent_id(offered.spot.agent)
        if agent != offered.spot.agent:
            yield waits(offered, Why.NAME)
            return
        log = self.places.inbox(AgentId(agent))
        there = replay(_records(offered.data())).open
        missing = _missing(there, replay(read_jsonl(log).records))
        step = Step(Part.INBOX, offered.item.name, Does.SAME, str(log))
        if not missing:
            yield Move(step)
        else:
            step = replace(step, does=Does.LINES, count=len(missing))
            yield Move(step, partial(_propose, log, missing))


def _missing(there: tuple[Proposal, ...], here: Ledger) -> tuple[Proposal, ...]:
    return tuple(one for one in there if not here.knows(one.text))


def _propose(log: Path, missing: tuple[Proposal, ...]) -> None:
    make_private_dir(log.parent)
    lock = taken_lock(log.with_name(log.name + ".lock"))
    try:
        ledger = replay(repair_jsonl(log).records)
        number, records = ledger.last_number, []
        for one in _missing(missing, ledger):
            number += 1
            records.append(proposed(replace(one, id=str(number))))
        writer = JsonlLog(log)
        if records:
            writer.append(*records)
        writer.close()
    finally:
        lock.release()


def _records(data: bytes) -> list[JsonObject]:
    records: list[JsonObject] = []
    for line in data.split(b"\n")[:_MOST]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            records.append(value)
    return records


def _says(draft: JobDraft) -> str:
    """What a job is, whether it is on or not."""
    return json.dumps(draft_as_json(replace(draft, enabled=True)), sort_keys=True, default=dict)
