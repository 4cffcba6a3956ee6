"""The book of pairings: `pairings.sqlite`. Who asks to be let in on a channel, and who was.

    book = PairingBook(path, clock)
    request, fresh = book.ask(envelope, welcome) or (None, False)     # None: too many wait
    book.approve("KX7P2MQD")                        # -> Contact; also by another process
    book.paired("telegram", "default")              # frozenset({"7"}), at every message

A running assistant, a terminal and the settings window have it open at the same time. Reading is
asked for at every message, so what was read is kept until SQLite says that something was written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.gateway.mail_items import message_from, message_text, storable
from moltbot_desktop.gateway.pairing import (
    Knock,
    is_locked,
    is_over,
    knock,
    new_code,
    typed_code,
)
from moltbot_desktop.sdk.channels import Envelope, OutboundMessage, Sender
from moltbot_desktop.sdk.pairing import LIFE, Contact, PairingRequest
from moltbot_desktop.storage.book import Book

MIGRATIONS = (
    """
    CREATE TABLE requests (
        code TEXT PRIMARY KEY,
        channel TEXT NOT NULL,
        account TEXT NOT NULL,
        sender TEXT NOT NULL,
        name TEXT NOT NULL,
        username TEXT NOT NULL,
        asked REAL NOT NULL,
        answered INTEGER NOT NULL DEFAULT 0,
        welcome TEXT NOT NULL,
        UNIQUE (channel, account, sender)
    ) STRICT;
    CREATE TABLE contacts (
        channel TEXT NOT NULL,
        account TEXT NOT NULL,
        sender TEXT NOT NULL,
        name TEXT NOT NULL,
        username TEXT NOT NULL,
        since REAL NOT NULL,
        code TEXT NOT NULL,
        welcome TEXT,
        PRIMARY KEY (channel, account, sender)
    ) STRICT;
    CREATE TABLE wrong (at REAL NOT NULL) STRICT;
    """,
)
"""`contacts.welcome` is NULL once it is on its way."""

_REQUEST = "channel, account, sender, name, username, code, asked"
_CONTACT = "channel, account, sender, name, username, since"


@dataclass(frozen=True)
class Welcome:
    """What somebody is told who was let in; `mark` names it."""

    contact: Contact
    mark: str
    message: OutboundMessage


@dataclass(frozen=True)
class _Read:
    """All that stands in the book, as SQLite's count of changes had it."""

    version: int
    requests: tuple[PairingRequest, ...]
    answered: frozenset[str]
    contacts: tuple[Contact, ...]
    paired: frozenset[tuple[str, str, str]]
    unwelcomed: bool


