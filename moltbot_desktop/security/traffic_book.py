"""The book of what left this computer: `network.sqlite`, one row a day, host and errand.

    book = TrafficBook(path)
    book.add(day, "example.org", Errand(Purpose.WEB), Counted(1, 412, 0))
    book.since(day)        # the newest day first

It holds names of hosts and numbers, no addresses of pages and no words, and forgets a day after
`KEPT_DAYS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from moltbot_desktop.core.traffic import Errand, Passage, Purpose
from moltbot_desktop.storage.book import Book

KEPT_DAYS = 90

MIGRATIONS = (
    """
    CREATE TABLE passages (
        day TEXT NOT NULL,
        host TEXT NOT NULL,
        purpose TEXT NOT NULL,
        who TEXT NOT NULL,
        requests INTEGER NOT NULL,
        sent INTEGER NOT NULL,
        received INTEGER NOT NULL,
        PRIMARY KEY (day, host, purpose, who)
    ) STRICT, WITHOUT ROWID;
    """,
)


@dataclass(frozen=True)
class Counted:
    """What one request added."""

    requests: int = 0
    sent: int = 0
    received: int = 0


class TrafficBook(Book):
    """For any thread."""

    def __init__(self, path: Path) -> None:
        """Raises StorageError."""
        super().__init__(path, MIGRATIONS)

    def add(self, day: date, host: str, errand: Errand, counted: Counted) -> None:
        """Raises StorageError: nothing was written."""
        with self.writing():
            self.connection.execute(
                "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, "
                "sent = sent + excluded.sent, received = received + excluded.received",
                (
                    *(day.isoformat(), host, errand.purpose.value, errand.who),
                    *(counted.requests, counted.sent, counted.received),
                ),
            )
            last = (day - timedelta(days=KEPT_DAYS)).isoformat()
            self.connection.execute("DELETE FROM passages WHERE day < ?", (last,))

    def since(self, day: date) -> tuple[Passage, ...]:
        """From that day on: the newest day first, in it what sent most."""
        known = {one.value for one in Purpose}
        with self.reading():
            rows = self.connection.execute(
                "SELECT day, host, purpose, who, requests, sent, received FROM passages "
                "WHERE day >= ? ORDER BY day DESC, sent DESC, host",
                (day.isoformat(),),
            ).fetchall()
        return tuple(
            Passage(
                date.fromisoformat(str(when)),
                str(host),
                Errand(Purpose(str(purpose)), str(who)),
                *(int(str(number)) for number in numbers),
            )
            for when, host, purpose, who, *numbers in rows
            if purpose in known  # of a newer program
        )

    def sent_on(self, day: date) -> int:
        """Bytes."""
        with self.reading():
            row = self.connection.execute(
                "SELECT coalesce(sum(sent), 0) FROM passages WHERE day = ?", (day.isoformat(),)
            ).fetchone()
        return int(str(row[0])) if row else 0
