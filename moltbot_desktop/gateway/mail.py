"""The mail book: what came in by channels and what is to go out, in `mail.sqlite`.

    book = MailBook(path, clock, new_id)
    book.receive([envelope])       # (Accepted(run_id="...", ...),); it may be acknowledged now
    book.finish(run_id, [OutboundMessage(envelope.reply_target, "hi")])
    head = book.heads()[0]
    book.sent(head.id, "platform-id")

A message is acknowledged to its platform when `receive` returned: from then on it is on the disk
under the id of a run, also should the power fail. `finish` takes it out of the inbox and puts the
answer into the outbox in one transaction, each part at most once; so whatever stops the program,
a message is either still to be handled or its answer is to be sent. A row of the outbox stays
until the channel took it, and whoever sends it again says the same idempotency key.

The book has a file of its own beside `state.sqlite`: each commit here is flushed to the disk,
and a damaged book costs no reminder. Words leave it as soon as they are handled or sent; what
stays for a while is the bare fact, which a message that is delivered again is known by.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import IndexCorrupt, StoreBusy
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.mail_items import (
    Accepted,
    Duplicate,
    OutboxHead,
    OutboxRow,
    Received,
    envelope_from,
    envelope_text,
    message_from,
    message_text,
    peer_text,
    storable,
    target_text,
)
from moltbot_desktop.gateway.mail_schema import MIGRATIONS
from moltbot_desktop.gateway.recovery import first_try
from moltbot_desktop.sdk.channels import DeliveryTarget, Envelope, OutboundMessage
from moltbot_desktop.storage.locks import FileLock
from moltbot_desktop.storage.sqlite import (
    close,
    immediate,
    open_database,
    set_aside,
    storage_errors,
)

T = TypeVar("T")

KEPT_DAYS = 14
"""How long a message that is delivered again is known; platforms try for a day or two."""
KEPT_ROWS = 100_000
"""How many of them at most."""
MOST_STARTS = 3
"""At so many starts a message may break the program; then it is set aside."""
MOST_WAITING = 10_000
"""Messages that wait for one target whose channel is away. The oldest goes for a newer one, so
that nobody fills the disk by writing on while nothing can be sent."""


class MailBook:
    """The inbox and the outbox on disk. Thread-safe; every call blocks.

    Attributes:
        set_aside: where a damaged book was moved when this one was opened, else None. The person
            should be told: what waited in it is lost.
    """

    def __init__(self, path: Path, clock: Clock, new_id: Callable[[], str]) -> None:
        """Open the book in `path`, made when missing.

        Raises:
            StorageError: it cannot be used.
        """
        self._clock = clock
        self._new_id = new_id
        # Re-entrant, so that `together` can hold it around the operations it puts together.
        self._lock = threading.RLock()
        self._charge = FileLock(path.with_name(path.name + ".lock"))
        self.set_aside: Path | None = None
        try:
            self._connection = open_database(path, MIGRATIONS, flushed=True)
        except IndexCorrupt:
            self.set_aside = set_aside(path)
            self._connection = open_database(path, MIGRATIONS, flushed=True)

    def close(self) -> None:
        with self._lock:
            close(self._connection)
            self._charge.release()

    def take_charge(self) -> bool:
        """Whether this process is the one that handles what is unfinished and sends what waits;
        another may have the book open too, and put into it. For as long as it lives.

        Raises:
            StorageError: there can be no lock beside the book.
        """
        try:
            self._charge.acquire()
        except StoreBusy:
            return False
        return True

    def together(self, operations: Sequence[Callable[[], T]]) -> list[T]:
        """Call them in order, in one transaction: one flush of the disk for all.

        Raises:
            StorageError: none of them is kept.
        """
        with self._writing():
            return [operation() for operation in operations]

    # ---------------------------------------------------------------- what comes in

    def receive(self, envelopes: Iterable[Envelope]) -> tuple[Received, ...]:
        """Keep what a channel brings, and how far it has read; an answer for each, in order.

        Raises:
            StorageError: nothing of it is kept.
        """
        now = self._now()
        with self._writing():
            received = []
            for envelope in envelopes:
                received.append(self._received(envelope, now))
                if envelope.cursor:
                    self._keep_cursor(envelope)
        return tuple(received)

    def _keep_cursor(self, envelope: Envelope) -> None:
        self._connection.execute(
            "INSERT INTO cursors VALUES (?1, ?2, ?3)"
            " ON CONFLICT (channel, account) DO UPDATE SET cursor = ?3",
            tuple(map(storable, (envelope.channel, envelope.account, envelope.cursor))),
        )

    def _received(self, envelope: Envelope, now: float) -> Received:
        names = (envelope.channel, envelope.account, peer_text(envelope.peer), envelope.message_id)
        identity = tuple(map(storable, names))
        run_id = RunId(self._new_id())
        self._connection.execute(
            "INSERT INTO inbox (run_id, channel, account, peer, message_id, envelope, received)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (channel, account, peer, message_id)"
            " WHERE message_id <> '' DO NOTHING",
            (run_id, *identity, envelope_text(envelope), now),
        )
        if self._connection.changes():
            return Accepted(run_id, envelope, self._local(now))
        known = self._found(
            "SELECT run_id FROM inbox WHERE channel = ? AND account = ? AND peer = ?"
            " AND message_id = ?",
            identity,
        )
        return Duplicate(RunId(known[0][0]), envelope)

    def merge(self, gone: Sequence[RunId], into: Accepted) -> None:
        """Messages that wait become one, which has the words of all; those that are `gone` stay
        known should they be delivered again.

        Raises:
            StorageError: they are what they were.
        """
        now = self._now()
        with self._writing():
            self._connection.execute(
                "UPDATE inbox SET envelope = ? WHERE run_id = ? AND done IS NULL",
                (envelope_text(into.envelope), into.run_id),
            )
            self._connection.executemany(
                "UPDATE inbox SET done = ?, envelope = NULL WHERE run_id = ? AND done IS NULL",
                [(now, one) for one in gone],
            )

    def unfinished(self) -> tuple[Accepted, ...]:
        """What was kept and never finished, the oldest first; one that cannot be read or was put
        aside is left out, and stays."""
        with self._reading():
            rows = self._found(
                "SELECT run_id, envelope, received FROM inbox WHERE done IS NULL AND broken < ?"
                " ORDER BY id",
                (MOST_STARTS,),
            )
        found = []
        for run_id, text, received in rows:
            with contextlib.suppress(IndexCorrupt):
                found.append(Accepted(RunId(run_id), envelope_from(text), self._local(received)))
        return tuple(found)

    def broke(self, run_id: RunId) -> bool:
        """A message broke the program at one more start; whether that puts it aside for good.

        Raises:
            StorageError: that is not counted.
        """
        with self._writing():
            rows = self._found(
                "UPDATE inbox SET broken = broken + 1 WHERE run_id = ? AND done IS NULL"
                " RETURNING broken",
                (run_id,),
            )
        return bool(rows) and rows[0][0] >= MOST_STARTS

    def put_aside(self) -> Mapping[tuple[str, str], int]:
        """How many messages are put aside, by channel and account."""
        with self._reading():
            rows = self._found(
                "SELECT channel, account, count(*) FROM inbox WHERE done IS NULL AND broken >= ?"
                " GROUP BY channel, account",
                (MOST_STARTS,),
            )
        return {(channel, account): count for channel, account, count in rows}

    def cursor(self, channel: str, account: str) -> str:
        """Where that account goes on reading from its platform, "" for from now on."""
        with self._reading():
            rows = self._found(
                "SELECT cursor FROM cursors WHERE channel = ? AND account = ?",
                (storable(channel), storable(account)),
            )
        return rows[0][0] if rows else ""

    # ---------------------------------------------------------------- what goes out

    def finish(
        self,
        run_id: RunId,
        parts: Sequence[OutboundMessage],
        *,
        handled: Sequence[RunId] | None = None,
    ) -> None:
        """The run is over: its messages leave the inbox, its answer enters the outbox.

        Called again for a run that has rows in the outbox it adds none, whatever the parts are.

        Args:
            parts: the answer, in order; none when nothing is to be said.
            handled: ids under which messages were accepted that this run was for; None: its own.
                One run may be for several (collected messages), or be one of several for the same
                message (a broadcast), of which the last one hands it in.

        Raises:
            StorageError: neither of the two happened.
        """
        now = self._now()
        with self._writing():
            self._connection.executemany(
                "UPDATE inbox SET done = ?, envelope = NULL WHERE run_id = ? AND done IS NULL",
                [(now, one) for one in ((run_id,) if handled is None else handled)],
            )
            self._connection.execute("DELETE FROM drafts WHERE run_id = ?", (first_try(run_id),))
            if not self._found("SELECT 1 FROM outbox WHERE run_id = ? LIMIT 1", (run_id,)):
                self._post(run_id, parts, now)

    def _post(self, run_id: RunId, parts: Sequence[OutboundMessage], now: float) -> None:
        self._connection.executemany(
            "INSERT INTO outbox (run_id, part, channel, account, target, message, created)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    run_id,
                    number,
                    storable(part.target.channel),
                    storable(part.target.account),
                    target_text(part.target),
                    message_text(part),
                    now,
                )
                for number, part in enumerate(parts)
            ],
        )
        for target in {target_text(part.target) for part in parts}:
            self._connection.execute(
                "UPDATE outbox SET ended = ?1, error = 'too many waited', message = NULL"
                " WHERE ended IS NULL AND target = ?2 AND id <= (SELECT id FROM outbox"
                " WHERE ended IS NULL AND target = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)",
                (now, target, MOST_WAITING),
            )

    def drafted(self, run_id: RunId, platform_id: str) -> None:
        """The beginning of a run's answer stands there as `platform_id`, until `finish`.

        Raises:
            StorageError: that is not known after a crash.
        """
        with self._writing():
            self._connection.execute(
                "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)",
                (first_try(run_id), storable(platform_id), self._now()),
            )

    def draft(self, run_id: RunId) -> str:
        """The platform's id of what stands there of a run's answer, or of an earlier try's; "" for
        nothing."""
        with self._reading():
            rows = self._found(
                "SELECT platform_id FROM drafts WHERE run_id = ?", (first_try(run_id),)
            )
        return str(rows[0][0]) if rows else ""

    def told(self, run_id: RunId) -> tuple[str, ...]:
        """What went into the outbox along with that run, by name: the rows of ``run_id:name``,
        those that were sent too, for as long as they are known."""
        first, behind = f"{run_id}:", f"{run_id};"  # ";" is the sign that follows ":"
        with self._reading():
            rows = self._found(
                "SELECT DISTINCT run_id FROM outbox WHERE run_id >= ? AND run_id < ?",
                (first, behind),
            )
        return tuple(str(row[0])[len(first) :] for row in rows)

    def heads(self) -> tuple[OutboxHead, ...]:
        """The next row of each target that has one, the oldest first."""
        with self._reading():
            rows = self._found(
                "SELECT id, target, channel, account, created, retry_at FROM outbox WHERE id IN"
                " (SELECT min(id) FROM outbox WHERE ended IS NULL GROUP BY target) ORDER BY id"
            )
        return tuple(OutboxHead(*row) for row in rows)

    def waiting(self) -> Mapping[tuple[str, str], int]:
        """How many messages are not sent yet, by channel and account."""
        with self._reading():
            rows = self._found(
                "SELECT channel, account, count(*) FROM outbox WHERE ended IS NULL"
                " GROUP BY channel, account"
            )
        return {(channel, account): count for channel, account, count in rows}

    def attached(self) -> tuple[Path, ...]:
        """The files of messages that are not sent yet."""
        with self._reading():
            rows = self._found(
                "SELECT message FROM outbox WHERE ended IS NULL AND CASE json_valid(message)"
                " WHEN 1 THEN json_array_length(message, '$.attachments') END > 0"
            )
        found: list[Path] = []
        for (message,) in rows:
            with contextlib.suppress(IndexCorrupt):  # it is told when its turn comes
                found += [one.path for one in message_from(message).attachments]
        return tuple(found)

    def own(self, target: DeliveryTarget, platform_id: str = "") -> str:
        """The platform's id of a message of ours that went there: that one, or else the last that
        is known; "" for none."""
        with self._reading():
            rows = self._found(
                "SELECT platform_id FROM outbox WHERE target = ?1 AND platform_id <> ''"
                " AND (?2 = '' OR platform_id = ?2) ORDER BY id DESC LIMIT 1",
                (target_text(target), storable(platform_id)),
            )
        return str(rows[0][0]) if rows else ""

    def heard(self, target: DeliveryTarget, message_id: str = "") -> str:
        """The platform's id of a message that came from there: that one, or else the last; "" for
        none."""
        with self._reading():
            rows = self._found(
                "SELECT message_id FROM inbox WHERE channel = ?1 AND account = ?2 AND peer = ?3"
                " AND message_id <> '' AND (?4 = '' OR message_id = ?4) ORDER BY id DESC LIMIT 1",
                tuple(
                    map(
                        storable,
                        (target.channel, target.account, peer_text(target.peer), message_id),
                    )
                ),
            )
        return str(rows[0][0]) if rows else ""

    def load(self, row_id: int, most: int = 1) -> tuple[OutboxRow, ...]:
        """The whole row, and behind it what goes to the same target, in order, up to `most`
        rows; none when that row is not to be sent any more.

        Raises:
            IndexCorrupt: it cannot be read.
        """
        with self._reading():
            rows = self._found(
                "SELECT id, run_id, part, message, attempts, created FROM outbox"
                " WHERE target = (SELECT target FROM outbox WHERE id = ?1 AND ended IS NULL)"
                " AND ended IS NULL AND id >= ?1 ORDER BY id LIMIT ?2",
                (row_id, most),
            )
        loaded: list[OutboxRow] = []
        for number, run_id, part, message, attempts, created in rows:
            try:
                words = message_from(message)
            except IndexCorrupt:
                if not loaded:
                    raise
                break  # told when it is the first
            made = self._local(created)
            loaded.append(OutboxRow(number, RunId(run_id), part, words, attempts, made))
        return tuple(loaded)

    def sent(self, row_id: int, platform_id: str) -> None:
        """The channel took it, as `platform_id`."""
        self._end(row_id, storable(platform_id), None)

    def failed(self, row_id: int, error: str, retry_at: datetime | None) -> None:
        """The channel did not take it; None for `retry_at` gives it up."""
        if retry_at is None:
            self._end(row_id, None, storable(error))
            return
        with self._writing():
            self._connection.execute(
                "UPDATE outbox SET attempts = attempts + 1, error = ?, retry_at = ?"
                " WHERE id = ? AND ended IS NULL",
                (storable(error), retry_at.timestamp(), row_id),
            )

    def _end(self, row_id: int, platform_id: str | None, error: str | None) -> None:
        with self._writing():
            self._connection.execute(
                "UPDATE outbox SET ended = ?, platform_id = ?, error = ?, message = NULL"
                " WHERE id = ? AND ended IS NULL",
                (self._now(), platform_id, error, row_id),
            )

    # ---------------------------------------------------------------- upkeep

    def tidy(self) -> None:
        """Forget what nobody can deliver again any more."""
        oldest = (self._clock.now() - timedelta(days=KEPT_DAYS)).timestamp()
        with self._writing():
            self._connection.execute("DELETE FROM drafts WHERE shown < ?", (oldest,))
            for table, ended in (("inbox", "done"), ("outbox", "ended")):
                self._connection.execute(f"DELETE FROM {table} WHERE {ended} < ?", (oldest,))
                self._connection.execute(
                    f"DELETE FROM {table} WHERE {ended} IS NOT NULL AND id <= (SELECT id FROM"
                    f" {table} WHERE {ended} IS NOT NULL ORDER BY id DESC LIMIT 1 OFFSET ?)",
                    (KEPT_ROWS,),
                )

    def _found(self, query: str, values: tuple[str | int, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query. STRICT tables hold what their columns say, so who asks knows."""
        return self._connection.execute(query, values).fetchall()

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _local(self, second: float) -> datetime:
        return datetime.fromtimestamp(second, UTC).astimezone(self._clock.now().tzinfo)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock, storage_errors():
            yield

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, or a part of the one that `together` holds."""
        with self._lock, storage_errors():
            if self._connection.in_transaction:
                yield
                return
            with immediate(self._connection):
                yield
