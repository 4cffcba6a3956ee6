"""The tables of `cron/jobs.sqlite` and how a row becomes a value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.core.errors import IndexCorrupt, UserInputInvalid
from moltbot_desktop.schedule.jobs_json import read_draft
from moltbot_desktop.sdk.schedule import JobDraft, JobRun, RunStatus
from moltbot_desktop.storage.redacting import TextColumn

MIGRATIONS = (
    """
    CREATE TABLE jobs (
        id TEXT PRIMARY KEY,
        definition TEXT NOT NULL,   -- JSON, as in the reference's jobs.json
        enabled INTEGER NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        scheduled INTEGER NOT NULL, -- when it got the schedule it has
        mark INTEGER NOT NULL,      -- its times up to here are decided
        wanted INTEGER              -- somebody asked for a run at once
    ) STRICT;
    CREATE TABLE runs (
        job TEXT NOT NULL,
        slot INTEGER NOT NULL,
        status TEXT NOT NULL,
        attempt INTEGER NOT NULL DEFAULT 1,
        started INTEGER,
        ended INTEGER,
        error TEXT NOT NULL DEFAULT '',
        summary TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (job, slot)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX runs_open ON runs (job) WHERE ended IS NULL;
    CREATE TABLE missed (
        job TEXT NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        count INTEGER NOT NULL,
        more INTEGER NOT NULL,
        busy INTEGER NOT NULL,
        told INTEGER NOT NULL,
        PRIMARY KEY (job, first)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE notices (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        at INTEGER NOT NULL,
        text TEXT NOT NULL,
        calls INTEGER NOT NULL      -- the heartbeat should look after it
    ) STRICT;
    CREATE INDEX notices_of_session ON notices (session, id);
    CREATE TABLE asked (one INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
    CREATE TABLE known (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    """,
    """
    -- What was written before knows no labels, so it counts as others' words.
    ALTER TABLE notices ADD COLUMN untrusted INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE notices ADD COLUMN private INTEGER NOT NULL DEFAULT 1;
    """,
    """
    CREATE TABLE news (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(6)))),
        session TEXT NOT NULL,
        about TEXT NOT NULL,
        text TEXT NOT NULL,
        serious INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE looks (            -- a digest of what each agent's heartbeat told last
        agent TEXT PRIMARY KEY,
        digest TEXT NOT NULL,
        at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
)

WORDS = (
    TextColumn("jobs", "definition"),
    TextColumn("runs", "error"),
    TextColumn("runs", "summary"),
    TextColumn("notices", "text"),
    TextColumn("news", "about"),
    TextColumn("news", "text"),
)
"""Where words of people stand."""
WORD_FIELDS = frozenset(
    {"name", "description", "provenance", "text", "message", "postToMainPrefix"}
)
"""Of a definition; all others say when, who and where."""

RUN_COLUMNS = "job, slot, status, started, ended, error, summary"
JOBS = (
    "SELECT id, definition, enabled, created, updated, scheduled, mark, wanted,"
    " (SELECT count(*) FROM runs WHERE job = id AND ended IS NULL),"
    " (SELECT coalesce(sum(count), 0) FROM missed WHERE job = id AND NOT told),"
    " r.job, r.slot, r.status, r.started, r.ended, r.error, r.summary"
    " FROM jobs LEFT JOIN runs AS r ON r.job = id AND r.slot ="
    " (SELECT slot FROM runs WHERE job = id ORDER BY coalesce(started, slot) DESC LIMIT 1)"
)
"""Every job with its last run; add a WHERE or an ORDER BY."""

Value = str | int | float | None


@dataclass(frozen=True)
class JobRow:
    """A row of `jobs`.

    Attributes:
        busy: it runs, or its turn has come.
        last: its last run; None before.
        untold: how many missed times nobody was told of.
    """

    id: str
    draft: JobDraft
    created: int
    updated: int
    scheduled: int
    mark: int
    wanted: int | None
    busy: bool
    untold: int
    last: JobRun | None


def read_job(row: Sequence[Value]) -> JobRow:
    """A row of `JOBS`.

    Raises:
        IndexCorrupt: what was written as a job is none.
    """
    number, text = _whole, str(row[1])
    try:
        draft = replace(read_draft(json.loads(text)), enabled=bool(row[2]))
    except (ValueError, AttributeError, UserInputInvalid) as error:
        raise IndexCorrupt(
            "The book of scheduled jobs is damaged.", hint="Remove the job and add it again."
        ) from error
    return JobRow(
        id=str(row[0]),
        draft=draft,
        created=number(row[3]),
        updated=number(row[4]),
        scheduled=number(row[5]),
        mark=number(row[6]),
        wanted=None if row[7] is None else number(row[7]),
        busy=number(row[8]) > 0,
        untold=number(row[9]),
        last=None if row[10] is None else read_run(row[10:]),
    )


def read_run(row: Sequence[Value]) -> JobRun:
    """A row of `RUN_COLUMNS`."""
    return JobRun(
        job_id=str(row[0]),
        slot_ms=_whole(row[1]),
        status=RunStatus(str(row[2])),
        started_ms=None if row[3] is None else _whole(row[3]),
        ended_ms=None if row[4] is None else _whole(row[4]),
        error=str(row[5]),
        summary=str(row[6]),
    )


def _whole(value: Value) -> int:
    return int(value or 0)