class PairingBook(Book):
    """For any thread: `sdk.pairing.Pairings`. Each method raises StorageError when the disk says
    no."""

    def __init__(self, path: Path, clock: Clock, new_code: Callable[[], str] = new_code) -> None:
        super().__init__(path, MIGRATIONS, flushed=True)  # "taken back" has to hold
        self._clock = clock
        self._new_code = new_code
        self._known: _Read | None = None

    # ------------------------------------------------------------------ strangers

    def ask(
        self, envelope: Envelope, welcome: OutboundMessage
    ) -> tuple[PairingRequest, bool] | None:
        """A stranger has written: their request, and whether it is new; None when too many wait.

        Args:
            welcome: what they are told once they are let in.
        """
        now = self._clock.now()
        place = tuple(map(storable, (envelope.channel, envelope.account, envelope.sender.id)))
        with self.writing():
            self._drop_old(now)
            kept = self._requests()
            match knock(kept, envelope, now):
                case Knock.FULL:
                    return None
                case Knock.KNOWN:
                    return next(one for one in kept if _place(one) == place), False
            codes = {one.code for one in kept}
            code = next(code for code in iter(self._new_code, None) if code not in codes)
            names = (storable(envelope.sender.name), storable(envelope.sender.username))
            self.connection.execute(
                f"INSERT INTO requests ({_REQUEST}, welcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*place, *names, code, now.timestamp(), message_text(welcome)),
            )
            self._known = None
            sender = Sender(place[2], *names)
            return PairingRequest(place[0], place[1], sender, code, now), True

    def waits(self, envelope: Envelope) -> Knock:
        """What a message of a stranger is, as `ask` would have it; writes nothing."""
        return knock(self._read().requests, envelope, self._clock.now())

    def is_answered(self, envelope: Envelope) -> bool:
        """Whether who wrote it was told the code."""
        read = self._read()
        place = (envelope.channel, envelope.account, envelope.sender.id)
        return any(_place(one) == place and one.code in read.answered for one in read.requests)

    def answered(self, code: str) -> None:
        """The one who has that code was told it."""
        with self.writing():
            self.connection.execute("UPDATE requests SET answered = 1 WHERE code = ?", (code,))
            self._known = None

    # ------------------------------------------------------------------ the owner

    def requests(self) -> tuple[PairingRequest, ...]:
        """Those that wait, the oldest first."""
        now = self._clock.now()
        return tuple(one for one in self._read().requests if not is_over(one, now))

    def contacts(self) -> tuple[Contact, ...]:
        """Those who were let in, the newest last."""
        return self._read().contacts

    def approve(self, code: str, channel: str = "") -> Contact:
        """Let in who was given that code, on that channel or on any.

        Raises:
            UserInputInvalid: no request that waits has it, or too many wrong ones were tried.
        """
        now = self._clock.now()
        with self.writing():
            self._drop_old(now)
            wrong = [_moment(at) for (at,) in self._rows("SELECT at FROM wrong")]
            locked = is_locked(wrong, now)
            found = None if locked else self._with_code(code, channel)
            if found is None and not locked:
                self.connection.execute("INSERT INTO wrong VALUES (?)", (now.timestamp(),))
            if found is not None:
                self.connection.execute(
                    "INSERT OR REPLACE INTO contacts"
                    " SELECT channel, account, sender, name, username, ?2, code, welcome"
                    " FROM requests WHERE code = ?1",
                    (found.code, now.timestamp()),
                )
                self.connection.execute("DELETE FROM requests WHERE code = ?", (found.code,))
                self.connection.execute("DELETE FROM wrong")
                self._known = None
        if locked:
            raise UserInputInvalid(
                "Too many wrong codes were tried, so none is taken now.",
                hint="Try again in an hour, or let the person in by id with allowFrom.",
            )
        if found is None:
            raise _unknown(code)
        return Contact(found.channel, found.account, found.sender, now)

    def let_in(self, channel: str, account: str, sender: Sender) -> None:
        """Let somebody in who asked for nothing: they have shown what the owner made for them."""
        place = tuple(map(storable, (channel, account, sender.id)))
        names = (storable(sender.name), storable(sender.username))
        with self.writing():
            self.connection.execute(
                f"INSERT OR REPLACE INTO contacts ({_CONTACT}, code) VALUES (?, ?, ?, ?, ?, ?, '')",
                (*place, *names, self._clock.now().timestamp()),
            )
            self.connection.execute(
                "DELETE FROM requests WHERE channel = ? AND account = ? AND sender = ?", place
            )
            self._known = None

    def refuse(self, code: str, channel: str = "") -> PairingRequest:
        """Drop a request; who asked is told nothing.

        Raises:
            UserInputInvalid: no request that waits has it.
        """
        with self.writing():
            self._drop_old(self._clock.now())
            found = self._with_code(code, channel)
            if found is not None:
                self.connection.execute("DELETE FROM requests WHERE code = ?", (found.code,))
                self._known = None
        if found is None:
            raise _unknown(code)
        return found

    def remove(self, channel: str, sender: str, account: str = "") -> tuple[Contact, ...]:
        """Take back what `approve` gave; on every account of the channel where none is named."""
        wanted = tuple(map(storable, (channel, sender, account)))
        where = "WHERE channel = ?1 AND sender = ?2 AND ?3 IN ('', account)"
        with self.writing():
            gone = self._contacts(where, wanted)
            self.connection.execute(f"DELETE FROM contacts {where}", wanted)
            self._known = None
        return gone

    # ------------------------------------------------------------------ the running assistant

    def paired(self, channel: str, account: str) -> frozenset[str]:
        """Ids of those who were let in there."""
        read = self._read()
        return frozenset(one[2] for one in read.paired if one[:2] == (channel, account))

    def welcomes(self) -> tuple[Welcome, ...]:
        """Of those who were let in and do not know it yet."""
        if not self._read().unwelcomed:
            return ()
        with self.reading():
            rows = self._rows(
                f"SELECT {_CONTACT}, code, welcome FROM contacts WHERE welcome IS NOT NULL"
            )
        return tuple(Welcome(_contact(row), str(row[6]), message_from(str(row[7]))) for row in rows)

    def welcomed(self, mark: str) -> None:
        with self.writing():
            self.connection.execute("UPDATE contacts SET welcome = NULL WHERE code = ?", (mark,))
            self._known = None

    # ------------------------------------------------------------------ inside

    def _read(self) -> _Read:
        with self.reading():
            # Counts what other connections have committed; what this one writes forgets `_known`.
            [(version,)] = self._rows("PRAGMA data_version")
            if self._known is None or self._known.version != version:
                answered = self._rows("SELECT code FROM requests WHERE answered")
                contacts = self._contacts()
                left = self._rows("SELECT 1 FROM contacts WHERE welcome IS NOT NULL LIMIT 1")
                self._known = _Read(
                    int(str(version)),
                    self._requests(),
                    frozenset(str(code) for (code,) in answered),
                    contacts,
                    frozenset(map(_place, contacts)),
                    bool(left),
                )
            return self._known

    def _requests(self) -> tuple[PairingRequest, ...]:
        rows = self._rows(f"SELECT {_REQUEST} FROM requests ORDER BY asked, code")
        return tuple(_request(row) for row in rows)

    def _contacts(self, where: str = "", values: tuple[str, ...] = ()) -> tuple[Contact, ...]:
        query = f"SELECT {_CONTACT} FROM contacts {where} ORDER BY since, channel, sender"
        return tuple(_contact(row) for row in self._rows(query, values))

    def _with_code(self, typed: str, channel: str) -> PairingRequest | None:
        wanted = typed_code(typed)
        there = (one for one in self._requests() if channel in ("", one.channel))
        return next((one for one in there if one.code == wanted), None)

    def _drop_old(self, now: datetime) -> None:
        """What is too old, or from the future because the clock was put back."""
        oldest, newest = (now - LIFE).timestamp(), (now + LIFE).timestamp()
        self.connection.execute(
            "DELETE FROM requests WHERE NOT (asked > ?1 AND asked <= ?2)", (oldest, newest)
        )
        self.connection.execute("DELETE FROM wrong WHERE NOT (at > ?1 AND at <= ?2)",
                                (oldest, now.timestamp()))  # fmt: skip
        self._known = None

    def _rows(self, query: str, values: tuple[str, ...] = ()) -> Sequence[Sequence[object]]:
        return self.connection.execute(query, values).fetchall()


