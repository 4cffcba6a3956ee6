"""The tables of the mail book. Times are seconds of UTC.

- `inbox.envelope` and `outbox.message` are NULL once the row is over: the words go, the fact stays.
- `inbox_once` is what a message that is delivered again is known by. Platforms without message
  ids are left out of it.
- `outbox.target` tells targets apart; rows of one target go out in the order of their `id`.
- `inbox.broken` counts the starts of the program at which a message broke its code.
- `drafts` has the platform's ids of answers that are shown while they are written, by the first
  try of their runs, so that the answer takes a draft's place also after a crash.
- A row of the outbox that ended with an `error` was given up, one without was sent.
"""

from __future__ import annotations

from moltbot_desktop.storage.redacting import TextColumn

MIGRATIONS = (
    """
    CREATE TABLE inbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL UNIQUE,
        channel TEXT NOT NULL,
        account TEXT NOT NULL,
        peer TEXT NOT NULL,
        message_id TEXT NOT NULL,
        envelope TEXT,
        received REAL NOT NULL,
        done REAL
    ) STRICT;
    CREATE UNIQUE INDEX inbox_once ON inbox (channel, account, peer, message_id)
        WHERE message_id <> '';
    CREATE INDEX inbox_waiting ON inbox (id) WHERE done IS NULL;
    CREATE INDEX inbox_done ON inbox (done) WHERE done IS NOT NULL;

    CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL,
        part INTEGER NOT NULL,
        channel TEXT NOT NULL,
        account TEXT NOT NULL,
        target TEXT NOT NULL,
        message TEXT,
        created REAL NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        retry_at REAL NOT NULL DEFAULT 0,
        ended REAL,
        platform_id TEXT,
        error TEXT,
        UNIQUE (run_id, part)
    ) STRICT;
    CREATE INDEX outbox_waiting ON outbox (target, id) WHERE ended IS NULL;
    CREATE INDEX outbox_ended ON outbox (ended) WHERE ended IS NOT NULL;

    CREATE TABLE cursors (
        channel TEXT NOT NULL,
        account TEXT NOT NULL,
        cursor TEXT NOT NULL,
        PRIMARY KEY (channel, account)
    ) STRICT, WITHOUT ROWID;
    """,
    "ALTER TABLE inbox ADD COLUMN broken INTEGER NOT NULL DEFAULT 0;",
    """
    CREATE TABLE drafts (
        run_id TEXT PRIMARY KEY,
        platform_id TEXT NOT NULL,
        shown REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
)

WORDS = (
    TextColumn("inbox", "envelope"),
    TextColumn("outbox", "message"),
    TextColumn("outbox", "error"),
)
"""Where words of people stand."""
WORD_FIELDS = frozenset({"text"})
"""Of an envelope or a message; all others are who, where and when."""
