"""The book of permissions: `permissions.sqlite`. What the owner allowed, and what was done.

    book = PermissionBook(path)
    book.add(grant), book.grants(), book.used(("g1",), now), book.revoke("g1")
    number = book.begin(deed); book.end(number, "ok"); book.deeds(20)

A deed is on the disk before it is begun, so that one that the program did not survive can be seen.
Words in it have their keys hidden, are short, and go after `KEPT_DAYS`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.permissions import Deed, Grant, Kind, Part
from moltbot_desktop.storage.book import Book
from moltbot_desktop.storage.redacting import TextColumn

KEPT_DAYS = 180
MOST_DEEDS = 20_000

MIGRATIONS = (
    """
    CREATE TABLE grants (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        verb TEXT NOT NULL,
        subject TEXT NOT NULL,
        words TEXT NOT NULL,
        folder TEXT NOT NULL,
        network INTEGER NOT NULL,
        walled INTEGER NOT NULL,
        pattern INTEGER NOT NULL,
        agent TEXT NOT NULL,
        term TEXT NOT NULL,
        given INTEGER NOT NULL,
        until INTEGER,
        process TEXT NOT NULL,
        last_used INTEGER,
        uses INTEGER NOT NULL,
        note TEXT NOT NULL
    ) STRICT;
    CREATE TABLE deeds (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        run TEXT NOT NULL,
        session TEXT NOT NULL,
        tool TEXT NOT NULL,
        what TEXT NOT NULL,
        mark TEXT NOT NULL,
        decision TEXT NOT NULL,
        rule TEXT NOT NULL,
        by TEXT NOT NULL,
        outcome TEXT NOT NULL
    ) STRICT;
    CREATE INDEX deeds_by_time ON deeds (at);
    """,
)
WORDS = (TextColumn("deeds", "what"),)
_GRANT = (
    "id, kind, verb, subject, words, folder, network, walled, pattern, agent, term, given, until, "
    "process, last_used, uses, note"
)
_DEED = "at, run, session, tool, what, mark, decision, rule, by, outcome"


class PermissionBook(Book):
    """For any thread. Each method raises StorageError when the disk says no."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, MIGRATIONS, flushed=True)  # "taken back" has to hold

    # ------------------------------------------------------------------ grants

    def add(self, grant: Grant) -> None:
        part = grant.part
        row = (
            *(grant.id, part.kind.value, part.verb, part.subject, json.dumps(part.words)),
            *(part.folder, int(part.network), int(part.walled), int(part.pattern)),
            *(grant.agent, grant.term.value),
            *(_seconds(grant.given), None if grant.until is None else _seconds(grant.until)),
            *(grant.process, None if grant.last_used is None else _seconds(grant.last_used)),
            *(grant.uses, grant.note),
        )
        with self.writing():
            marks = ", ".join("?" * len(row))
            self.connection.execute(f"INSERT INTO grants ({_GRANT}) VALUES ({marks})", row)

    def grants(self) -> tuple[Grant, ...]:
        """The newest last. Rows of a newer program are left out: what is not understood is no
        yes."""
        with self.reading():
            rows = self.connection.execute(
                f"SELECT {_GRANT} FROM grants ORDER BY given, id"
            ).fetchall()
        return tuple(found for row in rows if (found := _grant(row)) is not None)

    def used(self, ids: Iterable[str], now: datetime) -> bool:
        """Note that these covered a call. False when one of them was taken back meanwhile; then
        none is noted."""
        wanted = tuple(dict.fromkeys(ids))
        with self.writing():
            marks = ", ".join("?" * len(wanted))
            row = self.connection.execute(
                f"SELECT count(*) FROM grants WHERE id IN ({marks})", wanted
            ).fetchone()
            if row is None or int(str(row[0])) != len(wanted):
                return False
            self.connection.execute(
                f"UPDATE grants SET uses = uses + 1, last_used = ? WHERE id IN ({marks})",
                (_seconds(now), *wanted),
            )
        return True

    def revoke(self, grant_id: str) -> bool:
        """False when there is none of that id."""
        with self.writing():
            self.connection.execute("DELETE FROM grants WHERE id = ?", (grant_id,))
            return self.connection.changes() > 0

    def tidy(self, now: datetime) -> None:
        """Take out what is over: grants after their end, old deeds."""
        oldest = _seconds(now - timedelta(days=KEPT_DAYS))
        with self.writing():
            self.connection.execute("DELETE FROM grants WHERE until <= ?", (_seconds(now),))
            self.connection.execute(
                "DELETE FROM deeds WHERE at < ? OR id <= (SELECT max(id) FROM deeds) - ?",
                (oldest, MOST_DEEDS),
            )

    # ------------------------------------------------------------------ deeds

    def begin(self, deed: Deed) -> int:
        """Write it down; its number is for `end`."""
        row = (
            *(_seconds(deed.at), deed.run, deed.session, deed.tool, deed.what, deed.mark),
            *(deed.decision, deed.rule, deed.by, deed.outcome),
        )
        with self.writing():
            marks = ", ".join("?" * len(row))
            self.connection.execute(f"INSERT INTO deeds ({_DEED}) VALUES ({marks})", row)
            return self.connection.last_insert_rowid()

    def end(self, number: int, outcome: str) -> None:
        with self.writing():
            self.connection.execute("UPDATE deeds SET outcome = ? WHERE id = ?", (outcome, number))

    def deeds(self, most: int, run: str = "") -> tuple[Deed, ...]:
        """The newest first; of one run where `run` is given."""
        with self.reading():
            rows = self.connection.execute(
                f"SELECT {_DEED} FROM deeds WHERE ? IN ('', run) ORDER BY id DESC LIMIT ?",
                (run, most),
            ).fetchall()
        return tuple(
            Deed(_moment(int(str(at))), *(str(one) for one in texts)) for at, *texts in rows
        )


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _grant(row: Sequence[object]) -> Grant | None:
    identity, kind, verb, subject, words, folder, *more = map(str, row[:9])
    agent, term, given, until, process, last_used, uses, note = row[9:]
    try:
        part = Part(
            *(Kind(kind), verb, subject, tuple(map(str, json.loads(words))), folder),
            *(one == "1" for one in more),
        )
        lasting = Term(str(term))
    except (ValueError, TypeError):
        return None
    return Grant(
        *(identity, part, str(agent), lasting, _moment(int(str(given)))),
        until=None if until is None else _moment(int(str(until))),
        process=str(process),
        last_used=None if last_used is None else _moment(int(str(last_used))),
        uses=int(str(uses)),
        note=str(note),
    )