def contacts_in(path: Path, clock: Clock) -> tuple[Contact, ...]:
    """Who was let in by the book at `path`, for one look; nobody where there is none yet.

    Raises:
        StorageError: it cannot be read.
    """
    if not path.exists():
        return ()
    with contextlib.closing(PairingBook(path, clock)) as book:
        return book.contacts()


def _place(one: PairingRequest | Contact) -> tuple[str, str, str]:
    return one.channel, one.account, one.sender.id


def _request(row: Sequence[object]) -> PairingRequest:
    channel, account, sender, name, username, code, asked = row
    return PairingRequest(
        str(channel),
        str(account),
        Sender(str(sender), str(name), str(username)),
        str(code),
        _moment(asked),
    )


def _contact(row: Sequence[object]) -> Contact:
    channel, account, sender, name, username, since, *_ = row
    who = Sender(str(sender), str(name), str(username))
    return Contact(str(channel), str(account), who, _moment(since))


def _moment(seconds: object) -> datetime:
    return datetime.fromtimestamp(float(str(seconds)), UTC)


def _unknown(code: str) -> UserInputInvalid:
    return UserInputInvalid(
        f"Nobody who waits has the code {code[:20]}.",
        hint="“moltbot-desktop channels pairing list” shows who waits; a code holds for an hour.",
    )
